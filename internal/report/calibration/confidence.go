package calibration

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

const (
	// bins is the number of bins of the calibration error.
	bins = 10
	// manyLabels is from how many labels on the isotonic map is fitted; it needs more
	// than Platt's two numbers do.
	manyLabels = 150
)

// certain are verdicts with their confidences by source and whether they were right.
type certain struct {
	by      map[string][]float64 // NaN where missing
	right   []float64
	cluster []int
}

// certainOf takes the items that have a label, a verdict and all the sources named.
func certainOf(t report.FittedCut, list []item, keep func(item) bool, sources ...string) certain {
	out := certain{by: map[string][]float64{}}
	var convs []string
	for _, it := range list {
		v := inUse(t, it)
		if !keep(it) || math.IsNaN(it.gold) || math.IsNaN(v) || !it.hasAll(sources) {
			continue
		}
		for _, source := range sources {
			p, _ := it.confidence(source)
			out.by[source] = append(out.by[source], p)
		}
		out.right = append(out.right, 1-math.Abs(it.gold-v))
		convs = append(convs, it.conv)
	}
	out.cluster = stat.ClusterIDs(convs)
	return out
}

func (it item) confidence(source string) (float64, bool) {
	for _, c := range it.confidences {
		if c.source == source {
			return c.p, true
		}
	}
	return math.NaN(), false
}

func (it item) hasAll(sources []string) bool {
	return !slices.ContainsFunc(sources, func(s string) bool { _, ok := it.confidence(s); return !ok })
}

// sourcesOf are the sources that at least half of the labelled verdicts have, by name:
// a rarer one cannot stand for the judge.
func sourcesOf(j *judged) []string {
	n, count := 0, map[string]int{}
	for _, it := range j.items {
		if !labelled(it) {
			continue
		}
		n++
		for _, c := range it.confidences {
			count[c.source]++
		}
	}
	var out []string
	for source, k := range count {
		if 2*k >= n {
			out = append(out, source)
		}
	}
	slices.Sort(out)
	return out
}

// mapConfidence chooses the confidence that tells right verdicts from wrong ones best
// on one half, fits it to the chance of being right there, and tries it on the other.
func mapConfidence(res *report.CalibrationRow, j *judged, cfg Config) error {
	out := &res.Confidence
	out.Sources = []report.ConfidenceSource{}
	out.A, out.B, out.BrierRaw, out.BrierMapped, out.ECERaw, out.ECEMapped = tooFew, tooFew, tooFew, tooFew, tooFew, tooFew
	names := sourcesOf(j)
	if len(names) == 0 {
		return nil
	}
	// All sources on the same items, or their figures could not be compared.
	fit, test := certainOf(res.Threshold, j.items, inHalf(false), names...), certainOf(res.Threshold, j.items, inHalf(true), names...)
	for _, source := range names {
		one, err := trySource(source, fit, test, cfg)
		if err != nil {
			return err
		}
		out.Sources = append(out.Sources, one)
	}
	slices.SortStableFunc(out.Sources, func(a, b report.ConfidenceSource) int {
		own := func(s report.ConfidenceSource) float64 { return indicator(s.Source == j.own) }
		return cmp.Or(cmp.Compare(orLow(b.FitAUC), orLow(a.FitAUC)), cmp.Compare(own(b), own(a)))
	})
	out.Sources[0].Chosen = true
	out.Source = out.Sources[0].Source
	return fitMap(out, fit, test, j.own)
}

func trySource(source string, fit, test certain, cfg Config) (report.ConfidenceSource, error) {
	out := report.ConfidenceSource{Source: source, N: len(test.right)}
	first, err := truth.ClusteredAUC(fit.right, fit.by[source], fit.cluster, cfg.Alpha)
	if err != nil {
		return out, err
	}
	second, err := truth.ClusteredAUC(test.right, test.by[source], test.cluster, cfg.Alpha)
	if err != nil {
		return out, err
	}
	out.FitAUC, out.AUC = between(first.AUC, first.CI), between(second.AUC, second.CI)
	out.ECE, out.Brier, err = errorsOf(test.by[source], test.right)
	return out, err
}

// errorsOf is how far confidences are from what came true.
func errorsOf(confidence, right []float64) (ece, brier report.Estimate, err error) {
	if len(right) == 0 {
		return tooFew, tooFew, nil
	}
	e, err := truth.CalibrationError(confidence, right, bins)
	if err != nil {
		return ece, brier, err
	}
	b, err := truth.BrierScore(right, confidence)
	return point(e.ECE), point(b.Brier), err
}

// fitMap fits the chosen source on one half and tries it on the other against the
// confidence that the scores carry as their own.
func fitMap(out *report.MappedConfidence, fit, test certain, own string) error {
	out.FittedOn = len(fit.right)
	rising := false
	if len(fit.right) >= manyLabels {
		f, err := truth.FitIsotonic(fit.by[out.Source], fit.right)
		if err != nil {
			return err
		}
		out.Map, out.Points = report.IsotonicMap, pointsOf(f, fit.by[out.Source])
		rising = len(out.Points) > 1
	} else {
		f, err := truth.FitPlatt(fit.by[out.Source], fit.right)
		if err != nil {
			return err
		}
		out.A, out.B = point(f.A), point(f.B)
		if out.A.Defined() && out.B.Defined() {
			out.Map, rising = report.PlattMap, *out.A.Value < 0
		}
	}
	if out.Map == "" || len(test.right) == 0 {
		return nil
	}
	mapped := make([]float64, len(test.right))
	for i, p := range test.by[out.Source] {
		mapped[i], _ = out.At(p)
	}
	claimed := test.by[own]
	if claimed == nil {
		claimed = test.by[out.Source]
	}
	var err error
	if out.ECERaw, out.BrierRaw, err = errorsOf(claimed, test.right); err != nil {
		return err
	}
	out.ECEMapped, out.BrierMapped, err = errorsOf(mapped, test.right)
	out.Use = rising && out.BrierRaw.Defined() && out.BrierMapped.Defined() && *out.BrierMapped.Value < *out.BrierRaw.Value
	return err
}

// pointsOf are the corners of an isotonic map: what lies between two equal chances
// tells nothing.
func pointsOf(f truth.Isotonic, at []float64) []report.MapPoint {
	var out []report.MapPoint
	for _, x := range stat.Distinct(at) {
		p := f.Predict(x)
		if !p.Valid {
			continue
		}
		if n := len(out); n > 1 && out[n-1].Chance == p.Value && out[n-2].Chance == p.Value {
			out[n-1].At = x
			continue
		}
		out = append(out, report.MapPoint{At: x, Chance: p.Value})
	}
	if len(out) == 2 && out[0].Chance == out[1].Chance {
		out = out[:1]
	}
	return out
}
