package transcript

import "github.com/judgekit/judge/internal/value"

// separateCalls turns {f: {…}, g: {…}} into a list of objects with one name each.
func separateCalls(v value.Value) value.Value {
	if v.Len() == 0 {
		return v // only [] says that no call is right
	}
	list := make([]value.Value, 0, v.Len())
	for name, params := range v.Members() {
		if params.Kind() != value.Object {
			return value.OfList(v) // one call that misses something; its reader says what
		}
		list = append(list, value.OfObject(value.Member{Key: name, Value: params}))
	}
	return value.OfList(list...)
}

// allowedCall reads {name: {parameter: [allowed values]}}. An allowed "" says that the
// parameter may be left out.
func allowedCall(v value.Value) (ExpectedCall, bool) {
	if v.Kind() != value.Object || v.Len() != 1 || v.At(0).Kind() != value.Object {
		return ExpectedCall{}, false
	}
	for _, allowed := range v.At(0).Members() {
		if !allowed.IsList() {
			return ExpectedCall{}, false
		}
	}
	return ExpectedCall{Name: v.KeyAt(0), Arguments: firstAllowed(v.At(0)), Allowed: v.At(0)}, true
}

// firstAllowed takes the first allowed value of every parameter, and leaves out those
// whose first is "".
func firstAllowed(params value.Value) value.Value {
	var members []value.Member
	for name, allowed := range params.Members() {
		if !allowed.IsList() || allowed.Len() == 0 {
			continue
		}
		first := allowed.At(0)
		if text, ok := first.Str(); ok && text == "" {
			continue
		}
		members = append(members, value.Member{Key: name, Value: resolved(first)})
	}
	return value.OfObject(members...)
}

// resolved takes the first allowed values of the objects in a value.
func resolved(v value.Value) value.Value {
	switch {
	case v.Kind() == value.Object:
		return firstAllowed(v)
	case v.IsList():
		elems := make([]value.Value, v.Len())
		for i, e := range v.Elements() {
			elems[i] = resolved(e)
		}
		return value.OfList(elems...)
	}
	return v
}
