package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/run/instrument"
)

// TestUsesReference names every scorer, so that a new one is thought about.
func TestUsesReference(t *testing.T) {
	var alone []string
	for _, name := range deterministic.Names() {
		if !usesReference(name) {
			alone = append(alone, name)
		}
	}
	if diff := cmp.Diff([]string{"parameter_validation", "tool_calls", "schema_check", "rubric_verdict", "error_recovery"}, alone); diff != "" {
		t.Error(diff)
	}
	if usesReference("tool-calls") {
		t.Error("the other spelling counts as another scorer")
	}
}

func TestBaselineSharesRules(t *testing.T) {
	for _, baseline := range []bool{false, true} {
		p := plan(t, "", fileLog(supportLog))
		p.Judges = []instrument.Judge{{Baseline: baseline}}
		scorers, err := deterministic.ForLog(nil)
		if err != nil {
			t.Fatal(err)
		}
		e := &execution{plan: &p, scorers: scorers}
		m := e.manifest(nil)
		if got := len(m.Judges[0].SharesRules) > 0; got != baseline || m.Judges[0].SawReference {
			t.Errorf("baseline %v: %+v", baseline, m.Judges[0])
		}
		uses := map[string]bool{}
		for _, s := range m.Scorers {
			uses[s.Name] = s.UsesReference
		}
		if !uses["expected_call_match"] || uses["schema_check"] {
			t.Errorf("scorers: %v", uses)
		}
	}
}
