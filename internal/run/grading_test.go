package run

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/environment"
	"github.com/judgekit/judge/internal/report"
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

// TestLabelOfACall: the label of a call counts for it alone, whatever the order of the labels.
func TestLabelOfACall(t *testing.T) {
	c := &transcript.Conversation{Labels: []transcript.Label{{Name: "a", CallIndex: 0, Value: 1},
		{Name: "a", CallIndex: -1, Value: 2}, {Name: "a", CallIndex: -1, Value: 3}, {Name: "b", CallIndex: 1, Value: 4}}}
	for _, tt := range []struct {
		name string
		call *int
		want float64
	}{{"", new(0), 1}, {"a", new(0), 1}, {"", new(1), 4}, {"a", new(1), 2}, {"", nil, 2}, {"", new(7), 2}, {"b", new(0), -1}} {
		got := -1.0
		if l := labelFor(c, tt.name, tt.call); l != nil {
			got = l.Value
		}
		if got != tt.want {
			t.Errorf("label %q: %v, want %v", tt.name, got, tt.want)
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

// toolFiles are the files of an environment whose state is one object, and whose tool put changes a key of it.
var toolFiles = map[string]string{
	"tools.star": "def put(state, key, to):\n    state[key] = to\n\n" +
		"def spin(state):\n    for i in range(1000000):\n        pass\n",
	"state.json": `{"a":0,"b":0}`,
	"other.json": `{"a":1,"b":0}`,
}

// inTools returns an execution check with toolFiles and further settings.
func inTools(t *testing.T, files map[string]string, settings ...any) *Execution {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	all := append([]any{"type", "starlark", "file", "tools.star"}, settings...)
	x, err := NewExecution(value.Pairs(all...), environment.Deps{Self: []string{self, childCommand},
		ReadFile: func(name string) ([]byte, error) {
			if text, ok := files[name]; ok {
				return []byte(text), nil
			}
			return nil, fmt.Errorf("there is no %s", name)
		}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x
}

// puts is a conversation whose calls put values under the key a, and which should put want there; -1 expects nothing.
func puts(want int, values ...int) *transcript.Conversation {
	put := func(to int) value.Value { return value.Pairs("key", "a", "to", to) }
	c := &transcript.Conversation{ID: "c", Source: transcript.Source{File: "log.jsonl", Line: 7}}
	for i, v := range values {
		c.Calls = append(c.Calls, transcript.Call{Index: i, Name: "put", Arguments: put(v), Result: len(c.Messages)})
		c.Messages = append(c.Messages, transcript.Message{Role: transcript.ToolRole, Content: "None"})
	}
	if want >= 0 {
		c.Expected = &transcript.Expected{Calls: []transcript.ExpectedCall{{Name: "put", Arguments: put(want)}}}
	}
	return c
}

// TestExecution: an execution check passes if the final state is the expected one. What an environment cannot do, and what
// a log lacks, is an error of this conversation; without an expectation the check does not apply.
func TestExecution(t *testing.T) {
	start := []any{"state", "state.json"}
	tau := append([]any{"preset", "tau_bench"}, start...)
	with := func(c *transcript.Conversation, extra ...any) *transcript.Conversation {
		c.Extra = value.Pairs(extra...)
		return c
	}
	inText := puts(1, 1)
	inText.Notes = []transcript.Note{{Kind: transcript.ResultInTextKind}}
	spinning := puts(-1)
	spinning.Calls = []transcript.Call{{Name: "spin"}}
	failed := value.Pairs("error", "out of memory")
	checks := map[string]*Execution{}
	for name, tt := range map[string]struct {
		settings []any
		c        *transcript.Conversation
		// want is the status, the label, the explanation or the error.
		want string
	}{
		"right":   {start, puts(1, 1), "scored pass: the final state is the expected one"},
		"wrong":   {start, puts(1, 1, 2), "scored fail: wrong /a (call 1)"},
		"nothing": {start, puts(-1, 1), "not_applicable : nothing is expected of the state"},
		"in text": {start, inText, "unscored call_in_text: calls that ran stand only in the agent's texts, which were not " +
			"read: --include-text-calls runs them"},
		"no state": {[]any{"state_at", "/start"}, puts(1, 1),
			"error config: state_at: conversation c holds nothing at /start"},
		"its own state": {[]any{"state_at", "/start"}, with(puts(1, 1), "start", value.Pairs("a", 5)),
			"scored pass: the final state is the expected one"},
		"too many steps": {append([]any{"limits", value.Pairs("max_steps", 1000)}, start...), spinning,
			"error steps: environment call spin: steps: spin: step limit exceeded: more than 1000 steps"},
		"crashed": {tau, with(puts(-1), "terminated", false, "info", failed),
			"not_applicable : the run crashed before its task was named: τ-bench counts it as 0"},
		"ended": {tau, with(puts(-1), "terminated", true, "info", failed),
			"not_applicable : nothing is expected of the state"},
		"not ended": {tau, with(puts(-1), "terminated", false), "not_applicable : nothing is expected of the state"},
		"unfinished": {tau, with(puts(1, 1), "terminated", false),
			"scored fail: the run did not end by itself"},
	} {
		key := fmt.Sprint(tt.settings)
		if checks[key] == nil {
			checks[key] = inTools(t, toolFiles, tt.settings...)
		}
		s := checks[key].score(t.Context(), tt.c)
		got := fmt.Sprintf("%s %s: %s", s.Status, s.Label, s.Explanation)
		if s.Error != nil {
			got = fmt.Sprintf("%s %s: %s", s.Status, s.Error.Kind, s.Error.Message)
		}
		if got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", name, got, tt.want)
		}
		if s.ConversationID != "c" || s.Place != tt.c.Source.String() || s.Name != "execution_check" ||
			s.Source != score.Deterministic {
			t.Errorf("%s: %+v", name, s)
		}
		passes := s.Label == "pass"
		if decided := s.Status == score.Scored; decided != (s.Passed != nil && *s.Passed == passes) ||
			decided != (s.Value != nil && (*s.Value == 1) == passes) {
			t.Errorf("%s: passed %v, value %v", name, s.Passed, s.Value)
		}
		if counted := s.Details.Has(score.CountedAs); counted != (name == "crashed") {
			t.Errorf("%s: details %s", name, s.Details.JSON())
		}
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if s := inTools(t, toolFiles, start...).score(ctx, puts(1, 1)); s.Status != score.Error ||
		*s.Error != (score.Failure{Kind: "canceled", Message: "context canceled"}) {
		t.Errorf("%+v, %+v", s, s.Error)
	}
}

// TestExecutionInItsRow: the environment decides the row of the execution check, whatever the states in the log say, and
// other scorers see its details.
func TestExecutionInItsRow(t *testing.T) {
	list, err := deterministic.ForLog([]deterministic.Config{{Type: "execution_check"}, {Type: "three_layer"}})
	if err != nil {
		t.Fatal(err)
	}
	for want, x := range map[string]*Execution{
		"execution_check not_applicable, three_layer not_applicable": nil,
		"three_layer.schema_ok not_applicable, three_layer.ast_ok not_applicable, three_layer.exec_ok scored, " +
			"execution_check scored": inTools(t, toolFiles, "state", "state.json"),
	} {
		s := &Spec{scorers: list}
		s.Execution = x
		var got []string
		one := func(yield func(*transcript.Conversation, error) bool) { yield(puts(1, 0, 1), nil) }
		for g, err := range newGrader(s).grade(t.Context(), one) {
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range g.scores {
				in := report.Instrument{Name: s.Name, Metric: s.Metric}
				got = append(got, fmt.Sprint(in.Title(), " ", s.Status))
			}
		}
		if got := strings.Join(got, ", "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// TestNewExecution: the settings and the content of the named files are the identity of an execution check; mistakes in
// them are errors.
func TestNewExecution(t *testing.T) {
	of := func(settings ...any) string { return inTools(t, toolFiles, settings...).identity.Canonical() }
	plain := of("state", "state.json")
	if again := of("state", "state.json"); again != plain {
		t.Errorf("%s and %s", plain, again)
	}
	files := map[string]string{"tools.star": toolFiles["tools.star"], "state.json": toolFiles["other.json"]}
	if other := inTools(t, files, "state", "state.json").identity.Canonical(); other == plain {
		t.Error("another start state makes the same check")
	}
	if other := of("state", "state.json", "outputs", true); other == plain {
		t.Error("other settings make the same check")
	}
	for want, block := range map[string]value.Value{
		`type: unknown value "shell"; known are command, mcp, starlark`: value.Pairs("type", "shell"),
		"state: there is no start.json": value.Pairs("type", "starlark", "file", "tools.star",
			"state", "start.json"),
	} {
		x, err := NewExecution(block, environment.Deps{ReadFile: func(name string) ([]byte, error) {
			return nil, fmt.Errorf("there is no %s", name)
		}}, 1)
		if x != nil || err == nil || err.Error() != want {
			t.Errorf("%v, %v, want %s", x, err, want)
		}
	}
}
