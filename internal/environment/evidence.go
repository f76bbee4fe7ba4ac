package environment

import (
	"regexp"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// AssertionResult is one assertion with what was found.
type AssertionResult struct {
	Assertion
	OK bool
	// Found is the value at the path; nil where there is none.
	Found *value.Value
}

func assertAll(final value.Value, list []Assertion) []AssertionResult {
	var out []AssertionResult
	for _, a := range list {
		r := AssertionResult{Assertion: a}
		if v, ok := final.Pointer(a.Path); ok {
			r.Found = &v
		}
		r.OK = a.holds(r.Found)
		out = append(out, r)
	}
	return out
}

// holds reports whether the assertion is true of the value at its path. Of a value
// that is not there only absent is true.
func (a Assertion) holds(found *value.Value) bool {
	if found == nil {
		return a.Op == "absent"
	}
	switch a.Op {
	case "exists":
		return true
	case "eq":
		return value.Equal(*found, a.Value)
	case "ne":
		return !value.Equal(*found, a.Value)
	case "contains":
		return a.contained(*found)
	case "matches":
		text, ok := found.Str()
		re, err := regexp.Compile(a.Value.Text())
		return ok && err == nil && re.MatchString(text)
	case "len":
		n, _ := a.Value.Int64()
		return length(*found) == n
	}
	return a.ordered(*found)
}

// ordered compares two numbers, or two strings by code points (dates as
// 2024-05-01 come out right).
func (a Assertion) ordered(found value.Value) bool {
	cmp, ok := value.Compare(found, a.Value)
	if !ok {
		x, isText := found.Str()
		y, alsoText := a.Value.Str()
		if !isText || !alsoText {
			return false
		}
		cmp = strings.Compare(x, y)
	}
	switch a.Op {
	case "lt":
		return cmp < 0
	case "le":
		return cmp <= 0
	case "gt":
		return cmp > 0
	case "ge":
		return cmp >= 0
	}
	return false
}

// contained: a list has an equal element, a string has the text, an object the key.
func (a Assertion) contained(found value.Value) bool {
	if found.IsList() {
		for _, e := range found.Elements() {
			if value.Equal(e, a.Value) {
				return true
			}
		}
		return false
	}
	want, ok := a.Value.Str()
	if text, isText := found.Str(); isText {
		return ok && strings.Contains(text, want)
	}
	return ok && found.Has(want)
}

// length is the number of elements, members or characters; -1 of anything else.
func length(v value.Value) int64 {
	if text, ok := v.Str(); ok {
		return int64(len([]rune(text)))
	}
	if v.IsList() || v.Kind() == value.Object {
		return int64(v.Len())
	}
	return -1
}

// OutputResult is a text that the agent had to tell the user.
type OutputResult struct {
	Text  string
	Found bool
}

// findOutputs is τ-bench's rule: the text in lower case is part of some reply in
// lower case without its commas. The text keeps its own commas.
func findOutputs(outputs, replies []string) []OutputResult {
	clean := make([]string, len(replies))
	for i, r := range replies {
		clean[i] = strings.ReplaceAll(strings.ToLower(r), ",", "")
	}
	var out []OutputResult
	for _, text := range outputs {
		r := OutputResult{Text: text}
		for _, c := range clean {
			r.Found = r.Found || strings.Contains(c, strings.ToLower(text))
		}
		out = append(out, r)
	}
	return out
}

// Drift is a result of the sandbox that differs from the log's.
type Drift struct {
	Call int
	Name string
	// Logged is the log's text, Got the sandbox's result, both shortened.
	Logged, Got string
	// Unknown says that the sandbox has no such tool.
	Unknown bool
}

// mostShown is how much of a result is shown.
const mostShown = 400

// drift compares the results with the logged ones. Two failures are the same, whatever
// their words.
func (o *Outcome) drift(calls []Call) {
	for i, c := range calls {
		if c.Logged == nil {
			continue
		}
		o.Compared++
		res := o.Effects[i].Result
		if res.IsError && c.Logged.Failed || identical(res, *c.Logged) {
			continue
		}
		o.Drift = append(o.Drift, Drift{
			Call: c.Index, Name: c.Name, Unknown: res.Unknown,
			Logged: value.Excerpt(c.Logged.Text, mostShown), Got: value.Excerpt(res.Value.Python(), mostShown),
		})
	}
}

// identical compares a result with the log's text: as JSON where both are JSON,
// else as text. An error may be logged with a leading "Error: ", and no result as
// an empty text.
func identical(res Result, logged Logged) bool {
	text, isText := res.Value.Str()
	if isText && text == logged.Text || res.Value.IsNull() && logged.Text == "" {
		return true
	}
	if res.IsError {
		rest, ok := strings.CutPrefix(logged.Text, "Error: ")
		return ok && rest == text
	}
	was := logged.Output
	if was.IsNull() {
		parsed, err := value.ParseString(logged.Text)
		if err != nil {
			// Python programs log plain values by their repr.
			return !isText && res.Value.Python() == logged.Text
		}
		was = parsed
	}
	got := res.Value
	if isText {
		parsed, err := value.ParseString(text)
		if err != nil {
			return false
		}
		got = parsed
	}
	return value.Equal(got, was)
}
