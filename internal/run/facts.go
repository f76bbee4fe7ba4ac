package run

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// facts finds out what the deterministic side knows about the calls of a conversation, for
// the checks on what judges say of them: schemas, expected calls, earlier calls that
// failed. No judge sees any of it, and it does not depend on the scorers of a run nor on
// their names. It is safe for concurrent use.
type facts struct{ log *deterministic.Log }

func newFacts() *facts {
	log, err := deterministic.ForLog(nil)
	if err != nil {
		panic("scorers without a configuration: " + err.Error())
	}
	return &facts{log}
}

// of returns what is known about the calls of a conversation. It is found out when it is
// first asked for.
func (f *facts) of(c *transcript.Conversation) func(int) judges.Facts {
	known := sync.OnceValue(func() map[int]judges.Facts { return f.all(c) })
	return func(call int) judges.Facts {
		out := known()[call]
		out.SchemaErrorOf = f.log.SchemaError
		return out
	}
}

func (f *facts) all(c *transcript.Conversation) map[int]judges.Facts {
	out := map[int]judges.Facts{}
	if p := newPrerequisites(c); len(p.failed) > 0 {
		for _, i := range judges.AllCalls(c) {
			out[i] = judges.Facts{FailedPrerequisite: p.of(i)}
		}
	}
	for i, k := range f.log.Known(c) {
		known := out[i]
		known.SchemaError = k.SchemaError
		if k.Expected != nil {
			known.Expected, known.Likeness = k.Expected, likeness(k.Expected)
		}
		out[i] = known
	}
	return out
}

// likeness returns how much of an expected call another call makes.
func likeness(e *transcript.ExpectedCall) func(string, value.Value) (float64, bool) {
	return func(name string, arguments value.Value) (float64, bool) {
		return deterministic.Likeness(&transcript.Call{Name: name, Arguments: arguments}, e), true
	}
}

// What is looked at: the least and greatest length of a text that can name a thing
// (shorter ones are shared by chance), the values of one call, the bytes of a result's
// text, and the comparisons for one conversation.
const (
	leastLeaf  = 3
	maxLeaf    = 200
	maxLeaves  = 500
	maxText    = 64 << 10
	maxCompare = 2_000_000
)

// prerequisites finds for the calls of one conversation an earlier call that they
// needed and that failed:
//
//   - the earlier call is one of another tool, was answered before the judged call was
//     made, and its result is an error by the rules of package toolresult, or a guard
//     refused it;
//   - a value of the judged call's arguments is also in the earlier call's
//     arguments or result, there also as a word of its text: a text or number of at
//     least three characters, numbers and texts alike; true, false and null identify
//     nothing;
//   - no later call replaced it before the judged call: one of the same tool that
//     succeeded with the value in its arguments or result, or any other that succeeded
//     with the value in its result.
//
// It cannot know that the call was really needed: a fallback to another tool after a
// failure looks the same.
type prerequisites struct {
	c *transcript.Conversation
	// answered are the calls that have a result, in order; failed are those of them that
	// failed. Without a failure both are empty.
	answered, failed []answeredCall
	// left counts the comparisons that may still be made.
	left int
}

// answeredCall is a call with the values in its arguments and in its result.
type answeredCall struct {
	*transcript.Call
	failed          bool
	given, returned map[string]bool
}

func newPrerequisites(c *transcript.Conversation) *prerequisites {
	p := &prerequisites{c: c, left: maxCompare}
	fails := func(call transcript.Call) bool { _, failed := c.Failure(&call); return failed }
	if !slices.ContainsFunc(c.Calls, fails) {
		return p
	}
	for i := range c.Calls {
		o := &c.Calls[i]
		if o.Result < 0 || o.Result >= len(c.Messages) {
			continue
		}
		a := answeredCall{o, fails(*o), setOf(leaves(o.Arguments)), setOf(resultLeaves(&c.Messages[o.Result]))}
		p.answered = append(p.answered, a)
		if a.failed {
			p.failed = append(p.failed, a)
		}
	}
	return p
}

func setOf(list []string) map[string]bool {
	out := make(map[string]bool, len(list))
	for _, v := range list {
		out[v] = true
	}
	return out
}

// of names the latest failed prerequisite of a call, "" for none.
func (p *prerequisites) of(index int) string {
	call := &p.c.Calls[index]
	wanted := leaves(call.Arguments)
	for _, f := range slices.Backward(p.failed) {
		if f.Name == call.Name || !before(f.Call, call) {
			continue
		}
		for _, v := range wanted {
			if p.left--; p.left < 0 {
				return ""
			}
			if (f.given[v] || f.returned[v]) && !p.replaced(f.Call, call, v) {
				return fmt.Sprintf("%s (call %d), which shares %q with this call", value.Excerpt(f.Name, 80),
					f.Index, value.Excerpt(v, 80))
			}
		}
	}
	return ""
}

// replaced reports whether a later call replaced a failed one before the call.
func (p *prerequisites) replaced(failed, call *transcript.Call, v string) bool {
	for _, s := range p.answered {
		if p.left--; p.left < 0 {
			return true
		}
		holds := s.returned[v] || s.given[v] && s.Name == failed.Name
		if !s.failed && holds && before(s.Call, call) && s.Result > failed.Result {
			return true
		}
	}
	return false
}

// before reports whether the result of o was known when the call was made.
func before(o, call *transcript.Call) bool {
	return o.Message < call.Message && o.Result >= 0 && o.Result < call.Message
}

// resultLeaves are the values of a result: those of its JSON, or the words of its text.
func resultLeaves(m *transcript.Message) []string {
	if !m.Output.IsNull() {
		return leaves(m.Output)
	}
	var out []string
	text := m.Content[:min(len(m.Content), maxText)]
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !inWord(r) }) {
		word = strings.Trim(word, ".")
		if names(word) && len(out) < maxLeaves {
			out = append(out, word)
		}
	}
	return out
}

// inWord reports whether a rune may occur inside a name or a number.
func inWord(r rune) bool {
	switch {
	case r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
		return true
	}
	return strings.ContainsRune("_-#@.", r) || r > 0x7f && r != utf8.RuneError
}

// leaves are the texts and numbers inside a value that can name a thing.
func leaves(v value.Value) (out []string) {
	for _, v := range v.Leaves() {
		if len(out) >= maxLeaves {
			break
		}
		text := ""
		switch v.Kind() {
		case value.String:
			text = strings.TrimSpace(v.Text())
		case value.Int, value.Float:
			text = v.Canonical()
		}
		if names(text) {
			out = append(out, text)
		}
	}
	return out
}

// names reports whether a text has the length of one that can name a thing.
func names(text string) bool {
	n := utf8.RuneCountInString(text)
	return n >= leastLeaf && n <= maxLeaf
}
