package agreement

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/distribution"
	"github.com/judgekit/judge/internal/agreement/statistic"
)

// ToolCounts are the counts of one tool: paired (B only the first run right, C
// only the second, of N items), or unpaired (K1 of N1 against K2 of N2).
type ToolCounts struct {
	Tool           string
	Paired         bool
	B, C, N        int
	K1, N1, K2, N2 int
}

// ToolRegression is the change of one tool. A tool without data, or without a
// discordant pair, has no p and does not count as a test.
type ToolRegression struct {
	Tool         string
	Diff         statistic.Opt
	P, PHolm, BH statistic.Opt
	Flagged      *bool // by Holm; nil without p
}

// PerToolRegression tests every tool (exact McNemar when paired, Fisher's exact
// test otherwise) and corrects over tools. The order of tools is kept.
func PerToolRegression(tools []ToolCounts, alpha float64) ([]ToolRegression, error) {
	out := make([]ToolRegression, len(tools))
	p := make([]float64, len(tools))
	for i, t := range tools {
		r, err := t.test(alpha)
		if err != nil {
			return nil, fmt.Errorf("tool %q: %w", t.Tool, err)
		}
		out[i], p[i] = r, math.NaN()
		if r.P.Valid {
			p[i] = r.P.Value
		}
	}
	adjusted, err := AdjustP(p, alpha)
	if err != nil {
		return nil, err
	}
	for i := range out {
		out[i].PHolm, out[i].BH, out[i].Flagged = adjusted.Holm[i], adjusted.BH[i], adjusted.RejectHolm[i]
	}
	return out, nil
}

func (t ToolCounts) test(alpha float64) (ToolRegression, error) {
	out := ToolRegression{Tool: t.Tool, P: statistic.None(statistic.NoItems)}
	if t.Paired {
		m, err := McNemarCounts(t.B, t.C, t.N)
		if err != nil {
			return out, err
		}
		out.Diff = m.Diff
		if m.discordantPresent {
			out.P = m.PExact
		}
		return out, nil
	}
	d, err := NewcombeDiff(float64(t.K1), float64(t.N1), float64(t.K2), float64(t.N2), alpha)
	if err != nil {
		return out, err
	}
	out.Diff = d.Diff
	if d.Diff.Valid {
		p := distribution.FisherTwoSided(float64(t.K1), float64(t.N1), float64(t.K2), float64(t.N2))
		out.P = statistic.Some(p)
	}
	return out, nil
}

// Stratum is one row of the comparison of judge and gold.
type Stratum struct {
	Name                string
	N                   int
	GoldRate, JudgeRate statistic.Opt
	Agreement           statistic.Opt
	AgreementCI         statistic.Interval // Wilson
	Kappa               statistic.Opt
	JudgeOnlyPass       int // gold fail, judge pass
	JudgeOnlyFail       int
	Confusion           Confusion
}

// StratifiedTable shows where judge and gold disagree. A pooled kappa can be
// high only because strata differ in pass rate: always show both.
type StratifiedTable struct {
	Strata         []Stratum // by name
	Pooled         Stratum
	MacroAgreement statistic.Opt // mean over strata with items
	Small          []string      // strata with fewer than the demanded items
	Dropped        int
}

// Stratify compares binary gold and judge per stratum, strata in name order.
func Stratify(stratum []string, gold, judge []float64, alpha float64, minN int) (StratifiedTable, error) {
	if err := statistic.CheckAlpha(alpha); err != nil {
		return StratifiedTable{}, err
	}
	if len(stratum) != len(gold) || len(gold) != len(judge) {
		return StratifiedTable{}, fmt.Errorf("%w: %d strata, %d gold, %d judge", statistic.ErrLengths, len(stratum), len(gold), len(judge))
	}
	counts := make(map[string]*Confusion)
	var pooled Confusion
	out := StratifiedTable{}
	for i, name := range stratum {
		c := counts[name]
		if c == nil {
			c = &Confusion{}
			counts[name] = c
		}
		if math.IsNaN(gold[i]) || math.IsNaN(judge[i]) {
			out.Dropped++
			continue
		}
		c.add(statistic.IsPass(gold[i]), statistic.IsPass(judge[i]))
		pooled.add(statistic.IsPass(gold[i]), statistic.IsPass(judge[i]))
	}
	macro, used := 0.0, 0.0
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		s, err := stratumOf(name, *counts[name], alpha)
		if err != nil {
			return StratifiedTable{}, err
		}
		if s.Agreement.Valid {
			macro += s.Agreement.Value
			used++
		}
		if s.N < minN {
			out.Small = append(out.Small, name)
		}
		out.Strata = append(out.Strata, s)
	}
	var err error
	out.Pooled, err = stratumOf("", pooled, alpha)
	out.MacroAgreement = statistic.Ratio(macro, used, statistic.NoItems)
	return out, err
}

func stratumOf(name string, c Confusion, alpha float64) (Stratum, error) {
	n := float64(c.N())
	ci, err := Wilson(float64(c.TP+c.TN), n, alpha)
	return Stratum{
		Name: name, N: c.N(), Confusion: c,
		GoldRate:  statistic.Ratio(float64(c.TP+c.FN), n, statistic.NoItems),
		JudgeRate: statistic.Ratio(float64(c.TP+c.FP), n, statistic.NoItems),
		Agreement: statistic.Ratio(float64(c.TP+c.TN), n, statistic.NoItems), AgreementCI: ci,
		Kappa: c.kappa(), JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN,
	}, err
}
