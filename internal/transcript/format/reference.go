package format

import (
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// expectedCalls reads a list of reference calls: names; or {name, arguments} under any usual keys,
// with arguments as an object or as JSON in a text; or {name: {parameter: [allowed values]}}, where
// one object may contain several. Null means that nothing is known.
func (d *draft) expectedCalls(v value.Value) error {
	if v.IsNull() {
		return nil
	}
	if v.Kind() == value.Object {
		v = separateCalls(v)
	}
	return d.reference(v, "expected_calls")
}

// reference sets the expected calls to those in a list.
func (d *draft) reference(list value.Value, at string) error {
	if !list.IsList() {
		return wrong(at, "this must be a list of calls and is %s", list.Kind().WithArticle())
	}
	expected := d.expected()
	expected.Raw = list
	expected.Calls = make([]transcript.ExpectedCall, 0, list.Len())
	for i, e := range list.Elements() {
		c, err := expectedCall(e, place(at, i))
		if err != nil {
			return err
		}
		expected.Calls = append(expected.Calls, c)
	}
	return nil
}

func (d *draft) expected() *transcript.Expected {
	if d.Expected == nil {
		d.Expected = &transcript.Expected{}
	}
	return d.Expected
}

func expectedCall(v value.Value, at string) (transcript.ExpectedCall, error) {
	if name, ok := v.Str(); ok {
		v = value.Pairs("name", name)
	}
	name := v.FirstText(callNameKeys...)
	if name == "" {
		if listed, found := allowedCall(v); found {
			return listed, nil
		}
		v = nested(v)
		name = v.FirstText(callNameKeys...)
	}
	if name == "" {
		return transcript.ExpectedCall{}, wrong(at+".name", "an expected call must be an object with the name of a tool")
	}
	c := transcript.ExpectedCall{Name: name, Arguments: value.OfObject(), Requestor: v.Field("requestor").Text()}
	if args, key := v.FirstKey(argumentKeys...); !args.IsNull() {
		if s, isText := args.Str(); isText {
			var err error
			if args, err = value.ParseString(s); err != nil {
				return c, wrong(at+"."+key, "the arguments are no JSON: %v", err)
			}
		}
		if args.Kind() != value.Object {
			return c, wrong(at+"."+key, "the arguments must be an object and are %s", args.Kind().WithArticle())
		}
		c.Arguments = args
	}
	if compare := v.Field("compare_args"); compare.IsList() {
		c.Compare = make([]string, compare.Len())
		for i, e := range compare.Elements() {
			c.Compare[i] = e.Text()
		}
	}
	return c, nil
}

// separateCalls turns {f: {…}, g: {…}} into a list of objects with one name each.
func separateCalls(v value.Value) value.Value {
	if v.Len() == 0 {
		return v // only [] says that no call is right
	}
	list := make([]value.Value, 0, v.Len())
	for name, params := range v.Members() {
		if params.Kind() != value.Object {
			return value.OfList(v) // one incomplete call, whose reader reports what is missing
		}
		list = append(list, value.Pairs(name, params))
	}
	return value.OfList(list...)
}

// allowedCall reads {name: {parameter: [allowed values]}}. An allowed "" means that the parameter
// may be left out.
func allowedCall(v value.Value) (transcript.ExpectedCall, bool) {
	if v.Kind() != value.Object || v.Len() != 1 || v.At(0).Kind() != value.Object {
		return transcript.ExpectedCall{}, false
	}
	for _, allowed := range v.At(0).Members() {
		if !allowed.IsList() {
			return transcript.ExpectedCall{}, false
		}
	}
	return transcript.ExpectedCall{Name: v.KeyAt(0), Arguments: firstAllowed(v.At(0)), Allowed: v.At(0)}, true
}

// firstAllowed returns the first allowed value of every parameter, without those whose first value is "".
func firstAllowed(params value.Value) value.Value {
	var members []value.Member
	for name, allowed := range params.Members() {
		if !allowed.IsList() || allowed.Len() == 0 {
			continue
		}
		if text, ok := allowed.At(0).Str(); !ok || text != "" {
			members = append(members, value.Member{Key: name, Value: resolved(allowed.At(0))})
		}
	}
	return value.OfObject(members...)
}

// resolved applies firstAllowed to all objects in a value.
func resolved(v value.Value) value.Value {
	switch {
	case v.Kind() == value.Object:
		return firstAllowed(v)
	case v.IsList():
		return eachOf(v, resolved)
	}
	return v
}

// outputs reads the texts that the agent must give the user.
func (d *draft) outputs(v value.Value, at string) {
	for i, e := range v.Elements() {
		s, ok := e.Str()
		if !ok {
			s = e.JSON()
			d.note("output_not_text", place(at, i), "the expected output is "+e.Kind().WithArticle())
		}
		expected := d.expected()
		expected.Outputs = append(expected.Outputs, s)
	}
}

// labels reads {"name": value} or [{"name", "value", "call_index"}].
func (d *draft) labels(v value.Value) {
	switch v.Kind() {
	case value.Null:
	case value.Object:
		for name, val := range v.Members() {
			d.label(name, val, -1, "labels."+name)
		}
	case value.List:
		for i, e := range v.Elements() {
			d.listedLabel(e, place("labels", i))
		}
	default:
		d.note("label_not_read", "labels", "the labels must be an object or a list and are "+v.Kind().WithArticle())
	}
}

func (d *draft) listedLabel(v value.Value, at string) {
	name, ok := v.Field("name").Str()
	if !ok {
		d.note("label_not_read", at, "the label has no name")
		return
	}
	call := -1
	if index := v.Field("call_index"); !index.IsNull() {
		n, whole := index.Int64()
		if !whole || n < 0 || n > 1<<30 {
			d.note("label_not_read", at+".call_index",
				"the call index must be a whole number from 0 and is "+value.Quote(index.JSON()))
			return
		}
		call = int(n)
	}
	d.label(name, v.Field("value"), call, at)
}

// labelGiven adds a label of the conversation unless its value is null.
func (d *draft) labelGiven(name string, v value.Value, at string) {
	if !v.IsNull() {
		d.label(name, v, -1, at)
	}
}

// label adds one label: a number, a bool or a word.
func (d *draft) label(name string, v value.Value, call int, at string) {
	l := transcript.Label{Name: name, CallIndex: call}
	if b, ok := v.BoolVal(); ok {
		l.Value = float64(b2i(b))
	} else if f, ok := v.Float64(); ok {
		l.Value = f
	} else if l.Text = v.Text(); v.Kind() != value.String || l.Text == "" {
		d.note("label_not_read", at, "the label must be a finite number, a bool or a word and is "+value.Quote(v.JSON()))
		return
	}
	d.Labels = append(d.Labels, l)
}
