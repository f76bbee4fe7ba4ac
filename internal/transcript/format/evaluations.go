package format

import (
	"cmp"
	"github.com/judgekit/judge/internal/transcript"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

func promptfooResult(f value.Value) bool {
	return f.Has("prompt") && f.HasAny("testCase", "gradingResult", "promptIdx") && f.HasAny("response", "error")
}

// promptfooLists are where an output file has its results.
var promptfooLists = []string{"results.results", "results"}

// promptfooParts cuts an output file into its results, each with the tools of its provider
// where the file holds these.
func promptfooParts(v value.Value, add func(part)) {
	if promptfooResult(v) {
		add(part{alone: true, text: v.Raw()})
		return
	}
	for _, r := range listAt(v, promptfooLists...).Elements() {
		if tools := promptfooTools(v, r.Field("provider").Field("id").Text()); !tools.IsNull() && !r.Has("tools") {
			r = r.With("tools", tools)
		}
		add(part{alone: true, text: r.JSON()})
	}
}

func promptfooID(r value.Value) string {
	if id := r.Field("id").Text(); id != "" || !r.Has("testIdx") {
		return id
	}
	return "test-" + r.Field("testIdx").Text() + "/prompt-" + r.Field("promptIdx").Text()
}

func promptfooTools(v value.Value, provider string) value.Value {
	providers := v.Field("config").Field("providers")
	for _, p := range providers.Elements() {
		if id := p.Field("id").Text(); id == provider || providers.Len() == 1 {
			return p.Field("config").Field("tools")
		}
	}
	return value.Value{}
}

// readPromptfoo reads a result of promptfoo (output files of version 3 of its results, 0.1xx
// of 2025/26, and its JSONL): the prompt with the provider's answer, of which calls are a
// list of tool calls or the JSON of one. Its success and scores become labels, its variables the
// sample. Lost: the assertions' reasons stay among the extra keys.
func (d *draft) readPromptfoo(list value.Value) error {
	v := list.Head()
	d.ID = promptfooID(v)
	d.useTools(v.Field("tools"))
	d.Sample = v.Field("vars")
	d.Extra = foreign(v, "id", "prompt", "response", "tools", "vars", "success", "score", "namedScores")
	raw, _ := found(v, "prompt.raw", "prompt")
	if err := d.prompt(raw, "prompt.raw"); err != nil {
		return err
	}
	if failure := v.Field("error"); failure.Kind() == value.String && failure.Text() != "" {
		d.note("run_error", "error", value.Quote(failure.Text()))
	}
	for _, name := range []string{"success", "score"} {
		d.labelGiven(name, v.Field(name), name)
	}
	for name, score := range v.Field("namedScores").Members() {
		d.label(name, score, -1, "namedScores."+name)
	}
	if output := v.Field("response").Field("output"); !output.IsNull() {
		return d.answer(output, "response.output")
	}
	return nil
}

func deepEvalCase(f value.Value) bool {
	return f.HasAny("tools_called", "toolsCalled", "expected_tools", "expectedTools") && f.HasAny("input", "turns") ||
		f.Field("turns").IsList() && f.HasAny("scenario", "expected_outcome", "expectedOutcome", "chatbot_role")
}

// readDeepEval reads a test case of DeepEval (3.x and 4.0, models of deepeval.test_case, in
// snake_case and in the camelCase of its test runs): {input, actual_output, tools_called,
// expected_tools}, or turns. Metrics become labels. Lost: retrieval contexts and expected
// outputs stay among the extra keys.
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

// answersLast reads turns whose calls come before their text: the text is what the agent
// said when the calls were done.
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

// mlflowParts cuts a trace of MLflow (2.x and 3.x, Trace.to_dict) into spans: {info, data: {spans}}
// with attributes whose values are JSON in texts. Assessments become labels.
func mlflowParts(v value.Value, add func(part)) {
	info := v.Field("info")
	trace := cmp.Or(info.FirstText("trace_id", "request_id"), transcript.Digest([]byte(v.Raw())))
	for _, s := range v.Field("data").Field("spans").Elements() {
		mlflowSpan(s, trace).add(add)
	}
	scores := eachOf(info.Field("assessments"), func(a value.Value) value.Value {
		score, _ := found(a, "feedback.value", "expectation.value")
		return value.Pairs("name", value.OfString(a.FirstText("assessment_name", "name"))).With("score", score)
	})
	(&spanRecord{trace: trace, attrs: value.Pairs(scoresKey, scores).With(infoKey, info)}).add(add)
}

var mlflowOperations = map[string]string{"TOOL": "execute_tool", "CHAT_MODEL": "chat", "LLM": "chat"}

func mlflowSpan(v value.Value, trace string) *spanRecord {
	s := &spanRecord{trace: trace, name: v.Field("name").Text(), parent: v.FirstText("parent_id", "parent_span_id"),
		id:    cmp.Or(v.FirstText("span_id"), v.Field("context").Field("span_id").Text()),
		start: v.FirstText("start_time_unix_nano", "start_time")}
	switch cmp.Or(v.Field("status").Field("code").Text(), v.Field("status_code").Text()) {
	case "STATUS_CODE_ERROR", "ERROR":
		s.failure = cmp.Or(v.FirstText("status_message"), "error")
	}
	in := v.Field("attributes")
	kind := strings.Trim(in.Field("mlflow.spanType").Text(), `"`)
	s.attrs = observed(cmp.Or(mlflowOperations[kind], strings.ToLower(kind)), "", in.Field("mlflow.spanInputs").Decoded(),
		in.Field("mlflow.spanOutputs").Decoded(), in.Field("mlflow.chat.tools").Decoded())
	return s
}
