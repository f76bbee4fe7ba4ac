package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/score"
)

// Threshold re-decides the verdicts of one rubric or scorer from its stored
// values: a value passes when Low <= value <= High, High nil for no upper bound.
type Threshold struct {
	Name string
	Low  float64
	High *float64
}

// ParseThreshold reads "name=low" or "name=low..high".
func ParseThreshold(text string) (Threshold, error) {
	name, band, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" {
		return Threshold{}, fmt.Errorf("threshold %q: write rubric=low or rubric=low..high", text)
	}
	lowText, highText, both := strings.Cut(band, "..")
	low, err := bound(lowText)
	if err != nil {
		return Threshold{}, fmt.Errorf("threshold %q: low %w", text, err)
	}
	t := Threshold{Name: name, Low: low}
	if !both {
		return t, nil
	}
	high, err := bound(highText)
	if err != nil {
		return Threshold{}, fmt.Errorf("threshold %q: high %w", text, err)
	}
	if high < low {
		return Threshold{}, fmt.Errorf("threshold %q: high %s is below low %s", text, strings.TrimSpace(highText), strings.TrimSpace(lowText))
	}
	t.High = &high
	return t, nil
}

func bound(text string) (float64, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("bound %q is no number", strings.TrimSpace(text))
	}
	return f, nil
}

// String returns the threshold as it is written on the command line.
func (t Threshold) String() string {
	s := t.Name + "=" + strconv.FormatFloat(t.Low, 'g', -1, 64)
	if t.High != nil {
		s += ".." + strconv.FormatFloat(*t.High, 'g', -1, 64)
	}
	return s
}

func (t Threshold) passes(v float64) bool { return v >= t.Low && (t.High == nil || v <= *t.High) }

// Redecide returns s with the verdict of the last threshold that bears its name.
// Labels from elsewhere, scores without a value and further metrics keep theirs.
func Redecide(s score.Score, thresholds []Threshold) score.Score {
	if s.Value == nil || s.Source == score.Label || s.Metric != "" {
		return s
	}
	for _, t := range thresholds {
		if t.Name != s.Name {
			continue
		}
		passed := t.passes(*s.Value)
		s.Passed = &passed
		s.Label = "fail"
		if passed {
			s.Label = "pass"
		}
	}
	return s
}
