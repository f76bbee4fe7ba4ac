// Package literal reads the JSON and the Python literals of a prompt, quickly.
//
// It owns one value type that leaves text where it stands, the reader for it, and its
// spellings. It is for the baseline, which reads every prompt of a run; where digits
// and the bytes of a log matter, internal/value is the type. Hostile text is refused:
// nesting is bounded, and no byte is looked at more than a few times.
package literal

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds nesting; a deeper value counts as unreadable.
const maxDepth = 100

// Kind says what a value is.
type Kind byte

// The kinds. Absent is that of the zero Node.
const (
	Absent Kind = iota
	Null
	Boolean
	Number
	String
	Array
	Object
)

// Node is one value. Strings are decoded; numbers and booleans keep their
// spelling; objects keep their key order, and the last of duplicate keys wins.
type Node struct {
	Kind Kind
	Text string
	Keys []string
	List []Node // elements, or the values of keys
}

// Get returns the member of an object, nil when there is none or n is no object.
func (n *Node) Get(key string) *Node {
	if n == nil || n.Kind != Object {
		return nil
	}
	for i := len(n.Keys) - 1; i >= 0; i-- {
		if n.Keys[i] == key {
			return &n.List[i]
		}
	}
	return nil
}

// Str returns the text of a string, "" for anything else.
func (n *Node) Str() string {
	if n == nil || n.Kind != String {
		return ""
	}
	return n.Text
}

// Is reports whether the value is there and of the kind.
func (n *Node) Is(k Kind) bool { return n != nil && n.Kind == k }

// Float returns a number, and false for anything else or one that is too large.
func (n *Node) Float() (float64, bool) {
	if !n.Is(Number) {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.Text, 64)
	return f, err == nil
}

// reader is a JSON reader for one string. It allocates nothing for strings
// without escapes.
type reader struct {
	s      string
	i      int
	python bool // single quotes, True, False, None and tuples are read too
}

// ParsePython reads exactly one Python literal of the kinds that JSON has.
func ParsePython(s string) (Node, bool) {
	r := reader{s: s, python: true}
	n, ok := r.value(0)
	r.space()
	return n, ok && r.i == len(s)
}

// Parse reads exactly one value.
func Parse(s string) (Node, bool) {
	r := reader{s: s}
	n, ok := r.value(0)
	r.space()
	return n, ok && r.i == len(s)
}

// ParsePrefix reads the value that the text begins with.
func ParsePrefix(s string) (Node, bool) {
	r := reader{s: s}
	return r.value(0)
}

func (r *reader) space() {
	for r.i < len(r.s) {
		switch r.s[r.i] {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return
		}
	}
}

func (r *reader) value(depth int) (Node, bool) {
	r.space()
	if r.i >= len(r.s) || depth > maxDepth {
		return Node{}, false
	}
	switch c := r.s[r.i]; {
	case r.quote(c):
		s, ok := r.string()
		return Node{Kind: String, Text: s}, ok
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '-' || (c >= '0' && c <= '9'):
		return r.number()
	case strings.HasPrefix(r.s[r.i:], "true"):
		r.i += 4
		return Node{Kind: Boolean, Text: "true"}, true
	case strings.HasPrefix(r.s[r.i:], "false"):
		r.i += 5
		return Node{Kind: Boolean, Text: "false"}, true
	case strings.HasPrefix(r.s[r.i:], "null"):
		r.i += 4
		return Node{Kind: Null, Text: "null"}, true
	case r.python:
		return r.pythonValue(depth)
	}
	return Node{}, false
}

func (r *reader) pythonValue(depth int) (Node, bool) {
	switch rest := r.s[r.i:]; {
	case rest[0] == '(':
		return r.array(depth)
	case strings.HasPrefix(rest, "True"):
		r.i += 4
		return Node{Kind: Boolean, Text: "true"}, true
	case strings.HasPrefix(rest, "False"):
		r.i += 5
		return Node{Kind: Boolean, Text: "false"}, true
	case strings.HasPrefix(rest, "None"):
		r.i += 4
		return Node{Kind: Null, Text: "null"}, true
	}
	return Node{}, false
}

func (r *reader) quote(c byte) bool { return c == '"' || (c == '\'' && r.python) }

func (r *reader) number() (Node, bool) {
	start := r.i
	for r.i < len(r.s) && strings.IndexByte("+-.eE0123456789", r.s[r.i]) >= 0 {
		r.i++
	}
	text := r.s[start:r.i]
	if _, err := strconv.ParseFloat(text, 64); err != nil && len(text) < 300 {
		return Node{}, false
	}
	return Node{Kind: Number, Text: text}, true
}

func (r *reader) object(depth int) (Node, bool) {
	n := Node{Kind: Object}
	r.i++
	if r.space(); r.i < len(r.s) && r.s[r.i] == '}' {
		r.i++
		return n, true
	}
	for {
		if r.space(); r.i >= len(r.s) || !r.quote(r.s[r.i]) {
			return n, false
		}
		key, ok := r.string()
		if !ok {
			return n, false
		}
		if r.space(); r.i >= len(r.s) || r.s[r.i] != ':' {
			return n, false
		}
		r.i++
		v, ok := r.value(depth + 1)
		if !ok {
			return n, false
		}
		n.Keys, n.List = append(n.Keys, key), append(n.List, v)
		if more, ok := r.next('}'); !ok || !more {
			return n, ok
		}
	}
}

func (r *reader) array(depth int) (Node, bool) {
	n, closing := Node{Kind: Array}, byte(']')
	if r.s[r.i] == '(' {
		closing = ')'
	}
	r.i++
	if r.space(); r.i < len(r.s) && r.s[r.i] == closing {
		r.i++
		return n, true
	}
	for {
		v, ok := r.value(depth + 1)
		if !ok {
			return n, false
		}
		n.List = append(n.List, v)
		if more, ok := r.next(closing); !ok || !more {
			return n, ok
		}
	}
}

// next steps over a comma (more) or the closing byte.
func (r *reader) next(closing byte) (more, ok bool) {
	r.space()
	if r.i >= len(r.s) {
		return false, false
	}
	c := r.s[r.i]
	r.i++
	return c == ',', c == ',' || c == closing
}

// string reads a string; the cursor is on its opening quote.
func (r *reader) string() (string, bool) {
	quote := r.s[r.i]
	r.i++
	start := r.i
	end := stringEnd(r.s, start, quote)
	if end < 0 {
		return "", false
	}
	r.i = end + 1
	raw := r.s[start:end]
	if strings.IndexByte(raw, '\\') < 0 {
		return raw, true
	}
	return unescape(raw)
}

// stringEnd finds the closing quote of a string that begins at i, or -1. Each
// byte is looked at twice at most, however many escapes there are.
func stringEnd(s string, i int, quote byte) int {
	end := -1 // the next quote at or after i
	for i <= len(s) {
		if end < i {
			q := strings.IndexByte(s[i:], quote)
			if q < 0 {
				return -1
			}
			end = i + q
		}
		b := strings.IndexByte(s[i:end], '\\')
		if b < 0 {
			return end
		}
		i += b + 2
	}
	return -1
}

func unescape(raw string) (string, bool) {
	out := make([]byte, 0, len(raw))
	for len(raw) > 0 {
		b := strings.IndexByte(raw, '\\')
		if b < 0 {
			break
		}
		out = append(out, raw[:b]...)
		raw = raw[b+1:]
		if raw == "" {
			return "", false
		}
		c := raw[0]
		raw = raw[1:]
		switch c {
		case '"', '\\', '/', '\'':
			out = append(out, c)
		case 'n':
			out = append(out, '\n')
		case 't':
			out = append(out, '\t')
		case 'r':
			out = append(out, '\r')
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'u':
			r, rest, ok := hexRune(raw)
			if !ok {
				return "", false
			}
			raw = rest
			if utf16.IsSurrogate(r) && strings.HasPrefix(raw, `\u`) {
				if low, rest, ok := hexRune(raw[2:]); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
					r, raw = utf16.DecodeRune(r, low), rest
				}
			}
			out = utf8.AppendRune(out, r) // a lone surrogate becomes U+FFFD
		default:
			return "", false
		}
	}
	return string(append(out, raw...)), true
}

func hexRune(s string) (rune, string, bool) {
	if len(s) < 4 {
		return 0, s, false
	}
	v, err := strconv.ParseUint(s[:4], 16, 32)
	return rune(v), s[4:], err == nil
}

// Canonical spells a value with sorted keys, for comparing calls.
func (n *Node) Canonical(b *strings.Builder) {
	switch n.Kind {
	case Object:
		order := make([]int, len(n.Keys))
		for i := range order {
			order[i] = i
		}
		sort.SliceStable(order, func(a, c int) bool { return n.Keys[order[a]] < n.Keys[order[c]] })
		b.WriteByte('{')
		for _, i := range order {
			b.WriteString(strconv.Quote(n.Keys[i]))
			b.WriteByte(':')
			n.List[i].Canonical(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case Array:
		b.WriteByte('[')
		for i := range n.List {
			n.List[i].Canonical(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case String:
		b.WriteString(strconv.Quote(n.Text))
	case Number:
		if f, err := strconv.ParseFloat(n.Text, 64); err == nil && f > -1e15 && f < 1e15 {
			b.WriteString(strconv.FormatFloat(f, 'g', -1, 64))
			return
		}
		b.WriteString(n.Text)
	default:
		b.WriteString(n.Text)
	}
}
