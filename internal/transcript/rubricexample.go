package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// envelope is the key under which published rubric files nest the record.
const envelope = "user_kwargs"

// Recorded begins the names of the labels that a record's own answer becomes; the name of
// its rubric follows, or "output".
const Recorded = "recorded."

// rubricRecord is what readRubricExample collects of a record and its envelope.
type rubricRecord struct {
	context, call, answer value.Value
	// rubric is the name in the record, "output" where there is none; contextAt and
	// callAt are where the parts stand.
	rubric, contextAt, callAt string
	extra                     []value.Member
}

// readRubricExample reads a record of {conversation_context, tools_inventory,
// tool_call}, at the top level or under user_kwargs. In the context a message of role
// "tool" holds a whole call: its name, its parameters and its output. Such calls are
// history: only tool_call is to be scored. It has no result. An answer beside it, under
// "output", becomes a label of that call.
func (d *draft) readRubricExample(v value.Value) error {
	r := rubricRecord{rubric: "output", contextAt: "conversation_context", callAt: "tool_call"}
	if err := d.rubricKeys(v, "", &r); err != nil {
		return err
	}
	if len(r.extra) > 0 {
		d.Extra = value.OfObject(r.extra...)
	}
	if err := d.context(r.context, r.contextAt); err != nil {
		return err
	}
	for i := range d.Calls {
		d.Calls[i].Context = true
	}
	asked := len(d.Calls)
	if err := d.askedCalls(r.call, r.callAt); err != nil {
		return err
	}
	d.recorded(r.answer, r.rubric, asked)
	return nil
}

// rubricKeys reads the keys of a record, or with a prefix of the envelope inside it.
func (d *draft) rubricKeys(v value.Value, prefix string, r *rubricRecord) error {
	for key, val := range v.Members() {
		switch {
		case key == envelope && prefix == "" && val.Kind() == value.Object:
			if err := d.rubricKeys(val, envelope+".", r); err != nil {
				return err
			}
		case key == "conversation_context":
			r.context, r.contextAt = val, prefix+key
		case key == "tool_call" || key == "tool_calls":
			r.call, r.callAt = val, prefix+key
		case key == "tools_inventory" || key == "tools":
			d.useTools(val)
		case key == "messages":
			r.extra = append(r.extra, value.Member{Key: "log_messages", Value: val})
		default:
			if key == "output" {
				r.answer = val
			}
			if name, ok := val.Str(); ok && key == "rubric" && name != "" {
				r.rubric = name
			}
			if err := d.nativeKey(key, val, &r.extra); err != nil {
				return err
			}
		}
	}
	return nil
}

// recorded makes labels of an answer: a number, an object with an output, or several of
// these objects by the names of their rubrics.
func (d *draft) recorded(answer value.Value, rubric string, call int) {
	if output, ok := answer.Get("output"); ok {
		answer = output
	}
	if answer.IsNumber() {
		d.label(Recorded+rubric, answer, call, "output")
		return
	}
	for name, one := range answer.Members() {
		if output := one.Field("output"); output.IsNumber() {
			d.label(Recorded+name, output, call, "output."+name)
		}
	}
}

func (d *draft) context(v value.Value, where string) error {
	if s, ok := v.Str(); ok {
		if parsed, err := value.ParseString(s); err == nil && parsed.IsList() {
			v = parsed
		} else {
			d.note("context_is_text", where, "the context is one text and stands as one user message")
			d.message(Message{Role: User, Content: s, HasContent: true}, where)
			return nil
		}
	}
	if v.IsNull() {
		return nil
	}
	if !v.IsList() {
		return wrong(where, "this must be a list of messages and is %s", article(v.Kind()))
	}
	for i, m := range v.Elements() {
		at := place(where, i)
		if m.Kind() != value.Object {
			return wrong(at, "a message must be an object and is %s", article(m.Kind()))
		}
		var err error
		if m.Field("role").Text() == "tool" && (m.Has("parameters") || m.Has("output")) {
			err = d.contextCall(m, at)
		} else {
			err = d.chatMessage(m, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// contextCall reads a tool message that holds a call and its output: it becomes a
// message of the agent with the call, and the tool's answer.
func (d *draft) contextCall(m value.Value, at string) error {
	c := Call{Place: at, Name: m.Field("name").Text(), Pairing: "id"}
	for _, key := range []string{"parameters", "arguments", "args"} {
		if args, given := m.Get(key); given {
			d.arguments(&c, args, true)
			break
		}
	}
	if c.RawArguments == "" && !c.Malformed {
		c.Arguments, c.RawArguments = value.OfObject(), "{}"
	}
	d.call(d.message(Message{Role: Assistant}, at), c)
	output, given := m.Get("output")
	if !given {
		if output, given = m.Get("content"); !given {
			d.Calls[len(d.Calls)-1].Pairing = ""
			return nil
		}
	}
	result := Message{Role: ToolRole, ToolName: c.Name}
	result.flag(m.Field("is_error"))
	if output.IsNull() {
		output = value.OfString("null")
	}
	if output.IsList() && !typed(output) || output.Kind() == value.Object {
		result.Output, result.Content, result.HasContent = output, output.JSON(), true
	} else {
		d.content(&result, output, at)
	}
	i := d.message(result, at)
	d.link(len(d.Calls)-1, i, "id")
	return nil
}

// askedCalls adds the call that the record asks about, in a message of its own.
func (d *draft) askedCalls(v value.Value, where string) error {
	if s, ok := v.Str(); ok {
		parsed, err := value.ParseString(s)
		if err != nil {
			return wrong(where, "the call is a text that is no JSON: %v", err)
		}
		v = parsed
	}
	list := []value.Value{v}
	if v.IsList() {
		list = list[:0]
		for _, e := range v.Elements() {
			list = append(list, e)
		}
	}
	if v.IsNull() || len(list) == 0 {
		return wrong(where, "the record has no tool_call to judge")
	}
	message := d.message(Message{Role: Assistant}, where)
	for _, e := range list {
		if e.Kind() != value.Object {
			return wrong(where, "the call must be an object and is %s", article(e.Kind()))
		}
		d.askedCall(message, e, where)
	}
	return nil
}

func (d *draft) askedCall(message int, v value.Value, where string) {
	c := Call{Place: where, ID: v.Field("id").Text()}
	if f := v.Field("function"); f.Kind() == value.Object {
		v = f
	}
	c.Name = strings.Clone(v.Field("name").Text())
	if c.Name == "" {
		c.Name = v.Field("function").Text()
	}
	var args value.Value
	given := false
	for _, key := range []string{"arguments", "parameters", "args", "input", "kwargs"} {
		if args, given = v.Get(key); given {
			break
		}
	}
	d.arguments(&c, args, given)
	if c.Name == "" {
		d.note("call_without_name", c.Place, "the call names no tool: "+quote(v.JSON()))
	}
	d.call(message, c)
}
