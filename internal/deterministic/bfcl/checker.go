package bfcl

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

const simpleChecker = "simple_function_checker:"

// python is Python's equality for decoded values: True equals 1, a tuple is not a list.
var python = value.Equality{BoolIsNumber: true, TupleIsOwnKind: true}

// noKind means "no such kind", in addition to the kinds of values.
const noKind = value.Kind(255)

// find returns the tool that an expected call names: the only tool if it was given alone, else the
// first with this name. Version 1 of the leaderboard distinguishes several calls of one function by
// a number after the name, so a tool whose name is a part of the expected one is accepted too.
func (c *Checker) find(name string) *transcript.Tool {
	if c.OnlyTool {
		return &c.Tools[0]
	}
	if t := transcript.FindTool(c.Tools, name); t != nil {
		return t
	}
	for i := range c.Tools {
		if strings.Contains(name, c.Tools[i].Name) {
			return &c.Tools[i]
		}
	}
	return nil
}

// call compares one call with a tool and an expected call, and returns the first failure.
func (c *Checker) call(
	t *transcript.Tool, made *transcript.Call, want *transcript.ExpectedCall,
) (Failure, error) {
	if err := checkAnswer(want); err != nil {
		return Failure{}, err
	}
	name := t.Name
	if c.DotToUnderscore {
		name = strings.ReplaceAll(name, ".", "_")
	}
	if made.Name != name {
		return failed(simpleChecker+"wrong_func_name", "function %q, expected %q", made.Name, name), nil
	}
	given := made.Arguments
	for _, param := range t.Parameters.Field("required").Elements() {
		if param.Kind() != value.String {
			return Failure{}, invalid("tools", "%s: required must be a list of names", t.Name)
		}
		if !given.Has(param.Text()) {
			return failed(simpleChecker+"missing_required", "required parameter %q is missing", param.Text()), nil
		}
	}
	for param, v := range given.Members() {
		property, known := t.Parameters.Field("properties").Get(param)
		allowed, wanted := want.Allowed.Get(param)
		if !known || !wanted {
			return failed(simpleChecker+"unexpected_param", "parameter %q is not expected", param), nil
		}
		if f, err := c.parameter(t, param, property, v, allowed); err != nil || f.Type != "" {
			return f, err
		}
	}
	for param, allowed := range want.Allowed.Members() {
		if !given.Has(param) && !mayBeAbsent(allowed) {
			return failed(simpleChecker+"missing_optional", "parameter %q is missing and may not be", param), nil
		}
	}
	return Failure{}, nil
}

func isEmptyString(v value.Value) bool {
	s, ok := v.Str()
	return ok && s == ""
}

// anyOf reports whether a value of a list passes a test.
func anyOf(list value.Value, passes func(value.Value) bool) bool {
	for _, v := range list.Elements() {
		if passes(v) {
			return true
		}
	}
	return false
}

// mayBeAbsent reports whether "" is among the allowed values.
func mayBeAbsent(allowed value.Value) bool { return anyOf(allowed, isEmptyString) }

// parameter tests the type and then the value of one given parameter.
func (c *Checker) parameter(t *transcript.Tool, param string, property, v, allowed value.Value) (Failure, error) {
	language := languages[c.Language]
	want, inner, err := c.wantedKinds(t, param, property)
	if err != nil {
		return Failure{}, err
	}
	typeName := property.Field("type").Text()
	switch {
	case language.argument != nil:
		text, ok := v.Str()
		if !ok {
			return failed(language.textError, "parameter %q is %s, must be %s source text",
				param, Shown(v), c.Language), nil
		}
		v = language.value(text, typeName, property.Field("items").Field("type").Text())
	case typeName == "tuple" && v.Kind() == value.Tuple:
		v = eachOf(v, func(e value.Value) value.Value { return e })
	case typeName == "float" && v.Kind() == value.Int:
		v = value.OfNumber(v.Text() + ".0")
	}
	variable, kind := typeTest(v, allowed, want, inner)
	if kind != "" {
		return failed(kind, "parameter %q is %s, must be %s", param, Shown(v), typeName), nil
	}
	if kind = valueTest(v, allowed, want, inner, variable); kind != "" {
		return failed(kind, "parameter %q is %s, expected one of %s", param, Shown(v), Shown(allowed)), nil
	}
	return Failure{}, nil
}

// wantedKinds returns the kind for a parameter's type, and the kind of its elements (noKind if it
// has none).
func (c *Checker) wantedKinds(
	t *transcript.Tool, param string, property value.Value,
) (want, inner value.Kind, err error) {
	typeName := property.Field("type").Text()
	kinds := languages[c.Language].kinds
	want, ok := kinds[typeName]
	if !ok {
		return 0, 0, invalid("tools", "%s: parameter %q has the type %.40s, which the leaderboard does not know for %s",
			t.Name, param, property.Field("type").JSON(), c.Language)
	}
	if want != value.List {
		return want, noKind, nil
	}
	items := property.Field("items").Field("type")
	if inner, ok = kinds[items.Text()]; !ok {
		return 0, 0, invalid("tools", "%s: parameter %q of type %s needs items with a known type, has %.40s",
			t.Name, param, typeName, items.JSON())
	}
	return want, inner, nil
}

// eachOf returns a list or tuple with its elements changed.
func eachOf(v value.Value, change func(value.Value) value.Value) value.Value {
	return v.Each(func(_ string, e value.Value) value.Value { return change(e) })
}

// firstKind returns the kind of the first allowed value that is not "".
func firstKind(allowed value.Value) value.Kind {
	for _, a := range allowed.Elements() {
		if !isEmptyString(a) {
			return a.Kind()
		}
	}
	return noKind
}

// typeTest returns the error type ("" if the value passes), and whether the value is a variable:
// the allowed values have another kind than the wanted one.
func typeTest(v, allowed value.Value, want, inner value.Kind) (variable bool, kind string) {
	first := firstKind(allowed)
	variable = first != noKind && first != want
	nested := false
	if v.Kind() == want {
		if inner == noKind || innerTest(v, allowed, inner) {
			return variable, ""
		}
		nested = true
	}
	switch {
	case v.Kind() == first && nested:
		return true, "type_error:nested"
	case v.Kind() == first:
		return true, ""
	}
	return false, "type_error:simple"
}

// innerTest reports whether all elements of the value have the inner kind, or the kind of the
// elements in one allowed list.
func innerTest(v, allowed value.Value, inner value.Kind) bool {
	return anyOf(allowed, func(a value.Value) bool {
		fails := func(e value.Value) bool {
			_, kind := typeTest(e, a, inner, noKind)
			return kind != ""
		}
		return a.Kind() != value.List || !anyOf(v, fails)
	})
}

// valueTest returns the error type; "" if the value is an allowed one.
func valueTest(v, allowed value.Value, want, inner value.Kind, variable bool) string {
	switch {
	case variable:
	case want == value.Object:
		return objectTest(v, allowed)
	case inner == value.Object: // only a list has an inner kind
		return objectsTest(v, allowed)
	case want == value.String:
		return stringTest(v, allowed)
	case want == value.List:
		return listTest(v, allowed)
	}
	if anyOf(allowed, func(a value.Value) bool { return python.Equal(v, a) }) {
		return ""
	}
	return "value_error:others"
}

var normaliser = strings.NewReplacer(" ", "", ",", "", ".", "", "/", "", "-", "", "_", "", "*", "", "^", "")

// normalised normalises texts like the leaderboard: it removes blanks and a few marks, converts to
// lower case, and single quotes to double.
func normalised(v value.Value) value.Value {
	if s, ok := v.Str(); ok {
		return value.OfString(strings.ReplaceAll(value.Lower(normaliser.Replace(s)), "'", `"`))
	}
	return v
}

func stringTest(v, allowed value.Value) string {
	v = normalised(v)
	if anyOf(allowed, func(a value.Value) bool { return value.Equal(v, normalised(a)) }) {
		return ""
	}
	return "value_error:string"
}

// listTest normalises the strings in the list, but not deeper ones.
func listTest(v, allowed value.Value) string {
	got := eachOf(v, normalised)
	for _, a := range allowed.Elements() {
		if text, ok := a.Str(); ok { // it is split into its characters, so "" is the empty list
			a = value.OfStrings(strings.Split(text, "")...)
		}
		if a.Kind() == value.List {
			a = eachOf(a, normalised)
		}
		if python.Equal(got, a) {
			return ""
		}
	}
	return "value_error:list/tuple"
}

// objectTest accepts the value if an allowed object matches; otherwise it returns the error of the
// last one.
func objectTest(v, allowed value.Value) string {
	kind := "dict_checker:unclear"
	for _, a := range allowed.Elements() {
		if isEmptyString(a) {
			continue
		}
		if kind = oneObject(v, a); kind == "" {
			return ""
		}
	}
	return kind
}

func oneObject(v, want value.Value) string {
	for key, allowed := range want.Members() {
		if !v.Has(key) && !mayBeAbsent(allowed) {
			return "value_error:dict_key"
		}
	}
	if v.Kind() != value.Object {
		return "value_error:dict_key"
	}
	for key, got := range v.Members() {
		allowed, ok := want.Get(key)
		if !ok {
			return "value_error:dict_key"
		}
		got = normalised(got)
		if !anyOf(allowed, func(a value.Value) bool { return python.Equal(got, normalised(a)) }) {
			return "value_error:dict_value"
		}
	}
	return ""
}

// objectsTest compares a list of objects one by one with each allowed list.
func objectsTest(v, allowed value.Value) string {
	kind := "list_dict_checker:unclear"
	for _, a := range allowed.Elements() {
		if v.Len() != a.Len() {
			kind = "value_error:list_dict_count"
			continue
		}
		kind = ""
		for i, e := range v.Elements() {
			if kind = objectTest(e, value.OfList(a.At(i))); kind != "" {
				break
			}
		}
		if kind == "" {
			return ""
		}
	}
	return kind
}
