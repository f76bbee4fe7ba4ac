package reply

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// Case 4: what a reply may look like.
func TestRead(t *testing.T) {
	five := judgetest.Rubric(t, rubrics.Intent)
	unit := judgetest.Rubric(t, rubrics.Overall)
	good := judgetest.Answer("4")
	pretty := "{\n  \"explanation\": \"a {brace} and \\\"quote\\\"\",\n  \"evidence\": \"NONE: x\",\n  \"output\": 4,\n  \"confidence\": 0.9,\n  \"correction\": {\"name\": \"f\", \"parameters\": {}}\n}"
	tests := []struct {
		name   string
		rubric *rubrics.Rubric
		in     llm.Response
		opts   Options
		output string // digits, "" for a failure
		kind   string
		detail string // a part of it
		flags  []string
	}{
		{name: "plain", in: llm.Response{Content: good}, output: "4"},
		{name: "pretty", in: llm.Response{Content: pretty}, output: "4"},
		{name: "two objects", in: llm.Response{Content: `{"draft":1} ` + good}, output: "4"},
		{name: "greedy matching would join", in: llm.Response{Content: good + " and also {not json"}, output: "4", flags: []string{"text_around_answer"}},
		{name: "prose brace before", in: llm.Response{Content: "I use { as said.\n" + good}, output: "4", flags: []string{"text_around_answer"}},
		{name: "two answers, same output", in: llm.Response{Content: good + "\n" + good}, output: "4"},
		{name: "two answers", in: llm.Response{Content: judgetest.Answer("2") + "\n" + good}, output: "4", flags: []string{"multiple_answers"}},
		{name: "last is invalid", in: llm.Response{Content: good + ` {"note":"done"}`}, output: "4"},
		{name: "draft in thinking", in: llm.Response{Content: "<think>" + judgetest.Answer("1") + "</think>\n" + good}, output: "4"},
		{name: "only closing tag", in: llm.Response{Content: "I think " + judgetest.Answer("1") + "</think>" + good}, output: "4"},
		{name: "closing tag in the answer", in: llm.Response{Content: strings.Replace(good, "The call", "</think> The call", 1)}, output: "4"},
		{name: "only thinking", in: llm.Response{Content: "<think>hm " + good}, kind: KindInvalidJSON, detail: "only thinking"},
		{name: "answer in reasoning", in: llm.Response{Reasoning: "so: " + good}, output: "4", flags: []string{"answer_in_reasoning", "text_around_answer"}},
		{name: "reasoning is not the answer", in: llm.Response{Content: good, Reasoning: judgetest.Answer("1")}, output: "4"},
		{name: "tool arguments", in: llm.Response{ToolArguments: good, FinishReason: "tool_calls"}, output: "4"},
		{name: "tool calls that agree", in: llm.Response{ToolArguments: good, Arguments: []string{good, good}}, output: "4"},
		{name: "tool calls that differ", in: llm.Response{ToolArguments: good, Arguments: []string{good, judgetest.Answer("1")}}, output: "1", flags: []string{"multiple_answers"}},
		{name: "the first tool call is broken off", in: llm.Response{ToolArguments: `{"a":"`, Arguments: []string{`{"a":"`, good}}, output: "4", flags: []string{"text_around_answer"}},
		{name: "closing tag in a tool call", in: llm.Response{Arguments: []string{strings.Replace(judgetest.Answer("1"), "The call", "</think> The call", 1), good}}, output: "4", flags: []string{"multiple_answers"}},
		{name: "fence", in: llm.Response{Content: "```json\n" + good + "\n```"}, output: "4"},
		{name: "text around", in: llm.Response{Content: "Sure! " + good + " Bye."}, output: "4", flags: []string{"text_around_answer"}},
		{name: "bom", in: llm.Response{Content: "\ufeff" + good}, output: "4", flags: []string{repairBOM}},
		{name: "trailing comma", in: llm.Response{Content: strings.Replace(good, "{}}", "{},}", 1)}, output: "4", flags: []string{repairTrailingComma}},
		{name: "trailing commas of a list and an object inside", in: llm.Response{Content: strings.Replace(good, `"correction":{}`, `"correction":{"name":"f","parameters":{"l":[1, ],"m":{"n":2,},"o":3}}`, 1)}, output: "4", flags: []string{repairTrailingComma}},
		{name: "comma in a string stays", in: llm.Response{Content: strings.Replace(good, "request.", "request,}", 1)}, output: "4"},
		{name: "raw newline", in: llm.Response{Content: strings.Replace(good, "fits the", "fits\nthe", 1)}, output: "4", flags: []string{repairNewline}},
		{name: "missing brace", in: llm.Response{Content: good[:len(good)-1]}, output: "4", flags: []string{repairBrace}},
		{name: "extra brace", in: llm.Response{Content: good + "}"}, output: "4", flags: []string{"text_around_answer"}},
		{name: "broken off in a number", in: llm.Response{Content: `{"explanation":"e","evidence":"v","correction":{},"confidence":0.9,"output":1`}, kind: KindInvalidJSON, detail: "no JSON object"},
		{name: "duplicate keys", in: llm.Response{Content: strings.Replace(good, `"output":4`, `"output":1,"output":4`, 1)}, kind: KindSchemaViolation, detail: "/output: the key occurs twice"},
		{name: "duplicate keys deep", in: llm.Response{Content: strings.Replace(good, `{}}`, `{"a":1,"a":2}}`, 1)}, output: "4", flags: []string{flagUnreadable}},
		{name: "duplicate keys, one escaped", in: llm.Response{Content: strings.Replace(good, `"output":4`, `"\u006futput":1,"output":4`, 1)}, kind: KindSchemaViolation, detail: "/output: the key occurs twice"},
		{name: "duplicate side keys", in: llm.Response{Content: strings.Replace(good, `"output":4`, `"evidence":"x","output":4`, 1)}, output: "4", flags: []string{"evidence_invalid"}},
		{name: "integer as 5.0", in: llm.Response{Content: judgetest.Answer("5.0")}, output: "5"},
		{name: "fraction", in: llm.Response{Content: judgetest.Answer("4.5")}, kind: KindSchemaViolation, detail: "/output: 4.5 is not of type integer"},
		{name: "string", in: llm.Response{Content: judgetest.Answer(`"5"`)}, kind: KindSchemaViolation, detail: `/output: "5" is a string`},
		{name: "string coerced", in: llm.Response{Content: judgetest.Answer(`"5"`)}, opts: Options{CoerceNumbers: true}, output: "5", flags: []string{"coerced_number"}},
		{name: "out of range", in: llm.Response{Content: judgetest.Answer("7")}, kind: KindSchemaViolation, detail: "/output: 7 is greater than the maximum 5"},
		{name: "below range", in: llm.Response{Content: judgetest.Answer("0")}, kind: KindSchemaViolation, detail: "/output: 0 is less than the minimum 1"},
		{name: "NaN", in: llm.Response{Content: judgetest.Answer("NaN")}, kind: KindInvalidJSON, detail: "NaN is not a JSON number"},
		{name: "infinity", in: llm.Response{Content: judgetest.Answer("-Infinity")}, kind: KindInvalidJSON, detail: "Infinity is not a JSON number"},
		{name: "huge number", rubric: unit, in: llm.Response{Content: judgetest.Answer("1e999")}, kind: KindSchemaViolation, detail: "/output: 1e999 is not of type number"},
		{name: "number scale", rubric: unit, in: llm.Response{Content: judgetest.Answer("0.85")}, output: "0.85"},
		{name: "unbounded confidence", rubric: unit, in: llm.Response{Content: strings.Replace(judgetest.Answer("0.85"), "0.9", "799622", 1)}, output: "0.85", flags: []string{"confidence_invalid"}},
		{name: "confidence in words", in: llm.Response{Content: strings.Replace(good, "0.9", `"high"`, 1)}, output: "4", flags: []string{"confidence_invalid"}},
		{name: "evidence is a list", in: llm.Response{Content: strings.Replace(good, `"\"cancel order 987\""`, `["a","b"]`, 1)}, output: "4", flags: []string{"evidence_invalid"}},
		{name: "side fields and output wrong", in: llm.Response{Content: strings.Replace(judgetest.Answer("7"), "0.9", "9", 1)}, kind: KindSchemaViolation, detail: "/output: 7 is greater than the maximum 5"},
		{name: "wrong key order", in: llm.Response{Content: `{"output":4,"explanation":"e","evidence":"NONE: v","confidence":0.9,"correction":{}}`}, output: "4", flags: []string{"order_violated"}},
		{name: "unknown key", in: llm.Response{Content: strings.Replace(good, `{"expl`, `{"mood":1,"expl`, 1)}, output: "4", flags: []string{"unexpected_key"}},
		{name: "missing key", in: llm.Response{Content: `{"output":4}`}, output: "4", flags: []string{"explanation_missing", "evidence_missing", "confidence_missing", "correction_missing"}},
		{name: "no output", in: llm.Response{Content: strings.Replace(good, `"output":4,`, "", 1)}, kind: KindSchemaViolation, detail: "/output: the required key is missing"},
		{name: "a number alone behind the answer", in: llm.Response{Content: good + ` {"output":1}`}, output: "4", flags: []string{"multiple_answers"}},
		{name: "a number in a correction that broke off", in: llm.Response{Content: strings.Replace(good, "{}}", `{"name":"f","parameters":{"output":5}`, 1)}, kind: KindInvalidJSON, detail: "no JSON object"},
		{name: "null correction", in: llm.Response{Content: strings.Replace(good, "{}}", "null}", 1)}, output: "4"},
		{name: "text correction", in: llm.Response{Content: strings.Replace(good, "{}}", `"{\"a\":1}"}`, 1)}, output: "4", flags: []string{"correction_as_text"}},
		{name: "text correction as asked", in: llm.Response{Content: strings.Replace(good, "{}}", `"{\"a\":1}"}`, 1)}, opts: Options{CorrectionAsText: true}, output: "4"},
		{name: "text correction is prose", in: llm.Response{Content: strings.Replace(good, "{}}", `"call f"}`, 1)}, opts: Options{CorrectionAsText: true}, output: "4", flags: []string{flagUnreadable}},
		{name: "correction is prose", in: llm.Response{Content: strings.Replace(good, "{}}", `"call f"}`, 1)}, output: "4", flags: []string{flagUnreadable}},
		{name: "correction is a list", in: llm.Response{Content: strings.Replace(good, "{}}", `[1]}`, 1)}, output: "4", flags: []string{flagUnreadable}},
		{name: "list", in: llm.Response{Content: "[" + good + "]"}, output: "4", flags: []string{"text_around_answer"}},
		{name: "no object", in: llm.Response{Content: "The score is 4."}, kind: KindInvalidJSON, detail: "no JSON object"},
		{name: "empty", in: llm.Response{}, kind: KindInvalidJSON, detail: "empty"},
		{name: "truncated", in: llm.Response{Content: good[:60], FinishReason: "length"}, kind: KindTruncated},
		{name: "truncated with a whole prefix", in: llm.Response{Content: good + " and", FinishReason: "length"}, kind: KindTruncated},
		{name: "truncated in thought", in: llm.Response{Content: "<think>so long", FinishReason: "length"}, kind: KindTruncatedInThought},
		{name: "truncated in a thought that is only counted", in: llm.Response{FinishReason: "length", Usage: llm.Usage{Reasoning: new(64)}}, kind: KindTruncatedInThought},
		{name: "truncated in the reasoning field", in: llm.Response{Reasoning: "so long {", FinishReason: "length"}, kind: KindTruncatedInThought},
		{name: "cut at what another server calls a limit", in: llm.Response{Content: good[:60], FinishReason: "length", FinishSent: "max_tokens"}, kind: KindTruncated, detail: "raise max_tokens"},
		{name: "broken off by the server", in: llm.Response{Content: good[:60], FinishReason: "length", FinishSent: "abort"}, kind: KindTruncated, detail: "the server broke the reply off (finish reason abort)"},
		{name: "broken off in thought", in: llm.Response{Reasoning: "so long {", FinishReason: "length", FinishSent: "error"}, kind: KindTruncatedInThought, detail: "the server broke the reply off (finish reason error) while thinking"},
		{name: "guard against blanks behind the answer", in: llm.Response{Content: good + strings.Repeat("\n", 32), FinishReason: llm.FinishRepetition}, output: "4"},
		{name: "guard against a loop of blanks", in: llm.Response{Content: good[:60] + strings.Repeat("\n", 32), FinishReason: llm.FinishRepetition}, kind: KindWhitespaceLoop},
		{name: "guard against repetition", in: llm.Response{Content: good[:60], FinishReason: llm.FinishRepetition}, kind: KindTruncated},
		{name: "guard against repetition behind an answer", in: llm.Response{Content: good + strings.Repeat("]", 31), FinishReason: llm.FinishRepetition}, kind: KindTruncated},
		{name: "whitespace loop", in: llm.Response{Content: good[:60] + strings.Repeat(" \n", 400), FinishReason: "length"}, kind: KindWhitespaceLoop},
		{name: "canary", in: llm.Response{Content: strings.Replace(good, "request", "zebra-17", 1)}, opts: Options{Canaries: []string{"zebra-17"}}, kind: KindCanary},
		{name: "canary in thought is thought", in: llm.Response{Content: "<think>zebra-17</think>" + good}, opts: Options{Canaries: []string{"zebra-17"}}, output: "4"},
		{name: "canary in front of a closing tag in the answer", in: llm.Response{Content: strings.Replace(good, "The call", "zebra-17 </think> The call", 1)}, opts: Options{Canaries: []string{"zebra-17"}}, kind: KindCanary},
		{name: "canary behind an escape", in: llm.Response{Content: strings.Replace(good, "request", `z\u0065bra-17`, 1)}, opts: Options{Canaries: []string{"zebra-17"}}, kind: KindCanary},
		{name: "canary in tool arguments beside the answer", in: llm.Response{Content: good, ToolArguments: "zebra-17"}, opts: Options{Canaries: []string{"zebra-17"}}, kind: KindCanary},
		{name: "canary in a later tool call", in: llm.Response{ToolArguments: good, Arguments: []string{good, `{"x":"zebra-17"}`}}, opts: Options{Canaries: []string{"zebra-17"}}, kind: KindCanary},
		{name: "content filter", in: llm.Response{Content: good, FinishReason: "content_filter"}, kind: KindRefused},
		{name: "too long", in: llm.Response{Content: strings.Replace(good, "request.", strings.Repeat("x", 1500), 1)}, output: "4", flags: []string{"overlong_explanation"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			r := tc.rubric
			if r == nil {
				r = five
			}
			if tc.in.FinishReason == "" {
				tc.in.FinishReason = "stop"
			}
			got := Read(r, &tc.in, tc.opts)
			output := ""
			if got.OK() {
				output = strconv.FormatFloat(*got.Output, 'f', -1, 64)
			}
			if output != tc.output || got.Kind != tc.kind || !strings.Contains(got.Detail, tc.detail) {
				t.Errorf("output %q kind %q detail %q, want %q %q %q", output, got.Kind, got.Detail, tc.output, tc.kind, tc.detail)
			}
			var flags []string
			for _, f := range got.Flags {
				flags = append(flags, f.Code)
				if want := map[bool]int{true: 2, false: 1}[f.Code == "multiple_answers"]; f.Severity != want {
					t.Errorf("%s has severity %d, want %d", f.Code, f.Severity, want)
				}
			}
			if tc.kind == "" {
				if d := cmp.Diff(tc.flags, flags); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func TestRepair(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	original := []llm.Message{{Role: "system", Content: "s"}, {Role: "user", Content: "u"}}
	bad := Read(r, &llm.Response{Content: "<think>secret</think>" + judgetest.Answer("7"), FinishReason: "stop"}, Options{})
	got := Repair(original, bad, 1)
	want := []llm.Message{original[0], original[1],
		{Role: "assistant", Content: judgetest.Answer("7")},
		{Role: "user", Content: "Your previous answer was not accepted: /output: 7 is greater than the maximum 5. Return the corrected JSON object only. Do not change your assessment."}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	long := Repair(original, Reading{Text: strings.Repeat("é", 5000), Violations: []rubrics.Violation{{Pointer: "/a", Rule: "1"}, {Pointer: "/b", Rule: "2"}, {Pointer: "/c", Rule: "3"}, {Pointer: "/d", Rule: "4"}}}, 1)
	if n := len([]rune(long[2].Content)); n != maxRepairText {
		t.Errorf("%d characters of the bad answer are sent", n)
	}
	if strings.Contains(long[3].Content, "/d") {
		t.Error("more than three violations are sent")
	}
}

// Thoughts do not go back: of an answer in the reasoning only its object does.
func TestRepairWithoutThoughts(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	seven := judgetest.Answer("7")
	for reasoning, want := range map[string]string{
		"The user is Mr Smith. So: " + seven + " is it.": seven,
		"The user is Mr Smith {and so on":                "(empty)",
	} {
		bad := Read(r, &llm.Response{Reasoning: reasoning, FinishReason: "stop"}, Options{})
		if got := Repair([]llm.Message{{Role: "user", Content: "u"}}, bad, 1); bad.OK() || got[1].Content != want || strings.Contains(got[2].Content, "Smith") {
			t.Errorf("%s: sent back %q and %q", reasoning, got[1].Content, got[2].Content)
		}
	}
}

// At names the object that counts, wherever it stands in the content.
func TestReadTellsWhere(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	five := judgetest.Answer("5")
	inside := strings.Replace(five, "The call", "</think> The call", 1)
	for _, tc := range []struct {
		in   llm.Response
		want int
	}{
		{llm.Response{Content: five}, 0},
		{llm.Response{Content: "\ufeff\n " + five + "\n{\"output\": 1}"}, 5},
		{llm.Response{Content: judgetest.Answer("1") + " \n" + five}, len(judgetest.Answer("1")) + 2},
		{llm.Response{Content: "<think>" + judgetest.Answer("1") + "</think>\n" + five}, len("<think></think>\n") + len(judgetest.Answer("1"))},
		{llm.Response{Content: "  " + inside}, 2},
		{llm.Response{Content: strings.Repeat("x", maxReplyText) + five}, maxReplyText},
		{llm.Response{ToolArguments: five}, -1},
		{llm.Response{Reasoning: five}, -1},
		{llm.Response{Content: judgetest.Answer("7")}, -1},
	} {
		tc.in.FinishReason = "stop"
		if got := Read(r, &tc.in, Options{}); got.At != tc.want {
			t.Errorf("%.60q: at %d (%s %s), want %d", tc.in.Content, got.At, got.Kind, got.Detail, tc.want)
		}
	}
}

// Numbers count as they are written: nothing is rounded to a value of the scale, or over
// a bound of it.
func TestNumbersAsWritten(t *testing.T) {
	five, binary, unit := judgetest.Rubric(t, rubrics.Intent), judgetest.Rubric(t, rubrics.Prerequisite), judgetest.Rubric(t, rubrics.Overall)
	for _, tc := range []struct {
		rubric  *rubrics.Rubric
		written string
		want    string // digits, else the kind
	}{
		{five, "5", "5"}, {five, "5.0", "5"}, {five, "5e0", "5"}, {five, "50e-1", "5"}, {five, "0.5E+1", "5"}, {five, "5.000000000000000000000000", "5"},
		{five, "5.00000000000000000001", KindSchemaViolation}, {five, "4.99999999999999999999", KindSchemaViolation}, {five, "4.5", KindSchemaViolation},
		{five, "1e400", KindSchemaViolation}, {five, "true", KindSchemaViolation}, {five, "null", KindSchemaViolation}, {five, "[5]", KindSchemaViolation},
		{five, `"5"`, KindSchemaViolation}, {five, `{"value":5}`, KindSchemaViolation}, {five, "6", KindSchemaViolation}, {five, "-1", KindSchemaViolation},
		{five, "05", KindInvalidJSON}, {five, "+5", KindInvalidJSON}, {five, "0x5", KindInvalidJSON}, {five, "５", KindInvalidJSON}, {five, "5.", KindInvalidJSON},
		{five, ".5", KindInvalidJSON}, {five, "NaN", KindInvalidJSON}, {five, "Infinity", KindInvalidJSON}, {five, "5,0", KindInvalidJSON}, {five, "5/5", KindInvalidJSON},
		{binary, "1e-400", KindSchemaViolation}, {binary, "0e-400", "0"}, {binary, "-0", "0"}, {binary, "-0.0", "0"}, {binary, "0.99999999999999999999", KindSchemaViolation},
		{unit, "1e-400", KindSchemaViolation}, {unit, "-1e-400", KindSchemaViolation}, {unit, "1.00000000000000000001", KindSchemaViolation}, {unit, "-0.0", "0"},
		{unit, "0.69999999999999999999", KindSchemaViolation}, {unit, "0.7", "0.7"}, {unit, "0.70", "0.7"}, {unit, "7e-1", "0.7"}, {unit, "1e-5", "0.00001"},
		{unit, "0.33333333333333333333333333", "0.3333333333333333"}, {unit, "0.1000000000000000055511151231257827", "0.1"}, {unit, "1e-99999999999", KindSchemaViolation},
	} {
		got := Read(tc.rubric, &llm.Response{Content: judgetest.Answer(tc.written), FinishReason: "stop"}, Options{})
		text := got.Kind
		if got.OK() {
			text = strconv.FormatFloat(*got.Output, 'f', -1, 64)
		}
		if text != tc.want {
			t.Errorf("%s on %s: %s (%s), want %s", tc.written, tc.rubric.Name, text, got.Detail, tc.want)
		}
	}
	for written, want := range map[string]bool{"5": true, " 5 ": true, "5.0": true, "+5": false, "05": false, "0x5": false, "５": false, "5.00000000000000000001": false, "five": false} {
		got := Read(five, &llm.Response{Content: judgetest.Answer(strconv.Quote(written)), FinishReason: "stop"}, Options{CoerceNumbers: true})
		if got.OK() != want {
			t.Errorf("%q coerced: %v %s", written, got.OK(), got.Detail)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(judgetest.Answer("4"), "", "", "stop", "")
	f.Add("<think>{</think>```json\n"+judgetest.Answer("2")+"```", "{}", "{", "length", "zebra")
	f.Add(strings.Repeat("{", 300)+`"a":"`, judgetest.Answer("NaN"), judgetest.Answer("1")+judgetest.Answer("2"), "", "")
	f.Add(judgetest.Answer(`"N/A"`), judgetest.Answer("true"), `{"output":"Yes"}`, "stop", "")
	five, unit := judgetest.Rubric(f, rubrics.Intent), judgetest.Rubric(f, rubrics.Overall)
	question, err := rubrics.Load(strings.NewReader("name: q\nquestion: q?\nanswer: yes/no\npass: yes\nnot_applicable: yes"), "q.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, content, arguments, reasoning, finish, canary string) {
		in := &llm.Response{Content: content, ToolArguments: arguments, Arguments: []string{arguments, arguments + content}, Reasoning: reasoning, FinishReason: finish}
		for _, r := range []*rubrics.Rubric{five, unit, question[0]} {
			got := Read(r, in, Options{Canaries: []string{canary}})
			if !got.OK() {
				if got.Detail == "" {
					t.Errorf("kind %s without a detail", got.Kind)
				}
				continue
			}
			if got.Category == rubrics.NotApplicable && r.Output.MayNotApply && got.Output == nil {
				continue
			}
			if (got.Category == "") != (r.Output.Categories == nil) {
				t.Fatalf("category %q", got.Category)
			}
			if got.Output == nil || *got.Output < r.Output.Min || *got.Output > r.Output.Max {
				t.Fatalf("output %v outside of the scale", got.Output)
			}
			for _, v := range r.Check(got.Answer) {
				if strings.HasPrefix(v.Pointer, "/output") {
					t.Fatalf("an invalid output was accepted: %s", got.Answer.JSON())
				}
			}
			if got.At >= 0 && content[got.At] != '{' {
				t.Fatalf("the answer begins with %q", content[got.At])
			}
			if finish == "length" {
				t.Fatal("an answer that was cut short was accepted")
			}
			again := Read(r, &llm.Response{Content: got.Answer.JSON(), FinishReason: "stop"}, Options{})
			if !again.OK() || !value.Equal(again.Answer, got.Answer) {
				t.Fatalf("the answer does not read again: %s %s", again.Kind, again.Detail)
			}
		}
	})
}

// TestBrokenOffAdvises: a reply that the server broke off names no budget to raise.
func TestBrokenOffAdvises(t *testing.T) {
	five := judgetest.Rubric(t, rubrics.Intent)
	for _, text := range []string{"{", "<think>so", strings.Repeat(" ", 600)} {
		for sent, advised := range map[string]bool{"abort": false, "Cancelled": false, "": true, "model_length": true} {
			got := Read(five, &llm.Response{Content: text, FinishReason: "length", FinishSent: sent}, Options{})
			if got.OK() || strings.Contains(got.Detail, "limit") != advised || !advised && strings.Contains(got.Detail, "raise") {
				t.Errorf("%q after %.8q: %s", sent, text, got.Detail)
			}
		}
	}
}

// TestStated: a text that is no JSON still says which output a repair must keep.
func TestStated(t *testing.T) {
	for text, want := range map[string]string{
		`{"explanation":"it "fits" well","output": 4,"confidence":1}`: "4",
		`{"explanation":"it "fits" well","output":4}`:                 "4",
		`{"explanation":"it "fits" well","output":9,"confidence":1}`:  "",
		`{"explanation":"a "b","output":4,"output":3}`:                "",
		`{"explanation":"say \"output\": 3, "b" c","output":"4"}`:     "",
		`it is a 4`: "",
	} {
		got := ""
		if out := Read(judgetest.Rubric(t, rubrics.Intent), &llm.Response{Content: text, FinishReason: "stop"}, Options{}).Output; out != nil {
			got = strconv.FormatFloat(*out, 'g', -1, 64)
		}
		if got != want {
			t.Errorf("%s: output %q, want %q", text, got, want)
		}
	}
}

// TestReadMembers: of several objects the last counts, and none that begins within another that
// is not closed: it may be any part of it.
func TestReadMembers(t *testing.T) {
	for content, want := range map[string]string{
		`{"fine":{"output":4}}`:                               `{"output":4}`,
		`{"fine":{"output":1}} or {"fine":{"output":4}}`:      `{"output":4}`,
		`{"draft": {"fine":{"output":4}}`:                     ``,
		`{"fine":{"output":4},"fine":{"output":5}}`:           ``,
		`{"fine":{"output":4},"other":{"a":1,"a":2}}`:         `{"output":4}`,
		`{"fine":{"output":4,"output":5},"other":{"a":1}}`:    ``,
		`{"fine":{"output":4}} and {"fine":{"output": four}}`: `{"output":4}`,
	} {
		got := ""
		if r := ReadMembers(&llm.Response{Content: content}, Options{}).Of("fine"); r != nil {
			got = r.Content
		}
		if got != want {
			t.Errorf("%s: %s, want %s", content, got, want)
		}
	}
}

// TestWordsForNumbers: only a text that is a number becomes one.
func TestWordsForNumbers(t *testing.T) {
	for confidence, want := range map[string]string{`"0.5"`: "0.5 coerced_number", `"high"`: "null confidence_invalid", `null`: "null confidence_invalid"} {
		content := strings.Replace(judgetest.Answer("4"), `"confidence":0.9`, `"confidence":`+confidence, 1)
		got := Read(judgetest.Rubric(t, rubrics.Intent), &llm.Response{Content: content, FinishReason: "stop"}, Options{CoerceNumbers: true})
		text := got.Answer.Field(rubrics.KeyConfidence).JSON()
		for _, f := range got.Flags {
			text += " " + f.Code
		}
		if text != want || !got.OK() {
			t.Errorf("%s: %s, want %s", confidence, text, want)
		}
	}
}

// TestSideFields: what breaks the schema beside the output is a flag, and null if it is a key.
func TestSideFields(t *testing.T) {
	rubric := judgetest.Rubric(t, rubrics.Intent)
	whole := judgetest.JSON(t, `{"explanation":"e","evidence":"v","output":4,"confidence":7,"correction":{}}`)
	r := &Reading{Answer: whole, whole: whole}
	(&reader{rubric: rubric}).dropSideFields(r, []rubrics.Violation{
		{Pointer: "", Rule: "more than it may have"}, {Pointer: "/confidence", Rule: "is 7"}, {Pointer: "/mood", Rule: "is not known"},
	})
	var got []string
	for _, f := range r.Flags {
		got = append(got, f.Code+" "+strconv.Itoa(f.Severity))
	}
	if diff := cmp.Diff([]string{"rule_violated 1", "confidence_invalid 1", "unexpected_key 1"}, got); diff != "" {
		t.Error(diff)
	}
	if !r.Answer.Field(rubrics.KeyConfidence).IsNull() || r.Answer.Field(rubrics.KeyOutput).JSON() != "4" {
		t.Error(r.Answer.JSON())
	}
}
