package answer

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"
)

// tokens splits text into lower-case runs of letters and numbers. Each ideograph, kana and hangul
// syllable is a token; everything else separates tokens. Literal JSON escapes are decoded first.
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
				r = 'σ' // the lower case of Σ depends on its position in a word
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

// single reports whether a character belongs to a script without spaces between words.
func single(r rune) bool {
	in := func(low, high rune) bool { return low <= r && r <= high }
	inBlock := in(0x3040, 0x30FF) || in(0x3400, 0x4DBF) || in(0x4E00, 0x9FFF) || in(0xAC00, 0xD7AF)
	return inBlock && alphanumeric(r)
}

var escapes = regexp.MustCompile(`(\\u[0-9a-fA-F]{4})+|\\[nrt"]`)

// Unescape decodes the JSON escapes that a text contains literally: \uXXXX (surrogate pairs
// together), \n \r \t as a space, \" as a quotation mark. Every other backslash stays.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return escapes.ReplaceAllStringFunc(s, func(escape string) string {
		var text string
		if strings.ContainsAny(escape[1:2], "nrt") || json.Unmarshal([]byte(`"`+escape+`"`), &text) != nil {
			return " "
		}
		return text
	})
}
