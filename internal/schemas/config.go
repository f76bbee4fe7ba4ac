package schemas

import (
	"reflect"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

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

type (
	texts  []string
	object map[string]value.Value
)

// asksSomething says what package config checks behind the shape of a gate.
const asksSomething = `{
 "anyOf": [{"required":["min_pass_rate"]},{"required":["min_mean"]},{"required":["min_kappa"]},{"required":["min_coverage"]},{"required":["max_drop"]}],
 "dependentRequired": {"max_drop":["against"],"against":["max_drop"],"reference":["min_kappa"]}
}`

const (
	textsSchema  = `{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`
	objectSchema = `{"type":"object"}`
)

func configSchema() (value.Value, error) {
	scorer := enum(spellings(deterministic.Names()))
	scorers := `{"type":"array","items":{"oneOf":[` + scorer + `,{"$ref":"#/$defs/Scorer"}]}}`
	return schema.Reflect(schema.ReflectConfig{
		Title: "judge.yaml", Description: "What judge runs, by whom, and what must come of it.", Closed: true,
		Types: map[reflect.Type]string{
			reflect.TypeFor[[]string]():             textsSchema,
			reflect.TypeFor[texts]():                textsSchema,
			reflect.TypeFor[object]():               objectSchema,
			reflect.TypeFor[time.Duration]():        `{"oneOf":[{"type":"number","exclusiveMinimum":0},{"type":"string","pattern":"^([0-9.]+(ns|us|µs|ms|s|m|h))+$"}]}`,
			reflect.TypeFor[[]config.Weight]():      `{"oneOf":[{"type":"object","additionalProperties":{"type":"number"}},{"type":"string","minLength":1}]}`,
			reflect.TypeFor[[]report.Threshold]():   `{"type":"object","additionalProperties":{"oneOf":[{"type":"number"},{"type":"string","pattern":"^ *[-+0-9.eE]+ *(\\.\\. *[-+0-9.eE]+ *)?$"}]}}`,
			reflect.TypeFor[[]config.VerdictMode](): `{"type":"object","additionalProperties":{"enum":["interval","bands"]}}`,
			reflect.TypeFor[[]config.Param]():       `{"type":"object","additionalProperties":{"oneOf":[{"type":"string","minLength":1},{"type":"number"},{"type":"boolean"}]}}`,
			reflect.TypeFor[[]config.Judge]():       `{"type":"array","items":{"oneOf":[{"type":"string"},{"$ref":"#/$defs/Judge"}]}}`,
			reflect.TypeFor[[]config.Scorer]():      scorers,
		},
		Fields: map[string]string{
			"Config.input_format": enum(append([]string{""}, transcript.Formats()...)),
			"Config.environment":  `{"$ref":"#/$defs/environment"}`,
			"Judge.examples":      `{"oneOf":[{"enum":["messages","prompt","none"]},{"type":"integer","minimum":0},{"type":"string","pattern":"^[0-9]+$"}]}`,
			"Judge.datamarking":   `{"oneOf":[{"type":"boolean"},{"type":"string","pattern":"^[^<>\u0060\"'\\\\\\s\\w]$"}]}`,
			"Judge.temperature":   `{"oneOf":[{"type":"number","minimum":0,"maximum":2},{"type":"null"}]}`,
			"Judge.top_p":         `{"oneOf":[{"type":"number","minimum":0,"maximum":1},{"type":"null"}]}`,
			"Judge.max_tokens":    `{"oneOf":[{"type":"integer","minimum":1},{"type":"null"}]}`,
			"Judge.seed":          `{"oneOf":[{"type":"integer"},{"type":"null"}]}`,
			"Judge.extra":         objectSchema,
			"Scorer.type":         scorer,
			"Scorer.config":       objectSchema,
		},
		Patches: map[string]string{"Gate": asksSomething, "Scorer": scorerRules()},
		Define:  []any{config.Judge{}, config.Scorer{}, environment{}},
	}, config.Config{})
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
