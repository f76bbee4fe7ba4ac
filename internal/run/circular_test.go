package run

import (
	"testing"

	"github.com/judgekit/judge/internal/run/instrument"
)

func TestBaselineSharesRules(t *testing.T) {
	for _, baseline := range []bool{false, true} {
		p := plan(t, "", fileLog(supportLog))
		p.Judges = []instrument.Judge{{Baseline: baseline}}
		s, err := p.resolve()
		if err != nil {
			t.Fatal(err)
		}
		m := newManifest(s, &s.Team)
		if got := len(m.Judges[0].SharesRules) > 0; got != baseline {
			t.Errorf("baseline %v: %+v", baseline, m.Judges[0])
		}
		uses := map[string]bool{}
		for _, s := range m.Scorers {
			uses[s.Name] = s.UsesReference()
		}
		if !uses["expected_call_match"] || uses["schema_check"] {
			t.Errorf("scorers: %v", uses)
		}
	}
}
