package judges

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

// Completer answers one chat request. Its errors should be *Error values; a fatal one stops a run.
type Completer interface {
	Do(ctx context.Context, req Request) (*Response, error)
}

// Judge asks a model by its rubrics and checks the answers. It is safe for concurrent use.
type Judge struct {
	complete Completer
	cfg      Config
	rubrics  []instrument

	mu        sync.Mutex
	transport Transport
	// refused holds, by the server's message, the items for which the current transport was
	// refused.
	refused map[string]map[string]bool
	top     int               // number of alternatives to ask for at each token
	groups  map[string]*group // by the names of the rubrics
	// lengthLogged says that a refusal for length was logged already.
	lengthLogged bool
}

// instrument is a rubric with what all requests under it share.
type instrument struct {
	rubric       *rubrics.Rubric
	pool         *prompt.Pool // nil unless the rubric's examples are chosen for each target
	frame        *prompt.Frame
	schema, text llm.Schema // text is the schema with the correction as a string
	mode         answer.Mode
}

// New returns a judge that sends its requests through c. Errors name the wrong setting.
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
	j.refused, j.groups = map[string]map[string]bool{}, map[string]*group{}
	for _, r := range cfg.Rubrics {
		j.rubrics = append(j.rubrics, newInstrument(r, cfg))
	}
	return j
}

func newInstrument(r *rubrics.Rubric, cfg Config) instrument {
	schema := func(v value.Value) llm.Schema {
		return llm.NewSchema(schemaName(r.Name), json.RawMessage(v.JSON()), cfg.Strict)
	}
	in := instrument{
		rubric: r, pool: prompt.NewPool(r), mode: cfg.Modes[r.Name],
		schema: schema(r.SentSchema()), text: schema(r.SentSchemaText()),
	}
	if in.pool != nil { // sizes are planned with the longest examples
		in.rubric = in.pool.Longest()
	}
	in.setFrame(cfg)
	return in
}

// setFrame builds the frame of the instrument's rubric.
func (in *instrument) setFrame(cfg Config) {
	in.frame = prompt.NewFrame(in.rubric, cfg.Rubrics, cfg.Prompt)
	if cfg.Transport == llm.Tools {
		// A chat template writes the schema into the prompt.
		for n := range in.frame.Costs {
			in.frame.Costs[n] += cfg.Prompt.Limit.CostOf(string(in.schema.JSON))
		}
	}
}

// forTarget returns the instrument with the examples chosen for one target, or itself if every
// prompt shows the same examples.
func (j *Judge) forTarget(in *instrument, conv *Conversation, t Target) *instrument {
	if in.pool == nil {
		return in
	}
	own := *in
	own.rubric = in.pool.Nearest(conv, t)
	own.setFrame(j.cfg)
	return &own
}

// schemaName converts a rubric's name to a valid name for a schema: at most 64 letters, digits, _
// and -.
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

// Limit returns the room that the judge has for a prompt.
func (j *Judge) Limit() Limit { return j.cfg.Prompt.Limit }

// Kind returns the server software; "" if unknown.
func (j *Judge) Kind() Kind { return j.cfg.Kind }

// By returns a judge with the same settings that uses only one of its rubrics.
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

// Call judges one call of a conversation by every rubric that asks about calls or their results,
// one after the other. A judgement that fails is a Result with an ErrorKind; an error is returned
// only if the run must end: after a fatal answer of the endpoint, or if ctx ends.
func (j *Judge) Call(ctx context.Context, conv *Conversation, callIndex int, facts Facts) ([]Result, error) {
	return j.judgeAll(ctx, conv, facts, OfCall(callIndex), Target{Scope: rubrics.ScopeResult, Call: callIndex})
}

// Turn judges one turn of a conversation, counted from 1, by every rubric of scope turn that
// applies. Results and errors are like those of Call.
func (j *Judge) Turn(ctx context.Context, conv *Conversation, turn int) ([]Result, error) {
	return j.judgeAll(ctx, conv, Facts{}, Target{Scope: rubrics.ScopeTurn, Turn: turn})
}

// Conversation judges a whole conversation by every rubric of scope conversation that applies.
// Results and errors are like those of Call.
func (j *Judge) Conversation(ctx context.Context, conv *Conversation) ([]Result, error) {
	return j.judgeAll(ctx, conv, Facts{}, Target{Scope: rubrics.ScopeConversation})
}

// Target judges one item of a conversation by every rubric that applies, without facts. Results and
// errors are like those of Call.
func (j *Judge) Target(ctx context.Context, conv *Conversation, t Target) ([]Result, error) {
	return j.judgeAll(ctx, conv, Facts{}, t)
}

// judgeAll judges targets by every rubric that applies.
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

// Request returns the first request that the judge would send for a target under one of its
// rubrics. If rubrics are asked together, it is the common request.
func (j *Judge) Request(rubric string, conv *Conversation, t Target) (Request, error) {
	i := slices.IndexFunc(j.rubrics, func(in instrument) bool { return in.rubric.Name == rubric })
	if i < 0 {
		return Request{}, fmt.Errorf("judge %s: no rubric %q", j.cfg.Name, rubric)
	}
	if err := checkTarget(conv, t); err != nil {
		return Request{}, err
	}
	rec, limit := &record{conv: conv, view: prompt.NewView(conv, j.cfg.Prompt)}, j.Limit()
	in := j.forTarget(&j.rubrics[i], conv, t)
	if g := j.group(conv, t); g.has(in) {
		in, limit = &g.instrument, g.limit(&j.cfg)
	}
	messages, _, _ := in.messages(rec.view, t, limit)
	return j.sampling(in, rec, t, messages, limit).request(messages), nil
}

// messages returns the messages of one judgement, what they show of the record, and how many
// examples they have.
func (in *instrument) messages(v *prompt.View, t Target, l Limit) ([]Message, window.Shown, int) {
	p := in.place(v, l)
	shown := v.Show(t, p.room, p.ending)
	shown.Tokens, shown.Full = shown.Tokens+p.expected, shown.Full+p.expected
	return append(in.frame.Messages[p.examples], Message{Role: "user", Content: shown.Text}), shown, p.examples
}

// place holds what the prompts about a conversation share.
type place struct {
	examples int
	ending   prompt.Ending
	// room is left for the record, after the frame and the expected calls; expected is the cost of
	// the latter.
	room, expected float64
}

// place decides how many examples the prompts about a conversation have.
func (in *instrument) place(v *prompt.View, l Limit) place {
	text := ""
	if in.rubric.SeesExpected {
		text = v.Expected()
	}
	p := place{expected: l.CostOf(text)}
	p.examples = v.Examples(in.rubric.Scope, in.frame.Costs, l.Room()-p.expected)
	p.ending, p.room = in.frame.Endings[p.examples], l.Room()-p.expected-in.frame.Costs[p.examples]
	p.ending.Before = text + p.ending.Before
	return p
}

// record is a conversation prepared for all its judgements.
type record struct {
	conv    *Conversation
	view    *prompt.View
	checked *check.Record

	mu    sync.Mutex
	joint map[jointKey]*jointAnswer
}

func newRecord(conv *Conversation, o Options) *record {
	v := prompt.NewView(conv, o)
	return &record{conv: conv, view: v, checked: check.NewRecord(v)}
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

// judge makes one judgement, from a common answer if the judge asks several rubrics together.
func (j *Judge) judge(ctx context.Context, in *instrument, rec *record, t Target, facts Facts) (Result, error) {
	if !Answers(j.cfg.Model, in.rubric.Name) {
		res := j.blank(in, rec.conv, t)
		res.ErrorKind, res.ErrorDetail = KindNoRule, "not asked: "+BaselineModel+" has no rule for this rubric"
		in.decide(&res)
		return res, nil
	}
	var shared Result
	if g := j.group(rec.conv, t); g.has(in) {
		var err error
		if shared, err = j.together(ctx, g, in, rec, t, facts); err != nil || shared.Verdict != "" {
			return shared, err
		}
	}
	res, err := j.alone(ctx, j.forTarget(in, rec.conv, t), rec, t, facts)
	res.count([]Result{shared})
	return res, err
}

// alone makes one judgement by a request of its own. If the endpoint refuses the prompt for its
// length, it is shortened to the window that the refusal names and sent again. That depends only on
// the replies to this judgement, not on the order of other replies.
func (j *Judge) alone(ctx context.Context, in *instrument, rec *record, t Target, facts Facts) (Result, error) {
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

// attempt makes one judgement within a limit. If the endpoint refuses the prompt for its length,
// narrower is the window to shorten it to.
func (j *Judge) attempt(
	ctx context.Context, in *instrument, rec *record, res *Result, facts Facts, limit Limit,
) (narrower int, _ error) {
	messages, shown, examples := in.messages(rec.view, res.Target(), limit)
	if shown.TooLong {
		p := in.place(rec.view, limit)
		if list := rec.view.Segments(res.Target(), p.room, p.ending); list != nil {
			return j.askSegments(ctx, in, rec, res, list, examples, limit)
		}
	}
	in.noteLeftOut(res, &shown, examples)
	if shown.TooLong {
		res.ErrorKind, res.ErrorDetail = KindContext, j.noRoom(in, &shown, examples, limit)
		in.decide(res)
		return 0, nil
	}
	return j.ask(ctx, in, rec, res, facts, limit, messages, &shown)
}

// ask sends the messages that show a record, reads the answers and checks them.
func (j *Judge) ask(
	ctx context.Context, in *instrument, rec *record, res *Result, facts Facts, limit Limit, messages []Message,
	shown *window.Shown,
) (narrower int, _ error) {
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
	j.finish(in, rec, res, samples, shown, facts)
	return narrower, nil
}

// finish computes the result from the samples and checks it.
func (j *Judge) finish(
	in *instrument, rec *record, res *Result, samples []*sampling, shown *window.Shown, facts Facts,
) {
	if n := rec.view.Redacted; n > 0 {
		res.raise(flagRedacted, 1, "%d matches of redact patterns were replaced in the conversation", n)
	}
	in.take(res, samples)
	if res.Verdict != NoVerdict {
		j.check(in, rec, res, *shown, facts)
	}
	res.escalateSevere()
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
