package prompt

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

const togetherText = "There are several rubrics. Answer with one JSON object alone, no code fence, with one key for " +
	"each rubric, its name, in this order: %s. Grade by each rubric on its own: the grade by one is no reason for " +
	"the grade by another."

// NewTogetherFrame returns the frame for several rubrics of a scope that one answer covers. It has
// no examples, because an example shows the answer for a single rubric.
func NewTogetherFrame(list []*rubrics.Rubric, o Options) *Frame {
	var names []string
	texts := ""
	for _, r := range list {
		names = append(names, r.Name)
		texts += "\n\nRubric " + r.Name + "\n\n" + gradeText(r, "Its answer has exactly these keys in this order: ")
	}
	scope, schema := list[0].Scope, schemaTitle+TogetherSchema(list, briefSchema).JSON()
	text := o.systemText(scope, fmt.Sprintf(togetherText, strings.Join(names, ", "))+texts, schema)
	messages := []message{{Role: "system", Content: text}}
	ending := Ending{Closing: "Grade " + wordingOf(scope).graded + " by each rubric. Answer with JSON only."}
	cost := float64(o.Limit.Estimate(messages)) + o.Limit.CostOf(ending.Closing)
	return &Frame{Messages: [][]message{messages[:1:1]}, Endings: []Ending{ending}, Costs: []float64{cost}}
}

// TogetherSchema returns the schema of an answer for several rubrics: an object with each rubric's
// answer under the rubric's name.
func TogetherSchema(list []*rubrics.Rubric, schemaOf func(*rubrics.Rubric) value.Value) value.Value {
	var props []value.Member
	var names []string
	for _, r := range list {
		props, names = append(props, value.Member{Key: r.Name, Value: schemaOf(r)}), append(names, r.Name)
	}
	return value.Pairs("type", "object", "properties", value.OfObject(props...), "required", value.OfStrings(names...),
		"additionalProperties", false)
}
