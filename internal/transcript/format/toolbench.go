package format

import "github.com/judgekit/judge/internal/value"

var toolBench = format{
	name:   "toolbench",
	mark:   "answer_generation",
	detect: has("answer_generation"),
	read:   (*draft).readToolBench,
}

// readToolBench reads an answer of ToolBench (2023): the last of the chains of messages that were
// searched. Lost: the other chains.
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
