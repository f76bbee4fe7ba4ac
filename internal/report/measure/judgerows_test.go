package measure_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// judged gives one call in a conversation of its own for each value; NaN is an answer without a score, infinity none.
func judged(judge, rubric string, values ...float64) (out []score.Score) {
	for i, v := range values {
		s := scoreOf(score.Judge, rubric, fmt.Sprintf("c%03d", i), 0, 'p')
		s.Judge, s.Value, s.Passed = judge, &v, new(v >= 0.5)
		switch {
		case math.IsInf(v, 0):
			continue
		case math.IsNaN(v):
			s.Status, s.Value, s.Passed = score.Unscored, nil, nil
		}
		out = append(out, s)
	}
	return out
}

// inputsBy joins the scores of judges into a run that names these judges.
func inputsBy(judges []report.Judge, rubrics []report.Rubric, lists ...[]score.Score) report.Inputs {
	in := gateInputs(lists...)
	in.Manifest.Judges, in.Manifest.Rubrics = judges, rubrics
	return in
}

// TestJudgesBesideEachOther: two judges are compared by one rubric about the same kind of item, and what each of them
// lacks is counted.
func TestJudgesBesideEachOther(t *testing.T) {
	none, lost := math.Inf(1), math.NaN()
	whole := judged("b", "tone", 1, 1)
	for i := range whole {
		whole[i].CallIndex, whole[i].Tool = nil, ""
	}
	part := judged("c", "tone", 1)
	part[0].Metric = "style"
	r := buildReport(t, inputsBy(nil, nil,
		judged("a", "overall", 1, 1, 0, 1, lost, none, 1), judged("b", "overall", 1, 0, 0, lost, 1, 1, none),
		judged("c", "overall", none, none, none, none, none, none, none, 1), judged("d", "overall", 1),
		judged("a", "tone", 1, 1), whole, part), measure.Config{})
	var got []string
	for _, row := range r.JudgeVsJudge {
		got = append(got, fmt.Sprintf("%s %s %s-%s: %d, missing %d %d, only %d %d, %v", row.Rubric, row.Level, row.A,
			row.B, row.N, row.MissingA, row.MissingB, row.OnlyAPasses, row.OnlyBPasses, codesOf(row.Warnings)))
	}
	want := []string{
		"overall call a-b: 3, missing 2 2, only 1 0, [few_conversations]",
		"overall call a-c: 0, missing 1 5, only 0 0, []",
		"overall call a-d: 1, missing 0 4, only 0 0, [few_conversations]",
		"overall call b-c: 0, missing 1 5, only 0 0, []",
		"overall call b-d: 1, missing 0 4, only 0 0, [few_conversations]",
		"overall call c-d: 0, missing 1 1, only 0 0, []",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for n, want := range map[int]int{report.FewConversations - 1: 1, report.FewConversations: 0} {
		ones := make([]float64, n)
		row := buildReport(t, inputsBy(nil, nil, judged("a", "overall", ones...), judged("b", "overall", ones...)),
			measure.Config{}).JudgeVsJudge[0]
		if len(row.Warnings) != want {
			t.Errorf("%d conversations: %v", n, row.Warnings)
		}
	}
}

// TestScalesOfWholeNumbers: weighted kappa and the ordinal alpha are over the declared whole numbers, of which there
// are three to 101; a score that is none of them has neither.
func TestScalesOfWholeNumbers(t *testing.T) {
	many := func(n int) (out []float64) {
		for i := range n {
			out = append(out, float64(i)/float64(n))
		}
		return out
	}
	whole := func(low, high float64) *report.Rubric { return &report.Rubric{Min: low, Max: high, Integer: true} }
	for name, tt := range map[string]struct {
		scale *report.Rubric
		a, b  []float64
		want  string
	}{
		"three":            {whole(1, 3), []float64{1, 2, 3}, []float64{1, 2, 3}, "1.0000, ordinal 1.0000"},
		"two":              {whole(0, 1), []float64{0, 1}, []float64{0, 1}, "not_applicable, ordinal 1.0000"},
		"101":              {whole(0, 100), []float64{0, 100}, []float64{0, 100}, "1.0000, ordinal 1.0000"},
		"102":              {whole(0, 101), []float64{0, 100}, []float64{0, 100}, "not_applicable, interval 1.0000"},
		"up to 101":        {whole(5, 101), []float64{5, 101}, []float64{5, 101}, "1.0000, ordinal 1.0000"},
		"the first is off": {whole(1, 3), []float64{1, 2.5}, []float64{1, 2}, "off_scale,  off_scale"},
		"the other is off": {whole(1, 3), []float64{1, 2}, []float64{1, 2.5}, "off_scale,  off_scale"},
		"not whole":        {&report.Rubric{Max: 3}, []float64{1, 2}, []float64{1, 2}, "not_applicable, interval 1.0000"},
		"unknown":          {nil, []float64{1, 2, 3}, []float64{1, 2, 3}, "not_applicable, interval 1.0000"},
		"no range":         {whole(1, 1), []float64{1, 2}, []float64{1, 2}, "not_applicable, interval 1.0000"},
		"1000 values":      {nil, many(1000), many(1000), "not_applicable, interval 1.0000"},
		"1001 values":      {nil, many(1001), many(1001), "not_applicable,  off_scale"},
	} {
		var rubrics []report.Rubric
		if tt.scale != nil {
			tt.scale.Name = "overall"
			rubrics = []report.Rubric{*tt.scale}
		}
		r := buildReport(t, inputsBy(nil, rubrics, judged("a", "overall", tt.a...), judged("b", "overall", tt.b...)),
			measure.Config{})
		row := r.Consensus[0]
		got := fmt.Sprintf("%s, %s %s", numberOr(r.JudgeVsJudge[0].WeightedKappa), row.Scale, numberOr(row.Values))
		if got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestPanelsAmongJudges: all judges are compared with each other, without panels; the members of a panel too, unless
// they are all.
func TestPanelsAmongJudges(t *testing.T) {
	jury := report.Judge{Name: "jury", Members: []string{"a", "b"}}
	solo := report.Judge{Name: "solo", Members: []string{"a"}}
	for name, tt := range map[string]struct {
		names []string
		want  []string
	}{
		"a panel of some":  {[]string{"a", "b", "c", "jury"}, []string{" [a b c]", "jury [a b]"}},
		"a panel of all":   {[]string{"a", "b", "jury"}, []string{" [a b]"}},
		"one member alone": {[]string{"a", "c", "jury"}, []string{" [a c]"}},
		"one judge":        {[]string{"a", "jury"}, nil},
		"a panel of one":   {[]string{"a", "b", "solo"}, []string{" [a b]"}},
	} {
		var lists [][]score.Score
		for _, judge := range tt.names {
			lists = append(lists, judged(judge, "overall", 1, 0, 1))
		}
		conversation := judged("d", "overall", 1)
		conversation[0].CallIndex, conversation[0].Tool = nil, ""
		var got []string
		for _, row := range buildReport(t, inputsBy([]report.Judge{jury, solo}, nil, append(lists, conversation)...),
			measure.Config{}).Consensus {
			got = append(got, fmt.Sprintf("%s %v", row.Panel, row.Judges))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestJudgesAskedAgain: what a repetition changes, and how rubrics pull each other if they are asked together: only
// rubrics that the same judge was asked both ways, about the same items, and whose answers have an order.
func TestJudgesAskedAgain(t *testing.T) {
	judges := []report.Judge{{Name: "j"}, {Name: "j2", RetestOf: "j", Together: true}, {Name: "k", Together: true},
		{Name: "k2", RetestOf: "k"}}
	words := report.Rubric{Name: "words", Max: 9, Categories: []string{"x", "y"}}
	rubrics := []report.Rubric{{Name: "one", Max: 9}, {Name: "two", Max: 9}, words, {Name: "new", Max: 9}}
	up, crossed := []float64{1, 2, 3, 4}, []float64{2, 1, 4, 3} // they correlate by 0.6
	r := buildReport(t, inputsBy(judges, rubrics,
		judged("j", "one", up...), judged("j", "two", crossed...), judged("j2", "one", up...), judged("j2", "two", up...),
		judged("k", "one", up...), judged("k", "two", up...), judged("k2", "one", up...), judged("k2", "two", crossed...),
		judged("j", "words", up...), judged("j2", "words", up...), judged("j2", "new", up...)), measure.Config{})
	var got []string
	for _, h := range r.Halo {
		got = append(got, fmt.Sprintf("%s %s %s-%s %d: alone %s, together %s", h.Judge, h.Level, h.A, h.B, h.N,
			numberOr(h.Alone), numberOr(h.Together)))
	}
	want := []string{"j call one-two 4: alone 0.6000, together 1.0000", "k call one-two 4: alone 0.6000, together 1.0000"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// 1 0 and 0 0: the variance within items is 0.5 and 0, so the deviation 0.5, and twice that by the root of two.
	in := inputsBy(judges[:2], nil, judged("j", "one", 1, 0), judged("j2", "one", 0, 0))
	row := buildReport(t, in, measure.Config{}).Noise[0]
	numbers := fmt.Sprintf("%d %s %s %s %s", row.N, numberOr(row.Repeated), numberOr(row.Flips),
		numberOr(row.WithinSD), numberOr(row.Floor))
	if numbers != "2 0.5000 0.5000 0.5000 0.7071" || !row.Together {
		t.Errorf("%s, together %v", numbers, row.Together)
	}
}

// TestRankingsOfJudges: judges are ranked by an overall rubric against gold, by their calls or, if gold is about
// conversations, by the worst call of each; one that saw the answer is left out, and one judge alone has no rank.
func TestRankingsOfJudges(t *testing.T) {
	gold := func(call int) (out []score.Score) {
		for i := range 4 {
			out = append(out, scoreOf(score.Label, "human", fmt.Sprintf("c%03d", i), call, "pfpf"[i]))
		}
		return out
	}
	second := func(list []score.Score) []score.Score { // a second call, which fails in the first conversation
		for i := range list {
			list[i].CallIndex = new(1)
		}
		return list
	}
	good, bad := judged("a", "overall", 1, 0, 1, 0), judged("b", "overall", 1, 1, 1, 0)
	part, whole := append(judged("c", "overall", 1, 0, 1, 0), judged("e", "overall", 1, 0, 1, 0)...), judged("d", "overall", 1, 0, 1, 0)
	for i := range part {
		part[i].Metric = "part"
	}
	var schema []score.Score
	for i := range whole {
		whole[i].CallIndex, whole[i].Tool = nil, ""
		schema = append(schema, scoreOf(score.Deterministic, "schema_check", whole[i].ConversationID, 0, "pfpf"[i]))
	}
	rubrics := []report.Rubric{{Name: "overall", Max: 1, Low: new(0.5)}, {Name: "tone", Max: 1, Low: new(0.5)}}
	for _, tt := range []struct {
		name   string
		judges []report.Judge
		lists  [][]score.Score
		want   []string
	}{
		{"calls", nil, [][]score.Score{good, bad, gold(0)}, []string{"overall call false: a 1.0000, b 0.5000"}},
		{"conversations", nil, [][]score.Score{good, bad, second(judged("a", "overall", 0, 1, 1, 1)), gold(-1)},
			[]string{"overall conversation true: a 0.5000, b 0.5000"}},
		{"one judge", nil, [][]score.Score{good, gold(0)}, nil},
		{"no overall rubric", nil, [][]score.Score{judged("a", "tone", 1, 0), judged("b", "tone", 1, 0), gold(0)}, nil},
		{"another rubric too", nil, [][]score.Score{good, bad, judged("a", "tone", 1, 0), judged("b", "tone", 1, 0), gold(0)},
			[]string{"overall call false: a 1.0000, b 0.5000"}},
		{"one saw the answer", []report.Judge{{Name: "c", CircularWith: []string{"human"}}},
			[][]score.Score{good, bad, judged("c", "overall", 1, 0, 1, 0), gold(0)},
			[]string{"overall call false: a 1.0000, b 0.5000"}},
		{"one applies the rules", []report.Judge{{Name: "c", SharesRules: []string{"human"}}},
			[][]score.Score{good, bad, judged("c", "overall", 1, 0, 1, 0), gold(0)},
			[]string{"overall call false: a 1.0000, b 0.5000"}},
		{"no gold", nil, [][]score.Score{good, bad}, nil},
		{"parts and other items", nil, [][]score.Score{good, bad, part, whole, gold(0)},
			[]string{"overall call false: a 1.0000, b 0.5000"}},
		{"a scorer that decides in one direction", nil, [][]score.Score{good, bad, schema}, nil},
	} {
		var got []string
		for _, ranking := range buildReport(t, inputsBy(tt.judges, rubrics, tt.lists...), measure.Config{}).Rankings {
			line := fmt.Sprintf("%s %s %v:", ranking.Rubric, ranking.Level, ranking.Reduced)
			for i, j := range ranking.Judges {
				line += map[bool]string{true: " ", false: ", "}[i == 0] + j.Judge + " " + numberOr(j.Youden)
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestVerdictsThatChanged: broken verdicts come before fixed ones, with the place in the later run; only that has
// places.
func TestVerdictsThatChanged(t *testing.T) {
	run := func(place string, values ...float64) report.Inputs {
		list := judged("j", "overall", values...)
		for i := range list {
			list[i].Place = place
		}
		return inputsBy(nil, nil, list)
	}
	for place, want := range map[string][]string{
		"new:2": {"c001 broken 1 0 new:2", "c000 fixed 0 1 new:2"}, "": {"c001 broken 1 0 ", "c000 fixed 0 1 "},
	} {
		var got []string
		for _, f := range gateCompare(t, run("old:1", 0, 1, 1), run(place, 1, 0, 1)).Verdicts.Items {
			got = append(got, fmt.Sprintf("%s %s %g %g %s", f.ConversationID,
				map[bool]string{true: "broken", false: "fixed"}[f.Broken], f.A, f.B, f.Place))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// TestRatesThatLabelsCorrect: the log's labels that are a random sample correct the rates of overall rubrics about
// calls and conversations, nothing else.
func TestRatesThatLabelsCorrect(t *testing.T) {
	label := func(name string) (out []score.Score) {
		for i := range 4 {
			out = append(out, scoreOf(score.Label, name, fmt.Sprintf("c%03d", i), 0, "pfpf"[i]))
		}
		return out
	}
	result, part := judged("j", "overall result", 1, 0, 1, 1), judged("j", "overall", 1, 0, 1, 1)
	for i := range result {
		result[i].Scope, part[i].Metric = "result", "part"
	}
	topic := judged("j", "overall topic", 1, 2, 1, 2)
	for i := range topic {
		topic[i].Passed, topic[i].Category = nil, "x"
	}
	rubrics := []report.Rubric{{Name: "overall", Max: 1}, {Name: "tone", Max: 1}, {Name: "overall result", Max: 1},
		{Name: "overall topic", Max: 2, Categories: []string{"x", "y"}}}
	in := inputsBy(nil, rubrics, judged("j", "overall", 1, 0, 1, 1), judged("j", "tone", 1, 0, 1, 1), result, part, topic,
		label("human"), label("other"))
	in.Manifest.RandomLabels = []string{"human", strings.Repeat("a", 70)}
	r := buildReport(t, in, measure.Config{})
	var got []string
	for _, c := range r.Corrected {
		got = append(got, fmt.Sprintf("%s %s %s", c.Judge, c.Rubric, c.Label))
	}
	if diff := cmp.Diff([]string{"j overall human"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var said []string
	for _, w := range r.Warnings {
		if w.Code == "no_label" {
			said = append(said, w.Text)
		}
	}
	want := []string{"labels in judge.yaml names " + strings.Repeat("a", 59) +
		"… as a random sample, and no conversation has it"}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestRubricsThatPullEachOther: rubrics of the same items whose answers have an order, also categories of which some
// pass; the interval is clustered by conversation.
func TestRubricsThatPullEachOther(t *testing.T) {
	judges := []report.Judge{{Name: "j"}, {Name: "j2", RetestOf: "j", Together: true}}
	rubrics := []report.Rubric{{Name: "words", Max: 9, Categories: []string{"x", "y"}},
		{Name: "kind", Max: 9, Categories: []string{"x", "y"}, Pass: []string{"x"}}, {Name: "last", Max: 9}}
	var lists [][]score.Score
	ask := func(rubric string, change func(s *score.Score), first, again []float64) {
		for k, values := range [][]float64{first, again} {
			list := judged(judges[k].Name, rubric, values...)
			for i := range list {
				list[i].ConversationID, list[i].CallIndex = fmt.Sprint("c", i/2), new(i%2)
				change(&list[i])
			}
			lists = append(lists, list)
		}
	}
	same := func(*score.Score) {}
	up, crossed := []float64{1, 2, 3, 4, 5, 6, 7, 8}, []float64{2, 1, 4, 3, 8, 7, 5, 6}
	ask("words", same, up, up)
	ask("kind", same, up, up)
	ask("last", same, crossed, up)
	ask("part", func(s *score.Score) { s.Name, s.Metric = "last", "part" }, up, up)
	ask("goal", func(s *score.Score) { s.CallIndex = nil }, up, up)
	var got []string
	for _, h := range buildReport(t, inputsBy(judges, rubrics, lists...), measure.Config{}).Halo {
		got = append(got, fmt.Sprintf("%s-%s %d: alone %s, together %s, more %s [%.4f %.4f]", h.A, h.B, h.N,
			numberOr(h.Alone), numberOr(h.Together), numberOr(h.More), *h.More.Low, *h.More.High))
	}
	if diff := cmp.Diff([]string{"kind-last 8: alone 0.7381, together 1.0000, more 0.2619 [-1.6283 2.1521]"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
