package prompt

import (
	"math"
	"unicode/utf8"
)

// What the estimate knows of tokenizers: the rule of thumb for English and JSON, which
// holds until a server has counted; scripts beyond ASCII take a token for few bytes; a
// chat template adds some tokens to each message.
const (
	bytesPerToken        = 3.6
	foreignBytesPerToken = 2.0
	messageTokens        = 8
)

// Limit holds what a judge has room for. The zero value has no limit.
type Limit struct {
	// Tokens is the model's context, 0 if it is not known; Answer is what of it is
	// kept free for an answer.
	Tokens, Answer int
	// BytesPerToken turns bytes into tokens; 0 means the rule of thumb.
	BytesPerToken float64
}

// Ratio returns the bytes per token that the limit goes by.
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

// Tokenise estimates the tokens of a text of so many bytes.
func (l Limit) Tokenise(ascii, foreign int) float64 {
	ratio := l.Ratio()
	return float64(ascii)/ratio + float64(foreign)/min(ratio, foreignBytesPerToken)
}

// Cost estimates the tokens of a text.
func (l Limit) Cost(text string) float64 { return l.cost(sizeOf(text)) }

// Estimate estimates the tokens of messages as a server counts them.
func (l Limit) Estimate(messages []message) int {
	sum := 0.0
	for i := range messages {
		sum += l.Cost(messages[i].Content) + messageTokens
	}
	return int(math.Ceil(sum))
}

func (l Limit) cost(s size) float64 { return l.Tokenise(s.ascii, s.foreign) + s.extra }

// size is the bytes of a text, and the tokens that it costs beside them.
type size struct {
	ascii, foreign int
	extra          float64
}

func sizeOf[T string | []byte](text T) size {
	var s size
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			s.foreign++
		}
	}
	s.ascii = len(text) - s.foreign
	return s
}

func (s size) bytes() int { return s.ascii + s.foreign }

func (s size) plus(o size) size {
	return size{s.ascii + o.ascii, s.foreign + o.foreign, s.extra + o.extra}
}

func (s size) minus(o size) size {
	return size{s.ascii - o.ascii, s.foreign - o.foreign, s.extra - o.extra}
}
