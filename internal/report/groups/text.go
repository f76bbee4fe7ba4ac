package groups

import "strings"

// gap replaces a value.
const gap = "…"

// maxMessage limits how many bytes of a text are used.
const maxMessage = 400

// WithoutValues replaces the values in a message by gaps: text in quotes or brackets, and words
// with a digit, an @ or a capital inside. The name of the parameter is kept.
func WithoutValues(text, parameter string) string {
	text = head(text)
	var b strings.Builder
	b.Grow(len(text))
	for len(text) > 0 {
		word, rest := nextWord(text)
		text = rest
		kept := kept(word, parameter)
		if kept == gap && strings.HasSuffix(b.String(), gap) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(kept)
		if kept == "value" {
			if _, after, found := strings.Cut(text, " of "+parameter); found && parameter != "" {
				b.WriteString(" " + gap)
				text = "of " + parameter + after
			}
		}
	}
	return b.String()
}

// head returns the beginning of a text, up to the end of a word.
func head(text string) string {
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "")
	}
	return strings.TrimSpace(text)
}

var closing = map[byte]byte{'"': '"', '\'': '\'', '`': '`', '{': '}', '[': ']'}

// nextWord cuts off the first word; if it begins with a quote or bracket, everything up to the
// closing one.
func nextWord(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t\n")
	if last, opens := closing[text[0]]; opens {
		if at := strings.IndexByte(text[1:], last); at >= 0 {
			if end = strings.IndexAny(text[at+1:], " \t\n"); end >= 0 {
				end += at + 1
			}
		}
	}
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimLeft(text[end:], " \t\n")
}

// kept returns a word of a message, or a gap if it is a value. Punctuation after a value is dropped
// with it.
func kept(word, parameter string) string {
	bare := strings.Trim(word, "\"'`{}[]/:,;.")
	switch {
	case bare != "" && bare == parameter:
		return unquoted.Replace(word)
	case closing[word[0]] != 0 || strings.ContainsAny(word, "0123456789@=\\") ||
		strings.Contains(word, "://"):
		return gap
	}
	for i := 1; i < len(bare); i++ {
		if 'A' <= bare[i] && bare[i] <= 'Z' {
			return gap
		}
	}
	return word
}

var unquoted = strings.NewReplacer(`"`, "", "'", "", "`", "", "{", "", "}", "", "[", "", "]", "", "/", "")

// introduces lists words that come before the name of a parameter.
var introduces = map[string]bool{"parameter": true, "argument": true, "field": true, "property": true, "key": true,
	"for": true, "lacks": true, "missing:": true, "extra:": true, "of": true}

// subjects lists words that follow the name of a parameter at the beginning of a message.
var subjects = map[string]bool{"is": true, "has": true, "looks": true, "must": true}

// namedIn returns the parameter that a message is about, "" if it names none: 'amount' after a word
// such as parameter, or "amount is …" at the beginning. If free is set, a word counts as a name only if
// it is quoted or contains an underscore.
func namedIn(text string, free bool) string {
	before, first := "", ""
	for text = head(text); text != ""; {
		var word string
		word, text = nextWord(text)
		bare := strings.Trim(word, "\"'`{}[]/:,;.")
		quoted := closing[word[0]] != 0
		marked := quoted || strings.Contains(bare, "_")
		if isName(bare) && introduces[before] && (marked || !free && (before == "parameter" || before == "of")) {
			return bare
		}
		if subjects[word] && isName(first) && (!free || strings.Contains(first, "_")) {
			return first
		}
		first = ""
		if before == "" {
			first = strings.Trim(word, "\"'`/")
		}
		before = word
	}
	return ""
}

// quotedName returns the name in quotes in a text; "" if none.
func quotedName(text string) string {
	_, rest, _ := strings.Cut(text, `"`)
	if name, _, _ := strings.Cut(rest, `"`); isName(name) {
		return name
	}
	return ""
}

// isName reports whether a word can be the name of a parameter or a rule.
func isName(word string) bool {
	if word == "" || len(word) > 60 || stop[word] {
		return false
	}
	for i := range len(word) {
		c := word[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '.' || i > 0 && '0' <= c && c <= '9') {
			return false
		}
	}
	return true
}

// stop lists English words that are not parameters, although they may stand in the place of one.
var stop = map[string]bool{"the": true, "a": true, "an": true, "this": true, "that": true, "it": true, "no": true,
	"there": true, "call": true, "its": true, "and": true, "which": true, "one": true, "any": true, "each": true,
	"what": true, "of": true, "is": true, "tool": true, "user": true, "which.": true, "required": true}
