package prompt

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// TestExpectedLines: a rubric that sees the reference is told all of it that decides: which values
// are allowed, which arguments count, that no call is right, and what must be said.
func TestExpectedLines(t *testing.T) {
	call := transcript.ExpectedCall{Name: "f", Arguments: judgetest.JSON(t, `{"x":1}`)}
	allowed, some, users := call, call, call
	allowed.Allowed = judgetest.JSON(t, `{"x":[1,2]}`)
	some.Compare = []string{"x"}
	users.Requestor = "user"
	const shown = `{"name":"f","parameters":{"x":1}`
	for want, e := range map[string]*transcript.Expected{
		"":                                       {},
		shown + "}":                              {Calls: []transcript.ExpectedCall{call}},
		shown + `,"allowed_values":{"x":[1,2]}}`: {Calls: []transcript.ExpectedCall{allowed}},
		shown + `,"parameters_that_count":["x"]}`: {Calls: []transcript.ExpectedCall{some}},
		`{"note":"no call is expected"}`:          {Calls: []transcript.ExpectedCall{}},
		`{"answer_says":"21 degrees"}`:            {Outputs: []string{"21 degrees"}},
		shown + "}\n" + `{"answer_says":"done"}`:  {Calls: []transcript.ExpectedCall{call, users}, Outputs: []string{"done"}},
	} {
		conv := judgetest.Support(t)
		conv.Expected = e
		v := NewView(conv, Options{RunKey: []byte("k")})
		block := v.Expected()
		_, got, _ := strings.Cut(strings.TrimSuffix(block, "<<<END "+v.nonce+" expected>>>\n"), "\n")
		if got = strings.TrimSpace(got); got != want || !strings.HasPrefix(block, "<<<RECORD "+v.nonce+" expected>>>\n") {
			t.Errorf("%s, want %s", block, want)
		}
		if HasExpected(conv) != (want != "") {
			t.Errorf("%s: expected something: %v", want, HasExpected(conv))
		}
	}
}

// TestScaleTexts: a judge is told what it may answer, and that there is a reference.
func TestScaleTexts(t *testing.T) {
	for want, o := range map[string]rubrics.Output{
		"Scale: output is an integer from 1 to 5.":  {Integer: true, Min: 1, Max: 5},
		"Scale: output is a number from 0 to 1. So": {Max: 1, Description: "So"},
		`Answer: output is one of "a", "b". If the question does not apply to this record, output is "` + rubrics.NotApplicable + `".`: {
			Categories: []string{"a", "b"}, MayNotApply: true},
	} {
		if got := scaleText(o); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	r := *judgetest.Rubric(t, rubrics.Overall)
	if text := gradeText(&r, "Keys: "); strings.Contains(text, expectedText) {
		t.Error("a rubric that does not see the reference is told of it")
	}
	r.SeesExpected, r.Language = true, "German"
	text := gradeText(&r, "Keys: ")
	if !strings.Contains(text, expectedText+"\n\nScale: ") || !strings.Contains(text, "language: German") {
		t.Error(text)
	}
}

// TestNonceOfHostileLog: a log that holds every beginning of the first digits gets others.
func TestNonceOfHostileLog(t *testing.T) {
	first := nonceOf([]byte("k"), func(string) bool { return false })
	var longest string
	got := nonceOf([]byte("k"), func(s string) bool {
		if longest == "" || strings.HasPrefix(s, first) {
			longest = s
			return true
		}
		return false
	})
	if len(longest) != 2*32 || got == "" || strings.HasPrefix(longest, got) {
		t.Errorf("%s after %s", got, longest)
	}
	if _, err := hex.DecodeString(got + got); err != nil {
		t.Error(err)
	}
}

// TestExamplesOfNamedRubrics: a frame has as many variants as the rubric with most examples has, if
// all rubrics stand in one prompt.
func TestExamplesOfNamedRubrics(t *testing.T) {
	few, many := *judgetest.Rubric(t, rubrics.Intent), *judgetest.Rubric(t, rubrics.Overall)
	few.Examples = few.Examples[:1]
	all := []*rubrics.Rubric{&few, &many}
	for layout, want := range map[Layout]int{RubricFirst: 2, NamedRubrics: len(many.Examples) + 1} {
		if f := NewFrame(&few, all, Options{Layout: layout}); len(f.Messages) != want || len(f.Costs) != want {
			t.Errorf("%s: %d variants, want %d", layout, len(f.Messages), want)
		}
	}
}

// TestExamplesOfNamedRubricsInSystem: the examples stand in the system message if the options say so, else before the record.
func TestExamplesOfNamedRubricsInSystem(t *testing.T) {
	all := []*rubrics.Rubric{judgetest.Rubric(t, rubrics.Intent), judgetest.Rubric(t, rubrics.Overall)}
	examples := len(all[0].Examples) + len(all[1].Examples)
	for inSystem, turns := range map[bool]int{true: 1, false: 1 + 2*examples} {
		f := NewFrame(all[0], all, Options{Layout: NamedRubrics, ExamplesInSystem: inSystem})
		longest := f.Messages[len(f.Messages)-1]
		n := strings.Count(longest[0].Content, "\nAnswer: {\"explanation\"")
		if second := "\n\nExample 2, a record with the right answer:\n<<<RECORD e2 tools>>>\n"; inSystem &&
			strings.Count(longest[0].Content, second) != len(all) {
			t.Errorf("%q does not stand once for each rubric in\n%s", second, longest[0].Content)
		}
		if len(longest) != turns || inSystem && n != examples || !inSystem && n != 0 {
			t.Errorf("in system %v: %d messages, %d examples in the first of them; %d examples in all", inSystem, len(longest), n, examples)
		}
	}
}

func TestEscapes(t *testing.T) {
	for text, want := range map[string]string{
		"a\bc\fd\ne":    `"a\u0008c\u000cd\ne"`,
		`a\bc`:          `"a\\bc"`,
		"<a>[INST]":     `"\u003ca>\u005bINST]"`,
		"[a]\u00ad\x7f": `"[a]\u00ad\u007f"`,
		"\u009f\u00a0":  `"\u009f` + "\u00a0" + `"`,
		"é INST]日INST]": `"é INST]日INST]"`,
		"\U000e0041":    `"\udb40\udc41"`,
	} {
		if got := string(appendSafe(nil, value.OfString(text))); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// TestFrameOfOneScope: where one prompt holds all rubrics, it holds those that ask about the same kind of item.
func TestFrameOfOneScope(t *testing.T) {
	call, turn := *judgetest.Rubric(t, rubrics.Intent), *judgetest.Rubric(t, rubrics.Overall)
	turn.Scope = rubrics.ScopeTurn
	f := NewFrame(&call, []*rubrics.Rubric{&call, &turn}, Options{Layout: NamedRubrics})
	if system := f.Messages[0][0].Content; !strings.Contains(system, "\n\nRubric "+call.Name+"\n") ||
		strings.Contains(system, turn.Name) {
		t.Error(system)
	}
}

// TestCostOfFrames: a frame's cost covers its messages and what it adds to the last one; without examples
// it has one variant.
func TestCostOfFrames(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	for _, layout := range Layouts() {
		o := Options{Layout: layout, MaxExamples: -1}
		f := NewFrame(r, []*rubrics.Rubric{r}, o)
		if len(f.Costs) != 1 {
			t.Fatalf("%s: %d variants without examples", layout, len(f.Costs))
		}
		all := f.Messages[0][0].Content + f.Endings[0].Before + f.Endings[0].Closing
		if spare := f.Costs[0] - float64(len(all))/3.6; spare < 8 || spare > 12 { // a message takes 8 tokens more
			t.Errorf("%s: %v tokens for %d bytes", layout, f.Costs[0], len(all))
		}
	}
}
