package judges

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"math/bits"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/judges/internal/prompt"
)

// Fit holds what the prompt of one judgement is, and what it had no room for.
type Fit struct {
	Rubric    string
	CallIndex int
	// Bytes and Tokens are the prompt's size, the tokens by estimate; FullTokens are those
	// of the prompt with everything.
	Bytes, Tokens, FullTokens int
	// Computed estimates the tokens of this prompt that a server with a prefix cache computes
	// after the prompts yielded before.
	Computed  float64
	Shortened Shortened
	// TooLong says that the judgement is not sent.
	TooLong bool
}

// Prefixes remembers which beginnings of prompts a server with a prefix cache has computed: those
// that conversations can have in common. The zero value knows none.
type Prefixes struct{ known map[prefix]bool }

// prefix is the frame of a rubric, alone or with a conversation's opening after it.
type prefix struct {
	rubric, examples int
	opening          [sha256.Size]byte
}

// maxPrefixes bounds how many beginnings are remembered.
const maxPrefixes = 1 << 14

// add returns the tokens to compute for a beginning: none if it is known.
func (p *Prefixes) add(key prefix, tokens float64) float64 {
	if p.known[key] {
		return 0
	}
	if p.known == nil || len(p.known) == maxPrefixes {
		p.known = map[prefix]bool{}
	}
	p.known[key] = true
	return tokens
}

// Fits yields the sizes of the prompts of the given calls of a conversation, rubric by
// rubric, without rendering each; it stops if yield returns false. Prefixes belongs to the judge
// and goes from conversation to conversation.
func (j *Judge) Fits(conv *Conversation, calls []int, p *Prefixes, yield func(*Fit) bool) {
	if len(calls) == 0 {
		return
	}
	v, limit := prompt.NewView(conv, j.cfg.Prompt), j.Limit()
	opening, openingTokens := v.Opening()
	known := 0.0 // tokens of the conversation that are in the cache
	for i := range j.rubrics {
		in := &j.rubrics[i]
		n := v.Examples(in.frame.Costs, limit.Room())
		messages, ending := in.frame.Messages[n], in.frame.Endings[n]
		begins := prefix{examples: n}
		if cmp.Or(j.cfg.Prompt.Layout, prompt.RubricFirst) == prompt.RubricFirst {
			begins.rubric, known = i, 0
		}
		computed := p.add(begins, float64(limit.Estimate(messages)))
		begins.opening = opening
		computed += p.add(begins, openingTokens)
		known = max(known, openingTokens)
		fixed := len(ending.Before)
		for _, m := range messages {
			fixed += len(m.Content)
		}
		for _, call := range calls {
			shown := v.Measure(call, limit.Room()-in.frame.Costs[n])
			shown.Shortened.Examples = in.leftOut(n)
			if j.cfg.Prompt.Layout != prompt.NamedRubrics || i == 0 { // else only the last line is another one
				computed += shown.Tokens - min(known, shown.Prefix)
			}
			computed += limit.Cost(ending.Before + ending.Closing)
			known = max(known, shown.Prefix)
			if !yield(&Fit{
				Rubric: in.rubric.Name, CallIndex: call, Bytes: fixed + shown.Bytes, Tokens: in.tokens(n, shown.Tokens),
				FullTokens: in.tokens(len(in.rubric.Examples), shown.Full), Shortened: shown.Shortened,
				TooLong: shown.TooLong, Computed: computed,
			}) {
				return
			}
			computed = 0
		}
	}
}

// Size is the size of what a prompt shows of one call, whatever a judge's limit.
type Size = prompt.Size

// Sizes yields the sizes of the given calls of a conversation, with everything shown.
func (j *Judge) Sizes(conv *Conversation, calls []int, yield func(Size)) {
	if len(calls) == 0 {
		return
	}
	v := prompt.NewView(conv, j.cfg.Prompt)
	for _, call := range calls {
		yield(v.Full(call))
	}
}

// LargestTokens estimates the tokens of the longest prompt about a call of a size, by any rubric.
func (j *Judge) LargestTokens(s Size) (most int) {
	for i := range j.rubrics {
		in := &j.rubrics[i]
		most = max(most, in.tokens(len(in.rubric.Examples), j.Limit().CostOf(s)))
	}
	return most
}

// tokens returns those of a prompt with so many examples and a message of so many.
func (in *instrument) tokens(examples int, message float64) int {
	costs := in.frame.Costs
	return int(math.Ceil(costs[min(examples, len(costs)-1)] + message))
}

// leftOut returns how many examples are not among so many.
func (in *instrument) leftOut(examples int) int { return len(in.frame.Costs) - 1 - examples }

func (r *Result) flagShortened() {
	s := r.Shortened
	if s.Tools {
		r.raise(FlagToolsShortened, 1, "tools that were not called so far were shown by their signature")
	}
	if s.Results > 0 {
		r.raise(FlagResultsCut, 1, "%d tool results were cut in the middle", s.Results)
	}
	if s.Examples > 0 {
		r.raise(FlagExamplesLeftOut, 1, "%d examples of the rubric were left out", s.Examples)
	}
	if s.Messages {
		r.raise(FlagContextTruncated, 1, "the judge saw a shortened history")
	}
}

// noRoom says why a judgement is not sent, and what to set on the server.
func (j *Judge) noRoom(in *instrument, shown *prompt.Shown, examples int, l Limit) string {
	whole := in.tokens(len(in.rubric.Examples), shown.Full) + l.Answer
	return fmt.Sprintf("not sent: the rubric, the call and the last user message take about %d tokens, "+
		"and the context holds %d with %d for the answer; %s", in.tokens(examples, shown.Tokens), l.Tokens, l.Answer,
		capability.RaiseContext(cmp.Or(j.cfg.Kind, llm.KindUnknown), whole))
}

// maxRefits bounds how often a judgement that was refused for its length is shortened.
const maxRefits = 4

// narrow reads from a refusal of messages for their length which window to shorten them
// to: the one that it names, where the estimate says that they exceed it, else less than
// they have. It is 0 for every other failure, and for what was not sent.
func (j *Judge) narrow(err error, messages []Message, l Limit) int {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != llm.KindOverflow || e.Attempts == 0 {
		return 0
	}
	need, named := l.Estimate(messages)+l.Answer, capability.WindowOf(err)
	if named <= 0 || named >= need {
		return need * 3 / 4
	}
	j.mu.Lock()
	first := !j.lengthLogged
	j.lengthLogged = true
	j.mu.Unlock()
	if first {
		j.logf("the endpoint refused a prompt for its length and names a context of %d tokens; "+
			"what it refuses is shortened to that and asked again", named)
	}
	return named
}

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

// cut says how a server's count shows that it cut the messages it answered, "" if it
// does not.
func (j *Judge) cut(messages []Message, counted *int) string {
	if counted == nil {
		return ""
	}
	n, window, bytes := *counted, j.Limit().Tokens, 0
	for i := range messages {
		bytes += len(messages[i].Content)
	}
	switch {
	case window > 0 && n >= window-noAnswer && n <= window:
		return fmt.Sprintf("the server counted %d tokens for the prompt, its whole context: it cut the prompt; "+
			"raise its context size", n)
	case fills(n) && n*longestToken < bytes:
		return fmt.Sprintf("the server counted %d tokens for a prompt of %d bytes: it cut the prompt to a context of "+
			"this size; raise its context size", n, bytes)
	}
	return ""
}

// fills reports whether a count fills a context of a usual size.
func fills(n int) bool {
	size := 1 << bits.Len(uint(max(n-1, 0)))
	return size >= smallestWindow && n >= size-noAnswer
}
