package llm

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// Kind is the server software of an endpoint.
type Kind string

// The kinds of servers that the package knows. An empty Kind counts as KindUnknown.
const (
	KindUnknown  Kind = "unknown"
	KindOpenAI   Kind = "openai"
	KindVLLM     Kind = "vllm"
	KindOllama   Kind = "ollama"
	KindLlamaCPP Kind = "llama.cpp"
	KindSGLang   Kind = "sglang"
	KindLMStudio Kind = "lmstudio"
	KindBaseline Kind = "baseline"
)

// Lower adapts a schema to a kind of server. Each kind refuses some keywords, ignores others, and
// fails over a few. The result is byte for byte the original if nothing has to change, and never
// demands more than the schema does; the caller checks the answer against the full schema.
// unenforced lists what the server does not enforce, as "pointer: what became of it". strict is the
// request's setting, which matters only for hosted services. A schema that is not JSON is returned
// unchanged.
func Lower(full json.RawMessage, kind Kind, strict bool) (sent json.RawMessage, unenforced []string) {
	d := dialectOf(kind, strict)
	v, err := value.ParseString(string(full))
	if d == nil || err != nil {
		return full, nil
	}
	l := lowering{dialect: d}
	if out := l.schema("", v, 0); l.changed {
		return json.RawMessage(out.JSON()), l.unenforced
	}
	return full, l.unenforced
}

// dialect says which parts of a schema one kind of server accepts. It was measured on Ollama 0.17.4
// and 0.32.15 and llama-server b10587, and read from the sources of vLLM (2026-08-17) and SGLang
// (2026-09) and from the documentation of hosted services.
type dialect struct {
	// refused lists keywords that are left out: requests with them fail, or are handed to another
	// engine.
	refused []string
	// known, if set, lists the only keywords that are sent.
	known []string
	// formats, if set, lists the values of "format" that are sent.
	formats []string
	// idle lists keywords that are sent but not enforced; ranges says that minimum and maximum are
	// not enforced for numbers other than integers.
	idle   []string
	ranges bool
	// repeat is the greatest length limit that is sent; 0 means no limit.
	repeat float64
	// grammar says that the server uses xgrammar: it accepts only whole bounds for integers, and
	// one of pattern, format and length for a text.
	grammar bool
}

// grammarRefuses lists keywords that servers with xgrammar refuse.
var grammarRefuses = []string{
	"multipleOf", "uniqueItems", "contains", "minContains", "maxContains", "not", "if", "then", "else",
	"dependentRequired", "dependentSchemas", "dependencies",
}

// grammarFormats lists the formats that vLLM supports with xgrammar.
var grammarFormats = []string{
	"email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri", "uri-reference",
	"uri-template", "json-pointer", "relative-json-pointer",
}

var (
	// llamaGrammar describes llama.cpp, which supports few patterns. On longer repetitions Ollama
	// 0.17 crashes its runner, and loses every request in flight.
	llamaGrammar = dialect{
		refused: []string{"pattern"}, repeat: 2000, ranges: true,
		idle: []string{"multipleOf", "uniqueItems", "not", "if", "then", "else"},
	}
	sglang = dialect{refused: grammarRefuses, formats: grammarFormats, grammar: true}
	// vllm refuses these keywords with its xgrammar back end; without that setting they move a
	// request to a slower back end in the middle of a run.
	vllm = dialect{
		refused: append(slices.Clone(grammarRefuses), "patternProperties", "propertyNames"),
		formats: grammarFormats, grammar: true,
	}
	// hostedStrict lists the keywords of hosted services' strict schemas. Not every service
	// supports lengths of texts, so they are left out.
	hostedStrict = dialect{
		known: []string{
			"title", "description", "type", "properties", "required", "additionalProperties", "enum", "const", "anyOf",
			"items", "$ref", "$defs", "pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
			"multipleOf", "minItems", "maxItems",
		},
		formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
	}
)

// dialectOf returns the dialect of a kind of server; nil if schemas can be sent unchanged.
func dialectOf(kind Kind, strict bool) *dialect {
	switch kind {
	case KindOllama, KindLlamaCPP:
		return &llamaGrammar
	case KindSGLang:
		return &sglang
	case KindVLLM:
		return &vllm
	case KindOpenAI, KindUnknown, "":
		if strict {
			return &hostedStrict
		}
	}
	return nil
}

// annotations lists keywords that restrict nothing.
var annotations = []string{
	"default", "examples", "$schema", "$comment", "$id", "$anchor", "deprecated", "readOnly", "writeOnly",
	"threshold_low", "threshold_high", "contentEncoding", "contentMediaType", "contentSchema", "title", "description",
}

// maxDepth limits how deep a schema is adapted; anything deeper is sent unchanged.
const maxDepth = 64

// lowering holds the state of one pass over a schema.
type lowering struct {
	*dialect
	unenforced []string
	changed    bool
}

// schema returns the adapted copy of a schema; at is its JSON Pointer.
func (l *lowering) schema(at string, v value.Value, depth int) value.Value {
	if v.Kind() != value.Object || depth > maxDepth {
		return v
	}
	var members []value.Member
	for key, operand := range v.Members() {
		here := at + "/" + value.EscapePointer(key)
		operand, why := l.keyword(here, key, operand, v, depth)
		if why != "" && !slices.Contains(annotations, key) {
			l.unenforced = append(l.unenforced, here+": "+why)
		}
		if why != "" && why != idle {
			l.changed = true
		}
		if why != notSent {
			members = append(members, value.Member{Key: key, Value: operand})
		}
	}
	return value.OfObject(members...)
}

const (
	notSent = "not sent"
	idle    = "sent, and not enforced there"
)

// keyword returns the adapted operand of one keyword, and what was changed; "" if the server
// enforces it unchanged.
func (l *lowering) keyword(here, key string, operand, around value.Value, depth int) (value.Value, string) {
	integer := around.Field("type").Text() == "integer"
	n, isNumber := operand.Float64()
	format, _ := operand.Str()
	switch {
	case slices.Contains(l.refused, key), l.known != nil && !slices.Contains(l.known, key),
		key == "format" && l.formats != nil && !slices.Contains(l.formats, format),
		l.grammar && (key == "pattern" || key == "format") && (around.Has("maxLength") || around.Has("minLength")),
		l.grammar && key == "pattern" && around.Has("format"):
		return operand, notSent
	case slices.Contains(l.idle, key), l.ranges && bounds[key] != nil && !integer:
		return l.nested(here, key, operand, depth), idle
	case l.repeat > 0 && isNumber && n > l.repeat && slices.Contains(lengths, key):
		most := strconv.FormatFloat(l.repeat, 'f', -1, 64)
		return value.OfNumber(most), "sent as " + most
	case l.grammar && isNumber && integer && bounds[key] != nil && math.Abs(n) < 1<<52:
		whole := value.OfInt(int64(bounds[key](n)))
		l.changed = l.changed || whole.Text() != operand.Text()
		return whole, ""
	}
	return l.nested(here, key, operand, depth), ""
}

var lengths = []string{"maxLength", "maxItems", "minLength", "minItems"}

// bounds maps each keyword that limits numbers to a function that rounds the limit to the whole
// number with the same meaning for integers.
var bounds = map[string]func(float64) float64{
	"minimum": math.Ceil, "exclusiveMaximum": math.Ceil, "maximum": math.Floor, "exclusiveMinimum": math.Floor,
}

// nested adapts the schemas inside a keyword's operand.
func (l *lowering) nested(here, key string, operand value.Value, depth int) value.Value {
	return schema.Within(key, operand, func(at string, sub value.Value) value.Value {
		return l.schema(here+at, sub, depth+1)
	})
}
