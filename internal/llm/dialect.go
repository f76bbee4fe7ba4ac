package llm

import (
	"encoding/json"

	"github.com/judgekit/judge/internal/value"
)

// Lowered is a schema as it is sent to one kind of server: each refuses some keywords,
// takes and ignores others, and breaks over a few. The copy never demands more than the
// schema does, but for the closed objects and full lists of keys that strict schemas
// consist of, and what it no longer says is named. Whoever asked checks the answer
// against the whole schema, whatever was sent.
//
// The table was measured on Ollama 0.17.4 and 0.32.15 and llama-server b10587, and read
// from the sources of vLLM (2026-08-17) and SGLang (2026-09) and from the documentation
// of hosted services.
type Lowered struct {
	// Schema is the copy, byte for byte the original where nothing had to change.
	Schema json.RawMessage
	// Dropped names what the copy no longer says, as "pointer: what became of it", in
	// the schema's order. Ignored holds the pointers of keywords that are sent and that
	// the server is known not to enforce.
	Dropped, Ignored []string
}

// Lower returns the schema as a kind of server takes it. strict is that of the request,
// which only hosted services look at. A schema that is not JSON stays as it is.
func Lower(schema json.RawMessage, kind Kind, strict bool) Lowered {
	r := rulesOf(kind, strict)
	if r == nil {
		return Lowered{Schema: schema}
	}
	v, err := value.ParseString(string(schema))
	if err != nil {
		return Lowered{Schema: schema}
	}
	l := &lowering{rules: r}
	out := l.schema("", v, 0)
	low := Lowered{Schema: schema, Dropped: l.dropped, Ignored: l.ignored}
	if l.changed {
		low.Schema = json.RawMessage(out.JSON())
	}
	return low
}

// rules are what is known of one kind of server.
type rules struct {
	// refused keywords are left out: requests fail over them, or change their engine.
	refused []string
	// known, where it is set, are the only keywords that pass.
	known []string
	// idle keywords are sent and not enforced; ranges says so of number bounds.
	idle   []string
	ranges bool
	// formats are the values of "format" that are known; nil knows all.
	formats []string
	// repeat is how often a rule of the grammar may be repeated; 0 is no limit.
	repeat int64
	// anchored says that a pattern counts only from ^ to $ and without look-around, and
	// that any other takes the bounds on the length with it.
	anchored bool
	// single allows one of pattern, format and length on a text.
	single bool
	// whole bounds are needed on integers.
	whole bool
	// closed objects with every key required are needed.
	closed bool
}

// beyondGrammars are keywords that xgrammar's callers refuse.
var beyondGrammars = [...]string{
	"multipleOf", "uniqueItems", "contains", "minContains", "maxContains", "not", "if", "then", "else",
	"dependentRequired", "dependentSchemas", "dependencies",
}

// rulesOf is the table; nil where schemas pass as they are.
func rulesOf(kind Kind, strict bool) *rules {
	switch kind {
	case KindOllama, KindLlamaCPP:
		// llama.cpp's grammars. Ollama 0.17 ends its runner, and every request in flight
		// with it, on more repetitions than these.
		return &rules{
			idle: []string{"multipleOf", "uniqueItems", "not", "if", "then", "else"}, ranges: true, repeat: 2000, anchored: true,
		}
	case KindSGLang:
		return &rules{refused: beyondGrammars[:], formats: grammarFormats[:], single: true, whole: true}
	case KindVLLM:
		// With its xgrammar back end these are refused; otherwise they only move a
		// request to a slower one, in the middle of a run.
		return &rules{
			refused: append(beyondGrammars[:], "patternProperties", "propertyNames"), formats: grammarFormats[:], single: true, whole: true,
		}
	case KindOpenAI, KindUnknown, "":
		if strict {
			return &rules{known: strictKeywords[:], formats: strictFormats[:], closed: true}
		}
	}
	return nil
}

// grammarFormats are those that vLLM has for xgrammar.
var grammarFormats = [...]string{
	"email", "date", "time", "date-time", "duration", "ipv4", "ipv6", "hostname", "uuid", "uri", "uri-reference", "uri-template",
	"json-pointer", "relative-json-pointer",
}

// strictKeywords are those of hosted services' strict schemas; the lengths of texts are
// not among them everywhere.
var strictKeywords = [...]string{
	"title", "description", "type", "properties", "required", "additionalProperties", "enum", "const", "anyOf", "items", "$ref", "$defs",
	"pattern", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems",
}

var strictFormats = [...]string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
