package capability

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
)

// FieldChange is a member of the request that the server refused by name, and what we do instead.
type FieldChange struct {
	Field string `json:"field"`
	// SentAs is the name that is sent instead; "" if the member is left out.
	SentAs string `json:"sent_as,omitempty"`
	// Said quotes the server's refusal on one line.
	Said string `json:"said"`
}

// Words describes the change and quotes the server.
func (f FieldChange) Words() string {
	done := "is left out"
	if f.SentAs != "" {
		done = "goes as " + f.SentAs
	}
	return fmt.Sprintf("%s %s, because the server refuses it: %s", f.Field, done, f.Said)
}

// settings lists the members of a request that a server may refuse by name, with advice for the
// user.
var settings = [...]struct{ name, advice string }{
	{"temperature", "set temperature in judge.yaml to a value that it takes, often 1"},
	{llm.OldLimit, "set extra: {max_completion_tokens: 1024} in judge.yaml, or max_tokens to a value that it takes"},
	{llm.NewLimit, "set max_tokens in judge.yaml to a value that it takes"},
	{"top_p", "set top_p: null in judge.yaml"},
	{"seed", "set seed: null in judge.yaml"},
}

// nameWords returns the words of a message that may be names of members.
func nameWords(message string) []string {
	return strings.FieldsFunc(strings.ToLower(message), func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') })
}

// fieldAdvice returns advice about the first known member that a server's message names.
func fieldAdvice(message string) string {
	for _, w := range nameWords(message) {
		for _, s := range settings {
			if w == s.name {
				return "the server did not take `" + s.name + "`: " + s.advice
			}
		}
	}
	return "change what the message names, in judge.yaml or by a member under extra"
}

// Adapt changes a request to what the server was found to accept. The request's own extra members
// win.
func (c *Capabilities) Adapt(r *llm.Request) {
	set := func(name, value string) {
		if !r.Overrides(name) {
			r.Extra = append(slices.Clip(r.Extra), llm.Field{Name: name, Value: json.RawMessage(value)})
		}
	}
	for _, f := range c.Fields {
		if f.SentAs != "" {
			r.LimitName = f.SentAs
		} else {
			set(f.Field, "null")
		}
	}
	if c.Temperature != nil {
		set("temperature", fmt.Sprint(*c.Temperature))
	}
	if c.TopP != nil {
		set("top_p", fmt.Sprint(*c.TopP))
	}
}

// adjust changes the member that a refusal names. It reports false if there is no such member, or
// if it is one of the user's extra members. Each member is tried once.
func (p *probe) adjust(sent *llm.Request, refused string) bool {
	field := p.refusedField(sent, nameWords(refused))
	if field == "" || slices.Contains(p.tried, field) {
		return false
	}
	change := FieldChange{Field: field, Said: refused}
	p.tried = append(p.tried, field)
	if other := otherLimit(field); other != "" {
		change.SentAs = other
		p.tried = append(p.tried, other)
	}
	p.caps.Fields = append(p.caps.Fields, change)
	return true
}

// otherLimit returns the other name of the token limit; "" for other members.
func otherLimit(field string) string {
	return map[string]string{llm.OldLimit: llm.NewLimit, llm.NewLimit: llm.OldLimit}[field]
}

// same reports whether two refusals have the same words, ignoring numbers and request ids.
func same(a, b string) bool {
	plain := func(s string) string {
		words := strings.Fields(strings.ToLower(s))
		return strings.Join(slices.DeleteFunc(words,
			func(w string) bool { return strings.ContainsAny(w, "0123456789") }), " ")
	}
	return plain(a) == plain(b)
}

// refusedField returns the member of the request that the server refused.
func (p *probe) refusedField(sent *llm.Request, words []string) string {
	limit := llm.OldLimit
	if p.caps.Kind == llm.KindOpenAI {
		limit = llm.NewLimit
	}
	limit = cmp.Or(sent.LimitName, limit)
	is := map[string]bool{
		"temperature": sent.Temperature != nil, "top_p": sent.TopP != nil, "seed": sent.Seed != nil,
		limit: sent.MaxTokens > 0,
	}
	for name := range is {
		is[name] = is[name] && !sent.Overrides(name)
	}
	// The server refuses to get both. Without top_p it uses its default, which changes nothing;
	// without the temperature the answers would change.
	if is["top_p"] && slices.Contains(words, "temperature") && slices.Contains(words, "top_p") {
		return "top_p"
	}
	for _, w := range words {
		switch {
		case otherLimit(w) != "" && is[limit] && isUnknown(words, limit):
			return limit
		case w != limit && is[w]:
			return w
		}
	}
	return ""
}

// isUnknown reports whether the server does not know the limit by this name, rather than not
// accepting its value.
func isUnknown(words []string, limit string) bool {
	unknown := []string{
		"unsupported", "supported", "unknown", "unrecognized", "unexpected", "permitted", "deprecated",
		"unavailable", "extra",
		otherLimit(limit),
	}
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(unknown, w) })
}
