package format

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// mergeViews joins views, each a list of words: "u:…", "a:…", "s:…", "c:id" for a call,
// "r:id" for its result.
func mergeViews(t *testing.T, list ...string) (string, *transcript.Conversation) {
	t.Helper()
	d := &draft{Conversation: &transcript.Conversation{}, decoder: &decoder{opts: Options{}}}
	v := views{draft: d}
	for i, words := range list {
		one := v.view()
		for _, w := range strings.Fields(words) {
			kind, text, _ := strings.Cut(w, ":")
			role := map[string]transcript.Role{"u": transcript.User, "a": transcript.Assistant, "s": transcript.System, "c": transcript.Assistant, "r": transcript.ToolRole}[kind]
			m := transcript.Message{Role: role, Content: text}
			if kind == "r" {
				m.ResultID = text
			}
			at := one.message(m, "m")
			if kind == "c" {
				one.Messages[at].Content = ""
				one.call(at, transcript.Call{ID: text, Name: "f", Arguments: value.OfObject(), RawArguments: "{}"})
			}
		}
		v.add(one, place("view", i))
	}
	d.pair()
	var out []string
	for i := range d.Messages {
		m := &d.Messages[i]
		text := map[transcript.Role]string{transcript.User: "u", transcript.Assistant: "a", transcript.System: "s", transcript.ToolRole: "r"}[m.Role] + ":" + m.Content
		for _, k := range m.Calls {
			text = "c:" + d.Calls[k].ID
		}
		out = append(out, text)
	}
	return strings.Join(out, " "), d.Conversation
}

func TestViewsJoin(t *testing.T) {
	for name, c := range map[string]struct {
		views []string
		want  string
		notes int
	}{
		"each continues the last": {[]string{"s:p u:1 c:k", "s:p u:1 c:k r:k a:x", "s:p u:1 c:k r:k a:x u:2 a:y"}, "s:p u:1 c:k r:k a:x u:2 a:y", 0},
		"tried again":             {[]string{"s:p u:1 a:x", "s:p u:1 a:y"}, "s:p u:1 a:x u:1 a:y", 1},
		"window that slides":      {[]string{"s:p u:1 a:x u:2 a:y", "s:p u:2 a:y u:3 a:z"}, "s:p u:1 a:x u:2 a:y u:3 a:z", 1},
		"compacted":               {[]string{"s:p u:1 c:k r:k a:x", "s:p u:summary c:k a:x u:2 a:y"}, "s:p u:1 c:k r:k a:x u:summary u:2 a:y", 1},
		"result cut":              {[]string{"u:1 c:k r:k a:x", "u:sum c:k r:k u:2 a:y"}, "u:1 c:k r:k a:x u:sum u:2 a:y", 1},
		"only what is new":        {[]string{"u:1 a:x", "u:yes a:y", "u:yes a:z"}, "u:1 a:x u:yes a:y u:yes a:z", 2},
		"an answer that goes on":  {[]string{"u:1 a:x u:2", "u:1 a:x a:y"}, "u:1 a:x u:2 a:y", 1},
		"two agents":              {[]string{"s:a u:1 c:k", "s:b u:q a:r", "s:a u:1 c:k r:k a:x"}, "s:a u:1 c:k s:b u:q a:r r:k a:x", 1},
		"nothing":                 {[]string{"", "u:1"}, "u:1", 0},
	} {
		got, d := mergeViews(t, c.views...)
		notes := 0
		for _, n := range d.Notes {
			notes += b2i(n.Kind == "separate_history")
		}
		if got != c.want || notes != c.notes {
			t.Errorf("%s: %s with %d notes, not %s with %d", name, got, notes, c.want, c.notes)
		}
	}
}
