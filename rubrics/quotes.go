package rubrics

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

// quotePairs are the quotation marks that evidence may use.
var quotePairs = map[rune]rune{'"': '"', '“': '”', '«': '»', '`': '`', '\'': '\'', '‘': '’'}

// quotedParts returns the quoted texts of an evidence string from left to right,
// without nesting; a quote with an ellipsis gives its parts. A single quote opens
// only behind, and closes only before, something that is no letter or digit, so
// that apostrophes are safe. Unclosed quotes and quotes without a word are left
// out.
func quotedParts(text string) []string {
	runes := []rune(text)
	var out []string
	for i := 0; i < len(runes); i++ {
		closing, ok := quotePairs[runes[i]]
		if !ok || runes[i] == '\'' && i > 0 && isWordRune(runes[i-1]) {
			continue
		}
		end := -1
		for j := i + 1; j < len(runes); j++ {
			if runes[j] == closing && (closing != '\'' || j+1 == len(runes) || !isWordRune(runes[j+1])) {
				end = j
				break
			}
		}
		if end < 0 {
			continue
		}
		quote := strings.ReplaceAll(string(runes[i+1:end]), "…", "...")
		for part := range strings.SplitSeq(quote, "...") {
			if len(words(part)) > 0 {
				out = append(out, part)
			}
		}
		i = end
	}
	return out
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// words returns the lower-case runs of letters and digits of a text, with JSON
// escapes undone, so that a quote matches a record however it was escaped.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(unescape(text)), func(r rune) bool { return !isWordRune(r) })
}

func unescape(s string) string {
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
		switch c := s[i+1]; {
		case c == 'n' || c == 'r' || c == 't':
			b.WriteByte(' ')
			i += 2
		case c == 'u' && i+6 <= len(s):
			if n, err := strconv.ParseUint(s[i+2:i+6], 16, 16); err == nil {
				b.WriteString(string(utf8.AppendRune(nil, rune(n))))
				i += 6
				continue
			}
			fallthrough
		default:
			b.WriteByte(' ')
			i++
		}
	}
	return b.String()
}

// containsRun reports whether part occurs in whole as a run.
func containsRun(whole, part []string) bool {
	for i := 0; i+len(part) <= len(whole); i++ {
		if slices.Equal(whole[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// exampleTexts returns what evidence may quote: message texts, tool outputs and
// arguments, tool lines, and the call itself.
func exampleTexts(e Example) []string {
	var out []string
	add := func(v value.Value) {
		if s, ok := v.Str(); ok {
			out = append(out, s)
		} else if !v.IsNull() {
			out = append(out, v.JSON())
		}
	}
	for _, m := range e.Conversation {
		for key, v := range m.Members() {
			if key != "role" {
				add(v)
			}
		}
	}
	for _, t := range e.Tools {
		names := strings.Join(parameterNames(e, toolName(t)), ", ")
		desc, _ := firstOf(t, "description").Str()
		out = append(out, toolName(t)+"("+names+") "+desc)
	}
	add(e.Call)
	return append(out, e.CallName())
}
