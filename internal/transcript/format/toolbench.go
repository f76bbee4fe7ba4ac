// Answers of ToolBench.
// Written by: ToolBench's search, {win, tree, answer_generation}.
// Read: 2023, the last of the chains of messages that were searched.
// Lost: the other chains. ToolEval's answers cut their calls after some characters and are not read.

package format

import "github.com/judgekit/judge/internal/value"

var toolBench = format{
	name:   "toolbench",
	mark:   "answer_generation",
	detect: of(func(f value.Value) bool { return f.Has("answer_generation") || f.Field("tree").Has("tree") }),
	read:   (*draft).readToolBench,
}

// readToolBench reads the last of the chains of messages that were searched.
func (d *draft) readToolBench(v value.Value) error {
	answer := v.Field("answer_generation")
	d.useTools(answer.Field("function"))
	d.Sample = members(answer, "query", "final_answer", "finish_type").Object()
	d.labelGiven("win", v.Field("win"), "win")
	chains := answer.Field("train_messages")
	if chains.Len() == 0 {
		return wrong("answer_generation.train_messages", "there is no chain of messages")
	}
	if chains.Len() > 1 {
		d.note("chains_left_out", "answer_generation.train_messages", "the last chain is read, the ones before are not")
	}
	return d.messageList(chains.At(chains.Len()-1), "answer_generation."+place("train_messages", chains.Len()-1))
}
