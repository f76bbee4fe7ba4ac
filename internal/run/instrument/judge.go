// Package instrument owns the judges of a run as instruments: how each is set, how its
// endpoint is asked and what was found out about that, what it has room for, and what
// panels and cascades make of several.
//
// It promises that two judges have one identity only if they measure alike at the same
// place, that a profile holds no key, and that what a user gave precedes what a
// probe found.
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
	// Config is the judge's own; Rubrics and Prompt are set by the run.
	Config   judges.Config
	Endpoint client.Endpoint
	Kind     llm.Kind
	// Baseline says that this is the built-in one, Asked that the user named it.
	Baseline, Asked bool
	// ReasoningGiven says that the user decided about the tokens for thinking,
	// ConcurrencyGiven that about the requests in flight.
	ReasoningGiven, ConcurrencyGiven bool
	// ContextTokens is the model's context as the user gave it; 0 leaves it to the
	// profile.
	ContextTokens int
	// Prices says what tokens cost; nil if that is not known.
	Prices *Prices
	// RetestOf names the judge that this one repeats.
	RetestOf string
	// Reversed says that a retest has the examples of the rubrics in reverse order, Alone that it is asked
	// one request at a time, while nothing else is asked.
	Reversed, Alone bool
	// AskAlways asks this judge about every call, although only a cascade's later
	// tiers name it.
	AskAlways bool
	// Pilot decides about pilot requests; nil leaves it to the kind of server.
	Pilot *bool
	// Profile says how the endpoint is asked, set by Discover; nil if nothing was
	// found out.
	Profile *Profile
}

// Prices says what a million tokens cost, in any currency. CachedInput is nil where tokens
// that a cache has cost as much as others.
type Prices struct {
	Input       float64
	CachedInput *float64
	Output      float64
}

// Cost returns the price of tokens. cached is the part of prompt that a cache has.
func (p *Prices) Cost(prompt, cached, completion int64) float64 {
	each := p.Input
	if p.CachedInput != nil {
		each = *p.CachedInput
	}
	return (float64(prompt-cached)*p.Input + float64(cached)*each + float64(completion)*p.Output) / 1e6
}

// Retests returns the judges again, each under a name of its own: the same model is
// asked the same with the same settings, and no answer is taken from the first time.
// What changes between the two is noise. If together, a judge that is asked by one rubric at a time
// is asked by all of a scope in one request, and the other way round; built-in judges are left out.
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

// ProbeRetests returns the judges again as a planted log wants them: as they are, with the examples of the
// rubrics in reverse order, and twice one request at a time; the built-in judge has no server to be alone at.
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

// Skips reports whether the judge is not asked about a conversation of a planted log: a retest is
// asked about those that want one. It is asked about all other logs.
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

// Together reports whether the judge is asked by all rubrics of a scope in one request.
func (j *Judge) Together() bool { return j.Config.Prompt.Layout == judges.Together }

// Name returns the judge's name in results.
func (j *Judge) Name() string { return cmp.Or(j.Config.Name, j.Config.Model) }

// Host names the judge's server if that holds one model at a time, "" for others.
func (j *Judge) Host() string {
	if j.Kind == llm.KindOllama || j.Kind == llm.KindLMStudio {
		return j.Endpoint.BaseURL
	}
	return ""
}

// Limit returns what the judge's model has room for: as the user gave it, else by the
// profile.
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

// PromptOptions returns what of a run's identity shapes its prompts, so that they
// can be rendered again byte for byte.
func PromptOptions(runID string) judges.Options {
	return judges.Options{
		RunKey: derive(runID, "nonce"),
		Canary: "quartz-" + hex.EncodeToString(derive(runID, "canary")[:4]),
	}
}

// derive returns a secret that follows from the run's identity and a purpose: the
// same run has the same one whenever and wherever it is run.
func derive(identity, purpose string) []byte {
	sum := sha256.Sum256([]byte("judge/" + purpose + "/" + identity))
	return sum[:]
}

// key collects what makes one thing another, see [value.Of].
type key []value.Value

func (k *key) add(parts ...any) {
	for _, part := range parts {
		*k = append(*k, value.Of(part))
	}
}

func (k *key) text() string { return value.OfList(*k...).Canonical() }

// Identity returns what distinguishes this judge from every other one: what it measures with,
// where, and how it is asked.
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

// Settings names what of the judge decides how an endpoint takes its requests, beside
// the model. It holds no value from the environment.
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

// words names, beside the model, everything that makes the judge the instrument it
// is: the version of the prompt and whatever is set otherwise than by default. Two
// judges with the same words measure alike. How the answer is transported, how many
// tokens it may take and where the server is change no measurement and are left
// out, and so is the seed.
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

// remark is a text with the condition under which it holds.
type remark struct {
	holds bool
	text  string
}

// holding returns the texts that hold.
func holding(list []remark) (out []string) {
	for _, r := range list {
		if r.holds {
			out = append(out, r.text)
		}
	}
	return out
}
