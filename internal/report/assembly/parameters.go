package assembly

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/report"
)

// parameters compares the runs parameter by parameter: those that both have, the
// largest drop first, then by name.
func (c *comparer) parameters() {
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
			row := c.parameterChange(a, p)
			row.Tool = tool.Tool
			c.out.Parameters = append(c.out.Parameters, row)
			counts = append(counts, interval.RateChange{K1: a.Equal, N1: a.N, K2: p.Equal, N2: p.N})
		}
	}
	tests, err := interval.TestRates(counts, c.Alpha)
	if c.Keep(err); c.Err() != nil {
		return // such as from counts of a damaged manifest
	}
	for i := range tests {
		row := &c.out.Parameters[i]
		row.P, row.PHolm = report.Point(tests[i].P), report.Point(tests[i].PHolm)
		row.Noise = !tests[i].Flagged
	}
	slices.SortStableFunc(c.out.Parameters, func(x, y report.ParameterChange) int {
		return cmp.Or(cmp.Compare(*x.Delta.Value, *y.Delta.Value), cmp.Compare(x.Tool, y.Tool),
			cmp.Compare(x.Parameter, y.Parameter))
	})
}

// parameterChange fills in shares and difference; both counts are above 0.
func (c *comparer) parameterChange(a, b report.Parameter) report.ParameterChange {
	of := func(e interval.Estimate, err error) report.Estimate {
		c.Keep(err)
		return report.Interval(e.Value, e.CI)
	}
	rightA, nA, rightB, nB := float64(a.Equal), float64(a.N), float64(b.Equal), float64(b.N)
	return report.ParameterChange{
		Parameter: b.Parameter, NA: a.N, NB: b.N,
		A: of(interval.Wilson(rightA, nA, c.Alpha)), B: of(interval.Wilson(rightB, nB, c.Alpha)),
		// Newcombe's difference is the first rate less the second.
		Delta: of(interval.NewcombeDiff(rightB, nB, rightA, nA, c.Alpha)),
	}
}
