package measure

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// manyLabels is from how many labels on the isotonic map is fitted; it needs more
// than Platt's two numbers do.
const manyLabels = 150

// sure is an item's confidence from a source, NaN for none.
func sure(source string) func(labelledItem) float64 {
	return func(it labelledItem) float64 {
		if p, ok := it.confidences[source]; ok {
			return p
		}
		return math.NaN()
	}
}

// answered are the items that have a label, a verdict and all the sources named.
func (e *estimator) answered(sources ...string) func(labelledItem) bool {
	return func(it labelledItem) bool {
		lacks := func(source string) bool { return math.IsNaN(sure(source)(it)) }
		return !math.IsNaN(e.right(it)) && !slices.ContainsFunc(sources, lacks)
	}
}

// sources are the confidences that at least half of the labelled verdicts have, by name:
// a rarer one does not represent the judge.
func (e *estimator) sources() []string {
	all, count := pick(e.items, hasGold), map[string]int{}
	for _, it := range all.items {
		for source := range it.confidences {
			count[source]++
		}
	}
	maps.DeleteFunc(count, func(_ string, k int) bool { return 2*k < len(all.items) })
	return slices.Sorted(maps.Keys(count))
}

// mapConfidence chooses the confidence that separates right verdicts from wrong ones best
// on one half, fits it to the probability of being right there, and tests it on the other
// against the confidence that the scores claim.
func (e *estimator) mapConfidence() {
	out := &e.row.Confidence
	*out = report.MappedConfidence{
		Sources: []report.ConfidenceSource{}, A: tooFew, B: tooFew,
		BrierRaw: tooFew, BrierMapped: tooFew,
	}
	names := e.sources()
	if len(names) == 0 {
		return
	}
	// All sources on the same items, or their figures could not be compared.
	fit := pick(e.items, e.answered(names...), inHalf(false))
	test := pick(e.items, e.answered(names...), inHalf(true))
	for _, source := range names {
		one := report.ConfidenceSource{Source: source, N: len(test.items)}
		one.FitAUC = e.compare(fit, e.right, sure(source)).AUC()
		errors := e.errors(test, sure(source))
		one.AUC, one.ECE, one.Brier = errors.AUC, errors.ECE, errors.Brier
		out.Sources = append(out.Sources, one)
	}
	slices.SortStableFunc(out.Sources, func(a, b report.ConfidenceSource) int {
		own := func(s report.ConfidenceSource) float64 { return asNumber(s.Source == e.own) }
		return cmp.Or(cmp.Compare(b.FitAUC.OrLowest(), a.FitAUC.OrLowest()), cmp.Compare(own(b), own(a)))
	})
	out.Sources[0].Chosen = true
	out.Source = out.Sources[0].Source
	rising := e.fitMap(out, fit)
	if out.Map == "" || len(test.items) == 0 {
		return
	}
	claimed := out.Source
	if slices.Contains(names, e.own) {
		claimed = e.own
	}
	out.BrierRaw = e.errors(test, sure(claimed)).Brier
	out.BrierMapped = e.errors(test, func(it labelledItem) float64 {
		chance, _ := out.At(it.confidences[out.Source])
		return chance
	}).Brier
	out.Use = rising && out.BrierRaw.Defined() && out.BrierMapped.Defined() &&
		*out.BrierMapped.Value < *out.BrierRaw.Value
}

// errors are the errors of confidences as probabilities.
func (e *estimator) errors(s selection, confidence func(labelledItem) float64) report.Confidence {
	if len(s.items) == 0 {
		return report.Confidence{AUC: tooFew, ECE: tooFew, Brier: tooFew}
	}
	return e.compare(s, e.right, confidence).Probability()
}

// fitMap fits the chosen source, and reports whether a higher confidence means a higher
// chance.
func (e *estimator) fitMap(out *report.MappedConfidence, fit selection) (rising bool) {
	at, right := fit.column(sure(out.Source)), fit.column(e.right)
	if len(fit.items) >= manyLabels {
		f, err := truth.FitIsotonic(at, right)
		e.Keep(err)
		out.Map, out.Points = report.IsotonicMap, cornersOf(f)
		return len(out.Points) > 1
	}
	f, err := truth.FitPlatt(at, right)
	e.Keep(err)
	if out.A, out.B = report.Point(f.A), report.Point(f.B); !out.A.Defined() || !out.B.Defined() {
		return false
	}
	out.Map = report.PlattMap
	return *out.A.Value < 0
}

// cornersOf are the corners of an isotonic map: what is between two equal chances adds
// nothing.
func cornersOf(f truth.Isotonic) truth.Isotonic {
	var out truth.Isotonic
	for _, p := range f {
		if n := len(out); n > 1 && out[n-1].Chance == p.Chance && out[n-2].Chance == p.Chance {
			out[n-1].At = p.At
			continue
		}
		out = append(out, p)
	}
	if len(out) == 2 && out[0].Chance == out[1].Chance {
		out = out[:1]
	}
	return out
}
