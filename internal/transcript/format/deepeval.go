package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var deepEval = format{
	name: "deepeval",
	mark: "tools_called, expected_tools, or turns with a scenario",
	detect: of(func(f value.Value) bool {
		return deepEvalCase(f) || deepEvalCase(f.Field("testCases").Head()) ||
			f.Field("conversationalTestCases").Len() > 0
	}),
	read:  (*draft).readDeepEval,
	parts: casesIn("testCases", "conversationalTestCases"),
}

func deepEvalCase(f value.Value) bool {
	return f.HasAny("tools_called", "toolsCalled", "expected_tools", "expectedTools") && f.HasAny("input", "turns") ||
		f.Field("turns").IsList() && f.HasAny("scenario", "expected_outcome", "expectedOutcome", "chatbot_role")
}

// readDeepEval reads a test case of DeepEval (3.x and 4.0, models of deepeval.test_case, in snake_case and in
// the camelCase of its test runs): {input, actual_output, tools_called, expected_tools}, or turns. Metrics
// become labels. Lost: retrieval contexts and expected outputs stay among the extra keys.
func (d *draft) readDeepEval(list value.Value) error {
	v := list.Head()
	if !deepEvalCase(v) {
		return wrong("", "this is no test case (its keys are %s)", v.KeyList())
	}
	d.ID = v.FirstText("name", "id")
	d.Extra = foreign(v, "name", "input", "actual_output", "actualOutput", "tools_called", "toolsCalled", "expected_tools",
		"expectedTools", "turns", "success", "metrics_data", "metricsData")
	if expected, at := found(v, "expected_tools", "expectedTools"); expected.IsList() {
		if err := d.reference(expected, at); err != nil {
			return err
		}
	}
	d.deepEvalLabels(v)
	if list := v.Field("turns"); list.IsList() {
		return (&turns{draft: d}).answersLast(list, "turns")
	}
	if err := d.prompt(v.Field("input"), "input"); err != nil {
		return err
	}
	t := &turns{draft: d}
	defer t.flush()
	called, at := found(v, "tools_called", "toolsCalled")
	if called.Len() > 0 {
		t.begin(transcript.Assistant, at)
		if err := t.callList(called, at); err != nil {
			return err
		}
	}
	if answer, at := found(v, "actual_output", "actualOutput"); !answer.IsNull() {
		t.begin(transcript.Assistant, at)
		t.text(answer, at)
	}
	return nil
}

func (d *draft) deepEvalLabels(v value.Value) {
	d.labelGiven("success", v.Field("success"), "success")
	metrics, at := found(v, "metrics_data", "metricsData")
	for i, m := range metrics.Elements() {
		if name := m.Field("name").Text(); name != "" {
			d.labelGiven(name, m.Field("score"), at+indexed(i))
		}
	}
}

// answersLast reads turns in which the calls come first: the text is what the agent said after them.
func (t *turns) answersLast(list value.Value, name string) error {
	defer t.flush()
	return t.objects(list, name, "turn", func(v value.Value, at string) error {
		calls := members(v, callListKeys...)
		if len(calls) == 0 || calls[0].Value.Len() == 0 {
			return t.message(v, at)
		}
		before := value.OfObject(append(members(v, roleKeys...), calls...)...)
		if err := t.message(before, at); err != nil {
			return err
		}
		if after := v.Without(callListKeys...); after.HasAny(contentKeys...) {
			return t.message(after, at)
		}
		return nil
	})
}
