package config

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/environment"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// Environment gives the block a name of its own in the schema.
type Environment environment.Config

// formsText holds the schemas of types and fields that have a form of their own in a file: types by
// name, fields by type and key.
//
//go:embed forms.json
var formsText []byte

// keysText describes the keys, one per line: type and key, blanks, description.
//
//go:embed keys.txt
var keysText string

func descriptions() map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(keysText) {
		key, text, _ := strings.Cut(line, " ")
		out[key] = strings.TrimSpace(text)
	}
	return out
}

// Schema returns the JSON Schema of judge.yaml.
func Schema() (value.Value, error) {
	var forms map[string]json.RawMessage
	if err := json.Unmarshal(formsText, &forms); err != nil {
		return value.Value{}, err
	}
	scorer := enum(hyphened(deterministic.Names()))
	fields := map[string]string{"Config.input_format": enum(append([]string{"", format.Mapped}, format.Formats()...)),
		"Scorer.type": scorer}
	for name, form := range forms {
		if strings.Contains(name, ".") {
			fields[name] = string(form)
		}
	}
	of := func(name string) string { return string(forms[name]) }
	return schema.Reflect(schema.ReflectConfig{
		Title: "judge.yaml", Description: "What judge runs: logs, judges, scorers and gates.", Closed: true,
		Types: map[reflect.Type]string{
			reflect.TypeFor[[]string]():               of("texts"),
			reflect.TypeFor[[]judges.Reason]():        of("texts"),
			reflect.TypeFor[Duration]():               of("duration"),
			reflect.TypeFor[time.Duration]():          of("duration"),
			reflect.TypeFor[Weights]():                of("weights"),
			reflect.TypeFor[Thresholds]():             of("bands"),
			reflect.TypeFor[Params]():                 of("scalars"),
			reflect.TypeFor[refused]():                of("refused"),
			reflect.TypeFor[Retest]():                 `{"enum":[true,false,"together"]}`,
			reflect.TypeFor[environment.Variables]():  of("variables"),
			reflect.TypeFor[environment.Tolerances](): of("tolerances"),
			reflect.TypeFor[[]Judge]():                of("judges"),
			reflect.TypeFor[[]Scorer](): `{"type":"array","items":{"oneOf":[` + scorer +
				`,{"$ref":"#/$defs/Scorer"}]}}`,
		},
		Fields: fields, Describe: descriptions(), Define: []any{Judge{}, Scorer{}, Environment{}},
		Patches: map[string]string{"Gate": of("gateAsksSomething"), "Scorer": scorerRules()},
	}, Config{})
}

// scorerRules says which settings belong to which scorer.
func scorerRules() string {
	var rules []value.Value
	for _, s := range deterministic.All {
		shared := []string{"type", "key", "display_name", "purpose", "label", "metrics", "config"}
		own := value.OfObject()
		for _, o := range s.Settings() {
			shared = append(shared, o.Name)
			own = own.With(o.Name, settingSchema(o))
		}
		config := object("type", value.OfString("object")).With("properties", own).
			With("additionalProperties", value.OfBool(false))
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
		form := object("type", value.OfString(kind))
		if kind == "number" { // weights and thresholds
			form = form.With("minimum", value.OfInt(0)).With("maximum", value.OfInt(1))
		}
		forms = append(forms, form)
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
