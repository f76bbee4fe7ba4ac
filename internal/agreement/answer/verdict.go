package answer

import (
	"fmt"
	"math"
)

// Mode says how a score becomes a verdict.
type Mode string

// Interval passes iff low <= output <= high. Bands fails below low, passes from
// high on, and is borderline between.
const (
	Interval Mode = "interval"
	Bands    Mode = "bands"
)

// Rule holds the bands of a rubric. Margin says how near to Low an output counts as borderline in
// interval mode: 0.5 on 1..5, 0.1 on 0..1, 0 (never) on a binary scale.
type Rule struct {
	Mode                          Mode
	Low, High                     float64
	ConfidenceLow, ConfidenceHigh float64
	Margin                        float64
}

// Verdict is the verdict on one answer. A low-confidence answer keeps its verdict and is flagged;
// the report says how it treats such answers.
type Verdict struct {
	Verdict       string // pass, fail, borderline (bands only) or error
	Borderline    bool
	LowConfidence bool // confidence missing or outside its band
	Escalate      bool // borderline, low confidence, or error
}

// Decide returns the verdict on one answer. A missing output is an error, never a fail.
func Decide(output, confidence float64, rule Rule) (Verdict, error) {
	v := Verdict{LowConfidence: !(confidence >= rule.ConfidenceLow && confidence <= rule.ConfidenceHigh)}
	switch {
	case rule.Mode != Interval && rule.Mode != Bands && rule.Mode != "":
		return Verdict{}, fmt.Errorf("verdict mode %q is neither interval nor bands", rule.Mode)
	case math.IsNaN(output):
		v.Verdict = "error"
	case rule.Mode == Bands && output < rule.Low:
		v.Verdict = "fail"
	case rule.Mode == Bands && output < rule.High:
		v.Verdict, v.Borderline = "borderline", true
	case rule.Mode == Bands:
		v.Verdict = "pass"
	default:
		v.Verdict = "fail"
		if rule.Low <= output && output <= rule.High {
			v.Verdict = "pass"
		}
		// For the author of a rubric 0.8 is within 0.1 of 0.7, although not in binary.
		v.Borderline = rule.Margin > 0 && math.Abs(output-rule.Low) <= rule.Margin+1e-9
	}
	v.Escalate = v.Borderline || v.LowConfidence || v.Verdict == "error"
	return v, nil
}
