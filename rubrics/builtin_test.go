package rubrics

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func builtins(t testing.TB) []*Rubric {
	t.Helper()
	list, err := Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestBuiltinShape(t *testing.T) {
	type shape struct {
		Name           string
		Output         Output
		Confidence     Band
		Keys           []string
		Passes, Fails  int
		NearLow, Below bool
	}
	var got []shape
	for _, r := range builtins(t) {
		s := shape{Name: r.Name, Output: r.Output, Confidence: r.Confidence, Keys: r.PropertyOrder()}
		s.Output.Description = ""
		for _, e := range r.Examples {
			f, _ := e.Answer.Field(KeyOutput).Float64()
			if r.Output.PassBand().Contains(f) {
				s.Passes++
			} else {
				s.Fails++
			}
			// A borderline example is the lowest pass or the highest fail; on a binary
			// scale a grade given with less than 0.85 confidence.
			conf, _ := e.Answer.Field(KeyConfidence).Float64()
			near := conf < 0.85
			switch {
			case r.Output.Binary():
				s.NearLow = s.NearLow || near && f == 1
				s.Below = s.Below || near && f == 0
			default:
				step := (r.Output.Max - r.Output.Min) / 4
				s.NearLow = s.NearLow || f >= r.Output.Low && f < r.Output.Low+step/2
				s.Below = s.Below || f < r.Output.Low && f >= r.Output.Low-step
			}
		}
		got = append(got, s)
	}
	order := []string{"explanation", "evidence", "output", "confidence", "correction"}
	five := Output{Integer: true, Min: 1, Max: 5, Low: 3, High: 5}
	sure := Band{0.7, 1}
	want := []shape{
		{Intent, five, sure, order, 2, 3, true, true},
		{Completeness, five, sure, order, 2, 2, true, true},
		{Prerequisite, Output{Integer: true, Min: 0, Max: 1, Low: 1, High: 1}, sure, order, 2, 2, true, true},
		{Overall, Output{Min: 0, Max: 1, Low: 0.7, High: 1}, sure, order, 2, 3, true, true},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestBuiltinPassesLinter(t *testing.T) {
	for _, r := range builtins(t) {
		for _, f := range Lint(r) {
			t.Errorf("%s: line %d: %s: %s: %s", r.Name, f.Line, f.Severity, f.Field, f.Message)
		}
	}
}

func TestBuiltinTellsNoThreshold(t *testing.T) {
	for _, r := range builtins(t) {
		for _, s := range []string{r.SentSchema().JSON(), r.SentSchemaText().JSON(), r.Description} {
			if strings.Contains(s, "threshold") {
				t.Errorf("%s: a threshold is sent: %s", r.Name, s)
			}
		}
	}
}
