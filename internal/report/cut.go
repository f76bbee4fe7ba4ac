package report

import (
	"strings"
	"unicode/utf8"
)

// CutText shortens text to about most characters and returns how many it left out. The
// beginning stays, and the first quote beyond it with what surrounds it; the copy is valid
// UTF-8.
func CutText(text string, quotes []string, most int) (string, int) {
	total := utf8.RuneCountInString(text)
	if total <= most {
		return strings.ToValidUTF8(strings.Clone(text), "\uFFFD"), 0
	}
	head := forward(text, 0, most)
	from, to := len(text), len(text)
	for _, q := range quotes {
		if _, _, ok := FindQuote(text[:head], q, 0); ok || len(q) > most {
			continue
		}
		if start, end, ok := FindQuote(text, q, 0); ok && start < from {
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
