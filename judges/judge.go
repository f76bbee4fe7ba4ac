package judges

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/check"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/judges/internal/result"
	"github.com/judgekit/judge/rubrics"
)

// Completer answers one chat request; a Client is one. Errors should be
// *Error values, of which a fatal one stops a run.
type Completer interface {
	Do(ctx context.Context, req Request) (*Response, error)
}

// Defaults of Config.
const (
	DefaultMaxTokens       = 1024
	DefaultReasoningTokens = 4096
	DefaultMaxRepairs      = 2
	DefaultConcurrency     = 8
	DefaultSamples         = 5
	DefaultSeed            = 7
	// SampleTemperature is that of self-consistency; every other method asks at 0.
	SampleTemperature = 0.8
)

// Config is one judge: a model with its rubrics and settings. Only Model is needed.
type Config struct {
	// Model is the model's name at the endpoint, Name the judge's name in results;
	// "" means Model.
	Model, Name string
	// Rubrics to judge by, in order; nil means the built-in four.
	Rubrics []*rubrics.Rubric
	// Prompt shapes the prompts.
	Prompt Options
	// Transport is how structured output is asked for; "" means json_schema. A probe
	// should decide it before a run.
	Transport Transport
	// CorrectionAsText asks for the correction as a string, for endpoints that refuse
	// open objects; Strict asks hosted services to enforce the schema.
	CorrectionAsText, Strict bool
	// Temperature nil means 0 (0.8 under self-consistency). Seed 0 means 7.
	Temperature *float64
	Seed        int64
	// MaxTokens bounds an answer; 0 means 1024. Reasoning says that the model thinks
	// first, which adds ReasoningTokens (0 means 4096).
	MaxTokens       int
	Reasoning       bool
	ReasoningTokens int
	// MaxRepairs bounds the repair requests of one sample; 0 means 2, negative none.
	MaxRepairs int
	// Method is how the score is taken; "" means Parsed. Samples is their number
	// under self-consistency; 0 means 5.
	Method  Method
	Samples int
	// Modes chooses the bands reading for rubrics by name; others are read as
	// intervals.
	Modes map[string]VerdictMode
	// CoerceNumbers accepts numeric strings, under a flag.
	CoerceNumbers bool
	// Concurrency is the number of requests in flight; 0 means 8.
	Concurrency int
	// Extra are server-specific request members; null leaves a member out that would
	// have been sent. LimitName is the member that bounds an answer, where it is not the
	// usual one for the kind of server.
	Extra     []Field
	LimitName string
	// Host names a server that holds one model at a time; "" is one that holds all that
	// it is asked for. The models of one host are asked one after the other.
	Host string
	// Kind names the server software, for advice about it.
	Kind Kind
	// Log receives what a person should know about the run, one line each; nil drops
	// it. It may be called concurrently.
	Log func(line string)
}

// Judge is one instrument. It is safe for concurrent use.
type Judge struct {
	complete Completer
	cfg      Config
	rubrics  []instrument

	mu        sync.Mutex
	transport llm.Transport
	refused   refusals // of the present transport
	top       int      // alternatives that are asked for at a token
	// refusedLength says that it was told of a refusal for length.
	refusedLength atomic.Bool
}

// instrument is a rubric with what every request under it shares.
type instrument struct {
	rubric       *rubrics.Rubric
	frame        *prompt.Frame
	schema, text llm.Schema
	mode         answer.Mode
}

// New returns a judge that asks through c. The error says which setting is wrong.
func New(c Completer, cfg Config) (*Judge, error) {
	if c == nil {
		return nil, errors.New("judge: no endpoint to ask")
	}
	if cfg.Model == "" {
		return nil, errors.New("judge: set a model")
	}
	if cfg.Rubrics == nil {
		list, err := rubrics.Builtin()
		if err != nil {
			return nil, fmt.Errorf("judge %s: %w", cfg.Model, err)
		}
		cfg.Rubrics = list
	}
	cfg = cfg.withDefaults()
	if !slices.Contains(llm.Ladder(), cfg.Transport) {
		return nil, fmt.Errorf("judge %s: transport %q is none of %v", cfg.Name, cfg.Transport, llm.Ladder())
	}
	switch cfg.Method {
	case Parsed, TokenWeighted, SelfConsistency:
	default:
		return nil, fmt.Errorf("judge %s: method %q is none of %v", cfg.Name, cfg.Method, Methods())
	}
	if err := CheckMarker(cfg.Prompt.Marker); err != nil {
		return nil, fmt.Errorf("judge %s: datamarking: %w", cfg.Name, err)
	}
	if cfg.Prompt.Marker != "" && cfg.Model == BaselineModel {
		return nil, fmt.Errorf("judge %s: datamarking is for language models; leave it off for the rule-based baseline", cfg.Name)
	}
	j := &Judge{complete: c, cfg: cfg, transport: cfg.Transport, top: maxAlternatives}
	names := map[string]bool{}
	for _, r := range cfg.Rubrics {
		if names[r.Name] {
			return nil, fmt.Errorf("judge %s: two rubrics have the name %q; rename one", cfg.Name, r.Name)
		}
		names[r.Name] = true
		j.rubrics = append(j.rubrics, newInstrument(r, cfg))
	}
	for name := range cfg.Modes {
		if !names[name] {
			return nil, fmt.Errorf("judge %s: a verdict mode is set for rubric %q, by which it does not judge", cfg.Name, name)
		}
	}
	return j, nil
}

func (cfg Config) withDefaults() Config {
	setDefault(&cfg.Name, cfg.Model)
	setDefault(&cfg.Transport, llm.JSONSchema)
	setDefault(&cfg.Method, Parsed)
	setDefault(&cfg.MaxTokens, DefaultMaxTokens)
	setDefault(&cfg.ReasoningTokens, DefaultReasoningTokens)
	setDefault(&cfg.Concurrency, DefaultConcurrency)
	setDefault(&cfg.Seed, DefaultSeed)
	setDefault(&cfg.MaxRepairs, DefaultMaxRepairs)
	setDefault(&cfg.Samples, DefaultSamples)
	if cfg.Method != SelfConsistency {
		cfg.Samples = 1
	}
	if cfg.Reasoning {
		cfg.MaxTokens += cfg.ReasoningTokens
	}
	cfg.Prompt.Limit = cfg.within(cfg.Prompt.Limit.Tokens)
	cfg.MaxTokens = cfg.Prompt.Limit.Answer
	if cfg.Temperature == nil {
		t := 0.0
		if cfg.Method == SelfConsistency {
			t = SampleTemperature
		}
		cfg.Temperature = &t
	}
	return cfg
}

// within is the judge's limit with a window of so many tokens, 0 where it is not known.
// A thought may not take the room of the record.
func (cfg *Config) within(tokens int) Limit {
	l := cfg.Prompt.Limit
	l.Tokens, l.Answer = tokens, cfg.MaxTokens
	if tokens > 0 {
		l.Answer = min(l.Answer, tokens/2)
	}
	return l
}

func setDefault[T comparable](field *T, def T) {
	var zero T
	if *field == zero {
		*field = def
	}
}

func newInstrument(r *rubrics.Rubric, cfg Config) instrument {
	in := instrument{
		rubric: r, frame: prompt.NewFrame(r, cfg.Prompt), mode: cfg.Modes[r.Name],
		schema: llm.Schema{Name: schemaName(r.Name), JSON: json.RawMessage(r.SentSchema().JSON()), Strict: cfg.Strict},
	}
	in.text = llm.Schema{Name: in.schema.Name, JSON: json.RawMessage(r.SentSchemaText().JSON()), Strict: cfg.Strict}
	if cfg.Transport == llm.Tools {
		// A chat template writes the schema into the prompt.
		for n := range in.frame.Costs {
			in.frame.Costs[n] += cfg.Prompt.Limit.Cost(string(in.schema.JSON))
		}
	}
	return in
}

// schemaName makes a rubric's name fit for a schema's: letters, digits, _ and -, at
// most 64.
func schemaName(name string) string {
	out := make([]byte, 0, len(name))
	for i := 0; i < len(name) && len(out) < 64; i++ {
		c := name[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' {
			out = append(out, c)
		} else {
			out = append(out, '_')
		}
	}
	return string(out)
}

// Name returns the judge's name in results.
func (j *Judge) Name() string { return j.cfg.Name }

// Rubrics returns the rubrics in the order in which they are asked.
func (j *Judge) Rubrics() []*rubrics.Rubric { return append([]*rubrics.Rubric(nil), j.cfg.Rubrics...) }

// Transport returns the step of the ladder that the judge stands on now.
func (j *Judge) Transport() Transport {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.transport
}

// Call judges one call of a conversation by every rubric, one after the other. A
// judgement that fails is a Result with its ErrorKind; the error is only for what
// makes going on useless: a fatal answer of the endpoint, or the end of ctx.
func (j *Judge) Call(ctx context.Context, conv *Conversation, callIndex int, facts Facts) ([]Result, error) {
	if callIndex < 0 || callIndex >= len(conv.Calls) {
		return nil, fmt.Errorf("judge call %d of %s: the conversation has %d calls", callIndex, conv.ID, len(conv.Calls))
	}
	rec := newRecord(conv, j.cfg.Prompt)
	out := make([]Result, len(j.rubrics))
	for i := range j.rubrics {
		r, err := j.judge(ctx, &j.rubrics[i], rec, callIndex, facts)
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	result.AcrossRubrics(out)
	return out, nil
}

// Prompt returns the messages that the judge would send first for a call.
func (j *Judge) Prompt(r *rubrics.Rubric, conv *Conversation, callIndex int) ([]Message, error) {
	for i := range j.rubrics {
		if in := &j.rubrics[i]; in.rubric == r && callIndex >= 0 && callIndex < len(conv.Calls) {
			messages, _, _ := in.messages(newRecord(conv, j.cfg.Prompt).view, callIndex, j.cfg.Prompt.Limit)
			return messages, nil
		}
	}
	return prompt.Build(r, conv, callIndex, j.cfg.Prompt)
}

// messages are the messages that ask for one judgement, how they show the record, and
// how many examples they have.
func (in *instrument) messages(v *prompt.View, callIndex int, l Limit) ([]Message, prompt.Shown, int) {
	n := v.Examples(in.frame.Costs, l.Room())
	shown := v.Show(callIndex, l.Room()-in.frame.Costs[n])
	return append(in.frame.Messages[n], Message{Role: "user", Content: shown.Text}), shown, n
}

// Request returns the request that the judge would send first for a call under one
// of its rubrics.
func (j *Judge) Request(rubric string, conv *Conversation, callIndex int) (Request, error) {
	for i := range j.rubrics {
		if in := &j.rubrics[i]; in.rubric.Name == rubric {
			messages, err := j.Prompt(in.rubric, conv, callIndex)
			if err != nil {
				return llm.Request{}, err
			}
			s := j.sampling(in, conv.ID, callIndex, messages, j.cfg.Prompt.Limit)
			s.volatile = j.volatile(prompt.NewView(conv, j.cfg.Prompt))
			return s.request(messages), nil
		}
	}
	return llm.Request{}, fmt.Errorf("judge %s: no rubric %q", j.cfg.Name, rubric)
}

// volatile are the texts that one run's prompts have and another's have not.
func (j *Judge) volatile(v *prompt.View) []string { return []string{v.Nonce(), j.cfg.Prompt.Canary} }

// RequestKey is the Key of the requests for one judgement.
func RequestKey(conversation string, call int, rubric string) string {
	return itemKey(conversation, call, rubric)
}

func itemName(conversation string, call int) string { return conversation + "#" + strconv.Itoa(call) }

func itemKey(conversation string, call int, rubric string) string {
	return itemName(conversation, call) + " " + rubric
}

// record is one conversation made ready for all judgements of it.
type record struct {
	conv    *Conversation
	view    *prompt.View
	checked *check.Record
}

func newRecord(conv *Conversation, o Options) *record {
	v := prompt.NewView(conv, o)
	return &record{conv, v, check.NewRecord(v)}
}

// judge makes one judgement. What the endpoint refuses for its length is shortened to the
// window that the refusal names and asked again. That is decided by what was said to this
// judgement alone, so that it does not depend on the order of the replies.
func (j *Judge) judge(ctx context.Context, in *instrument, rec *record, callIndex int, facts Facts) (Result, error) {
	limit, refused := j.cfg.Prompt.Limit, 0
	for refits := 0; ; refits++ {
		res, narrower, err := j.attempt(ctx, in, rec, callIndex, facts, limit)
		if res.Requests += refused; narrower == 0 || refits == maxRefits {
			return res, err
		}
		limit, refused = j.cfg.within(narrower), res.Requests
	}
}

// attempt makes one judgement within a limit. narrower is the window to shorten it to,
// where the endpoint refused it for its length.
func (j *Judge) attempt(ctx context.Context, in *instrument, rec *record, callIndex int, facts Facts, limit Limit) (res Result, narrower int, _ error) {
	conv := rec.conv
	call := &conv.Calls[callIndex]
	messages, shown, examples := in.messages(rec.view, callIndex, limit)
	res = Result{
		ConversationID: conv.ID, CallIndex: callIndex, CallID: call.ID, Tool: call.Name,
		Rubric: in.rubric.Name, RubricSHA: in.rubric.SHA, Judge: j.cfg.Name, Transport: j.Transport(),
		Method: j.cfg.Method, ContextTruncated: shown.Truncated,
	}
	res.Shortened = shortening(in, &shown, examples)
	flagShortened(&res)
	if shown.TooLong {
		res.ErrorKind, res.ErrorDetail = KindContext, j.noRoom(in, &shown, examples, limit)
		result.Decide(&res, in.rubric, in.mode)
		return res, 0, nil
	}
	if n := rec.view.Redacted; n > 0 {
		result.Raise(&res, FlagRedacted, 1, fmt.Sprintf("%d matches of redact patterns were replaced in the conversation", n))
	}
	taken := make([]sample, j.cfg.Samples)
	for i := range taken {
		s := j.sampling(in, conv.ID, callIndex, messages, limit)
		s.index = i
		s.volatile = j.volatile(rec.view)
		got, err := s.run(ctx)
		if err != nil {
			return Result{}, 0, err
		}
		narrower = cmp.Or(narrower, s.narrower)
		taken[i] = got
		count(&res, got)
	}
	take(&res, in, taken)
	if res.Output != nil {
		q := check.Question{Rubric: in.rubric, Call: callIndex, Shown: shown, Facts: facts, OwnWords: j.cfg.Model == BaselineModel}
		flags, checks := rec.checked.Check(q, check.Answer{
			Output: *res.Output, Passed: res.Verdict == Pass, Open: res.Verdict == Borderline,
			Explanation: res.Explanation, Evidence: res.Evidence, Correction: res.Correction,
			Unreadable: reply.Unreadable(res.Flags),
		})
		res.Checks = checks
		res.Flags = append(res.Flags, flags...)
		j.flagKinship(&res, conv)
	}
	result.EscalateSevere(&res)
	return res, narrower, nil
}

func count(r *Result, s sample) {
	r.Requests += s.requests
	r.Cached += s.cached
	r.Latency += s.latency
	r.Repairs += s.repairs
	r.Transport, r.Fingerprint = s.transport, s.fingerprint
	addUsage(&r.Usage, s.usage)
	if s.counted.Tokens > 0 {
		r.Counted = s.counted
	}
}
