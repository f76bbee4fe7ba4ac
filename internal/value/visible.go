package value

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Visible returns text on one line, safe to print: line breaks and tabs become blanks; characters
// that control a terminal, change the direction of text or cannot be seen become their \u escape.
func Visible(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, unseen) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case unseen(r) && r > 0xFFFF:
			fmt.Fprintf(&b, "\\U%08x", r)
		case unseen(r):
			fmt.Fprintf(&b, "\\u%04x", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// VisibleLine does what Visible does, but shows line feeds as \n.
func VisibleLine(text string) string { return Visible(strings.ReplaceAll(text, "\n", "\\n")) }

// VisibleLines does what Visible does, but keeps line feeds.
func VisibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = Visible(strings.TrimSuffix(lines[i], "\r"))
	}
	return strings.Join(lines, "\n")
}

// VisibleJSON returns a JSON text whose strings have an escape for each character that turns the
// direction of text or cannot be seen.
func VisibleJSON(text []byte) []byte {
	if bytes.IndexFunc(text, hidden) < 0 {
		return text
	}
	var out []byte
	for _, r := range string(text) {
		if !hidden(r) {
			out = utf8.AppendRune(out, r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, "\\u%04x", unit)
		}
	}
	return out
}

// VisibleJSONWriter returns a writer that passes JSON on to w as [VisibleJSON] shows it. The
// text may be cut anywhere; its last character must be whole.
func VisibleJSONWriter(w io.Writer) io.Writer { return &jsonWriter{w: w} }

type jsonWriter struct {
	w io.Writer
	// rest is the beginning of a character whose other bytes were not written yet.
	rest []byte
}

func (j *jsonWriter) Write(b []byte) (int, error) {
	text := b
	if len(j.rest) > 0 {
		text = append(j.rest, b...)
	}
	whole := len(text)
	for i := whole - 1; i >= max(0, whole-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			if !utf8.FullRune(text[i:]) {
				whole = i
			}
			break
		}
	}
	_, err := j.w.Write(VisibleJSON(text[:whole]))
	j.rest = append([]byte(nil), text[whole:]...)
	return len(b), err
}

// hidden reports whether a character is unseen and JSON does not escape it itself.
func hidden(r rune) bool { return r >= 0x7f && unseen(r) }

// unseen reports whether a character changes how others look, or cannot be seen. The soft hyphen,
// and the joiner and the selectors of emoji, do not count.
func unseen(r rune) bool {
	switch {
	case r < 0xa0:
		return r < 0x20 || r >= 0x7f
	case r == 0xAD, r == 0x200D:
		return false
	}
	return r == 0x2800 || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Co,
		unicode.Other_Default_Ignorable_Code_Point)
}
