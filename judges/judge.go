package judges

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/check"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/judges/internal/window"
	"github.com/judgekit/judge/rubrics"
)

// Completer answers one chat request. Errors should be *Error values; a fatal
// one stops a run.
type Completer interface {
	Do(ctx context.Context, req Request) (*Response, error)
}

// Defaults of Config.
const (
	DefaultReasoningTokens = 4096
	DefaultSamples         = 5
	DefaultRepairs         = 2
	// SampleTemperature holds that of self-consistency; every other method asks at 0.
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
	// Transport says how structured output is asked for; "" means json_schema. A probe
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
	// Method says how the score is taken; "" means Parsed. Samples is their number
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
	// have been sent. LimitName is the member that bounds an answer, if it is not the
	// usual one for the kind of server.
	Extra     []Field
	LimitName string
	// Pilot has the requests that share a prefix wait until the first of them is answered,
	// for servers that share a prefix only once it is computed.
	Pilot bool
	// Answers says that the endpoint has answered a rubric's prompt, as a probe finds out: the
	// first judgements then hold nobody back.
	Answers bool
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
	transport Transport
	// refused are the items on which the present transport was refused, by what the server
	// said.
	refused map[string]map[string]bool
	top     int // alternatives that are asked for at a token
	// lengthLogged says that a refusal for length was logged.
	lengthLogged bool
}

// instrument is a rubric with what every request under it shares.
type instrument struct {
	rubric       *rubrics.Rubric
	frame        *prompt.Frame
	schema, text llm.Schema // text has the correction as a string
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
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("judge %s: %w", cfg.Name, err)
	}
	return newJudge(c, cfg), nil
}

func newJudge(c Completer, cfg Config) *Judge {
	j := &Judge{complete: c, cfg: cfg, transport: cfg.Transport, top: maxAlternatives}
	j.refused = map[string]map[string]bool{}
	for _, r := range cfg.Rubrics {
		j.rubrics = append(j.rubrics, newInstrument(r, cfg))
	}
	return j
}

func (cfg Config) check() error {
	if !slices.Contains(llm.Ladder(), cfg.Transport) {
		return fmt.Errorf("transport %q is not one of %v", cfg.Transport, llm.Ladder())
	}
	if methods := []Method{Parsed, TokenWeighted, SelfConsistency}; !slices.Contains(methods, cfg.Method) {
		return fmt.Errorf("method %q is not one of %v", cfg.Method, methods)
	}
	if cfg.Method == TokenWeighted && cfg.Transport == llm.Tools {
		return fmt.Errorf("score_method %s needs answers as text, and answers by tools carry no log-probabilities; "+
			"set score_method: parsed, or transport: json_object", cfg.Method)
	}
	if cfg.Method == TokenWeighted && cfg.Model == BaselineModel {
		return fmt.Errorf("score_method %s needs log-probabilities, and the rule-based baseline has none; "+
			"set score_method: parsed", cfg.Method)
	}
	if err := CheckMarker(cfg.Prompt.Marker); err != nil {
		return fmt.Errorf("datamarking: %w", err)
	}
	if l := cfg.Prompt.Layout; l != "" && !slices.Contains(prompt.Layouts(), l) {
		return fmt.Errorf("layout %q is not one of %v", l, prompt.Layouts())
	}
	if cfg.Prompt.Marker != "" && cfg.Model == BaselineModel {
		return errors.New("datamarking is for language models; leave it off for the rule-based baseline")
	}
	names := map[string]bool{}
	for _, r := range cfg.Rubrics {
		if names[r.Name] {
			return fmt.Errorf("two rubrics have the name %q; rename one", r.Name)
		}
		names[r.Name] = true
		if err := cfg.askable(r); err != nil {
			return fmt.Errorf("rubric %s: %w", r.Name, err)
		}
	}
	for name := range cfg.Modes {
		if !names[name] {
			return fmt.Errorf("a verdict mode is set for rubric %q, by which it does not judge", name)
		}
	}
	return nil
}

// askable returns an error for a rubric that the judge cannot be asked by.
func (cfg Config) askable(r *rubrics.Rubric) error {
	switch o := r.Output; {
	case r.SeesExpected:
		return errors.New("sees: expected cannot be judged yet; remove it")
	case cfg.Method == TokenWeighted && o.MayNotApply:
		return fmt.Errorf("score_method %s weighs one token, which does not show not_applicable in full; "+
			"set score_method: parsed", cfg.Method)
	case cfg.Method == TokenWeighted && r.HasVerdictList():
		return fmt.Errorf("score_method %s weighs the answer's own token, but worst_of takes the answer from a list; "+
			"set score_method: parsed", cfg.Method)
	case cfg.Method == TokenWeighted && o.Categories != nil && !reply.Weighable(o):
		return fmt.Errorf("score_method %s weighs the first token of a category, and %s do not differ in "+
			"their first letter; rename categories, or set score_method: parsed", cfg.Method,
			strings.Join(o.Categories, ", "))
	}
	return nil
}

func (cfg Config) withDefaults() Config {
	setDefault(&cfg.Name, cfg.Model)
	setDefault(&cfg.Transport, llm.JSONSchema)
	setDefault(&cfg.Method, Parsed)
	setDefault(&cfg.MaxTokens, 1024)
	setDefault(&cfg.ReasoningTokens, DefaultReasoningTokens)
	setDefault(&cfg.Concurrency, 8)
	setDefault(&cfg.Seed, 7)
	setDefault(&cfg.MaxRepairs, DefaultRepairs)
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

// within returns the judge's limit for a window in tokens, 0 if that is not known.
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
	schema := func(v value.Value) llm.Schema {
		return llm.NewSchema(schemaName(r.Name), json.RawMessage(v.JSON()), cfg.Strict)
	}
	in := instrument{
		rubric: r, frame: prompt.NewFrame(r, cfg.Rubrics, cfg.Prompt), mode: cfg.Modes[r.Name],
		schema: schema(r.SentSchema()), text: schema(r.SentSchemaText()),
	}
	if cfg.Transport == llm.Tools {
		// A chat template writes the schema into the prompt.
		for n := range in.frame.Costs {
			in.frame.Costs[n] += cfg.Prompt.Limit.CostOf(string(in.schema.JSON))
		}
	}
	return in
}

// schemaName makes a rubric's name fit for a schema's: letters, digits, _ and -, at
// most 64.
func schemaName(name string) string {
	out := []byte(name[:min(len(name), 64)])
	for i, c := range out {
		if c >= 0x80 || c != '_' && c != '-' && !unicode.IsLetter(rune(c)) && !unicode.IsDigit(rune(c)) {
			out[i] = '_'
		}
	}
	return string(out)
}

// Name returns the judge's name in results.
func (j *Judge) Name() string { return j.cfg.Name }

// Rubrics returns the rubrics in the order in which they are asked.
func (j *Judge) Rubrics() []*rubrics.Rubric { return slices.Clone(j.cfg.Rubrics) }

// Limit returns what the judge has room for.
func (j *Judge) Limit() Limit { return j.cfg.Prompt.Limit }

// Kind names the server software, "" if it is not known.
func (j *Judge) Kind() Kind { return j.cfg.Kind }

// ExamplesReversed returns a judge that asks the same with the examples of its rubrics
// in reverse order, with the present transport of this one. It is another instrument:
// it serves to measure the effect of the order.
func (j *Judge) ExamplesReversed() *Judge {
	cfg := j.cfg
	cfg.Transport = j.standing()
	cfg.Rubrics = nil
	for _, r := range j.cfg.Rubrics {
		reversed := *r
		reversed.Examples = slices.Clone(r.Examples)
		slices.Reverse(reversed.Examples)
		cfg.Rubrics = append(cfg.Rubrics, &reversed)
	}
	return newJudge(j.complete, cfg)
}

// By returns a judge that asks as this one does, by one of its rubrics only.
func (j *Judge) By(rubric string) *Judge {
	one := newJudge(j.complete, j.cfg)
	one.transport = j.standing()
	one.rubrics = slices.DeleteFunc(one.rubrics, func(in instrument) bool { return in.rubric.Name != rubric })
	return one
}

func (j *Judge) logf(format string, args ...any) {
	if j.cfg.Log != nil {
		j.cfg.Log(fmt.Sprintf("judge %s: ", j.cfg.Name) + fmt.Sprintf(format, args...))
	}
}

// Call judges one call of a conversation by every rubric that asks about it or about its result, one
// after the other. A judgement that fails is a Result with its ErrorKind; the error is only for what
// ends the run: a fatal answer of the endpoint, or the end of ctx.
func (j *Judge) Call(ctx context.Context, conv *Conversation, callIndex int, facts Facts) ([]Result, error) {
	return j.judgeAll(ctx, conv, facts, OfCall(callIndex), Target{Scope: rubrics.ScopeResult, Call: callIndex})
}

// Turn judges one turn of a conversation, counted from 1, by every rubric of scope turn that asks
// about it. The results and the error are as those of Call.
func (j *Judge) Turn(ctx context.Context, conv *Conversation, turn int) ([]Result, error) {
	return j.judgeAll(ctx, conv, Facts{}, Target{Scope: rubrics.ScopeTurn, Turn: turn})
}

// Conversation judges a whole conversation by every rubric of scope conversation that asks about
// it. The results and the error are as those of Call.
func (j *Judge) Conversation(ctx context.Context, conv *Conversation) ([]Result, error) {
	return j.judgeAll(ctx, conv, Facts{}, Target{Scope: rubrics.ScopeConversation})
}

// Target judges one item of a conversation by every rubric that asks about it, without facts. The
// results and the error are as those of Call.
func (j *Judge) Target(ctx context.Context, conv *Conversation, t Target) ([]Result, error) {
	return j.judgeAll(ctx, conv, Facts{}, t)
}

// judgeAll judges targets by every rubric that asks about them.
func (j *Judge) judgeAll(ctx context.Context, conv *Conversation, facts Facts, targets ...Target) ([]Result, error) {
	rec := newRecord(conv, j.cfg.Prompt)
	out := []Result{}
	for _, t := range targets {
		if err := checkTarget(conv, t); err != nil {
			return nil, err
		}
		from := len(out)
		for i := range j.rubrics {
			if !Asks(j.rubrics[i].rubric, conv, t) {
				continue
			}
			r, err := j.judge(ctx, &j.rubrics[i], rec, t, facts)
			if err != nil {
				return nil, err
			}
			out = append(out, r)
		}
		acrossRubrics(out[from:])
	}
	return out, nil
}

// Request returns the request that the judge would send first for a target under one
// of its rubrics.
func (j *Judge) Request(rubric string, conv *Conversation, t Target) (Request, error) {
	i := slices.IndexFunc(j.rubrics, func(in instrument) bool { return in.rubric.Name == rubric })
	if i < 0 {
		return Request{}, fmt.Errorf("judge %s: no rubric %q", j.cfg.Name, rubric)
	}
	if err := checkTarget(conv, t); err != nil {
		return Request{}, err
	}
	rec, limit := &record{conv: conv, view: prompt.NewView(conv, j.cfg.Prompt)}, j.Limit()
	messages, _, _ := j.rubrics[i].messages(rec.view, t, limit)
	return j.sampling(&j.rubrics[i], rec, t, messages, limit).request(messages), nil
}

// messages returns the messages that ask for one judgement, how they show the record, and
// how many examples they have.
func (in *instrument) messages(v *prompt.View, t Target, l Limit) ([]Message, window.Shown, int) {
	n := v.Examples(in.rubric.Scope, in.frame.Costs, l.Room())
	shown := v.Show(t, l.Room()-in.frame.Costs[n], in.frame.Endings[n])
	return append(in.frame.Messages[n], Message{Role: "user", Content: shown.Text}), shown, n
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

func (j *Judge) blank(in *instrument, conv *Conversation, t Target) Result {
	res := Result{
		ConversationID: conv.ID, Scope: in.rubric.Scope, CallIndex: -1, Turn: t.Turn, Rubric: in.rubric.Name,
		RubricSHA: in.rubric.SHA, Judge: j.cfg.Name, Transport: j.standing(), Method: j.cfg.Method,
	}
	if t.HasCall() {
		call := &conv.Calls[t.Call]
		res.CallIndex, res.CallID, res.Tool = t.Call, call.ID, call.Name
	}
	return res
}

// judge makes one judgement. What the endpoint refuses for its length is shortened to the
// window that the refusal names and asked again. That is decided by what was said to this
// judgement alone, so that it does not depend on the order of the replies.
func (j *Judge) judge(ctx context.Context, in *instrument, rec *record, t Target, facts Facts) (Result, error) {
	if !Answers(j.cfg.Model, in.rubric.Name) {
		res := j.blank(in, rec.conv, t)
		res.ErrorKind, res.ErrorDetail = KindNoRule, "not asked: "+BaselineModel+" has no rule for this rubric"
		in.decide(&res)
		return res, nil
	}
	limit, refused := j.Limit(), 0
	for refits := 0; ; refits++ {
		res := j.blank(in, rec.conv, t)
		narrower, err := j.attempt(ctx, in, rec, &res, facts, limit)
		if res.Requests += refused; narrower == 0 || refits == maxRefits {
			return res, err
		}
		limit, refused = j.cfg.within(narrower), res.Requests
	}
}

// attempt makes one judgement within a limit. narrower is the window to shorten it to,
// if the endpoint refused it for its length.
func (j *Judge) attempt(
	ctx context.Context, in *instrument, rec *record, res *Result, facts Facts, limit Limit,
) (narrower int, _ error) {
	messages, shown, examples := in.messages(rec.view, res.Target(), limit)
	if shown.TooLong {
		room := limit.Room() - in.frame.Costs[examples]
		if list := rec.view.Segments(res.Target(), room, in.frame.Endings[examples]); list != nil {
			return j.askSegments(ctx, in, rec, res, list, examples, limit)
		}
	}
	res.showed(&shown)
	res.Shortened.Examples = in.leftOut(examples)
	res.flagShortened()
	if shown.TooLong {
		res.ErrorKind, res.ErrorDetail = KindContext, j.noRoom(in, &shown, examples, limit)
		in.decide(res)
		return 0, nil
	}
	return j.ask(ctx, in, rec, res, facts, limit, messages, &shown)
}

// ask sends the messages that show a record, takes the answers and checks them.
func (j *Judge) ask(
	ctx context.Context, in *instrument, rec *record, res *Result, facts Facts, limit Limit, messages []Message,
	shown *window.Shown,
) (narrower int, _ error) {
	if n := rec.view.Redacted; n > 0 {
		res.raise(flagRedacted, 1, "%d matches of redact patterns were replaced in the conversation", n)
	}
	var record *llm.Record
	if j.cfg.Model == BaselineModel {
		record = rec.view.Record(res.Target(), shown)
		record.Rubric, record.Schema = in.rubric.Name, in.schema.JSON
	}
	samples := make([]*sampling, j.cfg.Samples)
	for i := range samples {
		s := j.sampling(in, rec, res.Target(), messages, limit)
		s.index, s.record = i, record
		if err := s.run(ctx, res); err != nil {
			return 0, err
		}
		narrower = cmp.Or(narrower, s.narrower)
		samples[i] = s
	}
	in.take(res, samples)
	if res.Verdict != NoVerdict {
		j.check(in, rec, res, *shown, facts)
	}
	res.escalateSevere()
	return narrower, nil
}

// check compares an answer with the record and the facts.
func (j *Judge) check(in *instrument, rec *record, res *Result, shown window.Shown, facts Facts) {
	output := 0.0
	if res.Output != nil {
		output = *res.Output
	}
	flags, found := rec.checked.Check(check.Answer{
		Rubric: in.rubric, Target: res.Target(), Shown: shown, Facts: facts, OwnWords: j.cfg.Model == BaselineModel,
		Output: output, Passed: res.Verdict == Pass, Open: res.Verdict == Borderline || res.Verdict == NoBand,
		NotApplicable: res.Verdict == NotApplicable,
		Explanation:   res.Explanation, Evidence: res.Evidence, Correction: res.Correction,
		Unreadable: reply.Unreadable(res.Flags),
	})
	res.Checks, res.Flags = found, append(res.Flags, flags...)
	j.flagKinship(res, rec.conv)
}
