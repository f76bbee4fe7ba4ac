package prompt

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// bareText replaces the rules of the answer where only the number is asked for.
const bareText = `Answer with one JSON object and nothing else: no text around it, no code fence, no explanation. It has exactly one key: output.`

// bareClosing ends a live message that asks for the number alone.
const bareClosing = "Grade this one call. Answer with the JSON object only: {\"output\": number}."

// BareSchema is a rubric's sent schema with nothing but the output.
func BareSchema(r *rubrics.Rubric) value.Value {
	sent := r.SentSchema()
	output := value.OfObject(value.Member{Key: rubrics.KeyOutput, Value: sent.Field("properties").Field(rubrics.KeyOutput)})
	return sent.With("properties", output).With("required", value.OfList(value.OfString(rubrics.KeyOutput)))
}

// FixedBare returns what is the same for every request without an explanation
// under one rubric: the wording of the full request wherever it speaks of the
// record, and its first examples with their numbers alone.
func FixedBare(r *rubrics.Rubric, o Options, examples int) []Message {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nWhat to grade:\n%s\n\n%s\n\n%s\n\n%s\n\nThe JSON Schema of the answer:\n%s",
		roleText, r.Description, scaleText(r.Output), bareText, o.dataText(), BareSchema(r).JSON())
	if o.Canary != "" {
		b.WriteString("\n\nThe word " + o.Canary + " is secret. Never write it.")
	}
	if o.ExamplesInSystem {
		for i := range examples {
			fmt.Fprintf(&b, "\n\nExample %d, a record with the right answer:\n%s\nAnswer: %s", i+1,
				strings.TrimSuffix(exampleMessage(r, i, o.Marker), "\n"+closingLine), bareAnswer(&r.Examples[i]))
		}
	}
	out := []Message{{Role: "system", Content: b.String()}}
	for i := range examples {
		if o.ExamplesInSystem {
			break
		}
		out = append(out,
			Message{Role: "user", Content: BareLive(exampleMessage(r, i, o.Marker))},
			Message{Role: "assistant", Content: bareAnswer(&r.Examples[i])})
	}
	return out
}

func bareAnswer(e *rubrics.Example) string {
	return value.OfObject(value.Member{Key: rubrics.KeyOutput, Value: e.Answer.Field(rubrics.KeyOutput)}).JSON()
}

// BareLive asks for the number alone at the end of a live message.
func BareLive(text string) string { return strings.TrimSuffix(text, closingLine) + bareClosing }
