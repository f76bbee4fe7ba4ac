package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

func builtin(t *testing.T, name string) *rubrics.Rubric {
	t.Helper()
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no rubric %s", name)
	return nil
}

// The weights of a measured panel are its members' balanced accuracies: by rubric
// where all were measured, else those of the overall rubric.
func TestMeasuredWeights(t *testing.T) {
	overall, intent := builtin(t, rubrics.Overall), builtin(t, rubrics.Intent)
	fresh := func() *setup {
		return &setup{Task: Task{Team: instrument.Team{
			Rubrics: []*rubrics.Rubric{intent, overall},
			Judges:  []instrument.Judge{{Config: judges.Config{Model: "a"}}, {Config: judges.Config{Model: "b"}}},
			Panels:  []judges.Panel{{Name: "p", Members: []string{"a", "b"}, Rule: judges.Weighted}},
		}}}
	}
	measured := func(p *setup) *report.Calibration {
		m := report.Manifest{Judges: p.Instruments(), Rubrics: p.Scales()}
		row := func(judge, rubric string, w float64) report.CalibrationRow {
			return report.CalibrationRow{Judge: judge, Rubric: rubric, Instrument: report.InstrumentHash(m, judge, rubric), BalancedAccuracy: report.Estimate{Value: &w}}
		}
		return &report.Calibration{Rows: []report.CalibrationRow{row("a", overall.Name, 0.9), row("b", overall.Name, 0.6), row("a", intent.Name, 0.8)}}
	}
	take := func(p *setup, c *report.Calibration) error {
		p.Measured = []MeasuredPanel{{Panel: "p", File: "c.json", Calibration: c}}
		in := &Instruments{Team: p.Team.Clone()}
		err := in.takeWeights(&Spec{Task: p.Task})
		p.Team = in.Team
		return err
	}
	p := fresh()
	c, before := measured(p), p.Panels
	if err := take(p, c); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[string]float64{"a": 0.9, "b": 0.6}, p.Panels[0].Weights); d != "" {
		t.Error(d)
	}
	if len(p.Panels[0].RubricWeights) != 1 || before[0].Weights != nil {
		t.Errorf("by rubric %v, and the caller's panel has %v", p.Panels[0].RubricWeights, before[0].Weights)
	}
	other := fresh()
	c.Rows[0].BalancedAccuracy.Value = new(0.95)
	if err := take(other, c); err != nil {
		t.Fatal(err)
	}
	if strings.Join(p.Team.Identity(), "") == strings.Join(other.Team.Identity(), "") || p.Instruments()[2].Prompt == other.Instruments()[2].Prompt {
		t.Error("other weights make no other panel")
	}
	const missing = "panel p: weights from c.json: it has no balanced accuracy of %s on overall_call_correctness; label its calls and calibrate again, or take it out of the panel"
	for name, tc := range map[string]struct {
		edit func(p *setup, c *report.Calibration)
		want string
	}{
		"another instrument": {func(p *setup, _ *report.Calibration) { p.Judges[1].Config.Prompt.Marker = "^" },
			"panel p: weights from c.json: made with another instrument for overall_call_correctness by b (judge, model, prompt, rubric or thresholds differ): label again"},
		"a member is missing": {func(_ *setup, c *report.Calibration) { c.Rows = c.Rows[:1] }, strings.ReplaceAll(missing, "%s", "b")},
		"undefined":           {func(_ *setup, c *report.Calibration) { c.Rows[0].BalancedAccuracy.Value = nil }, strings.ReplaceAll(missing, "%s", "a")},
	} {
		p := fresh()
		c := measured(p)
		tc.edit(p, c)
		err := take(p, c)
		var bad *TaskError
		if !errors.As(err, &bad) || err.Error() != tc.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
