package window

import (
	"fmt"
	"math/bits"

	"github.com/judgekit/judge/internal/llm"
)

// A count shows that the server cut a prompt if it is within noAnswer of the window, since
// no answer fits there. If the window is not known, or larger, it must be a usual size, a power
// of two from smallestWindow on, and each counted token must stand for more than longestToken
// bytes: a count that is low for another reason (servers that leave out what they have cached,
// or count all prompts alike) proves nothing.
const (
	noAnswer       = 8
	longestToken   = 6
	smallestWindow = 1024
)

// Cut explains how a server's token count shows that it cut the prompt it answered. It returns
// "" if the count does not show that, and if the server did not count.
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

// Narrower returns the window to which messages are shortened after a server refused them for
// their length: the window that the refusal names, 0 for none, if the messages exceed it by
// estimate; else three quarters of what they take.
func (l Limit) Narrower(messages []llm.Message, named int) int {
	need := l.Estimate(messages) + l.Answer
	if named > 0 && named < need {
		return named
	}
	return need * 3 / 4
}
