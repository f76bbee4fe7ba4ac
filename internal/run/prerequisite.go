package run

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// What is looked at: the least and greatest length of a text that can name a thing
// (shorter ones are shared by chance), the values of one call, the bytes of a result's
// text, the depth of its JSON, and the comparisons for one conversation.
const (
	leastLeaf  = 3
	maxLeaf    = 200
	maxLeaves  = 500
	maxText    = 64 << 10
	maxDepth   = 64
	maxCompare = 2_000_000
)

// prerequisites finds for the calls of one conversation an earlier call that they
// needed and that failed:
//
//   - the earlier call is one of another tool, was answered before the judged call was
//     made, and its result is an error by the rules of error_recovery, or a guard
//     refused it;
//   - a value of the judged call's arguments also stands in the earlier call's
//     arguments or result, there also as a word of its text: a text or number of at
//     least three characters, numbers and texts alike; true, false and null identify
//     nothing;
//   - no later call made good for it before the judged call: one of the same tool that
//     succeeded with the value in its arguments or result, or any other that succeeded
//     with the value in its result.
//
// It cannot know that the call was really needed: a fallback to another tool after a
// failure looks the same.
type prerequisites struct {
	c *transcript.Conversation
	// failed are the calls that failed, in order.
	failed []failure
	// good are the calls that succeeded and hold a value of a failed one, by value.
	good map[string][]success
	// left is how many comparisons may still be made.
	left int
}

// failure is a failed call with the values in its arguments and result.
type failure struct {
	call   *transcript.Call
	values map[string]bool
}

// success is a call that succeeded; given says that the value stands only in its
// arguments.
type success struct {
	call  *transcript.Call
	given bool
}

func newPrerequisites(c *transcript.Conversation) *prerequisites {
	p := &prerequisites{c: c, good: map[string][]success{}, left: maxCompare}
	failed := make([]bool, len(c.Calls))
	known := map[string]bool{}
	for i := range c.Calls {
		o := &c.Calls[i]
		if o.Result < 0 || o.Result >= len(c.Messages) {
			continue
		}
		if _, failed[i] = c.Failure(o); !failed[i] {
			continue
		}
		m := &c.Messages[o.Result]
		f := failure{o, map[string]bool{}}
		for _, v := range append(leaves(o.Arguments), resultLeaves(m)...) {
			f.values[v], known[v] = true, true
		}
		p.failed = append(p.failed, f)
	}
	if len(p.failed) == 0 {
		return p
	}
	for i := range c.Calls {
		o := &c.Calls[i]
		if failed[i] || o.Result < 0 || o.Result >= len(c.Messages) {
			continue
		}
		for _, v := range leaves(o.Arguments) {
			if known[v] {
				p.good[v] = append(p.good[v], success{o, true})
			}
		}
		for _, v := range resultLeaves(&c.Messages[o.Result]) {
			if known[v] {
				p.good[v] = append(p.good[v], success{o, false})
			}
		}
	}
	return p
}

// of names the latest failed prerequisite of a call, "" for none.
func (p *prerequisites) of(index int) string {
	call := &p.c.Calls[index]
	wanted := leaves(call.Arguments)
	for k := len(p.failed) - 1; k >= 0; k-- {
		f := &p.failed[k]
		if f.call.Name == call.Name || !before(f.call, call) {
			continue
		}
		for _, v := range wanted {
			if p.left--; p.left < 0 {
				return ""
			}
			if f.values[v] && !p.madeGood(f.call, call, v) {
				return fmt.Sprintf("%s (call %d), which shares %q with this call", value.Excerpt(f.call.Name, 80), f.call.Index, value.Excerpt(v, 80))
			}
		}
	}
	return ""
}

// before reports whether the result of o was known when the call was made.
func before(o, call *transcript.Call) bool {
	return o.Message < call.Message && o.Result >= 0 && o.Result < call.Message
}

func (p *prerequisites) madeGood(failed, call *transcript.Call, v string) bool {
	for _, s := range p.good[v] {
		if p.left--; p.left < 0 {
			return true
		}
		if before(s.call, call) && s.call.Result > failed.Result && (!s.given || s.call.Name == failed.Name) {
			return true
		}
	}
	return false
}

// resultLeaves are the values of a result: those of its JSON, or the words of its text.
func resultLeaves(m *transcript.Message) []string {
	if !m.Output.IsNull() {
		return leaves(m.Output)
	}
	var out []string
	for word := range strings.FieldsFuncSeq(m.Content[:min(len(m.Content), maxText)], func(r rune) bool { return !inWord(r) }) {
		word = strings.Trim(word, ".")
		if n := utf8.RuneCountInString(word); n >= leastLeaf && n <= maxLeaf && len(out) < maxLeaves {
			out = append(out, word)
		}
	}
	return out
}

// inWord reports whether a rune may stand inside a name or a number.
func inWord(r rune) bool {
	return strings.ContainsRune("_-#@.", r) || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f && r != utf8.RuneError
}

// leaves are the texts and numbers inside a value that can name a thing.
func leaves(v value.Value) []string {
	var out []string
	walk(v, 0, &out)
	return out
}

func walk(v value.Value, depth int, out *[]string) {
	if depth > maxDepth || len(*out) >= maxLeaves {
		return
	}
	text := ""
	switch v.Kind() {
	case value.Object:
		for _, e := range v.Members() {
			walk(e, depth+1, out)
		}
	case value.List, value.Tuple:
		for _, e := range v.Elements() {
			walk(e, depth+1, out)
		}
	case value.String:
		text, _ = v.Str()
		text = strings.TrimSpace(text)
	case value.Int, value.Float:
		text = v.Canonical()
	}
	if n := utf8.RuneCountInString(text); n >= leastLeaf && n <= maxLeaf {
		*out = append(*out, text)
	}
}
