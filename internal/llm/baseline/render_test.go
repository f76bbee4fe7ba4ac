package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatal(text, err)
	}
	return v
}

func text(key, text string) value.Member { return value.Member{Key: key, Value: value.OfString(text)} }

// showCall returns a call as a prompt shows it.
func showCall(name, arguments string, more ...value.Member) value.Value {
	members := []value.Member{text("name", name)}
	if v, err := value.ParseString(arguments); err == nil && v.Kind() == value.Object {
		members = append(members, value.Member{Key: "parameters", Value: v})
	} else {
		members = append(members, text("parameters", arguments), value.Member{Key: "unparsed", Value: value.OfBool(true)})
	}
	return value.OfObject(append(members, more...)...)
}

func says(role, content string) value.Value {
	return value.OfObject(text("role", role), text("content", content))
}

// outcome returns the line of a call with its result.
func outcome(name, arguments, output string) value.Value {
	return showCall(name, arguments, text("role", "tool"), text("output", output))
}

// shown returns the record of a call.
func shown(tools, history []value.Value, call value.Value) *llm.Record {
	return &llm.Record{Tools: tools, History: history, Call: call}
}

func answerSchema(output string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"explanation":{"type":"string","maxLength":1500},"evidence":{"type":"string","maxLength":1000},` +
		`"output":` + output + `,"confidence":{"type":"number","minimum":0,"maximum":1},"correction":{"type":"object"}},` +
		`"required":["explanation","evidence","output","confidence","correction"],"additionalProperties":false}`)
}

var outputs = map[string]string{
	"function_intent_alignment":          `{"type":"integer","minimum":1,"maximum":5}`,
	"parameter_completeness_consistency": `{"type":"integer","minimum":1,"maximum":5}`,
	"prerequisite_satisfaction":          `{"type":"integer","minimum":0,"maximum":1}`,
	"overall_call_correctness":           `{"type":"number","minimum":0,"maximum":1}`,
}

type answer struct {
	Explanation string          `json:"explanation"`
	Evidence    string          `json:"evidence"`
	Output      float64         `json:"output"`
	Confidence  float64         `json:"confidence"`
	Correction  json.RawMessage `json:"correction"`
}

// send asks for a grade by a rubric on a scale, and returns the body of the reply.
func send(rubric, scale string, r *llm.Record) ([]byte, error) {
	own := *r
	own.Rubric, own.Schema = rubric, answerSchema(scale)
	reply, err := Sender{}.Send(context.Background(), &llm.Prepared{Request: &llm.Request{Model: Model, Record: &own}})
	return reply.Body, err
}

// ask grades by a rubric and reads the answer strictly.
func ask(rubric string, r *llm.Record) (answer, error) {
	body, err := send(rubric, outputs[rubric], r)
	if err != nil {
		return answer{}, err
	}
	reply, err := llm.ParseReply(body)
	if err != nil {
		return answer{}, err
	}
	dec := json.NewDecoder(strings.NewReader(reply.Content))
	dec.DisallowUnknownFields()
	var a answer
	if err := dec.Decode(&a); err != nil {
		return a, fmt.Errorf("%s: %w", reply.Content, err)
	}
	order := []string{`{"explanation":`, `,"evidence":`, `,"output":`, `,"confidence":`, `,"correction":`}
	var at []int
	for _, k := range order {
		at = append(at, strings.Index(reply.Content, k))
	}
	if at[0] != 0 || !slices.IsSorted(at) {
		return a, fmt.Errorf("keys out of order in %s", reply.Content)
	}
	return a, nil
}
