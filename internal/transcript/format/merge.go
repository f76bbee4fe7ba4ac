package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
)

// views joins the messages of records that repeat earlier ones: every request to a model carries the history,
// and a log of requests carries it again and again. A view is the messages of one request and its reply.
//
// A view that begins with all messages of an earlier one continues it: only the rest is new. Any other view is
// a separate history (a retried answer, another agent, a compacted context, a server that keeps the history):
// what it repeats from the beginning or end of an earlier view is left out, and so are calls and results with
// known ids. So every call appears once, in the order of the views.
type views struct {
	*draft
	// histories holds the keys of the messages of each history.
	histories [][]string
	seen      map[string]bool
	// ids holds the ids of calls, results the ids of calls with a result.
	ids, results map[string]bool
	// sameIDs says that a repeated call keeps its id, so that equal calls with different ids are two calls.
	sameIDs bool
}

// view returns a draft for the messages of one view, which add then joins to the conversation.
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
		same-- // the same words again, or one question answered twice: the log does not say
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

// continued finds the longest history with which a view begins; -1 if none.
func (v *views) continued(keys []string) (history, known int) {
	history = -1
	for i, h := range v.histories {
		if len(h) > known && len(h) <= len(keys) && slices.Equal(h, keys[:len(h)]) {
			history, known = i, len(h)
		}
	}
	return history, known
}

// rename replaces the ids of repeated calls, and of the results that name them, by those of the
// earlier view, in case the client wrote others.
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

// overlap returns how many messages at the beginning of a view also begin an earlier one (same),
// and the number of messages up to the last one that ends an earlier view (repeated).
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

// calledAgain returns the index of the first message with calls whose ids no earlier view had.
func (v *views) calledAgain(one *draft) int {
	for i := range one.Messages {
		m := &one.Messages[i]
		if v.sameIDs && len(m.Calls) > 0 && one.Calls[m.Calls[0]].ID != "" && !v.knownCalls(one, m) {
			return i
		}
	}
	return len(one.Messages)
}

// newResult reports whether a message answers a call whose id no earlier view answered.
func (v *views) newResult(m *transcript.Message) bool {
	return v.sameIDs && m.Role == transcript.ToolRole && m.ResultID != "" && !v.results[m.ResultID]
}

// knownCalls reports whether all calls of a message, or the call that it answers, occurred with the
// same id in an earlier view. A call of the server may differ there, if its id is the same.
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

// whatIsCalled returns a call's name and arguments in one form: no arguments may be "" or {}.
func whatIsCalled(c *transcript.Call) string {
	if c.Malformed && strings.TrimSpace(c.RawArguments) == "" {
		return c.Name + "\x00{}"
	}
	if c.Malformed {
		return c.Name + "\x00" + c.RawArguments
	}
	return c.Name + "\x00" + c.Arguments.Canonical()
}

// take copies the new messages of a view, with their calls.
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

// key returns what a message says, to recognise it later. It leaves out reasoning, ids, flags and
// everything that only the request or only the reply has.
func (d *draft) key(i int) string {
	m := &d.Messages[i]
	var b strings.Builder
	b.WriteString(string(m.Role) + "\x00" + strings.TrimSpace(m.Content))
	for _, k := range m.Calls {
		b.WriteString("\x00" + whatIsCalled(&d.Calls[k]))
	}
	return transcript.Digest([]byte(b.String()))
}
