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
type Config struct {
	// Logs are paths or patterns of logs, relative to the file's directory.
	Logs []string
	// InputFormat names the log format; "" detects it.
	InputFormat string
	// Tools is a file with a tool inventory for logs that carry none.
	Tools string
	// Rubrics are names of built-in rubrics, files, or "builtin" for all four.
	Rubrics []string
	Judges  []Judge
	// Panels and Cascades make scores out of the judges' scores.
	Panels   []Panel
	Cascades []Cascade
	Scorers  []Scorer
	// Environment is the block as written, null where there is none.
	Environment value.Value
	Gates       []Gate
	// Thresholds re-decide verdicts: rubric name to "low" or "low..high".
	Thresholds []report.Threshold
	// CoverageFloor is the share of judgements that must be scored, 0..1; nil means
	// the default.
	CoverageFloor *float64
	Limit         int
	Sample        int
	Seed          *int64
	// Retest asks every judge everything twice, to measure how much of a difference is
	// noise.
	Retest bool
	// Gold names the label or scorer that reports take for the truth; "" for the
	// strongest that there is.
	Gold string
	// Out is the run directory, "" for one under runs/.
	Out string
	// Redact are patterns whose matches are not sent to other machines.
	Redact []string
	// IncludeTextCalls also judges calls that were only written as text.
	IncludeTextCalls bool
}

// Judge is one model behind one endpoint.
type Judge struct {
	// Name is what reports call this judge; the model's name by default.
	Name    string
	Model   string
	BaseURL string
	// APIKeyEnv names the environment variable that holds the key.
	APIKeyEnv   string
	Concurrency int
	Timeout     time.Duration
	MaxTokens   int
	// ContextTokens is the size of the model's context; 0 leaves it to what the server
	// tells.
	ContextTokens int
	// Reasoning is the extra token budget of a reasoning model; nil means the
	// default.
	Reasoning   *int
	Temperature *float64
	Seed        *int64
	// Transport is json_schema, tools, json_object or prompt_only; "" probes.
	Transport string
	// MaxRecordChars bounds the rendered record; 0 means the default.
	MaxRecordChars    int
	MaxAttempts       int
	RequestsPerMinute int
	// Examples is "messages" (default) or "prompt", or how many examples there are: a
	// number, or "none".
	Examples string
	// Datamarking is the sign between the words of the record's prose; "" is none. In
	// the file true stands for the default sign.
	Datamarking string
	// ScoreMethod is parsed (default), token_weighted or self_consistency; Samples
	// is the number of samples under self_consistency.
	ScoreMethod string
	Samples     int
	// VerdictModes says for rubrics how their pass band is read.
	VerdictModes []VerdictMode
	// CoerceNumbers accepts numbers that a judge writes as text.
	CoerceNumbers bool
	// AskAlways asks this judge about every call, although only a cascade's later
	// tiers name it.
	AskAlways bool
	// Extra are further request fields, sent as they are; null leaves a field out.
	// A sampling setting that is null, and top_p, stand here too.
	Extra value.Value
	// Headers and Query go with every request. ${NAME} in a value, or a value that is a
	// name in capitals, stands for an environment variable.
	Headers, Query []Param
	Line           int
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
	Name    string
	Members []string
	// Aggregate is median (default), mean, majority, any_negative or weighted.
	Aggregate string
	// Quorum is how many members must answer; 0 means half, rounded up.
	Quorum int
	// Weights are the members' measured reliabilities, for weighted; WeightsFrom is the
	// calibration file that has them, in their place.
	Weights     []Weight
	WeightsFrom string
	Line        int
}

// Weight is one member's measured reliability, a balanced accuracy in 0..1.
type Weight struct {
	Judge  string
	Weight float64
}

// Cascade asks one tier after the other.
type Cascade struct {
	Name string
	// Tiers name judges and panels.
	Tiers []string
	// EscalateOn are the reasons to ask the next tier; nil means all.
	EscalateOn []string
	// Queue is the file in the run directory for what stays open.
	Queue string
	Line  int
}

// Scorer is one deterministic scorer.
type Scorer struct {
	// Type is the scorer's name, DisplayName what reports call it.
	Type        string
	DisplayName string
	// Key tells two scorers of one type apart in files.
	Key string
	// Purpose is "score" (default) or "qa" (reported apart, in no mean).
	Purpose string
	// Metrics are data-set metrics beside mean and pass rate, as written, and Label
	// the label that classifications are held against; "" means the first of each
	// conversation.
	Metrics value.Value
	Label   string
	// Config is the scorer's own block, an object.
	Config value.Value
	Line   int
}

// Gate is one condition on the report, and where it stands.
type Gate struct {
	gate.Gate
	Line int
}
