package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

// ParameterChange is what changed in one parameter of one tool: the share of calls
// that have it with the expected value, over all calls of each run in which it was
// expected.
type ParameterChange struct {
	Tool      string `json:"tool"`
	Parameter string `json:"parameter"`
	// NA and NB count the calls in which it was expected; A and B are the shares with
	// Wilson intervals, Delta is B - A by Newcombe's method.
	NA    int      `json:"n_a"`
	NB    int      `json:"n_b"`
	A     Estimate `json:"a"`
	B     Estimate `json:"b"`
	Delta Estimate `json:"delta"`
	// P is Fisher's exact test, PHolm corrected over all parameters. Both take calls
	// as independent, which those of one conversation are not: the rows by score are
	// the ones to decide by.
	P     Estimate `json:"p"`
	PHolm Estimate `json:"p_holm"`
	// Noise says that PHolm does not show a change: print "~".
	Noise bool `json:"noise"`
}

// parameters compares the runs parameter by parameter: those that both have, the
// largest drop first, then by name.
func (c *comparer) parameters() error {
	before := map[[2]string]Parameter{}
	for _, tool := range c.a.manifest.ByParameter {
		for _, p := range tool.Parameters {
			before[[2]string{tool.Tool, p.Parameter}] = p
		}
	}
	var counts []uncertainty.ToolCounts
	c.out.Parameters = []ParameterChange{}
	for _, tool := range c.b.manifest.ByParameter {
		for _, p := range tool.Parameters {
			a, ok := before[[2]string{tool.Tool, p.Parameter}]
			if !ok || a.N == 0 || p.N == 0 {
				continue
			}
			row, err := parameterChange(a, p, c.Alpha)
			if err != nil {
				return fmt.Errorf("%s.%s: %w", tool.Tool, p.Parameter, err)
			}
			row.Tool = tool.Tool
			c.out.Parameters = append(c.out.Parameters, row)
			counts = append(counts, uncertainty.ToolCounts{Tool: tool.Tool + "." + p.Parameter, K1: a.Equal, N1: a.N, K2: p.Equal, N2: p.N})
		}
	}
	tests, err := uncertainty.PerToolRegression(counts, c.Alpha)
	if err != nil {
		return err
	}
	for i := range tests {
		row := &c.out.Parameters[i]
		row.P, row.PHolm = point(tests[i].P), point(tests[i].PHolm)
		row.Noise = tests[i].Flagged == nil || !*tests[i].Flagged
	}
	slices.SortStableFunc(c.out.Parameters, func(x, y ParameterChange) int {
		return cmp.Or(cmp.Compare(*x.Delta.Value, *y.Delta.Value), cmp.Compare(x.Tool, y.Tool), cmp.Compare(x.Parameter, y.Parameter))
	})
	return nil
}

// parameterChange fills in shares and difference; both counts are above 0.
func parameterChange(a, b Parameter, alpha float64) (ParameterChange, error) {
	row := ParameterChange{Parameter: b.Parameter, NA: a.N, NB: b.N}
	for _, side := range []struct {
		to *Estimate
		p  Parameter
	}{{&row.A, a}, {&row.B, b}} {
		share, err := uncertainty.ProportionCI(float64(side.p.Equal), float64(side.p.N), alpha)
		if err != nil {
			return row, err
		}
		*side.to = Interval(share.P, share.Wilson)
	}
	// Newcombe's difference is the first rate less the second.
	d, err := uncertainty.NewcombeDiff(float64(b.Equal), float64(b.N), float64(a.Equal), float64(a.N), alpha)
	if err != nil {
		return row, err
	}
	row.Delta = Interval(d.Diff, d.CI)
	return row, nil
}
