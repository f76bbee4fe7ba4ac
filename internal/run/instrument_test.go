package run

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/agreement/verdict"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/amendment"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// settings are those of a judge that make another instrument, each with an example.
func settings() map[string]func(*judges.Config) {
	return map[string]func(*judges.Config){
		"examples":      func(c *judges.Config) { c.Prompt.ExamplesInSystem = true },
		"record limit":  func(c *judges.Config) { c.Prompt.MaxRecordBytes = 3000 },
		"whole records": func(c *judges.Config) { c.Prompt.MaxRecordBytes = -1 },
		"datamarking":   func(c *judges.Config) { c.Prompt.Marker = "^" },
		"kept lines":    func(c *judges.Config) { c.Prompt.KeepLast = 3 },
		"method":        func(c *judges.Config) { c.Method = judges.TokenWeighted },
		"b0":            func(c *judges.Config) { c.Method = judges.B0 },
		"samples":       func(c *judges.Config) { c.Method = judges.SelfConsistency },
		"three samples": func(c *judges.Config) { c.Method, c.Samples = judges.SelfConsistency, 3 },
		"warmer":        func(c *judges.Config) { c.Method, c.Temperature = judges.SelfConsistency, new(0.9) },
		"temperature":   func(c *judges.Config) { c.Temperature = new(0.3) },
		"top_p":         func(c *judges.Config) { c.Extra = []llm.Field{{Name: "top_p", Value: json.RawMessage("0.9")}} },
		"bands":         func(c *judges.Config) { c.Modes = map[string]verdict.Mode{rubrics.Overall: verdict.Bands} },
		"coercion":      func(c *judges.Config) { c.CoerceNumbers = true },
	}
}

// Every setting that changes what is measured changes the instrument, of the judge and
// of a panel and a cascade with it; how it is transported and served does not.
func TestSettingsMakeTheInstrument(t *testing.T) {
	overall := builtin(t, rubrics.Overall)
	hashes := func(change func(*Judge)) [3]string {
		j := Judge{Config: judges.Config{Model: "m", Name: "a"}}
		change(&j)
		p := Plan{Rubrics: []*rubrics.Rubric{overall}, Judges: []Judge{j, {Config: judges.Config{Model: "b"}}},
			Panels: []judges.Panel{{Name: "p", Members: []string{"a", "b"}}}, Cascades: []amendment.Cascade{{Cascade: judges.Cascade{Name: "c", Tiers: []string{"b", "p"}}}}}
		m := report.Manifest{Judges: p.instruments(), Rubrics: p.scales()}
		return [3]string{report.InstrumentHash(m, "a", overall.Name), report.InstrumentHash(m, "p", overall.Name), report.InstrumentHash(m, "c", overall.Name)}
	}
	seen := map[string]string{}
	for _, h := range hashes(func(*Judge) {}) {
		seen[h] = "the plain judge"
	}
	for name, change := range settings() {
		for i, h := range hashes(func(j *Judge) { change(&j.Config) }) {
			if other, twice := seen[h]; twice {
				t.Errorf("%s: instrument %d is that of %s", name, i, other)
			}
			seen[h] = name
		}
	}
	plain := hashes(func(*Judge) {})
	for name, change := range map[string]func(*Judge){
		"transport": func(j *Judge) { j.Config.Transport, j.Config.CorrectionAsText, j.Config.Strict = llm.Tools, true, true },
		"server":    func(j *Judge) { j.Endpoint.BaseURL, j.Kind = "http://b/v1", llm.KindOllama },
		"defaults": func(j *Judge) {
			j.Config.Method, j.Config.Temperature, j.Config.Prompt.MaxRecordBytes = judges.Parsed, new(0.0), judges.DefaultMaxRecordBytes
		},
		"room": func(j *Judge) {
			j.Config.MaxTokens, j.Config.Reasoning, j.Config.Concurrency, j.Config.Seed = 99, true, 3, 5
		},
		"interval": func(j *Judge) { j.Config.Modes = map[string]verdict.Mode{rubrics.Overall: verdict.Interval} },
	} {
		if d := cmp.Diff(plain, hashes(change)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// A setting that is new must be thought about: does it make another instrument?
func TestEverySettingIsDecided(t *testing.T) {
	for _, of := range []struct {
		t       reflect.Type
		decided []string
	}{
		{reflect.TypeFor[judges.Config](), []string{
			"Model", "Name", "Rubrics", "Prompt", "Method", "Samples", "Temperature", "Modes", "CoerceNumbers", "Extra",
			"Transport", "CorrectionAsText", "Strict", "Seed", "MaxTokens", "Reasoning", "ReasoningTokens", "MaxRepairs", "Concurrency", "Log",
		}},
		{reflect.TypeFor[judges.Options](), []string{"RunKey", "Canary", "ExamplesInSystem", "Marker", "MaxRecordBytes", "KeepLast"}},
	} {
		for i := range of.t.NumField() {
			if name := of.t.Field(i).Name; !slices.Contains(of.decided, name) {
				t.Errorf("%s.%s: does it make another instrument? see Judge.prompt", of.t, name)
			}
		}
	}
}

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
	fresh := func() *Plan {
		return &Plan{
			Rubrics: []*rubrics.Rubric{intent, overall},
			Judges:  []Judge{{Config: judges.Config{Model: "a"}}, {Config: judges.Config{Model: "b"}}},
			Panels:  []judges.Panel{{Name: "p", Members: []string{"a", "b"}, Rule: judges.Weighted}},
		}
	}
	measured := func(p *Plan) *report.Calibration {
		m := report.Manifest{Judges: p.instruments(), Rubrics: p.scales()}
		row := func(judge, rubric string, w float64) report.CalibrationRow {
			return report.CalibrationRow{Judge: judge, Rubric: rubric, Instrument: report.InstrumentHash(m, judge, rubric), BalancedAccuracy: report.Estimate{Value: &w}}
		}
		return &report.Calibration{Rows: []report.CalibrationRow{row("a", overall.Name, 0.9), row("b", overall.Name, 0.6), row("a", intent.Name, 0.8)}}
	}
	take := func(p *Plan, c *report.Calibration) error {
		p.Measured = []MeasuredPanel{{Panel: "p", File: "c.json", Calibration: c}}
		return p.takeWeights()
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
	if strings.Join(p.jointIdentity(), "") == strings.Join(other.jointIdentity(), "") || p.panelPrompt(&p.Panels[0]) == other.panelPrompt(&other.Panels[0]) {
		t.Error("other weights make no other panel")
	}
	const missing = "panel p: weights from c.json: it has no balanced accuracy of %s on overall_call_correctness; label its calls and calibrate again, or take it out of the panel"
	for name, tc := range map[string]struct {
		edit func(p *Plan, c *report.Calibration)
		want string
	}{
		"another instrument": {func(p *Plan, _ *report.Calibration) { p.Judges[1].Config.Prompt.Marker = "^" },
			"panel p: weights from c.json: b was calibrated as another instrument for overall_call_correctness (model, prompt, rubric or thresholds differ): label again"},
		"a member is missing": {func(_ *Plan, c *report.Calibration) { c.Rows = c.Rows[:1] }, strings.ReplaceAll(missing, "%s", "b")},
		"undefined":           {func(_ *Plan, c *report.Calibration) { c.Rows[0].BalancedAccuracy.Value = nil }, strings.ReplaceAll(missing, "%s", "a")},
	} {
		p := fresh()
		c := measured(p)
		tc.edit(p, c)
		err := take(p, c)
		var bad *PlanError
		if !errors.As(err, &bad) || err.Error() != tc.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}
