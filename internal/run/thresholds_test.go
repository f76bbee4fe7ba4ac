package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/rubrics"
)

func thresholdPlan(t *testing.T, base string, texts ...string) setup {
	t.Helper()
	p := plan(t, base, fileLog(supportLog))
	for _, text := range texts {
		th, err := report.ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Report.Thresholds = append(p.Report.Thresholds, th)
	}
	for i := range p.Judges {
		p.Judges[i].Kind, p.Judges[i].Config.Model, p.Judges[i].Baseline = llm.KindBaseline, baseline.Model, true
	}
	return p
}

// TestThresholdsBelongToTheRun: what a run was told to decide by stands in its
// scores, its manifest and its identity, so that nothing that reads the run later
// decides otherwise.
func TestThresholdsBelongToTheRun(t *testing.T) {
	const base = baseline.Model
	plain, err := executeSetup(t.Context(), thresholdPlan(t, base), t.TempDir(), false, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// The own band of the overall rubric starts at 0.7.
	strict := thresholdPlan(t, base, "overall_call_correctness=0.5", "overall_call_correctness=0.95", "schema_check=0..0.5")
	out, err := executeSetup(t.Context(), strict, dir, false, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	judged, wrong, between, passing := 0, 0, 0, 0
	for s, err := range directory.Scores(dir) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case s.Name == rubrics.Overall && s.Source == score.Judge:
			judged++
			if s.Value == nil || s.Passed == nil || *s.Passed != (*s.Value >= 0.95) || s.Label == "pass" != *s.Passed {
				wrong++
			}
			if s.Value != nil && *s.Value >= 0.7 && *s.Value < 0.95 {
				between++
			}
		case s.Name == "schema_check" && s.Passed != nil && *s.Passed != (*s.Value == 0):
			passing++
		}
	}
	if between == 0 || wrong != 0 || passing != 0 {
		t.Errorf("of %d judgements, %d between the bands, %d have another verdict; %d schema checks have another verdict than their band", judged, between, wrong, passing)
	}
	if r := bandIn(out.Manifest.Rubrics, rubrics.Overall); *r.Low != 0.95 || *r.High != 1 {
		t.Errorf("run.json has the band %v..%v", *r.Low, *r.High)
	}
	if out.Manifest.RunID == plain.Manifest.RunID {
		t.Error("a run by another threshold has the same identity")
	}
	if strict.Rubrics[3].Output.Low == 0.95 {
		t.Error("the caller's rubric was changed")
	}

	again, _, err := Report(dir, measure.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(encode(t, out.Report), encode(t, again)); diff != "" {
		t.Errorf("the report of the saved run differs from that of the run:\n%s", diff)
	}

	resumed, err := executeSetup(t.Context(), strict, dir, true, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	if resumed.Manifest.Work.Sent != 0 || !bytes.Equal(encode(t, resumed.Report), encode(t, out.Report)) {
		t.Errorf("a resumed run sent %d requests, or says something else", resumed.Manifest.Work.Sent)
	}
	var another *directory.Error
	if _, err := executeSetup(t.Context(), thresholdPlan(t, base), dir, true, Observer{}); !errors.As(err, &another) || !strings.Contains(err.Error(), "rubrics changed") {
		t.Errorf("resumed without its thresholds: %v", err)
	}
}

func bandIn(list []report.Rubric, name string) report.Rubric {
	for _, r := range list {
		if r.Name == name {
			return r
		}
	}
	return report.Rubric{}
}

func encode(t *testing.T, r *report.Report) []byte {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestThresholdsThatDecideNothing(t *testing.T) {
	for _, text := range []string{"overall_call_correctness=4", "overall_call_correctness=0.5..3", "function_intent_alignment=0.5",
		"schema_check=-1", "schema_check=1.5", "execution_check=0.5..2"} {
		var plan *TaskError
		_, err := executeSetup(t.Context(), thresholdPlan(t, "http://127.0.0.1:1/v1", text), filepath.Join(t.TempDir(), "r"), false, Observer{})
		if !errors.As(err, &plan) || !strings.Contains(err.Error(), "the scale of the ") {
			t.Errorf("%s: %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"schema_chek=0.5": "threshold schema_chek=0.5: no rubric and no scorer of this run has that name; did you mean " +
			"schema_check?",
		"overall_call_correctnes=0.5": "threshold overall_call_correctnes=0.5: no rubric and no scorer of this run has that " +
			"name; did you mean overall_call_correctness?",
		"schema_check=2": "threshold schema_check=2: the scale of the scorer is 0..1; " +
			"a band beyond it decides nothing",
		"overall_call_correctness=2": "threshold overall_call_correctness=2: the scale of the rubric is 0..1; " +
			"a band beyond it decides nothing",
		"words=1": "threshold words=1: the answers of rubric words are categories; " +
			"its pass says which of them pass",
	} {
		p, got := thresholdPlan(t, "", text), ""
		words := *p.Rubrics[0]
		words.Name, words.Output.Categories = "words", []string{"a", "b"}
		p.Rubrics = append(p.Rubrics, &words)
		if _, err := p.resolve(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	open := thresholdPlan(t, "", "overall_call_correctness=0.1", "overall_call_correctness=0.2..0.6", "schema_check=0.5")
	undecided := *open.Rubrics[3]
	undecided.Output.NoPass = true
	open.Rubrics[3] = &undecided
	s, err := open.resolve()
	if err != nil {
		t.Fatal(err)
	}
	if o := s.Rubrics[3].Output; o.NoPass || o.Low != 0.2 || o.High != 0.6 || len(s.thresholds) != 2 ||
		s.Report.Thresholds != nil {
		t.Errorf("%+v, %v, %v", o, s.thresholds, s.Report.Thresholds)
	}
	scores := []score.Score{{Name: "schema_check", Source: score.Deterministic, Value: new(0.5)}}
	if s.redecide(scores); scores[0].Passed == nil || !*scores[0].Passed {
		t.Errorf("%+v", scores[0])
	}
	var notes []string
	p := thresholdPlan(t, "http://127.0.0.1:1/v1", "overal=0.5")
	s, err = p.resolve()
	if err == nil {
		s.note(&Observer{Note: func(line string) { notes = append(notes, line) }})
	}
	if err != nil || len(notes) != 1 ||
		notes[0] != "threshold overal=0.5: no rubric and no scorer of this run has that name" {
		t.Errorf("a misspelled name: %v, %v", notes, err)
	}
}
