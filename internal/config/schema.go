package config

import (
	"reflect"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/environment"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// environmentBlock gives the block a name of its own in the schema.
type environmentBlock environment.Config

// asksSomething says what checkGate checks.
const asksSomething = `{
 "anyOf": [{"required":["min_pass_rate"]},{"required":["min_mean"]},{"required":["min_kappa"]},{"required":["min_coverage"]},{"required":["max_drop"]}],
 "dependentRequired": {"max_drop":["against"],"against":["max_drop"],"reference":["min_kappa"]}
}`

// Schemas of the types that have a form of their own in a file.
const (
	anObject = `{"type":"object"}`
	texts    = `{"oneOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`
	duration = `{"oneOf":[{"type":"number","exclusiveMinimum":0},{"type":"string","pattern":"^([0-9.]+(ns|us|µs|ms|s|m|h))+$"}]}`
	size     = `{"oneOf":[{"type":"integer","minimum":1},{"type":"string","pattern":"^[0-9]+ *([KMG]iB)?$"}]}`
	numbers  = `{"type":"object","additionalProperties":{"type":"number"}}`
	weights  = `{"oneOf":[` + numbers + `,{"type":"string","minLength":1}]}`
	scalars  = `{"type":"object","additionalProperties":{"oneOf":[{"type":"string","minLength":1},{"type":"number"},{"type":"boolean"}]}}`
	bands    = `{"type":"object","additionalProperties":{"oneOf":[{"type":"number"},{"type":"string","pattern":"^ *[-+0-9.eE]+ *(\\.\\. *[-+0-9.eE]+ *)?$"}]}}`
)

// Schema returns the JSON Schema of judge.yaml.
func Schema() (value.Value, error) {
	scorer := enum(hyphened(deterministic.Names()))
	return schema.Reflect(schema.ReflectConfig{
		Title: "judge.yaml", Description: "What judge runs: logs, judges, scorers and gates.", Closed: true,
		Types: map[reflect.Type]string{
			reflect.TypeFor[[]string]():               texts,
			reflect.TypeFor[Duration]():               duration,
			reflect.TypeFor[time.Duration]():          duration,
			reflect.TypeFor[Weights]():                weights,
			reflect.TypeFor[Thresholds]():             bands,
			reflect.TypeFor[Params]():                 scalars,
			reflect.TypeFor[refused]():                `false`,
			reflect.TypeFor[environment.Variables]():  `{"type":"object","additionalProperties":{"type":"string"}}`,
			reflect.TypeFor[environment.Tolerances](): `{"oneOf":[{"type":"number"},` + numbers + `]}`,
			reflect.TypeFor[[]Judge]():                `{"type":"array","items":{"oneOf":[{"type":"string"},{"$ref":"#/$defs/Judge"}]}}`,
			reflect.TypeFor[[]Scorer]():               `{"type":"array","items":{"oneOf":[` + scorer + `,{"$ref":"#/$defs/Scorer"}]}}`,
		},
		Fields: map[string]string{
			"Config.input_format":       enum(append([]string{""}, transcript.Formats()...)),
			"Config.environment":        `{"$ref":"#/$defs/environmentBlock"}`,
			"Judge.examples":            `{"oneOf":[{"enum":["messages","prompt","none"]},{"type":"integer","minimum":0},{"type":"string","pattern":"^[0-9]+$"}]}`,
			"Judge.datamarking":         `{"oneOf":[{"type":"boolean"},{"type":"string","pattern":"^[^<>\u0060\"'\\\\\\s\\w]$"}]}`,
			"Judge.temperature":         `{"oneOf":[{"type":"number","minimum":0,"maximum":2},{"type":"null"}]}`,
			"Judge.top_p":               `{"oneOf":[{"type":"number","minimum":0,"maximum":1},{"type":"null"}]}`,
			"Judge.max_tokens":          `{"oneOf":[{"type":"integer","minimum":1},{"type":"null"}]}`,
			"Judge.seed":                `{"oneOf":[{"type":"integer"},{"type":"null"}]}`,
			"Judge.verdict_mode":        `{"type":"object","additionalProperties":{"enum":["interval","bands"]}}`,
			"Config.labels":             `{"type":"object","additionalProperties":{"enum":["random"]}}`,
			"Judge.extra":               anObject,
			"Scorer.type":               scorer,
			"Scorer.config":             anObject,
			"environmentBlock.command":  `{"type":"array","items":{"type":"string"}}`,
			"environmentBlock.expected": `{"oneOf":[{"enum":["calls","state","none"]},{"$ref":"#/$defs/Expected"}]}`,
			"Limits.max_memory":         size,
			"Limits.max_reply":          size,
		},
		Patches: map[string]string{"Gate": asksSomething, "Scorer": scorerRules()},
		Define:  []any{Judge{}, Scorer{}, environmentBlock{}},
	}, Config{})
}

// scorerRules says which settings belong to which scorer.
func scorerRules() string {
	var rules []value.Value
	for _, s := range deterministic.Specs() {
		shared := []string{"type", "key", "display_name", "purpose", "label", "metrics", "config"}
		own := value.OfObject()
		for _, o := range s.Settings {
			shared = append(shared, o.Name)
			own = own.With(o.Name, settingSchema(o))
		}
		config := parsed(anObject).With("properties", own).With("additionalProperties", value.OfBool(false))
		rules = append(rules, object("if", object("properties",
			object("type", parsed(enum(hyphened([]string{s.Name}))))).
			With("required", parsed(`["type"]`))).
			With("then", object("properties", own.With("config", config)).With("propertyNames", parsed(enum(shared)))))
	}
	return object("additionalProperties", value.OfBool(true)).With("allOf", value.OfList(rules...)).JSON()
}

func settingSchema(o deterministic.Setting) value.Value {
	var forms []value.Value
	for kind := range strings.SplitSeq(o.Type+" or null", " or ") {
		if kind == "string" && o.Words != nil {
			forms = append(forms, parsed(enum(o.Words)))
			continue
		}
		forms = append(forms, object("type", value.OfString(kind)))
	}
	s := object("anyOf", value.OfList(forms...))
	if o.Default != "" {
		s = s.With("default", parsed(o.Default))
	}
	return s.With("description", value.OfString(o.Summary))
}

func object(key string, v value.Value) value.Value {
	return value.OfObject(value.Member{Key: key, Value: v})
}

// parsed reads JSON that this package wrote.
func parsed(text string) value.Value {
	v, _ := value.ParseString(text)
	return v
}

// hyphened adds to names with underscores those with hyphens.
func hyphened(names []string) []string {
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
