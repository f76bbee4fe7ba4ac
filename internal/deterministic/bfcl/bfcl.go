// Package bfcl owns the scorer ast_equivalence: whether a call is the expected one
// by its syntax tree, in three modes (normalized, json, and the checker of the
// Berkeley Function-Calling Leaderboard).
//
// It promises the leaderboard's verdicts and error types exactly, quirks included,
// and under normalized a comparison in which key order never counts, list order
// always does, numbers compare by value, and a string never equals a number.
package bfcl

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// NewAST returns the scorer ast_equivalence. Its configuration:
//
//	mode               normalized (default), json or bfcl
//	strip_whitespace   trim string values before comparing (normalized only)
//	stringify          normalized only: see Equality
//	category           bfcl: simple (default), multiple, parallel, parallel_multiple,
//	                   irrelevance, relevance, or a name that contains one of them
//	matching           bfcl: greedy (default) or assignment, for parallel calls
//	dot_to_underscore  bfcl: tool names were offered with "_" for "."
//	language           bfcl: python (default), java or javascript: the type names of
//	                   the tools, and for the latter two arguments as source text
//
// Results have the field "equivalent", under bfcl "valid" and "error_type".
func NewAST(config value.Value) (scorer.Scorer, error) {
	o := scorer.ReadSettings(config)
	mode := o.Word("mode", "normalized", "json", "bfcl")
	e := Equality{JSON: mode == "json", Stringify: o.Flag("stringify", false)}
	e.Strip = o.Flag("strip_whitespace", false) && mode == "normalized"
	if e.Stringify && mode != "normalized" {
		o.Fail("stringify", "belongs to mode normalized, and mode is %s", mode)
	}
	var s scorer.Scorer = &Equivalence{e}
	if mode == "bfcl" {
		s = newLeaderboard(o)
	}
	if o.Err != nil {
		return nil, o.Err
	}
	return s, nil
}

// Equivalence compares calls argument by argument: ast_equivalence but for mode bfcl.
type Equivalence struct{ Equality }

// Score implements scorer.Scorer. Actual and Expected are calls in any form; with
// several calls on each side they are compared by position.
func (e *Equivalence) Score(in scorer.Input) (scorer.Result, error) {
	if in.Expected.IsNull() {
		return scorer.Result{}, scorer.Config("expected", "is missing: the expected call, or [] where no call is right")
	}
	expected := scorer.Read(in.Expected)
	if !expected.Complete() {
		return scorer.Result{}, scorer.Config("expected", "cannot be read as calls")
	}
	reason := e.difference(scorer.Read(in.Actual).Calls, expected.Calls)
	same := reason == ""
	if same {
		reason = "the calls are equivalent"
	}
	return result(same, reason, value.Member{Key: "equivalent", Value: value.OfBool(same)}), nil
}

func result(ok bool, reason string, fields ...value.Member) scorer.Result {
	score := 0.0
	if ok {
		score = 1
	}
	return scorer.Result{Score: &score, Passed: &ok, Fields: fields, Reason: reason}
}

// Same reports whether two calls are equivalent.
func (e *Equivalence) Same(actual, expected *scorer.Call) bool {
	return !actual.Unreadable && !actual.Malformed && actual.Name == expected.Name && e.Equal(actual.Arguments, expected.Arguments)
}

// difference says why the calls are not equivalent, "" when they are.
func (e *Equivalence) difference(actual, expected []scorer.Call) string {
	if len(actual) != len(expected) {
		return fmt.Sprintf("%d calls, expected %d", len(actual), len(expected))
	}
	for i := range expected {
		a, x := &actual[i], &expected[i]
		switch {
		case a.Unreadable:
			return "the call cannot be read"
		case a.Name != x.Name:
			return fmt.Sprintf("function %q, expected %q", a.Name, x.Name)
		case a.Malformed:
			return fmt.Sprintf("the arguments of %s cannot be read", a.Name)
		case !e.Equal(a.Arguments, x.Arguments):
			return fmt.Sprintf("the arguments of %s differ%s", a.Name, e.where(a.Arguments, x.Arguments))
		}
	}
	return ""
}

// where names the arguments that differ, in the expected order.
func (e *Equivalence) where(actual, expected value.Value) string {
	var parts []string
	for key, want := range expected.Members() {
		switch got, ok := actual.Get(key); {
		case !ok:
			parts = append(parts, key+" is missing")
		case !e.Equal(got, want):
			parts = append(parts, fmt.Sprintf("%s is %s, expected %s", key, shown(got), shown(want)))
		}
	}
	for key := range actual.Members() {
		if !expected.Has(key) {
			parts = append(parts, key+" is not expected")
		}
	}
	return ": " + strings.Join(parts, "; ")
}

// shown is a value for a reason, cut to a readable length.
func shown(v value.Value) string {
	const most = 120
	text := []rune(v.Repr())
	if len(text) > most {
		return string(text[:most]) + "..."
	}
	return string(text)
}

// Equality is how the arguments of two calls compare: key order never counts, list
// order always does, and numbers compare by value. The zero Equality is mode normalized.
type Equality struct {
	// JSON compares the JSON text with sorted keys, so that 1 is not 1.0.
	JSON bool
	// Strip drops blanks at both ends of string values.
	Strip bool
	// Stringify compares values as trimmed text, and those that read as JSON numbers
	// as numbers: "1.0" equals 1, "true" equals true.
	Stringify bool
}

// Equal compares two values.
func (e Equality) Equal(a, b value.Value) bool {
	switch {
	case e.JSON:
		return value.SamePythonJSON(a, b)
	case e.Stringify:
		a, b = leaves(a, stringified), leaves(b, stringified)
	case e.Strip:
		a, b = leaves(a, trimmed), leaves(b, trimmed)
	}
	return value.Equal(a, b)
}

// leaves changes every value that is no list and no object; keys stay.
func leaves(v value.Value, change func(value.Value) value.Value) value.Value {
	switch v.Kind() {
	case value.List, value.Tuple:
		elems := make([]value.Value, v.Len())
		for i, e := range v.Elements() {
			elems[i] = leaves(e, change)
		}
		return value.OfList(elems...)
	case value.Object:
		members := make([]value.Member, 0, v.Len())
		for key, m := range v.Members() {
			members = append(members, value.Member{Key: key, Value: leaves(m, change)})
		}
		return value.OfObject(members...)
	}
	return change(v)
}

func trimmed(v value.Value) value.Value {
	if v.Kind() != value.String {
		return v
	}
	return value.OfString(strings.TrimFunc(v.Text(), isBlank))
}

func stringified(v value.Value) value.Value {
	if v.IsNumber() {
		return v
	}
	if v.Kind() != value.String {
		return value.OfString(v.JSON())
	}
	v = trimmed(v)
	if number, err := value.ParseString(v.Text()); err == nil && number.IsNumber() {
		return number
	}
	return v
}

// isBlank is what Python's str.strip drops.
func isBlank(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }
