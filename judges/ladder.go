package judges

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
)

// demoteAfter is on how many different items the same refusal of a transport must be
// met before the judge goes one step down the ladder.
const demoteAfter = 3

// maxRefusals bounds the different refusals that are counted under one transport.
const maxRefusals = 64

// refusals are the items on which a transport was refused, by what the server said.
type refusals map[string][]string

// add notes a refusal, and returns on how many items the server has said the same.
func (r refusals) add(message, item string) int {
	list, known := r[message]
	if !known && len(r) >= maxRefusals {
		return 0
	}
	if !slices.Contains(list, item) {
		list = append(list, item)
		r[message] = list
	}
	return len(list)
}

// below returns the next step down the ladder.
func below(t llm.Transport) (llm.Transport, bool) {
	ladder := llm.Ladder()
	i := rung(t)
	if i < 0 || i+1 >= len(ladder) {
		return t, false
	}
	return ladder[i+1], true
}

// rung is how far down the ladder a transport stands.
func rung(t llm.Transport) int { return slices.Index(llm.Ladder(), t) }

// refusal counts a 400 that names a transport. The same on three different items demotes
// the judge one step.
func (j *Judge) refusal(used llm.Transport, item, message string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	next, ok := below(used)
	if used != j.transport || !ok {
		return
	}
	if j.refused == nil {
		j.refused = refusals{}
	}
	if j.refused.add(sameWords(message), item) < demoteAfter {
		return
	}
	j.transport, j.refused = next, nil
	if j.cfg.Log != nil {
		j.cfg.Log(fmt.Sprintf("judge %s: the endpoint refused %s on %d items; going on with %s (%s)", j.cfg.Name, used, demoteAfter, next, value.Excerpt(message, 200)))
	}
}

// transportWords are what servers call the members of a request by which structured
// output is asked for, in lower case.
var transportWords = map[llm.Transport][]string{
	llm.JSONSchema: {"response_format", "response format", "schema", "grammar", "structured output", "structured_output", "guided"},
	llm.Tools:      {"tool", "function", "schema", "grammar", "structured output", "structured_output", "guided"},
	llm.JSONObject: {"response_format", "response format", "json_object", "json mode", "schema", "grammar", "structured output", "structured_output", "guided"},
}

// namesTransport reports whether a refusal is about the way in which structured output
// was asked for.
func namesTransport(message string, used llm.Transport) bool {
	low := strings.ToLower(message)
	return slices.ContainsFunc(transportWords[used], func(w string) bool { return strings.Contains(low, w) })
}

// sameWords is a message without what differs from request to request: lower case,
// one blank between words, and every word with a digit in it as "#".
func sameWords(message string) string {
	words := strings.Fields(strings.ToLower(message))
	for i, w := range words {
		if strings.ContainsAny(w, "0123456789") {
			words[i] = "#"
		}
	}
	return strings.Join(words, " ")
}
