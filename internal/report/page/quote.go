package page

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/agreement/answer"
)

// quotesOf returns the texts that evidence quotes. A quote with an ellipsis is split into its
// parts; single characters are dropped.
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

// place is a range in a text, as byte offsets.
type place struct{ start, end int }

// wordsOf returns the places of a text's words, which are its runs of letters and digits.
func wordsOf(text string) []place {
	var out []place
	open := false
	for at, r := range text {
		switch inWord := wordRune(r); {
		case inWord && !open:
			out, open = append(out, place{start: at, end: len(text)}), true
		case !inWord && open:
			out[len(out)-1].end, open = at, false
		}
	}
	return out
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// findQuote returns the byte offsets of the first place in a text where the words of a quote are, in any case
// and with anything between them. The page marks this place. ok is false if none.
func findQuote(text string, words []place, quote string) (start, end int, ok bool) {
	wanted := strings.FieldsFunc(quote, func(r rune) bool { return !wordRune(r) })
	if len(wanted) == 0 {
		return 0, 0, false
	}
	same := func(p place, word string) bool { return strings.EqualFold(text[p.start:p.end], word) }
	for i := range len(words) - len(wanted) + 1 {
		if found := words[i : i+len(wanted)]; slices.EqualFunc(found, wanted, same) {
			return found[0].start, found[len(found)-1].end, true
		}
	}
	return 0, 0, false
}

// quoteContext is the number of characters to keep on each side of a quote when a text is cut.
const quoteContext = 120

// cutText shortens text to about most characters and returns how many are missing. It keeps the
// beginning, and the first quote after it with its surroundings. The copy is valid UTF-8.
func cutText(text string, quotes []string, most int) (string, int) {
	total := utf8.RuneCountInString(text)
	if total <= most {
		return strings.ToValidUTF8(strings.Clone(text), "\uFFFD"), 0
	}
	head := forward(text, 0, most)
	from, to := len(text), len(text)
	var words []place // most texts are cut without a quote
	for _, q := range quotes {
		if len(q) > most {
			continue
		}
		if words == nil {
			words = wordsOf(text)
		}
		if start, end, ok := findQuote(text, words, q); ok && end > head && start < from {
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

// forward returns the byte offset that is n characters after at.
func forward(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// backward returns the byte offset that is n characters before at.
func backward(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}
