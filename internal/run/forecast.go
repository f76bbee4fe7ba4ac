package run

import (
	"context"
	"math"
	"path/filepath"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/llm/prefixcache"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
)

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
