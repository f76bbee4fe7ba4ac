package result

import "github.com/judgekit/judge/internal/value"

// The sources of a confidence, as they stand in score details.
const (
	// Verbalised is what the answer says of itself.
	Verbalised = "verbalised"
	// Token is the probability of the verdict at the score token.
	Token = "token"
	// Sample is the share of samples with the majority's verdict, from five on.
	Sample = "sample"
	// Jury is the share of answering judges with the panel's verdict, from three on;
	Jury = "panel"
)

// Confidence is one confidence, 0..1, with its source.
type Confidence struct {
	Source string
	Value  float64
}

// SetConfidence notes a confidence. The last one set is the result's own; the others
// stay beside it, so that a calibration can choose.
func SetConfidence(r *Result, source string, p float64) {
	r.Confidence, r.ConfidenceSource = &p, source
	r.Confidences = append(r.Confidences, Confidence{source, p})
}

func confidences(list []Confidence) value.Value {
	d := details{}
	for _, c := range list {
		d.add(c.Source, value.OfFloat(c.Value))
	}
	return value.OfObject(d.members...)
}
