package report

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// The maps from a confidence to the chance that the verdict is right.
const (
	PlattMap    = "platt"
	IsotonicMap = "isotonic"
)

// The members of a score's details that tell of its confidences.
const (
	confidencesKey = "confidences"
	sourceKey      = "confidence_source"
	methodKey      = "score_method"
)

// ConfidenceOf is the confidence of one source that a score carries, 0..1. The score's
// own confidence also counts as that of the source it names, or as that of "" where it
// names none.
func ConfidenceOf(s score.Score, source string) (p float64, ok bool) {
	if own := s.Details.Field(sourceKey).Text(); s.Confidence != nil && own == source {
		return *s.Confidence, true
	}
	if source == "" {
		return 0, false
	}
	return s.Details.Field(confidencesKey).Field(source).Float64()
}

// ConfidencesOf are all confidences that a score carries, by source, in the order of
// the score.
func ConfidencesOf(s score.Score) map[string]float64 {
	out := map[string]float64{}
	if all := s.Details.Field(confidencesKey); all.Kind() == value.Object {
		for source, v := range all.Members() {
			if p, ok := v.Float64(); ok {
				out[source] = p
			}
		}
	}
	if s.Confidence != nil {
		out[s.Details.Field(sourceKey).Text()] = *s.Confidence
	}
	return out
}

// OwnSource names the source of the confidence that a score carries as its own, ""
// where it names none; ok is false where it carries none.
func OwnSource(s score.Score) (source string, ok bool) {
	return s.Details.Field(sourceKey).Text(), s.Confidence != nil
}

// MethodOf is how a judge's score was taken, "" where the score does not say.
func MethodOf(s score.Score) string { return s.Details.Field(methodKey).Text() }

// At is the chance that a verdict of this confidence is right; ok is false where there
// is no map.
func (m MappedConfidence) At(confidence float64) (chance float64, ok bool) {
	switch {
	case m.Map == PlattMap && m.A.Defined() && m.B.Defined():
		return 1 / (1 + math.Exp(*m.A.Value*confidence+*m.B.Value)), true
	case m.Map == IsotonicMap && len(m.Points) > 0:
		return between(m.Points, confidence), true
	}
	return 0, false
}

// between is on the lines between points, which stand in ascending order, and
// constant outside them.
func between(points []MapPoint, x float64) float64 {
	i, hit := slices.BinarySearchFunc(points, x, func(p MapPoint, x float64) int {
		switch {
		case p.At < x:
			return -1
		case p.At > x:
			return 1
		}
		return 0
	})
	switch {
	case hit || i == 0:
		return points[i].Chance
	case i == len(points):
		return points[i-1].Chance
	}
	a, b := points[i-1], points[i]
	return a.Chance + (b.Chance-a.Chance)*(x-a.At)/(b.At-a.At)
}
