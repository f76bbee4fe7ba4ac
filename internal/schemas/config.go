package schemas

import (
	"reflect"
	"strings"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// configFile has the shape of judge.yaml. Package config reads the file itself, for
// the sake of lines and columns; a test holds the two together.
type configFile struct {
	Logs             texts          `json:"logs,omitempty" jsonschema_description:"Paths or patterns of logs, from where this file stands."`
	InputFormat      logFormat      `json:"input_format,omitempty" jsonschema_description:"Log format instead of detecting it."`
	Tools            string         `json:"tools,omitempty" jsonschema_description:"File with a tool inventory for logs that carry none."`
	Rubrics          texts          `json:"rubrics,omitempty" jsonschema_description:"Built-in rubrics by name, rubric files, or builtin for all four."`
	Judges           []judgeEntry   `json:"judges,omitempty" jsonschema_description:"Models that judge; none means the built-in rule-based baseline."`
	Panels           []panel        `json:"panels,omitempty" jsonschema_description:"Judges whose answers are put together."`
	Cascades         []cascade      `json:"cascades,omitempty" jsonschema_description:"Judges that are asked one after the other, until one is sure."`
	Scorers          []scorerEntry  `json:"scorers,omitempty" jsonschema_description:"Deterministic scorers; none means those that fit the log."`
	Graders          []scorerEntry  `json:"graders,omitempty" jsonschema_description:"Another word for scorers."`
	Environment      *environment   `json:"environment,omitempty" jsonschema_description:"Where logged calls are executed again, for checks of the outcome."`
	Gates            []gate         `json:"gates,omitempty" jsonschema_description:"Conditions on the report; when one fails the exit code is 100."`
	Thresholds       map[string]cut `json:"thresholds,omitempty" jsonschema_description:"Decide verdicts by rubric: low, or low..high."`
	CoverageFloor    *float64       `json:"coverage_floor,omitempty" jsonschema:"minimum=0,maximum=1" jsonschema_description:"Share of judgements that must be scored, else the exit code is 4."`
	Limit            int            `json:"limit,omitempty" jsonschema:"minimum=0" jsonschema_description:"Only the first so many conversations."`
	Sample           int            `json:"sample,omitempty" jsonschema:"minimum=0" jsonschema_description:"A random sample of so many conversations, drawn by seed."`
	Seed             int64          `json:"seed,omitempty" jsonschema_description:"Seed of the sample and of requests."`
	Retest           bool           `json:"retest,omitempty" jsonschema_description:"Ask every judge everything twice, to measure how much of a difference is noise."`
	Gold             string         `json:"gold,omitempty" jsonschema_description:"Label or scorer that reports take for the truth; the strongest there is by default."`
	Out              string         `json:"out,omitempty" jsonschema_description:"Run directory."`
	IncludeTextCalls bool           `json:"include_text_calls,omitempty" jsonschema_description:"Also judge calls that are only written as text."`
	Redact           texts          `json:"redact,omitempty" jsonschema_description:"Regular expressions; what they match in a log is not sent to an endpoint on another machine."`
}

type judge struct {
	Name              string   `json:"name,omitempty" jsonschema_description:"What reports call this judge; the model's name by default."`
	Model             string   `json:"model"`
	BaseURL           string   `json:"base_url,omitempty" jsonschema_description:"OpenAI-compatible endpoint, such as http://localhost:11434/v1."`
	APIKeyEnv         string   `json:"api_key_env,omitempty" jsonschema_description:"Environment variable that holds the key; the key itself belongs in no file."`
	Concurrency       int      `json:"concurrency,omitempty" jsonschema:"minimum=1"`
	Timeout           duration `json:"timeout,omitempty" jsonschema_description:"Time limit of one request."`
	MaxTokens         count    `json:"max_tokens,omitempty" jsonschema_description:"Length limit of an answer; null is not sent."`
	ContextTokens     int      `json:"context_tokens,omitempty" jsonschema:"minimum=256" jsonschema_description:"Size of the model's context; by default what the server tells."`
	ReasoningTokens   *int64   `json:"reasoning_tokens,omitempty" jsonschema_description:"Further tokens for models that think first."`
	Temperature       heat     `json:"temperature,omitempty" jsonschema_description:"Sampling; null is not sent."`
	Seed              seed     `json:"seed,omitempty" jsonschema_description:"Sampling; null is not sent."`
	Transport         string   `json:"transport,omitempty" jsonschema:"enum=json_schema,enum=tools,enum=json_object,enum=prompt_only" jsonschema_description:"How structured output is asked for; probed by default."`
	MaxRecordChars    int      `json:"max_record_chars,omitempty" jsonschema:"minimum=1000"`
	MaxAttempts       int      `json:"max_attempts,omitempty" jsonschema:"minimum=1"`
	RequestsPerMinute int      `json:"requests_per_minute,omitempty" jsonschema:"minimum=1"`
	Examples          examples `json:"examples,omitempty" jsonschema_description:"Where a rubric's examples stand, or how many of them: a number, or none."`
	Datamarking       marker   `json:"datamarking,omitempty" jsonschema_description:"A sign between the words of the record's prose, against instructions in it: true, or the symbol."`
	ScoreMethod       string   `json:"score_method,omitempty" jsonschema:"enum=parsed,enum=token_weighted,enum=self_consistency" jsonschema_description:"How the score is taken from answers."`
	Samples           int      `json:"samples,omitempty" jsonschema:"minimum=2" jsonschema_description:"Answers to take, with score_method: self_consistency."`
	VerdictMode       modes    `json:"verdict_mode,omitempty" jsonschema_description:"By rubric: interval or bands."`
	CoerceNumbers     bool     `json:"coerce_numbers,omitempty"`
	AskAlways         bool     `json:"ask_always,omitempty"`
	Extra             object   `json:"extra,omitempty" jsonschema_description:"Further request fields, sent as they are; null leaves a field out."`
	TopP              topP     `json:"top_p,omitempty" jsonschema_description:"Sampling; null is not sent."`
	Headers           params   `json:"headers,omitempty" jsonschema_description:"Headers of every request, with ${NAME} for environment variables."`
	Query             params   `json:"query,omitempty" jsonschema_description:"Parameters of every request's URL, with ${NAME} for environment variables."`
}

type panel struct {
	Name      string  `json:"name"`
	Members   texts   `json:"members" jsonschema_description:"Names of judges, at least two."`
	Aggregate string  `json:"aggregate,omitempty" jsonschema:"enum=median,enum=mean,enum=majority,enum=any_negative,enum=weighted"`
	Quorum    int     `json:"quorum,omitempty" jsonschema:"minimum=1" jsonschema_description:"How many members must have answered."`
	Weights   weights `json:"weights,omitempty" jsonschema_description:"With aggregate: weighted, the balanced accuracy of every member, or the calibration file that has them."`
}

type cascade struct {
	Name       string `json:"name"`
	Tiers      texts  `json:"tiers" jsonschema_description:"Names of judges and panels, the first one first."`
	EscalateOn texts  `json:"escalate_on,omitempty" jsonschema_description:"borderline, low_confidence, error, contradiction."`
	Queue      string `json:"queue,omitempty" jsonschema:"pattern=^[^./][^/]*\\.jsonl$" jsonschema_description:"File in the run directory for what no tier could decide."`
}

// scorer may hold its own settings beside these or under config, see scorerRules.
type scorer struct {
	Type        scorerName  `json:"type"`
	Key         string      `json:"key,omitempty" jsonschema_description:"Tells two scorers of one type apart."`
	DisplayName string      `json:"display_name,omitempty"`
	Purpose     string      `json:"purpose,omitempty" jsonschema:"enum=score,enum=qa" jsonschema_description:"qa is reported apart and enters no mean."`
	Label       string      `json:"label,omitempty" jsonschema_description:"Label of the log that the figures take as the truth."`
	Metrics     value.Value `json:"metrics,omitempty" jsonschema_description:"Figures over the whole data set."`
	Config      object      `json:"config,omitempty"`
}

type gate struct {
	Score       string   `json:"score" jsonschema_description:"Rubric, scorer or label, with .metric where one is meant."`
	Judge       string   `json:"judge,omitempty" jsonschema_description:"Only the scores of this judge, panel or cascade; every judge's by default."`
	Reference   string   `json:"reference,omitempty" jsonschema_description:"Scorer or label that min_kappa holds the judge against; the labels by default, without labels every scorer."`
	By          string   `json:"by,omitempty" jsonschema:"enum=tool" jsonschema_description:"Every tool by itself. The score of a conversation counts for every tool that the conversation calls, and for those of expected calls that are missing."`
	Tool        string   `json:"tool,omitempty" jsonschema_description:"Only this tool; implies by: tool."`
	Against     string   `json:"against,omitempty" jsonschema_description:"Baseline run directory of max_drop."`
	MinPassRate *float64 `json:"min_pass_rate,omitempty" jsonschema:"minimum=0,maximum=1"`
	MinMean     *float64 `json:"min_mean,omitempty"`
	MinKappa    *float64 `json:"min_kappa,omitempty" jsonschema:"minimum=-1,maximum=1"`
	MinCoverage *float64 `json:"min_coverage,omitempty" jsonschema:"minimum=0,maximum=1" jsonschema_description:"Share of the wanted scores that are there; a count, so that the point decides."`
	MaxDrop     *float64 `json:"max_drop,omitempty" jsonschema:"minimum=0,maximum=100" jsonschema_description:"In percentage points of the pass rate. By tool the decision is corrected for the number of tools."`
	Strict      bool     `json:"strict,omitempty" jsonschema_description:"The point decides. Without it a gate fails only when the interval says so, and never where there is none."`
}

// environment has the keys of the block; its own reader checks what they hold.
type environment struct {
	Type         string      `json:"type" jsonschema:"enum=starlark,enum=command,enum=mcp"`
	File         string      `json:"file,omitempty"`
	Command      texts       `json:"command,omitempty"`
	Dir          string      `json:"dir,omitempty"`
	Env          object      `json:"env,omitempty"`
	URL          string      `json:"url,omitempty"`
	Isolated     bool        `json:"isolated,omitempty"`
	Reset        value.Value `json:"reset,omitempty"`
	Snapshot     value.Value `json:"snapshot,omitempty"`
	State        string      `json:"state,omitempty"`
	StateAt      string      `json:"state_at,omitempty"`
	Tools        object      `json:"tools,omitempty"`
	Reads        texts       `json:"reads,omitempty"`
	Track        string      `json:"track,omitempty"`
	OnError      string      `json:"on_error,omitempty"`
	Expected     value.Value `json:"expected,omitempty"`
	Assertions   value.Value `json:"assertions,omitempty"`
	AssertionsAt string      `json:"assertions_at,omitempty"`
	Outputs      bool        `json:"outputs,omitempty"`
	Preset       string      `json:"preset,omitempty"`
	Ignore       texts       `json:"ignore,omitempty"`
	Keyed        object      `json:"keyed,omitempty"`
	Tolerance    value.Value `json:"tolerance,omitempty"`
	Replay       object      `json:"replay,omitempty"`
	Limits       object      `json:"limits,omitempty"`
}

// Types with a schema of their own.
type (
	examples    string
	texts       []string
	logFormat   string
	scorerName  string
	modes       map[string]string
	params      map[string]string
	heat        float64
	topP        float64
	count       int
	seed        int64
	duration    string
	cut         string
	marker      string
	weights     map[string]float64
	object      map[string]value.Value
	judgeEntry  struct{}
	scorerEntry struct{}
)

// asksSomething says what package config checks behind the shape of a gate.
const asksSomething = `{
 "anyOf": [{"required":["min_pass_rate"]},{"required":["min_mean"]},{"required":["min_kappa"]},{"required":["min_coverage"]},{"required":["max_drop"]}],
 "dependentRequired": {"max_drop":["against"],"against":["max_drop"],"reference":["min_kappa"]}
}`

func configSchema() (value.Value, error) {
	return schema.Reflect(schema.ReflectConfig{
		Title: "judge.yaml", Description: "What judge runs, by whom, and what must come of it.", Closed: true,
		Types: map[reflect.Type]string{
			reflect.TypeFor[examples]():    `{"oneOf":[{"enum":["messages","prompt","none"]},{"type":"integer","minimum":0},{"type":"string","pattern":"^[0-9]+$"}]}`,
			reflect.TypeFor[texts]():       `{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`,
			reflect.TypeFor[logFormat]():   enum(append([]string{""}, transcript.Formats()...)),
			reflect.TypeFor[scorerName]():  enum(spellings(deterministic.Names())),
			reflect.TypeFor[duration]():    `{"oneOf":[{"type":"number","exclusiveMinimum":0},{"type":"string","pattern":"^([0-9.]+(ns|us|µs|ms|s|m|h))+$"}]}`,
			reflect.TypeFor[marker]():      `{"oneOf":[{"type":"boolean"},{"type":"string","pattern":"^[^<>\u0060\"'\\\\\\s\\w]$"}]}`,
			reflect.TypeFor[weights]():     `{"oneOf":[{"type":"object","additionalProperties":{"type":"number"}},{"type":"string","minLength":1}]}`,
			reflect.TypeFor[cut]():         `{"oneOf":[{"type":"number"},{"type":"string","pattern":"^ *[-+0-9.eE]+ *(\\.\\. *[-+0-9.eE]+ *)?$"}]}`,
			reflect.TypeFor[modes]():       `{"type":"object","additionalProperties":{"enum":["interval","bands"]}}`,
			reflect.TypeFor[object]():      `{"type":"object"}`,
			reflect.TypeFor[params]():      `{"type":"object","additionalProperties":{"oneOf":[{"type":"string","minLength":1},{"type":"number"},{"type":"boolean"}]}}`,
			reflect.TypeFor[heat]():        `{"oneOf":[{"type":"number","minimum":0,"maximum":2},{"type":"null"}]}`,
			reflect.TypeFor[topP]():        `{"oneOf":[{"type":"number","minimum":0,"maximum":1},{"type":"null"}]}`,
			reflect.TypeFor[count]():       `{"oneOf":[{"type":"integer","minimum":1},{"type":"null"}]}`,
			reflect.TypeFor[seed]():        `{"oneOf":[{"type":"integer"},{"type":"null"}]}`,
			reflect.TypeFor[judgeEntry]():  `{"oneOf":[{"type":"string"},{"$ref":"#/$defs/judge"}]}`,
			reflect.TypeFor[scorerEntry](): `{"oneOf":[` + enum(spellings(deterministic.Names())) + `,{"$ref":"#/$defs/scorer"}]}`,
		},
		Patches: map[string]string{"gate": asksSomething, "scorer": scorerRules()},
		Define:  []any{judge{}, scorer{}},
	}, configFile{})
}

// scorerRules says which settings belong to which scorer.
func scorerRules() string {
	var rules []value.Value
	for _, s := range deterministic.Specs() {
		shared := []string{"type", "key", "display_name", "purpose", "label", "metrics", "config"}
		var settings []value.Member
		for _, o := range s.Settings {
			shared = append(shared, o.Name)
			settings = append(settings, value.Member{Key: o.Name, Value: settingSchema(o)})
		}
		own := value.OfObject(settings...)
		config := value.OfObject(
			value.Member{Key: "type", Value: value.OfString("object")},
			value.Member{Key: "properties", Value: own},
			value.Member{Key: "additionalProperties", Value: value.OfBool(false)})
		rules = append(rules, object1("if", object1("properties", object1("type", parsed(enum(spellings([]string{s.Name}))))).
			With("required", parsed(`["type"]`))).
			With("then", object1("properties", own.With("config", config)).With("propertyNames", parsed(enum(shared)))))
	}
	return object1("additionalProperties", value.OfBool(true)).With("allOf", value.OfList(rules...)).JSON()
}

func settingSchema(o deterministic.Setting) value.Value {
	var forms []value.Value
	for kind := range strings.SplitSeq(o.Type+" or null", " or ") {
		if kind == "string" && o.Words != nil {
			forms = append(forms, parsed(enum(o.Words)))
			continue
		}
		forms = append(forms, object1("type", value.OfString(kind)))
	}
	s := object1("anyOf", value.OfList(forms...))
	if o.Default != "" {
		s = s.With("default", parsed(o.Default))
	}
	return s.With("description", value.OfString(o.Says))
}

func object1(key string, v value.Value) value.Value {
	return value.OfObject(value.Member{Key: key, Value: v})
}

// parsed reads JSON that this package wrote.
func parsed(text string) value.Value {
	v, _ := value.ParseString(text)
	return v
}

// spellings adds to names with underscores those with hyphens.
func spellings(names []string) []string {
	var out []string
	for _, name := range names {
		out = append(out, name)
		if hyphens := strings.ReplaceAll(name, "_", "-"); hyphens != name {
			out = append(out, hyphens)
		}
	}
	return out
}

func enum(words []string) string {
	elems := make([]value.Value, len(words))
	for i, w := range words {
		elems[i] = value.OfString(w)
	}
	return `{"type":"string","enum":` + value.OfList(elems...).JSON() + `}`
}
