package run

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/environment"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/state"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

func TestLabelsBecomeScores(t *testing.T) {
	c := &transcript.Conversation{
		ID: "c", Calls: []transcript.Call{{ID: "t", Name: "f"}},
		Labels: []transcript.Label{{Name: "human", CallIndex: -1, Value: 1}, {Name: "step", CallIndex: 0, Value: 0.5}, {Name: "kind", CallIndex: -1, Text: "ok"}},
	}
	got := labelScores(c, nil)
	if len(got) != 3 || *got[0].Value != 1 || !*got[0].Passed || got[0].CallIndex != nil {
		t.Errorf("%+v", got)
	}
	if *got[1].CallIndex != 0 || got[1].Tool != "f" || *got[1].Passed {
		t.Errorf("%+v", got[1])
	}
	if got[2].Value != nil || got[2].Status != score.NotApplicable || got[2].Label != "ok" {
		t.Errorf("a word became a number: %+v", got[2])
	}
	c.Labels = []transcript.Label{{Name: "recorded.intent", Value: 2}, {Name: "recorded.intent", Value: 3}, {Name: "recorded.output", Value: 1}}
	intent := &rubrics.Rubric{Name: "intent", Output: rubrics.Output{Integer: true, Min: 1, Max: 5, Low: 3, High: 5}}
	for i, s := range labelScores(c, []*rubrics.Rubric{intent}) {
		if i < 2 && (s.Passed == nil || *s.Passed != (i == 1)) || i == 2 && s.Passed != nil {
			t.Errorf("a recorded answer is not decided by its rubric's band: %+v", s)
		}
	}
	for i := range got {
		if err := got[i].Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestRecordedAnswersWithoutBand: a rubric of categories, or without a pass band, decides no recorded number; the details
// of a planted fault go with its label; a label of a call that is not there is one of the conversation.
func TestRecordedAnswersWithoutBand(t *testing.T) {
	c := &transcript.Conversation{ID: "c", Calls: []transcript.Call{{ID: "t", Name: "f"}},
		Extra: value.Pairs("planted", value.Pairs("operator", "drop")), Labels: []transcript.Label{
			{Name: "recorded.words", Value: 1}, {Name: "recorded.open", Value: 1}, {Name: "planted", Value: 1},
			{Name: "human", CallIndex: 1, Value: 1}}}
	words := &rubrics.Rubric{Name: "words", Output: rubrics.Output{Min: 0, Max: 1, Categories: []string{"a", "b"}}}
	open := &rubrics.Rubric{Name: "open", Output: rubrics.Output{Min: 0, Max: 1, NoPass: true}}
	got := labelScores(c, []*rubrics.Rubric{words, open})
	if got[0].Passed != nil || got[1].Passed != nil || got[3].CallIndex != nil {
		t.Errorf("%+v", got)
	}
	for i, want := range []string{"null", "null", `{"operator":"drop"}`, "null"} {
		if got := got[i].Details.JSON(); got != want {
			t.Errorf("label %d has the details %s, want %s", i, got, want)
		}
	}
}

// TestLabelsOfMetrics: a score is compared with the label of its call, else with the first one of its conversation, by
// name if one is asked for; scores that do not apply, and figures, are not compared.
func TestLabelsOfMetrics(t *testing.T) {
	c := &transcript.Conversation{Labels: []transcript.Label{{Name: "a", CallIndex: 1, Value: 0.25},
		{Name: "a", CallIndex: -1, Value: 0.5}, {Name: "b", CallIndex: -1, Value: 0.75}, {Name: "a", CallIndex: 0, Text: "x"},
		{Name: "b", CallIndex: 1, Value: 1}}}
	scores := []score.Score{{Name: "s", Value: new(0.1), CallIndex: new(0)}, {Name: "s", Value: new(0.2), CallIndex: new(1)},
		{Name: "s", Value: new(0.3), CallIndex: new(2)}, {Name: "s", Value: new(0.4)}, {Name: "other", Value: new(0.5)},
		{Name: "s", Value: new(0.6), Metric: "m"}, {Name: "s", Status: score.NotApplicable}}
	observed := func(v float64, label *float64, class string) metric.Observation {
		return metric.Observation{Value: new(v), Label: label, Class: class}
	}
	for name, want := range map[string][]metric.Observation{
		"": {observed(0.1, nil, "x"), observed(0.2, new(0.25), ""), observed(0.3, new(0.5), ""), observed(0.4, new(0.5), "")},
		"b": {observed(0.1, new(0.75), ""), observed(0.2, new(1.0), ""), observed(0.3, new(0.75), ""),
			observed(0.4, new(0.75), "")},
		"none": {observed(0.1, nil, ""), observed(0.2, nil, ""), observed(0.3, nil, ""), observed(0.4, nil, "")},
	} {
		s := &Spec{}
		s.Metrics = []MetricsOf{{Scorer: "s", Label: name, Metrics: []metric.Metric{{Type: "mean"}}}, {Scorer: "other"}}
		g := newGrader(s)
		g.tally(&graded{conversation: c, scores: scores})
		if diff := cmp.Diff(map[string][]metric.Observation{"s": want}, g.observed); diff != "" {
			t.Errorf("label %q (-want +got):\n%s", name, diff)
		}
		if f := g.figures(); len(f) != 1 || f[0].Scorer != "s" || f[0].N != 4 || *f[0].Value != 0.25 {
			t.Errorf("%+v", f)
		}
	}
}

// TestReasonOfAnExecution: everything that decides an execution check is named, of the differences the first three.
func TestReasonOfAnExecution(t *testing.T) {
	change := func(path string, call int) state.Change { return state.Change{Kind: "changed", Path: path, Call: call} }
	for want, o := range map[string]environment.Outcome{
		"the final state is the expected one": {Reward: new(1.0)},
		"changed /a (call 0); changed /b":     {Reward: new(0.0), Diff: []state.Change{change("/a", 0), change("/b", -1)}},
		"changed /a (call 1); changed /b (call 2); changed /c (call 3); 2 more differences": {Reward: new(0.0),
			Diff: []state.Change{change("/a", 1), change("/b", 2), change("/c", 3), change("/d", 4), change("/e", 5)}},
		"assertion on /x does not hold; the user did not get the text \"9\"; the run did not end by itself": {
			Reward: new(0.0), Unfinished: true, Assertions: []environment.AssertionResult{
				{Assertion: environment.Assertion{Path: "/w"}, OK: true}, {Assertion: environment.Assertion{Path: "/x"}}},
			Outputs: []environment.OutputResult{{Text: "8", Found: true}, {Text: "9"}}},
		"the final state is the expected one; 1 of 4 results differ from the log: the sandbox is not what the log was " +
			"made in": {Reward: new(1.0), Compared: 4, Drift: make([]environment.Drift, 1)},
	} {
		if got := reason(&o); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
