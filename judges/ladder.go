package judges

import (
	"errors"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
)

// demoteAfter is the number of different items with the same refusal of a transport after which the
// judge uses the next plainer one.
const demoteAfter = 3

// maxRefusals limits the different refusals that are counted for one transport.
const maxRefusals = 64

func below(t Transport) (Transport, bool) {
	ladder := llm.Ladder()
	i := slices.Index(ladder, t)
	if i < 0 || i+1 >= len(ladder) {
		return t, false
	}
	return ladder[i+1], true
}

func (j *Judge) standing() Transport {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.transport
}

// refusal counts an HTTP 400 that is about the transport. After the same refusal for three
// different items the judge uses the next plainer transport.
func (j *Judge) refusal(used Transport, item, message string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	next, ok := below(used)
	if used != j.transport || !ok {
		return
	}
	words := sameWords(message)
	items := j.refused[words]
	if items == nil && len(j.refused) >= maxRefusals {
		return
	}
	if items == nil {
		items = map[string]bool{}
		j.refused[words] = items
	}
	if items[item] = true; len(items) < demoteAfter {
		return
	}
	j.transport, j.refused = next, map[string]map[string]bool{}
	j.logf("the endpoint refused %s on %d items; going on with %s (%s)",
		used, demoteAfter, next, value.Excerpt(message, 200))
}

// lower moves a sample whose transport was refused to the next plainer one, or to the judge's
// current one if that is plainer, so that the item is not lost. Only the first refusal of an item
// counts for the judge.
func (s *sampling) lower(message string) bool {
	next, ok := below(s.transport)
	low := strings.ToLower(message)
	named := func(word string) bool { return strings.Contains(low, word) }
	if !ok || !slices.ContainsFunc(transportWords[s.transport], named) {
		return false // the refusal is about something else
	}
	if !s.refused {
		s.j.refusal(s.transport, s.item, message)
	}
	s.refused = true
	ladder := llm.Ladder()
	s.transport = ladder[max(slices.Index(ladder, next), slices.Index(ladder, s.j.standing()))]
	return true
}

// The words of servers for the request members that ask for structured output, in lower case.
var (
	schemaWords    = []string{"schema", "grammar", "structured output", "structured_output", "guided"}
	transportWords = map[Transport][]string{
		JSONSchema: append([]string{"response_format", "response format"}, schemaWords...),
		Tools:      append([]string{"tool", "function"}, schemaWords...),
		JSONObject: append([]string{"response_format", "response format", "json_object", "json mode"}, schemaWords...),
	}
)

// sameWords returns a message without what differs between requests: in lower case, with single
// blanks, and with "#" for every word that has a digit.
func sameWords(message string) string {
	words := strings.Fields(strings.ToLower(message))
	for i, w := range words {
		if strings.ContainsAny(w, "0123456789") {
			words[i] = "#"
		}
	}
	return strings.Join(words, " ")
}

// The most alternatives per token that servers usually return, and the fewest to ask for if a
// server returns fewer.
const maxAlternatives, minAlternatives = 20, 5

func (j *Judge) alternatives() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.top
}

// fewerAlternatives reports whether a request was refused because of its number of alternatives and
// should be sent again with fewer.
func (s *sampling) fewerAlternatives(err error, asked int) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok || asked == 0 || e.Kind != llm.KindBadRequest || !strings.Contains(strings.ToLower(e.Message), "logprob") {
		return false
	}
	s.j.mu.Lock()
	defer s.j.mu.Unlock()
	if s.j.top == asked {
		s.j.top = max(asked/2, minAlternatives)
	}
	return s.j.top != asked // otherwise it refuses even the fewest
}
