package prompt

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// redacted replaces in a prompt what a pattern matched.
const redacted = "[redacted]"

// Redaction replaces what its patterns match in all that a judge may see of a log:
// contents, names, arguments, outputs and tools. Texts are matched decoded, keys and
// numbers as they are written. A nil Redaction replaces nothing.
type Redaction struct {
	patterns []*regexp.Regexp
	texts    []string
}

// NewRedaction compiles patterns in the syntax of Go's regexp. One that matches the
// empty text is refused.
func NewRedaction(patterns []string) (*Redaction, error) {
	r := &Redaction{texts: slices.Clone(patterns)}
	for _, text := range patterns {
		p, err := regexp.Compile(text)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", text, err)
		}
		if p.MatchString("") {
			return nil, fmt.Errorf("pattern %q matches the empty text", text)
		}
		r.patterns = append(r.patterns, p)
	}
	return r, nil
}

// Patterns returns the patterns as they were given.
func (r *Redaction) Patterns() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.texts)
}

// apply returns a copy of what a judge may see of a conversation, and how many
// matches were replaced in it. Without a match it is the conversation itself.
func (r *Redaction) apply(c *transcript.Conversation) (*transcript.Conversation, int) {
	if r == nil || len(r.patterns) == 0 {
		return c, 0
	}
	// What a log has in two forms is counted in one of them.
	w, again := &redacting{patterns: r.patterns}, &redacting{patterns: r.patterns}
	out := *c
	out.Tools, out.Messages, out.Calls = slices.Clone(c.Tools), slices.Clone(c.Messages), slices.Clone(c.Calls)
	for i := range out.Tools {
		t := &out.Tools[i]
		t.Name, t.Description = w.text(t.Name), w.text(t.Description)
		t.Parameters, t.Raw = w.value(t.Parameters), again.value(t.Raw)
	}
	for i := range out.Messages {
		m := &out.Messages[i]
		m.Content, m.ToolName = w.text(m.Content), w.text(m.ToolName)
		m.Output, m.Parts = again.value(m.Output), again.value(m.Parts)
	}
	for i := range out.Calls {
		call := &out.Calls[i]
		before := w.replaced
		call.Name, call.Arguments = w.text(call.Name), w.value(call.Arguments)
		switch {
		case call.Malformed:
			call.RawArguments = w.text(call.RawArguments)
		case w.replaced > before:
			call.RawArguments = call.Arguments.JSON()
		}
	}
	if w.replaced+again.replaced == 0 {
		return c, 0
	}
	return &out, w.replaced
}

// redacting is one walk, which counts.
type redacting struct {
	patterns []*regexp.Regexp
	replaced int
}

func (w *redacting) text(s string) string {
	for _, p := range w.patterns {
		s = p.ReplaceAllStringFunc(s, func(string) string {
			w.replaced++
			return redacted
		})
	}
	return s
}

func (w *redacting) value(v value.Value) value.Value {
	switch v.Kind() {
	case value.String:
		return value.OfString(w.text(v.Text()))
	case value.Int, value.Float:
		if text := w.text(v.Text()); text != v.Text() {
			return value.OfString(text)
		}
	case value.List:
		var elems []value.Value
		for _, e := range v.Elements() {
			elems = append(elems, w.value(e))
		}
		return value.OfList(elems...)
	case value.Object:
		var members []value.Member
		for key, e := range v.Members() {
			members = append(members, value.Member{Key: w.text(key), Value: w.value(e)})
		}
		return value.OfObject(members...)
	}
	return v
}
