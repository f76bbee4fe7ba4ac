package deterministic

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/toolresult"
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
	calls  []*transcript.Call
	events []event
	// reads are tools that are known to change nothing.
	reads []string
}

func (v *view) happened() *happened {
	if v.happening != nil {
		return v.happening
	}
	h := &happened{
		calls:  make([]*transcript.Call, len(v.c.Calls)),
		events: make([]event, 0, len(v.c.Messages)+len(v.c.Calls)),
	}
	v.happening = h
	for i := range h.calls {
		h.calls[i] = &v.c.Calls[i]
	}
	for i := range v.c.Tools {
		if v.c.Tools[i].Raw.Field("annotations").Field("readOnlyHint").Text() == "true" {
			h.reads = append(h.reads, v.c.Tools[i].Name)
		}
	}
	for i := range v.c.Messages {
		m := &v.c.Messages[i]
		if m.Role == transcript.Assistant {
			h.addText(i, m.Content)
		}
		for _, at := range m.Calls { // in a message of an unknown role too
			if ofAgent(h.calls[at]) {
				h.events = append(h.events, event{call: at, message: i})
			}
		}
		if m.Role == transcript.ToolRole && m.Result >= 0 && ofAgent(h.calls[m.Result]) {
			_, failed := v.c.Failure(h.calls[m.Result])
			h.events = append(h.events, event{m.Result, i, true, failed, m.Content})
		}
	}
	return h
}

func (h *happened) addText(message int, text string) {
	if strings.TrimSpace(text) != "" {
		h.events = append(h.events, event{call: -1, message: message, text: text})
	}
}

// readHappened reads chat messages, or an object with a list of them under "messages". A
// result without an id answers the earliest call that has none yet.
func readHappened(messages value.Value) *happened {
	if list := messages.Field("messages"); list.IsList() {
		messages = list
	}
	h := &happened{}
	// open are the calls under each id, and all of them under "", that may lack a result.
	open := map[string][]int{}
	var answered []bool
	for at, m := range messages.Elements() {
		role, _ := m.Field("role").Str()
		text, _ := m.Field("content").Str()
		switch role {
		case "assistant":
			h.addText(at, text)
			for _, raw := range m.Field("tool_calls").Elements() {
				index := len(h.calls)
				h.events = append(h.events, event{call: index, message: at})
				h.calls, answered = append(h.calls, readOne(raw)), append(answered, false)
				open[""] = append(open[""], index)
				if id, given := raw.Field("id").Str(); given {
					open["#"+id] = append(open["#"+id], index)
				}
			}
		case "tool":
			id, given := m.Field("tool_call_id").Str()
			if given {
				id = "#" + id
			}
			for queue := open[id]; len(queue) > 0; queue = open[id] {
				index := queue[0]
				open[id] = queue[1:]
				if !answered[index] {
					answered[index] = true
					h.events = append(h.events, resultEvent(at, index, m, text))
					break
				}
			}
		}
	}
	return h
}

// resultEvent reads the tool message that answers a call.
func resultEvent(at, call int, m value.Value, text string) event {
	if text == "" {
		text = m.Field("content").JSON()
	}
	failed, flagged := m.Field("is_error").BoolVal()
	if !flagged {
		_, failed = toolresult.Text(text)
	}
	return event{call: call, message: at, result: true, failed: failed, text: text}
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
