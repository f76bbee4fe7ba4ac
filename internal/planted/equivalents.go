package planted

import (
	"slices"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Changes returns the names of the harmless changes, in the order of reports.
func Changes() []string {
	return []string{"argument_order", "tool_order", "number_form", "explicit_default", "longer_record", "renamed_ids"}
}

// equivalents returns the variants of a base that are as right as the base, each with one change.
func (s *site) equivalents() (out []Variant) {
	args := s.call.Arguments
	if args.Len() > 1 {
		var members []value.Member
		for key, v := range args.Members() {
			members = append(members, value.Member{Key: key, Value: v})
		}
		slices.Reverse(members)
		out = append(out, s.calling(s.change("argument_order"), s.call.Name, value.OfObject(members...)))
	}
	if len(s.c.Tools) > 1 {
		v := s.until(s.change("tool_order"))
		slices.Reverse(v.conversation.Tools)
		out = append(out, v)
	}
	for key, v := range args.Members() {
		other := value.OfNumber(v.JSON() + ".0")
		if v.Kind() == value.Int && s.tool != nil && s.cfg.SchemaError(s.tool, args.With(key, other)) == "" {
			out = append(out, s.calling(s.change("number_form"), s.call.Name, args.With(key, other)))
			break
		}
	}
	if s.tool != nil {
		full := withDefaults(s.tool, args)
		if full.Len() > args.Len() && s.cfg.SchemaError(s.tool, full) == "" {
			out = append(out, s.calling(s.change("explicit_default"), s.call.Name, full))
		}
	}
	v := s.until(s.change("longer_record"))
	byUser := func(m transcript.Message) bool { return m.Role == transcript.User }
	first := slices.IndexFunc(v.conversation.Messages, byUser)
	v.insert(max(0, first), say(transcript.User, "Hello, is anybody there?"),
		say(transcript.Assistant, "Hello! Yes, I am here. What can I do for you?"))
	return append(append(out, v), s.renamed()...)
}

func (s *site) change(name string) Plan { return Plan{Kind: Equivalent, Operator: name} }

// renamed gives an id in the arguments other digits, throughout the record.
func (s *site) renamed() []Variant {
	odd := func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
	}
	for _, p := range s.grounded("rename") {
		id := p.text()
		other := s.otherDigits(id, "rename")
		digits := strings.ContainsFunc(id, unicode.IsDigit) && strings.ContainsFunc(id, unicode.IsLetter)
		if p.v.Kind() != value.String || len(id) < 5 || !digits || strings.ContainsFunc(id, odd) || occurs(s.record, other) {
			continue
		}
		v := s.until(s.change("renamed_ids"))
		v.Is, v.rename, v.to = other, id, other
		return []Variant{v}
	}
	return nil
}
