package judges

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/rubrics"
)

// Target is one item to judge: a call, a call with its result, a turn or a conversation.
type Target = prompt.Target

// OfCall returns the target for a call, by its index in the conversation, without its result.
func OfCall(index int) Target { return prompt.OfCall(index) }

// Targets returns the items of a conversation that a rubric asks about, in order.
func Targets(conv *Conversation, r *rubrics.Rubric) []Target {
	return slices.DeleteFunc(prompt.Targets(conv, r.Scope), func(t Target) bool { return !Asks(r, conv, t) })
}

// allTargets returns the items of a conversation, in the order of the scopes, for the scopes that
// some rubric has.
func allTargets(conv *Conversation, list []*rubrics.Rubric) []Target {
	out := []Target{}
	for _, scope := range rubrics.Scopes() {
		if slices.ContainsFunc(list, func(r *rubrics.Rubric) bool { return sameScope(r.Scope, scope) }) {
			out = append(out, prompt.Targets(conv, scope)...)
		}
	}
	return out
}

// MessagesOf returns the range of messages that a target consists of, and that its judge sees after
// the history: from up to, but not including, to. A call is its own message; a call with its result
// extends to the end of its turn.
func MessagesOf(conv *Conversation, t Target) (from, to int) {
	turns := prompt.Turns(conv)
	switch {
	case t.HasCall() && t.Call >= 0 && t.Call < len(conv.Calls):
		from = conv.Calls[t.Call].Message
		if to = from + 1; t.Scope == rubrics.ScopeResult {
			to = max(to, conv.Calls[t.Call].Result+1)
			for _, turn := range turns {
				if turn.From <= from && from < turn.To {
					to = max(to, turn.To)
				}
			}
		}
		return from, to
	case t.Scope == rubrics.ScopeTurn && t.Turn >= 1 && t.Turn <= len(turns):
		return turns[t.Turn-1].From, turns[t.Turn-1].To
	}
	return 0, len(conv.Messages)
}

// Asks reports whether a rubric asks about a target: the scopes are equal, some call of the target
// meets the rubric's condition, and, if the rubric shows expected calls or answers, the log has
// them.
func Asks(r *rubrics.Rubric, conv *Conversation, t Target) bool {
	if !sameScope(r.Scope, t.Scope) || t.Scope == rubrics.ScopeResult && conv.Calls[t.Call].Result < 0 {
		return false
	}
	if r.SeesExpected && !prompt.HasExpected(conv) {
		return false
	}
	if r.When == nil {
		return true
	}
	return slices.ContainsFunc(callsOf(conv, t), func(i int) bool { return r.When.Holds(&conv.Calls[i]) })
}

// callsOf returns the indexes of a target's calls.
func callsOf(conv *Conversation, t Target) []int {
	if t.HasCall() {
		return []int{t.Call}
	}
	all := AllCalls(conv)
	turns := prompt.Turns(conv)
	if t.Scope == rubrics.ScopeConversation || t.Turn < 1 || t.Turn > len(turns) {
		return all
	}
	turn := turns[t.Turn-1]
	return slices.DeleteFunc(all, func(i int) bool {
		m := conv.Calls[i].Message
		return m < turn.From || m >= turn.To
	})
}

func sameScope(a, b rubrics.Scope) bool {
	return cmp.Or(a, rubrics.ScopeCall) == cmp.Or(b, rubrics.ScopeCall)
}

func checkTarget(conv *Conversation, t Target) error {
	turns := 0
	if t.Scope == rubrics.ScopeTurn {
		turns = len(prompt.Turns(conv))
	}
	switch {
	case t.HasCall() && (t.Call < 0 || t.Call >= len(conv.Calls)):
		return fmt.Errorf("judge call %d of %s: the conversation has %d calls", t.Call, conv.ID, len(conv.Calls))
	case t.Scope == rubrics.ScopeTurn && (t.Turn < 1 || t.Turn > turns):
		return fmt.Errorf("judge turn %d of %s: the conversation has %d turns", t.Turn, conv.ID, turns)
	}
	return nil
}

// itemKey identifies a target in the journal.
func itemKey(conversation string, t Target) string { return conversation + "#" + t.ID() }

// RequestKey returns the Key of the requests for one judgement.
func RequestKey(conversation string, t Target, rubric string) string {
	return itemKey(conversation, t) + " " + rubric
}

// RequestKeys returns the keys of all requests that the judgements of a conversation may send, in
// order.
func RequestKeys(conv *Conversation, list []*rubrics.Rubric) (keys []string) {
	for _, t := range allTargets(conv, list) {
		keys = append(keys, RequestKey(conv.ID, t, TogetherKey))
		for _, r := range list {
			if Asks(r, conv, t) {
				keys = append(keys, RequestKey(conv.ID, t, r.Name))
			}
		}
	}
	return keys
}

// TargetOf returns the item that a judge's score is about.
func TargetOf(s *Score) Target {
	t := Target{Scope: cmp.Or(rubrics.Scope(s.Scope), rubrics.ScopeCall), Turn: s.Turn}
	if s.CallIndex != nil {
		t.Call = *s.CallIndex
	}
	return t
}

// Target returns the judged item.
func (r *Result) Target() Target {
	return Target{Scope: r.Scope, Call: max(0, r.CallIndex), Turn: r.Turn}
}
