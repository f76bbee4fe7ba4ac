package directory

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
)

// shopTalk is a conversation of two calls, the first with an enormous result.
func shopTalk() *transcript.Conversation {
	long := strings.Repeat("filler ", 200_000) + "order 987 is packed " + strings.Repeat("more ", 1000)
	return &transcript.Conversation{
		ID:    "talk",
		Tools: []transcript.Tool{{Name: "get_order"}, {Name: "cancel_order"}},
		Messages: []transcript.Message{
			{Role: transcript.System, Content: "be kind"},
			{Role: transcript.User, Content: "cancel <script>alert(1)</script> 987"},
			{Role: transcript.Assistant, Content: "one moment", Calls: []int{0}},
			{Role: transcript.ToolRole, ToolName: "get_order", Content: long, Result: 0},
			{Role: transcript.Assistant, Calls: []int{1}},
			{Role: transcript.ToolRole, ToolName: "cancel_order", Content: "done", Result: 1},
			{Role: transcript.Assistant, Content: "it is cancelled"},
		},
		Calls: []transcript.Call{
			{Index: 0, Name: "get_order", RawArguments: `{"id":987}`, Message: 2, Result: 3},
			{Index: 1, Name: "cancel_order", RawArguments: `{"id":988}`, Message: 4, Result: 5},
		},
	}
}

func TestRecordShowsTheCallAndMarksWhatTheJudgeDidNotSee(t *testing.T) {
	one := 1
	d := &report.Disagreement{CaseRef: report.CaseRef{CallIndex: &one}, Judgements: []report.Side{{Evidence: `"order 987 is packed"`}}}
	r := recordOf(shopTalk(), d)
	type line struct {
		Kind          string
		Message       int
		Focus, Unseen bool
	}
	var got []line
	for _, l := range r.Lines {
		got = append(got, line{l.Kind, l.Message, l.Focus, l.Unseen})
	}
	want := []line{
		{"definition", -1, false, false}, {"message", 0, false, false}, {"message", 1, false, false}, {"message", 2, false, false},
		{"call", 2, false, false}, {"result", 3, false, false}, {"call", 4, true, false}, {"result", 5, false, true}, {"message", 6, false, true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	result := r.Lines[5]
	if !strings.HasPrefix(result.Text, "filler ") || !strings.Contains(result.Text, "order 987 is packed") || utf8.RuneCountInString(result.Text) > recordText+20 {
		t.Errorf("the long result became %d characters: %q", utf8.RuneCountInString(result.Text), result.Text)
	}
	if total := utf8.RuneCountInString(shopTalk().Messages[3].Content); result.Cut+utf8.RuneCountInString(strings.ReplaceAll(result.Text, "…", "")) != total {
		t.Errorf("%d left out of %d, %d shown", result.Cut, total, utf8.RuneCountInString(result.Text))
	}
}

func TestRecordIsBounded(t *testing.T) {
	c := shopTalk()
	for range 500 {
		c.Messages = append(c.Messages, transcript.Message{Role: transcript.User, Content: strings.Repeat("\x00", 5000)})
	}
	for _, call := range []*int{nil, indexOf(0), indexOf(1)} {
		r := recordOf(c, &report.Disagreement{CaseRef: report.CaseRef{CallIndex: call}})
		lines := r.SkippedAfter
		for _, l := range r.Lines {
			lines += 1 + l.Skipped
		}
		want := len(linesOf(c, call))
		if text, _ := json.Marshal(r); len(r.Lines) > recordLines || lines != want || len(text) > 60_000 {
			t.Errorf("call %v: %d lines, %d counted of %d, %d bytes", call, len(r.Lines), lines, want, len(text))
		}
	}
	if r := recordOf(c, &report.Disagreement{CaseRef: report.CaseRef{CallIndex: indexOf(7)}}); r.Problem == "" {
		t.Error("a call that is not there must be named")
	}
}
