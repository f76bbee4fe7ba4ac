package prompt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// Target is one item to judge: a call, a call with its result, a turn or a conversation.
type Target struct {
	// Scope is the kind of item; "" means call.
	Scope rubrics.Scope
	// Call is the index of the call for scopes call and result, Turn counts from 1 for scope turn.
	Call, Turn int
}

// OfCall returns the target for a call, by its index, without its result.
func OfCall(index int) Target { return Target{Call: index} }

// HasCall reports whether the target is a call, with or without its result.
func (t Target) HasCall() bool { return t.scope().OfCalls() }

func (t Target) scope() rubrics.Scope { return cmp.Or(t.Scope, rubrics.ScopeCall) }

// ID returns the target's name inside its conversation: "3", "3:result", "turn2", or "" for the
// whole conversation.
func (t Target) ID() string {
	switch t.scope() {
	case rubrics.ScopeCall:
		return fmt.Sprint(t.Call)
	case rubrics.ScopeResult:
		return fmt.Sprintf("%d:result", t.Call)
	case rubrics.ScopeTurn:
		return fmt.Sprintf("turn%d", t.Turn)
	}
	return ""
}

// String returns the target's name in a sentence: "call 3", "call 3 with its result", "turn 2"; ""
// for the whole conversation.
func (t Target) String() string {
	switch t.scope() {
	case rubrics.ScopeCall:
		return fmt.Sprintf("call %d", t.Call)
	case rubrics.ScopeResult:
		return fmt.Sprintf("call %d with its result", t.Call)
	case rubrics.ScopeTurn:
		return fmt.Sprintf("turn %d", t.Turn)
	}
	return ""
}

// Targets returns all items of a scope that should be judged, in order. Calls that are only
// history, and calls of a simulated user, are left out. A call without a result is no target of
// scope result, and a conversation without a message of the agent is no target.
func Targets(conv *transcript.Conversation, scope rubrics.Scope) []Target {
	out := []Target{}
	switch cmp.Or(scope, rubrics.ScopeCall) {
	case rubrics.ScopeCall, rubrics.ScopeResult:
		for i := range conv.Calls {
			c := &conv.Calls[i]
			if !c.Context && c.Executor != "user" && (scope != rubrics.ScopeResult || c.Result >= 0) {
				out = append(out, Target{Scope: scope, Call: i})
			}
		}
	case rubrics.ScopeTurn:
		for i := range Turns(conv) {
			out = append(out, Target{Scope: scope, Turn: i + 1})
		}
	case rubrics.ScopeConversation:
		if slices.ContainsFunc(conv.Messages, byAgent) {
			out = append(out, Target{Scope: scope})
		}
	}
	return out
}

// Turn is a part of a conversation: the messages from From up to, but not including, To.
type Turn struct{ From, To int }

// Turns returns the turns of a conversation. Each begins with a message of the user and ends with
// the agent's last message, or its last tool result, before the user's next message. Consecutive
// messages of the user begin one turn. What the agent says before the user's first message is
// history, unless the user says nothing at all.
func Turns(conv *transcript.Conversation) []Turn {
	var out []Turn
	from, last := -1, -1 // of the current turn
	end := func() {
		if from >= 0 && last >= from {
			out = append(out, Turn{from, last + 1})
			from = -1
		}
	}
	for m := range conv.Messages {
		switch msg := &conv.Messages[m]; {
		case msg.Role == transcript.User:
			end()
			if from < 0 {
				from = m
			}
		case byAgent(*msg):
			last = m
		case msg.Role == transcript.ToolRole && last >= from && last >= 0:
			last = m // a result belongs to its call's turn
		}
	}
	if end(); len(out) == 0 {
		from = slices.IndexFunc(conv.Messages, byAgent)
		end()
	}
	return out
}

func byAgent(m transcript.Message) bool { return m.Role == transcript.Assistant }

// turnOf returns the turn that contains a message. A message outside all turns begins a turn of its
// own.
func (v *View) turnOf(message int) Turn {
	for _, t := range v.spans {
		if t.From <= message && message < t.To {
			return t
		}
	}
	return Turn{message, len(v.conv.Messages)}
}

// extent returns the lines of a target. The history ends before line history, and nothing from line
// end on is shown. The lines between follow the call, or are the turn.
func (v *View) extent(t Target) (history, end int) {
	switch t.scope() {
	case rubrics.ScopeCall:
		n := v.lineCount(&v.conv.Calls[t.Call])
		return n, n
	case rubrics.ScopeResult:
		c := &v.conv.Calls[t.Call]
		n := v.lineCount(c)
		return n, max(n, v.starts[min(max(v.turnOf(c.Message).To, c.Result+1), len(v.conv.Messages))])
	case rubrics.ScopeTurn:
		if t.Turn >= 1 && t.Turn <= len(v.spans) {
			turn := v.spans[t.Turn-1]
			return v.starts[turn.From], v.starts[turn.To]
		}
		return 0, len(v.lines)
	}
	return len(v.lines), len(v.lines)
}

// must returns the lines that a message about the target always shows: the user's last message
// before a call, the call's result, the whole turn or conversation.
func (v *View) must(t Target, history, end, lastUser int) (out []int) {
	from := end
	switch t.scope() {
	case rubrics.ScopeConversation:
		from = 0
	case rubrics.ScopeTurn:
		from = history
	case rubrics.ScopeResult:
		for i := history; i < end; i++ {
			if c := v.lines[i].call; c != nil && c.Index == t.Call {
				out = append(out, i)
			}
		}
	}
	for i := from; i < end; i++ {
		out = append(out, i)
	}
	if t.HasCall() && lastUser >= 0 {
		out = append(out, lastUser)
	}
	return out
}

// head returns the lines before the given one that every segment repeats: what the system and the
// user say first.
func (v *View) head(before int) (out []int) {
	user := string(transcript.User)
	for i := range v.lines[:before] {
		switch role := v.lines[i].Role; role {
		case string(transcript.System):
			out = append(out, i)
		case user:
			return append(out, i)
		}
	}
	return out
}

// Segments renders the overlapping segments of a turn or conversation that does not fit as a whole.
// It returns nil if not even one message fits, and for a call.
func (v *View) Segments(t Target, room float64, e Ending) []window.Shown {
	list := v.MeasureSegments(t, room)
	history, _ := v.extent(t)
	for i := range list {
		list[i].Text = v.text(t, nil, history, &list[i], e)
	}
	return list
}

// MeasureSegments is like Segments, without the texts.
func (v *View) MeasureSegments(t Target, room float64) []window.Shown {
	if t.HasCall() {
		return nil
	}
	r, _ := v.record(t)
	list := v.opts.Limit.Segments(r, v.head(r.Before), room-v.opts.Limit.CostOf(partText(t.scope(), 999, 999)))
	for i := range list {
		list[i].Part, list[i].Parts = i+1, len(list)
	}
	return list
}

// wording holds the words that prompts use for the graded item.
type wording struct{ role, parts, graded, segment string }

func wordingOf(scope rubrics.Scope) wording {
	const by = ", by the record of its conversation with a user."
	switch scope {
	case rubrics.ScopeResult:
		return wording{
			"You grade one tool call of an assistant with its result" + by,
			"tools, earlier messages, calls proposed in the same turn, the call, and what followed in its turn",
			"this one call with its result", "",
		}
	case rubrics.ScopeTurn:
		return wording{
			"You grade one turn of an assistant, from a message of the user to the assistant's last word" + by,
			"tools, earlier messages, and the turn", "this one turn", "turn",
		}
	case rubrics.ScopeConversation:
		return wording{
			"You grade a whole conversation of an assistant with a user, by its record.",
			"tools and messages, with calls and their results", "this conversation", "conversation",
		}
	}
	return wording{
		"You grade one tool call of an assistant" + by,
		"tools, earlier messages, calls proposed in the same turn, and the call", "this one call", "",
	}
}

// closingLine returns the usual last line of a prompt.
func closingLine(scope rubrics.Scope) string {
	return "Grade " + wordingOf(scope).graded + ". Answer with JSON only."
}

// partText says that a message shows only one segment.
func partText(scope rubrics.Scope, part, parts int) string {
	return fmt.Sprintf("This is part %d of %d of the %s; parts overlap and are graded one by one. "+
		"Judge what this part shows.\n", part, parts, wordingOf(scope).segment)
}
