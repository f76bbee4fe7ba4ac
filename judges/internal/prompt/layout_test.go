package prompt

import (
	"math"
	"strings"
	"testing"

	"github.com/judgekit/judge/rubrics"
)

// asked returns the text of a whole prompt.
func asked(v *View, r *rubrics.Rubric, all []*rubrics.Rubric, o Options, call int) string {
	f := NewFrame(r, all, o)
	n := len(f.Messages) - 1
	var b strings.Builder
	for _, m := range f.Messages[n] {
		b.WriteString(m.Content)
	}
	b.WriteString(v.Show(OfCall(call), math.Inf(1), f.Endings[n]).Text)
	return b.String()
}

func common(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// TestTogetherFrame: one prompt has every rubric under its name, and demands an answer under each name, in order.
func TestTogetherFrame(t *testing.T) {
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	f := NewTogetherFrame(list[:2], Options{})
	system := f.Messages[0][0].Content
	for _, want := range []string{
		"with one key for each rubric, its name, in this order: " + list[0].Name + ", " + list[1].Name + ". Grade by each",
		"\n\nRubric " + list[0].Name + "\n\nWhat to grade:\n" + list[0].Description,
		"\n\nRubric " + list[1].Name + "\n\nWhat to grade:\n" + list[1].Description,
		`{"type":"object","properties":{"` + list[0].Name + `":{"type":"object",`,
		`"required":["` + list[0].Name + `","` + list[1].Name + `"],"additionalProperties":false}`,
	} {
		if !strings.Contains(system, want) {
			t.Errorf("%q is not in\n%s", want, system)
		}
	}
	if len(f.Messages[0]) != 1 || f.Endings[0].Closing != "Grade this one call by each rubric. Answer with JSON only." {
		t.Errorf("%d messages, the last line is %q", len(f.Messages[0]), f.Endings[0].Closing)
	}
	if spare := f.Costs[0] - float64(len(system)+len(f.Endings[0].Closing))/3.6; spare < 8 || spare > 20 {
		t.Errorf("%v tokens for %d bytes", f.Costs[0], len(system))
	}
}

// TestLayouts: of two rubrics about one call, or two calls under one rubric, the prompts
// have a common beginning up to where the layout says; everything is in each of them; and
// each layout is another instrument.
func TestLayouts(t *testing.T) {
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	conv := list[0].Examples[0].Log
	last := len(conv.Calls) - 1
	versions := map[string]bool{}
	for _, layout := range Layouts() {
		o := Options{Layout: layout, RunKey: []byte("k")}
		versions[o.Version()] = true
		v := NewView(conv, o)
		a, b := asked(v, list[0], list, o, last), asked(v, list[1], list, o, last)
		endOfConversation := "<<<END " + v.nonce + " conversation>>>"
		shared := a[:common(a, b)]
		switch layout {
		case RubricFirst:
			if strings.Contains(shared, v.nonce) {
				t.Errorf("%s: rubrics share the record: %q", layout, shared)
			}
		case ConversationFirst:
			if !strings.Contains(shared, endOfConversation) || strings.Contains(shared, list[0].Description) {
				t.Errorf("%s: what two rubrics share ends in %q", layout, shared[max(0, len(shared)-200):])
			}
		case NamedRubrics:
			if !strings.Contains(shared, "<<<END "+v.nonce+" call>>>") {
				t.Errorf("%s: what two rubrics share ends in %q", layout, shared[max(0, len(shared)-200):])
			}
		}
		for _, text := range []string{list[0].Description, schemaText(list[0]), "Example", evidenceText,
			string(v.whole.Line(0)), closingLine(rubrics.ScopeCall)[:len("Grade this one call")]} {
			if text == "Example" && layout != ConversationFirst {
				text = list[0].Examples[0].Answer.JSON()
			}
			if !strings.Contains(a, text) {
				t.Errorf("%s: lacks %q", layout, text[:min(80, len(text))])
			}
		}
		if layout == NamedRubrics && !strings.HasSuffix(a, closingFor(list[0])) {
			t.Errorf("%s: the rubric is not named at the end: %q", layout, a[len(a)-100:])
		}
	}
	if len(versions) != len(Layouts()) {
		t.Errorf("versions: %v", versions)
	}
	if (Options{}).Version() != Version || (Options{Layout: RubricFirst}).Version() != Version {
		t.Error("the usual layout is a version of its own")
	}
}

// TestClosing: the last line of a message that names its rubric says what is graded.
func TestClosing(t *testing.T) {
	for scope, want := range map[rubrics.Scope]string{
		rubrics.ScopeCall:         "Grade this one call by the rubric tone. Answer with JSON only.",
		rubrics.ScopeResult:       "Grade this one call with its result by the rubric tone. Answer with JSON only.",
		rubrics.ScopeTurn:         "Grade this one turn by the rubric tone. Answer with JSON only.",
		rubrics.ScopeConversation: "Grade this conversation by the rubric tone. Answer with JSON only.",
	} {
		if got := closingFor(&rubrics.Rubric{Name: "tone", Scope: scope}); got != want {
			t.Errorf("%s: %s, want %s", scope, got, want)
		}
	}
}
