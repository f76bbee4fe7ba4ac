package trajectory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/value"
)

// matcher is one entry of required, disallowed or sequence.
type matcher struct {
	field string // "required[2]", for messages
	name  *jsregex.Regexp
	// must are command and path: to be absent is an error of the configuration.
	must []argument
	// args may be absent; then the call does not match.
	args     []argument
	result   *jsregex.Regexp
	minCount int
	final    bool
	// The step window: atStep is the only one, beforeStep the first beyond; -1
	// where not given.
	atStep, beforeStep int
}

type argument struct {
	name    string
	pattern *jsregex.Regexp
}

// allowedIn says in which lists a field of an entry may stand.
var allowedIn = map[string][]string{
	"name": {"required", "disallowed", "sequence"}, "command": {"required", "disallowed", "sequence"},
	"path": {"required", "disallowed", "sequence"}, "args": {"required", "disallowed", "sequence"},
	"result": {"required", "disallowed"}, "min_count": {"required"}, "final": {"required"},
	"at_step": {"required"}, "before_step": {"required"},
}

// entries reads one of the three lists; nil when it is not configured.
func (s settings) entries(list string) []matcher {
	v, given := s.Config.Get(list)
	if !given {
		return nil
	}
	if !v.IsList() {
		s.Fail(list, "is a %s, must be a list", v.Kind())
		return nil
	}
	out := make([]matcher, 0, v.Len())
	for i, e := range v.Elements() {
		out = append(out, s.entry(list, fmt.Sprintf("%s[%d]", list, i), e))
	}
	return out
}

func (s settings) entry(list, field string, v value.Value) matcher {
	m := matcher{field: field, minCount: 1, atStep: -1, beforeStep: -1}
	if v.Kind() == value.String {
		m.name = s.pattern(field, v)
		return m
	}
	if v.Kind() != value.Object {
		s.Fail(field, "is a %s, must be a name or an object", v.Kind())
		return m
	}
	if !v.Has("name") {
		s.Fail(field+".name", "is missing")
	}
	for key, val := range v.Members() {
		at := field + "." + key
		lists, known := allowedIn[key]
		if !known {
			s.Fail(at, "is no field of an entry")
		} else if !slices.Contains(lists, list) {
			s.Fail(at, "may not stand in %s, only in %s", list, strings.Join(lists, " and "))
		}
		s.entryField(&m, at, key, val)
	}
	if m.atStep >= 0 && m.beforeStep >= 0 && m.atStep >= m.beforeStep {
		s.Fail(field, "at_step %d lies not before before_step %d", m.atStep, m.beforeStep)
	}
	return m
}

func (s settings) entryField(m *matcher, at, key string, v value.Value) {
	switch key {
	case "name":
		m.name = s.pattern(at, v)
	case "command", "path":
		a := argument{key, s.pattern(at, v)}
		if key == "command" {
			m.must = append([]argument{a}, m.must...)
		} else {
			m.must = append(m.must, a)
		}
	case "args":
		if v.Kind() != value.Object {
			s.Fail(at, "is a %s, must be an object of patterns", v.Kind())
		}
		for name, p := range v.Members() {
			m.args = append(m.args, argument{name, s.pattern(at+"."+name, p)})
		}
	case "result":
		m.result = s.pattern(at, v)
	case "min_count":
		m.minCount = s.count(at, v, 1)
	case "at_step":
		m.atStep = s.count(at, v, 0)
	case "before_step":
		m.beforeStep = s.count(at, v, 1)
	case "final":
		b, ok := v.BoolVal()
		if !ok {
			s.Fail(at, "is %.60s, must be true or false", v.JSON())
		}
		m.final = b
	}
}

func (s settings) pattern(at string, v value.Value) *jsregex.Regexp {
	text, ok := v.Str()
	if !ok {
		s.Fail(at, "is a %s, must be a pattern", v.Kind())
		return nil
	}
	re, err := jsregex.Compile(text)
	if err != nil {
		s.Fail(at, "is no JavaScript regular expression: %v", err)
	}
	return re
}

// count reads an integer of at least low. One beyond the range of an int64 is as
// good as the largest.
func (s settings) count(at string, v value.Value, low int) int {
	big, ok := v.BigInt()
	if v.Kind() != value.Int || !ok || big.Cmp(value64(low)) < 0 {
		s.Fail(at, "is %.60s, must be a whole number from %d", v.JSON(), low)
		return low
	}
	if !big.IsInt64() {
		return maxInt
	}
	return int(big.Int64())
}

// matches reports whether the entry matches a call. The error is that of an absent
// command or path, or of a pattern that took too long.
func (m *matcher) matches(c *madeCall) (bool, error) {
	ok, err := m.test(m.name, c.name, "name")
	if !ok || err != nil {
		return false, err
	}
	for _, a := range m.must {
		text, isString := c.arguments.Field(a.name).Str()
		if !isString {
			return false, scorer.Config(m.field+"."+a.name, "call %d (%s) has no argument %q that is a string", c.index, c.name, a.name)
		}
		if ok, err = m.test(a.pattern, text, a.name); !ok || err != nil {
			return false, err
		}
	}
	for _, a := range m.args {
		text, isString := c.arguments.Field(a.name).Str()
		if !isString {
			return false, nil
		}
		if ok, err = m.test(a.pattern, text, "args."+a.name); !ok || err != nil {
			return false, err
		}
	}
	if m.result == nil {
		return true, nil
	}
	if !c.complete {
		return false, nil
	}
	return m.test(m.result, c.resultText(), "result")
}

func (m *matcher) test(re *jsregex.Regexp, text, field string) (bool, error) {
	ok, err := re.MatchString(text)
	if err != nil {
		return false, scorer.Config(m.field+"."+field, "pattern %q: %v", re, err)
	}
	return ok, nil
}

// inWindow reports whether a step is one that the entry asks for.
func (m *matcher) inWindow(step int) bool {
	return (m.atStep < 0 || step == m.atStep) && (m.beforeStep < 0 || step < m.beforeStep)
}

// String describes the entry for people.
func (m *matcher) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s (name /%s/", m.field, m.name)
	for _, a := range append(slices.Clone(m.must), m.args...) {
		fmt.Fprintf(&out, ", %s /%s/", a.name, a.pattern)
	}
	if m.result != nil {
		fmt.Fprintf(&out, ", result /%s/", m.result)
	}
	if m.minCount > 1 {
		fmt.Fprintf(&out, ", at least %d times", m.minCount)
	}
	if m.atStep >= 0 {
		fmt.Fprintf(&out, ", in step %d", m.atStep)
	}
	if m.beforeStep >= 0 {
		fmt.Fprintf(&out, ", before step %d", m.beforeStep)
	}
	if m.final {
		out.WriteString(", as the last call")
	}
	return out.String() + ")"
}
