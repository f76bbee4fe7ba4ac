package transcript

import "slices"

// CallInText is the kind of note on an agent's message that looks like a call but was not read as
// one; UnreadableInText is the kind of note on one that Options.TextCalls could not read.
const (
	CallInText       = "call_in_text"
	UnreadableInText = "unreadable_in_text"
)

// OnlyInText returns the kind of note that leaves open whether the agent called a tool: it made no
// readable call, but wrote something that looks like one. It is "" for other conversations.
func (c *Conversation) OnlyInText() string {
	kind := ""
	for i := range c.Calls {
		switch call := &c.Calls[i]; {
		case call.Context || call.Executor == "user":
		case !call.Proposed || !call.Malformed:
			return ""
		default:
			kind = UnreadableInText
		}
	}
	for _, n := range c.Notes {
		if n.Kind == CallInText || n.Kind == UnreadableInText && kind == "" {
			kind = n.Kind
		}
	}
	return kind
}

// ResultInTextKind is the kind of note on a user's message that begins like a result, after a
// message that looks like a call.
const ResultInTextKind = "result_in_text"

// RanInText reports whether calls that are only in texts, and were not read as calls, ran: their
// results follow.
func (c *Conversation) RanInText() bool {
	return slices.ContainsFunc(c.Notes, func(n Note) bool { return n.Kind == ResultInTextKind })
}

// ReferenceConflict is the kind of note on a simulation whose own reference differs from its task's
// in the file.
const ReferenceConflict = "reference_conflict"

// ContentHidden is the kind of note on a conversation whose log leaves out messages or arguments.
const ContentHidden = "content_not_captured"

// Recorded is the beginning of the names of labels from a record's own answer; the name of its
// rubric follows, or "output".
const Recorded = "recorded."
