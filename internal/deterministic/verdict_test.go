package deterministic

import (
	"errors"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// reply returns a complete judge's reply with the given output and confidence as JSON.
func reply(output, confidence string) string {
	return `{"explanation":"e","evidence":"v","output":` + output + `,"confidence":` + confidence + `,"correction":{}}`
}

func TestRubricVerdict(t *testing.T) {
	const intent, complete = "function_intent_alignment", "parameter_completeness_consistency"
	const pre, overall = "prerequisite_satisfaction", "overall_call_correctness"
	for _, tc := range []struct{ name, metric, actual, want string }{
		{"top", intent, reply(`5`, `0.92`), `{"important":true,"correct":true,"issue":false,"normalized":1,"schema_valid":true}`},
		{"the reason of a pass", intent, reply(`5`, `0.9`), `{"reason":"output is within 3 to 5"}`},
		{"the reason of an issue", intent, reply(`2`, `0.9`), `{"reason":"output is not within 3 to 5"}`},
		{"the reason of what does not count", intent, reply(`2`, `0.5`),
			`{"reason":"confidence is not within 0.7 to 1, so the verdict does not count"}`},
		{"an underscore at an end", overall, reply(`"0.8_"`, `0.9`), `{"correct":false}`},
		{"an underscore after a sign", overall, reply(`"8e-_1"`, `0.9`), `{"correct":false}`},
		{"two underscores", overall, reply(`"0.8__1"`, `0.9`), `{"correct":false}`},
		{"lowest that passes", intent, reply(`3`, `0.7`), `{"important":true,"correct":true,"issue":false,"normalized":0.5}`},
		{"below", complete, reply(`2`, `0.7`), `{"important":true,"correct":false,"issue":true,"normalized":0.25,"schema_valid":true}`},
		{"not confident, so correct", complete, reply(`1`, `0.69`), `{"important":false,"correct":true,"issue":false,"normalized":0}`},
		{"confidence bounds are included", pre, reply(`1`, `1`), `{"important":true,"correct":true,"normalized":1}`},
		{"confidence above 1", pre, reply(`0`, `1.01`), `{"important":false,"correct":true,"issue":false,"schema_valid":false}`},
		{"prerequisite not met", pre, reply(`0`, `0.9`), `{"correct":false,"issue":true,"normalized":0}`},
		{"overall at the threshold", overall, reply(`0.7`, `0.9`), `{"correct":true,"normalized":0.7,"schema_valid":true}`},
		{"overall below", overall, reply(`0.69`, `0.9`), `{"correct":false,"issue":true}`},
		{"above the range", intent, reply(`6`, `0.9`), `{"correct":false,"issue":true,"normalized":1.25,"schema_valid":false,"score":null,"reason_contains":["output 6 is not on the scale of 1 to 5"]}`},
		{"normalized is not clamped", intent, reply(`0`, `0.9`), `{"normalized":-0.25,"schema_valid":false,"score":null}`},
		{"the top of the scale", intent, reply(`5`, `0.9`), `{"schema_valid":true,"score":1}`},
		{"4.0 is an integer", intent, reply(`4.0`, `0.9`), `{"correct":true,"schema_valid":true,"normalized":0.75}`},
		{"4.5 is none", intent, reply(`4.5`, `0.9`), `{"correct":true,"schema_valid":false,"normalized":0.875}`},
		{"strings are read", intent, reply(`" 4 "`, `"0.9"`), `{"important":true,"correct":true,"normalized":null,"schema_valid":false}`},
		{"digits of other scripts are read, as by the program", intent, reply(`"٣"`, `0.9`), `{"important":true,"correct":true,"issue":false}`},
		{"string with exponent", overall, reply(`"8e-1"`, `"9_0e-2"`), `{"important":true,"correct":true,"normalized":null}`},
		{"confidence is no number", intent, reply(`1`, `"high"`), `{"important":false,"correct":true,"issue":false}`},
		{"hexadecimal is not read", intent, reply(`1`, `"0x1"`), `{"important":false}`},
		{"not a number", intent, reply(`1`, `"nan"`), `{"important":false}`},
		{"infinite", intent, reply(`"inf"`, `1`), `{"important":true,"correct":false,"issue":true,"normalized":null}`},
		{"output is no number", intent, reply(`"good"`, `0.9`), `{"important":true,"correct":false,"issue":true,"normalized":null,"schema_valid":false}`},
		{"output null", intent, reply(`null`, `0.9`), `{"correct":false,"issue":true,"normalized":null,"schema_valid":false}`},
		{"output a list", intent, reply(`[5]`, `0.9`), `{"correct":false,"issue":true,"normalized":null}`},
		{"output missing is 0", pre, `{"confidence":0.9}`, `{"important":true,"correct":false,"issue":true,"normalized":null,"schema_valid":false}`},
		{"confidence missing is 0", intent, `{"output":1}`, `{"important":false,"correct":true,"issue":false,"normalized":0,"schema_valid":false}`},
		{"confidence null", intent, reply(`1`, `null`), `{"important":false,"correct":true}`},
		{"a bool reads as a number, as in Python", pre, reply(`true`, `true`), `{"important":true,"correct":true,"normalized":null,"schema_valid":false}`},
		{"JSON text", intent, value.OfString(reply(`5`, `0.9`)).JSON(), `{"important":true,"correct":true,"schema_valid":true}`},
		{"extra fields are allowed", intent, `{"explanation":"","evidence":"","output":5,"confidence":0,"correction":{"a":1},"more":1}`, `{"schema_valid":true}`},
		{"explanation missing", intent, `{"evidence":"","output":5,"confidence":0.9,"correction":{}}`, `{"schema_valid":false,"correct":true}`},
		{"evidence no string", intent, `{"explanation":"","evidence":[],"output":5,"confidence":0.9,"correction":{}}`, `{"schema_valid":false}`},
		{"correction null", intent, `{"explanation":"","evidence":"","output":5,"confidence":0.9,"correction":null}`, `{"schema_valid":false}`},
		{"negative confidence", intent, reply(`5`, `-0.1`), `{"schema_valid":false,"important":false}`},
		{"text", intent, `"I think it is fine"`, `{"error":"judge_reply"}`},
		{"cut JSON", intent, `"{\"output\": 5"`, `{"error":"judge_reply"}`},
		{"JSON list", intent, `"[1]"`, `{"error":"judge_reply"}`},
		{"list", intent, `[1]`, `{"error":"judge_reply"}`},
		{"number", intent, `5`, `{"error":"judge_reply"}`},
		{"nothing", intent, `null`, `{"error":"judge_reply"}`},
		{"JSON text of JSON text", intent, value.OfString(value.OfString(`{}`).JSON()).JSON(), `{"error":"judge_reply"}`},
		{"unknown metric", "intent", reply(`5`, `1`), `{"error":"config"}`},
	} {
		c := value.OfObject(
			value.Member{Key: "config", Value: value.OfObject(value.Member{Key: "metric", Value: value.OfString(tc.metric)})},
			value.Member{Key: "actual", Value: parse(t, tc.actual)},
			value.Member{Key: "want", Value: parse(t, tc.want)})
		checkCase(t, tc.name, newRubricVerdict, c)
	}
	for _, config := range []string{`{}`, `null`, `[]`, `{"metric":1}`} {
		var e *Error
		if _, err := newRubricVerdict(parse(t, config)); !errors.As(err, &e) || e.Kind != configKind {
			t.Errorf("%s: %v, want an error of the configuration", config, err)
		}
	}
}

// FuzzRubricVerdict checks that no reply panics, and that what is not important is
// never an issue.
func FuzzRubricVerdict(f *testing.F) {
	f.Add(reply(`5`, `"0.9"`))
	f.Add(`"{\"output\": 1e999}"`)
	s, err := newRubricVerdict(parse(f, `{"metric":"function_intent_alignment"}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		res, err := s.Score(Input{Actual: value.OfString(text)})
		if err != nil {
			return
		}
		o := res.object()
		important, _ := o.Field("important").BoolVal()
		issue, _ := o.Field("issue").BoolVal()
		if issue && !important {
			t.Fatalf("%q is an issue but not important", text)
		}
	})
}
