package gate

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// holm corrects p-values for their number (NaN: missing); nil is a missing one.
func holm(p []float64) []*float64 {
	out := make([]*float64, len(p))
	adjusted, err := interval.Holm(p)
	if err != nil {
		return out
	}
	for i, a := range adjusted {
		if a.Valid {
			out[i] = &a.Value
		}
	}
	return out
}

// correctRates takes back the failures of tools that chance explains. The interval of
// one tool in twenty misses a bound that all of them keep, and that of two calls of
// which one fails misses it more often. So a tool fails when its interval misses the
// bound and the exact binomial test does too, after correction for the number of tools.
// The test takes calls for independent, which they are at best.
func correctRates(results []report.GateResult, alpha float64) {
	type instrument struct{ judge, level string }
	families := map[instrument][]int{}
	for i, res := range results {
		if res.Got.Defined() {
			key := instrument{res.Judge, res.Level}
			families[key] = append(families[key], i)
		}
	}
	for _, of := range families {
		p := make([]float64, len(of))
		for k, i := range of {
			p[k] = below(*results[i].Got.Value, results[i].N, results[i].Bound)
		}
		for k, corrected := range holm(p) {
			res := &results[of[k]]
			if res.Strict || res.Passed || res.Reason != "" || corrected == nil {
				continue
			}
			res.P, res.Tools, res.Passed = corrected, len(of), *corrected > alpha
		}
	}
}

// below is the p-value of a true rate of at least the bound, of the exact binomial test,
// doubled as for a two-sided interval.
func below(rate float64, n int, bound float64) float64 {
	passes := math.Round(rate * float64(n))
	return math.Min(1, 2*stat.BinomialCDF(passes, float64(n), bound))
}
