package rubrics

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// The five properties of every rubric's schema. Their order in a request is that
// of the rubric, not of this list.
const (
	KeyExplanation = "explanation"
	KeyEvidence    = "evidence"
	KeyOutput      = "output"
	KeyConfidence  = "confidence"
	KeyCorrection  = "correction"
)

// Keys returns the five required property names in the order that puts reasons
// before the number.
func Keys() []string {
	return []string{KeyExplanation, KeyEvidence, KeyOutput, KeyConfidence, KeyCorrection}
}

// The names of the built-in rubrics.
const (
	Intent       = "function_intent_alignment"
	Completeness = "parameter_completeness_consistency"
	Prerequisite = "prerequisite_satisfaction"
	Overall      = "overall_call_correctness"
)

// Bounds that the sent copy of a schema puts on free text, in characters: a string
// without a bound is the usual way a constrained request runs to its token limit.
const (
	MaxExplanation = 1500
	MaxEvidence    = 1000
)

// Rubric is one question to a judge. It is immutable and safe for concurrent use;
// Load makes them.
type Rubric struct {
	// Name identifies the score; it is unique within a file.
	Name string
	// Title and Description are the schema's own; the description is sent verbatim.
	Title, Description string
	// Schema is the stored schema with its thresholds, in the file's key order.
	Schema value.Value
	// Output is the scale and the pass band.
	Output Output
	// Confidence is the band in which an answer counts as sure, bounds included.
	Confidence Band
	// CompareWith names the scorers, as reports do, that measure what the rubric asks: its
	// verdicts are compared with them beside labels.
	CompareWith []string
	// Examples are the few-shot examples in the file's order.
	Examples []Example
	// SHA is the hex SHA-256 of the stored record as compact JSON in its own key
	// order: blanks do not count, everything else does.
	SHA string
	// File and Line say where the record starts; Line is 1-based.
	File string
	Line int

	// record holds the record's bytes, to find the line of a field.
	record []byte
	// keys are the property names in schema order.
	keys             []string
	sent, sentAsText value.Value
	// rules is the stored schema as answers are checked by it.
	rules *schema.Schema
}

// Output is the scale of a rubric's score.
type Output struct {
	// Integer says that only whole numbers are scores.
	Integer bool
	// Min and Max bound the scale, Low and High the pass band: Min ≤ Low ≤ High ≤
	// Max and Min < Max.
	Min, Max, Low, High float64
	// Description is the schema's own description of the number.
	Description string
}

// Band is a closed interval.
type Band struct{ Low, High float64 }

// Contains reports whether x is in the band, bounds included.
func (b Band) Contains(x float64) bool { return b.Low <= x && x <= b.High }

// PassBand returns the interval of passing scores.
func (o Output) PassBand() Band { return Band{o.Low, o.High} }

// Binary reports whether the scale has exactly two values.
func (o Output) Binary() bool { return o.Integer && o.Max-o.Min == 1 }

// Margin returns how near to Low a score is borderline: 0 for a binary scale, an
// eighth of the scale for integers (0.5 on 1..5), a tenth for numbers (0.1 on
// 0..1).
func (o Output) Margin() float64 {
	switch {
	case o.Binary():
		return 0
	case o.Integer:
		return (o.Max - o.Min) / 8
	}
	return (o.Max - o.Min) / 10
}

// Example is one few-shot example: a record and the answer that a good judge
// gives.
type Example struct {
	// Conversation holds the messages before the call, Tools the inventory, as the
	// file has them.
	Conversation, Tools []value.Value
	// Call is the judged call, an object with name and parameters.
	Call value.Value
	// Log is the record as the conversation of a log, whose last call is the judged one.
	Log *transcript.Conversation
	// Answer is the example's output with its keys in schema order.
	Answer value.Value
	// asWritten is the answer in the file's key order, for the linter.
	asWritten value.Value
	// recordAt and answerAt are the JSON Pointers of the two in the rubric.
	recordAt, answerAt string
}

// keyEnvelope is the key under which the published files nest an example's record.
const keyEnvelope = "user_kwargs"

// CallName returns the name of the example's call.
func (e Example) CallName() string { return e.Call.Field("name").Text() }

// CallParameters returns the arguments of the example's call, under either of the
// names in use.
func (e Example) CallParameters() value.Value {
	if v, ok := e.Call.Get("parameters"); ok {
		return v
	}
	return e.Call.Field("arguments")
}

// PropertyOrder returns the names of the schema's properties in their order.
func (r *Rubric) PropertyOrder() []string { return append([]string(nil), r.keys...) }

// SentSchema returns the schema as it is sent and printed: without thresholds,
// closed, with every property required in property order, with free text bounded, and
// without title and description, which every prompt states in words.
func (r *Rubric) SentSchema() value.Value { return r.sent }

// SentSchemaText is SentSchema with the correction as a string that holds a JSON
// object, for endpoints that refuse objects without fixed keys.
func (r *Rubric) SentSchemaText() value.Value { return r.sentAsText }

// Source returns the stored record on one line of compact JSON, keys in the
// file's order: what SHA is the digest of.
func (r *Rubric) Source() string {
	v, err := value.Parse(r.record)
	if err != nil {
		return ""
	}
	return v.JSON()
}

// finish derives what the fields that were read imply.
func (r *Rubric) finish(record value.Value) {
	sum := sha256.Sum256([]byte(record.JSON()))
	r.SHA = hex.EncodeToString(sum[:])
	for i := range r.Examples {
		r.Examples[i].Answer = r.ordered(r.Examples[i].asWritten)
	}
	r.sent = r.buildSent(false)
	r.sentAsText = r.buildSent(true)
}

// ordered puts the keys of an answer into schema order; keys that the schema does
// not have stay behind, in their own order.
func (r *Rubric) ordered(answer value.Value) value.Value {
	var members []value.Member
	for _, key := range r.keys {
		if v, ok := answer.Get(key); ok {
			members = append(members, value.Member{Key: key, Value: v})
		}
	}
	for key, v := range answer.Members() {
		if !r.Schema.Field("properties").Has(key) {
			members = append(members, value.Member{Key: key, Value: v})
		}
	}
	return value.OfObject(members...)
}

func (r *Rubric) buildSent(correctionAsText bool) value.Value {
	// Title and description are stated if the schema is shown.
	sent := withoutThresholds(r.Schema.Without("title", "description"))
	props := sent.Field("properties")
	props = props.With(KeyExplanation, bounded(props.Field(KeyExplanation), MaxExplanation))
	props = props.With(KeyEvidence, bounded(props.Field(KeyEvidence), MaxEvidence))
	if correctionAsText {
		props = props.With(KeyCorrection, textCorrection(props.Field(KeyCorrection)))
	}
	return r.closed(sent.With("properties", props))
}

// closed is a schema that demands every property of the rubric and allows no other key.
func (r *Rubric) closed(s value.Value) value.Value {
	s = s.With("type", value.OfString("object"))
	s = s.With("required", value.OfStrings(r.keys...))
	return s.With("additionalProperties", value.OfBool(false))
}

// bounded keeps the author's bound if there is one.
func bounded(property value.Value, limit int64) value.Value {
	if property.Has("maxLength") {
		return property
	}
	return property.With("maxLength", value.OfInt(limit))
}

func textCorrection(property value.Value) value.Value {
	text := "A JSON object as text."
	if d, ok := property.Field("description").Str(); ok {
		text = strings.TrimSpace(text + " " + d)
	}
	return value.Pairs("type", "string", "description", text)
}

// withoutThresholds drops threshold_low and threshold_high at every depth: a judge
// that sees the cut anchors on it.
func withoutThresholds(v value.Value) value.Value {
	if v.Kind() == value.Object {
		v = v.Without("threshold_low", "threshold_high")
	}
	return v.Each(func(_ string, e value.Value) value.Value { return withoutThresholds(e) })
}
