package transcript

import "slices"

// CallInText is the kind of the note on a message of the agent that looks like a call and was
// not taken for one.
const CallInText = "call_in_text"

// OnlyInText reports whether the agent made no call but wrote what looks like one: whether it
// called at all is open until Options.TextCalls decides.
func (c *Conversation) OnlyInText() bool {
	made := func(call Call) bool { return !call.Context && call.Executor != "user" }
	inText := func(n Note) bool { return n.Kind == CallInText }
	return slices.ContainsFunc(c.Notes, inText) && !slices.ContainsFunc(c.Calls, made)
}

// resultInTextKind is the kind of the note on a message of the user that begins as results do,
// after a message that looks like a call.
const ResultInTextKind = "result_in_text"

// RanInText reports whether calls that stand only in texts, and were not taken for calls, ran:
// their results follow.
func (c *Conversation) RanInText() bool {
	return slices.ContainsFunc(c.Notes, func(n Note) bool { return n.Kind == ResultInTextKind })
}

// ReferenceConflict is the kind of the note on a simulation whose own reference is not
// that of its task in the file.
const ReferenceConflict = "reference_conflict"

// contentHidden is the kind of the note on a conversation whose log leaves out messages
// or arguments.
const ContentHidden = "content_not_captured"

// Recorded begins the names of the labels that a record's own answer becomes; the name of
// its rubric follows, or "output".
const Recorded = "recorded."
