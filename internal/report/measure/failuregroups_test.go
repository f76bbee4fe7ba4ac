package measure_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// TestFailureGroups: what the judge fails is in groups by the most exact reason that any score gives;
// the first call is that of the log, the example the one that most scores fail.
func TestFailureGroups(t *testing.T) {
	one := func(source score.Source, name, conv string, call int, tool, why string, what byte) score.Score {
		s := scoreOf(source, name, conv, call, what)
		s.Tool, s.Explanation, s.Place = tool, why, "log.jsonl:"+conv[1:]
		return s
	}
	var scores []score.Score
	for i := range 12 { // c11 is in the log before c2 by name, but not by line
		conv := fmt.Sprintf("c%d", i)
		scores = append(scores, one(score.Judge, "overall", conv, 0, "pay", "It is wrong.", 'f'))
		if i >= 3 {
			scores = append(scores, one(score.Deterministic, "match", conv, 0, "pay", fmt.Sprintf("Value mismatch for 'amount': got %d", i), 'f'))
		}
	}
	scores = append(scores, one(score.Judge, "overall", "c7", 1, "get", "The parameter `day` is wrong.", 'f'),
		one(score.Deterministic, "match", "c8", 1, "pay", "Value mismatch for 'amount': got 9", 'f'),
		one(score.Judge, "overall", "c8", 1, "pay", "It is right.", 'p'))
	r := buildReport(t, inputsOf(scores), measure.Config{})
	type group struct {
		Name, First, Example, Why string
		Count, Calls              int
	}
	var got []group
	for _, g := range r.FailureGroups {
		got = append(got, group{g.Name, g.First.ConversationID, g.Example.ConversationID, g.Example.Sides[0].Explanation, g.Count, len(g.Calls)})
	}
	want := []group{
		{"pay: Value mismatch for amount: got …", "c3", "c10", "It is wrong.", 9, 9},
		{"pay: fails overall", "c0", "c0", "It is wrong.", 3, 3},
		{"get: day: fails overall", "c7", "c7", "The parameter `day` is wrong.", 1, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if f := r.Failing; f.Groups != 3 || f.Total != 13 {
		t.Errorf("%d groups of %d calls", f.Groups, f.Total)
	}
	if g := r.FailureGroups[0]; r.GroupOf(g.ID) == nil || r.GroupOf("gx") != nil || g.Calls[8] != "c11:0" {
		t.Errorf("%+v", g)
	}
	if s := r.FailureGroups[1].Share; s != *report.Rounded(3.0 / 13) {
		t.Errorf("share %v", s)
	}
}
