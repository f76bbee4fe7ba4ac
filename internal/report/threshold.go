package report

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/spelling"
)

// Threshold decides the verdicts of one rubric or scorer from its values: a value passes if Low <=
// value <= High. A nil High means no upper bound.
type Threshold struct {
	Name string
	Low  float64
	High *float64
}

// ParseThreshold parses "name=low" or "name=low..high".
func ParseThreshold(text string) (Threshold, error) {
	name, band, ok := strings.Cut(text, "=")
	t := Threshold{Name: strings.TrimSpace(name)}
	if !ok || t.Name == "" {
		return t, fmt.Errorf("threshold %q: write rubric=low or rubric=low..high", text)
	}
	lowText, highText, both := strings.Cut(band, "..")
	var err error
	if t.Low, err = bound(lowText); err != nil {
		return t, fmt.Errorf("threshold %q: low %w", text, err)
	}
	if !both {
		return t, nil
	}
	high, err := bound(highText)
	if err != nil {
		return t, fmt.Errorf("threshold %q: high %w", text, err)
	}
	if high < t.Low {
		return t, fmt.Errorf("threshold %q: high %v is below low %v", text, high, t.Low)
	}
	t.High = &high
	return t, nil
}

func bound(text string) (float64, error) {
	text = strings.TrimSpace(text)
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("bound %q is not a number", text)
	}
	return f, nil
}

// OnScale returns an error if a bound is outside the scale of its "rubric" or "scorer": such a band
// decides nothing.
func (t Threshold) OnScale(of string, least, greatest float64) error {
	high := greatest
	if t.High != nil {
		high = *t.High
	}
	if t.Low < least || high > greatest || t.Low > high {
		return fmt.Errorf("threshold %s: the scale of the %s is %g..%g; a band beyond it decides nothing",
			t, of, least, greatest)
	}
	return nil
}

// CheckThresholds returns an error if a threshold is outside the scale of its rubric, or of its
// scorer, whose scores are from 0 to 1. It ignores unknown names.
func CheckThresholds(list []Threshold, m *Manifest) error {
	for _, t := range list {
		for _, r := range m.Rubrics {
			if r.Name == t.Name && r.Categories != nil {
				return fmt.Errorf("threshold %s: the answers of rubric %s are categories; its pass says which of "+
					"them pass", t, r.Name)
			}
			if r.Name == t.Name && r.Max > r.Min {
				if err := t.OnScale("rubric", r.Min, r.Max); err != nil {
					return err
				}
			}
		}
		for _, s := range m.Scorers {
			if s.Name == t.Name {
				if err := t.OnScale("scorer", 0, 1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// CheckNamed returns an error if the rubric or scorer of a threshold is in none of the runs.
func CheckNamed(list []Threshold, runs ...*Manifest) error {
	var known []string
	for _, m := range runs {
		for i := range m.Rubrics {
			known = append(known, m.Rubrics[i].Name)
		}
		for i := range m.Scorers {
			known = append(known, m.Scorers[i].Name)
		}
	}
	slices.Sort(known)
	for _, t := range list {
		if slices.Contains(known, t.Name) {
			continue
		}
		if near := spelling.Nearest(t.Name, known); near != "" {
			return fmt.Errorf("threshold %s: no rubric and no scorer has that name; did you mean %s?", t, near)
		}
		return fmt.Errorf("threshold %s: no rubric and no scorer has that name; known are %s", t,
			strings.Join(slices.Compact(known), ", "))
	}
	return nil
}

// String returns the threshold as on the command line.
func (t Threshold) String() string {
	if t.High == nil {
		return fmt.Sprintf("%s=%v", t.Name, t.Low)
	}
	return fmt.Sprintf("%s=%v..%v", t.Name, t.Low, *t.High)
}

// Redecide returns s with the verdict by the last threshold with its name. Labels, scores without a
// value and further metrics keep their verdict.
func Redecide(s score.Score, thresholds []Threshold) score.Score {
	if s.Value == nil || s.Source == score.Label || s.Metric != "" {
		return s
	}
	for _, t := range thresholds {
		if t.Name == s.Name {
			passed := *s.Value >= t.Low && (t.High == nil || *s.Value <= *t.High)
			s.Passed, s.Label = &passed, map[bool]string{true: "pass", false: "fail"}[passed]
		}
	}
	return s
}
