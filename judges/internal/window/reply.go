package window

import (
	"fmt"
	"math/bits"

	"github.com/judgekit/judge/internal/llm"
)

// A count shows that the server cut a prompt if it is within noAnswer of the window, because an
// answer would not fit there. If the window is unknown, or larger, the count must be near a usual
// size (a power of two, at least smallestWindow), and each counted token must stand for more than
// longestToken bytes. A count that is low for another reason proves nothing: some servers leave out
// what they have cached, or count all prompts alike.
const (
	noAnswer       = 8
	longestToken   = 6
	smallestWindow = 1024
)

// Cut explains how a server's token count shows that it cut the prompt. It returns "" if the count
// does not show that, or if there is no count.
func (l Limit) Cut(messages []llm.Message, counted *int) string {
	if counted == nil {
		return ""
	}
	n, bytes := *counted, 0
	for i := range messages {
		bytes += len(messages[i].Content)
	}
	size := 1 << bits.Len(uint(max(n-1, 0)))
	fills := size >= smallestWindow && n >= size-noAnswer
	switch {
	case l.Tokens > 0 && n >= l.Tokens-noAnswer && n <= l.Tokens:
		return fmt.Sprintf("the server counted %d tokens for the prompt, its whole context: it cut the prompt; "+
			"raise its context size", n)
	case fills && n*longestToken < bytes:
		return fmt.Sprintf("the server counted %d tokens for a prompt of %d bytes: it cut the prompt to a context of "+
			"this size; raise its context size", n, bytes)
	}
	return ""
}

// Narrower returns the window to which messages are shortened after a refusal for their length: the
// window that the refusal names (0 if none), if the messages exceed it by estimate; else three
// quarters of their size.
func (l Limit) Narrower(messages []llm.Message, named int) int {
	need := l.Estimate(messages) + l.Answer
	if named > 0 && named < need {
		return named
	}
	return need * 3 / 4
}
