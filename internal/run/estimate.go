package run

import (
	"context"
	"math"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/llm/prefixcache"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

// Estimate is what a run would ask for.
type Estimate struct {
	Conversations int `json:"conversations"`
	Calls         int `json:"calls"`
	// Judgements is calls × rubrics × judges, without those that only a cascade asks
	// for.
	Judgements int `json:"judgements"`
	// Requests is how many requests they take when no answer has to be repaired and
	// none is the same as another; Escalated how many more there are at most, when
	// every cascade is climbed to its end.
	Requests  int `json:"requests"`
	Escalated int `json:"requests_if_all_escalate,omitempty"`
	// PromptBytes is the text of all prompts; a token is three to four bytes of
	// English. It is 0 where it was not asked for.
	PromptBytes  int64 `json:"prompt_bytes"`
	PromptTokens int64 `json:"prompt_tokens_estimate"`
	// LargestPrompt is in bytes, LargestTokens an estimate, LargestPlace its item.
	LargestPrompt int    `json:"largest_prompt_bytes"`
	LargestTokens int    `json:"largest_prompt_tokens_estimate"`
	LargestPlace  string `json:"largest_prompt_at,omitempty"`
	Unreadable    int    `json:"unreadable"`
	// Forecasts say for each judge what its requests may take.
	Forecasts []Forecast `json:"forecasts,omitempty"`
	// Windows say for each judge whose context is known what will not fit it.
	Windows []instrument.WindowCheck `json:"windows,omitempty"`
}

// Count reads the logs and counts what would be asked, without prompts.
func Count(ctx context.Context, plan *Plan) (Estimate, error) {
	s, err := plan.source(ctx, nil, nil)
	if err != nil {
		return Estimate{}, err
	}
	return plan.count(ctx, s)
}

func (p *Plan) count(ctx context.Context, s *input.Source) (e Estimate, err error) {
	asked, err := p.Team().Asked(p.Rubrics)
	if err != nil {
		return e, err
	}
	reading := &input.Reading{}
	for c, err := range s.Conversations(ctx, reading) {
		if err != nil {
			return e, err
		}
		calls := judges.AllCalls(c)
		e.Calls += len(calls)
		for i, always := range asked {
			n := len(calls) * len(p.Rubrics)
			if !always {
				e.Escalated += n * p.Judges[i].Requests()
				continue
			}
			e.Judgements += n
			e.Requests += n * p.Judges[i].Requests()
		}
	}
	e.Conversations, e.Unreadable = reading.Conversations, reading.Unreadable
	return e, nil
}

// Measure is Count that also renders every prompt, of judges that only cascades ask too,
// says what will not fit, and forecasts tokens, time and money. dir is the run directory
// that is taken up again, "" for none.
func Measure(ctx context.Context, plan *Plan, dir string) (Estimate, error) {
	s, err := plan.source(ctx, nil, nil)
	if err != nil {
		return Estimate{}, err
	}
	e, err := plan.count(ctx, s)
	if err != nil {
		return e, err
	}
	checks, err := plan.renderAll(ctx, s)
	for i := range checks {
		size := checks[i].Size
		e.PromptBytes += size.Bytes
		e.PromptTokens += size.Tokens
		if size.Largest > e.LargestPrompt {
			e.LargestPrompt, e.LargestTokens, e.LargestPlace = size.Largest, size.LargestTokens, size.Place
		}
		if checks[i].ContextTokens > 0 {
			e.Windows = append(e.Windows, checks[i])
		}
	}
	if err == nil {
		e.Forecasts, err = plan.forecasts(ctx, s, dir)
	}
	return e, err
}

// renderAll looks at the prompts of all judges of the plan, without their endpoints.
func (p *Plan) renderAll(ctx context.Context, s *input.Source) ([]instrument.WindowCheck, error) {
	list := make([]*judges.Judge, len(p.Judges))
	for i := range p.Judges {
		var err error
		if list[i], err = judges.New(instrument.Silent{}, p.config(i, "estimate")); err != nil {
			return nil, &PlanError{err}
		}
	}
	return instrument.ScanWindows(ctx, s.Conversations(ctx, &input.Reading{}), list)
}

// preflight says before any judgement what of the prompts has no room, and keeps it in
// run.json.
func (e *execution) preflight(ctx context.Context, list []*judges.Judge) error {
	if input.Large(e.plan.Logs) {
		return nil // it would hold up the first request; each judgement is shortened all the same
	}
	limited := slices.DeleteFunc(slices.Clone(list), func(j *judges.Judge) bool { return j.Limit().Tokens == 0 })
	if len(limited) == 0 {
		return nil
	}
	checks, err := instrument.ScanWindows(ctx, e.source.Again().Conversations(ctx, &input.Reading{}), limited)
	if err != nil {
		return err
	}
	for i := range checks {
		for _, line := range checks[i].Lines() {
			e.obs.note("%s", line)
		}
	}
	e.out.Manifest.Windows = checks
	return e.save()
}

// measuredConversations are those of large logs whose prompts say how long prompts get.
const measuredConversations = 1000

// measure finds out the windows that matter and that no server reports, before any
// judgement, by prompts as long as the longest that is planned.
func (e *execution) measure(ctx context.Context) error {
	p := e.plan
	if !slices.ContainsFunc(p.Judges, func(j instrument.Judge) bool { return j.Unmeasured(math.MaxInt) }) {
		return nil
	}
	all := e.source.Whole()
	if input.Large(p.Logs) && all.Limit == 0 {
		all.Limit = measuredConversations
	}
	checks, err := p.renderAll(ctx, all)
	if err != nil {
		return err
	}
	for i := range checks {
		j, need := &p.Judges[i], checks[i].LargestTokens+checks[i].AnswerTokens
		if !j.Unmeasured(need) {
			continue
		}
		switch err := j.Measure(ctx, need); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			e.obs.note("judge %s: how long prompts may be was not found out: %v", j.Name(), err)
		case j.Profile.ContextTokens > 0:
			e.obs.note("judge %s: a prompt as long as the longest was cut or refused; the endpoint has a "+
				"context of %d tokens",
				j.Name(), j.Profile.ContextTokens)
		}
	}
	e.out.Manifest.Profiles = p.profiles()
	return e.save()
}

// What is assumed of answers where no earlier run tells.
const (
	assumedSeconds = 2.0
	assumedTokens  = 150
)

// forecastBlocks is the cache of a forecast: enough for what is under way at once.
const forecastBlocks = 1 << 18

// mostMeasured is from how many answers of an earlier run the forecast is made.
const mostMeasured = 2000

// Forecast is what the requests of one judge may take.
type Forecast struct {
	Judge    string `json:"judge"`
	Requests int    `json:"requests"`
	// PromptTokens are those of all prompts, ComputedTokens what of them a server computes
	// that caches prefixes; both are estimates.
	PromptTokens   int64 `json:"prompt_tokens_estimate"`
	ComputedTokens int64 `json:"prompt_tokens_after_prefix_caching_estimate"`
	AnswerTokens   int64 `json:"answer_tokens_estimate"`
	// RequestSeconds and the tokens of an answer are means over Measured answers of an
	// earlier run; of none they are assumed.
	RequestSeconds float64 `json:"request_seconds"`
	Measured       int     `json:"measured_answers"`
	// Seconds is the time with all requests in flight that are allowed, or with the limits
	// of rate; Cost is in the currency of the prices, nil without them.
	Seconds float64  `json:"seconds_estimate"`
	Cost    *float64 `json:"cost_estimate,omitempty"`
}

// forecasts says of each judge that is always asked what its requests may take.
func (p *Plan) forecasts(ctx context.Context, s *input.Source, dir string) ([]Forecast, error) {
	asked, err := p.Team().Asked(p.Rubrics)
	if err != nil {
		return nil, err
	}
	var out []Forecast
	for i := range p.Judges {
		if !asked[i] {
			continue
		}
		f, err := p.forecast(ctx, s, i)
		if err != nil {
			return nil, err
		}
		seconds, tokens, n := p.measured(dir, i)
		f.RequestSeconds, f.Measured = seconds, n
		f.AnswerTokens = int64(math.Round(tokens * float64(f.Requests)))
		p.finishForecast(&f, i)
		out = append(out, f)
	}
	return out, nil
}

// forecast renders the prompts of a judge in the order in which they are sent, and holds
// them against a prefix cache.
func (p *Plan) forecast(ctx context.Context, s *input.Source, i int) (f Forecast, err error) {
	judge, err := judges.New(instrument.Silent{}, p.config(i, "estimate"))
	if err != nil {
		return f, &PlanError{err}
	}
	f.Judge = judge.Name()
	cache, tokens := prefixcache.New(forecastBlocks), 0.0
	var parts []string
	for c, err := range s.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return f, err
		}
		judge.Prompts(c, judges.AllCalls(c), func(messages []judges.Message) bool {
			parts = parts[:0]
			for i := range messages {
				parts = append(parts, messages[i].Role, messages[i].Content)
			}
			cache.End(cache.Begin(parts...))
			tokens += float64(judge.Limit().Estimate(messages))
			f.Requests++
			return ctx.Err() == nil
		})
		if ctx.Err() != nil {
			return f, context.Cause(ctx)
		}
	}
	f.PromptTokens = int64(tokens)
	if cache.Asked > 0 {
		f.ComputedTokens = int64(tokens * float64(cache.Computed) / float64(cache.Asked))
	}
	// Further samples of one prompt compute nothing of it.
	samples := p.Judges[i].Requests()
	f.Requests, f.PromptTokens = f.Requests*samples, f.PromptTokens*int64(samples)
	return f, nil
}

// measured is how long an answer of judge i took and how many tokens it had, on average in
// the journals of the run and of those that are reused; assumed where there are none.
func (p *Plan) measured(dir string, i int) (seconds, tokens float64, n int) {
	for _, dir := range append([]string{dir}, p.Reuse...) {
		j, err := journal.Read(filepath.Join(dir, directory.ExchangesFile))
		if err != nil {
			continue // there is none
		}
		for e, err := range j.Entries() {
			if n == mostMeasured {
				break
			}
			if err != nil || !e.Good || e.Model != p.Judges[i].Config.Model || e.Usage.Completion == nil {
				continue
			}
			n++
			seconds += e.LatencyMS / 1000
			tokens += float64(*e.Usage.Completion)
		}
		_ = j.Close()
	}
	if n == 0 {
		return assumedSeconds, assumedTokens, 0
	}
	return seconds / float64(n), tokens / float64(n), n
}

// finishForecast adds time and money.
func (p *Plan) finishForecast(f *Forecast, i int) {
	spec := &p.Judges[i]
	f.Seconds = float64(f.Requests) * f.RequestSeconds / float64(max(1, spec.Endpoint.Concurrency))
	if rate := spec.Endpoint.RequestsPerMinute; rate > 0 {
		f.Seconds = max(f.Seconds, 60*float64(f.Requests)/rate)
	}
	if rate := spec.Endpoint.TokensPerMinute; rate > 0 {
		f.Seconds = max(f.Seconds, 60*float64(f.PromptTokens+f.AnswerTokens)/rate)
	}
	if prices := spec.Prices; prices != nil {
		cached := prices.Input
		if prices.CachedInput != nil {
			cached = *prices.CachedInput
		}
		cost := float64(f.ComputedTokens)*prices.Input + float64(f.PromptTokens-f.ComputedTokens)*cached +
			float64(f.AnswerTokens)*prices.Output
		f.Cost = new(cost / 1e6)
	}
}
