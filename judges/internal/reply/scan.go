package reply

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Bounds of the search for answers in a reply.
const (
	maxReplyText  = 1 << 20 // bytes of a reply that are searched, from its end
	maxCandidates = 32      // complete objects that are looked at, the last ones
	maxRestarts   = 64      // opening braces that led nowhere
)

// candidate is one top-level object found in a reply.
type candidate struct {
	text string
	at   int // offset in the text that was searched
	// closed is false for an object whose last brace is missing.
	closed bool
	// loose says that the object stands behind a brace that led nowhere: it may be a
	// part of something else, and counts only if it validates.
	loose bool
}

// objects returns the complete top-level JSON objects of a text in order, by
// counting braces outside of strings, and whether other text than blanks and one
// code fence stands around them. An opening brace that is never closed is passed
// over; what lacks nothing but its last brace comes back as not closed as well.
func objects(text string) (found []candidate, around bool) {
	restarts := 0
	rest := text
	for {
		// rest is always an end of text.
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

// endsWhole reports whether the last value of an unfinished object is surely whole:
// a number or a word could go on.
func endsWhole(s string) bool {
	s = strings.TrimRight(s, " \t\r\n`")
	return s != "" && strings.IndexByte(`}]"`, s[len(s)-1]) >= 0
}

// match returns the length of the object at the head of s; -1 when it does not
// end, with the depth and whether a string is open at the end.
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

// hasWords reports whether a text holds more than blanks and code fences.
func hasWords(s string) bool {
	s = strings.TrimSpace(s)
	s = strings.TrimPrefix(s, "```json")
	s = strings.Trim(s, "` \t\r\n\ufeff")
	return s != ""
}

// The local repairs of an object's text. None invents a value.
const (
	repairTrailingComma = "repaired_trailing_comma"
	repairNewline       = "repaired_newline"
	repairBrace         = "repaired_brace"
	repairBOM           = "repaired_bom"
)

// parsed is a candidate that is JSON, with the repairs that made it so.
type parsed struct {
	value    value.Value
	repeated []string
	repairs  []string
}

// read parses a candidate strictly, and if that fails once more after the local
// repairs.
func (c candidate) read() (parsed, error) {
	text := c.text
	var repairs []string
	if !c.closed {
		text, repairs = strings.TrimRight(text, " \t\r\n`")+"}", append(repairs, repairBrace)
	}
	v, repeated, err := value.ParseUnique([]byte(text))
	if err == nil {
		return parsed{v, repeated, repairs}, nil
	}
	fixed, newlines, commas := mend(text)
	if newlines {
		repairs = append(repairs, repairNewline)
	}
	if commas {
		repairs = append(repairs, repairTrailingComma)
	}
	if !newlines && !commas {
		return parsed{}, err
	}
	if v, repeated, again := value.ParseUnique([]byte(fixed)); again == nil {
		return parsed{v, repeated, repairs}, nil
	}
	return parsed{}, err
}

// mend escapes raw control characters inside strings and drops commas in front of
// a closing bracket.
func mend(s string) (out string, newlines, commas bool) {
	var b strings.Builder
	b.Grow(len(s) + 16)
	inString := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case inString && c == '\\' && i+1 < len(s):
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
			if next != "" && (next[0] == '}' || next[0] == ']') {
				commas = true
				continue
			}
		}
		b.WriteByte(c)
	}
	return b.String(), newlines, commas
}
