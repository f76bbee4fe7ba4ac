package report

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/agreement/answer"
)

// quoteContext is what stays on each side of a quote in a text that is cut.
const quoteContext = 120

// QuotesOf are the texts that evidence quotes. A quote with an ellipsis counts as its parts;
// single characters do not count.
func QuotesOf(evidence string) []string {
	var out []string
	for _, q := range answer.Ground(evidence, nil, answer.GroundingRule{}).Quotes {
		for part := range strings.SplitSeq(strings.ReplaceAll(q, "…", "..."), "...") {
			if part = strings.TrimSpace(part); utf8.RuneCountInString(part) > 1 {
				out = append(out, part)
			}
		}
	}
	return out
}

// FindQuote returns the byte offsets of the first place in text, from byte from on,
// where quote occurs as whole words, in any ASCII case; ok is false where there is
// none.
func FindQuote(text, quote string, from int) (start, end int, ok bool) {
	if quote == "" || from > len(text) {
		return 0, 0, false
	}
	low, q := lowerASCII(text[from:]), lowerASCII(quote)
	for at := 0; ; {
		i := strings.Index(low[at:], q)
		if i < 0 {
			return 0, 0, false
		}
		start, end = from+at+i, from+at+i+len(q)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !wordRune(before) && !wordRune(after) {
			return start, end, true
		}
		at += i + 1
	}
}

func wordRune(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// lowerASCII keeps the length in bytes, so that offsets stay true.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
