package capability

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
)

// FieldChange is a member of the request that the server refused by name, and what is
// done about it.
type FieldChange struct {
	Field string `json:"field"`
	// SentAs is the name that it goes by instead; "" leaves it out.
	SentAs string `json:"sent_as,omitempty"`
	// Said is what the server said, on one line.
	Said string `json:"said"`
}

// The two names of the limit of an answer's length.
const (
	oldLimit = "max_tokens"
	newLimit = "max_completion_tokens"
)

// Adapt puts a request as the server was found to take it. What the request's own
// extra members say stands before that.
func (c *Capabilities) Adapt(r *llm.Request) {
	set := func(name string, v *float64) {
		if v != nil && !r.Overrides(name) {
			text, _ := json.Marshal(*v) // a finite number
			r.Extra = append(slices.Clone(r.Extra), llm.Field{Name: name, Value: text})
		}
	}
	for _, f := range c.Fields {
		if f.SentAs != "" {
			r.LimitName = f.SentAs
		} else if !r.Overrides(f.Field) {
			r.Extra = append(slices.Clone(r.Extra), llm.Field{Name: f.Field, Value: json.RawMessage("null")})
		}
	}
	set("temperature", c.Temperature)
	set("top_p", c.TopP)
}

// adjust changes the field that a refusal names, and reports whether there is one that is
// sent and not the user's own extra member. Each is tried once.
func (p *probe) adjust(sent *llm.Request, refusal string) bool {
	field := p.named(sent, refusal)
	if field == "" || slices.Contains(p.tried, field) {
		return false
	}
	p.tried = append(p.tried, field)
	change := FieldChange{Field: field, Said: refusal}
	if field == oldLimit || field == newLimit {
		p.tried = append(p.tried, oldLimit, newLimit)
	}
	if field == oldLimit || field == newLimit {
		change.SentAs = oldLimit
		if field == oldLimit {
			change.SentAs = newLimit
		}
	}
	p.caps.Fields = append(p.caps.Fields, change)
	return true
}

// same reports whether two refusals say the same, but for numbers and names of requests.
func same(a, b string) bool {
	plain := func(s string) string {
		words := strings.Fields(strings.ToLower(s))
		return strings.Join(slices.DeleteFunc(words, func(w string) bool { return strings.ContainsAny(w, "0123456789") }), " ")
	}
	return plain(a) == plain(b)
}

// undo takes back the last change, which did not help.
func (p *probe) undo() { p.caps.Fields = p.caps.Fields[:len(p.caps.Fields)-1] }

// named is the member of the request that a refusal is about.
func (p *probe) named(sent *llm.Request, refusal string) string {
	words := strings.FieldsFunc(strings.ToLower(refusal), func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') })
	limit := sent.LimitName
	if limit == "" {
		limit = oldLimit
		if p.caps.Kind == llm.KindOpenAI {
			limit = newLimit
		}
	}
	is := map[string]bool{
		"temperature": sent.Temperature != nil, "top_p": sent.TopP != nil, "seed": sent.Seed != nil, limit: sent.MaxTokens > 0,
	}
	for name := range is {
		is[name] = is[name] && !sent.Overrides(name)
	}
	// The default of top_p changes nothing beside a temperature; the other way round it does.
	if is["top_p"] && slices.Contains(words, "temperature") && slices.Contains(words, "top_p") {
		return "top_p"
	}
	for _, w := range words {
		switch {
		case (w == oldLimit || w == newLimit) && is[limit] && saysUnknown(words, limit):
			return limit
		case w != limit && is[w]:
			return w
		}
	}
	return ""
}

// saysUnknown tells a server that does not know the limit by this name from one that
// does not take its value.
func saysUnknown(words []string, limit string) bool {
	other := newLimit
	if limit == newLimit {
		other = oldLimit
	}
	return slices.Contains(words, other) || slices.ContainsFunc(words, func(w string) bool {
		switch w {
		case "unsupported", "supported", "unknown", "unrecognized", "unexpected", "permitted", "deprecated", "unavailable", "extra":
			return true
		}
		return false
	})
}
