// Package unescape reads a text with its escapes removed: those of JSON and programming languages, URLs and
// HTML, nested in each other. It knows where in the original each byte comes from.
package unescape

import (
	"bytes"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes is a set of kinds of escapes.
type escapes int

const (
	backslashes escapes = 1 << iota // of JSON and programming languages
	percents                        // of URLs
	entities                        // of HTML
	allEscapes  = backslashes | percents | entities
)

const (
	// maxLayers limits how many nested escapings are undone. maxViews and maxBytes limit how many
	// orders are tried if a text has several kinds of escapes.
	maxLayers = 8
	maxViews  = 64
	maxBytes  = 32 << 20
	// maxEntity limits the name or number of an HTML entity.
	maxEntity = 24
)

// View is a text with some layers of escapes removed.
type View struct {
	Text []byte
	// from[i] is the position in the original of byte i, and of the end; nil if nobody asked for it
	// or nothing was removed.
	from []int
}

// Source converts a position in the view to one in the original.
func (v *View) Source(p int) int {
	if v.from == nil {
		return p
	}
	return v.from[p]
}

// Each yields the text unchanged, then with more and more layers of escapes removed, until
// yield returns true.
func Each(s []byte, mapped bool, yield func(*View) bool) {
	if yield(&View{Text: s}) || !bytes.ContainsAny(s, `\%&`) {
		return
	}
	v, seen := newView(s, mapped), escapes(0)
	for range maxLayers {
		now := v.undo(allEscapes)
		if seen |= now; now == 0 {
			break
		}
		if yield(v) {
			return
		}
	}
	if seen&(seen-1) != 0 {
		eachOrder(s, mapped, yield)
	}
}

// eachOrder removes the kinds of escapes one after another, in every order: what looks like an
// escape of one kind may be part of another, or plain text.
func eachOrder(s []byte, mapped bool, yield func(*View) bool) {
	known := map[string]bool{string(s): true}
	views := []*View{newView(s, mapped)}
	read := 0
	for i := 0; i < len(views) && len(views) < maxViews && read < maxBytes; i++ {
		for kind := backslashes; kind < allEscapes; kind <<= 1 {
			read += len(views[i].Text)
			next := &View{bytes.Clone(views[i].Text), slices.Clone(views[i].from)}
			if next.undo(kind) == 0 || known[string(next.Text)] {
				continue
			}
			if yield(next) {
				return
			}
			known[string(next.Text)] = true
			views = append(views, next)
		}
	}
}

func newView(s []byte, mapped bool) *View {
	v := &View{Text: bytes.Clone(s)}
	if mapped {
		v.from = make([]int, len(s)+1)
		for i := range v.from {
			v.from[i] = i
		}
	}
	return v
}

// undo removes one layer of escapes of the given kinds, in place. It returns the kinds that it
// found.
func (v *View) undo(kinds escapes) (seen escapes) {
	var char [utf8.UTFMax]byte
	to, end := 0, len(v.Text)
	for p := 0; p < end; {
		plain := p
		for p < end && !introduces[v.Text[p]] {
			p++
		}
		to = v.move(to, plain, p)
		if p == end {
			break
		}
		r, size, kind := escape(v.Text[p:end])
		if kind&kinds == 0 {
			to = v.move(to, p, p+1)
			p++
			continue
		}
		seen |= kind
		said := append(char[:0], byte(r))
		if kind != percents {
			said = utf8.AppendRune(char[:0], r)
		}
		for i := range said {
			if v.from != nil {
				v.from[to+i] = v.from[p]
			}
		}
		to += copy(v.Text[to:], said)
		p += size
	}
	v.Text = v.Text[:to]
	if v.from != nil {
		v.from[to] = v.from[end]
	}
	return seen
}

// move copies the bytes between two positions to another one, and returns their new end.
func (v *View) move(to, from, end int) int {
	if v.from != nil {
		copy(v.from[to:], v.from[from:end])
	}
	return to + copy(v.Text[to:], v.Text[from:end])
}

// introduces marks the bytes with which escapes begin.
var introduces = [256]bool{'\\': true, '%': true, '&': true}

// escape decodes the escape at the beginning of s: its character (one byte in a URL), its length
// and its kind; length 0 if none.
func escape(s []byte) (r rune, size int, kind escapes) {
	switch s[0] {
	case '\\':
		if r, size = afterBackslash(s); size > 0 {
			return r, size, backslashes
		}
	case '%':
		if code, ok := hexadecimal(s, 1, 2); ok {
			return code, 3, percents
		}
	case '&':
		if r, size = entity(s); size > 0 {
			return r, size, entities
		}
	}
	return 0, 0, 0
}

// afterBackslash decodes an escape of JSON or of a programming language.
func afterBackslash(s []byte) (r rune, size int) {
	if len(s) < 2 || s[1] >= utf8.RuneSelf {
		return 0, 0
	}
	switch s[1] {
	case 'u', 'U':
		high, ok := hexadecimal(s, 2, 4)
		if len(s) > 7 && s[6] == '\\' && s[7]|0x20 == 'u' {
			low, _ := hexadecimal(s, 8, 4)
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				return r, 12
			}
		}
		if ok {
			return high, 6
		}
		return inBraces(s)
	case 'x', 'X':
		if code, ok := hexadecimal(s, 2, 2); ok {
			return code, 4
		}
	}
	if code, ok := numeral(s, 1, 3, 8); ok && code < utf8.RuneSelf {
		return code, 4
	}
	if at := strings.IndexByte("nrtbf", s[1]|0x20); at >= 0 {
		return rune("\n\r\t\b\f"[at]), 2
	}
	return rune(s[1]), 2
}

// inBraces decodes JavaScript's "\u{…}", or else the letter after the backslash.
func inBraces(s []byte) (r rune, size int) {
	if end := bytes.IndexByte(s[:min(len(s), len(`\u{10ffff}`))], '}'); end > 3 && s[2] == '{' {
		if code, ok := hexadecimal(s, 3, end-3); ok && code <= utf8.MaxRune {
			return code, end + 1
		}
	}
	return rune(s[1]), 2
}

// hexadecimal decodes a number of hexadecimal digits that begins at from.
func hexadecimal(s []byte, from, digits int) (rune, bool) { return numeral(s, from, digits, 16) }

// numeral decodes a number with this many digits that begins at from.
func numeral(s []byte, from, digits int, base uint8) (rune, bool) {
	if from+digits > len(s) {
		return 0, false
	}
	code := rune(0)
	for _, c := range s[from : from+digits] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, false
		}
		if c >= base {
			return 0, false
		}
		code = code*rune(base) + rune(c)
	}
	return code, true
}

// entity decodes an HTML entity, by name or number. A number may lack its semicolon.
func entity(s []byte) (r rune, size int) {
	size = 1
	for size < min(len(s), maxEntity) && (s[size] == '#' && size == 1 ||
		'0' <= s[size] && s[size] <= '9' || 'a' <= s[size]|0x20 && s[size]|0x20 <= 'z') {
		size++
	}
	name := string(s[1:size])
	closed := size < len(s) && s[size] == ';'
	if closed {
		size++
	}
	if number, ok := strings.CutPrefix(name, "#"); ok {
		if code, err := entityCode(number); err == nil {
			return rune(code), size
		}
		return 0, 0
	}
	if !closed {
		return 0, 0
	}
	for _, name := range []string{name, strings.ToLower(name)} {
		meant := html.UnescapeString("&" + name + ";")
		if r, n := utf8.DecodeRuneInString(meant); n == len(meant) {
			return r, size
		}
	}
	return 0, 0
}

func entityCode(number string) (uint64, error) {
	if x, ok := strings.CutPrefix(strings.ToLower(number), "x"); ok {
		return strconv.ParseUint(x, 16, 21)
	}
	return strconv.ParseUint(number, 10, 21)
}

// BeforeEscape returns p or, if p is inside an escape of JSON, the beginning of the escape: cutting
// inside it would leave invalid JSON.
func BeforeEscape(s []byte, p int) int {
	for q := p; q > 0 && p-q < len(`\u000`); q-- {
		if s[q-1] != '\\' || q < p && s[q] != 'u' {
			continue
		}
		run := 0
		for run < q && s[q-1-run] == '\\' {
			run++
		}
		if run%2 == 1 {
			return q - 1
		}
	}
	return p
}
