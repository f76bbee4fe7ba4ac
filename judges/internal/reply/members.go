package reply

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/value"
)

// Members is the object in a reply that answers several rubrics.
type Members struct {
	// Repairs lists the codes of the local repairs that were needed to read the object.
	Repairs []string
	of      map[string]*llm.Response
}

// ReadMembers reads the last object of a reply. A reply with a secret word outside its thinking has
// no members.
func ReadMembers(in *llm.Response, o Options) *Members {
	p, out := &reader{Options: o, in: in, from: sourceOf(in)}, &Members{}
	answer, _, _ := p.from.answer()
	if p.leaked() || p.holds(answer) {
		return out
	}
	found, _ := p.from.objects(answer)
	for _, c := range found {
		v, repeated, repairs, err := c.parse()
		if err != nil || c.loose {
			continue
		}
		out = &Members{Repairs: repairs, of: map[string]*llm.Response{}}
		for key, e := range v.Members() {
			at := "/" + value.EscapePointer(key) + "/"
			within := func(pointer string) bool { return strings.HasPrefix(pointer+"/", at) }
			if !slices.ContainsFunc(repeated, within) {
				out.of[key] = memberOf(in, e)
			}
		}
	}
	return out
}

// memberOf returns one member of a reply as a reply.
func memberOf(in *llm.Response, member value.Value) *llm.Response {
	return &llm.Response{Content: member.JSON(), FinishReason: in.FinishReason, FinishSent: in.FinishSent,
		Canary: in.Canary, Fingerprint: in.Fingerprint}
}

// Of returns the answer for one rubric as a reply; nil if none, or if a key occurs twice in it.
func (m *Members) Of(rubric string) *llm.Response { return m.of[rubric] }
