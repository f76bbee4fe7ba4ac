package judges

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/judges/internal/result"
)

// sampling is the making of one sample: the first request, its repairs, and the
// retries of an answer that was cut short.
type sampling struct {
	j         *Judge
	in        *instrument
	messages  []Message
	limit     Limit // that the messages were fitted to
	index     int   // of the sample
	transport llm.Transport
	// item names the judged call, key the call under its rubric.
	item, key string
	volatile  []string // what of the messages is the run's own

	// doubled and stepped say what was tried already: more tokens, a step down after a
	// loop of blanks. refused says that a transport was refused.
	// thought says that an answer was cut before its thought ended.
	doubled, stepped, refused, thought bool
	seedShift                          int64
	// narrower is the window to shorten the messages to, where their length was refused.
	narrower int
	out      sample
}

func (j *Judge) sampling(in *instrument, conversation string, call int, messages []Message, l Limit) *sampling {
	return &sampling{
		j: j, in: in, messages: messages, limit: l, transport: j.Transport(),
		item: itemName(conversation, call), key: itemKey(conversation, call, in.rubric.Name),
	}
}

// sample is one answer with what it cost.
type sample struct {
	reading     reply.Reading
	transport   llm.Transport
	fingerprint string
	content     string
	reply       string // the beginning of what came, for people
	logprobs    []llm.Token
	usage       llm.Usage
	latency     time.Duration
	repairs     int
	requests    int
	cached      int
	// weight is what the method takes from the tokens, whyNot says why there is none.
	weight *reply.TokenWeight
	whyNot string
	// counted is what the server counted for the last prompt.
	counted result.Count
}

// maxReply is how much of a reply is kept to show why it failed, in bytes.
const maxReply = 2000

// run asks until there is an answer or the bounds are spent. The error is only for
// the end of the run.
func (s *sampling) run(ctx context.Context) (sample, error) {
	messages := s.messages
	var before *float64 // a valid output of an answer that was otherwise invalid
	for {
		req := s.request(messages)
		resp, err := s.j.complete.Do(ctx, req)
		if s.fewerAlternatives(err, req.TopLogprobs) {
			continue
		}
		if err != nil {
			again, err := s.failed(ctx, err)
			if again {
				continue
			}
			return s.out, err
		}
		s.note(resp)
		s.out.counted = counted(messages, resp)
		reading := reply.Read(s.in.rubric, resp, reply.Options{
			Canary: s.j.cfg.Prompt.Canary, CorrectionAsText: s.j.cfg.CorrectionAsText, CoerceNumbers: s.j.cfg.CoerceNumbers,
		})
		s.out.reading = reading
		s.thought = s.thought || reading.Kind == KindTruncatedInThought
		switch reading.Kind {
		case "":
			s.settle(before)
			return s.out, nil
		case KindTruncated, KindTruncatedInThought, KindWhitespaceLoop:
			if s.longer(reading.Kind) {
				continue
			}
			return s.out, nil
		case KindInvalidJSON, KindSchemaViolation:
			if s.out.repairs >= s.j.cfg.MaxRepairs {
				return s.out, nil
			}
			s.out.repairs++
			s.seedShift++
			if reading.Output != nil {
				before = reading.Output
			}
			messages = reply.Repair(s.messages, reading, s.out.repairs)
			if !s.fits(messages) {
				s.out.repairs--
				return s.out, nil
			}
		default:
			return s.out, nil
		}
	}
}

// fits reports whether a repair request and half the room of an answer have a place in
// the window: a server would cut the record off a longer one.
func (s *sampling) fits(messages []Message) bool {
	l := &s.limit
	return l.Tokens <= 0 || l.Estimate(messages)+l.Answer/2 <= l.Tokens
}

// counted is what a server counted for a prompt, 0 where it does not count.
func counted(messages []Message, resp *llm.Response) result.Count {
	if resp.Usage.Prompt == nil {
		return result.Count{}
	}
	return result.CountText(*resp.Usage.Prompt, func(yield func(string) bool) {
		for i := range messages {
			if !yield(messages[i].Content) {
				return
			}
		}
	})
}

// request builds the request for the present state of the sampling.
func (s *sampling) request(messages []Message) llm.Request {
	cfg := &s.j.cfg
	one := 1.0
	seed := cfg.Seed + int64(s.index) + s.seedShift
	req := llm.Request{
		Model: cfg.Model, Messages: messages, Transport: s.transport,
		Temperature: cfg.Temperature, TopP: &one, Seed: &seed, MaxTokens: s.limit.Answer,
		LimitName: cfg.LimitName, Extra: cfg.Extra, Key: s.key, Volatile: s.volatile,
	}
	if s.doubled {
		req.MaxTokens = s.doubleRoom()
		req.Extra = doubledLimits(req.Extra)
	}
	if s.transport != llm.PromptOnly {
		// Of the servers that take a bare json_object only llama.cpp is sent the schema
		// with it.
		req.Schema = s.in.schema
		if cfg.CorrectionAsText {
			req.Schema = s.in.text
		}
	}
	if cfg.Method == TokenWeighted && s.transport != llm.Tools {
		if labels := reply.Labels(s.in.rubric.Output); labels != nil {
			req.Logprobs, req.TopLogprobs = true, s.j.alternatives()
		}
	}
	return req
}

// tokenLimits are the members that bound an answer's length, as servers call them.
var tokenLimits = []string{"max_tokens", "max_completion_tokens", "n_predict"}

// unlimited reports whether the extra members leave the token limit out: doubled, the
// request would be the same.
func unlimited(extra []llm.Field) bool {
	left := false
	for _, f := range extra {
		if slices.Contains(tokenLimits, f.Name) {
			if text := string(bytes.TrimSpace(f.Value)); text != "null" {
				return false
			}
			left = true
		}
	}
	return left
}

// doubledLimits returns the extra members with their token limits doubled: they go
// before the request's own.
func doubledLimits(extra []llm.Field) []llm.Field {
	out := slices.Clone(extra)
	for i := range out {
		if n, err := strconv.Atoi(string(bytes.TrimSpace(out[i].Value))); err == nil && n > 0 && n < 1<<30 && slices.Contains(tokenLimits, out[i].Name) {
			out[i].Value = strconv.AppendInt(nil, 2*int64(n), 10)
		}
	}
	return out
}

func (s *sampling) note(resp *llm.Response) {
	o := &s.out
	o.transport, o.fingerprint = s.transport, resp.Fingerprint.String()
	o.content, o.logprobs = resp.Content, resp.Logprobs
	o.reply = value.Excerpt(cmp.Or(resp.Content, resp.ToolArguments, resp.Reasoning), maxReply)
	o.requests++
	if resp.Cached {
		o.cached++
	} else {
		o.latency += resp.Latency
	}
	addUsage(&o.usage, resp.Usage)
}

// settle voids an answer whose repair changed a score that had been valid: the
// repair was asked to keep the assessment.
func (s *sampling) settle(before *float64) {
	r := &s.out.reading
	if s.out.repairs > 0 {
		r.Raise("repaired", 1, fmt.Sprintf("%d repair requests", s.out.repairs))
	}
	if before == nil || r.Output == nil || *before == *r.Output {
		return
	}
	detail := fmt.Sprintf("the repair changed the output from %s to %s; the sample is void", number(*before), number(*r.Output))
	r.Raise(FlagRepairChanged, 2, detail)
	r.Fail(KindSchemaViolation, detail)
}

// longer prepares the one further try of an answer that was cut short: a step down
// the ladder for a whitespace loop, else twice the tokens. The seed changes, because
// the messages do not.
func (s *sampling) longer(kind string) bool {
	if kind == KindWhitespaceLoop && !s.stepped {
		if lower, ok := below(s.transport); ok {
			s.stepped, s.transport = true, lower
			s.seedShift += 1000
			return true
		}
	}
	if s.doubled || unlimited(s.j.cfg.Extra) || s.doubleRoom() <= s.limit.Answer {
		return false
	}
	s.doubled = true
	s.seedShift += 1000
	return true
}

// doubleRoom is twice the tokens of an answer, as far as the window has them.
func (s *sampling) doubleRoom() int {
	double, l := 2*s.limit.Answer, &s.limit
	if s.thought && !s.j.cfg.Reasoning {
		double += s.j.cfg.ReasoningTokens // nobody knew that the model thinks
	}
	if l.Tokens <= 0 {
		return double
	}
	return min(double, l.Tokens-l.Estimate(s.messages))
}

// failed handles a request without an answer: again says to ask once more, a step down
// the ladder; the error ends the run.
func (s *sampling) failed(ctx context.Context, err error) (again bool, fatal error) {
	if cause := context.Cause(ctx); cause != nil {
		return false, cause
	}
	kind, detail, isFatal := reply.Failure(err)
	if isFatal {
		return false, fmt.Errorf("judge %s: %w", s.j.cfg.Name, err)
	}
	s.out.requests++
	s.out.transport, s.narrower = s.transport, s.j.narrow(err, s.messages, s.limit)
	var e *llm.Error
	if errors.As(err, &e) && e.Kind == llm.KindBadRequest && s.lower(e.Message) {
		return true, nil
	}
	s.out.reading = reply.Reading{Kind: kind, Detail: value.Excerpt(detail, 500)}
	return false, nil
}

// lower takes a sample whose transport was refused a step down, or to where the judge
// stands by now, so that no item is lost to a transport. Only the first refusal of an
// item counts for the judge: what the next transport says to the same item is no news.
func (s *sampling) lower(message string) bool {
	if !namesTransport(message, s.transport) {
		return false
	}
	next, ok := below(s.transport)
	if !ok {
		return false
	}
	if !s.refused {
		s.j.refusal(s.transport, s.item, message)
	}
	s.refused = true
	if stands := s.j.Transport(); rung(stands) > rung(next) {
		next = stands
	}
	s.transport = next
	return true
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
