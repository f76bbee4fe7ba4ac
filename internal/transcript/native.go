package transcript

import (
	"slices"

	"github.com/judgekit/judge/internal/value"
)

// readChat reads a native record, which is an OpenAI chat record with more keys,
// or a bare list of messages.
func (d *draft) readChat(v value.Value) error {
	if v.IsList() {
		return d.chatMessages(v, "")
	}
	if v.Kind() != value.Object {
		return wrong("", "a conversation must be an object with messages and is %s", article(v.Kind()))
	}
	messages, ok := v.Get("messages")
	if !ok {
		return wrong("messages", "the record has no messages: is this a conversation?")
	}
	var extra []value.Member
	for key, val := range v.Members() {
		if err := d.nativeKey(key, val, &extra); err != nil {
			return err
		}
	}
	if len(extra) > 0 {
		d.Extra = value.OfObject(extra...)
	}
	return d.chatMessages(messages, "messages")
}

// nativeKey reads one key of a native record beside the messages.
func (d *draft) nativeKey(key string, v value.Value, extra *[]value.Member) error {
	switch key {
	case "messages":
	case "id":
		switch {
		case v.Kind() == value.String || v.IsNumber():
			d.ID = v.Text()
		case !v.IsNull():
			return wrong("id", "the id must be a text and is %s", article(v.Kind()))
		}
	case "tools":
		d.useTools(v)
	case "functions":
		if len(d.Tools) == 0 {
			d.useTools(v)
			return nil
		}
		*extra = append(*extra, value.Member{Key: key, Value: v})
	case "expected_calls":
		return d.expectedCalls(v)
	case "expected_outputs":
		if !v.IsNull() {
			d.outputs(v, "expected_outputs")
		}
	case "labels":
		d.labels(v)
	case "sample":
		d.Sample = v
	default:
		*extra = append(*extra, value.Member{Key: key, Value: v})
	}
	return nil
}

// foreign returns the keys of a record that are not in known, as keys of Extra.
// Keys that mean something in native records get a prefix, so that a converted
// record does not mean what the log did not say.
func foreign(v value.Value, known ...string) value.Value {
	var members []value.Member
	for key, val := range v.Members() {
		if slices.Contains(known, key) {
			continue
		}
		switch key {
		case "id", "messages", "tools", "functions", "expected_calls", "expected_outputs", "labels", "sample":
			key = "log_" + key
		}
		members = append(members, value.Member{Key: key, Value: val})
	}
	if len(members) == 0 {
		return value.Value{}
	}
	return value.OfObject(members...)
}

// expectedCalls reads a list of reference calls: {name, arguments}, with kwargs or
// an OpenAI function inside as other spellings, and arguments as an object or as
// JSON in a text; or {name: {parameter: [allowed values]}}, of which one object may
// hold several. Null says that nothing is known.
func (d *draft) expectedCalls(v value.Value) error {
	if v.IsNull() {
		return nil
	}
	if v.Kind() == value.Object {
		v = separateCalls(v)
	}
	if !v.IsList() {
		return wrong("expected_calls", "this must be a list of calls and is %s", article(v.Kind()))
	}
	expected := d.expected()
	expected.Raw = v
	expected.Calls = make([]ExpectedCall, 0, v.Len())
	for i, e := range v.Elements() {
		c, err := expectedCall(e, place("expected_calls", i))
		if err != nil {
			return err
		}
		expected.Calls = append(expected.Calls, c)
	}
	return nil
}

func (d *draft) expected() *Expected {
	if d.Expected == nil {
		d.Expected = &Expected{}
	}
	return d.Expected
}

func expectedCall(v value.Value, at string) (ExpectedCall, error) {
	if f := v.Field("function"); f.Kind() == value.Object {
		v = f
	}
	name, ok := v.Field("name").Str()
	if listed, found := allowedCall(v); !ok && found {
		return listed, nil
	}
	if !ok {
		return ExpectedCall{}, wrong(at+".name", "an expected call must be an object with the name of a tool")
	}
	c := ExpectedCall{Name: name, Arguments: value.OfObject(), Requestor: v.Field("requestor").Text()}
	for _, key := range []string{"arguments", "kwargs", "args", "parameters"} {
		args, found := v.Get(key)
		if !found || args.IsNull() {
			continue
		}
		if s, isText := args.Str(); isText {
			parsed, err := value.ParseString(s)
			if err != nil {
				return c, wrong(at+"."+key, "the arguments are no JSON: %v", err)
			}
			args = parsed
		}
		if args.Kind() != value.Object {
			return c, wrong(at+"."+key, "the arguments must be an object and are %s", article(args.Kind()))
		}
		c.Arguments = args
		break
	}
	if compare := v.Field("compare_args"); compare.IsList() {
		c.Compare = make([]string, 0, compare.Len())
		for _, e := range compare.Elements() {
			c.Compare = append(c.Compare, e.Text())
		}
	}
	return c, nil
}

// outputs reads the texts that the agent must have told the user.
func (d *draft) outputs(v value.Value, at string) {
	for i, e := range v.Elements() {
		s, ok := e.Str()
		if !ok {
			s = e.JSON()
			d.note("output_not_text", place(at, i), "the expected output is "+article(e.Kind()))
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
			at := place("labels", i)
			name, ok := e.Field("name").Str()
			if !ok {
				d.note("label_not_read", at, "the label has no name")
				continue
			}
			call := -1
			if idx, given := e.Get("call_index"); given && !idx.IsNull() {
				n, whole := idx.Int64()
				if !whole || n < 0 || n > 1<<30 {
					d.note("label_not_read", at+".call_index", "the call index must be a whole number from 0 and is "+quote(idx.JSON()))
					continue
				}
				call = int(n)
			}
			d.label(name, e.Field("value"), call, at)
		}
	default:
		d.note("label_not_read", "labels", "the labels must be an object or a list and are "+article(v.Kind()))
	}
}

// label adds one label: a number, a bool or a word.
func (d *draft) label(name string, v value.Value, call int, at string) {
	l := Label{Name: name, CallIndex: call}
	if b, ok := v.BoolVal(); ok {
		if b {
			l.Value = 1
		}
	} else if f, ok := v.Float64(); ok {
		l.Value = f
	} else if s, ok := v.Str(); ok && s != "" {
		l.Text = s
	} else {
		d.note("label_not_read", at, "the label must be a finite number, a bool or a word and is "+quote(v.JSON()))
		return
	}
	d.Labels = append(d.Labels, l)
}

// useTools sets the inventory. The same list as in the record before is not read
// again.
func (d *draft) useTools(v value.Value) {
	if v.IsNull() {
		return
	}
	if raw := v.Raw(); d.tools == nil || d.tools.raw != raw {
		tools, notes := ParseTools(v)
		d.tools = &inventory{raw: raw, tools: tools, notes: notes, names: toolNames(tools)}
	}
	d.Tools = d.tools.tools
	for _, n := range d.tools.notes {
		d.note(n.Kind, n.Place, n.Detail)
	}
}

func toolNames(tools []Tool) map[string]bool {
	names := make(map[string]bool, len(tools))
	for _, t := range tools {
		names[t.Name] = true
	}
	return names
}
