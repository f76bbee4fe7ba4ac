// Package config owns judge.yaml: what may stand in it, and reading it.
//
// It promises that nothing in the file is ignored: an unknown key, a wrong type
// and a value out of range are errors with line, column, the path of the key and,
// for a misspelling, the nearest known key. All mistakes of a file are reported at
// once. It opens no files and reads no environment.
package config

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/value"
)

// Config is a judge.yaml as written; the zero value is an empty file. Defaults are
// the caller's: a zero field was not given.
//
// The tags of Config and of what it holds are the form of the file: fill reads by them,
// Value writes by them, and the printed schema is reflected from them. A field tagged
// form:"own" is read by the code of its block, one tagged form:"read" is never written.
type Config struct {
	Logs        []string  `json:"logs,omitempty" jsonschema_description:"Paths or patterns of logs, from where this file stands."`
	InputFormat string    `json:"input_format,omitempty" jsonschema_description:"Log format instead of detecting it."`
	Tools       string    `json:"tools,omitempty" jsonschema_description:"File with a tool inventory for logs that carry none."`
	Rubrics     []string  `json:"rubrics,omitempty" jsonschema_description:"Built-in rubrics by name, rubric files, or builtin for all four."`
	Judges      []Judge   `json:"judges,omitempty" jsonschema_description:"Models that judge; none means the built-in rule-based baseline."`
	Panels      []Panel   `json:"panels,omitempty" jsonschema_description:"Judges whose answers are put together."`
	Cascades    []Cascade `json:"cascades,omitempty" jsonschema_description:"Judges that are asked one after the other, until one is sure."`
	Scorers     []Scorer  `json:"scorers,omitempty" jsonschema_description:"Deterministic scorers; none means those that fit the log."`
	// Graders are added to Scorers when the file is read.
	Graders []Scorer `json:"graders,omitempty" jsonschema_description:"Another word for scorers."`
	// Environment is the block as written, null where there is none.
	Environment value.Value        `json:"environment,omitempty" jsonschema_description:"Where logged calls are executed again, for checks of the outcome."`
	Gates       []gate.Gate        `json:"gates,omitempty" jsonschema_description:"Conditions on the report; when one fails the exit code is 100."`
	Thresholds  []report.Threshold `json:"thresholds,omitempty" jsonschema_description:"Decide verdicts by rubric: low, or low..high."`
	// CoverageFloor is nil for the default.
	CoverageFloor *float64 `json:"coverage_floor,omitempty" jsonschema:"minimum=0,maximum=1" jsonschema_description:"Share of judgements that must be scored, else the exit code is 4."`
	Limit         int      `json:"limit,omitempty" jsonschema:"minimum=0" jsonschema_description:"Only the first so many conversations."`
	Sample        int      `json:"sample,omitempty" jsonschema:"minimum=0" jsonschema_description:"A random sample of so many conversations, drawn by seed."`
	Seed          *int64   `json:"seed,omitempty" jsonschema_description:"Seed of the sample and of requests."`
	Retest        bool     `json:"retest,omitempty" jsonschema_description:"Ask every judge everything twice, to measure how much of a difference is noise."`
	Gold          string   `json:"gold,omitempty" jsonschema_description:"Label or scorer that reports take for the truth; the strongest there is by default."`
	// Out is "" for a directory under runs/.
	Out              string   `json:"out,omitempty" form:"read" jsonschema_description:"Run directory."`
	IncludeTextCalls bool     `json:"include_text_calls,omitempty" jsonschema_description:"Also judge calls that are only written as text."`
	Redact           []string `json:"redact,omitempty" jsonschema_description:"Regular expressions; what they match in a log is not sent to an endpoint on another machine."`
}

// Judge is one model behind one endpoint.
type Judge struct {
	Name        string        `json:"name,omitempty" jsonschema_description:"What reports call this judge; the model's name by default."`
	Model       string        `json:"model"`
	BaseURL     string        `json:"base_url,omitempty" jsonschema_description:"OpenAI-compatible endpoint, such as http://localhost:11434/v1."`
	APIKeyEnv   string        `json:"api_key_env,omitempty" jsonschema_description:"Environment variable that holds the key; the key itself belongs in no file."`
	Concurrency int           `json:"concurrency,omitempty" jsonschema:"minimum=1"`
	Timeout     time.Duration `json:"timeout,omitempty" jsonschema_description:"Time limit of one request."`
	MaxTokens   int           `json:"max_tokens,omitempty" jsonschema:"minimum=1" jsonschema_description:"Length limit of an answer; null is not sent."`
	// ContextTokens is 0 for what the server tells.
	ContextTokens int `json:"context_tokens,omitempty" jsonschema:"minimum=256" jsonschema_description:"Size of the model's context; by default what the server tells."`
	// Reasoning is nil for the default.
	Reasoning         *int     `json:"reasoning_tokens,omitempty" jsonschema_description:"Further tokens for models that think first."`
	Temperature       *float64 `json:"temperature,omitempty" jsonschema:"minimum=0,maximum=2" jsonschema_description:"Sampling; null is not sent."`
	Seed              *int64   `json:"seed,omitempty" jsonschema_description:"Sampling; null is not sent."`
	Transport         string   `json:"transport,omitempty" jsonschema:"enum=json_schema,enum=tools,enum=json_object,enum=prompt_only" jsonschema_description:"How structured output is asked for; probed by default."`
	MaxRecordChars    int      `json:"max_record_chars,omitempty" jsonschema:"minimum=1000"`
	MaxAttempts       int      `json:"max_attempts,omitempty" jsonschema:"minimum=1"`
	RequestsPerMinute int      `json:"requests_per_minute,omitempty" jsonschema:"minimum=1"`
	// Examples is messages (default), prompt, none or a number.
	Examples string `json:"examples,omitempty" form:"own" jsonschema_description:"Where a rubric's examples stand, or how many of them: a number, or none."`
	// Datamarking is the sign itself; in the file true stands for the default one.
	Datamarking  string        `json:"datamarking,omitempty" form:"own" jsonschema_description:"A sign between the words of the record's prose, against instructions in it: true, or the symbol."`
	ScoreMethod  string        `json:"score_method,omitempty" jsonschema:"enum=parsed,enum=token_weighted,enum=self_consistency" jsonschema_description:"How the score is taken from answers."`
	Samples      int           `json:"samples,omitempty" jsonschema:"minimum=2" jsonschema_description:"Answers to take, with score_method: self_consistency."`
	VerdictModes []VerdictMode `json:"verdict_mode,omitempty" jsonschema_description:"By rubric: interval or bands."`
	// CoerceNumbers accepts numbers that a judge writes as text.
	CoerceNumbers bool `json:"coerce_numbers,omitempty"`
	// AskAlways asks this judge about every call, although only a cascade's later
	// tiers name it.
	AskAlways bool `json:"ask_always,omitempty"`
	// Extra also has top_p, and a sampling setting that is null.
	Extra value.Value `json:"extra,omitempty" form:"own" jsonschema_description:"Further request fields, sent as they are; null leaves a field out."`
	TopP  *float64    `json:"top_p,omitempty" form:"read" jsonschema:"minimum=0,maximum=1" jsonschema_description:"Sampling; null is not sent."`
	// In a value ${NAME}, or a value that is a name in capitals, stands for an
	// environment variable.
	Headers []Param `json:"headers,omitempty" jsonschema_description:"Headers of every request, with ${NAME} for environment variables."`
	Query   []Param `json:"query,omitempty" jsonschema_description:"Parameters of every request's URL, with ${NAME} for environment variables."`
}

// Param is one header, or one parameter of the query, as written.
type Param struct{ Name, Value string }

var (
	wholeVariable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
	oneVariable   = regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`)
)

// Expand returns the value with its environment variables put in, and their names in
// order.
func (p Param) Expand(getenv func(string) string) (text string, names []string) {
	if wholeVariable.MatchString(p.Value) {
		return getenv(p.Value), []string{p.Value}
	}
	text = oneVariable.ReplaceAllStringFunc(p.Value, func(ref string) string {
		name := ref[len("${") : len(ref)-1]
		names = append(names, name)
		return getenv(name)
	})
	return text, names
}

// secretWords are the words in the name of a header or parameter that holds a key.
var secretWords = []string{"key", "apikey", "token", "secret", "auth", "authorization", "password", "cookie", "sig", "signature", "credential", "credentials"}

// secret reports whether the name is that of a key.
func (p Param) secret() bool {
	words := strings.FieldsFunc(strings.ToLower(p.Name), func(c rune) bool { return c == '-' || c == '_' || c == '.' })
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(secretWords, w) })
}

// VerdictMode is how the pass band of one rubric is read: interval or bands.
type VerdictMode struct{ Rubric, Mode string }

// Panel joins the scores of several judges.
type Panel struct {
	Name    string   `json:"name"`
	Members []string `json:"members" jsonschema_description:"Names of judges, at least two."`
	// Aggregate is median by default.
	Aggregate string `json:"aggregate,omitempty" jsonschema:"enum=median,enum=mean,enum=majority,enum=any_negative,enum=weighted"`
	// Quorum is 0 for half, rounded up.
	Quorum int `json:"quorum,omitempty" jsonschema:"minimum=1" jsonschema_description:"How many members must have answered."`
	// WeightsFrom is the calibration file that has the weights, in the place of Weights.
	Weights     []Weight `json:"weights,omitempty" form:"own" jsonschema_description:"With aggregate: weighted, the balanced accuracy of every member, or the calibration file that has them."`
	WeightsFrom string   `json:"-"`
	Line        int      `json:"-"`
}

// Weight is one member's measured reliability, a balanced accuracy in 0..1.
type Weight struct {
	Judge  string
	Weight float64
}

// Cascade asks one tier after the other.
type Cascade struct {
	Name  string   `json:"name"`
	Tiers []string `json:"tiers" jsonschema_description:"Names of judges and panels, the first one first."`
	// EscalateOn is nil for all reasons.
	EscalateOn []string `json:"escalate_on,omitempty" jsonschema_description:"borderline, low_confidence, error, contradiction."`
	Queue      string   `json:"queue,omitempty" jsonschema:"pattern=^[^./][^/]*\\.jsonl$" jsonschema_description:"File in the run directory for what no tier could decide."`
	Line       int      `json:"-"`
}

// Scorer is one deterministic scorer.
type Scorer struct {
	Type        string      `json:"type"`
	Key         string      `json:"key,omitempty" jsonschema_description:"Tells two scorers of one type apart."`
	DisplayName string      `json:"display_name,omitempty"`
	Purpose     string      `json:"purpose,omitempty" jsonschema:"enum=score,enum=qa" jsonschema_description:"qa is reported apart and enters no mean."`
	Metrics     value.Value `json:"metrics,omitempty" jsonschema_description:"Figures over the whole data set."`
	Label       string      `json:"label,omitempty" jsonschema_description:"Label of the log that the figures take as the truth."`
	// Config is the scorer's own block, an object.
	Config value.Value `json:"config,omitempty" form:"own"`
}
