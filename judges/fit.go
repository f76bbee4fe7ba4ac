package judges

import (
	"errors"
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/result"
)

// Fit is what the prompt of one judgement is, and what it had no room for.
type Fit struct {
	Rubric    string
	CallIndex int
	// Bytes and Tokens are the prompt's size, the tokens by estimate; FullTokens are those
	// of the prompt with everything.
	Bytes, Tokens, FullTokens int
	Shortened                 Shortened
	// TooLong says that the judgement is not sent.
	TooLong bool
}

// Limit returns what the judge has room for.
func (j *Judge) Limit() Limit { return j.cfg.Prompt.Limit }

// Fits hands over what the prompts of the given calls of a conversation are, rubric by
// rubric, without rendering each; it stops where yield is false.
func (j *Judge) Fits(conv *Conversation, calls []int, yield func(*Fit) bool) {
	if len(calls) == 0 {
		return
	}
	v := prompt.NewView(conv, j.cfg.Prompt)
	for i := range j.rubrics {
		in := &j.rubrics[i]
		n := v.Examples(in.frame.Costs, j.cfg.Prompt.Limit.Room())
		fixed := 0
		for _, m := range in.frame.Messages[n] {
			fixed += len(m.Content)
		}
		all := in.frame.Costs[len(in.frame.Costs)-1]
		for _, call := range calls {
			shown, bytes := v.Measure(call, j.cfg.Prompt.Limit.Room()-in.frame.Costs[n])
			if !yield(&Fit{
				Rubric: in.rubric.Name, CallIndex: call, Bytes: fixed + bytes, Tokens: int(math.Ceil(in.frame.Costs[n] + shown.Tokens)),
				FullTokens: int(math.Ceil(all + shown.Full)), Shortened: shortening(in, &shown, n), TooLong: shown.TooLong,
			}) {
				return
			}
		}
	}
}

func shortening(in *instrument, shown *prompt.Shown, examples int) Shortened {
	return Shortened{
		Tools: shown.BriefTools, Results: shown.CutResults, Examples: len(in.frame.Costs) - 1 - examples, Messages: shown.Truncated,
	}
}

// flagShortened flags what the judge did not see.
func flagShortened(r *Result) {
	s := r.Shortened
	if s.Tools {
		result.Raise(r, FlagToolsShortened, 1, "tools that were not called so far were shown by their signature")
	}
	if s.Results > 0 {
		result.Raise(r, FlagResultsCut, 1, fmt.Sprintf("%d tool results were cut in the middle", s.Results))
	}
	if s.Examples > 0 {
		result.Raise(r, FlagExamplesLeftOut, 1, fmt.Sprintf("%d examples of the rubric were left out", s.Examples))
	}
	if s.Messages {
		result.Raise(r, FlagContextTruncated, 1, "the judge saw a shortened history")
	}
}

// noRoom says why a judgement is not sent, and what to set on the server.
func (j *Judge) noRoom(in *instrument, shown *prompt.Shown, examples int, l Limit) string {
	need := int(math.Ceil(in.frame.Costs[examples] + shown.Tokens))
	return fmt.Sprintf("not sent: the rubric, the call and the last user message take about %d tokens, and the context holds %d with %d for the answer; %s",
		need, l.Tokens, l.Answer, capability.RaiseContext(j.kind(), int(in.frame.Costs[len(in.frame.Costs)-1]+shown.Full)+l.Answer))
}

// maxRefits bounds how often a judgement that was refused for its length is shortened.
const maxRefits = 4

// narrow reads from a refusal of messages for their length which window to shorten them
// to: the one that it names, where the estimate says that they exceed it, else less than
// they have. It is 0 for every other failure, and for what was not sent.
func (j *Judge) narrow(err error, messages []Message, l Limit) int {
	var e *llm.Error
	if !errors.As(err, &e) || e.Kind != llm.KindOverflow || e.Attempts == 0 {
		return 0
	}
	need, named := l.Estimate(messages)+l.Answer, capability.WindowOf(err)
	if named <= 0 || named >= need {
		return need * 3 / 4
	}
	if j.cfg.Log != nil && !j.refusedLength.Swap(true) {
		j.cfg.Log(fmt.Sprintf("judge %s: the endpoint refused a prompt for its length and names a context of %d tokens; what it refuses is shortened to that and asked again",
			j.cfg.Name, named))
	}
	return named
}

func (j *Judge) kind() llm.Kind {
	if j.cfg.Kind == "" {
		return llm.KindUnknown
	}
	return j.cfg.Kind
}
