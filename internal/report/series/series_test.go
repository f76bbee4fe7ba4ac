package series_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/series"
	"github.com/judgekit/judge/internal/score"
)

// arranged is a run of these scores.
func arranged(t *testing.T, scores []score.Score) *series.Run {
	t.Helper()
	m := report.Manifest{}
	table := series.New(series.NewItems())
	if err := table.Read(reporttest.Each(scores)(), &m, nil); err != nil {
		t.Fatal(err)
	}
	series.Settle(table)
	run := &series.Run{Manifest: &m, Table: table}
	run.Arrange()
	return run
}

// said are the items of a walk with the verdict that each of the two gives.
func said(table *series.Table, p series.Pairing) []string {
	var out []string
	table.Items.Walk(p.Level, []*series.Series{p.Judge, p.Ref}, func(item series.Item, said []series.Observation) {
		line := fmt.Sprintf("%s/%d", table.Items.Conversation(item.Conversation), item.Call)
		for _, o := range said {
			word := " -"
			switch {
			case o.Verdict() == 1:
				word = " pass"
			case o.Verdict() == 0:
				word = " fail"
			case o.Has(series.Met):
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
			p := series.Pairing{Items: run.Table.Items, Level: ref.Level, Judge: of, Ref: ref}
			if diff := cmp.Diff(want[ref.Name], said(run.Table, p)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", ref.Name, diff)
			}
		}
		slices.Reverse(scores)
	}
}

func TestPairsOfTwoInstruments(t *testing.T) {
	run := arranged(t, reporttest.RunOf("ppfun", "pfpfe"))
	p := series.Pairing{Items: run.Table.Items, Level: report.CallLevel, Judge: run.Main(series.IsJudge)[0], Ref: run.Main(series.IsReference)[0]}
	met, scored := 0, 0
	for _, pair := range p.Pairs() {
		met++
		if !pair.Scored() {
			continue
		}
		scored++
		if j, r := pair.Decided(); j != pair.Judge.Value || r != pair.Ref.Value {
			t.Errorf("verdicts %v and %v of the values %v and %v", j, r, pair.Judge.Value, pair.Ref.Value)
		}
	}
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

// Whatever the order in which scores come, the table reads out the same, by
// conversation and call, with the least of several values for one item.
func TestOrderDoesNotMatter(t *testing.T) {
	type entry struct {
		name, conversation string
		call               int
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var scores []score.Score
		want := map[entry]float64{}
		for range random.IntN(400) {
			e := entry{fmt.Sprint("s", random.IntN(4)), fmt.Sprint("c", random.IntN(30)), random.IntN(10) - 1}
			value := float64(random.IntN(5))
			if old, ok := want[e]; !ok || value < old {
				want[e] = value
			}
			s := reporttest.ScoreOf(score.Deterministic, e.name, e.conversation, e.call, 'p')
			s.Value = &value
			scores = append(scores, s)
		}
		for range 2 {
			items, got := arranged(t, scores), map[entry]float64{}
			for _, sr := range items.Series {
				last := entry{call: -2}
				for _, o := range items.Table.Items.Said(sr) {
					e := entry{sr.Name, items.Table.Items.Conversation(o.Item.Conversation), int(o.Item.Call)}
					if got[e] = o.Value; e.conversation < last.conversation || e.conversation == last.conversation && e.call <= last.call {
						t.Errorf("%v stands behind %v", e, last)
					}
					if last = e; o != sr.At(o.Item) {
						t.Errorf("%v: %+v in order, %+v by its item", e, o, sr.At(o.Item))
					}
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
			random.Shuffle(len(scores), func(i, k int) { scores[i], scores[k] = scores[k], scores[i] })
		}
	}
}
