package format

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// mergeViews joins views, each a list of words: "u:…", "a:…", "s:…", "c:id" for a call, "c:id/7" for one with an
// argument, "x:id" for one of the server, "r:id" or "r:id=text" for its result.
func mergeViews(t *testing.T, sameIDs bool, list ...string) (string, *transcript.Conversation) {
	t.Helper()
	d := &draft{Conversation: &transcript.Conversation{}, decoder: &decoder{opts: Options{}}}
	v := views{draft: d, sameIDs: sameIDs}
	for i, words := range list {
		one := v.view()
		for _, w := range strings.Fields(words) {
			kind, text, _ := strings.Cut(w, ":")
			role := map[string]transcript.Role{"u": transcript.User, "a": transcript.Assistant, "s": transcript.System,
				"c": transcript.Assistant, "x": transcript.Assistant, "r": transcript.ToolRole}[kind]
			m := transcript.Message{Role: role, Content: text}
			if kind == "r" {
				m.ResultID, m.Content, _ = strings.Cut(text, "=")
			}
			at := one.message(m, "m")
			if kind == "c" || kind == "x" {
				one.Messages[at].Content = ""
				id, n, given := strings.Cut(text, "/")
				args := value.OfObject()
				if given {
					args = value.Pairs("n", n)
				}
				executor := map[string]string{"x": "server"}[kind]
				one.call(at, transcript.Call{ID: id, Name: "f", Arguments: args, RawArguments: args.JSON(), Executor: executor})
			}
		}
		v.add(one, place("view", i))
	}
	d.pair()
	var out []string
	for i := range d.Messages {
		m := &d.Messages[i]
		text := map[transcript.Role]string{transcript.User: "u", transcript.Assistant: "a", transcript.System: "s", transcript.ToolRole: "r"}[m.Role] + ":" + m.Content
		if m.Role == transcript.ToolRole {
			text = strings.TrimSuffix("r:"+m.ResultID+"="+m.Content, "=")
		}
		for _, k := range m.Calls {
			text = strings.TrimSuffix("c:"+d.Calls[k].ID+"/"+d.Calls[k].Arguments.Field("n").Text(), "/")
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
		"the same request, the other of two histories": {[]string{"u:1 a:x", "u:2 a:y", "u:1 a:x u:3 a:z"}, "u:1 a:x u:2 " +
			"a:y u:3 a:z", 1},
		"the longest history": {[]string{"u:1", "u:1 a:x u:2", "u:1 a:y", "u:1 a:x u:2 a:z"},
			"u:1 a:x u:2 u:1 a:y a:z", 1},
		"another id in a history that goes on": {[]string{"u:1 c:k", "u:1 c:j r:j=a"}, "u:1 c:k r:j=a", 0},
		"equal calls are one": {[]string{"s:p u:1 c:k r:k a:x", "u:2 c:j r:j u:3 a:y"}, "s:p " +
			"u:1 c:k r:k a:x u:2 c:j r:j u:3 a:y", 1},
		"calls with the same ids": {[]string{"s:p u:1 c:k r:k a:x", "u:2 c:k r:k u:3 a:y"}, "s:p " +
			"u:1 c:k r:k a:x u:2 u:3 a:y", 1},
	} {
		got, d := mergeViews(t, false, c.views...)
		notes := 0
		for _, n := range d.Notes {
			notes += b2i(n.Kind == "separate_history")
		}
		if got != c.want || notes != c.notes {
			t.Errorf("%s: %s with %d notes, not %s with %d", name, got, notes, c.want, c.notes)
		}
	}
}

// TestViewsOfCallsWithIDs: where a repeated call keeps its id, another id is another call, unless all before it is
// repeated; and a result of a known call comes once.
func TestViewsOfCallsWithIDs(t *testing.T) {
	for name, c := range map[string]struct {
		views []string
		want  string
		notes int
	}{
		"another id in a history that goes on": {[]string{"u:1 c:k", "u:1 c:j r:j a:x"}, "u:1 c:k r:k a:x", 0},
		"each call gets its own id": {[]string{"u:1 c:k/1 c:l/2", "u:1 c:i/1 c:j/2 r:j=b r:i=a"}, "u:1 c:k/1 " +
			"c:l/2 r:l=b r:k=a", 0},
		"an id that the history lacks":              {[]string{"u:1 c:k", "u:1 c: r:=a"}, "u:1 c:k r:=a", 0},
		"known ids in another order":                {[]string{"u:1 c:k c:j", "u:1 c:j c:k r:j=a r:k=b"}, "u:1 c:k c:j r:j=a r:k=b", 0},
		"calls without an id":                       {[]string{"u:1 c:", "u:1 c: r:=x a:y"}, "u:1 c: r:=x a:y", 0},
		"calls without an id behind the same start": {[]string{"u:1 c: a:x", "u:1 c: a:y"}, "u:1 c: a:x a:y", 1},
		"a known call with another argument":        {[]string{"u:1 c:k/1 r:k", "u:1 c:k/2 r:k"}, "u:1 c:k/1 r:k c:k/2", 1},
		"another id after other words": {[]string{"u:1 c:k r:k a:x", "u:2 c:j r:j a:y"}, "u:1 c:k r:k a:x u:2 " +
			"c:j r:j a:y", 1},
		"another id before the same end": {[]string{"u:1 a:x u:2 a:y", "u:9 c:j u:2 a:y"}, "u:1 a:x u:2 a:y u:9 " +
			"c:j u:2 a:y", 1},
		"a known id before the same end": {[]string{"u:1 c:j u:2 a:y", "u:9 c:j u:2 a:y"}, "u:1 c:j u:2 a:y u:9", 1},
		"another call behind the same start": {[]string{"u:1 a:x c:k/1 a:y", "u:1 a:x c:j/2 a:z"}, "u:1 a:x c:k/1 a:y " +
			"c:j/2 a:z", 1},
		"a call of the server that differs": {[]string{"u:1 x:k/1 a:x", "u:2 x:k/2 a:y"}, "u:1 c:k/1 a:x u:2 a:y", 1},
		"another call of the server": {[]string{"u:1 x:k/1 a:x", "u:2 x:j/2 a:y"}, "u:1 c:k/1 a:x u:2 c:j/2 " +
			"a:y", 1},
		"a result of an answered call": {[]string{"u:1 c:k r:k=a a:x", "u:2 r:k=b a:y"}, "u:1 c:k r:k=a a:x u:2 " +
			"a:y", 1},
		"a result without an id": {[]string{"u:1 c:k r:k=a a:x", "u:2 r:=a a:y"}, "u:1 c:k r:k=a a:x u:2 " +
			"r:=a a:y", 1},
		"a result that is new in a history": {[]string{"u:1 c:k r:k=a", "u:1 c:k r:j=a a:x"}, "u:1 c:k r:k=a r:j=a " +
			"a:x", 0},
	} {
		got, d := mergeViews(t, true, c.views...)
		notes := 0
		for _, n := range d.Notes {
			notes += b2i(n.Kind == "separate_history")
		}
		if got != c.want || notes != c.notes {
			t.Errorf("%s: %q with %d notes, not %q with %d", name, got, notes, c.want, c.notes)
		}
	}
	for want, c := range map[string]transcript.Call{
		"f\x00{}": {Name: "f", Malformed: true, RawArguments: " ", Arguments: value.OfObject()},
		"f\x00x":  {Name: "f", Malformed: true, RawArguments: "x", Arguments: value.OfObject()},
		`f` + "\x00" + `{"a":2,"b":1}`: {Name: "f", RawArguments: `{"b": 1, "a": 2}`, Arguments: mustParse(t, `{"b": 1,`+
			` "a": 2}`)},
	} {
		if got := whatIsCalled(&c); got != want {
			t.Errorf("%q is called, want %q", got, want)
		}
	}
}
