package page

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/agreement/answer"
)

// quotesOf are the texts that evidence quotes. A quote with an ellipsis counts as its parts;
// single characters do not count.
func quotesOf(evidence string) []string {
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

// findQuote returns the byte offsets of the first place in a text where the words of a quote
// are, in any case and whatever stands between them: what the page marks. ok is false where
// there is none.
func findQuote(text, quote string) (start, end int, ok bool) {
	words := strings.FieldsFunc(quote, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
	if len(words) == 0 {
		return 0, 0, false
	}
	const between = `[^\pL\pN]`
	pattern := `(?i)(?:^|` + between + `)(` + strings.Join(words, between+`+`) + `)(?:` + between + `|$)`
	found := regexp.MustCompile(pattern).FindStringSubmatchIndex(text)
	if found == nil {
		return 0, 0, false
	}
	return found[2], found[3], true
}

// quoteContext is what stays on each side of a quote in a text that is cut.
const quoteContext = 120

// cutText shortens text to about most characters and returns how many it left out. The
// beginning stays, and the first quote beyond it with what surrounds it; the copy is valid
// UTF-8.
func cutText(text string, quotes []string, most int) (string, int) {
	total := utf8.RuneCountInString(text)
	if total <= most {
		return strings.ToValidUTF8(strings.Clone(text), "\uFFFD"), 0
	}
	head := forward(text, 0, most)
	from, to := len(text), len(text)
	for _, q := range quotes {
		if _, _, ok := findQuote(text[:head], q); ok || len(q) > most {
			continue
		}
		if start, end, ok := findQuote(text, q); ok && start < from {
			from, to = backward(text, start, quoteContext), forward(text, end, quoteContext)
		}
	}
	tail := ""
	if from < len(text) {
		head = forward(text, 0, most/2)
		tail = text[max(from, head):to]
	}
	kept := text[:head] + "…" + tail
	if tail != "" && to < len(text) {
		kept += "…"
	}
	cut := total - utf8.RuneCountInString(text[:head]) - utf8.RuneCountInString(tail)
	return strings.ToValidUTF8(kept, "\uFFFD"), cut
}

// forward is the byte offset n characters behind at.
func forward(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// backward is the byte offset n characters before at.
func backward(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}
