package run

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// TestTextsOfASheet: a row shows its call, unchanged if its arguments are no JSON, or the user's first message of its
// turn or conversation; a log that ends early gives the others, and says why.
func TestTextsOfASheet(t *testing.T) {
	message := func(role transcript.Role, text string) transcript.Message {
		return transcript.Message{Role: role, Content: text}
	}
	c := &transcript.Conversation{ID: "c", Messages: []transcript.Message{
		message(transcript.System, "rules"), message(transcript.User, "first"), message(transcript.Assistant, "yes"),
		message(transcript.User, "second"), message(transcript.Assistant, "no"),
	}, Calls: []transcript.Call{
		{Name: "pay", Arguments: value.Pairs("amount", 5)}, {Name: "pay", Malformed: true, RawArguments: `{"amount":`},
	}}
	silent := &transcript.Conversation{ID: "s", Messages: []transcript.Message{message(transcript.Assistant, "hello")}}
	rows := func() []measure.LabelRow {
		return []measure.LabelRow{
			{ConversationID: "c"}, {ConversationID: "c", CallIndex: 1}, {ConversationID: "c", CallIndex: 2},
			{ConversationID: "c", CallIndex: -1}, {ConversationID: "c", CallIndex: -1, Turn: 2, Scope: labels.Turn},
			{ConversationID: "s", CallIndex: -1}, {ConversationID: "gone"},
		}
	}
	texts := func(rows []measure.LabelRow) (out []string) {
		for _, r := range rows {
			out = append(out, r.Call)
		}
		return out
	}
	log := func(broken error, list ...*transcript.Conversation) func(func(*transcript.Conversation, error) bool) {
		return func(yield func(*transcript.Conversation, error) bool) {
			for _, one := range list {
				if !yield(one, nil) {
					return
				}
			}
			if broken != nil {
				yield(nil, broken)
			}
		}
	}
	whole := []string{`pay {"amount":5}`, `pay {"amount":`, "", "first", "second", "", ""}
	for name, tt := range map[string]struct {
		log     func(func(*transcript.Conversation, error) bool)
		rows    []measure.LabelRow
		want    []string
		problem string
	}{
		"all":           {log(nil, silent, c), rows(), whole, ""},
		"a broken log":  {log(errors.New("cut off"), c), rows(), whole, "cut off"},
		"not read on":   {log(errors.New("cut off"), c), rows()[:2], whole[:2], ""},
		"another order": {log(nil, c, silent), rows()[3:], whole[3:], ""},
		"nothing":       {log(errors.New("gone")), rows()[:1], []string{""}, "gone"},
	} {
		problem := fillCalls(tt.rows, tt.log)
		if diff := cmp.Diff(tt.want, texts(tt.rows)); diff != "" || problem != tt.problem {
			t.Errorf("%s: problem %q, want %q (-want +got):\n%s", name, problem, tt.problem, diff)
		}
	}
}
