package answer

import (
	"slices"

	"github.com/judgekit/judge/internal/value"
)

// Call is a tool call: a name and its arguments, an object.
type Call struct {
	Name       string
	Parameters value.Value
}

// Value is {"name":...,"parameters":{...}}.
func (c Call) Value() value.Value {
	return value.Pairs("name", c.Name, "parameters", c.Parameters)
}

// equal compares names exactly and parameters as JSON values; null means no parameters.
func (c Call) equal(d Call) bool {
	same := c.Parameters.Len() == 0 && d.Parameters.Len() == 0 || value.Equal(c.Parameters, d.Parameters)
	return c.Name == d.Name && same
}

// Tools maps a tool's name to the names of its parameters.
type Tools map[string][]string

// The forms a correction can have.
const (
	formNone         = "none"
	formCall         = "call"
	formPatch        = "patch"
	FormUnrecognised = "unrecognised"
)

// The findings about a correction.
const (
	FailWithoutCorrection  = "fail_without_correction"
	FailButIdentical       = "fail_but_identical"
	PassWithCorrection     = "pass_with_correction"
	BreaksCorrectCall      = "correction_breaks_correct_call"
	UnknownParameter       = "correction_unknown_parameter"
	Unrecognised           = "correction_unrecognised"
	PrerequisiteIsTheCall  = "prerequisite_is_the_call"
	PrerequisiteAlreadyWas = "prerequisite_already_made"
)

// CorrectionInput is one judge answer with the call that it is about.
type CorrectionInput struct {
	Call         Call
	Correction   value.Value
	Passed       bool
	Tools        Tools
	Expected     *Call  // nil without gold
	History      []Call // earlier calls that did not fail
	Prerequisite bool   // the rubric's correction is a missing earlier call
}

// Correction is a judge's correction, classified.
type Correction struct {
	Form            string
	Effective       *Call // the call that the judge proposes; nil if none or it is unrecognised
	MatchesExpected *bool // Effective equals Expected
	Contradictions  []string
}

// CheckCorrection classifies the correction and compares it with the original
// and the expected call. Findings are sorted.
func CheckCorrection(in CorrectionInput) Correction {
	out := Correction{}
	out.Form, out.Effective = classify(in)
	add := func(code string, when bool) {
		if when {
			out.Contradictions = append(out.Contradictions, code)
		}
	}
	proposed := func(is Call) bool { return out.Effective != nil && out.Effective.equal(is) }
	identical := proposed(in.Call)
	if out.Effective != nil && in.Expected != nil {
		matches := proposed(*in.Expected)
		out.MatchesExpected = &matches
	}
	changed := out.Effective != nil && !identical
	add(Unrecognised, out.Form == FormUnrecognised)
	add(UnknownParameter, out.Form == formCall && unknownParameter(*out.Effective, in.Tools))
	if in.Prerequisite {
		add(PassWithCorrection, in.Passed && out.Form != formNone)
		add(PrerequisiteIsTheCall, identical)
		add(PrerequisiteAlreadyWas, !in.Passed && slices.ContainsFunc(in.History, proposed))
	} else {
		add(FailWithoutCorrection, !in.Passed && out.Form == formNone)
		add(FailButIdentical, !in.Passed && identical)
		add(PassWithCorrection, in.Passed && changed)
		add(BreaksCorrectCall, changed && in.Expected != nil && in.Call.equal(*in.Expected))
	}
	slices.Sort(out.Contradictions)
	return out
}

// classify returns whether the correction is nothing, a call, or a patch of the judged call's
// parameters.
func classify(in CorrectionInput) (form string, effective *Call) {
	correction := in.Correction
	switch {
	case correction.IsNull() || correction.Kind() == value.Object && correction.Len() == 0:
		return formNone, nil
	case correction.Kind() != value.Object:
		return FormUnrecognised, nil
	}
	if c, ok := asCall(correction, in.Tools); ok {
		return formCall, &c
	}
	patched := in.Call
	for key, v := range correction.Members() {
		if !slices.Contains(in.Tools[in.Call.Name], key) {
			return FormUnrecognised, nil
		}
		patched.Parameters = patched.Parameters.With(key, v)
	}
	return formPatch, &patched
}

// asCall accepts an object with a known tool's name, an object of parameters or arguments, and no
// other key.
func asCall(o value.Value, tools Tools) (Call, bool) {
	arguments, ok := o.Get("parameters")
	if !ok {
		arguments = o.Field("arguments")
	}
	name, named := o.Field("name").Str()
	_, known := tools[name]
	return Call{name, arguments}, o.Len() == 2 && named && known && arguments.Kind() == value.Object
}

func unknownParameter(c Call, tools Tools) bool {
	for key := range c.Parameters.Members() {
		if !slices.Contains(tools[c.Name], key) {
			return true
		}
	}
	return false
}
