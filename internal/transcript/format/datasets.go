package format

import (
	"cmp"
	"github.com/judgekit/judge/internal/transcript"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// shareGPTPaths are where a record has its turns of {from, value} (the form of ShareGPT, as
// LLaMA-Factory and Hermes' data sets write it, with function_call, observation, tools and
// system). Calls in texts are calls where a result follows.
var shareGPTPaths = []string{"conversations", "conversation"}

func shareGPT(m value.Value) bool { return m.HasAll("from", "value") }

// readToolTalk reads a conversation of ToolTalk (Microsoft, 2023): turns of {role, text, apis:
// [{request, response, exception}]}. The calls of a turn come before its text.
func (d *draft) readToolTalk(v value.Value) error {
	d.ID = v.FirstText("conversation_id", "name")
	d.Sample = members(v, "name", "user", "metadata", "apis_used").Object()
	d.Extra = foreign(v, "conversation", "conversation_id", "name", "user", "metadata", "apis_used")
	return (&turns{draft: d}).answersLast(v.Field("conversation"), "conversation")
}

// readLines reads a file of messages without the id of a conversation, one a line: it is one
// conversation. So are the dialogues of API-Bank (2023), whose lines of the role API hold a call
// ({api_name, param_dict}) and its result.
func (d *draft) readLines(list value.Value) error {
	d.ID = baseName(d.Source.File)
	return d.messageList(list, "")
}

// answersAreCalls is the kind of the note on rows whose right answer is read as the agent's.
const answersAreCalls = "answers_are_calls"

// readWhen2Call reads a question of When2Call (NVIDIA, 2025): the right one of its answers is
// read as what the agent said.
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

// readTape reads a tape of TapeAgents (ServiceNow, 0.1): steps of a kind. What ends in _thought
// is reasoning, in _action a call, in _observation its result; the other kinds are kept aside.
func (d *draft) readTape(v value.Value) error {
	d.ID = v.Field("metadata").Field("id").Text()
	d.Extra = foreign(v, "steps")
	t := turns{draft: d}
	defer t.flush()
	return d.objects(v.Field("steps"), "steps", "step", func(s value.Value, at string) error {
		return t.tapeStep(s, s.Field("kind").Text(), at)
	})
}

func (t *turns) tapeStep(s value.Value, kind, at string) error {
	fields := rest(s, "kind", "metadata")
	switch {
	case strings.HasSuffix(kind, "_thought"):
		if t.open.role != transcript.Assistant || len(t.open.results) > 0 {
			t.begin(transcript.Assistant, at)
		}
		t.open.thought = joinLines(t.open.thought, s.FirstText("reasoning", "content", "text", "plan"))
	case strings.HasSuffix(kind, "_action"):
		name := strings.TrimSuffix(kind, "_action")
		if t.open.role != transcript.Assistant {
			t.begin(transcript.Assistant, at)
		}
		t.callPart(callOf(name, fields), at)
	case strings.HasSuffix(kind, "_observation"), kind == "tool_result":
		r := toolMessage{at: at, content: fields}
		readFlags(&r.Message, members(s, "error").Object())
		r.ResultID = s.Field("tool_call_id").Text()
		t.answer(r, true)
	case kind == "question", kind == "user", kind == "task":
		return t.whole(transcript.User, s, at)
	case kind == "assistant", kind == "assistant_step", kind == "final_answer", kind == "system":
		role, _ := roleOf(strings.TrimSuffix(kind, "_step"))
		return t.whole(transcript.Role(cmp.Or(string(role), string(transcript.Assistant))), s, at)
	default:
		t.note("unknown_item", at, "a step of kind "+value.Quote(kind)+" is not read")
	}
	return nil
}

// The fields of rows with a question and calls as its answer: what the agent was asked, what it
// answered, and what is right.
var (
	rowQuestions = []string{"question", "query", "input", "instruction", "prompt", "user_query", "utterance"}
	rowAnswers   = []string{"result", "raw", "prediction", "predictions", "predicted", "model_output",
		"generated_response", "generation", "model_response", "response"}
	rowTruths = []string{"answers", "ground_truth", "expected_calls", "output", "gold_answer", "answer", "target", "gold",
		"expected_tool_use"}
)

// functionRow reports whether a row asks for calls: its answer or truth is calls, or it has
// functions beside a question.
func functionRow(f value.Value) bool {
	if f.Has("messages") || f.Kind() != value.Object {
		return false
	}
	question, _ := f.First(rowQuestions...)
	truth, _ := f.First(rowTruths...)
	answer, _ := f.First(rowAnswers...)
	_, truthIsCalls := writtenCalls(truth.Decoded())
	_, answerIsCalls := writtenCalls(answer.Decoded())
	hasFunctions := f.HasAny("function", "functions", "tools", "available_tools")
	return !question.IsNull() && (truthIsCalls || answerIsCalls || hasFunctions) ||
		answerIsCalls && f.HasAny("id", "category") || f.HasAll("category", "raw")
}

// readFunctionRow reads a row of xlam (Salesforce: query, tools, answers), NESTFUL (IBM: input,
// output with labels), and the Berkeley leaderboard (question, function, result or
// ground_truth), and rows like them. Where a model's answer is there the truth becomes the
// expected calls; where it is not, the truth is read as the agent's calls, which is noted.
func (d *draft) readFunctionRow(v value.Value) error {
	d.ID = v.FirstText("id", "sample_id", "uuid")
	tools, _ := found(v, "function", "functions", "tools", "available_tools")
	d.useTools(tools)
	question, questionAt := found(v, rowQuestions...)
	truth, truthAt := found(v, rowTruths...)
	answer, answerAt := found(v, rowAnswers...)
	d.Extra = foreign(v, "id", "sample_id", "uuid", "function", "functions", "tools", "available_tools", questionAt,
		truthAt, answerAt)
	switch {
	case answer.IsNull() && truth.IsNull():
		return wrong("", "the row asks a question and holds nobody's answer: give the file of the model's answers too")
	case answer.IsNull():
		d.note(answersAreCalls, truthAt, "the data set's answer is read as the agent's calls: there is no reference left")
		answer, answerAt = truth, truthAt
	case !truth.IsNull():
		if err := d.rowTruth(truth, truthAt); err != nil {
			return err
		}
	}
	if turns := turnsOfRow(question, answer); turns > 0 {
		for i := range turns {
			if err := d.rowTurn(question.At(i), answer.At(i), questionAt+indexed(i), answerAt+indexed(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return d.rowTurn(question, answer, questionAt, answerAt)
}

// rowTruth sets the expected calls.
func (d *draft) rowTruth(truth value.Value, at string) error {
	truth = truth.Decoded()
	if first := truth.Head(); first.Kind() == value.Object && first.Len() == 1 || truth.Kind() == value.Object {
		return d.expectedCalls(truth)
	}
	if calls, ok := writtenCalls(truth); ok {
		return d.reference(value.OfList(calls...), at)
	}
	d.Extra = d.Extra.With(at, truth)
	return nil
}

// turnsOfRow is the number of turns of a row whose question and answer are lists of turns; 0 for
// one that has a single turn.
func turnsOfRow(question, answer value.Value) int {
	if question.Len() > 1 && question.Len() == answer.Len() && question.Head().IsList() && answer.Head().IsList() {
		return question.Len()
	}
	return 0
}

func (d *draft) rowTurn(question, answer value.Value, questionAt, answerAt string) error {
	if !question.IsNull() {
		if err := d.prompt(question, questionAt); err != nil {
			return err
		}
	}
	answer = answer.Decoded()
	if inner := answer.Head(); inner.IsList() { // the steps of a turn
		for i, step := range answer.Elements() {
			if err := d.answer(step, answerAt+indexed(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return d.answer(d.withoutResult(answer), answerAt)
}

// withoutResult takes out NESTFUL's last entry, which is no call: it says what the answer is made
// of.
func (d *draft) withoutResult(answer value.Value) value.Value {
	if n := answer.Len(); answer.IsList() && n > 0 && answer.At(n-1).Field("name").Text() == "var_result" {
		d.Extra = d.Extra.With("var_result", answer.At(n-1).Field("arguments"))
		return value.OfList(answer.Slice()[:n-1]...)
	}
	return answer
}
