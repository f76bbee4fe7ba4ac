package format

import "github.com/judgekit/judge/internal/value"

var promptfoo = format{
	name:   "promptfoo",
	mark:   "results with a testCase, gradingResult or vars",
	detect: within(promptfooResult, promptfooLists...),
	read:   (*draft).readPromptfoo,
	parts:  promptfooParts,
}

func promptfooResult(f value.Value) bool {
	return f.Has("prompt") && f.HasAny("testCase", "gradingResult", "promptIdx") && f.HasAny("response", "error")
}

// promptfooLists are the paths to the results in an output file.
var promptfooLists = []string{"results.results", "results"}

// promptfooParts splits an output file into its results, each with its provider's tools if the file has them.
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
// of 2025/26, and its JSONL): the prompt with the provider's answer, whose calls are a
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
