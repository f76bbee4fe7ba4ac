package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
)

// views joins the messages of records that repeat what earlier ones held: every request to
// a model carries the history, and a log of requests carries it again and again. A view is
// the messages of one request and its reply.
//
// A view that begins with all messages of an earlier one continues it: what follows is new.
// Any other view is a history of its own (an answer that was tried again, another agent, a
// context that was compacted, a server that keeps the history): of it is left out what is
// the same from its beginning on, what repeats the end of an earlier view, and calls and
// results whose ids are known. So every call comes out once, in the order of the views.
type views struct {
	*draft
	// histories are the keys of the messages of each history.
	histories [][]string
	seen      map[string]bool
	// ids are the calls with an id, results the ids of calls with a result.
	ids, results map[string]bool
	// sameIDs says that a call has the same id wherever it is repeated, so that equal calls of different ids
	// are two.
	sameIDs bool
}

// view returns a draft for the messages of one view, which add joins to the conversation.
func (v *views) view() *draft {
	c := &transcript.Conversation{ID: v.ID, Source: v.Source}
	return &draft{Conversation: c, decoder: v.decoder, inventory: v.inventory}
}

// add joins a view. at is its place in the log.
func (v *views) add(one *draft, at string) {
	v.Notes = append(v.Notes, one.Notes...)
	for _, n := range one.Dropped {
		entry(&v.Dropped, n.Name, func(c *transcript.Count) *string { return &c.Name }).Count += n.Count
	}
	keys := make([]string, len(one.Messages))
	for i := range keys {
		keys[i] = one.key(i)
	}
	if len(keys) == 0 {
		return
	}
	h, known := v.continued(keys)
	if h >= 0 {
		v.histories[h] = keys
		v.rename(one, known)
		v.take(one, keys, func(i int) bool { return i < known && !v.newResult(&one.Messages[i]) })
		return
	}
	same, repeated := v.overlap(keys)
	if again := v.calledAgain(one); again < max(same, repeated) {
		same, repeated = min(same, again), 0
	}
	if same > 0 && same == len(keys)-1 && one.Messages[same-1].Role == transcript.User {
		same-- // the same words once more, or one question answered twice: the log does not say
	}
	if len(v.histories) > 0 {
		v.note("separate_history", at, "the messages do not continue those of an earlier request: "+
			"only what is new in them was added")
	}
	v.histories = append(v.histories, keys)
	v.take(one, keys, func(i int) bool {
		m := &one.Messages[i]
		old := len(m.Calls) > 0 || m.Role == transcript.ToolRole || v.seen[keys[i]]
		return i < same || i < repeated && old || v.knownCalls(one, m)
	})
}

// continued finds the longest history that a view begins with; -1 for none.
func (v *views) continued(keys []string) (history, known int) {
	history = -1
	for i, h := range v.histories {
		if len(h) > known && len(h) <= len(keys) && slices.Equal(h, keys[:len(h)]) {
			history, known = i, len(h)
		}
	}
	return history, known
}

// rename gives calls that a view repeats the ids by which they are known, if their client wrote others, and so the
// results that name them.
func (v *views) rename(one *draft, known int) {
	ids, next := map[string]string{}, 0
	for i := range known {
		for _, k := range one.Messages[i].Calls {
			c := &one.Calls[k]
			if !v.sameIDs || c.ID == "" || v.ids[callKey(c)] {
				continue
			}
			for ; next < len(v.Calls) && ids[c.ID] == ""; next++ {
				if whatIsCalled(&v.Calls[next]) == whatIsCalled(c) {
					ids[c.ID] = v.Calls[next].ID
				}
			}
		}
	}
	for i := range one.Messages {
		m := &one.Messages[i]
		m.ResultID = cmp.Or(ids[m.ResultID], m.ResultID)
	}
}

// overlap returns how many messages at the beginning of a view begin an earlier one, and
// the place after the last message up to which the view repeats the end of one.
func (v *views) overlap(keys []string) (same, repeated int) {
	for _, h := range v.histories {
		n := 0
		for n < min(len(h), len(keys)) && h[n] == keys[n] {
			n++
		}
		same = max(same, n)
		for end := len(keys); end > max(n, repeated); end-- {
			if keys[end-1] == h[len(h)-1] {
				repeated = end
			}
		}
	}
	return same, repeated
}

// calledAgain returns the place of the first message with calls whose ids no earlier view held.
func (v *views) calledAgain(one *draft) int {
	for i := range one.Messages {
		m := &one.Messages[i]
		if v.sameIDs && len(m.Calls) > 0 && one.Calls[m.Calls[0]].ID != "" && !v.knownCalls(one, m) {
			return i
		}
	}
	return len(one.Messages)
}

// newResult reports whether a message answers a call by an id that no earlier view answered.
func (v *views) newResult(m *transcript.Message) bool {
	return v.sameIDs && m.Role == transcript.ToolRole && m.ResultID != "" && !v.results[m.ResultID]
}

// knownCalls reports whether a message makes only calls, or is the result of a call, that
// an earlier view held with the same id. A client may write calls of the server in another way.
func (v *views) knownCalls(one *draft, m *transcript.Message) bool {
	if m.Role == transcript.ToolRole {
		return m.ResultID != "" && v.results[m.ResultID]
	}
	known := 0
	for _, k := range m.Calls {
		switch c := &one.Calls[k]; {
		case c.ID != "" && (v.ids[callKey(c)] || c.Executor == "server" && v.ids[c.ID]):
			known++
		case c.Executor != "server":
			return false
		}
	}
	return known > 0
}

func callKey(c *transcript.Call) string { return c.ID + "\x00" + whatIsCalled(c) }

// whatIsCalled returns the name of a call and its arguments, however they are written: none are "" or {}.
func whatIsCalled(c *transcript.Call) string {
	if c.Malformed && strings.TrimSpace(c.RawArguments) == "" {
		return c.Name + "\x00{}"
	}
	if c.Malformed {
		return c.Name + "\x00" + c.RawArguments
	}
	return c.Name + "\x00" + c.Arguments.Canonical()
}

// take copies the messages of a view that are not old, with their calls.
func (v *views) take(one *draft, keys []string, old func(i int) bool) {
	if v.seen == nil {
		v.seen, v.ids, v.results = map[string]bool{}, map[string]bool{}, map[string]bool{}
	}
	for i := range one.Messages {
		if old(i) {
			continue
		}
		m := one.Messages[i]
		calls := m.Calls
		m.Calls = nil
		at := v.message(m, one.places[i])
		for _, k := range calls {
			v.call(at, one.Calls[k])
			v.ids[callKey(&one.Calls[k])] = true
			v.ids[one.Calls[k].ID] = true
		}
		if m.Role == transcript.ToolRole {
			v.results[m.ResultID] = true
		}
		v.seen[keys[i]] = true
	}
}

// key returns what a message says, by which it is known again. Reasoning, ids, flags and all
// else that only the request or only the reply holds are left out.
func (d *draft) key(i int) string {
	m := &d.Messages[i]
	var b strings.Builder
	b.WriteString(string(m.Role) + "\x00" + strings.TrimSpace(m.Content))
	for _, k := range m.Calls {
		b.WriteString("\x00" + whatIsCalled(&d.Calls[k]))
	}
	return transcript.Digest([]byte(b.String()))
}
