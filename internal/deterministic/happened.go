package deterministic

import (
	"context"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// event is one thing that happens in a conversation.
type event struct {
	// call is the index of the call that is made, or whose result this is; -1 for
	// text of the agent.
	call    int
	message int
	result  bool
	failed  bool
	text    string
}

// happened is a conversation as what happened in it: the agent's texts, its calls and
// their results.
type happened struct {
	calls  []transcript.Call
	events []event
}

func (v *view) happened() *happened {
	if v.happening != nil {
		return v.happening
	}
	h := &happened{calls: v.c.Calls, events: make([]event, 0, len(v.c.Messages)+len(v.c.Calls))}
	v.happening = h
	for i := range v.c.Messages {
		m := &v.c.Messages[i]
		if m.Role == transcript.Assistant && strings.TrimSpace(m.Content) != "" {
			h.events = append(h.events, event{call: -1, message: i, text: m.Content})
		}
		for _, at := range m.Calls { // in a message of an unknown role too
			if ofAgent(&h.calls[at]) {
				h.events = append(h.events, event{call: at, message: i})
			}
		}
		if m.Role == transcript.ToolRole && m.Result >= 0 && ofAgent(&h.calls[m.Result]) {
			_, failed := v.c.Failure(&h.calls[m.Result])
			h.events = append(h.events, event{m.Result, i, true, failed, m.Content})
		}
	}
	return h
}

// caseView reads the chat messages of a case, a list of them or an object with one under
// "messages", as the log of a conversation.
func caseView(in Input) (*view, error) {
	messages := in.Actual
	if list := messages.Field("messages"); list.IsList() {
		messages = list
	}
	log := value.OfObject(field("messages", messages), field("tools", definitions(in.Tools))).JSON()
	r := transcript.Open(context.Background(), "actual", strings.NewReader(log), transcript.Options{Format: "openai-chat"})
	defer r.Close()
	c, err := r.Next()
	if err != nil {
		return nil, configError("actual", "must be chat messages: %v", err)
	}
	return newView(c, value.Value{}), nil
}

// tools are the names of the tools that were called, sorted.
func (h *happened) tools() []string {
	names := make([]string, 0, len(h.calls))
	for i := range h.events {
		if e := &h.events[i]; e.call >= 0 && !e.result {
			names = append(names, h.calls[e.call].Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
