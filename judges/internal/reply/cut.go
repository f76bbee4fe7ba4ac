package reply

import (
	"encoding/json"
	"strings"

	"github.com/judgekit/judge/internal/llm"
)

// cutShort classifies a reply that ended before its end: at the token limit, by a
// guard against loops, by a content filter.
func cutShort(in *llm.Response, text, answer string, open bool) (kind, detail string) {
	switch in.FinishReason {
	case "length":
	case "content_filter":
		return KindRefused, "a content filter ended the reply"
	case llm.FinishRepetition:
		// A server that breaks off a reply for repeating itself calls it finished. An object
		// that is all there is was finished before the loop, which is one of blanks.
		if strings.HasPrefix(answer, "{") && json.Valid([]byte(answer)) {
			return "", ""
		}
		if blanksAtEnd(text) >= guardBlanks {
			return KindWhitespaceLoop, "the server broke the reply off: it only wrote blanks"
		}
		return KindTruncated, "the server broke the reply off: it repeated itself"
	default:
		return "", ""
	}
	end, advice, thoughtAdvice := "the reply ran into its token limit", "; raise max_tokens", "; raise the reasoning budget"
	if !limitWord(in.FinishSent) {
		// No budget of the judge's ended it, and none would have kept it.
		end, advice, thoughtAdvice = "the server broke the reply off (finish reason "+llm.OneLine(in.FinishSent)+")", "", ""
	}
	switch {
	case blankTail(text):
		return KindWhitespaceLoop, end + " writing blanks"
	case open || answer == "" && (in.Reasoning != "" || text != "" || in.Usage.Reasoning != nil && *in.Usage.Reasoning > 0):
		return KindTruncatedInThought, end + " while thinking" + thoughtAdvice
	}
	return KindTruncated, end + advice
}

// limitWord reports whether the server's own word for a reply that was cut speaks of a
// length; "" is the usual one.
func limitWord(sent string) bool {
	switch strings.ToLower(sent) {
	case "", "max_tokens", "model_length":
		return true
	}
	return false
}

// guardBlanks is how many blanks at the end of a reply that was broken off for
// repetition make it a loop of blanks; servers allow some thirty tokens.
const guardBlanks = 16

func blanksAtEnd(s string) int { return len(s) - len(strings.TrimRight(s, " \t\r\n")) }

// blankTail reports whether more than 30 % of the last 512 bytes are blanks. Shorter
// texts are never a loop.
func blankTail(s string) bool {
	const tail = 512
	if len(s) < tail/2 {
		return false
	}
	s = s[max(0, len(s)-tail):]
	blanks := 0
	for i := range len(s) {
		if c := s[i]; c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			blanks++
		}
	}
	return blanks*10 > len(s)*3
}
