// Package window handles the context window of a judge's model: how large it is, what part of a
// record fits, and what a reply tells about its prompt. Sizes are estimates, in tokens.
//
// It promises that parts of a record are left out in one fixed order, and that a prompt is reported
// as cut only if no honest server could have counted so few tokens.
package window

import (
	"math"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/llm"
)

// The estimate uses these facts about tokenizers: the usual bytes per token of English and JSON,
// until a server has counted; characters beyond ASCII take more tokens per byte; a chat template
// adds some tokens to each message.
const (
	bytesPerToken        = 3.6
	foreignBytesPerToken = 2.0
	MessageTokens        = 8
)

// Limit says how much room a judge has. The zero value means no limit.
type Limit struct {
	// Tokens is the model's window, 0 if unknown; Answer is the part of it that is kept free for
	// the answer.
	Tokens, Answer int
	// BytesPerToken converts bytes to tokens; 0 means the usual ratio.
	BytesPerToken float64
}

// Answering returns the limit with room for an answer of this many tokens, but at most half of the window: an
// answer may begin with thinking, which must not take the room that the record needs.
func (l Limit) Answering(tokens int) Limit {
	if l.Answer = tokens; l.Tokens > 0 {
		l.Answer = min(tokens, l.Tokens/2)
	}
	return l
}

// Ratio returns the bytes per token that the limit uses.
func (l Limit) Ratio() float64 {
	if l.BytesPerToken > 0 {
		return l.BytesPerToken
	}
	return bytesPerToken
}

// Room returns how many tokens a prompt may have; infinite without a limit.
func (l Limit) Room() float64 {
	if l.Tokens <= 0 {
		return math.Inf(1)
	}
	return float64(max(0, l.Tokens-l.Answer))
}

// Cost estimates the tokens of a text of this size.
func (l Limit) Cost(s Size) float64 {
	ratio := l.Ratio()
	return float64(s.ASCII)/ratio + float64(s.Foreign)/min(ratio, foreignBytesPerToken) + s.Extra
}

// CostOf estimates the tokens of a text.
func (l Limit) CostOf(text string) float64 { return l.Cost(SizeOf(text)) }

// Estimate estimates how many tokens a server counts for messages.
func (l Limit) Estimate(messages []llm.Message) int {
	sum := 0.0
	for i := range messages {
		sum += l.CostOf(messages[i].Content) + MessageTokens
	}
	return int(math.Ceil(sum))
}

// Size is the length of a text: its ASCII bytes, its other bytes, and extra tokens.
type Size struct {
	ASCII, Foreign int
	Extra          float64
}

// SizeOf measures a text.
func SizeOf[T string | []byte](text T) Size {
	var s Size
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			s.Foreign++
		}
	}
	s.ASCII = len(text) - s.Foreign
	return s
}

// Bytes returns the length in bytes.
func (s Size) Bytes() int { return s.ASCII + s.Foreign }

// Plus adds two sizes.
func (s Size) Plus(o Size) Size {
	return Size{s.ASCII + o.ASCII, s.Foreign + o.Foreign, s.Extra + o.Extra}
}

// Minus subtracts a size.
func (s Size) Minus(o Size) Size {
	return Size{s.ASCII - o.ASCII, s.Foreign - o.Foreign, s.Extra - o.Extra}
}

// Exceeds reports whether s is at least as large as o for every model.
func (s Size) Exceeds(o Size) bool {
	return s.ASCII >= o.ASCII && s.Foreign >= o.Foreign && s.Extra >= o.Extra
}
