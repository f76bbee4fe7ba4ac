package judges

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/prompt"
	"github.com/judgekit/judge/judges/internal/reply"
	"github.com/judgekit/judge/rubrics"
)

// The defaults of Config.
const (
	DefaultReasoningTokens = 4096
	DefaultSamples         = 5
	DefaultRepairs         = 2
	// SampleTemperature is the temperature for self-consistency. All other methods use 0.
	SampleTemperature = 0.8
)

// Config describes a judge: a model with its rubrics and settings. Only Model is required.
type Config struct {
	// Model is the model's name at the endpoint, Name the judge's name in results; "" means Model.
	Model, Name string
	// Rubrics are the rubrics to judge by, in order; nil means the built-in four.
	Rubrics []*rubrics.Rubric
	// Prompt shapes the prompts.
	Prompt Options
	// Transport is the way to ask for structured output; "" means json_schema. A probe should
	// choose it before a run.
	Transport Transport
	// CorrectionAsText asks for the correction as a string, for endpoints that refuse
	// open objects; Strict asks hosted services to enforce the schema.
	CorrectionAsText, Strict bool
	// Temperature: nil means 0 (0.8 for self-consistency). Seed: 0 means 7.
	Temperature *float64
	Seed        int64
	// MaxTokens limits an answer; 0 means 1024. Reasoning says that the model thinks first, which
	// adds ReasoningTokens (0 means 4096).
	MaxTokens       int
	Reasoning       bool
	ReasoningTokens int
	// MaxRepairs limits the repair requests per sample; 0 means 2, a negative number none.
	MaxRepairs int
	// Method says how the score is computed; "" means Parsed. Samples is the number of samples for
	// self-consistency; 0 means 5.
	Method  Method
	Samples int
	// Modes sets, by the name of a rubric, how a score becomes a verdict: "bands" or "interval".
	// Rubrics without an entry use "interval".
	Modes map[string]VerdictMode
	// CoerceNumbers accepts numeric strings as numbers and flags them.
	CoerceNumbers bool
	// Concurrency limits the requests in flight; 0 means 8.
	Concurrency int
	// Extra holds server-specific request members; null removes a member that would be sent.
	// LimitName is the member that limits the answer, if it is not the usual one for the kind of
	// server.
	Extra     []Field
	LimitName string
	// Pilot makes the requests that share a prefix wait for the answer to the first of them. It
	// helps with servers that can share a prefix only after computing it.
	Pilot bool
	// Answers says that the endpoint has already answered a rubric's prompt, as a probe finds out.
	// Then the first judgements do not hold back the others.
	Answers bool
	// Host names a server that holds only one model at a time; "" means that the server holds all
	// its models. The models of one host are used one after the other.
	Host string
	// Alone sends one request at a time, and only while no other judge of the run has a request in
	// flight.
	Alone bool
	// Kind is the server software. Advice depends on it.
	Kind Kind
	// Log is called with one-line messages for the user during a run; nil drops them. It may be
	// called concurrently.
	Log func(line string)
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
	if err := cfg.checkTogether(); err != nil {
		return err
	}
	if l := cfg.Prompt.Layout; l != "" && l != prompt.Together && !slices.Contains(prompt.Layouts(), l) {
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

// checkTogether returns an error if the rubrics cannot be asked together.
func (cfg Config) checkTogether() error {
	switch {
	case cfg.Prompt.Layout != prompt.Together:
		return nil
	case cfg.Method != Parsed:
		return fmt.Errorf("together takes the written answers of one request; set score_method: parsed, not %s", cfg.Method)
	case cfg.Model == BaselineModel:
		return errors.New("together is for language models; leave it off for the rule-based baseline")
	}
	return nil
}

// askable returns an error if the judge cannot use the rubric.
func (cfg Config) askable(r *rubrics.Rubric) error {
	switch o := r.Output; {
	case r.Retrieve > 0 && cfg.Prompt.Layout == prompt.Together:
		return errors.New("together shows no examples, and retrieve chooses them for each call; leave one of them out")
	case r.Retrieve > 0 && cfg.Prompt.Layout == prompt.NamedRubrics:
		return fmt.Errorf("layout %s shows the examples of all rubrics in one prompt, and retrieve chooses them "+
			"for each call; choose another layout", prompt.NamedRubrics)
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

// within returns the judge's limit for a window of this many tokens, 0 if unknown.
func (cfg *Config) within(tokens int) Limit {
	l := cfg.Prompt.Limit
	l.Tokens = tokens
	return l.Answering(cfg.MaxTokens)
}

func setDefault[T comparable](field *T, def T) {
	var zero T
	if *field == zero {
		*field = def
	}
}
