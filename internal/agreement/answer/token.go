package answer

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
)

// tokens splits text into lower-case runs of letters and numbers; each
// ideograph, kana and hangul syllable is a token of its own, everything else
// separates. Literal JSON escapes are undone first.
func tokens(text string) []string {
	var out []string
	var run strings.Builder
	flush := func() {
		if run.Len() > 0 {
			out = append(out, run.String())
			run.Reset()
		}
	}
	for _, r := range strings.ToLower(Unescape(text)) {
		switch {
		case single(r):
			flush()
			out = append(out, string(r))
		case alphanumeric(r):
			if r == 'ς' {
				r = 'σ' // the lower case of Σ depends on its place in a word
			}
			run.WriteRune(r)
		default:
			flush()
		}
	}
	flush()
	return out
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// single reports scripts written without spaces between words.
func single(r rune) bool {
	in := func(low, high rune) bool { return low <= r && r <= high }
	inBlock := in(0x3040, 0x30FF) || in(0x3400, 0x4DBF) || in(0x4E00, 0x9FFF) || in(0xAC00, 0xD7AF)
	return inBlock && alphanumeric(r)
}

func hasDigit(token string) bool { return strings.ContainsFunc(token, unicode.IsDigit) }

// Unescape undoes the JSON escapes that a text holds literally: \uXXXX is decoded
// (pairs of surrogates together), \n \r \t become a space, \" a quotation mark. Every
// other backslash stays.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		switch s[i+1] {
		case 'n', 'r', 't':
			b.WriteByte(' ')
			i += 2
		case '"':
			b.WriteByte('"')
			i += 2
		case 'u':
			r, size := unicodeEscape(s[i:])
			b.WriteRune(r)
			i += size
		default:
			b.WriteByte('\\')
			i++
		}
	}
	return b.String()
}

// unicodeEscape decodes the \uXXXX at the start of s, or a pair of them; what
// is no escape stays a backslash.
func unicodeEscape(s string) (r rune, size int) {
	first, ok := hex4(s)
	if !ok {
		return '\\', 1
	}
	if second, ok := hex4(s[6:]); ok {
		if r := utf16.DecodeRune(first, second); r != unicode.ReplacementChar {
			return r, 12
		}
	}
	return first, 6
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[2:6], 16, 16)
	return rune(v), err == nil
}
