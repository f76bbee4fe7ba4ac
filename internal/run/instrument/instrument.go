// Package instrument owns the judges of a run as instruments: how each is set, how its
// endpoint is asked and what was found out about that, what it has room for, and what
// panels and cascades make of several.
//
// It promises that two judges have one identity only if they measure alike at the same
// place, that a profile holds no key, and that what a user said stands before what a
// probe found.
package instrument

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
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
	// RetestOf names the judge whose second hearing this is.
	RetestOf string
	// AskAlways asks this judge about every call, although only a cascade's later
	// tiers name it.
	AskAlways bool
	// Profile is how the endpoint is asked, set by Prepare; nil where nothing was
	// found out.
	Profile *Profile
}

// Host names the judge's server where that holds one model at a time, "" for others.
func (j *Judge) Host() string {
	if j.Kind == llm.KindOllama || j.Kind == llm.KindLMStudio {
		return j.Endpoint.BaseURL
	}
	return ""
}

// Identity is what makes this judge another instrument than its neighbour.
func (j *Judge) Identity() string {
	c := &j.Config
	temperature := value.Value{}
	if c.Temperature != nil {
		temperature = value.OfFloat(*c.Temperature)
	}
	base := j.Endpoint.BaseURL
	if j.Baseline {
		base = ""
	}
	members := []value.Value{
		value.OfString(c.Name), value.OfString(c.Model), value.OfString(base),
		value.OfString(string(c.Transport)), value.OfBool(c.CorrectionAsText), value.OfString(string(j.Kind)),
		temperature, value.OfInt(c.Seed), value.OfInt(int64(c.MaxTokens)), value.OfBool(c.Reasoning), value.OfInt(int64(c.ReasoningTokens)),
		value.OfString(string(c.Method)), value.OfInt(int64(c.Samples)), value.OfBool(c.Prompt.ExamplesInSystem), value.OfInt(int64(c.Prompt.MaxRecordBytes)),
	}
	for _, name := range slices.Sorted(maps.Keys(c.Modes)) {
		members = append(members, value.OfString("mode "+name), value.OfString(string(c.Modes[name])))
	}
	if c.Prompt.MaxExamples != 0 {
		members = append(members, value.OfString("examples"), value.OfInt(int64(c.Prompt.MaxExamples)))
	}
	if c.Prompt.Marker != "" {
		members = append(members, value.OfString("datamarking "+c.Prompt.Marker))
	}
	for _, pattern := range c.Prompt.Redact.Patterns() {
		members = append(members, value.OfString("redact "+pattern))
	}
	if c.CoerceNumbers {
		members = append(members, value.OfString("coerce_numbers"))
	}
	if c.Strict {
		members = append(members, value.OfString("strict"))
	}
	for _, f := range c.Extra {
		members = append(members, value.OfString(f.Name), value.OfString(string(f.Value)))
	}
	return value.OfList(members...).Canonical()
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
