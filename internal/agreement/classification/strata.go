package classification

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

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

// stratumOf describes the items of one stratum from their counts, with the Wilson
// interval of the agreement.
func stratumOf(name string, c Confusion, alpha float64) (Stratum, error) {
	n := float64(c.N())
	ci, err := uncertainty.Wilson(float64(c.TP+c.TN), n, alpha)
	return Stratum{
		Name: name, N: c.N(), Confusion: c,
		GoldRate:  statistic.Ratio(float64(c.TP+c.FN), n, statistic.NoItems),
		JudgeRate: statistic.Ratio(float64(c.TP+c.FP), n, statistic.NoItems),
		Agreement: statistic.Ratio(float64(c.TP+c.TN), n, statistic.NoItems), AgreementCI: ci,
		Kappa: c.kappa(), JudgeOnlyPass: c.FP, JudgeOnlyFail: c.FN,
	}, err
}
