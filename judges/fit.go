package judges

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// Fit is the size of one judgement's prompt, and what was left out of it.
type Fit struct {
	Rubric string
	Target Target
	// Bytes and Tokens are the size of the prompt. FullTokens is its size, in tokens, if nothing is
	// left out. All tokens are estimates.
	Bytes, Tokens, FullTokens int
	// Computed estimates how many tokens of this prompt a server with a prefix cache must compute,
	// after the prompts that were yielded before.
	Computed  float64
	Shortened Shortened
	// Shared says that the judgement shares the prompt of an earlier rubric. The Fit of that rubric
	// has the prompt's size.
	Shared bool
	// TooLong says that the judgement is not sent. Segments counts the prompts of a judgement that
	// needs more than one; Bytes and Tokens are then their sums.
	TooLong  bool
	Segments int
}

// Prefixes remembers which beginnings of prompts a server with a prefix cache has computed, namely
// those that conversations can share. The zero value is empty.
type Prefixes struct{ known map[prefix]bool }

// prefix is the beginning of a prompt: the frame of a rubric or group, with or without a
// conversation's opening.
type prefix struct {
	group            *group // nil if the rubric is asked alone
	rubric, examples int
	opening          [sha256.Size]byte
}

// maxPrefixes limits how many beginnings are remembered.
const maxPrefixes = 1 << 14

// add remembers a beginning and returns the tokens to compute for it: 0 if it is known already.
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

// Fits yields the sizes of the prompts about a conversation, rubric by rubric, without rendering
// them; it stops if yield returns false. cached belongs to the judge: pass the same one for every
// conversation.
func (j *Judge) Fits(conv *Conversation, cached *Prefixes, yield func(*Fit) bool) {
	if len(allTargets(conv, j.cfg.Rubrics)) == 0 {
		return
	}
	v, limit := prompt.NewView(conv, j.cfg.Prompt), j.Limit()
	opening, openingTokens := v.Opening()
	known := 0.0 // tokens of the conversation that are cached
	for i := range j.rubrics {
		in := &j.rubrics[i]
		targets, more := j.sharedFits(in, v, cached, yield)
		if !more {
			return
		}
		if len(targets) == 0 {
			continue
		}
		p := in.place(v, limit)
		n, ending, room := p.examples, p.ending, p.room
		messages := in.frame.Messages[n]
		begins := prefix{examples: n}
		if l := j.cfg.Prompt.Layout; l == "" || l == prompt.RubricFirst || l == prompt.Together {
			begins.rubric, known = i, 0
		}
		computed := cached.add(begins, float64(limit.Estimate(messages)))
		begins.opening = opening
		computed += cached.add(begins, openingTokens)
		known = max(known, openingTokens)
		fixed := len(ending.Before)
		for _, m := range messages {
			fixed += len(m.Content)
		}
		for _, t := range targets {
			shown, segments := v.Measure(t, room), 0
			if shown.TooLong {
				segments = addSegments(&shown, v.MeasureSegments(t, room), fixed, in.frame.Costs[n]+p.expected)
			}
			shown.Shortened.Examples = in.leftOut(n)
			if j.cfg.Prompt.Layout != prompt.NamedRubrics || i == 0 { // otherwise only the last line differs
				computed += shown.Tokens - min(known, shown.Prefix)
			}
			computed += limit.CostOf(ending.Before + ending.Closing)
			known = max(known, shown.Prefix)
			if !yield(&Fit{
				Rubric: in.rubric.Name, Target: t, Bytes: fixed + shown.Bytes, Tokens: in.tokens(n, shown.Tokens+p.expected),
				FullTokens: in.tokens(len(in.rubric.Examples), shown.Full+p.expected), Shortened: shown.Shortened,
				TooLong: shown.TooLong, Segments: segments, Computed: computed,
			}) {
				return
			}
			computed = 0
		}
	}
}

// addSegments adds up segments into shown. Each segment has a frame of the given bytes and tokens.
// It returns the number of segments.
func addSegments(shown *window.Shown, list []window.Shown, bytes int, tokens float64) int {
	if len(list) == 0 {
		return 0
	}
	sum := list[0]
	for _, part := range list[1:] {
		sum.Bytes += bytes + part.Bytes
		sum.Tokens += tokens + part.Tokens
		sum.Shortened.Results += part.Shortened.Results
	}
	sum.Full = shown.Full
	*shown = sum
	return len(list)
}

// Size is the size of everything that a prompt can show of one target.
type Size = window.Size

// Sizes yields the full sizes of the targets in a conversation.
func (j *Judge) Sizes(conv *Conversation, yield func(Size)) {
	targets := allTargets(conv, j.cfg.Rubrics)
	if len(targets) == 0 {
		return
	}
	v := prompt.NewView(conv, j.cfg.Prompt)
	var expected Size
	if slices.ContainsFunc(j.cfg.Rubrics, func(r *rubrics.Rubric) bool { return r.SeesExpected }) {
		expected = window.SizeOf(v.Expected())
	}
	for _, t := range targets {
		yield(v.Full(t).Plus(expected))
	}
}

// LargestTokens estimates the tokens of the longest prompt about a target of this size, over all
// rubrics and, if they are asked together, over their common prompts.
func (j *Judge) LargestTokens(s Size) (most int) {
	if j.cfg.Prompt.Layout == prompt.Together {
		most = int(math.Ceil(j.Limit().Cost(s) + prompt.NewTogetherFrame(j.cfg.Rubrics, j.cfg.Prompt).Costs[0]))
	}
	for i := range j.rubrics {
		in := &j.rubrics[i]
		most = max(most, in.tokens(len(in.rubric.Examples), j.Limit().Cost(s)))
	}
	return most
}

// tokens returns the tokens of a prompt with this many examples and a message of this many tokens.
func (in *instrument) tokens(examples int, message float64) int {
	costs := in.frame.Costs
	return int(math.Ceil(costs[min(examples, len(costs)-1)] + message))
}

// leftOut returns how many examples are left out of a prompt that shows n.
func (in *instrument) leftOut(examples int) int { return len(in.frame.Costs) - 1 - examples }

// noteLeftOut records in r what a message with this many examples left out, and flags it.
func (in *instrument) noteLeftOut(r *Result, shown *window.Shown, examples int) {
	s := shown.Shortened
	s.Examples = in.leftOut(examples)
	r.Shortened, r.ContextTruncated = s, s.Messages
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

// noRoom returns the reason why a judgement is not sent, and advice on what to set on the server.
func (j *Judge) noRoom(in *instrument, shown *window.Shown, examples int, l Limit) string {
	whole := in.tokens(len(in.rubric.Examples), shown.Full) + l.Answer
	return fmt.Sprintf("not sent: the rubric, the call and the last user message take about %d tokens, "+
		"and the context holds %d with %d for the answer; %s", in.tokens(examples, shown.Tokens), l.Tokens, l.Answer,
		capability.RaiseContext(cmp.Or(j.cfg.Kind, llm.KindUnknown), whole))
}

// maxRefits limits how often a judgement is shortened after a refusal for its length.
const maxRefits = 4

// narrow returns the window to which a prompt is shortened after a refusal for its length. It
// returns 0 if the prompt was refused for another reason or not sent.
func (j *Judge) narrow(err error, messages []Message, l Limit) int {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind != llm.KindOverflow || e.Attempts == 0 {
		return 0
	}
	named := llm.WindowOf(err)
	narrower := l.Narrower(messages, named)
	j.mu.Lock()
	first := narrower == named && !j.lengthLogged
	j.lengthLogged = j.lengthLogged || first
	j.mu.Unlock()
	if first {
		j.logf("the endpoint refused a prompt for its length and names a context of %d tokens; "+
			"what it refuses is shortened to that and asked again", named)
	}
	return narrower
}
