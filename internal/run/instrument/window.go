package instrument

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// maxNamed limits how many items a check names.
const maxNamed = 3

// WindowCheck holds the sizes of a judge's prompts, and what does not fit. It is part of run.json.
type WindowCheck struct {
	Judge string `json:"judge"`
	// ContextTokens is the window, 0 if unknown; AnswerTokens is the part of it that is kept free
	// for an answer.
	ContextTokens int     `json:"context_tokens"`
	AnswerTokens  int     `json:"answer_tokens"`
	BytesPerToken float64 `json:"bytes_per_token"`
	Judgements    int     `json:"judgements"`
	// Shortened counts the judgements with something left out, NotSent those that do not fit
	// whatever is left out. Rubrics lists what is left out, by rubric.
	Shortened int           `json:"shortened"`
	NotSent   int           `json:"not_sent"`
	Rubrics   []shortenedBy `json:"rubrics,omitempty"`
	// Segmented counts the judgements that are made part by part, Segments the parts.
	Segmented int `json:"segmented,omitempty"`
	Segments  int `json:"segments,omitempty"`
	// LargestTokens estimates the longest prompt before anything is left out.
	LargestTokens int `json:"largest_prompt_tokens"`
	// First lists the first items that are not sent, in log order.
	First []tooLong `json:"first,omitempty"`

	Size     PromptSize `json:"-"`
	judge    *judges.Judge
	prefixes judges.Prefixes
}

// shortenedBy counts one rubric's judgements with something left out, by what is left out.
type shortenedBy struct {
	Rubric   string `json:"rubric"`
	Tools    int    `json:"tools_shortened"`
	Results  int    `json:"tool_results_cut"`
	Examples int    `json:"examples_left_out"`
	Messages int    `json:"messages_left_out"`
	NotSent  int    `json:"not_sent"`
}

// tooLong is a judgement that is not sent.
type tooLong struct {
	Place          string `json:"place"`
	ConversationID string `json:"conversation_id"`
	Call           int    `json:"call_index"`
	Item           string `json:"-"`
	Rubric         string `json:"rubric"`
	PromptTokens   int    `json:"prompt_tokens"`
}

// PromptSize is the size of prompts as they are sent.
type PromptSize struct {
	// Bytes is the text of all prompts; Tokens is an estimate, at three to four bytes of English per token.
	Bytes  int64 `json:"prompt_bytes"`
	Tokens int64 `json:"prompt_tokens_estimate"`
	// ComputedTokens estimates the tokens that a server with a prefix cache must compute.
	ComputedTokens int64 `json:"prompt_tokens_after_prefix_caching_estimate"`
	// Largest is the longest prompt in bytes, LargestTokens an estimate, LargestPlace its item.
	Largest       int    `json:"largest_prompt_bytes"`
	LargestTokens int    `json:"largest_prompt_tokens_estimate"`
	LargestPlace  string `json:"largest_prompt_at,omitempty"`
}

// Add adds further prompts.
func (s *PromptSize) Add(more PromptSize) {
	s.Bytes += more.Bytes
	s.Tokens += more.Tokens
	s.ComputedTokens += more.ComputedTokens
	if more.Largest > s.Largest {
		s.Largest, s.LargestTokens, s.LargestPlace = more.Largest, more.LargestTokens, more.LargestPlace
	}
}

// ScanWindows measures the prompts of all judgements and returns one check per judge. It sends nothing, and
// its memory does not grow with the log. It ends at an error of the sequence or when ctx ends.
func ScanWindows(
	ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error], list []*judges.Judge,
) ([]WindowCheck, error) {
	out := NewWindowChecks(list)
	for c, err := range conversations {
		if err != nil {
			return nil, err
		}
		for i := range out {
			out[i].Look(ctx, c)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	return out, nil
}

// NewWindowChecks starts one check per judge.
func NewWindowChecks(list []*judges.Judge) []WindowCheck {
	out := make([]WindowCheck, len(list))
	for i, j := range list {
		l := j.Limit()
		out[i] = WindowCheck{Judge: j.Name(), ContextTokens: l.Tokens, AnswerTokens: l.Answer,
			BytesPerToken: l.Ratio(), judge: j}
		for _, r := range j.Rubrics() {
			out[i].Rubrics = append(out[i].Rubrics, shortenedBy{Rubric: r.Name})
		}
	}
	return out
}

// Look measures the prompts of a conversation's judgements, until ctx ends.
func (k *WindowCheck) Look(ctx context.Context, c *transcript.Conversation) {
	k.judge.Fits(c, &k.prefixes, func(f *judges.Fit) bool {
		k.add(c, f)
		return ctx.Err() == nil
	})
}

// add adds one prompt.
func (k *WindowCheck) add(c *transcript.Conversation, f *judges.Fit) {
	by := &k.Rubrics[slices.IndexFunc(k.Rubrics, func(s shortenedBy) bool { return s.Rubric == f.Rubric })]
	k.Judgements++
	k.LargestTokens = max(k.LargestTokens, f.FullTokens)
	if f.TooLong {
		by.NotSent++
		k.NotSent++
		if len(k.First) < maxNamed {
			k.First = append(k.First, tooLong{
				Place: c.Source.String(), ConversationID: c.ID, Call: f.Target.Call, Item: f.Target.String(),
				Rubric: f.Rubric, PromptTokens: f.FullTokens,
			})
		}
		return
	}
	if prompts := max(1, f.Segments); !f.Shared {
		k.Size.Add(PromptSize{Bytes: int64(f.Bytes), Tokens: int64(f.Tokens), ComputedTokens: int64(f.Computed),
			Largest: f.Bytes / prompts, LargestTokens: f.Tokens / prompts, LargestPlace: c.Source.String()})
	}
	if f.Segments > 0 {
		k.Segmented++
		k.Segments += f.Segments
	}
	if s := f.Shortened; s != (judges.Shortened{}) {
		k.Shortened++
		count := func(taken bool, n *int) {
			if taken {
				*n++
			}
		}
		count(s.Tools, &by.Tools)
		count(s.Results > 0, &by.Results)
		count(s.Examples > 0, &by.Examples)
		count(s.Messages, &by.Messages)
	}
}

// Lines returns sentences about what does not fit and what to do; none if everything fits.
func (k *WindowCheck) Lines() []string {
	if k.Shortened+k.NotSent+k.Segmented == 0 {
		return nil
	}
	var out []string
	add := func(format string, args ...any) {
		out = append(out, "judge "+k.Judge+": "+fmt.Sprintf(format, args...))
	}
	room := fmt.Sprintf("a context of %d tokens with %d for the answer, at %.2f bytes a token", k.ContextTokens,
		k.AnswerTokens, k.BytesPerToken)
	if k.ContextTokens == 0 {
		room = "max_record_chars"
	}
	if k.Shortened > 0 {
		add("%d of %d judgements are shortened to fit %s: %s", k.Shortened, k.Judgements, room, k.steps())
	}
	if k.Segmented > 0 {
		add("%d of %d judgements do not fit %s as a whole; each is judged in overlapping segments, %d in all",
			k.Segmented, k.Judgements, room, k.Segments)
	}
	if k.NotSent > 0 {
		add("%d of %d judgements do not fit %s, whatever is left out; they are not sent and end as unscored (context)",
			k.NotSent, k.Judgements, room)
	}
	for _, i := range k.First {
		at := strings.TrimSuffix(fmt.Sprintf("conversation %s, %s", i.ConversationID, i.Item), ", ")
		add("too long: %s, %s, %s: about %d tokens", i.Place, at, i.Rubric, i.PromptTokens)
	}
	if n := k.NotSent - len(k.First); n > 0 {
		add("too long: %d more", n)
	}
	if k.ContextTokens > 0 {
		add("to show everything %s", capability.RaiseContext(k.judge.Kind(), k.LargestTokens+k.AnswerTokens))
	}
	return out
}

// steps says what is left out, and in how many judgements.
func (k *WindowCheck) steps() string {
	var out []string
	for _, step := range []struct {
		what  string
		count func(*shortenedBy) int
	}{
		{"tools as signatures", func(s *shortenedBy) int { return s.Tools }},
		{"tool results cut", func(s *shortenedBy) int { return s.Results }},
		{"examples left out", func(s *shortenedBy) int { return s.Examples }},
		{"messages left out", func(s *shortenedBy) int { return s.Messages }},
	} {
		n := 0
		for i := range k.Rubrics {
			n += step.count(&k.Rubrics[i])
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%s in %d", step.what, n))
		}
	}
	return strings.Join(out, ", ")
}

// Silent is an endpoint for judges that only render prompts.
type Silent struct{}

func (Silent) Do(context.Context, llm.Request) (*llm.Response, error) {
	return nil, errors.New("nothing is sent")
}

// Guard is a Completer in front of an endpoint that may come back with a smaller context than the prompts
// were fitted to. It does not send prompts that no longer fit. It is safe for concurrent use.
type Guard struct {
	Judge string // the judge's name
	Next  judges.Completer
	Limit judges.Limit
	// Log is called once for each smaller context.
	Log      func(line string)
	narrowed atomic.Int64 // 0 means not narrowed
}

// Narrow sets the size of the server's context in tokens. It may be called at any time.
func (g *Guard) Narrow(tokens int) {
	known := cmp.Or(int(g.narrowed.Load()), g.Limit.Tokens)
	if tokens <= 0 || tokens >= known {
		return
	}
	g.narrowed.Store(int64(tokens))
	g.Log(fmt.Sprintf("judge %s: the endpoint came back with a context of %d tokens instead of %d; what "+
		"does not fit is not sent", g.Judge, tokens, g.Limit.Tokens))
}

// Do implements judges.Completer. A request that is held back fails as if the server had refused it
// for its length: an *llm.Error of kind overflow, without an attempt.
func (g *Guard) Do(ctx context.Context, req llm.Request) (*llm.Response, error) {
	n, estimate := int(g.narrowed.Load()), 0
	if n > 0 {
		estimate = g.Limit.Estimate(req.Messages)
	}
	if estimate <= n {
		return g.Next.Do(ctx, req)
	}
	return nil, &llm.Error{
		Kind: llm.KindOverflow, Model: req.Model,
		Message: fmt.Sprintf("not sent: the prompt has about %d tokens by estimate, and the server came back "+
			"with a context of %d", estimate, n),
		Hint: "give the model its former context and resume the run",
	}
}
