package reply

import (
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
)

// Limits of the search for answers in a reply.
const (
	maxReplyText  = 1 << 20 // searched bytes, from the end of the reply
	maxCandidates = 32      // complete objects that are examined, the last ones
	maxRestarts   = 64      // opening braces without a closing one
)

// source is the part of a reply that is searched for the answer.
type source struct {
	text string
	// base is the offset of text in the reply's content; -1 if the text comes from elsewhere.
	base int
	// arguments holds the arguments of the tool calls, if the text is made of them.
	arguments []string
	// reasoning says that the text is the reasoning field, marked that it had a byte order mark.
	reasoning, marked bool
}

// sourceOf returns the content; if it is blank, the arguments of the tool calls; if they are blank
// too, the reasoning, provided that it contains a brace and the token limit did not end the reply.
func sourceOf(in *llm.Response) source {
	s := source{text: in.Content}
	if blank(s.text) {
		s.arguments = in.Arguments
		if s.arguments == nil && in.ToolArguments != "" {
			s.arguments = []string{in.ToolArguments}
		}
		s.text, s.base = strings.Join(s.arguments, "\n"), -1
	}
	if blank(s.text) && in.FinishReason != "length" && strings.Contains(in.Reasoning, "{") {
		s = source{text: in.Reasoning, base: -1, reasoning: true}
	}
	whole := len(s.text)
	s.text = s.text[max(0, whole-maxReplyText):]
	s.text, s.marked = strings.CutPrefix(s.text, "\ufeff")
	if s.base >= 0 {
		s.base = whole - len(s.text)
	}
	return s
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// answer returns the text without its thinking, see cutThought. Arguments contain no thinking.
func (s *source) answer() (answer string, thought, open bool) {
	if s.arguments != nil && strings.HasPrefix(strings.TrimSpace(s.text), "{") {
		return s.text, false, false
	}
	return cutThought(s.text)
}

// cutThought removes thinking: <think>…</think>, or everything up to the last closing tag if the
// chat template opened it. open says that thinking began and did not end.
func cutThought(text string) (answer string, thought, open bool) {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		text, thought = text[i+len("</think>"):], true
	}
	if before, _, begun := strings.Cut(text, "<think>"); begun && blank(before) {
		return "", true, true
	}
	return text, thought, false
}

// candidate is one top-level object found in a reply.
type candidate struct {
	text string
	at   int // offset in the searched text
	// closed is false for an object without its last brace.
	closed bool
	// loose says that the object follows an unclosed brace: it may be part of something else, and
	// counts only if it matches the schema.
	loose bool
}

// objects returns the objects in part, which is an end of the source's text. No object extends from
// one tool call into the next.
func (s *source) objects(part string) (found []candidate, around bool) {
	parts := []string{part}
	if len(s.arguments) > 1 && part == s.text && len(part) < maxReplyText {
		parts = s.arguments
	}
	for _, p := range parts {
		list, words := objects(p)
		found, around = append(found, list...), around || words
	}
	return found, around
}

// objects returns the complete top-level JSON objects of a text in order, by counting braces
// outside strings. around says whether there is other text than blanks and one code fence. A brace
// that is never closed is skipped; an object that lacks only its last brace is also returned, as
// not closed.
func objects(text string) (found []candidate, around bool) {
	restarts := 0
	rest := text
	for {
		// rest always ends where the text ends.
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			return found, around || hasWords(rest)
		}
		around = around || hasWords(rest[:open])
		rest = rest[open:]
		end, depth, inString := match(rest)
		if end < 0 {
			if depth == 1 && !inString && endsWhole(rest) {
				found = append(found, candidate{text: rest, at: len(text) - len(rest), loose: restarts > 0})
			} else {
				around = true
			}
			if restarts++; restarts > maxRestarts {
				return found, true
			}
			rest = rest[1:]
			continue
		}
		found = append(found, candidate{text: rest[:end], at: len(text) - len(rest), closed: true, loose: restarts > 0})
		if len(found) > maxCandidates {
			found = found[1:]
		}
		rest = rest[end:]
	}
}

// endsWhole reports whether the last value of an unfinished object, which begins with its brace, is
// surely complete: a number or word could continue.
func endsWhole(s string) bool {
	s = strings.TrimRight(s, " \t\r\n`")
	return strings.IndexByte(`}]"`, s[len(s)-1]) >= 0
}

// match returns the length of the object at the beginning of s; -1 if it does not end, with the
// depth and whether a string is open at the end.
func match(s string) (end, depth int, inString bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, 0, false
			}
		}
	}
	return -1, depth, inString
}

// hasWords reports whether a text contains more than blanks and code fences.
func hasWords(s string) bool {
	s = strings.TrimSpace(s)
	s = strings.TrimPrefix(s, "```json")
	s = strings.Trim(s, "` \t\r\n\ufeff")
	return s != ""
}

// The local repairs of an object's text. None of them invents a value.
const (
	repairTrailingComma = "repaired_trailing_comma"
	repairNewline       = "repaired_newline"
	repairBrace         = "repaired_brace"
	repairBOM           = "repaired_bom"
)

// parse parses a candidate strictly and, if that fails, once more after the local repairs. repeated
// lists the JSON Pointers of keys that occur twice, repairs the repairs that were made.
func (c candidate) parse() (v value.Value, repeated, repairs []string, err error) {
	text := c.text
	if !c.closed {
		text, repairs = strings.TrimRight(text, " \t\r\n`")+"}", []string{repairBrace}
	}
	if v, repeated, err = value.ParseUnique([]byte(text)); err == nil {
		return v, repeated, repairs, nil
	}
	fixed, newlines, commas := repair(text)
	if newlines {
		repairs = append(repairs, repairNewline)
	}
	if commas {
		repairs = append(repairs, repairTrailingComma)
	}
	v, repeated, again := value.ParseUnique([]byte(fixed))
	if again != nil {
		return v, nil, nil, err
	}
	return v, repeated, repairs, nil
}

// jsonError says why a text is not valid JSON.
func jsonError(text string, err error) string {
	for _, word := range []string{"NaN", "Infinity"} {
		if strings.Contains(text, ": "+word) || strings.Contains(text, ":"+word) || strings.Contains(text, "-"+word) {
			return word + " is not a JSON number"
		}
	}
	return "the answer is not valid JSON: " + strings.TrimPrefix(err.Error(), "json: ")
}

// repair escapes raw control characters inside strings and removes commas before closing brackets. The
// text ends with a bracket.
func repair(s string) (out string, newlines, commas bool) {
	var b strings.Builder
	b.Grow(len(s) + 16)
	inString := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case inString && c == '\\':
			b.WriteByte(c)
			i++
			c = s[i]
		case c == '"':
			inString = !inString
		case inString && c < ' ':
			newlines = true
			escaped := value.AppendQuoted(nil, s[i:i+1])
			b.Write(escaped[1 : len(escaped)-1])
			continue
		case !inString && c == ',':
			next := strings.TrimLeft(s[i+1:], " \t\r\n")
			if next[0] == '}' || next[0] == ']' {
				commas = true
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String(), newlines, commas
}

// Object returns the last JSON object of a reply, after its thinking.
func Object(in *llm.Response) (v value.Value, ok bool) {
	from := sourceOf(in)
	answer, _, _ := from.answer()
	found, _ := from.objects(answer)
	for _, c := range found {
		if parsed, _, _, err := c.parse(); err == nil {
			v, ok = parsed, true
		}
	}
	return v, ok
}
