package prompt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/unescape"
	"github.com/judgekit/judge/internal/value"
)

// appendSafe appends v as compact JSON on one line in which no logged text can act as control text.
// Numbers stay as they were written, keys in their order. Besides what JSON requires, it escapes
// '<' (chat-template tokens and our own markers), '[' before the control words of chat templates,
// the wide forms of brackets, which some tokenizers make narrow, and every character that is
// invisible or reorders text. All of these occur only inside strings.
func appendSafe(dst []byte, v value.Value) []byte {
	s := value.AppendJSON(nil, v, value.Format{})
	start := 0
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r < utf8.RuneSelf && r != '\\' && r != '<' && r != '[' && r != 0x7f {
			i++
			continue
		}
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(s[i:])
		}
		switch {
		case r == '\\' && (s[i+1] == 'b' || s[i+1] == 'f'):
			r, n = map[byte]rune{'b': '\b', 'f': '\f'}[s[i+1]], 2
		case r == '\\':
			i += 2
			continue
		case r == '<' || r == 0x7f || r == '[' && controlWord(s[i+1:]) || r >= utf8.RuneSelf && hidden(r):
		default:
			i += n
			continue
		}
		dst = appendEscape(append(dst, s[start:i]...), r)
		i += n
		start = i
	}
	return append(dst, s[start:]...)
}

func appendEscape(dst []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return appendEscape(appendEscape(dst, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	return fmt.Appendf(dst, `\u%04x`, r)
}

// hidden reports whether a character is invisible, changes the order of visible ones, or may become
// the bracket of a control token in a tokenizer.
func hidden(r rune) bool {
	switch {
	case r < 0xa0: // C1 controls; ASCII is handled before
		return true
	case r < 0x300:
		return r == 0xad
	case r >= 0x3400 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3: // Chinese, Korean
		return false
	}
	return r == 0x2800 || strings.ContainsRune("＜＞［］｛｝｜﹤﹥﹛﹜︷︸﹇﹈", r) ||
		unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Variation_Selector)
}

// controlWord reports whether s, which follows a '[', continues as a token of a chat template:
// |…|], INST], TOOL_CALLS] and the like, in any case.
func controlWord(s []byte) bool {
	head := strings.TrimPrefix(string(s[:min(len(s), 24)]), "/")
	if strings.HasPrefix(head, "|") {
		return true
	}
	for _, word := range []string{"INST]", "TOOL_", "AVAILABLE_TOOLS]", "SYSTEM_PROMPT]", "CALL_ID]", "ARGS]",
		"THINK]"} {
		if len(head) >= len(word) && strings.EqualFold(head[:len(word)], word) {
			return true
		}
	}
	return false
}

// DefaultMarker is the default sign for datamarking. It is one token for most models, and readable
// in a recorded request.
const DefaultMarker = "^"

// CheckMarker returns an error if a text cannot be a marker; nil for "", which turns datamarking
// off. A marker is one symbol or private-use character without a meaning in JSON, in quotes or in
// the frame. A letter is not allowed: it would join two words.
func CheckMarker(marker string) error {
	if marker == "" {
		return nil
	}
	r, n := utf8.DecodeRuneInString(marker)
	symbol := unicode.IsSymbol(r) || unicode.Is(unicode.Co, r)
	if n != len(marker) || !symbol || strings.ContainsRune("<>`", r) || r == utf8.RuneError {
		return fmt.Errorf("the marker %q is not one symbol, such as %s and none of < > `", marker, DefaultMarker)
	}
	return nil
}

// mark puts the marker between the words of a text: it replaces a blank, and precedes other white
// space, which stays because it separates lines.
func mark(s, marker string) string {
	if marker == "" {
		return s
	}
	var b strings.Builder
	for {
		i := strings.IndexFunc(s, unicode.IsSpace)
		if i < 0 {
			return b.String() + s
		}
		rest := strings.TrimLeftFunc(s[i:], unicode.IsSpace)
		b.WriteString(s[:i] + marker)
		if space := s[i : len(s)-len(rest)]; space != " " {
			b.WriteString(space)
		}
		s = rest
	}
}

// markValue marks the strings of a value. If only is not "", it marks only the strings under that
// key. Keys and numbers stay unchanged.
func markValue(v value.Value, marker, only string) value.Value {
	switch {
	case marker == "":
		return v
	case v.Kind() == value.String && only == "":
		return value.OfString(mark(v.Text(), marker))
	}
	return v.Each(func(key string, e value.Value) value.Value {
		if key == only && e.Kind() == value.String {
			return markValue(e, marker, "")
		}
		return markValue(e, marker, only)
	})
}

// redacted replaces what a pattern matched in a prompt.
const redacted = "[redacted]"

// Redaction replaces what its patterns match in everything that a judge may see of a log: contents,
// names, arguments, outputs and tools. Texts are matched after decoding, also those within texts (JSON
// in JSON, URLs, HTML), numbers as they are written. A nil Redaction replaces nothing.
type Redaction struct{ patterns []*regexp.Regexp }

// NewRedaction compiles patterns, which use the syntax of Go's regexp. A pattern that matches the
// empty text is refused.
func NewRedaction(patterns []string) (*Redaction, error) {
	r := &Redaction{}
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

// Patterns returns the source of the patterns.
func (r *Redaction) Patterns() []string {
	if r == nil {
		return nil
	}
	var texts []string
	for _, p := range r.patterns {
		texts = append(texts, p.String())
	}
	return texts
}

// apply returns a redacted copy of what a judge may see of a conversation, and the number of
// replaced matches. Without a match it returns the conversation itself.
func (r *Redaction) apply(c *transcript.Conversation) (*transcript.Conversation, int) {
	if r == nil || len(r.patterns) == 0 {
		return c, 0
	}
	// What a log holds in two forms is counted once.
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
	out.Expected = again.expected(c.Expected)
	if w.replaced+again.replaced == 0 {
		return c, 0
	}
	return &out, w.replaced
}

// expected returns a redacted copy of the expected calls and answer.
func (w *redacting) expected(e *transcript.Expected) *transcript.Expected {
	if e == nil {
		return nil
	}
	out := *e
	out.Calls, out.Outputs = slices.Clone(e.Calls), w.texts(e.Outputs)
	for i := range out.Calls {
		call := &out.Calls[i]
		call.Name, call.Arguments, call.Allowed = w.text(call.Name), w.value(call.Arguments), w.value(call.Allowed)
		call.Compare = w.texts(call.Compare)
	}
	return &out
}

// texts returns a redacted copy of texts.
func (w *redacting) texts(list []string) []string {
	list = slices.Clone(list)
	for i, text := range list {
		list[i] = w.text(text)
	}
	return list
}

// Value returns a redacted copy of a value.
func (r *Redaction) Value(v value.Value) value.Value {
	if r == nil {
		return v
	}
	w := &redacting{patterns: r.patterns}
	return w.value(v)
}

// Inert returns a value as a line of JSON in which no logged text can act as control text.
func Inert(v value.Value) string { return string(appendSafe(nil, v)) }

// redacting is the state of one redaction; it counts the matches.
type redacting struct {
	patterns []*regexp.Regexp
	replaced int
}

// text replaces what a pattern matches in a text as it is, or with its escapes removed: JSON in a text, a
// URL, HTML.
func (w *redacting) text(s string) string {
	var found [][2]int
	unescape.Each([]byte(s), true, func(v *unescape.View) bool {
		for _, p := range w.patterns {
			for _, at := range p.FindAllIndex(v.Text, -1) {
				found = append(found, [2]int{unescape.BeforeEscape([]byte(s), v.Source(at[0])), v.Source(at[1])})
			}
		}
		return false
	})
	if len(found) == 0 {
		return s
	}
	sorting.Stable(found, func(x, y [2]int) int { return x[0] - y[0] })
	var out strings.Builder
	at := 0
	for _, f := range found {
		if f[0] >= at {
			w.replaced++
			out.WriteString(s[at:f[0]] + redacted)
		}
		at = max(at, f[1])
	}
	return out.String() + s[at:]
}

func (w *redacting) value(v value.Value) value.Value {
	switch v.Kind() {
	case value.String:
		return value.OfString(w.text(v.Text()))
	case value.Int, value.Float:
		if text := w.text(v.Text()); text != v.Text() {
			return value.OfString(text)
		}
	case value.List, value.Tuple:
		return v.Each(func(_ string, e value.Value) value.Value { return w.value(e) })
	case value.Object:
		var members []value.Member
		for key, e := range v.Members() {
			members = append(members, value.Member{Key: w.text(key), Value: w.value(e)})
		}
		return value.OfObject(members...)
	}
	return v
}
