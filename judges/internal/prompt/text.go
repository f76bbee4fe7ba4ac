package prompt

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

const hexDigits = "0123456789abcdef"

// appendSafe appends v as compact JSON on one line in which no logged text can act
// as control text: numbers as they were written, keys in their order, strings as
// appendSafeString writes them.
func appendSafe(dst []byte, v value.Value) []byte {
	switch {
	case v.Kind() == value.String:
		return appendSafeString(dst, v.Text())
	case v.IsList():
		dst = append(dst, '[')
		for i, e := range v.Elements() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendSafe(dst, e)
		}
		return append(dst, ']')
	case v.Kind() == value.Object:
		dst = append(dst, '{')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendSafeString(dst, v.KeyAt(i)), ':')
			dst = appendSafe(dst, v.At(i))
		}
		return append(dst, '}')
	}
	return value.AppendJSON(dst, v, value.Format{})
}

// appendSafeString appends s as a JSON string. Besides what JSON demands it escapes
// '<' (chat-template tokens and our own markers), '[' in front of INST] and /INST],
// and every character that is invisible or reorders text: format and control
// characters, line and paragraph separators, tag characters and the supplementary
// variation selectors.
func appendSafeString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && c != '<' && c != 0x7f && (c != '[' || !instToken(s[i+1:])) {
				i++
				continue
			}
			dst = appendASCIIEscape(append(dst, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			dst = append(append(dst, s[start:i]...), "\uFFFD"...)
			start = i + n
		case hidden(r):
			dst = appendUnicode(append(dst, s[start:i]...), r)
			start = i + n
		}
		i += n
	}
	return append(append(dst, s[start:]...), '"')
}

func appendASCIIEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

func appendUnicode(dst []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return appendUnicode(appendUnicode(dst, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// hidden reports characters that a reader does not see or that change the order of
// what he sees.
func hidden(r rune) bool {
	switch {
	case r < 0xa0, r == 0x2028, r == 0x2029, r == 0xad, r == 0x34f:
		return true // C1 controls (ASCII is handled before), separators, soft hyphen, joiner
	case r >= 0xe0000 && r <= 0xe01ef:
		return true // tags and supplementary variation selectors
	case r < 0x600:
		return false
	}
	return unicode.Is(unicode.Cf, r)
}

// instToken reports whether s goes on as INST] or /INST], in any case.
func instToken(s string) bool {
	s = strings.TrimPrefix(s, "/")
	return len(s) >= 5 && strings.EqualFold(s[:5], "INST]")
}
