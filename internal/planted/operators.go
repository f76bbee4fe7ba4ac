package planted

import (
	"regexp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Operator plants one kind of fault.
type Operator struct {
	// Name is the operator's name in plans, reports and gates; Words names the fault in a sentence,
	// in the plural.
	Name, Words string
	// Weight says how many of 100 faults of agents are of this kind. It comes from the faults of 25
	// models in function calling (650 wrong values, 403 wrong functions, 245 wrong numbers of
	// calls, and fewer of others among 1,500).
	Weight float64
	plant  func(*site) []Variant
}

// Operators returns all operators in the order of reports.
func Operators() []Operator {
	return []Operator{
		{"wrong_tool", "wrong tools", 27, wrongTool},
		{"missing_required", "missing parameters", 8, missingRequired},
		{"wrong_value", "wrong values", 30, wrongValue},
		{"swapped_values", "swapped values", 5, swappedValues},
		{"wrong_type", "wrong types", 3, wrongType},
		{"wrong_unit", "wrong units or dates", 8, wrongUnit},
		{"invented_parameter", "invented parameters", 2, inventedParameter},
		{"duplicate_call", "duplicate calls", 5, duplicateCall},
		{"premature_call", "premature calls", 5, prematureCall},
		{"unwanted_call", "unwanted calls", 6, unwantedCall},
	}
}

// OperatorNamed returns the operator with this name; an unknown name becomes its own words.
func OperatorNamed(name string) Operator {
	for _, o := range Operators() {
		if o.Name == name {
			return o
		}
	}
	return Operator{Words: name}
}

// Names returns the names of all operators.
func Names() (names []string) {
	for _, o := range Operators() {
		names = append(names, o.Name)
	}
	return names
}

// wrongTool calls the tool with the name most similar to the right one, provided that it accepts
// the arguments, or some of them. If it accepts none, the fault would be another one.
func wrongTool(s *site) []Variant {
	type sibling struct {
		name string
		args value.Value
		near float64
	}
	var found []sibling
	for i := range s.c.Tools {
		t := &s.c.Tools[i]
		if t.Name == s.call.Name || t.Parameters.IsNull() {
			continue
		}
		var unknown []string
		for key := range s.call.Arguments.Members() {
			if !t.Parameters.Field("properties").Has(key) {
				unknown = append(unknown, key)
			}
		}
		args := s.call.Arguments.Without(unknown...)
		if s.call.Arguments.Len() > 0 && args.Len() == 0 || s.cfg.SchemaError(t, args) != "" {
			continue
		}
		near := likeness(t.Name, s.call.Name) + float64(args.Len())/float64(1+s.call.Arguments.Len())
		found = append(found, sibling{t.Name, args, near})
	}
	sorting.Stable(found, func(x, y sibling) int {
		if x.near != y.near {
			return map[bool]int{true: -1, false: 1}[x.near > y.near]
		}
		return strings.Compare(x.name, y.name)
	})
	for _, f := range found {
		if out := s.changed(Plan{Kind: Mutant, Was: s.call.Name, Is: f.name}, f.name, f.args, true); out != nil {
			return out
		}
	}
	return nil
}

var humps = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// likeness returns the share of words that two names have in common.
func likeness(a, b string) float64 {
	words := func(s string) []string {
		s = humps.ReplaceAllString(s, "${1}_$2")
		return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("_-. /", r) })
	}
	x, y := words(a), words(b)
	common := 0
	for _, w := range x {
		if slices.Contains(y, w) {
			common++
		}
	}
	return float64(common) / float64(max(1, len(x)+len(y)-common))
}

// missingRequired leaves out a required parameter.
func missingRequired(s *site) []Variant {
	var names []string
	if s.tool != nil {
		for _, r := range s.tool.Parameters.Field("required").Elements() {
			if s.call.Arguments.Has(r.Text()) {
				names = append(names, r.Text())
			}
		}
	}
	for _, name := range shuffled(s, "missing", names) {
		plan := Plan{Kind: Mutant, Parameter: name, Was: plainText(s.call.Arguments.Field(name))}
		if out := s.changed(plan, s.call.Name, s.call.Arguments.Without(name), false); out != nil {
			return out
		}
	}
	return nil
}

// swappedValues exchanges the different values of two parameters with the same type.
func swappedValues(s *site) []Variant {
	spots := shuffled(s, "swapped", s.spots())
	for i, a := range spots {
		for _, b := range spots[i+1:] {
			sameType := a.v.IsNumber() && b.v.IsNumber() || a.v.Kind() == b.v.Kind()
			if a.at >= 0 || b.at >= 0 || !sameType || value.Equal(a.v, b.v) {
				continue
			}
			if interchangeable(a.key, b.key) {
				s.refuse("the order of the two may not matter")
				continue
			}
			args := s.call.Arguments.With(a.key, b.v).With(b.key, a.v)
			plan := Plan{Kind: Mutant, Parameter: a.key, Was: a.text(), Is: b.text()}
			if out := s.changed(plan, s.call.Name, args, true); out != nil {
				return out
			}
		}
	}
	return nil
}

// interchangeable reports whether the names of two parameters differ only in a number or a single
// letter, like those of a sum or a distance.
func interchangeable(a, b string) bool {
	bare := func(name string) string { return strings.TrimRight(name, "0123456789_") }
	return bare(a) == bare(b) || len(a) == 1 && len(b) == 1
}

// wrongType writes a value with a type that the schema does not allow.
func wrongType(s *site) []Variant {
	var keys []string
	for key := range s.call.Arguments.Members() {
		keys = append(keys, key)
	}
	for _, key := range shuffled(s, "type", keys) {
		v := s.call.Arguments.Field(key)
		other := value.OfString(v.JSON())
		if v.Kind() == value.String {
			other = value.OfList(v)
		}
		plan := Plan{Kind: Mutant, Parameter: key, Was: v.JSON(), Is: other.JSON()}
		if out := s.changed(plan, s.call.Name, s.call.Arguments.With(key, other), false); out != nil {
			return out
		}
	}
	return nil
}

// inventedParameter adds a parameter to a tool whose schema is closed.
func inventedParameter(s *site) []Variant {
	for _, name := range shuffled(s, "invented", []string{"priority", "verbose", "dry_run", "notify"}) {
		if s.tool != nil && s.tool.Parameters.Field("properties").Has(name) || s.call.Arguments.Has(name) {
			continue
		}
		args := s.call.Arguments.With(name, value.OfBool(true))
		return s.changed(Plan{Kind: Mutant, Parameter: name, Is: "true"}, s.call.Name, args, false)
	}
	return nil
}

// duplicateCall repeats the call after its result.
func duplicateCall(s *site) []Variant {
	if s.call.Result < 0 {
		return nil
	}
	end := s.call.Result + 1
	for end < len(s.c.Messages) && s.c.Messages[end].Role == transcript.ToolRole {
		end++
	}
	v := s.until(Plan{Kind: Mutant})
	again := *s.call
	again.Index, again.ID, again.Result = len(v.conversation.Calls), s.call.ID+"again", -1
	v.conversation.Messages = append(slices.Clone(s.c.Messages[:end]), transcript.Message{})
	v.conversation.Calls = append(v.conversation.Calls, again)
	v.call = again.Index
	v.alone()
	return []Variant{v}
}

// Confirmations: the agent asks, and the user only agrees.
var (
	asksToConfirm = regexp.MustCompile(`(?i)\b(confirm|proceed|go ahead|would you like|shall i|yes/no)\b[^?]*\?|\(yes\b`)
	agrees        = regexp.MustCompile(`(?i)^\W*(yes|yep|yeah|sure|ok|okay|please|confirm|confirmed|go ahead|correct)\b`)
)

// prematureCall removes from the record what the call should wait for: the lookup that gave one of
// its values, or the confirmation that the agent asked for.
func prematureCall(s *site) (out []Variant) {
	for _, p := range s.grounded("premature") {
		if len(p.text()) < 4 {
			continue
		}
		concerned := func(texts ...string) bool {
			for i := range texts {
				texts[i] = strings.ToLower(texts[i])
			}
			return occurs(texts, p.text())
		}
		v := s.until(Plan{Kind: Mutant, Dose: "lookup", Parameter: p.key, Was: p.text()})
		v.without(concerned)
		v.alone()
		if m := v.conversation.Messages; occurs(texts(v.conversation, m[:len(m)-1]), p.text()) {
			s.refuse("the value stands elsewhere in the record")
			continue
		}
		out = append(out, v)
		break
	}
	if at := s.call.Message - 1; at > 0 {
		answer, question := s.c.Messages[at], s.c.Messages[at-1]
		before := slices.ContainsFunc(s.c.Messages[:at], func(m transcript.Message) bool {
			return m.Role == transcript.User && agrees.MatchString(m.Content)
		})
		if answer.Role == transcript.User && question.Role == transcript.Assistant && len(answer.Content) <= 80 &&
			agrees.MatchString(answer.Content) && asksToConfirm.MatchString(question.Content) &&
			!strings.ContainsAny(answer.Content, "0123456789?") && !before {
			v := s.until(Plan{Kind: Mutant, Dose: "confirmation", Was: answer.Content})
			v.conversation.Messages = slices.Delete(v.conversation.Messages, at, at+1)
			v.alone()
			out = append(out, v)
		}
	}
	return out
}

// unwantedCall makes the call although the user has just withdrawn the request.
func unwantedCall(s *site) []Variant {
	texts := []string{
		"Never mind, I changed my mind. Please don't do anything. Goodbye.",
		"Thanks, but that is no longer needed: please leave everything as it is and do nothing more.",
		"Stop here, please. I do not want you to look up or change anything any more. Bye!",
	}
	v := s.until(Plan{Kind: Mutant, Is: texts[s.choose("unwanted", len(texts))]})
	v.insert(s.call.Message, say(transcript.User, v.Is))
	v.alone()
	return []Variant{v}
}
