// Package config defines judge.yaml: its keys, and which of them belong together.
//
// It promises that a configuration written by Value is read back unchanged. It opens no files and
// reads no environment variables.
package config

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// Config is a judge.yaml as written; the zero value is an empty file. Defaults are
// the caller's: a zero field was not given.
//
// The tags of Config and its parts define the form of the file: package settings reads it and
// encoding/json writes it by these tags, and Schema is derived from them, with the descriptions in
// keys.txt.
type Config struct {
	Logs        []string `json:"logs,omitempty"`
	InputFormat string   `json:"input_format,omitempty"`
	// Map is parsed by transcript.ParseMapping.
	Map      map[string]string `json:"map,omitempty"`
	Tools    string            `json:"tools,omitempty"`
	Rubrics  []string          `json:"rubrics,omitempty"`
	Judges   []Judge           `json:"judges,omitempty"`
	Panels   []Panel           `json:"panels,omitempty"`
	Cascades []Cascade         `json:"cascades,omitempty"`
	Scorers  []Scorer          `json:"scorers,omitempty"`
	// Graders are added to Scorers when the file is read.
	Graders []Scorer `json:"graders,omitempty"`
	// Environment is the block as written, or null; environment.ParseConfig
	// reads it.
	Environment value.Value    `json:"environment,omitzero"`
	Gates       []measure.Gate `json:"gates,omitempty"`
	Thresholds  Thresholds     `json:"thresholds,omitempty"`
	// CoverageFloor is nil for the default.
	CoverageFloor    *float64          `json:"coverage_floor,omitempty" jsonschema:"minimum=0,maximum=1"`
	Limit            int               `json:"limit,omitempty" jsonschema:"minimum=0"`
	Sample           int               `json:"sample,omitempty" jsonschema:"minimum=0"`
	Seed             *int64            `json:"seed,omitempty"`
	Retest           Retest            `json:"retest,omitempty"`
	Probe            bool              `json:"probe,omitempty"`
	Gold             string            `json:"gold,omitempty"`
	Labels           map[string]string `json:"labels,omitempty" jsonschema:"enum=random"`
	IncludeTextCalls bool              `json:"include_text_calls,omitempty"`
	Redact           []string          `json:"redact,omitempty"`
	// RedactLocal redacts even for endpoints on this machine.
	RedactLocal bool `json:"redact_local,omitempty"`
}

// Judge is one model at one endpoint. In a file, a judge may be just the name of its model.
type Judge struct {
	Name        string   `json:"name,omitempty"`
	Model       string   `json:"model"`
	BaseURL     string   `json:"base_url,omitempty"`
	Replicas    []string `json:"replicas,omitempty"`
	APIKeyEnv   string   `json:"api_key_env,omitempty"`
	Concurrency int      `json:"concurrency,omitempty" jsonschema:"minimum=1"`
	Timeout     Duration `json:"timeout,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty" jsonschema:"minimum=1"`
	// ContextTokens is 0 if the server's own value applies.
	ContextTokens int `json:"context_tokens,omitempty" jsonschema:"minimum=256"`
	// Reasoning is nil for the default.
	Reasoning   *int     `json:"reasoning_tokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty" jsonschema:"minimum=0,maximum=2"`
	Seed        *int64   `json:"seed,omitempty"`

	Transport llm.Transport `json:"transport,omitempty" jsonschema:"enum=json_schema,enum=tools,enum=json_object,enum=prompt_only"`

	MaxRecordChars    int `json:"max_record_chars,omitempty" jsonschema:"minimum=1000"`
	MaxAttempts       int `json:"max_attempts,omitempty" jsonschema:"minimum=1"`
	RequestsPerMinute int `json:"requests_per_minute,omitempty" jsonschema:"minimum=1"`
	TokensPerMinute   int `json:"tokens_per_minute,omitempty" jsonschema:"minimum=1"`
	// Pilot is nil for the default.
	Pilot  *bool   `json:"pilot,omitempty"`
	Prices *Prices `json:"prices,omitempty"`
	// Examples is messages (default), prompt, none or a number.
	Examples string `json:"examples,omitempty" form:"own"`

	Layout judges.Layout `json:"layout,omitempty" jsonschema:"enum=rubric-first,enum=named-rubrics,enum=conversation-first"`
	// Together asks all rubrics of a scope in one request.
	Together bool `json:"together,omitempty"`
	// Datamarking is the sign; in the file, true means the default sign.
	Datamarking string `json:"datamarking,omitempty" form:"own"`

	ScoreMethod judges.Method `json:"score_method,omitempty" jsonschema:"enum=parsed,enum=token_weighted,enum=self_consistency"`

	Samples      int                           `json:"samples,omitempty" jsonschema:"minimum=2"`
	VerdictModes map[string]judges.VerdictMode `json:"verdict_mode,omitempty" jsonschema:"enum=interval,enum=bands"`
	// CoerceNumbers accepts numbers that a judge writes as text.
	CoerceNumbers bool `json:"coerce_numbers,omitempty"`
	// AskAlways asks this judge about every call, even if only later tiers of a cascade name it.
	AskAlways bool `json:"ask_always,omitempty"`
	// Extra also holds top_p, and sampling settings that are null.
	Extra value.Value `json:"extra,omitzero" form:"own"`
	// TopP becomes part of Extra when the file is read.
	TopP *float64 `json:"top_p,omitempty" jsonschema:"minimum=0,maximum=1"`
	// In a value, ${NAME} means an environment variable; so does a value that is a name in
	// capitals.
	Headers Params `json:"headers,omitempty"`
	Query   Params `json:"query,omitempty"`
	// APIKey is always refused.
	APIKey refused `json:"api_key,omitzero" form:"refused" jsonschema:"-"`
}

// Prices holds prices per million tokens, in any currency.
type Prices struct {
	Input       float64  `json:"input" jsonschema:"minimum=0"`
	CachedInput *float64 `json:"cached_input,omitempty" jsonschema:"minimum=0"`
	Output      float64  `json:"output" jsonschema:"minimum=0"`
}

// Panel joins the scores of several judges.
type Panel struct {
	Name    string   `json:"name"`
	Members []string `json:"members"`
	// Aggregate is median by default.
	Aggregate judges.PanelRule `json:"aggregate,omitempty" jsonschema:"enum=median,enum=mean,enum=majority,enum=any_negative,enum=weighted"`
	// Quorum is 0 for half of the members, rounded up.
	Quorum  int     `json:"quorum,omitempty" jsonschema:"minimum=1"`
	Weights Weights `json:"weights,omitzero"`
}

// Weights holds the measured reliabilities of a panel's members: balanced accuracies in 0..1 by
// judge, or the calibration file with them.
type Weights struct {
	ByJudge map[string]float64
	File    string
}

// Cascade asks one tier after the other.
type Cascade struct {
	Name  string   `json:"name"`
	Tiers []string `json:"tiers"`
	// EscalateOn is nil for all reasons.
	EscalateOn []judges.Reason `json:"escalate_on,omitempty"`
	Queue      string          `json:"queue,omitempty" jsonschema:"pattern=^[^./][^/]*\\.jsonl$"`
}

// QueueFile returns the name of the cascade's queue in the run directory.
func (c *Cascade) QueueFile() string { return cmp.Or(c.Queue, "queue.jsonl") }

// Scorer is one deterministic scorer. In a file, a scorer may be just its type, and its settings
// may be beside type.
type Scorer struct {
	Type        string      `json:"type"`
	Key         string      `json:"key,omitempty"`
	DisplayName string      `json:"display_name,omitempty"`
	Purpose     string      `json:"purpose,omitempty" jsonschema:"enum=score,enum=qa"`
	Metrics     value.Value `json:"metrics,omitzero"`
	Label       string      `json:"label,omitempty"`
	// Config is the scorer's own block, an object.
	Config value.Value `json:"config,omitzero" form:"own"`
}

// Duration is a time; in a file it is a number of seconds or a text such as 90s.
type Duration time.Duration

// Read reads a judge.yaml. The name is used only in messages. The error has type settings.Problems
// and lists every mistake.
func Read(name string, data []byte) (*Config, error) {
	c := &Config{}
	if err := settings.Read(name, data, c); err != nil {
		return nil, err
	}
	return c, nil
}

// Check finds the same mistakes as Read after a configuration was changed, for instance by flags.
// It does not check panels and cascades, because flags may name other judges. The error has type
// settings.Problems, without places.
func (c *Config) Check() error {
	own := *c
	own.Panels, own.Cascades = nil, nil
	return settings.Decode(own.Value(), &Config{})
}

// Value returns the configuration in the form of the file, which Read would read back. Fields that
// were not given are left out.
func (c *Config) Value() value.Value {
	data, err := json.Marshal(c)
	if err != nil {
		panic("a configuration cannot be written: " + err.Error()) // it was read as JSON or YAML
	}
	v, err := value.Parse(data)
	if err != nil {
		panic("a configuration cannot be read back: " + err.Error())
	}
	return v
}
