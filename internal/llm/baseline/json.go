package baseline

import (
	"sort"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds nesting; a deeper value counts as unreadable.
const maxDepth = 100

type kind byte

const (
	absent kind = iota
	null
	boolean
	number
	str
	array
	object
)

// node is one JSON value. Strings are decoded; numbers and booleans keep their
// spelling; objects keep their key order, and the last of duplicate keys wins.
type node struct {
	kind kind
	text string
	keys []string
	list []node // elements, or the values of keys
}

func (n *node) get(key string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	for i := len(n.keys) - 1; i >= 0; i-- {
		if n.keys[i] == key {
			return &n.list[i]
		}
	}
	return nil
}

// str returns the text of a string node, "" for anything else.
func (n *node) str() string {
	if n == nil || n.kind != str {
		return ""
	}
	return n.text
}

func (n *node) is(k kind) bool { return n != nil && n.kind == k }

func (n *node) float() (float64, bool) {
	if !n.is(number) {
		return 0, false
	}
	f, err := strconv.ParseFloat(n.text, 64)
	return f, err == nil
}

// reader is a JSON reader for one string. It allocates nothing for strings
// without escapes.
type reader struct {
	s      string
	i      int
	python bool // single quotes, True, False, None and tuples are read too
}

// parsePython reads exactly one Python literal of the kinds that JSON has.
func parsePython(s string) (node, bool) {
	r := reader{s: s, python: true}
	n, ok := r.value(0)
	r.space()
	return n, ok && r.i == len(s)
}

// parse reads exactly one value.
func parse(s string) (node, bool) {
	r := reader{s: s}
	n, ok := r.value(0)
	r.space()
	return n, ok && r.i == len(s)
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

func (r *reader) value(depth int) (node, bool) {
	r.space()
	if r.i >= len(r.s) || depth > maxDepth {
		return node{}, false
	}
	switch c := r.s[r.i]; {
	case r.quote(c):
		s, ok := r.string()
		return node{kind: str, text: s}, ok
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.array(depth)
	case c == '-' || (c >= '0' && c <= '9'):
		return r.number()
	case strings.HasPrefix(r.s[r.i:], "true"):
		r.i += 4
		return node{kind: boolean, text: "true"}, true
	case strings.HasPrefix(r.s[r.i:], "false"):
		r.i += 5
		return node{kind: boolean, text: "false"}, true
	case strings.HasPrefix(r.s[r.i:], "null"):
		r.i += 4
		return node{kind: null, text: "null"}, true
	case r.python:
		return r.pythonValue(depth)
	}
	return node{}, false
}

func (r *reader) pythonValue(depth int) (node, bool) {
	switch rest := r.s[r.i:]; {
	case rest[0] == '(':
		return r.array(depth)
	case strings.HasPrefix(rest, "True"):
		r.i += 4
		return node{kind: boolean, text: "true"}, true
	case strings.HasPrefix(rest, "False"):
		r.i += 5
		return node{kind: boolean, text: "false"}, true
	case strings.HasPrefix(rest, "None"):
		r.i += 4
		return node{kind: null, text: "null"}, true
	}
	return node{}, false
}

func (r *reader) quote(c byte) bool { return c == '"' || (c == '\'' && r.python) }

func (r *reader) number() (node, bool) {
	start := r.i
	for r.i < len(r.s) && strings.IndexByte("+-.eE0123456789", r.s[r.i]) >= 0 {
		r.i++
	}
	text := r.s[start:r.i]
	if _, err := strconv.ParseFloat(text, 64); err != nil && len(text) < 300 {
		return node{}, false
	}
	return node{kind: number, text: text}, true
}

func (r *reader) object(depth int) (node, bool) {
	n := node{kind: object}
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
		n.keys, n.list = append(n.keys, key), append(n.list, v)
		if more, ok := r.next('}'); !ok || !more {
			return n, ok
		}
	}
}

func (r *reader) array(depth int) (node, bool) {
	n, closing := node{kind: array}, byte(']')
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
		n.list = append(n.list, v)
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

// canonical spells a value with sorted keys, for comparing calls.
func (n *node) canonical(b *strings.Builder) {
	switch n.kind {
	case object:
		order := make([]int, len(n.keys))
		for i := range order {
			order[i] = i
		}
		sort.SliceStable(order, func(a, c int) bool { return n.keys[order[a]] < n.keys[order[c]] })
		b.WriteByte('{')
		for _, i := range order {
			b.WriteString(strconv.Quote(n.keys[i]))
			b.WriteByte(':')
			n.list[i].canonical(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	case array:
		b.WriteByte('[')
		for i := range n.list {
			n.list[i].canonical(b)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case str:
		b.WriteString(strconv.Quote(n.text))
	case number:
		if f, err := strconv.ParseFloat(n.text, 64); err == nil && f > -1e15 && f < 1e15 {
			b.WriteString(strconv.FormatFloat(f, 'g', -1, 64))
			return
		}
		b.WriteString(n.text)
	default:
		b.WriteString(n.text)
	}
}
