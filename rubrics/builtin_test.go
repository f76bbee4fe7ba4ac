package rubrics

import (
	"bytes"
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
		Name       string
		Output     Output
		Confidence Band
		Keys       []string
		// Examples are pass, fail, and which side of the cut the borderline one is on.
		Examples []bool
	}
	var got []shape
	for _, r := range builtins(t) {
		s := shape{Name: r.Name, Output: r.Output, Confidence: r.Confidence, Keys: r.PropertyOrder()}
		s.Output.Description = ""
		for _, e := range r.Examples {
			f, _ := e.Answer.Field(KeyOutput).Float64()
			s.Examples = append(s.Examples, r.Output.PassBand().Contains(f))
		}
		// The last example is the lowest pass or the highest fail; on a binary scale it is
		// graded with less than 0.85 confidence.
		last := r.Examples[len(r.Examples)-1].Answer
		f, _ := last.Field(KeyOutput).Float64()
		conf, _ := last.Field(KeyConfidence).Float64()
		step := (r.Output.Max - r.Output.Min) / 4
		if near := f >= r.Output.Low-step && f < r.Output.Low+step; r.Output.Binary() && conf >= 0.85 || !r.Output.Binary() && !near {
			t.Errorf("%s: the last example is not borderline: %g with confidence %g", r.Name, f, conf)
		}
		got = append(got, s)
	}
	order := []string{"explanation", "evidence", "output", "confidence", "correction"}
	five := Output{Integer: true, Min: 1, Max: 5, Low: 3, High: 5}
	sure := Band{0.7, 1}
	want := []shape{
		{Intent, five, sure, order, []bool{true, false, true}},
		{Completeness, five, sure, order, []bool{true, false, true}},
		{Prerequisite, Output{Integer: true, Min: 0, Max: 1, Low: 1, High: 1}, sure, order, []bool{true, false, false}},
		{Overall, Output{Min: 0, Max: 1, Low: 0.7, High: 1}, sure, order, []bool{true, false, false}},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// No built-in example passes a call that leaves out a required parameter.
func TestBuiltinPassesNoIncompleteCall(t *testing.T) {
	for _, r := range builtins(t) {
		for i, e := range r.Examples {
			f, _ := e.Answer.Field(KeyOutput).Float64()
			for _, tool := range e.Tools {
				if !r.Output.PassBand().Contains(f) || tool.Field("name").Text() != e.CallName() {
					continue
				}
				for _, name := range tool.Field("parameters").Field("required").Elements() {
					if !e.CallParameters().Has(name.Text()) {
						t.Errorf("%s: example %d passes a call without %s", r.Name, i, name.Text())
					}
				}
			}
		}
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

func TestNamed(t *testing.T) {
	list, err := Named()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Scope{}
	for _, r := range list {
		got[r.Name] = r.Scope
		for _, f := range Lint(r) {
			t.Errorf("%s:%d: %s: %s: %s", r.File, f.Line, f.Severity, f.Field, f.Message)
		}
		if again := loadOne(t, "mine.yaml", NamedFile(r.Name)); again.SHA != r.SHA {
			t.Errorf("%s: a copy of its file is another rubric", r.Name)
		}
		if r.Output.NoPass || len(r.Examples) < 2 {
			t.Errorf("%s: %d examples, %+v", r.Name, len(r.Examples), r.Output)
		}
	}
	want := map[string]Scope{"goal_reached": "conversation", "final_answer_grounded": "turn", "policy_followed": "conversation",
		"result_used": "result", "wasted_steps": "conversation", "parameters_each": "call"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if NamedFile("nobody") != "" {
		t.Error("a file of nobody's")
	}
}

// TestOneText: a text holds one rubric; what comes with the program says which file it is from.
func TestOneText(t *testing.T) {
	const one = "- name: a\n  question: q?\n  answer: yes/no\n"
	if r, err := Parse(one); err != nil || r.Name != "a" || r.File != "rubric" {
		t.Errorf("%+v, %v", r, err)
	}
	for text, want := range map[string]string{
		one + strings.Replace(one, ": a", ": b", 1): "rubric: the text has 2 rubrics, not one; Load reads several",
		"":  "rubric: the text has 0 rubrics, not one; Load reads several",
		"7": "rubric:1:1: expected a rubric (keys with values), found 7",
	} {
		if r, err := Parse(text); r != nil || err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	if file := builtins(t)[0].File; file != "builtin.jsonl" {
		t.Errorf("a built-in rubric is from %s", file)
	}
	if !bytes.HasPrefix(Schema(), []byte("{")) {
		t.Errorf("the schema is %.20q", Schema())
	}
	if d := cmp.Diff([]Scope{"call", "result", "turn", "conversation"}, Scopes()); d != "" {
		t.Error(d)
	}
}
