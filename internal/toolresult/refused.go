package toolresult

import (
	"bytes"
	"regexp"
)

// refusalWords rule out nearly all results quickly: the pattern below is slow.
var refusalWords = [...]string{"reject", "refus", "denied", "block", "terminat", "declin", "not permitted"}

// refusalForm is a sentence whose subject is the call itself.
var refusalForm = regexp.MustCompile(`(?i)^[\s"'*\[(]*(?:error:?\s*)?(?:` +
	`(?:the\s+)?(?:(?:tool|function)[\s_-]?(?:call|use|execution|invocation)|execution|invocation` +
	`|call)\b[^.!?\n]{0,120}?(?:\.\w[^.!?\n]{0,80}?)?\s(?:was|is|were|has been|got)\s+(?:rejected|refused` +
	`|denied|blocked|terminated|declined|not permitted)\b` +
	`|(?:the\s+)?user\s+(?:has\s+)?(?:rejected|refused|denied|declined|blocked)\s+(?:the|this|to run|permission)\b` +
	`|(?:blocked|rejected|refused|denied|terminated)\s+by\s+(?:the\s+|a\s+)?(?:guard|guardrail|safety` +
	`|approval|hook|operator|supervisor)\b` +
	`)`)

// Refused reports whether a tool result means that the call was refused before it
// ran. The subject of the sentence must be the call, so that a tool that answers
// "payment was declined" has run.
func Refused(content string) bool {
	if len(content) > head {
		content = content[:head]
	}
	var buf [head]byte
	lower := buf[:copy(buf[:], content)]
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c | 0x20
		}
	}
	for _, word := range refusalWords {
		if bytes.Contains(lower, []byte(word)) {
			return refusalForm.MatchString(content)
		}
	}
	return false
}
