package format

import "github.com/judgekit/judge/internal/value"

var functionRows = format{
	name:   "function-rows",
	mark:   "a question with functions or calls as its answer",
	detect: loosely(of(functionRow)),
	read:   (*draft).readFunctionRow,
}

// functionRow reports whether a row asks for calls: its answer or truth consists of calls, or it
// has a question with functions.
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
// ground_truth), and rows like them. If a model's answer is there the truth becomes the
// expected calls; if it is not, the truth is read as the agent's calls, which is noted.
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

// turnsOfRow returns the number of turns if a row's question and answer are lists of turns; 0 if it
// has a single turn.
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

// withoutResult removes NESTFUL's last entry, which is not a call but says what the answer consists of.
func (d *draft) withoutResult(answer value.Value) value.Value {
	if n := answer.Len(); answer.IsList() && n > 0 && answer.At(n-1).Field("name").Text() == "var_result" {
		d.Extra = d.Extra.With("var_result", answer.At(n-1).Field("arguments"))
		return value.OfList(answer.Slice()[:n-1]...)
	}
	return answer
}

// The fields of rows with a question and calls as its answer: the question, the agent's answer, and
// the right answer.
var (
	rowQuestions = []string{"question", "query", "input", "instruction", "prompt", "user_query", "utterance"}
	rowAnswers   = []string{"result", "raw", "prediction", "predictions", "predicted", "model_output",
		"generated_response", "generation", "model_response", "response"}
	rowTruths = []string{"answers", "ground_truth", "expected_calls", "output", "gold_answer", "answer", "target", "gold",
		"expected_tool_use", "calling"}
)
