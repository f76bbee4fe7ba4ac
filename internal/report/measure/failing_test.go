package measure_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// TestFailing: what the judge fails is listed, first what other scores fail too, and tools
// are ordered by how much of them is known to fail.
func TestFailing(t *testing.T) {
	one := func(source score.Source, name, conv string, call int, tool, why string, what byte) score.Score {
		s := scoreOf(source, name, conv, call, what)
		s.Tool, s.Explanation = tool, why
		return s
	}
	f := buildReport(t, inputsOf([]score.Score{
		one(score.Judge, "overall", "a", 0, "get", "wrong order", 'f'),
		one(score.Deterministic, "match", "a", 0, "get", "", 'p'),
		one(score.Judge, "overall", "a", 1, "get", "", 'p'),
		one(score.Judge, "overall", "b", 0, "pay", "wrong amount", 'f'),
		one(score.Deterministic, "match", "b", 0, "pay", "got 5, expected 4", 'f'),
		one(score.Judge, "overall", "b", 1, "pay", "paid twice", 'f'),
		one(score.Judge, "overall", "b", 2, "pay", "", 'u'),
		one(score.Judge, "aspect", "a", 1, "get", "not the overall rubric", 'f'),
	}), measure.Config{}).Failing
	if f.By.Judge != "j" || f.By.Name != "overall" || f.N != 4 || f.Total != 3 {
		t.Fatalf("%+v", f)
	}
	var got []string
	for _, item := range f.Items {
		for _, s := range item.Sides {
			got = append(got, item.ConversationID+" "+item.Tool+" "+s.Name+": "+s.Explanation)
		}
	}
	want := []string{"b pay overall: wrong amount", "b pay match: got 5, expected 4", "a get overall: wrong order",
		"b pay overall: paid twice"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	tools := []report.FailingTool{{Tool: "pay", N: 2, Failing: 2}, {Tool: "get", N: 2, Failing: 1}}
	if diff := cmp.Diff(tools, f.Tools); diff != "" {
		t.Error(diff)
	}
}

// TestFailingWithoutJudge: the strongest reference decides then, of calls before
// conversations; of nothing there is nothing.
func TestFailingWithoutJudge(t *testing.T) {
	for _, c := range []struct {
		scores []score.Score
		by     string
	}{
		{[]score.Score{scoreOf(score.Label, "human", "a", -1, 'f'), scoreOf(score.Deterministic, "exact", "a", 0, 'f')}, "exact"},
		{[]score.Score{scoreOf(score.Label, "human", "a", -1, 'f')}, "human"},
		{nil, ""},
	} {
		f := buildReport(t, inputsOf(c.scores), measure.Config{}).Failing
		if f.By.Name != c.by || f.Total != len(f.Items) || f.Total != min(1, len(c.scores)) {
			t.Errorf("want what %q fails, got %+v", c.by, f)
		}
	}
}
