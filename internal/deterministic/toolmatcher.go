package deterministic

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/value"
)

// entryMatcher is one entry of required, disallowed or sequence.
type entryMatcher struct {
	// field is its path, such as "required[2]"; text is how it is written.
	field, text string
	name        *jsregex.Regexp
	// must holds command and path: it is a configuration error if they are absent.
	must []argument
	// args may be absent; then the call does not match.
	args     []argument
	result   *jsregex.Regexp
	minCount int
	final    bool
	// The step window: atStep is the only step, beforeStep the first one after the window; -1 if
	// not given.
	atStep, beforeStep int
	// patterns bounds the time that the patterns of all entries take, nil for each its own.
	patterns *jsregex.Budget
}

type argument struct {
	name    string
	pattern *jsregex.Regexp
}

// allowedIn says in which lists each field of an entry is allowed.
var allowedIn = map[string][]string{
	"name": {"required", "disallowed", "sequence"}, "command": {"required", "disallowed", "sequence"},
	"path": {"required", "disallowed", "sequence"}, "args": {"required", "disallowed", "sequence"},
	"result": {"required", "disallowed"}, "min_count": {"required"}, "final": {"required"},
	"at_step": {"required"}, "before_step": {"required"},
}

// readEntries reads one of the three lists.
func readEntries(list string, v value.Value) ([]entryMatcher, error) {
	if !v.IsList() {
		return nil, fmt.Errorf("is %s, must be a list", v.Kind().WithArticle())
	}
	out := make([]entryMatcher, v.Len())
	for i, e := range v.Elements() {
		var err error
		if out[i], err = readEntry(list, fmt.Sprintf("%s[%d]", list, i), e); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func readEntry(list, field string, v value.Value) (m entryMatcher, err error) {
	m = entryMatcher{field: field, text: v.JSON(), minCount: 1, atStep: -1, beforeStep: -1}
	switch {
	case v.Kind() == value.String:
		m.name, err = readPattern(field, v)
		return m, err
	case v.Kind() != value.Object:
		return m, configError(field, "is %s, must be a name or an object", v.Kind().WithArticle())
	case !v.Has("name"):
		return m, configError(field+".name", "is missing")
	}
	for key, val := range v.Members() {
		at := field + "." + key
		lists, known := allowedIn[key]
		if !known {
			return m, configError(at, "is not a field of an entry")
		}
		if !slices.Contains(lists, list) {
			return m, configError(at, "is not allowed in %s, only in %s", list, strings.Join(lists, " and "))
		}
		if err := m.read(at, key, val); err != nil {
			return m, err
		}
	}
	// command is checked before path, in any order.
	sorting.Stable(m.must, func(a, b argument) int { return strings.Compare(a.name, b.name) })
	if m.beforeStep >= 0 && m.atStep >= m.beforeStep {
		return m, configError(field, "at_step %d is not less than before_step %d", m.atStep, m.beforeStep)
	}
	return m, nil
}

// read sets one field.
func (m *entryMatcher) read(at, key string, v value.Value) (err error) {
	switch key {
	case "name":
		m.name, err = readPattern(at, v)
	case "command", "path":
		a := argument{name: key}
		a.pattern, err = readPattern(at, v)
		m.must = append(m.must, a)
	case "args":
		if v.Kind() != value.Object {
			return configError(at, "is %s, must be an object of patterns", v.Kind().WithArticle())
		}
		for name, p := range v.Members() {
			a := argument{name: name}
			if a.pattern, err = readPattern(at+"."+name, p); err != nil {
				return err
			}
			m.args = append(m.args, a)
		}
	case "result":
		m.result, err = readPattern(at, v)
	case "min_count":
		m.minCount, err = readCount(at, v, 1)
	case "at_step":
		m.atStep, err = readCount(at, v, 0)
	case "before_step":
		m.beforeStep, err = readCount(at, v, 1)
	case "final":
		if m.final, err = readBool(v); err != nil {
			err = configError(at, "%v", err)
		}
	}
	return err
}

func readPattern(at string, v value.Value) (*jsregex.Regexp, error) {
	text, ok := v.Str()
	if !ok {
		return nil, configError(at, "is %s, must be a pattern", v.Kind().WithArticle())
	}
	re, err := jsregex.Compile(text)
	if err != nil {
		return nil, configError(at, "is no JavaScript regular expression: %v", err)
	}
	return re, nil
}

// readCount reads an integer of at least low. A value beyond an int64 counts as the largest one.
func readCount(at string, v value.Value, low int64) (int, error) {
	n, ok := v.BigInt()
	if v.Kind() != value.Int || !ok || n.Cmp(big.NewInt(low)) < 0 {
		return 0, configError(at, "is %.60s, must be a whole number from %d", v.JSON(), low)
	}
	if !n.IsInt64() {
		return math.MaxInt, nil
	}
	return int(n.Int64()), nil
}

// matches reports whether the entry matches a call. It returns an error for an absent command or
// path, or a pattern that took too long.
func (m *entryMatcher) matches(c *madeCall) (bool, error) {
	ok, err := m.test(m.name, c.name, "name")
	if !ok || err != nil {
		return false, err
	}
	for _, a := range m.must {
		text, isString := c.arguments.Field(a.name).Str()
		if !isString {
			return false, configError(m.field+"."+a.name, "call %d (%s) has no argument %q that is a string",
				c.index, c.name, a.name)
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
	if m.result == nil || !c.complete {
		return m.result == nil, nil
	}
	return m.test(m.result, c.result, "result")
}

func (m *entryMatcher) test(re *jsregex.Regexp, text, field string) (bool, error) {
	ok, err := matchWithin(m.patterns, re, text)
	if err != nil {
		return false, configError(m.field+"."+field, "pattern %q: %v", re, err)
	}
	return ok, nil
}

// matchWithin matches within a budget, if there is one.
func matchWithin(patterns *jsregex.Budget, re *jsregex.Regexp, text string) (bool, error) {
	if patterns == nil {
		return re.MatchString(text)
	}
	return re.MatchWithin(patterns, text)
}

// satisfied reports whether enough calls match, counting those in the step window; last is the
// index of the last call of all.
func (m *entryMatcher) satisfied(found []*madeCall, last int) bool {
	count, final := 0, false
	for _, c := range found {
		if (m.atStep < 0 || c.step == m.atStep) && (m.beforeStep < 0 || c.step < m.beforeStep) {
			count++
			final = final || c.index == last
		}
	}
	return count >= m.minCount && (final || !m.final)
}

// String describes the entry for people.
func (m *entryMatcher) String() string { return m.field + " " + value.Excerpt(m.text, maxExcerpt) }
