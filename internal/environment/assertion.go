package environment

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/settings"
	"github.com/judgekit/judge/internal/value"
)

// Assertion is one condition on the final state.
type Assertion struct {
	// Path is a JSON Pointer.
	Path string `json:"path,omitempty"`
	// Op holds one of comparisons.
	Op string `json:"op,omitempty"`
	// Value is compared with the value at Path; exists and absent do not use it.
	Value value.Value `json:"value,omitzero"`
}

// comparisons are the values of Assertion.Op.
var comparisons = []string{"eq", "ne", "lt", "le", "gt", "ge", "exists", "absent", "contains", "matches", "len"}

// parseAssertions parses the assertions in a field of a log. The error is a *ConfigError.
func parseAssertions(field string, v value.Value) ([]Assertion, error) {
	var list []Assertion
	var wrong settings.Problems
	if errors.As(settings.Decode(v, &list), &wrong) {
		return nil, badField(field+wrong[0].Path, "%s", wrong[0].Message)
	}
	for i, a := range list {
		if err := a.validate(); err != nil {
			return nil, badField(fmt.Sprintf("%s[%d]", field, i), "%v", err)
		}
	}
	return list, nil
}

func (a Assertion) validate() error {
	_, isText := a.Value.Str()
	switch {
	case a.Path != "" && a.Path[0] != '/':
		return fmt.Errorf("path: %q must start with a slash, as in /orders/17/status", a.Path)
	case !slices.Contains(comparisons, a.Op):
		return fmt.Errorf("op: must be one of %s, not %q", strings.Join(comparisons, ", "), a.Op)
	case slices.Contains([]string{"lt", "le", "gt", "ge"}, a.Op) && !a.Value.IsNumber() && !isText:
		return fmt.Errorf("value: %s compares numbers or strings, not %s", a.Op, a.Value.Kind())
	case a.Op == "matches" && !isText:
		return errors.New("value: matches wants a regular expression as a string")
	case a.Op == "matches":
		if _, err := regexp.Compile(a.Value.Text()); err != nil {
			return fmt.Errorf("value: %v", err)
		}
	case a.Op == "len":
		if n, ok := a.Value.Int64(); !ok || n < 0 {
			return errors.New("value: len wants an integer from 0 on")
		}
	}
	return nil
}

// AssertionResult is one assertion with the value that was found.
type AssertionResult struct {
	Assertion
	OK bool
	// Found is the value at the path, or nil.
	Found *value.Value
}

func assertAll(final value.Value, list []Assertion) []AssertionResult {
	var out []AssertionResult
	for _, a := range list {
		r := AssertionResult{Assertion: a}
		found, ok := final.Pointer(a.Path)
		if r.OK = a.Op == "absent"; ok {
			r.Found, r.OK = &found, a.holds(found)
		}
		out = append(out, r)
	}
	return out
}

// holds reports whether the assertion is true for the value found at its path.
func (a Assertion) holds(found value.Value) bool {
	text, isText := found.Str()
	switch a.Op {
	case "exists":
		return true
	case "absent":
		return false
	case "eq", "ne":
		return value.Equal(found, a.Value) == (a.Op == "eq")
	case "contains":
		return a.contained(found)
	case "matches":
		re, err := regexp.Compile(a.Value.Text())
		return isText && err == nil && re.MatchString(text)
	case "len":
		n, _ := a.Value.Int64()
		return found.Kind() >= value.String && int64(found.Length()) == n
	}
	return a.ordered(found)
}

// ordered compares two numbers, or two strings by code points (which is right for dates such as
// 2024-05-01).
func (a Assertion) ordered(found value.Value) bool {
	order, ok := value.Compare(found, a.Value)
	if !ok {
		x, isText := found.Str()
		y, alsoText := a.Value.Str()
		if !isText || !alsoText {
			return false
		}
		order = strings.Compare(x, y)
	}
	switch a.Op {
	case "lt":
		return order < 0
	case "le":
		return order <= 0
	case "gt":
		return order > 0
	}
	return order >= 0
}

// contained reports whether a list has an equal element, a string contains the text, or an object
// has the key.
func (a Assertion) contained(found value.Value) bool {
	for _, e := range found.Elements() {
		if value.Equal(e, a.Value) {
			return true
		}
	}
	want, ok := a.Value.Str()
	if text, isText := found.Str(); isText {
		return ok && strings.Contains(text, want)
	}
	return ok && found.Has(want)
}
