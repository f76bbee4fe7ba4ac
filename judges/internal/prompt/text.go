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
// '<' (chat-template tokens and our own markers), '[' in front of the control words of
// chat templates, the wide forms of brackets, which some tokenizers make narrow, and
// every character that is invisible or reorders text.
func appendSafeString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= ' ' && c != '"' && c != '\\' && c != '<' && c != 0x7f && (c != '[' || !controlWord(s[i+1:])) {
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

// hidden reports characters that a reader does not see, that change the order of what
// he sees, or that a tokenizer may turn into the bracket of a control token.
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
		unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// controlWord reports whether s, which follows a '[', goes on as a token of a chat
// template, in any case: |…|], INST], TOOL_CALLS] and their like.
func controlWord(s string) bool {
	s = strings.TrimPrefix(s, "/")
	if strings.HasPrefix(s, "|") {
		return true
	}
	for _, word := range []string{"INST]", "TOOL_", "AVAILABLE_TOOLS]", "SYSTEM_PROMPT]", "CALL_ID]", "ARGS]", "THINK]"} {
		if len(s) >= len(word) && strings.EqualFold(s[:len(word)], word) {
			return true
		}
	}
	return false
}
