// Package config owns judge.yaml: what it may hold, and which of its keys belong together.
//
// It promises that a configuration written by Value reads back as it was. It opens no files
// and reads no environment.
package config

import (
	"encoding/json"
	"time"

	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/value"
)

// Config is a judge.yaml as written; the zero value is an empty file. Defaults are
// the caller's: a zero field was not given.
//
// The tags of Config and of what it holds are the form of the file: package settings reads
// by them, encoding/json writes by them, and Schema is reflected from them.
type Config struct {
	Logs        []string `json:"logs,omitempty" jsonschema_description:"Paths or patterns of logs, relative to this file."`
	InputFormat string   `json:"input_format,omitempty" jsonschema_description:"Log format instead of detecting it."`
	// Map is read by transcript.ParseMapping.
	Map      map[string]string `json:"map,omitempty" jsonschema_description:"Where a log in no known format keeps its messages, tools and labels: a target and a JSONPath for each."`
	Tools    string            `json:"tools,omitempty" jsonschema_description:"File with a tool inventory for logs that carry none."`
	Rubrics  []string          `json:"rubrics,omitempty" jsonschema_description:"Built-in rubrics by name, rubric files, or builtin for all four."`
	Judges   []Judge           `json:"judges,omitempty" jsonschema_description:"Models that judge; none means the built-in rule-based baseline."`
	Panels   []Panel           `json:"panels,omitempty" jsonschema_description:"Judges whose answers are put together."`
	Cascades []Cascade         `json:"cascades,omitempty" jsonschema_description:"Judges that are asked one after the other, until one is sure."`
	Scorers  []Scorer          `json:"scorers,omitempty" jsonschema_description:"Deterministic scorers; none means those that fit the log."`
	// Graders are added to Scorers when the file is read.
	Graders []Scorer `json:"graders,omitempty" jsonschema_description:"Another word for scorers."`
	// Environment is the block as written, null where there is none; environment.ParseConfig
	// reads it.
	Environment value.Value `json:"environment,omitzero" jsonschema_description:"Where logged calls are executed again, for checks of the outcome."`
	Gates       []gate.Gate `json:"gates,omitempty" jsonschema_description:"Conditions on the report; when one fails the exit code is 100."`
	Thresholds  Thresholds  `json:"thresholds,omitempty" jsonschema_description:"Decide verdicts by rubric: low, or low..high."`
	// CoverageFloor is nil for the default.
	CoverageFloor *float64 `json:"coverage_floor,omitempty" jsonschema:"minimum=0,maximum=1" jsonschema_description:"Share of judgements that must be scored, else the exit code is 4."`
	Limit         int      `json:"limit,omitempty" jsonschema:"minimum=0" jsonschema_description:"Only the first so many conversations."`
	Sample        int      `json:"sample,omitempty" jsonschema:"minimum=0" jsonschema_description:"A random sample of so many conversations, drawn by seed."`
	Seed          *int64   `json:"seed,omitempty" jsonschema_description:"Seed of the sample and of requests."`
	Retest        bool     `json:"retest,omitempty" jsonschema_description:"Ask every judge everything twice, to measure how much of a difference is noise."`
	Gold          string   `json:"gold,omitempty" jsonschema_description:"Label or scorer that reports take as the truth; the strongest there is by default."`
	// Labels says of labels of the logs what sample they are.
	Labels map[string]string `json:"labels,omitempty" jsonschema:"enum=random" jsonschema_description:"By label of the logs: random where the conversations that have it are a random sample, so that it corrects the judges' pass rates."`
	// IncludeTextCalls also judges calls that are only written as text.
	IncludeTextCalls bool     `json:"include_text_calls,omitempty" jsonschema_description:"Also judge calls that are only written as text."`
	Redact           []string `json:"redact,omitempty" jsonschema_description:"Regular expressions; what they match in a log is not sent to an endpoint on another machine."`
}

// Judge is one model behind one endpoint. In a file a judge may be the name of its model.
type Judge struct {
	Name        string   `json:"name,omitempty" jsonschema_description:"What reports call this judge; the model's name by default."`
	Model       string   `json:"model"`
	BaseURL     string   `json:"base_url,omitempty" jsonschema_description:"OpenAI-compatible endpoint, such as http://localhost:11434/v1."`
	Replicas    []string `json:"replicas,omitempty" jsonschema_description:"Further endpoints that serve the same model; the calls of one conversation go to one of them."`
	APIKeyEnv   string   `json:"api_key_env,omitempty" jsonschema_description:"Environment variable that holds the key; the key itself belongs in no file."`
	Concurrency int      `json:"concurrency,omitempty" jsonschema:"minimum=1"`
	Timeout     Duration `json:"timeout,omitempty" jsonschema_description:"Time limit of one request."`
	MaxTokens   int      `json:"max_tokens,omitempty" jsonschema:"minimum=1" jsonschema_description:"Length limit of an answer; null is not sent."`
	// ContextTokens is 0 for what the server reports.
	ContextTokens int `json:"context_tokens,omitempty" jsonschema:"minimum=256" jsonschema_description:"Size of the model's context; by default what the server reports."`
	// Reasoning is nil for the default.
	Reasoning         *int     `json:"reasoning_tokens,omitempty" jsonschema_description:"Further tokens for models that think first."`
	Temperature       *float64 `json:"temperature,omitempty" jsonschema:"minimum=0,maximum=2" jsonschema_description:"Sampling; null is not sent."`
	Seed              *int64   `json:"seed,omitempty" jsonschema_description:"Sampling; null is not sent."`
	Transport         string   `json:"transport,omitempty" jsonschema:"enum=json_schema,enum=tools,enum=json_object,enum=prompt_only" jsonschema_description:"How structured output is asked for; probed by default."`
	MaxRecordChars    int      `json:"max_record_chars,omitempty" jsonschema:"minimum=1000"`
	MaxAttempts       int      `json:"max_attempts,omitempty" jsonschema:"minimum=1"`
	RequestsPerMinute int      `json:"requests_per_minute,omitempty" jsonschema:"minimum=1"`
	TokensPerMinute   int      `json:"tokens_per_minute,omitempty" jsonschema:"minimum=1" jsonschema_description:"Limit on the tokens of prompts and answers."`
	// Pilot is nil for the default.
	Pilot  *bool   `json:"pilot,omitempty" jsonschema_description:"Requests with a common prefix wait for the first of them: for services that share a prefix only once it is computed. True for OpenAI by default."`
	Prices *Prices `json:"prices,omitempty" jsonschema_description:"What tokens cost, for the forecast of judge run --dry-run."`
	// Examples is messages (default), prompt, none or a number.
	Examples string `json:"examples,omitempty" form:"own" jsonschema_description:"File of a rubric's examples, or how many of them: a number, or none."`
	Layout   string `json:"layout,omitempty" jsonschema:"enum=rubric-first,enum=named-rubrics,enum=conversation-first" jsonschema_description:"Order of the prompt's parts, for servers that cache prefixes; each is another instrument."`
	// Datamarking is the sign itself; in the file true means the default one.
	Datamarking string `json:"datamarking,omitempty" form:"own" jsonschema_description:"A sign between the words of the record's prose, against instructions in it: true, or the symbol."`
	ScoreMethod string `json:"score_method,omitempty" jsonschema:"enum=parsed,enum=token_weighted,enum=self_consistency" jsonschema_description:"How the score is taken from answers."`
	Samples     int    `json:"samples,omitempty" jsonschema:"minimum=2" jsonschema_description:"Answers to take, with score_method: self_consistency."`
	// VerdictModes are interval or bands, by rubric.
	VerdictModes map[string]string `json:"verdict_mode,omitempty" jsonschema:"enum=interval,enum=bands" jsonschema_description:"By rubric: interval or bands."`
	// CoerceNumbers accepts numbers that a judge writes as text.
	CoerceNumbers bool `json:"coerce_numbers,omitempty"`
	// AskAlways asks this judge about every call, although only a cascade's later
	// tiers name it.
	AskAlways bool `json:"ask_always,omitempty"`
	// Extra also has top_p, and a sampling setting that is null.
	Extra value.Value `json:"extra,omitzero" form:"own" jsonschema_description:"Further request fields, sent as they are; null leaves a field out."`
	// TopP becomes part of Extra when the file is read.
	TopP *float64 `json:"top_p,omitempty" jsonschema:"minimum=0,maximum=1" jsonschema_description:"Sampling; null is not sent."`
	// In a value ${NAME}, or a value that is a name in capitals, means an
	// environment variable.
	Headers Params `json:"headers,omitempty" jsonschema_description:"Headers of every request, with ${NAME} for environment variables."`
	Query   Params `json:"query,omitempty" jsonschema_description:"Parameters of every request's URL, with ${NAME} for environment variables."`
	// APIKey is refused.
	APIKey refused `json:"api_key,omitzero" form:"refused" jsonschema:"-"`
}

// Prices are what a million tokens cost, in any currency.
type Prices struct {
	Input       float64  `json:"input" jsonschema:"minimum=0" jsonschema_description:"Price of a million prompt tokens."`
	CachedInput *float64 `json:"cached_input,omitempty" jsonschema:"minimum=0" jsonschema_description:"Price of a million prompt tokens that the service has in its cache; that of input by default."`
	Output      float64  `json:"output" jsonschema:"minimum=0" jsonschema_description:"Price of a million tokens of answers."`
}

// Panel joins the scores of several judges.
type Panel struct {
	Name    string   `json:"name"`
	Members []string `json:"members" jsonschema_description:"Names of judges, at least two."`
	// Aggregate is median by default.
	Aggregate string `json:"aggregate,omitempty" jsonschema:"enum=median,enum=mean,enum=majority,enum=any_negative,enum=weighted"`
	// Quorum is 0 for half, rounded up.
	Quorum  int     `json:"quorum,omitempty" jsonschema:"minimum=1" jsonschema_description:"How many members must have answered."`
	Weights Weights `json:"weights,omitzero" jsonschema_description:"With aggregate: weighted, the balanced accuracy of every member, or the calibration file that has them."`
}

// Weights are the measured reliabilities of a panel's members: balanced accuracies in
// 0..1 by judge, or the calibration file that has them.
type Weights struct {
	ByJudge map[string]float64
	File    string
}

// Cascade asks one tier after the other.
type Cascade struct {
	Name  string   `json:"name"`
	Tiers []string `json:"tiers" jsonschema_description:"Names of judges and panels, the first one first."`
	// EscalateOn is nil for all reasons.
	EscalateOn []string `json:"escalate_on,omitempty" jsonschema_description:"borderline, low_confidence, error, contradiction."`
	Queue      string   `json:"queue,omitempty" jsonschema:"pattern=^[^./][^/]*\\.jsonl$" jsonschema_description:"File in the run directory for what no tier could decide."`
}

// QueueFile is the name of the cascade's queue in the run directory.
func (c *Cascade) QueueFile() string {
	if c.Queue == "" {
		return "queue.jsonl"
	}
	return c.Queue
}

// Scorer is one deterministic scorer. In a file a scorer may be its type, and its own
// settings may be given beside type.
type Scorer struct {
	Type        string      `json:"type"`
	Key         string      `json:"key,omitempty" jsonschema_description:"Distinguishes two scorers of one type."`
	DisplayName string      `json:"display_name,omitempty"`
	Purpose     string      `json:"purpose,omitempty" jsonschema:"enum=score,enum=qa" jsonschema_description:"qa is reported apart and enters no mean."`
	Metrics     value.Value `json:"metrics,omitzero" jsonschema_description:"Figures over the whole data set."`
	Label       string      `json:"label,omitempty" jsonschema_description:"Label of the log that the figures take as the truth."`
	// Config is the scorer's own block, an object.
	Config value.Value `json:"config,omitzero" form:"own"`
}

// Duration is a time, in a file a number of seconds or a text such as 90s.
type Duration time.Duration

// Read reads a judge.yaml. The name only serves messages. The error is of type
// settings.Problems and names every mistake.
func Read(name string, data []byte) (*Config, error) {
	c := &Config{}
	if err := settings.Read(name, data, c); err != nil {
		return nil, err
	}
	return c, nil
}

// Value returns the configuration in the form of the file: what Read would read
// back. Fields that were not given are left out.
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
