package series_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/report/series"
	"github.com/judgekit/judge/internal/score"
)

// arranged is a run of these scores.
func arranged(t *testing.T, scores []score.Score) *series.Run {
	t.Helper()
	m := report.Manifest{}
	table, err := series.Read(series.New(scoreset.New()), reporttest.Each(scores)(), &m, nil)
	if err != nil {
		t.Fatal(err)
	}
	table.Set.Settle()
	run := &series.Run{Manifest: &m, Table: table}
	run.Arrange()
	return run
}

// said are the items of a walk with the verdict that each of the two gives.
func said(table *series.Table, p series.Pairing) []string {
	var out []string
	table.Walk(p.Level, []*series.Series{p.Judge, p.Ref}, func(item scoreset.Item, said []series.Observation) {
		line := fmt.Sprintf("%s/%d", table.Set.Conversation(item.Conversation), item.Call)
		for _, o := range said {
			word := " -"
			switch {
			case o.Verdict() == 1:
				word = " pass"
			case o.Verdict() == 0:
				word = " fail"
			case o.Has(scoreset.Met):
				word = " none"
			}
			line += word
		}
		out = append(out, line)
	})
	return out
}

func TestWalkIsInOrderAndReducedByConversation(t *testing.T) {
	scores := []score.Score{
		reporttest.ScoreOf(score.Deterministic, "state", "b", -1, 'p'),
		reporttest.ScoreOf(score.Judge, "overall", "b", 1, 'f'),
		reporttest.ScoreOf(score.Judge, "overall", "b", 0, 'p'),
		reporttest.ScoreOf(score.Judge, "overall", "a", 0, 'p'),
		reporttest.ScoreOf(score.Judge, "overall", "a", 1, 'u'),
		reporttest.ScoreOf(score.Deterministic, "exact", "a", 0, 'f'),
		reporttest.ScoreOf(score.Deterministic, "exact", "c", 0, 'p'),
	}
	want := map[string][]string{
		"exact": {"a/0 pass fail", "a/1 none -", "b/0 pass -", "b/1 fail -", "c/0 - pass"},
		// One call without a score leaves the conversation to the others.
		"state": {"a/-1 pass -", "b/-1 fail pass"},
	}
	for range 2 {
		run := arranged(t, scores)
		judge := run.Main(series.IsJudge)[0]
		for _, ref := range run.Main(series.IsReference) {
			of := judge
			if ref.Level == report.ConversationLevel {
				of = run.Reduced(judge, report.ReduceMin)
			}
			p := series.Pairing{Table: run.Table, Level: ref.Level, Judge: of, Ref: ref}
			if diff := cmp.Diff(want[ref.Name], said(run.Table, p)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", ref.Name, diff)
			}
		}
		slices.Reverse(scores)
	}
}

func TestBothVisitsWhatBothScored(t *testing.T) {
	run := arranged(t, reporttest.RunOf("ppfun", "pfpfe"))
	p := series.Pairing{Table: run.Table, Level: report.CallLevel, Judge: run.Main(series.IsJudge)[0], Ref: run.Main(series.IsReference)[0]}
	met, scored := 0, 0
	p.Each(func(_, _ series.Observation) { met++ })
	p.Both(func(judge, ref series.Observation) {
		scored++
		if j, r := series.Decided(judge, ref); j != judge.Value || r != ref.Value {
			t.Errorf("verdicts %v and %v of the values %v and %v", j, r, judge.Value, ref.Value)
		}
	})
	if met != 5 || scored != 3 {
		t.Errorf("%d items met and %d scored by both, want 5 and 3", met, scored)
	}
}

func TestDuplicatesAndBadLinesAreCounted(t *testing.T) {
	scores := reporttest.RunOf("pp", "pp")
	scores = append(scores, scores[0], score.Score{Name: "no source"})
	if c := arranged(t, scores).Table.Counts; c.Scores != 5 || c.Duplicates != 1 || c.BadLines != 1 {
		t.Errorf("counted %d scores, %d duplicates and %d bad lines, want 5, 1 and 1", c.Scores, c.Duplicates, c.BadLines)
	}
}
