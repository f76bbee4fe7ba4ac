package report

import (
	"github.com/judgekit/judge/internal/score"
)

// ToolParameters says, of one tool, how its calls meet the expected ones, parameter
// by parameter: which tool goes wrong, and where.
type ToolParameters struct {
	Tool string `json:"tool"`
	// Expected counts the expected calls, Made those that some call of this tool was
	// paired with, Unexpected the calls without an expected one.
	Expected   int         `json:"expected"`
	Made       int         `json:"made"`
	Unexpected int         `json:"unexpected"`
	Parameters []Parameter `json:"parameters"`
}

// Parameter is one parameter of a tool.
type Parameter struct {
	Parameter string `json:"parameter"`
	// N counts the calls made in which the parameter was expected, Present those that
	// have it, Equal those that have it with the expected value, Invented the calls
	// that have it though it was not expected.
	N        int `json:"n"`
	Present  int `json:"present"`
	Equal    int `json:"equal"`
	Invented int `json:"invented"`
	// PresenceRate is Present/N and ValueRate Equal/N, null where N is 0.
	PresenceRate *float64 `json:"presence_rate"`
	ValueRate    *float64 `json:"value_rate"`
}

// SetRates computes the rates from the counts.
func (p *Parameter) SetRates() {
	p.PresenceRate, p.ValueRate = nil, nil
	if p.N > 0 {
		p.PresenceRate, p.ValueRate = Rounded(float64(p.Present)/float64(p.N)), Rounded(float64(p.Equal)/float64(p.N))
	}
}

// Faultless reports whether the parameter was always there with the expected value
// and never invented.
func (p *Parameter) Faultless() bool { return p.Equal == p.N && p.Invented == 0 }

// Bounds is the range that the values of a row lie in, false where it is not known: the
// scale of a rubric, and 0 to 1 for scorers and for labels that are verdicts.
func (r *Report) Bounds(s *ScoreRow) (low, high float64, ok bool) {
	if s.N == 0 || s.Min == nil || s.Max == nil {
		return 0, 0, false
	}
	for _, rubric := range r.Run.Rubrics {
		if s.Source == string(score.Judge) && s.Metric == "" && rubric.Name == s.Name && rubric.Min < rubric.Max {
			low, high, ok = rubric.Min, rubric.Max, true
		}
	}
	switch {
	case s.Source == string(score.Deterministic):
		low, high, ok = 0, 1, true
	case s.Source == string(score.Label):
		low, high, ok = 0, 1, s.PassRate.Defined() && *s.PassRate.Value == *s.Mean.Value
	}
	return low, high, ok && low <= *s.Min && *s.Max <= high
}
