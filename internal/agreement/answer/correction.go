package answer

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Call is a tool call: a name and its arguments, an object in source order.
type Call struct {
	Name       string
	Parameters Object
}

// ParseCall reads {"name":..., "parameters"|"arguments":{...}}; other keys are
// ignored, absent parameters are empty.
func ParseCall(raw json.RawMessage) (Call, error) {
	o, err := ParseObject(raw)
	if err != nil {
		return Call{}, fmt.Errorf("call: %w", err)
	}
	var c Call
	if err := json.Unmarshal(o.Get("name"), &c.Name); err != nil {
		return Call{}, fmt.Errorf("call: name is not a string")
	}
	arguments := o.Get("parameters")
	if arguments == nil {
		arguments = o.Get("arguments")
	}
	if isNull(arguments) {
		return c, nil
	}
	c.Parameters, err = ParseObject(arguments)
	if err != nil {
		return Call{}, fmt.Errorf("call %s: parameters: %w", c.Name, err)
	}
	return c, nil
}

// MarshalJSON writes {"name":...,"parameters":{...}}.
func (c Call) MarshalJSON() ([]byte, error) {
	name, err := json.Marshal(c.Name)
	if err != nil {
		return nil, err
	}
	parameters, err := c.Parameters.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return Object{{"name", name}, {"parameters", parameters}}.MarshalJSON()
}

// Equal compares names exactly and parameters as JSON values.
func (c Call) Equal(d Call) bool {
	a, errA := c.Parameters.MarshalJSON()
	b, errB := d.Parameters.MarshalJSON()
	return c.Name == d.Name && errA == nil && errB == nil && Equal(a, b)
}

// Tools maps a tool's name to the names of its parameters.
type Tools map[string][]string

// The forms a correction can have.
const (
	FormNone         = "none"
	FormCall         = "call"
	FormPatch        = "patch"
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

// PastCall is an earlier call of the conversation; a failed one does not count
// as made.
type PastCall struct {
	Call
	Failed bool
}

// CorrectionInput is one judge answer with what it was about.
type CorrectionInput struct {
	Call         Call
	Correction   json.RawMessage
	Passed       bool
	Tools        Tools
	Expected     *Call // nil without gold
	History      []PastCall
	Prerequisite bool // the rubric's correction is a missing earlier call
}

// Correction is the reading of a judge's correction.
type Correction struct {
	Form            string
	Effective       *Call // the call the judge proposes; nil for none, unrecognised
	Identical       *bool // effective = original
	MatchesExpected *bool // effective = expected
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
	identical := false
	if out.Effective != nil {
		identical = out.Effective.Equal(in.Call)
		out.Identical = &identical
		if in.Expected != nil {
			matches := out.Effective.Equal(*in.Expected)
			out.MatchesExpected = &matches
		}
	}
	changed := out.Effective != nil && !identical
	add(Unrecognised, out.Form == FormUnrecognised)
	add(UnknownParameter, out.Form == FormCall && unknownParameter(*out.Effective, in.Tools))
	if in.Prerequisite {
		add(PassWithCorrection, in.Passed && out.Form != FormNone)
		add(PrerequisiteIsTheCall, identical)
		add(PrerequisiteAlreadyWas, !in.Passed && out.Effective != nil && made(*out.Effective, in.History))
	} else {
		add(FailWithoutCorrection, !in.Passed && out.Form == FormNone)
		add(FailButIdentical, !in.Passed && identical)
		add(PassWithCorrection, in.Passed && changed)
		right := in.Expected != nil && in.Call.Equal(*in.Expected)
		add(BreaksCorrectCall, right && changed)
	}
	slices.Sort(out.Contradictions)
	return out
}

// classify reads the correction as nothing, a call, or a patch of the judged
// call's parameters.
func classify(in CorrectionInput) (form string, effective *Call) {
	if isNull(in.Correction) {
		return FormNone, nil
	}
	o, err := ParseObject(in.Correction)
	if err != nil {
		return FormUnrecognised, nil
	}
	if len(o) == 0 {
		return FormNone, nil
	}
	if c, ok := asCall(o, in.Tools); ok {
		return FormCall, &c
	}
	known := in.Tools[in.Call.Name]
	patched := Call{Name: in.Call.Name, Parameters: slices.Clone(in.Call.Parameters)}
	for _, m := range o {
		if !slices.Contains(known, m.Key) {
			return FormUnrecognised, nil
		}
		i := slices.IndexFunc(patched.Parameters, func(p Member) bool { return p.Key == m.Key })
		if i >= 0 {
			patched.Parameters[i].Value = m.Value
		} else {
			patched.Parameters = append(patched.Parameters, m)
		}
	}
	return FormPatch, &patched
}

// asCall accepts a string name of a known tool, an object parameters or
// arguments, and no other key.
func asCall(o Object, tools Tools) (Call, bool) {
	if len(o) != 2 {
		return Call{}, false
	}
	arguments := o.Get("parameters")
	if arguments == nil {
		arguments = o.Get("arguments")
	}
	var name *string
	if err := json.Unmarshal(o.Get("name"), &name); err != nil || name == nil || arguments == nil {
		return Call{}, false
	}
	if _, known := tools[*name]; !known {
		return Call{}, false
	}
	parameters, err := ParseObject(arguments)
	if err != nil {
		return Call{}, false
	}
	return Call{*name, parameters}, true
}

func unknownParameter(c Call, tools Tools) bool {
	for _, m := range c.Parameters {
		if !slices.Contains(tools[c.Name], m.Key) {
			return true
		}
	}
	return false
}

func made(c Call, history []PastCall) bool {
	for _, h := range history {
		if !h.Failed && h.Equal(c) {
			return true
		}
	}
	return false
}
