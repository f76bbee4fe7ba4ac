package rubrics

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
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

// Keys returns the five required property names in the order that puts reasons before the number.
func Keys() []string {
	return []string{KeyExplanation, KeyEvidence, KeyOutput, KeyConfidence, KeyCorrection}
}

// Scope says what a rubric judges as one item.
type Scope string

// The scopes: a call before it happens, a call with its result, what happens from one message of
// the user to the assistant's last word, and a whole conversation.
const (
	ScopeCall         Scope = "call"
	ScopeResult       Scope = "result"
	ScopeTurn         Scope = "turn"
	ScopeConversation Scope = "conversation"
)

// Scopes returns all scopes, the usual one first.
func Scopes() []Scope { return []Scope{ScopeCall, ScopeResult, ScopeTurn, ScopeConversation} }

// OfCalls reports whether an item is one call.
func (s Scope) OfCalls() bool { return s == ScopeCall || s == ScopeResult }

// Combine is the way in which the answers about several segments become one.
type Combine string

// The ways to combine: a pass in any segment, a pass in all, the mean of numbers, the last answer.
const (
	CombineAny  Combine = "any"
	CombineAll  Combine = "all"
	CombineMean Combine = "mean"
	CombineLast Combine = "last"
)

// The names of the rubrics that run by default, and the name of the one about goals.
const (
	Intent       = "function_intent_alignment"
	Completeness = "parameter_completeness_consistency"
	Prerequisite = "prerequisite_satisfaction"
	Overall      = "overall_call_correctness"
	GoalReached  = "goal_reached"
)

// Bounds that the sent copy of a schema puts on free text, in characters: a string
// without a bound is the usual way a constrained request runs to its token limit.
const (
	MaxExplanation = 1500
	MaxEvidence    = 1000
)

// Rubric is one question to a judge. It is immutable and safe for concurrent use; Load makes them.
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
	// Scope says what the rubric judges as one item.
	Scope Scope
	// Combine says how the answers about the segments of a long turn or conversation become one;
	// "" for other scopes.
	Combine Combine
	// When holds for the calls that the rubric asks about; nil asks about all.
	When *When
	// Language names the language of the explanation, "" for no particular one.
	Language string
	// SeesExpected says that the prompt shows the expected calls or answer, as far as the log has them;
	// the name then holds the word expected.
	SeesExpected bool
	// CompareWith names the scorers, as reports do, that measure what the rubric asks: its
	// verdicts are compared with them beside labels.
	CompareWith []string
	// Examples are the few-shot examples in the file's order.
	Examples []Example
	// Retrieve is the number of examples in a prompt, those most similar to what is judged; 0 shows
	// the same ones in every prompt.
	Retrieve int
	// Guidelines are rules learned from labels; Description ends with them.
	Guidelines []string
	// Aligned says which labels the rubric was made from, nil for a rubric that a person wrote.
	Aligned *Aligned
	// SHA is the hex SHA-256 of the record in the published form, as compact JSON in its own
	// key order: blanks do not count, everything else does.
	SHA string
	// File and Line say where the record starts; Line is 1-based.
	File string
	Line int

	// record holds the record as published, origin where its parts stand in the file.
	record value.Value
	origin origin
	// keys are the property names in schema order.
	keys             []string
	sent, sentAsText value.Value
	// list and verdict are the parts of worst_of, "" without it.
	list, verdict string
	// rules is the stored schema, compiled to check answers.
	rules *schema.Schema
}

// Example is one few-shot example: a record and the answer that a good judge gives.
type Example struct {
	// Conversation holds the messages before the call, Tools the inventory, as the file has them.
	Conversation, Tools []value.Value
	// Call is the judged call, an object with name and parameters; null if the example is of a
	// turn or a conversation. With its result it is the last call of Conversation.
	Call value.Value
	// Log is the record as the conversation of a log, whose last call is the judged one if there
	// is one.
	Log *transcript.Conversation
	// Answer is the example's output with its keys in schema order.
	Answer value.Value
	// Task is the key of the task to which the record belongs, "" if unknown. An example is never
	// retrieved for another trial of its own task.
	Task string
	// asWritten is the answer with its keys in the file's order, for the linter.
	asWritten value.Value
	// recordAt and answerAt are the JSON Pointers of the record and of the answer in the rubric.
	recordAt, answerAt string
}

// keyEnvelope is the key under which the published files nest an example's record.
const keyEnvelope = "user_kwargs"

// CallName returns the name of the example's call.
func (e Example) CallName() string { return e.Call.Field("name").Text() }

// CallParameters returns the arguments of the example's call, under either of the names in use.
func (e Example) CallParameters() value.Value {
	if v, ok := e.Call.Get("parameters"); ok {
		return v
	}
	return e.Call.Field("arguments")
}

// PropertyOrder returns the names of the schema's properties in their order.
func (r *Rubric) PropertyOrder() []string { return append([]string(nil), r.keys...) }

// SentSchema returns the schema as it is sent and printed: without thresholds, closed, with every
// property required in property order, with free text bounded, without the title, and without the
// description, which every prompt states in words.
func (r *Rubric) SentSchema() value.Value { return r.sent }

// SentSchemaText is SentSchema with the correction as a string that holds a JSON
// object, for endpoints that refuse objects without fixed keys.
func (r *Rubric) SentSchemaText() value.Value { return r.sentAsText }

// Asks reports whether an answer has a property, such as KeyCorrection.
func (r *Rubric) Asks(key string) bool { return slices.Contains(r.keys, key) }

// Source returns the record in the published form on one line of compact JSON, keys in
// the file's order: what SHA is the digest of.
func (r *Rubric) Source() string { return r.record.JSON() }

// finish derives further fields from those that were read.
func (r *Rubric) finish() {
	sum := sha256.Sum256([]byte(r.record.JSON()))
	r.SHA = hex.EncodeToString(sum[:])
	for i := range r.Examples {
		r.Examples[i].Answer = r.reorder(r.Examples[i].asWritten)
	}
	r.sent = r.buildSent(false)
	r.sentAsText = r.buildSent(true)
}

// reorder puts the keys of an answer into schema order; unknown keys come last, in their own order.
func (r *Rubric) reorder(answer value.Value) value.Value {
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
	// The prompt states the description beside the schema, and no judge needs the title.
	sent := withoutThresholds(r.Schema.Without("title", "description"))
	props := sent.Field("properties")
	props = props.With(KeyExplanation, withMaxLength(props.Field(KeyExplanation), MaxExplanation))
	props = props.With(KeyEvidence, withMaxLength(props.Field(KeyEvidence), MaxEvidence))
	props = props.With(KeyOutput, r.Output.sent(props.Field(KeyOutput)))
	if correctionAsText && r.Asks(KeyCorrection) {
		props = props.With(KeyCorrection, textCorrection(props.Field(KeyCorrection)))
	}
	return r.closeSchema(sent.With("properties", props))
}

// closeSchema returns a schema that demands every property of the rubric and allows no other key.
func (r *Rubric) closeSchema(s value.Value) value.Value {
	s = s.With("type", value.OfString("object"))
	s = s.With("required", value.OfStrings(r.keys...))
	return s.With("additionalProperties", value.OfBool(false))
}

// withMaxLength limits the length of a text unless the author did.
func withMaxLength(property value.Value, limit int64) value.Value {
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
