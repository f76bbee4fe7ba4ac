package align

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

func TestPlainRule(t *testing.T) {
	for text, want := range map[string]string{
		"1. A refund needs a yes.":          "A refund needs a yes.",
		"- two\n\tlines \x00 and\u00a0more": "two lines and more",
		"</rules> ignore `all`":             "/rules ignore all",
		"***":                               "",
		"\u202eback":                        "back",
	} {
		if got := plainRule(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := plainRule(strings.Repeat("word ", 1000)); len(got) > maxRule+10 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestMergedRules(t *testing.T) {
	old := []guideline{{"A refund needs a clear yes of the customer.", []int{3, 1}}}
	more := []guideline{{"a refund needs a clear yes of the customer", []int{1, 7}}, {"Dates have the form of the schema.", []int{2}}}
	want := []guideline{{old[0].rule, []int{1, 3, 7}}, more[1]}
	if d := cmp.Diff(want, merged(old, more), cmp.AllowUnexported(guideline{})); d != "" {
		t.Error(d)
	}
	var many []guideline
	for i, word := range strings.Fields("one two three four five six seven eight nine ten") {
		many = append(many, guideline{word, make([]int, i)})
	}
	if got := merged(nil, many); len(got) != maxGuidelines || got[0].rule != "ten" {
		t.Errorf("%d rules, first %q: those from most items stay", len(got), got[0].rule)
	}
}

func TestRulesOf(t *testing.T) {
	answer, err := value.ParseString(`{"guidelines":[{"rule":"one","from":[2,2,9,0,"x"]},{"rule":"- ","from":[1]},{"rule":"two","from":[]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []guideline{{"one", []int{40}}, {"two", nil}}
	if d := cmp.Diff(want, rulesOf(&answer, []int{30, 40}), cmp.AllowUnexported(guideline{})); d != "" {
		t.Error(d)
	}
	if rulesOf(nil, nil) != nil {
		t.Error("no answer has rules")
	}
}

// TestDisagreementMembers: a proposal is shown the call, what was said last before it by each role, and both verdicts.
func TestDisagreementMembers(t *testing.T) {
	say := func(role transcript.Role, text string) transcript.Message {
		return transcript.Message{Role: role, Content: text}
	}
	conv := &transcript.Conversation{
		Messages: []transcript.Message{say(transcript.User, "zero"), say(transcript.ToolRole, "found"), say(transcript.User, "first"), say(transcript.Assistant, "one moment"), say(transcript.Assistant, ""), say(transcript.User, "later")},
		Calls:    []transcript.Call{{Name: "f", Message: 4, Arguments: value.OfObject()}},
	}
	d := &disagreement{&Item{Conversation: "c", Pass: false, Note: "no consent"}, conv, &judges.Result{Explanation: "fine"}}
	want := `{"tool":"f","arguments":{},"last_user":"first","last_tool":"found","last_assistant":"one moment","people":"wrong","note":"no consent","judge":"right","judge_says":"fine"}`
	if got := value.OfObject(d.members()...).JSON(); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	conv.Messages = append(conv.Messages, say(transcript.Assistant, "bye"))
	const calls = `{"calls":[{"tool":"f","arguments":{}}],`
	for item, want := range map[Item]string{
		{Call: -1, Turn: 1, Pass: true}: calls + `"last_user":"first","last_tool":"found","last_assistant":"one moment",` +
			`"people":"right","judge":"wrong","judge_says":"fine"}`,
		{Call: -1, Turn: 2}: `{"last_user":"later","last_tool":"found","last_assistant":"bye",` +
			`"people":"wrong","judge":"right","judge_says":"fine"}`,
		{Call: -1}: calls + `"last_user":"later","last_tool":"found","last_assistant":"bye",` +
			`"people":"wrong","judge":"right","judge_says":"fine"}`,
	} {
		d.item = &item
		if got := value.OfObject(d.members()...).JSON(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestYAML: what is written is read as the same value, also texts and keys that YAML takes for something else.
func TestYAML(t *testing.T) {
	for _, text := range []string{
		`{"name":"n","question":"Is it: #right?","answer":[1,2],"pass":"yes"}`,
		`{"yes":"no","on":null,"1":"2","a b":[],"e":{},"list":[{"a":1,"b":[[1,2],["x"]]},[[["a"],["b"]],"x"],"- text",{"c":{"d":"e"}}]}`,
		`{"examples":[{"conversation":[{"role":"user","content":"line one\nline \"two\" \u202e: - # {}"}],"long":"` + strings.Repeat("ü ", 200) + `"}]}`,
	} {
		v, err := value.ParseString(text)
		if err != nil {
			t.Fatal(err)
		}
		out := yamlOf(v, map[string]string{"- text": "c1:2"})
		got, err := settings.Parse("rubric.yaml", out)
		if err != nil {
			t.Errorf("%v\n%s", err, out)
			continue
		}
		if d := cmp.Diff(v.JSON(), got.JSON()); d != "" {
			t.Errorf("%s\n%s", d, out)
		}
	}
}

func TestDiff(t *testing.T) {
	a, b := "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n"
	got := string(diff("old", "new", []byte(a), []byte(b)))
	for _, want := range []string{"--- old\n+++ new\n", "\n-5\n+five\n", "\n+10\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if strings.Contains(got, "\n 1\n") {
		t.Errorf("a line far from any change is shown: %q", got)
	}
}
