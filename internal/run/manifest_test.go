package run

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// TestNewManifest: run.json says what is run, on which bytes of which logs, and by which program.
func TestNewManifest(t *testing.T) {
	p := plan(t, "http://one/v1")
	p.Rubrics = nil
	p.Logs = []input.Log{{Name: "a.jsonl", Bytes: new(int64(7))}, {Name: "b.jsonl"}, {Name: "c.jsonl", Bytes: new(int64(9))}}
	p.Origin = Origin{Config: value.Pairs("k", 1), Directory: "d", Version: "v1", Commit: "abc", Go: "go1.26"}
	p.Shard, p.Series, p.RandomLabels = input.Shard{Index: 1, Of: 3}, "s", []string{"human"}
	p.Report.Gold = "human"
	s, err := p.resolve()
	if err != nil {
		t.Fatal(err)
	}
	s.hashes = []string{"x", "y"}
	m := newManifest(s, &s.Team)
	id, parts := s.identify(&s.Team)
	want := &directory.Manifest{
		Schema: "judge.run/v1", Status: "running", Started: m.Started, Commit: "abc", Go: "go1.26", Parts: parts,
		Config: p.Config, Directory: "d", CoverageFloor: 0.95, Shard: "1/3", Series: "s", Profiles: s.Team.Profiles(),
		Logs: []directory.LogBytes{{Path: "a.jsonl", SHA: "x", Bytes: 7}},
		Manifest: report.Manifest{RunID: id, Version: "v1", Gold: "human", RandomLabels: []string{"human"},
			Rubrics: s.Scales(), Judges: s.Instruments(), Scorers: m.Scorers},
	}
	if diff := cmp.Diff(want, m, cmp.Comparer(value.Equal)); diff != "" {
		t.Error(diff)
	}
	if m.Started.Location() != time.UTC || !m.Started.Equal(m.Started.Truncate(time.Second)) {
		t.Errorf("started at %v", m.Started)
	}
	if len(id) != 16 || len(parts) != 6 || len(parts["inputs"]) != 16 || len(m.Judges) != 1 {
		t.Errorf("%s, %v, %+v", id, parts, m.Judges)
	}
	s.CoverageFloor = new(0.5)
	if m := newManifest(s, &s.Team); m.CoverageFloor != 0.5 {
		t.Errorf("a floor of %v", m.CoverageFloor)
	}
}

// TestReportedScorers: a report knows the type, the name in tables and the threshold of each scorer, and the execution
// check from the environment once.
func TestReportedScorers(t *testing.T) {
	s := &Spec{thresholds: []report.Threshold{{Name: "shape", Low: 0.5, High: new(0.75)}, {Name: "other", Low: 0.25}}}
	s.DisplayNames = map[string]string{"shape": "The shape", "execution_check": "The state"}
	facts := func(name string) score.Facts {
		row, err := deterministic.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return row.Facts
	}
	var err error
	s.scorers, err = deterministic.ForLog([]deterministic.Config{{Type: "schema_check", Key: "shape"},
		{Type: "execution_check", Key: "execution_check"}, {Type: "error_recovery", Key: "error_recovery"}})
	if err != nil {
		t.Fatal(err)
	}
	shape := report.Scorer{Name: "shape", Type: "schema_check", DisplayName: "The shape", Facts: facts("schema_check"),
		Low: new(0.5), High: new(0.75)}
	recovery := report.Scorer{Name: "error_recovery", Type: "error_recovery", Facts: facts("error_recovery")}
	state := report.Scorer{Name: "execution_check", Type: "execution_check", Facts: facts("execution_check")}
	named := state
	named.DisplayName = "The state"
	if diff := cmp.Diff([]report.Scorer{shape, named, recovery}, reportedScorers(s)); diff != "" {
		t.Error(diff)
	}
	s.Execution = &Execution{}
	if diff := cmp.Diff([]report.Scorer{shape, recovery, state}, reportedScorers(s)); diff != "" {
		t.Error(diff)
	}
}

// TestIdentity: each part of a task changes one part of the identity of its run, and with it the whole; the paths of logs
// and the form of the report change none.
func TestIdentity(t *testing.T) {
	of := func(edit func(*Task)) (string, map[string]string) {
		p := plan(t, "http://one/v1", input.Log{Name: "a.jsonl"})
		p.Scorers = []deterministic.Config{{Type: "schema_check", Key: "schema_check"}}
		p.Panels = nil
		if edit != nil {
			edit(&p.Task)
		}
		return p.identify([]string{"h"})
	}
	id, parts := of(nil)
	for name, tt := range map[string]struct {
		edit func(*Task)
		part string
	}{
		"path":           {func(p *Task) { p.Logs[0].Name = "b.jsonl" }, ""},
		"title":          {func(p *Task) { p.DisplayNames = map[string]string{"schema_check": "x"} }, ""},
		"series":         {func(p *Task) { p.Series = "s" }, "inputs"},
		"rubric":         {func(p *Task) { p.Rubrics = p.Rubrics[1:] }, "rubrics"},
		"threshold":      {func(p *Task) { p.Report.Thresholds = []report.Threshold{{Name: "schema_check", Low: 0.5}} }, "rubrics"},
		"model":          {func(p *Task) { p.Judges[0].Config.Model = "m" }, "judges"},
		"always":         {func(p *Task) { p.Judges[0].AskAlways = true }, "judges"},
		"scorer":         {func(p *Task) { p.Scorers[0].Type = "error_recovery" }, "scorers"},
		"name":           {func(p *Task) { p.Scorers[0].Key = "shape" }, "scorers"},
		"purpose":        {func(p *Task) { p.Scorers[0].Purpose = "qa" }, "scorers"},
		"no scorer":      {func(p *Task) { p.Scorers = nil }, "scorers"},
		"environment":    {func(p *Task) { p.Execution = &Execution{identity: value.OfString("x")} }, "scorers"},
		"limit":          {func(p *Task) { p.Limit = 3 }, "selection"},
		"sample":         {func(p *Task) { p.Sample = 3 }, "selection"},
		"seed":           {func(p *Task) { p.Seed = 3 }, "selection"},
		"format":         {func(p *Task) { p.Read.Format = "openai" }, "selection"},
		"calls in texts": {func(p *Task) { p.Read.TextCalls = true }, "selection"},
		"tools":          {func(p *Task) { p.Read.Tools = []transcript.Tool{{Raw: value.OfString("t")}} }, "selection"},
	} {
		other, changed := of(tt.edit)
		for _, part := range directory.Parts() {
			if same := parts[part] == changed[part]; same == (part == tt.part) {
				t.Errorf("%s: the part %s changed: %v", name, part, !same)
			}
		}
		if (other == id) != (tt.part == "") {
			t.Errorf("%s: the identity is %s, and was %s", name, other, id)
		}
	}
}
