package reply

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// said returns what was read: the output or the kind of failure, and the codes of the flags.
func said(r Reading) string {
	out := r.Said()
	if !r.OK() {
		out = r.Kind
	}
	for _, f := range r.Flags {
		out += " " + f.Code
	}
	return out
}

// readText reads a finished reply about a number from 1 to 5.
func readText(t *testing.T, content string, o Options) Reading {
	t.Helper()
	return Read(judgetest.Rubric(t, rubrics.Intent), &llm.Response{Content: content, FinishReason: "stop"}, o)
}

// TestWhichObjectIsTheAnswer: the answer is found in front of, after and within other text, and nothing that is
// only thought, or only part of an answer, is taken for one.
func TestWhichObjectIsTheAnswer(t *testing.T) {
	good, seven, draft := judgetest.Answer("4"), judgetest.Answer("7"), judgetest.Answer("1")
	within := func(text string) string { return strings.Replace(good, "The call", text+" The call", 1) }
	thought := "<think>" + draft + "</think>"
	for _, tt := range []struct {
		in   llm.Response
		want string
	}{
		{llm.Response{Content: "</think>" + good}, "4"},
		{llm.Response{Content: draft + "</think>" + good}, "4"},
		{llm.Response{Content: within("<think>")}, "4"},
		{llm.Response{Content: within(`he said \" and {`)}, "4"},
		{llm.Response{Content: thought + " I cannot say."}, "invalid_json"},
		{llm.Response{ToolArguments: thought + good}, "4"},
		{llm.Response{ToolArguments: thought, Arguments: []string{thought + good, good}}, "4"},
		{llm.Response{Content: "Sure! " + good + good}, "4 text_around_answer"},
		{llm.Response{Content: good + " {"}, "4 text_around_answer"},
		{llm.Response{Content: "\n```json\n" + good + "\n```\n"}, "4"},
		{llm.Response{Content: "```json\n" + good[:len(good)-1] + "\n```"}, "4 repaired_brace"},
		{llm.Response{Content: `{"explanation":"e","evidence":"v","output":4,"confidence":1,"correction":"so"`},
			"4 repaired_brace correction_unreadable"},
		{llm.Response{Content: `{"output":2} {"output":4}`},
			"4 explanation_missing evidence_missing confidence_missing correction_missing multiple_answers"},
		{llm.Response{Content: good + judgetest.AnswerWith("2", "e", "NONE: v", `"so"`)}, "4 multiple_answers"},
		{llm.Response{Content: seven + " {not: json}"}, "schema_violation"},
		{llm.Response{Content: "{not: json} " + seven}, "schema_violation"},
		{llm.Response{Content: strings.Replace(good, `"output":4,`, `"output":1,"output":4,`, 1) + ","}, "schema_violation"},
		{llm.Response{Content: strings.Replace(strings.Replace(good, `{}}`, `{},}`, 1), `"output":4`,
			`"output":1,"output":4`, 1)}, "schema_violation repaired_trailing_comma"},
		{llm.Response{Content: "I'm sorry, I can't help. {not: json}"}, "invalid_json"},
	} {
		tt.in.FinishReason = "stop"
		if got := said(Read(judgetest.Rubric(t, rubrics.Intent), &tt.in, Options{})); got != tt.want {
			t.Errorf("%s%s: %s, want %s", tt.in.Content, tt.in.ToolArguments, got, tt.want)
		}
	}
}

// TestWhyThereIsNoAnswer: a person is told what was wrong with the reply, and whether the model was still thinking.
func TestWhyThereIsNoAnswer(t *testing.T) {
	good := judgetest.Answer("4")
	zero, one := 0, 1
	blanks := func(n int) string { return good[:60] + strings.Repeat(" ", n) }
	for _, tt := range []struct {
		in           llm.Response
		kind, detail string
	}{
		{llm.Response{Reasoning: "It is right."}, KindInvalidJSON, "the reply is empty"},
		{llm.Response{Content: `{"a": four} {"output": NaN}`}, KindInvalidJSON, "NaN is not a JSON number"},
		{llm.Response{Content: "I'm sorry, I can't help.", Refusal: "Rule 4"}, KindRefused, "declined to answer: Rule 4"},
		{llm.Response{FinishReason: "length"}, KindTruncated, "raise max_tokens"},
		{llm.Response{FinishReason: "length", Usage: llm.Usage{Reasoning: &zero}}, KindTruncated, "raise max_tokens"},
		{llm.Response{FinishReason: "length", Usage: llm.Usage{Reasoning: &one}}, KindTruncatedInThought, "while thinking"},
		{llm.Response{FinishReason: "length", Content: "<think>so</think>"}, KindTruncatedInThought, "while thinking"},
		{llm.Response{FinishReason: llm.FinishRepetition, Content: "[4]"}, KindTruncated, "it repeated itself"},
		{llm.Response{FinishReason: llm.FinishRepetition, Content: blanks(15)}, KindTruncated, "it repeated itself"},
		{llm.Response{FinishReason: llm.FinishRepetition, Content: blanks(16)}, KindWhitespaceLoop, "only wrote blanks"},
	} {
		got := Read(judgetest.Rubric(t, rubrics.Intent), &tt.in, Options{})
		if got.Kind != tt.kind || !strings.Contains(got.Detail, tt.detail) {
			t.Errorf("%+v: %s (%s), want %s (%s)", tt.in, got.Kind, got.Detail, tt.kind, tt.detail)
		}
	}
	none := readText(t, "It is a 4.", Options{})
	repair, want := Repair(nil, none, 1)[1].Content, "accepted: /: the answer holds no complete JSON object. Return"
	if !strings.Contains(repair, want) {
		t.Error(repair)
	}
	broken := Read(judgetest.Rubric(t, rubrics.Intent), &llm.Response{Content: "{a}", FinishReason: "stop"}, Options{})
	repair, want = Repair(nil, broken, 1)[1].Content, "accepted: /: the answer is not valid JSON: "
	if !strings.Contains(repair, want) {
		t.Error(repair)
	}
}

// TestSecretWord: an answer with the secret word is void wherever the word stands outside a thought, also as
// one of several answers; without a word nothing is void.
func TestSecretWord(t *testing.T) {
	good := judgetest.Answer("4")
	const word = "zebra-17"
	r := judgetest.Rubric(t, rubrics.Intent)
	for _, in := range []llm.Response{
		{Content: word + strings.Repeat("x", maxReplyText) + good},
		{Content: good, ToolArguments: "{}", Arguments: []string{"{}", word}},
		{Reasoning: strings.Replace(judgetest.Answer("7"), "request", word, 1)},
	} {
		in.FinishReason = "stop"
		if got := Read(r, &in, Options{Canaries: []string{"", word}}); got.Kind != KindCanary {
			t.Errorf("%.80s: %s", in.Content+in.ToolArguments+in.Reasoning, got.Kind)
		}
	}
	if got := Read(r, &llm.Response{Content: good, FinishReason: "stop"}, Options{Canaries: []string{""}}); !got.OK() {
		t.Errorf("without a secret word: %s", got.Kind)
	}
	members := `{"fine":{"output":4,"explanation":"` + word + `"}}`
	for _, in := range []llm.Response{{Content: members}, {Reasoning: members}} {
		if ReadMembers(&in, Options{Canaries: []string{word}}).Of("fine") != nil {
			t.Errorf("%+v: the answer has the secret word", in)
		}
		if ReadMembers(&in, Options{}).Of("fine") == nil {
			t.Errorf("%+v: no answer", in)
		}
	}
}

// TestTextCorrections: a correction that came as text is the object in it, and null if there is none.
func TestTextCorrections(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":1}`: `{"id":1}`, ` none `: `{}`, `null`: `{}`, ``: `{}`, ` `: `{}`, `[1]`: "null correction_unreadable",
		`call f`: "null correction_unreadable", `7`: "null correction_unreadable",
	} {
		answer := judgetest.AnswerWith("4", "e", "NONE: v", string(value.AppendQuoted(nil, text)))
		got := readText(t, answer, Options{CorrectionAsText: true})
		_, flags, _ := strings.Cut(said(got), " ")
		if has := strings.TrimSpace(got.Answer.Field(rubrics.KeyCorrection).JSON() + " " + flags); has != want {
			t.Errorf("%q: %s, want %s", text, has, want)
		}
		if Unreadable(got.Flags) != strings.Contains(want, "unreadable") {
			t.Errorf("%q: unreadable %v", text, Unreadable(got.Flags))
		}
	}
	if Unreadable([]score.Flag{{Code: "correction_as_text"}}) {
		t.Error("another flag makes a correction unreadable")
	}
}

// TestCategoriesAsWritten: a category counts in another spelling, and stays a text where texts become numbers;
// which one was meant is also read from an answer that is not JSON.
func TestCategoriesAsWritten(t *testing.T) {
	const question = "name: q\nquestion: q?\nanswer: ['1', '2', bad]\npass: ['1']"
	list, err := rubrics.Load(strings.NewReader(question), "q.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string]string{
		`"2"`: "2", `"Bad"`: "bad category_spelling", `"worse"`: "schema_violation", `2`: "schema_violation",
	} {
		content := judgetest.Answer(output)
		got := Read(list[0], &llm.Response{Content: content, FinishReason: "stop"}, Options{CoerceNumbers: true})
		if said(got) != want {
			t.Errorf("%s: %s, want %s (%s)", output, said(got), want, got.Detail)
		}
		broken := Read(list[0], &llm.Response{Content: strings.Replace(content, "call", `"call"`, 1), FinishReason: "stop"},
			Options{})
		stated, _, _ := strings.Cut(strings.TrimPrefix(want, "schema_violation"), " ")
		if broken.Kind != KindInvalidJSON || broken.Said() != stated {
			t.Errorf("%s in an answer that is not JSON: %q, want %q", output, broken.Said(), stated)
		}
	}
	confidence := strings.Replace(judgetest.Answer(`"2"`), "0.9", `"0.9"`, 1)
	got := Read(list[0], &llm.Response{Content: confidence, FinishReason: "stop"}, Options{CoerceNumbers: true})
	if said(got) != "2 coerced_number" {
		t.Error(said(got))
	}
}

// TestVerdictsOnParameters: the output follows from the verdicts, and each argument of the call needs one.
func TestVerdictsOnParameters(t *testing.T) {
	list, err := rubrics.Named()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		if r.Name != "parameters_each" {
			continue
		}
		for _, tt := range []struct{ output, entries, want string }{
			{"grounded", "city grounded, sku grounded", "grounded"},
			{"grounded", "city grounded, sku invented", "invented output_recomputed"},
			{"invented", "city grounded, sku right_value", "right_value output_recomputed"},
			{"worse", "city grounded, sku grounded", "schema_violation"},
			{"grounded", "city grounded", "schema_violation"},
			{"grounded", "city.name grounded, sku grounded", "grounded"},
		} {
			var entries []value.Value
			for entry := range strings.SplitSeq(tt.entries, ", ") {
				name, verdict, _ := strings.Cut(entry, " ")
				entries = append(entries, value.Pairs("name", name, "verdict", verdict, "why", "so"))
			}
			answer := value.OfObject()
			for _, key := range r.PropertyOrder() {
				answer = answer.With(key, map[string]value.Value{
					"explanation": value.OfString("e"), "evidence": value.OfString("v"), "output": value.OfString(tt.output),
					"confidence": value.OfInt(1), "correction": value.OfObject(), "parameters": value.OfList(entries...),
				}[key])
			}
			in := &llm.Response{Content: answer.JSON(), FinishReason: "stop"}
			got := Read(r, in, Options{Arguments: []string{"city", "sku"}})
			if said(got) != tt.want || got.OK() && got.Answer.Field("output").Text() != got.Said() {
				t.Errorf("%s: %s, want %s (%s)", answer.JSON(), said(got), tt.want, got.Detail)
			}
			if slices.ContainsFunc(got.Flags, func(f score.Flag) bool { return f.Severity != 1 }) {
				t.Errorf("%s: %v escalates", answer.JSON(), got.Flags)
			}
			const lacks = "/parameters: no entry is about the argument sku"
			if tt.entries == "city grounded" && !strings.Contains(got.Detail, lacks) {
				t.Error(got.Detail)
			}
		}
		return
	}
	t.Fatal("no rubric parameters_each")
}

// TestLongTexts: an explanation or evidence of just the length that the schema states is not too long.
func TestLongTexts(t *testing.T) {
	for _, tt := range []struct {
		explanation, evidence int
		want                  string
	}{
		{1500, 1000, "4"}, {1501, 1000, "4 overlong_explanation"}, {1500, 1001, "4 overlong_evidence"},
	} {
		answer := judgetest.AnswerWith("4", strings.Repeat("é", tt.explanation), strings.Repeat("é", tt.evidence), "{}")
		got := readText(t, answer, Options{})
		if said(got) != tt.want {
			t.Errorf("%d and %d characters: %s, want %s", tt.explanation, tt.evidence, said(got), tt.want)
		}
	}
}

// TestLocalRepairs: a repair escapes what may not stand in a string and drops commas, and changes nothing else.
func TestLocalRepairs(t *testing.T) {
	for text, want := range map[string]string{
		"{\n\"a\": \"x\ny\tz\"}":     "{\n\"a\": \"x\\ny\\tz\"}",
		`{"a":"q\", }\\",}`:          `{"a":"q\", }\\"}`,
		"{\"a\":\"\\\" \n,}\" , }":   `{"a":"\" \n,}"  }`,
		`{"a":[1,[2, ], {"b":3,}],}`: `{"a":[1,[2 ], {"b":3}]}`,
		`{"a":1,"b":[]}`:             `{"a":1,"b":[]}`,
	} {
		if got, _, _ := repair(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestObject: of a reply to a question the last object counts, after the thinking.
func TestObject(t *testing.T) {
	for content, want := range map[string]string{
		`{"a":1} {"a":2} {a}`: `{"a":2}`, `<think>{"a":1}</think> {"b":2,}`: `{"b":2}`, `no`: "",
	} {
		got := ""
		if v, ok := Object(&llm.Response{Content: content, FinishReason: "stop"}); ok {
			got = v.JSON()
		}
		if got != want {
			t.Errorf("%s: %s, want %s", content, got, want)
		}
	}
}

// TestFailures: a failed request is a missing judgement of a kind that says who can do something about it.
func TestFailures(t *testing.T) {
	for kind, want := range map[llm.ErrorKind]string{
		llm.KindOverflow: KindContext, llm.KindUnauthorized: KindRefusedByEndpoint, llm.KindNotFound: KindRefusedByEndpoint,
		llm.KindBadRequest: KindBadRequest, llm.KindTooLarge: KindInvalidReply, llm.KindTimeout: KindTransport,
	} {
		err := &llm.Error{Kind: kind, Message: "why", Fatal: kind == llm.KindUnauthorized}
		got, detail, fatal := Failure(err)
		if got != want || !strings.Contains(detail, "why") || fatal != err.Fatal {
			t.Errorf("%s: %s (%s), fatal %v, want %s", kind, got, detail, fatal, want)
		}
	}
	kind, detail, fatal := Failure(errors.New("broken pipe"))
	if kind != KindTransport || detail != "broken pipe" || fatal {
		t.Errorf("%s (%s), fatal %v", kind, detail, fatal)
	}
}

// TestWeighable: a score is weighed if one token shows it.
func TestWeighable(t *testing.T) {
	for _, tt := range []struct {
		output rubrics.Output
		want   bool
	}{
		{rubrics.Output{Integer: true, Min: 1, Max: 5}, true}, {rubrics.Output{Min: 0, Max: 1}, false},
		{rubrics.Output{Integer: true, Min: 1, Max: 5, MayNotApply: true}, false},
		{rubrics.Output{Categories: []string{"yes", "no"}}, true},
		{rubrics.Output{Categories: []string{"good", "Great"}}, false},
		{rubrics.Output{Categories: []string{"yes", "no"}, MayNotApply: true}, false},
	} {
		if got := Weighable(tt.output); got != tt.want {
			t.Errorf("%+v: %v", tt.output, got)
		}
	}
}

// TestWeighedAlternatives: only alternatives that begin a category, or are a label, have a share.
func TestWeighedAlternatives(t *testing.T) {
	yes := rubrics.Output{Categories: []string{"no", "yes"}, Pass: []string{"yes"}}
	letters := rubrics.Output{Categories: []string{"a", "b"}, Pass: []string{"b"}}
	low := judgetest.Rubric(t, rubrics.Prerequisite).Output // 0 or 1, of which 1 passes
	const head = `{"explanation":"e","output":`
	type shares = map[string]float64
	for name, tt := range map[string]struct {
		output      rubrics.Output
		token, tail string
		top         shares
		want        [2]float64 // probability of a pass, and coverage; zero if it is not weighed
	}{
		"begins a category":     {yes, `"y`, `es"}`, shares{`"y`: 0.6, `"N`: 0.3, `"`: 0.1}, [2]float64{2.0 / 3, 0.9}},
		"with what follows":     {yes, `"yes"`, "}", shares{`"yes"`: 0.6, `"no",`: 0.2, "no": 0.2}, [2]float64{0.75, 0.8}},
		"more than is possible": {yes, `"yes`, `"}`, shares{`"yes`: 0.75, `"no`: 0.75}, [2]float64{0.5, 1}},
		"one letter":            {letters, `"b`, `"}`, shares{`"b`: 0.6, `"a`: 0.4}, [2]float64{0.6, 1}},
		"another word":          {yes, `"maybe`, `"}`, shares{`"yes`: 0.6, `"no`: 0.4}, [2]float64{}},
		"share of the labels":   {low, "1", "}", shares{"1": 0.6, "0": 0.2, "x": 0.2}, [2]float64{0.75, 0.8}},
		"not shared in front":   {low, `:1`, "}", shares{":1": 0.6, "0": 0.4}, [2]float64{}},
		"shared in front":       {low, `:1`, "}", shares{":1": 0.6, ":0": 0.4}, [2]float64{0.6, 1}},
		"two digits":            {low, `10`, "}", shares{"10": 1}, [2]float64{}},
		"another output later":  {low, "1", `} but "output":0}`, shares{"1": 0.6, "0": 0.4}, [2]float64{0.6, 1}},
	} {
		front := strings.TrimSuffix(head, strings.Repeat(":", strings.Count(tt.token, ":")))
		token := llm.Token{TokenAlternative: llm.TokenAlternative{Token: tt.token}}
		for text, p := range tt.top {
			token.Top = append(token.Top, llm.TokenAlternative{Token: text, Logprob: math.Log(p)})
		}
		tokens := []llm.Token{
			{TokenAlternative: llm.TokenAlternative{Token: front}}, token,
			{TokenAlternative: llm.TokenAlternative{Token: tt.tail}},
		}
		r := *judgetest.Rubric(t, rubrics.Prerequisite)
		r.Output = tt.output
		var got [2]float64
		if w := Weigh(&r, front+tt.token+tt.tail, 0, tokens); w != nil {
			got = [2]float64{math.Round(w.PassProbability*1e9) / 1e9, math.Round(w.Coverage*1e9) / 1e9}
		}
		tt.want[0] = math.Round(tt.want[0]*1e9) / 1e9
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if w := Weigh(&r, front+tt.token+tt.tail, -1, tokens); w != nil {
			t.Errorf("%s: weighed, although the answer is elsewhere: %+v", name, w)
		}
	}
}
