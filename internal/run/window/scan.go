package window

import (
	"fmt"
	"iter"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/capability"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// maxNamed is how many items a check names.
const maxNamed = 3

// Judge is a judge as far as its prompts have to fit.
type Judge struct {
	Name  string
	Kind  llm.Kind
	Limit Limit
	// Prompt is how prompts are rendered.
	Prompt judges.Options
}

// Check is what a judge has no room for. It is part of run.json.
type Check struct {
	Judge string `json:"judge"`
	// ContextTokens is the window, AnswerTokens what an answer may take of it.
	ContextTokens int     `json:"context_tokens"`
	AnswerTokens  int     `json:"answer_tokens"`
	BytesPerToken float64 `json:"bytes_per_token"`
	// Judgements were looked at. Over of them, prompt and answer together, go beyond
	// the window by estimate; Held of these are not sent.
	Judgements int `json:"judgements"`
	Over       int `json:"will_not_fit"`
	Held       int `json:"not_sent"`
	// LargestTokens estimates the longest prompt of those that take half the window or
	// more; 0 where there is none.
	LargestTokens int `json:"largest_prompt_tokens,omitempty"`
	// First names the first items that do not fit, in the order of the log.
	First []Item `json:"first,omitempty"`

	kind         llm.Kind
	largest      int // bytes
	fixedLargest int // bytes of the fixed part of the longest
}

// Item is one judgement that does not fit.
type Item struct {
	Place          string `json:"place"`
	ConversationID string `json:"conversation_id"`
	Call           int    `json:"call_index"`
	Rubric         string `json:"rubric"`
	PromptTokens   int    `json:"prompt_tokens"`
}

// scanner measures prompts of one judge.
type scanner struct {
	judge Judge
	fixed []int // bytes of each rubric's fixed part
	most  int   // of them
	// short is a rubric without examples: what comes before a record is not looked at.
	short *rubrics.Rubric
	check Check
}

// Scan looks at the prompts of all judgements and returns one check for each judge
// with a limit. An error of the sequence ends it.
func Scan(conversations iter.Seq2[*transcript.Conversation, error], list []Judge, criteria []*rubrics.Rubric) ([]Check, error) {
	var scanners []*scanner
	for _, j := range list {
		if j.Limit.Tokens > 0 && len(criteria) > 0 {
			scanners = append(scanners, newScanner(j, criteria))
		}
	}
	if len(scanners) == 0 {
		return nil, nil
	}
	for c, err := range conversations {
		if err != nil {
			return nil, err
		}
		calls := judges.AllCalls(c)
		if len(calls) == 0 {
			continue
		}
		for _, s := range scanners {
			if err := s.conversation(c, calls, criteria); err != nil {
				return nil, err
			}
		}
	}
	out := make([]Check, len(scanners))
	for i, s := range scanners {
		if s.check.largest > 0 {
			s.check.LargestTokens = s.judge.Limit.Estimate(s.check.largest)
		}
		out[i] = s.check
	}
	return out, nil
}

// newScanner needs at least one rubric.
func newScanner(j Judge, criteria []*rubrics.Rubric) *scanner {
	s := &scanner{judge: j, check: Check{
		Judge: j.Name, ContextTokens: j.Limit.Tokens, AnswerTokens: j.Limit.Answer, BytesPerToken: j.Limit.Ratio(), kind: j.Kind,
	}}
	short := *criteria[0]
	short.Examples, s.short = nil, &short
	nothing := &transcript.Conversation{Calls: []transcript.Call{{}}}
	for _, r := range criteria {
		size := 0
		// The last message is the record, all before it the same for every call.
		if messages, err := judges.Prompt(r, nothing, 0, j.Prompt); err == nil {
			size = PromptBytes(messages[:len(messages)-1])
		}
		s.fixed = append(s.fixed, size)
		s.most = max(s.most, size)
	}
	return s
}

// record returns the bytes of a call's record, which is the same under every rubric.
func (s *scanner) record(c *transcript.Conversation, call int, o judges.Options) (int, error) {
	messages, err := judges.Prompt(s.short, c, call, o)
	if err != nil {
		return 0, err
	}
	return len(messages[len(messages)-1].Content), nil
}

func (s *scanner) conversation(c *transcript.Conversation, calls []int, criteria []*rubrics.Rubric) error {
	s.check.Judgements += len(calls) * len(criteria)
	most, err := s.bound(c, calls)
	if err != nil {
		return err
	}
	if !s.near(s.most+most) || !s.judge.Limit.Over(s.most+most) && s.most+most <= s.check.largest {
		return nil
	}
	for _, call := range calls {
		size, err := s.record(c, call, s.judge.Prompt)
		if err != nil {
			return err
		}
		for i, r := range criteria {
			s.item(c, call, r, s.fixed[i], size)
		}
	}
	return nil
}

// near reports whether a prompt takes half the window or more, or might not fit.
func (s *scanner) near(bytes int) bool {
	l := s.judge.Limit
	return 2*l.Estimate(bytes) >= l.Tokens || l.Over(bytes)
}

// bound returns a size that no record of the conversation exceeds, from one rendering:
// without shortening a prompt only grows with the history before its call, so that
// the last call's holds the others' but for their own call.
func (s *scanner) bound(c *transcript.Conversation, calls []int) (int, error) {
	last, longest := calls[0], 0
	for _, i := range calls {
		if c.Calls[i].Message >= c.Calls[last].Message {
			last = i
		}
		longest = max(longest, len(c.Calls[i].RawArguments)+len(c.Calls[i].Name))
	}
	whole := s.judge.Prompt
	whole.MaxRecordBytes = -1
	size, err := s.record(c, last, whole)
	// An escaped character takes up to six bytes; names and frame take the rest.
	return size + 6*longest + 64*len(calls) + 1024, err
}

func (s *scanner) item(c *transcript.Conversation, call int, r *rubrics.Rubric, fixed, record int) {
	k, size := &s.check, fixed+record
	if size > k.largest && s.near(size) {
		k.largest, k.fixedLargest = size, fixed
	}
	if !s.judge.Limit.Over(size) {
		return
	}
	k.Over++
	if s.judge.Limit.Held(size) {
		k.Held++
	}
	if len(k.First) < maxNamed {
		k.First = append(k.First, Item{
			Place: c.Source.String(), ConversationID: c.ID, Call: call, Rubric: r.Name, PromptTokens: s.judge.Limit.Estimate(size),
		})
	}
}

// Near reports whether another ratio could change what is sent: then it is worth
// finding out.
func (k *Check) Near() bool { return k.LargestTokens > 0 }

// Lines tell a person what does not fit and what to do; none where all fits.
func (k *Check) Lines() []string {
	if k.Over == 0 {
		return nil
	}
	out := []string{fmt.Sprintf("judge %s: %d of %d judgements will not fit a context of %d tokens with %d for the answer, at %.2f bytes a token; %s",
		k.Judge, k.Over, k.Judgements, k.ContextTokens, k.AnswerTokens, k.BytesPerToken, k.fate())}
	for _, i := range k.First {
		out = append(out, fmt.Sprintf("judge %s: too long: %s, conversation %s, call %d, %s: about %d tokens", k.Judge, i.Place, i.ConversationID, i.Call, i.Rubric, i.PromptTokens))
	}
	if n := k.Over - len(k.First); n > 0 {
		out = append(out, fmt.Sprintf("judge %s: too long: %d more", k.Judge, n))
	}
	return append(out, fmt.Sprintf("judge %s: to fit them %s%s", k.Judge, capability.RaiseContext(k.kind, k.LargestTokens+k.AnswerTokens), k.shorter()))
}

func (k *Check) fate() string {
	switch k.Held {
	case 0:
		return "all are sent, because the estimate may be wrong"
	case k.Over:
		return "none of them is sent: each ends as unscored (context_overflow)"
	}
	return fmt.Sprintf("%d of them are more than a tenth too long without any answer and are not sent: they end as unscored (context_overflow)", k.Held)
}

// shorter names the bound of the record that would make all prompts fit, where one
// is left to speak of.
func (k *Check) shorter() string {
	const least = 2000
	room := int(float64(k.ContextTokens-k.AnswerTokens)*k.BytesPerToken) - k.fixedLargest
	if room < least {
		return ""
	}
	return fmt.Sprintf(", or shorten the history with max_record_chars: %d in judge.yaml", room/1000*1000)
}

// Change says how a corrected ratio changed the count; "" where it did not.
func Change(before, after *Check) string {
	if before.Over == after.Over && before.Held == after.Held {
		return ""
	}
	return fmt.Sprintf("judge %s: the first replies count %.2f bytes a token instead of %.2f: %d of %d judgements will not fit (before: %d), %d are not sent (before: %d)",
		after.Judge, after.BytesPerToken, before.BytesPerToken, after.Over, after.Judgements, before.Over, after.Held, before.Held)
}
