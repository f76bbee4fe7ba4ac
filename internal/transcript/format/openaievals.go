// Results of OpenAI's evals.
// Written by: OpenAI's and Azure's evals (GET /evals/…/runs/…/output_items, and what a script saves of it):
// objects eval.run.output_item, in a list under data or one a line.
// Read: the API of 2026. What each grader passed, and its score, become labels; the row of the data source is
// the sample. Azure's rows hold the agent's messages as sample.output_items.
// Lost: usage, settings of the model, and what a grader's own model wrote.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var openAIEvals = format{
	name:   "openai-evals",
	mark:   "objects eval.run.output_item",
	detect: of(isOutputItem),
	read:   (*draft).readOutputItem,
}

func isOutputItem(f value.Value) bool { return f.Field("object").Text() == "eval.run.output_item" }

func (d *draft) readOutputItem(v value.Value) error {
	d.ID = v.Field("id").Text()
	row, sample := v.Field("datasource_item"), v.Field("sample")
	d.Sample = row
	d.Extra = foreign(v, "id", "datasource_item", "sample", "results")
	tools, _ := row.First("tool_definitions", "tools")
	d.useTools(tools)
	for _, r := range v.Field("results").Elements() {
		name := r.Field("name").Text()
		d.labelGiven(name, r.Field("passed"), "results")
		d.labelGiven(name+".score", r.Field("score"), "results")
	}
	if failure := sample.Field("error").Field("message").Text(); failure != "" {
		d.note("run_error", "sample.error", value.Quote(failure))
	}
	input := sample.Field("input")
	if input.Len() > 0 {
		if err := d.prompt(input, "sample.input"); err != nil {
			return err
		}
	} else {
		d.say(transcript.User, row.FirstText("query", "input", "question"), "datasource_item")
	}
	if items := row.Field("sample.output_items").Decoded(); items.Len() > 0 {
		return d.messageList(items, "datasource_item.sample.output_items")
	}
	return d.messageList(sample.Field("output"), "sample.output")
}
