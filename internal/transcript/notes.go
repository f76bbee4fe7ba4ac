package transcript

import "slices"

// CallInText is the kind of note on an agent's message that looks like a call but was not read as one.
const CallInText = "call_in_text"

// OnlyInText reports whether the agent made no call but wrote something that looks like one.
// Options.TextCalls decides whether these are calls.
func (c *Conversation) OnlyInText() bool {
	made := func(call Call) bool { return !call.Context && call.Executor != "user" }
	inText := func(n Note) bool { return n.Kind == CallInText }
	return slices.ContainsFunc(c.Notes, inText) && !slices.ContainsFunc(c.Calls, made)
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
