package judges

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/reply"
)

// sampling takes one sample: the first request, its repairs, and the retries of an answer that was
// cut off.
type sampling struct {
	j         *Judge
	in        *instrument
	messages  []Message
	limit     Limit // the limit to which the messages were shortened
	index     int   // number of the sample
	transport Transport
	// item identifies what is judged, key the same with its rubric.
	item, key string
	arguments []string    // names of the judged call's arguments
	group     string      // the conversation, whose requests share a prefix
	volatile  []string    // texts in the prompts that differ between runs
	record    *llm.Record // for the baseline; nil for models

	// doubled, stepped and refused say what was tried already: more tokens, a plainer transport
	// after a loop of blanks, another transport after a refusal. thought says that an answer was
	// cut off inside its thinking.
	doubled, stepped, refused, thought bool
	repairs                            int
	seedShift                          int64
	// narrower is the window to shorten the messages to after a refusal for their length.
	narrower int

	// reading is the last request's result, response the last reply.
	reading  reply.Reading
	response *Response
}

func (j *Judge) sampling(in *instrument, rec *record, t Target, messages []Message, l Limit) *sampling {
	var arguments []string
	if t.HasCall() {
		for name := range rec.view.Conversation().Calls[t.Call].Arguments.Members() {
			arguments = append(arguments, name)
		}
	}
	return &sampling{
		j: j, in: in, messages: messages, limit: l, transport: j.standing(),
		item: itemKey(rec.conv.ID, t), key: RequestKey(rec.conv.ID, t, in.rubric.Name),
		group: rec.conv.ID, arguments: arguments,
		volatile: []string{rec.view.Nonce(), j.cfg.Prompt.Canary},
	}
}

// run sends requests until there is an answer or the limits are reached, and adds their cost to a
// result. It returns an error only if the run must end.
func (s *sampling) run(ctx context.Context, res *Result) error {
	messages := s.messages
	before := "" // a valid output of an answer that was otherwise invalid
	for {
		resp, err := s.send(ctx, res, messages)
		if resp == nil {
			return err
		}
		s.reading = reply.Read(s.in.rubric, resp, s.readOptions(resp))
		again := false
		switch s.reading.Kind {
		case "":
			s.checkRepair(before)
			if why := s.j.Limit().Cut(messages, resp.Usage.Prompt); why != "" {
				s.reading.Fail(KindContextCut, why)
			}
		case KindTruncated, KindTruncatedInThought, KindWhitespaceLoop:
			again = s.longer()
		case KindInvalidJSON, KindSchemaViolation:
			before = cmp.Or(s.reading.Said(), before)
			messages, again = s.repair()
		}
		if !again {
			res.Repairs += s.repairs
			return nil
		}
	}
}

// send sends a request until there is a reply, and adds its cost to a result. Without a reply the
// reading says why. It returns an error only if the run must end.
func (s *sampling) send(ctx context.Context, res *Result, messages []Message) (*Response, error) {
	for {
		req := s.request(messages)
		resp, err := s.j.complete.Do(ctx, req)
		if err == nil {
			s.note(res, resp)
			return resp, nil
		}
		if s.fewerAlternatives(err, req.TopLogprobs) {
			res.Requests++
			continue
		}
		if again, err := s.handleFailure(ctx, res, err); !again {
			return nil, err
		}
	}
}

func (s *sampling) readOptions(resp *Response) reply.Options {
	cfg := &s.j.cfg
	return reply.Options{Canaries: []string{cfg.Prompt.Canary, resp.Canary}, CorrectionAsText: cfg.CorrectionAsText,
		CoerceNumbers: cfg.CoerceNumbers, Arguments: s.arguments}
}

// repair returns the messages that ask for a corrected answer, unless no more repairs are allowed.
// They must fit in the window with half the room of an answer; otherwise a server would cut the
// record off the prompt.
func (s *sampling) repair() (_ []Message, ask bool) {
	if s.repairs >= s.j.cfg.MaxRepairs {
		return nil, false
	}
	messages := reply.Repair(s.messages, s.reading, s.repairs+1)
	if l := &s.limit; l.Tokens > 0 && l.Estimate(messages)+l.Answer/2 > l.Tokens {
		return nil, false
	}
	s.repairs++
	s.seedShift++
	return messages, true
}

func (s *sampling) request(messages []Message) Request {
	cfg := &s.j.cfg
	one := 1.0
	seed := cfg.Seed + int64(s.index) + s.seedShift
	req := Request{
		Model: cfg.Model, Messages: messages, Transport: s.transport,
		Temperature: cfg.Temperature, TopP: &one, Seed: &seed, MaxTokens: s.limit.Answer,
		LimitName: cfg.LimitName, Extra: cfg.Extra, Key: s.key, Group: s.group, Volatile: s.volatile, Record: s.record,
	}
	if s.doubled {
		req.MaxTokens = s.doubleRoom()
		req.Extra = doubleLimits(req.Extra)
	}
	if s.transport != llm.PromptOnly {
		// Among the servers that accept a bare json_object only llama.cpp is sent the schema as
		// well.
		req.Schema = s.in.schema
		if cfg.CorrectionAsText {
			req.Schema = s.in.text
		}
	}
	if cfg.Method == TokenWeighted && s.transport != llm.Tools && reply.Weighable(s.in.rubric.Output) {
		req.Logprobs, req.TopLogprobs = true, s.j.alternatives()
	}
	return req
}

// tokenLimits lists the names that servers use for the member that limits the answer.
var tokenLimits = []string{"max_tokens", "max_completion_tokens", "n_predict"}

// unlimited reports whether the extra members remove the token limit. Doubling it would then not
// change the request.
func unlimited(extra []Field) bool {
	left := false
	for _, f := range extra {
		if slices.Contains(tokenLimits, f.Name) {
			if !f.LeavesOut() {
				return false
			}
			left = true
		}
	}
	return left
}

// doubleLimits returns the extra members with their token limits doubled. They override the
// request's own.
func doubleLimits(extra []Field) []Field {
	out := slices.Clone(extra)
	for i := range out {
		if !slices.Contains(tokenLimits, out[i].Name) {
			continue
		}
		if n, err := strconv.Atoi(string(bytes.TrimSpace(out[i].Value))); err == nil && n > 0 && n < 1<<30 {
			out[i].Value = strconv.AppendInt(nil, 2*int64(n), 10)
		}
	}
	return out
}

func (s *sampling) note(res *Result, resp *Response) {
	s.response = resp
	res.Transport, res.Fingerprint = s.transport, resp.Fingerprint.String()
	res.Requests++
	if resp.Cached {
		res.Cached++
	} else {
		res.Latency += resp.Latency
	}
	res.addUsage(resp.Usage)
}

// addUsage adds the tokens of a reply.
func (r *Result) addUsage(u llm.Usage) {
	for _, x := range []struct {
		to   **int
		from *int
	}{
		{&r.Usage.Prompt, u.Prompt}, {&r.Usage.Completion, u.Completion},
		{&r.Usage.Reasoning, u.Reasoning}, {&r.Usage.Cached, u.Cached},
	} {
		if x.from == nil {
			continue
		}
		sum := *x.from
		if *x.to != nil {
			sum += **x.to
		}
		*x.to = &sum
	}
}

// maxReply limits how many bytes of a reply are kept to show why it failed.
const maxReply = 2000

// replyExcerpt returns the beginning of the last reply, for people.
func (s *sampling) replyExcerpt() string {
	if s.response == nil {
		return ""
	}
	return value.Excerpt(cmp.Or(s.response.Content, s.response.ToolArguments, s.response.Reasoning), maxReply)
}

// checkRepair flags an answer that was repaired, and voids it if a repair changed a score that was
// valid before. The repair was asked to keep it.
func (s *sampling) checkRepair(before string) {
	r := &s.reading
	if s.repairs > 0 {
		r.Raise("repaired", 1, fmt.Sprintf("%d repair requests", s.repairs))
	}
	if before == "" || before == r.Said() {
		return
	}
	detail := fmt.Sprintf("the repair changed the output from %s to %s; the sample is void", before, r.Said())
	r.Raise(flagRepairChanged, 2, detail)
	r.Fail(KindSchemaViolation, detail)
}

// longer prepares a retry of an answer that was cut off: once with a plainer transport after a loop
// of blanks, once with twice the tokens. It returns false if there is nothing left to try. It
// changes the seed, because the messages stay the same.
func (s *sampling) longer() bool {
	s.thought = s.thought || s.reading.Kind == KindTruncatedInThought
	if s.reading.Kind == KindWhitespaceLoop && !s.stepped {
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

// doubleRoom returns twice the tokens of an answer, or what the window has if that is less.
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

// handleFailure handles a request without an answer: retry says to send it again with a plainer
// transport; the error ends the run.
func (s *sampling) handleFailure(ctx context.Context, res *Result, err error) (retry bool, fatal error) {
	if cause := context.Cause(ctx); cause != nil {
		return false, cause
	}
	kind, detail, isFatal := reply.Failure(err)
	if isFatal {
		return false, fmt.Errorf("judge %s: %w", s.j.cfg.Name, err)
	}
	if kind != reply.KindDeferred {
		res.Requests++
	}
	res.Transport, s.narrower = s.transport, s.j.narrow(err, s.messages, s.limit)
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == llm.KindBadRequest && s.lower(e.Message) {
		return true, nil
	}
	s.reading = reply.Reading{Kind: kind, Detail: value.Excerpt(detail, 500)}
	res.Repairs += s.repairs
	return false, nil
}
