// Package instrument describes the judges of a run: their settings, how their endpoints are asked and what
// was found out about that, how much room they have, and which panels and cascades combine them.
//
// It promises that two judges have the same identity only if they measure the same way at the same place,
// that a profile holds no key, and that the user's settings override what a probe found.
package instrument

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// Judge is one judge of a run.
type Judge struct {
	// Config holds the judge's own settings; the run sets Rubrics and Prompt.
	Config   judges.Config
	Endpoint client.Endpoint
	Kind     llm.Kind
	// Baseline marks the built-in judge; Asked says that the user named it.
	Baseline, Asked bool
	// ReasoningGiven says that the user set the tokens for thinking, ConcurrencyGiven that the user
	// set the requests in flight.
	ReasoningGiven, ConcurrencyGiven bool
	// ContextTokens is the model's context size if the user gave it; 0 means the profile's.
	ContextTokens int
	// Prices holds the prices of tokens; nil if unknown.
	Prices *Prices
	// RetestOf names the judge that this one repeats.
	RetestOf string
	// Reversed says that a retest shows the rubrics' examples in reverse order. Alone says that it
	// sends one request at a time, while no other judge sends any.
	Reversed, Alone bool
	// AskAlways asks this judge about every call, even if only later tiers of a cascade name it.
	AskAlways bool
	// Pilot turns pilot requests on or off; nil lets the kind of server decide.
	Pilot *bool
	// Profile says how to ask the endpoint. Discover sets it; nil if nothing was found out.
	Profile *Profile
}

// Prices holds prices per million tokens, in any currency. If CachedInput is nil, cached tokens
// cost as much as others.
type Prices struct {
	Input       float64
	CachedInput *float64
	Output      float64
}

// Cost returns the price of tokens. cached is the part of prompt that was cached.
func (p *Prices) Cost(prompt, cached, completion int64) float64 {
	each := p.Input
	if p.CachedInput != nil {
		each = *p.CachedInput
	}
	return (float64(prompt-cached)*p.Input + float64(cached)*each + float64(completion)*p.Output) / 1e6
}

// Retests returns copies of the judges under names of their own. Each asks the same model the same
// questions with the same settings and reuses no answer, so that differences between the two are
// noise. If together is set, a judge that asks by one rubric at a time becomes one that asks by all
// rubrics of a scope together, and the other way round. Built-in judges are left out.
func Retests(list []Judge, together bool) []Judge {
	var out []Judge
	for _, j := range list {
		if together && j.Baseline {
			continue
		}
		j.RetestOf = j.Config.Name
		switch {
		case !together:
			j.Config.Name += planted.Again
		case j.Together():
			j.Config.Name += " (alone)"
			j.Config.Prompt.Layout = judges.RubricFirst
		default:
			j.Config.Name += " (together)"
			j.Config.Prompt.Layout = judges.Together
		}
		out = append(out, j)
	}
	return out
}

// ProbeRetests returns the retests for a planted log: each judge unchanged, with the rubrics' examples in reverse
// order, and twice with one request at a time. The built-in judge has no server, so it is not retested alone.
func ProbeRetests(list []Judge) []Judge {
	out := Retests(list, false)
	for _, name := range []string{planted.Reversed, planted.Alone, planted.AloneAgain} {
		for _, j := range list {
			j.RetestOf, j.Reversed = j.Config.Name, name == planted.Reversed
			if j.Alone = !j.Reversed; j.Alone && j.Baseline {
				continue
			}
			j.Config.Name += name
			out = append(out, j)
		}
	}
	return out
}

// Skips reports whether the judge skips a conversation of a planted log: a retest judges only those
// that request it. Conversations of other logs are never skipped.
func (j *Judge) Skips(c *transcript.Conversation) bool {
	if j.RetestOf == "" {
		return false
	}
	plan, ok := planted.PlanOf(c)
	wanted := plan.Retest
	switch {
	case j.Reversed:
		wanted = plan.Reversed
	case j.Alone:
		wanted = plan.Alone
	}
	return ok && !wanted
}

// Together reports whether the judge asks by all rubrics of a scope in one request.
func (j *Judge) Together() bool { return j.Config.Prompt.Layout == judges.Together }

// Name returns the judge's name in results.
func (j *Judge) Name() string { return cmp.Or(j.Config.Name, j.Config.Model) }

// Host names the judge's server if it holds only one model at a time; "" for others.
func (j *Judge) Host() string {
	if j.Kind == llm.KindOllama || j.Kind == llm.KindLMStudio {
		return j.Endpoint.BaseURL
	}
	return ""
}

// Limit returns how much room the judge's model has: as the user set it, else by the profile.
func (j *Judge) Limit() judges.Limit {
	if p := j.Profile; p != nil {
		return judges.Limit{Tokens: cmp.Or(j.ContextTokens, p.ContextTokens), BytesPerToken: p.BytesPerToken}
	}
	return judges.Limit{Tokens: j.ContextTokens}
}

// Requests returns how many requests one judgement takes.
func (j *Judge) Requests() int {
	if j.Config.Method != judges.SelfConsistency {
		return 1
	}
	return cmp.Or(j.Config.Samples, judges.DefaultSamples)
}

// PromptOptions returns the options that a run's identity adds to its prompts. With them the
// prompts can be rendered again byte for byte.
func PromptOptions(runID string) judges.Options {
	return judges.Options{
		RunKey: derive(runID, "nonce"),
		Canary: "quartz-" + hex.EncodeToString(derive(runID, "canary")[:4]),
	}
}

// derive computes a secret from the run's identity and a purpose. The same run always has the same
// secret, on any machine.
func derive(identity, purpose string) []byte {
	sum := sha256.Sum256([]byte("judge/" + purpose + "/" + identity))
	return sum[:]
}

// key collects what distinguishes one thing from another, see [value.Of].
type key []value.Value

func (k *key) add(parts ...any) {
	for _, part := range parts {
		*k = append(*k, value.Of(part))
	}
}

func (k *key) text() string { return value.OfList(*k...).Canonical() }

// Identity returns what distinguishes this judge from all others: its instrument, its server, and
// how it is asked.
func (j *Judge) Identity() string {
	c := &j.Config
	base := j.Endpoint.BaseURL
	if j.Baseline {
		base = ""
	}
	var k key
	k.add(c.Name, c.Model, base, string(c.Transport), c.CorrectionAsText, c.Strict, string(j.Kind), j.words(),
		c.Seed, c.MaxTokens, c.Reasoning, c.ReasoningTokens)
	for _, f := range c.Extra {
		k.add(f.Name, string(f.Value))
	}
	return k.text()
}

// Settings returns, besides the model, what affects how an endpoint accepts the judge's requests.
// It contains no value from the environment.
func (j *Judge) Settings() string {
	c := &j.Config
	var k key
	k.add(c.Temperature, c.Seed, c.MaxTokens, c.Reasoning, c.ReasoningTokens, string(c.Method),
		c.Prompt.ExamplesInSystem)
	if l := c.Prompt.Layout; l != "" && l != judges.RubricFirst {
		k.add("layout " + string(l))
	}
	for _, f := range c.Extra {
		k.add(f.Name, string(f.Value))
	}
	for _, p := range slices.Concat(j.Endpoint.Headers, j.Endpoint.Query) {
		shown := ""
		if p.Plain {
			shown = p.Value.Reveal()
		}
		k.add(p.Name, shown)
	}
	return k.text()
}

// words describes, besides the model, everything that affects what the judge measures: the version of the
// prompt and all settings that differ from the defaults. Two judges with the same words measure the same way.
// The transport, the token limits, the server and the seed do not affect the measurement and are left out.
func (j *Judge) words() string {
	c, o := &j.Config, &j.Config.Prompt
	redacted := o.Redact.Patterns()
	temperature, usual := 0.0, 0.0
	if c.Method == judges.SelfConsistency {
		usual = judges.SampleTemperature
		temperature = usual
	}
	if c.Temperature != nil {
		temperature = *c.Temperature
	}
	parts := holding([]remark{
		{true, o.Version()},
		{o.ExamplesInSystem, "examples in the system message"},
		{len(redacted) > 0, fmt.Sprintf("redacted by %q", redacted)},
		{j.Reversed, "examples in reverse order"},
		{o.MaxExamples < 0, "no examples"},
		{o.MaxExamples > 0, fmt.Sprintf("up to %d examples", o.MaxExamples)},
		{o.MaxRecordBytes < 0, "records in full"},
		{o.MaxRecordBytes > 0 && o.MaxRecordBytes != judges.DefaultMaxRecordBytes,
			fmt.Sprintf("records of up to %d bytes", o.MaxRecordBytes)},
		{o.KeepLast > 0 && o.KeepLast != judges.DefaultKeepLast, fmt.Sprintf("last %d lines kept", o.KeepLast)},
		{c.Method == judges.SelfConsistency, fmt.Sprintf("%s of %d", c.Method, j.Requests())},
		{c.Method == judges.TokenWeighted, string(c.Method)},
		{temperature != usual, fmt.Sprintf("temperature %g", temperature)},
	})
	for _, name := range slices.Sorted(maps.Keys(c.Modes)) {
		if mode := c.Modes[name]; mode != "" && mode != "interval" {
			parts = append(parts, fmt.Sprintf("%s for %s", mode, name))
		}
	}
	if c.CoerceNumbers {
		parts = append(parts, "numbers as text taken")
	}
	var extra []string
	for _, f := range c.Extra {
		switch {
		case !f.LeavesOut():
			extra = append(extra, f.Name+"="+string(f.Value))
		case f.Name != "seed" && f.Name != "max_tokens":
			extra = append(extra, f.Name+" left out")
		}
	}
	slices.Sort(extra)
	return strings.Join(append(parts, extra...), ", ")
}

// remark is a text with the condition under which it applies.
type remark struct {
	holds bool
	text  string
}

// holding returns the texts whose condition is true.
func holding(list []remark) (out []string) {
	for _, r := range list {
		if r.holds {
			out = append(out, r.text)
		}
	}
	return out
}
