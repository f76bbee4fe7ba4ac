package interval

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
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
	Diff         stat.Opt
	P, PHolm, BH stat.Opt
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
	out := ToolRegression{Tool: t.Tool, P: stat.None(stat.NoItems)}
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
		p := stat.FisherTwoSided(float64(t.K1), float64(t.N1), float64(t.K2), float64(t.N2))
		out.P = stat.Some(p)
	}
	return out, nil
}
