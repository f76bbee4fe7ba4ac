// Package baseline is a judge without a language model: a Sender in this process that grades
// tool calls by published rules.
//
// It reads the [llm.Record] of a request, which holds what the prompt shows to a model and nothing
// else, and answers with the same JSON object as a model. A real judge has to beat it, and with it
// the toolkit works without any endpoint. Its name, [Model], is used wherever a model's name is.
//
// # The rules
//
// rules.go lists them with their figures. In short: the tool exists; the arguments can be read and
// fit the tool's schema; each argument value was given before by the user, the system or a tool;
// the same call was not made before; a tool that failed is not called again without something
// learned since; a change of state was confirmed by the user and follows no failed step. The grade
// is the worst figure among the rules that fired (the overall grade loses 0.05 more for each
// further one), 0.95 or the scale's maximum if none did, mapped onto the bounds of the schema's
// output.
//
// # Promises
//
// It answers the built-in rubrics only: it has no rule for another question.
// The same request gives the same bytes. Quotes in the evidence are verbatim from the
// record; a claim that something is absent begins with NONE:. No rule knows a tool, a
// domain or a data set by name. The word lists are English; records in other scripts skip
// the rule that needs them. Usage is not reported, because there are no tokens.
package baseline

import (
	"context"
	"fmt"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
)

const (
	// Model is the baseline's model name.
	Model = "baseline-rules"
	// Version is the version of the rules. It changes if any answer can change.
	Version = "2"
)

// Sender answers requests by the rules of this package. It implements llm.Sender.
type Sender struct{}

// Send implements llm.Sender.
func (Sender) Send(_ context.Context, req *llm.Prepared) (llm.RawReply, error) {
	shown := req.Record
	switch {
	case shown == nil:
		return llm.RawReply{}, refuse("the request has no record of a tool call")
	case !HasRules(shown.Rubric):
		return llm.RawReply{}, refuse("no rule for rubric " + plain(shown.Rubric) + "; " + Model +
			" answers the four that run by default")
	}
	schema, err := value.Parse(shown.Schema)
	if err != nil {
		return llm.RawReply{}, refuse("the answer's schema is not JSON")
	}
	g := &grader{record: readRecord(shown)}
	g.run()
	answer := g.verdict(shown.Rubric).answer(schema).JSON()
	body := fmt.Appendf(nil, `{"id":"chatcmpl-%x","object":"chat.completion","created":0,"model":"%s",`+
		`"system_fingerprint":"%s/%s","choices":[{"index":0,"message":{"role":"assistant","content":%s},`+
		`"finish_reason":"stop"}]}`,
		req.Fingerprint[:12], Model, Model, Version, value.OfString(answer).JSON())
	return llm.RawReply{Status: 200, Body: body}, nil
}

func refuse(message string) *llm.Error {
	return &llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: message}
}
