package measure_test

import (
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// labelled builds the report of 60 conversations of one call, in the random order of seed 0, of which
// the judges pass three of four. People labelled those of ranks: every second one fails.
func labelled(t *testing.T, judges string, ranks ...int) *report.Report {
	t.Helper()
	var ids []string
	for i := range 60 {
		ids = append(ids, fmt.Sprintf("c%02d", i))
	}
	ids = measure.LabelOrder(func(yield func(string) bool) {
		for _, id := range ids {
			if !yield(id) {
				return
			}
		}
	}, 0)
	var scores []score.Score
	for i, id := range ids {
		for k := range judges {
			s := scoreOf(score.Judge, "overall", id, 0, map[bool]byte{true: 'f', false: 'p'}[i%4 == 0])
			s.Judge = string(judges[k])
			scores = append(scores, s, scoreOf(score.Judge, "aspect", id, 0, 'p'))
		}
		scores = append(scores, scoreOf(score.Label, "human", id, -1, 'p'))
	}
	var rows []measure.LabelRow
	for _, rank := range ranks {
		rows = append(rows, measure.LabelRow{ConversationID: ids[rank-1], Sample: measure.RandomSample, Rank: rank,
			Whole: labels.VerdictAnswer(rank%2 == 0)})
	}
	given := measure.NewLabels(rows, &report.Manifest{Judges: []report.Judge{{Name: "j"}}})
	in := inputsOf(scores)
	plain := in.Scores
	in.Scores = func() iter.Seq2[score.Score, error] { return given.Into(plain()) }
	return buildReport(t, in, measure.Config{Labels: given})
}

// first returns the ranks 1 to n.
func first(n int) (out []int) {
	for i := range n {
		out = append(out, i+1)
	}
	return out
}

// TestLabelsLead: labels that people gave are the first thing that is used: alone, with the judge
// once there are enough, and without an interval if they are a choice.
func TestLabelsLead(t *testing.T) {
	for name, c := range map[string]struct {
		judges string
		ranks  []int
		want   []string
	}{
		"none": {"j", nil, []string{
			"How often is the agent right? 75 % of 60 calls, says j on overall (63–84 %; the judge's own mistakes are not in this range)",
			"How often is the agent right? 100 % of 60 conversations, by the label human (94–100 %)",
			"Can you trust this judge? Not known yet. Label 30 calls (about 15 minutes): judge view RUN"}},
		"too few to lead": {"j", first(6), []string{
			"How often is the agent right? 75 % of 60 calls, says j on overall (63–84 %; the judge's own mistakes are not in this range)",
			"How often is the agent right? 100 % of 60 conversations, by the label human (94–100 %)",
			"Can you trust this judge? Not known yet. You labelled 6 calls so far, and a judge is measured on 10 or more, if you " +
				"fail some and pass some. Label 30 calls (about 15 minutes): judge view RUN"}},
		"too few to correct": {"j", first(18), []string{
			"How often is the agent right? 50 % of calls, by your 18 labels (29–71 %; the judge said 75 %; " +
				"about 2 more labels until its verdicts correct this rate)",
			"How often is the agent right? 100 % of 60 conversations, by the label human (94–100 %)",
			"Can you trust this judge? Of 9 calls you failed it finds 5 (27–81 %). Of 9 you passed it passes 9 (70–100 %)."}},
		"enough": {"j", first(30), []string{
			"How often is the agent right? 51 % of calls, from your 30 labels and j on overall (36–66 %; the judge alone said 75 %; " +
				"±15 points now, 190 to 520 more labels for ±5)",
			"How often is the agent right? 100 % of 60 conversations, by the label human (94–100 %)",
			"Can you trust this judge? Of 15 calls you failed it finds 8 (30–75 %). Of 15 you passed it passes 15 (80–100 %)."}},
		"a choice": {"j", []int{1, 2, 3, 4, 5, 6, 17, 18, 29, 30, 31, 32}, []string{
			"How often is the agent right? 50 % of 12 calls, by your 12 labels (no range: these calls are a choice and no random sample; " +
				"the judge said 75 %)",
			"How often is the agent right? 100 % of 60 conversations, by the label human (94–100 %)",
			"Can you trust this judge? Of 6 calls you failed it finds 4. Of 6 you passed it passes 6."}},
	} {
		r := labelled(t, c.judges, c.ranks...)
		var got []string
		for _, s := range r.Summary {
			if strings.HasPrefix(s, "How often is the agent right? ") || strings.HasPrefix(s, "Can you trust this judge? ") {
				got = append(got, s)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		wrong := 0
		for _, d := range r.Disagreements.Items {
			if d.Level == report.CallLevel && d.By() != report.PeopleLabel {
				wrong++
			}
		}
		if wrong > 0 || len(c.ranks) > 0 && r.Disagreements.Calls == 0 {
			t.Errorf("%s: %d disagreements of calls, %d of them not with the labels", name, r.Disagreements.Calls, wrong)
		}
		for _, a := range r.Agreement {
			if report.IsPeople(a.Reference) && a.Rubric == "aspect" && a.Unprinted == "" {
				t.Errorf("%s: a label of the call as a whole measures the rubric aspect", name)
			}
		}
	}
}

// TestLabelsWithTwoJudges: both are corrected, and the rates of the labels come first.
func TestLabelsWithTwoJudges(t *testing.T) {
	var got []string
	for _, h := range labelled(t, "jk", first(30)...).Headline.Rates {
		got = append(got, fmt.Sprintf("%s %s%s %d", h.Kind, h.Judge, h.Name, h.Labels))
	}
	want := []string{"corrected joverall 30", "corrected koverall 30", "label your labels 30", "label human 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestLabelsStandForTheirConversations: two calls of each conversation have a label. Where long conversations
// fail, the rate by the labels is not the share of labels that pass, with a judge and without one.
func TestLabelsStandForTheirConversations(t *testing.T) {
	for name, source := range map[string]score.Source{"with a judge": score.Judge, "scorers alone": score.Deterministic} {
		m := &report.Manifest{}
		if source == score.Judge {
			m.Judges = []report.Judge{{Name: "j"}}
		}
		var scores []score.Score
		var rows []measure.LabelRow
		for i := range 20 {
			id, calls := fmt.Sprintf("c%02d", i), 1+9*(i%2)
			for call := range calls {
				s := scoreOf(source, "overall", id, call, 'p')
				if source == score.Judge {
					s.Judge = "j"
				}
				scores = append(scores, s)
				if call < 2 {
					rows = append(rows, measure.LabelRow{ConversationID: id, CallIndex: call, Sample: measure.RandomSample,
						Rank: i + 1, PerConversation: 2, Whole: labels.VerdictAnswer(calls == 1)})
				}
			}
		}
		given := measure.NewLabels(rows, m)
		in := inputsOf(scores)
		plain := in.Scores
		in.Scores = func() iter.Seq2[score.Score, error] { return given.Into(plain()) }
		r := buildReport(t, in, measure.Config{Labels: given})
		for _, s := range r.Scores {
			if got := s.PassRate.Value; report.IsPeople(s.Instrument) && (got == nil || *got != 0.090909) {
				t.Errorf("%s: 10 of 110 calls pass, and the labels say %v", name, s.PassRate)
			}
		}
		for _, tool := range r.ByTool {
			for _, s := range tool.Scores {
				if got := s.PassRate.Value; report.IsPeople(s.Instrument) && (got == nil || *got != 0.090909) {
					t.Errorf("%s, %s: the labels say %v", name, tool.Tool, s.PassRate)
				}
			}
		}
	}
}

// TestLabelsOfAChoice: labels of conversations that were picked speak of the labelled calls alone, without a range,
// on the first screen, in the tables and by tool.
func TestLabelsOfAChoice(t *testing.T) {
	var scores []score.Score
	var rows []measure.LabelRow
	for i := range 40 {
		id, calls := fmt.Sprintf("c%02d", i), 1+9*(i%2)
		for call := range calls {
			s := scoreOf(score.Judge, "overall", id, call, 'p')
			s.Judge = "j"
			scores = append(scores, s)
			if call < 2 && (i < 10 || i > 30) {
				rows = append(rows, measure.LabelRow{ConversationID: id, CallIndex: call, Sample: measure.RandomSample,
					Rank: i + 1, PerConversation: 2, Whole: labels.VerdictAnswer(calls == 1)})
			}
		}
	}
	given := measure.NewLabels(rows, &report.Manifest{Judges: []report.Judge{{Name: "j"}}})
	in := inputsOf(scores)
	plain := in.Scores
	in.Scores = func() iter.Seq2[score.Score, error] { return given.Into(plain()) }
	r := buildReport(t, in, measure.Config{Labels: given})
	share := 9. / 29 // 9 conversations of one call pass, 10 of ten calls have two labels that fail
	check := func(what string, e report.Estimate) {
		if e.Value == nil || e.HasInterval() || e.Reason != "no_sample" {
			t.Errorf("%s: %+v", what, e)
		}
	}
	for _, s := range r.Scores {
		if report.IsPeople(s.Instrument) {
			check("rate", s.PassRate)
			if check("mean", s.Mean); !(math.Abs(*s.PassRate.Value-share) <= 1e-6) {
				t.Errorf("9 of 29 labels pass, the table says %v", *s.PassRate.Value)
			}
		}
	}
	for _, tool := range r.ByTool {
		for _, s := range tool.Scores {
			if report.IsPeople(s.Instrument) {
				check("by tool", s.PassRate)
			}
		}
	}
	if c := r.Corrected[0]; c.NoSample == "" || !(math.Abs(*c.LabelsOnly.Value-share) <= 1e-6) {
		t.Errorf("%q: %+v", c.NoSample, c.LabelsOnly)
	}
	if first := r.Headline.Rates[0]; first.Rate.HasInterval() || !(math.Abs(*first.Rate.Value-share) <= 1e-6) {
		t.Errorf("the first screen says %+v", first.Rate)
	}
}

// TestRecallOfAChoice: beside labels that are a selection, judge calibrate counts each labelled call once, too.
func TestRecallOfAChoice(t *testing.T) {
	var scores []score.Score
	var rows []measure.LabelRow
	for i := range 40 {
		id, calls, said := fmt.Sprintf("c%02d", i), 1+9*(i%2), byte('p')
		if calls == 1 {
			said = 'f' // the judge finds the faults of short conversations only
		}
		for call := range calls {
			s := scoreOf(score.Judge, "overall", id, call, said)
			s.Judge = "j"
			scores = append(scores, s)
			if call < 2 && (i < 10 || i > 30) {
				rows = append(rows, measure.LabelRow{ConversationID: id, CallIndex: call,
					Sample: measure.RandomSample, Rank: i + 1, PerConversation: 2, Whole: labels.VerdictAnswer(false)})
			}
		}
	}
	row := one(t, inputsOf(scores), rows, measure.CalibrateConfig{})
	if row.NoSample == "" || !(math.Abs(*row.RecallWrong.Value-9./29) <= 1e-6) {
		t.Errorf("%q: the judge finds 9 of 29 labelled faults, not %v", row.NoSample, *row.RecallWrong.Value)
	}
}
