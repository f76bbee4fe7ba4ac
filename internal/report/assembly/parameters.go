package assembly

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/report"
)

// parameters compares the runs parameter by parameter: those that both have, the
// largest drop first, then by name.
func (c *comparer) parameters() error {
	before := map[[2]string]report.Parameter{}
	for _, tool := range c.a.manifest.ByParameter {
		for _, p := range tool.Parameters {
			before[[2]string{tool.Tool, p.Parameter}] = p
		}
	}
	var counts []interval.RateChange
	c.out.Parameters = []report.ParameterChange{}
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
			counts = append(counts, interval.RateChange{K1: a.Equal, N1: a.N, K2: p.Equal, N2: p.N})
		}
	}
	tests, err := interval.TestRates(counts, c.Alpha)
	if err != nil {
		return err
	}
	for i := range tests {
		row := &c.out.Parameters[i]
		row.P, row.PHolm = report.Point(tests[i].P), report.Point(tests[i].PHolm)
		row.Noise = !tests[i].Flagged
	}
	slices.SortStableFunc(c.out.Parameters, func(x, y report.ParameterChange) int {
		return cmp.Or(cmp.Compare(*x.Delta.Value, *y.Delta.Value), cmp.Compare(x.Tool, y.Tool), cmp.Compare(x.Parameter, y.Parameter))
	})
	return nil
}

// parameterChange fills in shares and difference; both counts are above 0.
func parameterChange(a, b report.Parameter, alpha float64) (report.ParameterChange, error) {
	row := report.ParameterChange{Parameter: b.Parameter, NA: a.N, NB: b.N}
	for _, side := range []struct {
		to *report.Estimate
		p  report.Parameter
	}{{&row.A, a}, {&row.B, b}} {
		share, err := interval.Wilson(float64(side.p.Equal), float64(side.p.N), alpha)
		if err != nil {
			return row, err
		}
		*side.to = report.Interval(share.Value, share.CI)
	}
	// Newcombe's difference is the first rate less the second.
	d, err := interval.NewcombeDiff(float64(b.Equal), float64(b.N), float64(a.Equal), float64(a.N), alpha)
	if err != nil {
		return row, err
	}
	row.Delta = report.Interval(d.Value, d.CI)
	return row, nil
}
