package answer

import (
	"math"
	"slices"
)

// RubricScores are the four outputs for one call; NaN is missing.
type RubricScores struct {
	Intent       float64 // 1..5
	Completeness float64 // 1..5
	Prerequisite float64 // 0..1
	Overall      float64 // 0..1
}

// RubricFindings compares the overall score with its components.
type RubricFindings struct {
	Violations []string // sorted
	Gap        *float64 // overall - mean of the components scaled to 0..1
	WideGap    bool     // |Gap| > 0.5
}

// CheckRubrics flags an overall verdict that its components contradict: overall
// passes while a component fails its band (3..5, 3..5, 1), or overall fails
// while all components are perfect (5, 5, 1).
func CheckRubrics(s RubricScores) RubricFindings {
	type component struct {
		name             string
		value, low, high float64
		scaled           float64
	}
	parts := []component{
		{"intent", s.Intent, 3, 5, (s.Intent - 1) / 4},
		{"completeness", s.Completeness, 3, 5, (s.Completeness - 1) / 4},
		{"prerequisite", s.Prerequisite, 1, 1, s.Prerequisite},
	}
	passed := s.Overall >= 0.7 && s.Overall <= 1
	failed := !passed && !math.IsNaN(s.Overall)
	var out RubricFindings
	sum, n, perfect := 0.0, 0.0, true
	for _, c := range parts {
		perfect = perfect && c.value == c.high
		if math.IsNaN(c.value) {
			continue
		}
		sum, n = sum+c.scaled, n+1
		if passed && !(c.low <= c.value && c.value <= c.high) {
			out.Violations = append(out.Violations, "overall_pass_but_"+c.name+"_fail")
		}
	}
	if failed && perfect {
		out.Violations = append(out.Violations, "overall_fail_but_components_perfect")
	}
	slices.Sort(out.Violations)
	if n > 0 && !math.IsNaN(s.Overall) {
		gap := s.Overall - sum/n
		out.Gap, out.WideGap = &gap, math.Abs(gap) > 0.5
	}
	return out
}
