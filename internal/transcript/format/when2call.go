package format

import "github.com/judgekit/judge/internal/value"

var when2Call = format{
	name:   "when2call",
	mark:   "answers and correct_answer",
	detect: has("question", "answers", "correct_answer"),
	read:   (*draft).readWhen2Call,
}

// answersAreCalls is the kind of note on rows whose right answer is read as the agent's.
const answersAreCalls = "answers_are_calls"

// readWhen2Call reads a question of When2Call (NVIDIA, 2025): its right answer is read as what the agent said.
func (d *draft) readWhen2Call(v value.Value) error {
	d.ID = v.FirstText("uuid", "id")
	d.useTools(v.Field("tools"))
	d.Sample = members(v, "source", "source_id", "correct_answer").Object()
	d.Extra = foreign(v, "uuid", "tools", "question", "source", "source_id", "correct_answer")
	if err := d.prompt(v.Field("question"), "question"); err != nil {
		return err
	}
	right := v.Field("correct_answer").Text()
	answer, given := v.Field("answers").Get(right)
	if !given {
		return wrong("correct_answer", "none of the answers is called %s", value.Quote(right))
	}
	d.note(answersAreCalls, "answers", "the data set's right answer is read as the agent's")
	return d.answer(answer, "answers."+right)
}
