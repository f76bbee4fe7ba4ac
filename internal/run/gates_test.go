package run

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// gatedSupport returns the plan of a run over the support log.
func gatedSupport(t *testing.T) setup {
	t.Helper()
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const log = "../../fixtures/logs/support.jsonl"
	return setup{Task: Task{Inputs: Inputs{Logs: []input.Log{fileLog(log)}}, Team: instrument.Team{Rubrics: list}}}
}

func TestCheckGates(t *testing.T) {
	half := new(float64)
	*half = 0.5
	base := filepath.Join(t.TempDir(), "base")
	p := gatedSupport(t)
	p.Scorers = []deterministic.Config{{Type: "schema-check"}}
	if _, err := executeSetup(t.Context(), p, base, false, Observer{}); err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(t.TempDir(), "damaged")
	if err := os.MkdirAll(damaged, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(damaged, directory.ManifestFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	judge := func(p *setup) {
		p.Judges = []instrument.Judge{{Config: judges.Config{Model: "m", Name: "m"}}, {Config: judges.Config{Model: "n", Name: "n"}}}
		p.Panels = []judges.Panel{{Name: "jury", Members: []string{"m", "n"}}}
	}
	scorers := func(list ...deterministic.Config) func(*setup) { return func(p *setup) { p.Scorers = list } }
	stdin := func(p *setup) {
		p.Logs = []input.Log{{Name: "-", Open: fileLog(supportLog).Open}}
	}
	tests := []struct {
		name string
		plan func(*setup)
		gate measure.Gate
		want string // "" for no complaint
	}{
		{"scorer", nil, measure.Gate{Score: "function_call_accuracy", MinPassRate: half}, ""},
		{"typo", nil, measure.Gate{Score: "function_call_accurracy", MinPassRate: half}, "did you mean function_call_accuracy?"},
		{"far off", scorers(deterministic.Config{Type: "schema_check"}), measure.Gate{Score: "zzz", MinPassRate: half}, "has the name; known are schema_check, human, overall_call_correctness"},
		{"label of the log", nil, measure.Gate{Score: "human", MinPassRate: half}, ""},
		{"typo of a label", nil, measure.Gate{Score: "humn", MinPassRate: half}, "did you mean human?"},
		{"label of standard input", stdin, measure.Gate{Score: "human", MinPassRate: half}, ""},
		{"typo, standard input", stdin, measure.Gate{Score: "schema_chek", MinPassRate: half}, "did you mean schema_check?"},
		{"scorer that does not run", scorers(deterministic.Config{Type: "schema_check"}), measure.Gate{Score: "function_call_accuracy", MinPassRate: half}, "no rubric, scorer or label of this run"},
		{"display name", scorers(deterministic.Config{Type: "schema_check", Key: "shape"}), measure.Gate{Score: "shape", MinPassRate: half}, ""},
		{"layer", scorers(deterministic.Config{Type: "three_layer", Key: "funnel"}), measure.Gate{Score: "funnel.ast_ok", MinPassRate: half}, ""},
		{"all layers", scorers(deterministic.Config{Type: "three-layer"}), measure.Gate{Score: "three_layer", MinPassRate: half}, "choose one: three_layer.schema_ok, three_layer.ast_ok, three_layer.exec_ok"},
		{"qa", scorers(deterministic.Config{Type: "schema_check", Purpose: "qa"}), measure.Gate{Score: "schema_check", MinPassRate: half}, "purpose qa"},
		{"rubric", judge, measure.Gate{Score: "overall_call_correctness", Judge: "m", MinPassRate: half}, ""},
		{"panel", judge, measure.Gate{Score: "overall_call_correctness", Judge: "jury", MinPassRate: half}, ""},
		{"unknown judge", judge, measure.Gate{Score: "overall_call_correctness", Judge: "jurry", MinPassRate: half}, "did you mean jury?"},
		{"judge of a scorer", judge, measure.Gate{Score: "schema_check", Judge: "m", MinPassRate: half}, "leave judge out"},
		{"rubric that no judge is asked for", nil, measure.Gate{Score: "overall_call_correctness", Judge: "m", MinPassRate: half}, ""},
		{"kappa", judge, measure.Gate{Score: "overall_call_correctness", MinKappa: half, Reference: "human"}, ""},
		{"kappa of a scorer", judge, measure.Gate{Score: "schema_check", MinKappa: half}, "it asks for the name of a rubric"},
		{"kappa against a scorer", judge, measure.Gate{Score: "overall_call_correctness", MinKappa: half, Reference: "schema_check"}, ""},
		{"kappa against whatever there is", judge, measure.Gate{Score: "overall_call_correctness", MinKappa: half}, ""},
		{"kappa against a rubric", judge, measure.Gate{Score: "overall_call_correctness", MinKappa: half, Reference: "function_intent_alignment"}, "no scorer or label of this run is called function_intent_alignment"},
		{"unknown reference", judge, measure.Gate{Score: "overall_call_correctness", MinKappa: half, Reference: "schema_chek"}, "called schema_chek, the reference of min_kappa; did you mean schema_check?"},
		{"by tool", nil, measure.Gate{Score: "function_call_accuracy", By: measure.ByTool, MinPassRate: half}, ""},
		{"by tool without calls", scorers(deterministic.Config{Type: "function_call_accuracy"}), measure.Gate{Score: "function_call_accuracy", By: measure.ByTool, MinPassRate: half}, "add a judge, or a scorer of calls"},
		{"baseline", nil, measure.Gate{Score: "schema_check", MaxDrop: half, Against: base}, ""},
		{"no baseline", nil, measure.Gate{Score: "schema_check", MaxDrop: half, Against: base + "-gone"}, "no run directory"},
		{"damaged baseline", nil, measure.Gate{Score: "schema_check", MaxDrop: half, Against: damaged}, directory.ManifestFile},
		{"baseline without the score", nil, measure.Gate{Score: "parameter_validation", MaxDrop: half, Against: base}, "has no such score"},
		{"its own baseline", nil, measure.Gate{Score: "schema_check", MaxDrop: half, Against: "here/../out"}, "cannot be its own baseline"},
	}
	for _, tt := range tests {
		p := gatedSupport(t)
		if tt.plan != nil {
			tt.plan(&p)
		}
		p.Gates = []measure.Gate{tt.gate}
		if len(p.Judges) == 0 {
			p.Idle = []string{"overall_call_correctness"}
		}
		_, err := Resolve(t.Context(), p.Task, "out")
		var planned *TaskError
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (!errors.As(err, &planned) || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// TestCallScorers holds the list of scorers of calls against what they say of a log.
func TestCallScorers(t *testing.T) {
	for _, name := range deterministic.Names() {
		p := gatedSupport(t)
		p.Scorers = []deterministic.Config{{Type: name}}
		switch name {
		case "function_call_coverage":
			p.Scorers[0].Config = value.OfObject(value.Member{Key: "function_calls", Value: value.OfList(value.OfString("find_customer"))})
		case "tool_calls":
			p.Scorers[0].Config = value.OfObject(value.Member{Key: "required", Value: value.OfList(value.OfString("find_customer"))})
		case "trajectory_match":
			p.Scorers[0].Config = value.OfObject(value.Member{Key: "preset", Value: value.OfString("agentevals")})
		case "rubric_verdict":
			continue // it has nothing to say of logs
		}
		dir := t.TempDir()
		if _, err := executeSetup(t.Context(), p, dir, false, Observer{}); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		calls, whole := 0, 0
		for s, err := range directory.Scores(dir) {
			switch {
			case err != nil:
				t.Fatal(err)
			case s.Source == score.Label:
			case s.CallIndex != nil:
				calls++
			default:
				whole++
			}
		}
		if calls+whole == 0 {
			t.Errorf("%s: no scores", name)
		}
		row, err := deterministic.Find(name)
		if got := calls > 0; err != nil || got != row.OfCalls {
			t.Errorf("%s speaks of %d calls and %d conversations", name, calls, whole)
		}
	}
}

// TestNamesOfGates: gates may name the rubrics, judges and scorers of a run, with the scales of their scores; labels are
// unknown before a log was read, and if only a part of it was.
func TestNamesOfGates(t *testing.T) {
	p := gatedSupport(t)
	p.Rubrics = p.Rubrics[:1]
	p.Judges = []instrument.Judge{{Config: judges.Config{Model: "m"}}}
	p.Scorers = []deterministic.Config{{Type: "schema_check", Key: "shape"}, {Type: "error_recovery", Key: "style", Purpose: "qa"}}
	p.Execution = &Execution{}
	s, err := p.resolve()
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.gateNames()
	want := &measure.PlannedScores{Calls: true, Rubrics: []string{"function_intent_alignment"}, Judges: []string{"m"},
		Scorers: []string{"shape", "execution_check"}, QA: []string{"style"},
		Categories: map[string][]string{"function_intent_alignment": nil},
		Scales:     map[string][2]float64{"function_intent_alignment": {1, 5}, "shape": {0, 1}, "execution_check": {0, 1}}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	s.Gates = []measure.Gate{{Score: "human", MinPassRate: new(0.5)}}
	for _, tt := range []struct {
		share  float64
		labels map[string]bool
		wrong  bool
	}{{1, nil, false}, {1, map[string]bool{}, true}, {1, map[string]bool{"human": true}, false}, {0.5, map[string]bool{}, false}} {
		s.share = tt.share
		if err := s.checkGates("", tt.labels); (err != nil) != tt.wrong {
			t.Errorf("%v of a log with the labels %v: %v", tt.share, tt.labels, err)
		}
	}
}
