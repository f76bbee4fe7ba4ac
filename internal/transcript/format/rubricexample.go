// Records of rubric files.
// Written by: data sets that ask a judge about one call: conversation_context, tools_inventory and tool_call,
// also under user_kwargs.
// Read: these names in any order; parameters of tools may be shorthand.
// Lost: nothing; other keys stay in sample.

package format

import (
	"cmp"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var rubricExample = format{
	name:   "rubric-example",
	mark:   "the keys of a rubric's example",
	detect: of(isRubricExample),
	read:   (*draft).readRubricExample,
}

// envelopeKey is the key under which published rubric files nest the record.
const envelopeKey = "user_kwargs"

func isRubricExample(f value.Value) bool {
	f = f.Inside(envelopeKey)
	return f.Has("conversation_context") || f.HasAll("tools_inventory", "tool_call")
}

// readRubricExample reads a record of {conversation_context, tools_inventory, tool_call}, at the top level or
// under user_kwargs. In the context a message of role "tool" holds a whole call: its name, its parameters and
// its output. Such calls are history: only tool_call is to be scored. It has no result. An answer beside it,
// under "output", becomes a label of that call.
func (d *draft) readRubricExample(v value.Value) error {
	d.asksOnly = true
	inner := v.Field(envelopeKey)
	place := func(key string) string {
		if inner.Has(key) {
			return envelopeKey + "." + key
		}
		return key
	}
	if inner.Kind() == value.Object {
		v = v.Without(envelopeKey)
		for key, val := range inner.Members() {
			v = v.With(key, val)
		}
	}
	call, key := v.FirstKey("tool_call", "tool_calls")
	if err := d.native(v, "conversation_context", "tools_inventory", "tool_call", "tool_calls"); err != nil {
		return err
	}
	d.useTools(v.Field("tools_inventory"))
	if err := d.context(v.Field("conversation_context"), place("conversation_context")); err != nil {
		return err
	}
	for i := range d.Calls {
		d.Calls[i].Context = true
	}
	asked := len(d.Calls)
	if err := d.askedCalls(call, place(cmp.Or(key, "tool_call"))); err != nil {
		return err
	}
	rubric, _ := v.Field("rubric").Str()
	d.recorded(v.Field("output"), cmp.Or(rubric, "output"), asked)
	return nil
}

// recorded turns an answer into labels: a number, an object with an output, or several such objects
// by rubric name.
func (d *draft) recorded(answer value.Value, rubric string, call int) {
	if output, ok := answer.Get("output"); ok {
		answer = output
	}
	if answer.IsNumber() {
		d.label(transcript.Recorded+rubric, answer, call, "output")
		return
	}
	for name, one := range answer.Members() {
		if output := one.Field("output"); output.IsNumber() {
			d.label(transcript.Recorded+name, output, call, "output."+name)
		}
	}
}

func (d *draft) context(v value.Value, where string) error {
	if s, ok := v.Str(); ok {
		parsed, err := value.ParseString(s)
		if err != nil || !parsed.IsList() {
			d.note("context_is_text", where, "the context is one text and is kept as one user message")
			d.messageOf(transcript.User, v, where)
			return nil
		}
		v = parsed
	}
	if v.IsNull() {
		return nil
	}
	return d.objects(v, where, "message", func(m value.Value, at string) error {
		if m.Field("role").Text() != "tool" || !m.HasAny("parameters", "output") {
			return d.oneMessage(m, at)
		}
		d.contextCall(m, at)
		return nil
	})
}

// contextCall reads a tool message with a call and its output: it becomes a message of the agent
// with the call, and the tool's answer.
func (d *draft) contextCall(m value.Value, at string) {
	c := transcript.Call{Place: at, Name: m.Field("name").Text()}
	args, given := m.First("parameters", "arguments", "args")
	if !given {
		args = value.OfObject()
	}
	d.arguments(&c, args, true)
	call := d.call(d.message(transcript.Message{Role: transcript.Assistant}, at), c).Index
	output, given := m.First("output", "content")
	if !given {
		return
	}
	result := transcript.Message{ToolName: c.Name}
	readFlag(&result, m.Field("is_error"))
	if output.IsNull() || output.IsList() && !isParts(output) {
		output = value.OfString(output.JSON())
	}
	d.link(call, d.result(result, output, at), "id")
}

// askedCalls adds the calls that the record asks about, in a message of their own.
func (d *draft) askedCalls(v value.Value, where string) error {
	if s, ok := v.Str(); ok {
		var err error
		if v, err = value.ParseString(s); err != nil {
			return wrong(where, "the call is a text and not JSON: %v", err)
		}
	}
	if v.IsNull() || v.IsList() && v.Len() == 0 {
		return wrong(where, "the record has no tool_call to judge")
	}
	if !v.IsList() {
		v = value.OfList(v)
	}
	message := d.message(transcript.Message{Role: transcript.Assistant}, where)
	return d.objects(v, where, "call", func(v value.Value, _ string) error {
		c := transcript.Call{Place: where, ID: v.Field("id").Text()}
		v = v.Inside("function")
		c.Name = strings.Clone(cmp.Or(v.Field("name").Text(), v.Field("function").Text()))
		args, given := v.First("arguments", "parameters", "args", "input", "kwargs")
		d.arguments(&c, args, given)
		d.call(message, c)
		return nil
	})
}
