package baseline

import (
	"iter"
	"strings"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/toolresult"
	"github.com/judgekit/judge/internal/value"
)

// record holds what the prompt shows: the tools, the earlier messages and calls, and the judged
// call.
type record struct {
	tools    map[string]*tool
	messages []message
	events   []event // earlier calls with their outcomes, in order
	call     call
	omitted  bool // some messages were left out of the prompt
}

type tool struct {
	name, description string
	schema            value.Value // the parameters' JSON Schema; null if not given
}

type message struct {
	role string
	text string // content, or a tool's output
}

type call struct {
	name     string
	params   value.Value
	unparsed string // the raw arguments if they are not an object
	bad      bool
	python   bool   // the raw arguments were a Python literal
	key      string // name and canonical arguments
}

// event is a call made earlier, with its outcome.
type event struct {
	call
	at     int // index of its outcome in messages
	output string
	failed bool
}

// readRecord turns what a prompt shows into the form that the rules read.
func readRecord(shown *llm.Record) *record {
	r := &record{tools: map[string]*tool{}, call: makeCall(shown.Call), omitted: shown.Omitted}
	for _, t := range shown.Tools {
		own := &tool{name: t.Field("name").Text(), description: t.Field("description").Text()}
		if p := t.Field("parameters"); p.Kind() == value.Object {
			own.schema = p
		}
		r.tools[own.name] = own
	}
	for _, line := range shown.History {
		if role := line.Field("role").Text(); role != "tool" {
			r.messages = append(r.messages, message{role, textOf(line.Field("content"))})
			continue
		}
		r.addResult(line)
	}
	return r
}

// newest yields the earlier calls, newest first.
func (r *record) newest() iter.Seq[*event] {
	return func(yield func(*event) bool) {
		for i := len(r.events) - 1; i >= 0 && yield(&r.events[i]); i-- {
		}
	}
}

func makeCall(n value.Value) call {
	c := call{name: n.Field("name").Text()}
	params := n.Field("parameters")
	switch {
	case params.Kind() == value.Object && !n.Has("unparsed"):
		c.params = params
	case params.IsNull():
		c.params = value.OfObject()
	default:
		c.unparsed = params.Text()
		v, err := pycall.ParseLiteral(c.unparsed)
		c.params, c.python = v, err == nil && v.Kind() == value.Object
		if c.bad = !c.python; c.bad {
			c.params = value.OfObject()
		}
	}
	if c.key = c.name + c.params.Canonical(); c.bad {
		c.key = c.name + " raw " + c.unparsed
	}
	return c
}

// addResult adds a call with its result.
func (r *record) addResult(line value.Value) {
	output := line.Field("output")
	text := textOf(output)
	r.messages = append(r.messages, message{"tool", text})
	if e := (event{call: makeCall(line), at: len(r.messages) - 1, output: text}); e.name != "" {
		e.failed = failed(line.Field("status").Text(), output, text)
		r.events = append(r.events, e)
	}
}

// failed reports whether a result is a failure. The status in the record decides; without one, the
// words of the result do.
func failed(status string, output value.Value, text string) (bad bool) {
	switch {
	case status == "error" || status == "refused":
		return true
	case status == "ok":
		return false
	case output.Kind() == value.Object:
		_, bad = toolresult.Value(output)
	default:
		_, bad = toolresult.Text(text)
	}
	return bad
}

// textOf flattens a value to text: a string stays as it is; of anything else the keys and leaves
// are joined by blanks.
func textOf(n value.Value) string {
	switch {
	case n.Kind() == value.String:
		return n.Text()
	case n.IsNull():
		return ""
	}
	return strings.Join(appendLeaves(nil, n), " ")
}

func appendLeaves(list []string, n value.Value) []string {
	switch {
	case n.IsNull():
		return append(list, "null")
	case !n.IsList() && n.Kind() != value.Object:
		return append(list, n.Text())
	}
	for i := range n.Len() {
		if n.Kind() == value.Object {
			list = append(list, n.KeyAt(i))
		}
		list = appendLeaves(list, n.At(i))
	}
	return list
}
