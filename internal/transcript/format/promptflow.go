// Rows of promptflow.
// Written by: promptflow's chat flows: data rows with a chat_history, and the history as a list of {inputs, outputs}.
// Read: the question of each turn, the model's message with its calls, the answer.
// Lost: the results of calls, which a flow puts into its answer; other inputs and outputs.

package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var promptflowChat = format{
	name:   "promptflow",
	mark:   "turns of inputs and outputs with llm_output",
	detect: within(isPromptflowTurn, "chat_history"),
	bare:   isPromptflowTurn,
	read:   (*draft).readPromptflow,
}

func isPromptflowTurn(v value.Value) bool {
	return v.Field("inputs").Kind() == value.Object && v.Field("outputs").Field("llm_output").Kind() == value.Object
}

// readPromptflow reads the turns of a history, and the question that follows it.
func (d *draft) readPromptflow(v value.Value) error {
	history := v
	if v.Has("chat_history") {
		history = v.Field("chat_history")
	} else if !v.IsList() {
		history = value.OfList(v)
	}
	for i, turn := range history.Elements() {
		at := place("chat_history", i)
		asked, key := found(turn.Field("inputs"), promptPaths...)
		d.messageOf(transcript.User, asked, at+".inputs."+key)
		if err := d.oneMessage(turn.Field("outputs").Field("llm_output"), at+".outputs.llm_output"); err != nil {
			return err
		}
		if text := turn.Field("outputs").FirstText("answer", "output"); len(d.Messages) > 0 && text != d.Messages[len(d.Messages)-1].Content {
			d.say(transcript.Assistant, text, at+".outputs.answer")
		}
	}
	if asked, key := found(v, promptPaths...); !v.IsList() && !asked.IsNull() {
		d.messageOf(transcript.User, asked, key)
	}
	return nil
}
