package instrument

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// maxNamed is how many items a check names.
const maxNamed = 3

// Scanned is a judge whose prompts are counted.
type Scanned struct {
	*judges.Judge
	Kind llm.Kind
}

// WindowCheck is what a judge's prompts are, and what it has no room for. It is part of
// run.json.
type WindowCheck struct {
	Judge string `json:"judge"`
	// ContextTokens is the window, 0 where it is not known; AnswerTokens what is kept free
	// of it for an answer.
	ContextTokens int     `json:"context_tokens"`
	AnswerTokens  int     `json:"answer_tokens"`
	BytesPerToken float64 `json:"bytes_per_token"`
	Judgements    int     `json:"judgements"`
	// Shortened counts the judgements of which something is left out, NotSent those that
	// have no room whatever is left out. Rubrics has the steps of each rubric.
	Shortened int           `json:"shortened"`
	NotSent   int           `json:"not_sent"`
	Rubrics   []shortenedBy `json:"rubrics,omitempty"`
	// LargestTokens estimates the longest prompt before anything is left out.
	LargestTokens int `json:"largest_prompt_tokens"`
	// First names the first items that are not sent, in the order of the log.
	First []tooLong `json:"first,omitempty"`

	kind llm.Kind
	size promptSize
}

// shortenedBy counts the judgements by one rubric in which something is left out, by what.
type shortenedBy struct {
	Rubric   string `json:"rubric"`
	Tools    int    `json:"tools_shortened"`
	Results  int    `json:"tool_results_cut"`
	Examples int    `json:"examples_left_out"`
	Messages int    `json:"messages_left_out"`
	NotSent  int    `json:"not_sent"`
}

// tooLong is one judgement that is not sent.
type tooLong struct {
	Place          string `json:"place"`
	ConversationID string `json:"conversation_id"`
	Call           int    `json:"call_index"`
	Rubric         string `json:"rubric"`
	PromptTokens   int    `json:"prompt_tokens"`
}

// promptSize is what the prompts of a judge come to as they are sent.
type promptSize struct {
	Bytes, Tokens int64
	// Largest is the longest prompt in bytes, LargestTokens its tokens, Place its item.
	Largest, LargestTokens int
	Place                  string
}

// promptSize returns what the prompts come to.
func (k *WindowCheck) Size() promptSize { return k.size }

// ScanWindows looks at the prompts of all judgements and returns one check for each judge. An
// error of the sequence, or the end of ctx, ends it.
func ScanWindows(ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error], list []Scanned) ([]WindowCheck, error) {
	out := make([]WindowCheck, len(list))
	for i, j := range list {
		l := j.Limit()
		out[i] = WindowCheck{Judge: j.Name(), ContextTokens: l.Tokens, AnswerTokens: l.Answer, BytesPerToken: l.Ratio(), kind: j.Kind}
		for _, r := range j.Rubrics() {
			out[i].Rubrics = append(out[i].Rubrics, shortenedBy{Rubric: r.Name})
		}
	}
	for c, err := range conversations {
		if err != nil {
			return nil, err
		}
		for i, j := range list {
			if out[i].conversation(ctx, j, c); ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
		}
	}
	return out, nil
}

func (k *WindowCheck) conversation(ctx context.Context, j Scanned, c *transcript.Conversation) {
	j.Fits(c, judges.AllCalls(c), func(f *judges.Fit) bool {
		k.Judgements++
		k.LargestTokens = max(k.LargestTokens, f.FullTokens)
		k.step(f)
		if !f.TooLong {
			k.size.add(f, c)
			return ctx.Err() == nil
		}
		k.NotSent++
		if len(k.First) < maxNamed {
			k.First = append(k.First, tooLong{
				Place: c.Source.String(), ConversationID: c.ID, Call: f.CallIndex, Rubric: f.Rubric, PromptTokens: f.FullTokens,
			})
		}
		return ctx.Err() == nil
	})
}

func (s *promptSize) add(f *judges.Fit, c *transcript.Conversation) {
	s.Bytes += int64(f.Bytes)
	s.Tokens += int64(f.Tokens)
	if f.Bytes > s.Largest {
		s.Largest, s.LargestTokens, s.Place = f.Bytes, f.Tokens, c.Source.String()
	}
}

func (k *WindowCheck) step(f *judges.Fit) {
	s := &k.Rubrics[slices.IndexFunc(k.Rubrics, func(s shortenedBy) bool { return s.Rubric == f.Rubric })]
	if f.TooLong {
		s.NotSent++
		return
	}
	if f.Shortened != (judges.Shortened{}) {
		k.Shortened++
	}
	for _, step := range []struct {
		count *int
		taken bool
	}{{&s.Tools, f.Shortened.Tools}, {&s.Results, f.Shortened.Results > 0}, {&s.Examples, f.Shortened.Examples > 0}, {&s.Messages, f.Shortened.Messages}} {
		if step.taken {
			*step.count++
		}
	}
}

// Lines tell a person what has no room and what to do; none where all fits.
func (k *WindowCheck) Lines() []string {
	if k.Shortened+k.NotSent == 0 {
		return nil
	}
	var out []string
	say := func(format string, args ...any) {
		out = append(out, "judge "+k.Judge+": "+fmt.Sprintf(format, args...))
	}
	room := fmt.Sprintf("a context of %d tokens with %d for the answer, at %.2f bytes a token", k.ContextTokens, k.AnswerTokens, k.BytesPerToken)
	if k.ContextTokens == 0 {
		room = "max_record_chars"
	}
	if k.Shortened > 0 {
		say("%d of %d judgements are shortened to fit %s: %s", k.Shortened, k.Judgements, room, k.steps())
	}
	if k.NotSent > 0 {
		say("%d of %d judgements do not fit %s, whatever is left out; they are not sent and end as unscored (context)", k.NotSent, k.Judgements, room)
	}
	for _, i := range k.First {
		say("too long: %s, conversation %s, call %d, %s: about %d tokens", i.Place, i.ConversationID, i.Call, i.Rubric, i.PromptTokens)
	}
	if n := k.NotSent - len(k.First); n > 0 {
		say("too long: %d more", n)
	}
	if k.ContextTokens > 0 {
		say("to show everything %s", capability.RaiseContext(k.kind, k.LargestTokens+k.AnswerTokens))
	}
	return out
}

// steps names what is left out, and in how many judgements.
func (k *WindowCheck) steps() string {
	var sum shortenedBy
	for _, s := range k.Rubrics {
		sum.Tools, sum.Results, sum.Examples, sum.Messages = sum.Tools+s.Tools, sum.Results+s.Results, sum.Examples+s.Examples, sum.Messages+s.Messages
	}
	var out []string
	for _, step := range []struct {
		n    int
		what string
	}{{sum.Tools, "tools as signatures"}, {sum.Results, "tool results cut"}, {sum.Examples, "examples left out"}, {sum.Messages, "messages left out"}} {
		if step.n > 0 {
			out = append(out, fmt.Sprintf("%s in %d", step.what, step.n))
		}
	}
	return strings.Join(out, ", ")
}
