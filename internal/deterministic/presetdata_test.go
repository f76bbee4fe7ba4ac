package deterministic

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/value"
)

// checkCase scores a case {config, actual, expected, want} and compares every field
// of want: numbers within 1e-6, {"error": kind}, and reason_contains.
func checkCase(t *testing.T, id string, construct func(value.Value) (Rule, error), c value.Value) {
	t.Helper()
	var res Result
	s, err := construct(c.Field("config"))
	if err == nil {
		res, err = s.Score(Input{Actual: c.Field("actual"), Expected: c.Field("expected"), Tools: c.Field("tools")})
	}
	want := c.Field("want")
	if err != nil {
		e, ok := err.(*Error)
		if !ok || e.Kind != want.Field("error").Text() {
			t.Errorf("%s: error %v, want %s", id, err, want.JSON())
		}
		return
	}
	got := res.object()
	for key, w := range want.Members() {
		if key == "reason_contains" {
			for _, part := range w.Elements() {
				if !strings.Contains(res.Reason, part.Text()) {
					t.Errorf("%s: reason %q does not hold %q", id, res.Reason, part.Text())
				}
			}
			continue
		}
		if g, ok := got.Get(key); !ok || !near(g, w) {
			t.Errorf("%s: %s = %s, want %s (%s)", id, key, g.JSON(), w.JSON(), res.Reason)
		}
	}
}

// TestAgentevalsData runs LangChain's own test cases. Eight of them compare with a
// function that the file cannot hold; there the mode ignore stands in for it on the
// tools whose arguments differ.
func TestAgentevalsData(t *testing.T) {
	equal, total := 0, 0
	for _, c := range realdata.Lines(t, realdata.Path(t, "data", "trajectory-match", "agentevals.jsonl")) {
		total++
		config := value.OfObject(
			value.Member{Key: "preset", Value: value.OfString("agentevals")},
			value.Member{Key: "edition", Value: value.OfString("python")},
			value.Member{Key: "trajectory_match_mode", Value: c.Field("trajectory_match_mode")},
			value.Member{Key: "tool_args_match_mode", Value: c.Field("tool_args_match_mode")},
			value.Member{Key: "tool_args_match_overrides", Value: c.Field("tool_args_match_overrides")})
		if custom, _ := c.Field("has_custom_matcher_function").BoolVal(); custom {
			ignore := value.OfString("ignore")
			config = config.With("tool_args_match_overrides", value.OfObject(
				value.Member{Key: "get_weather", Value: ignore}, value.Member{Key: "lookup_policy", Value: ignore}))
		}
		s, err := newTrajectory(config)
		if err != nil {
			t.Fatal(err)
		}
		res, err := s.Score(Input{Actual: c.Field("outputs"), Expected: c.Field("reference_outputs")})
		if err != nil {
			t.Errorf("%s: %v", c.Field("test").Text(), err)
			continue
		}
		if want, _ := c.Field("score").BoolVal(); *res.Passed != want {
			t.Errorf("%s: %v, want %v: %s", c.Field("test").Text(), *res.Passed, want, res.Reason)
			continue
		}
		equal++
	}
	t.Logf("%d of %d equal", equal, total)
	if total != 64 {
		t.Errorf("%d cases, want 64", total)
	}
}

// TestTau2Actions reproduces the action checks that τ²-bench recorded with its runs.
func TestTau2Actions(t *testing.T) {
	root := realdata.Path(t, "data", "tau2", "runs")
	files, err := filepath.Glob(filepath.Join(root, "*.json.gz"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no runs: %v", err)
	}
	s, err := newTrajectory(value.OfObject(value.Member{Key: "preset", Value: value.OfString("tau2_actions")}))
	if err != nil {
		t.Fatal(err)
	}
	equal, total, simulations := 0, 0, 0
	for _, file := range files {
		run, err := value.Parse(realdata.Read(t, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, sim := range run.Field("simulations").Elements() {
			checks := sim.Field("reward_info").Field("action_checks")
			if checks.Len() == 0 {
				continue
			}
			simulations++
			var made, actions []value.Value
			for _, m := range sim.Field("messages").Elements() {
				for _, c := range m.Field("tool_calls").Elements() {
					made = append(made, c)
				}
			}
			for _, c := range checks.Elements() {
				actions = append(actions, c.Field("action"))
			}
			res, err := s.Score(Input{Actual: value.OfList(made...), Expected: value.OfList(actions...)})
			if err != nil {
				t.Fatalf("%s %s: %v", file, sim.Field("id").Text(), err)
			}
			got := res.object().Field("action_matches")
			for i, c := range checks.Elements() {
				total++
				if value.Equal(got.At(i), c.Field("action_match")) {
					equal++
				} else {
					t.Errorf("%s %s action %s: %s, recorded %s", filepath.Base(file), sim.Field("id").Text(), c.Field("action").JSON(), got.At(i).JSON(), c.Field("action_match").JSON())
				}
			}
		}
	}
	t.Logf("%d of %d action checks equal, in %d simulations", equal, total, simulations)
	if total == 0 {
		t.Error("no action check was found")
	}
}
