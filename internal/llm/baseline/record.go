package baseline

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/toolresult"
	"github.com/judgekit/judge/internal/value"
)

// record is what the prompt shows: the tools, what was said and done before the
// call, and the call.
type record struct {
	tools    map[string]*tool
	messages []message
	events   []event // executed calls with their outcomes, in order
	call     call
	omitted  bool // some messages were left out of the prompt
}

type tool struct {
	name    string
	schema  value.Value // the parameters' JSON Schema; null when not given
	changes bool        // the tool changes state, to judge by its name and description
}

type message struct {
	role string
	text string // content, or a tool's output
}

type call struct {
	name     string
	params   value.Value
	unparsed string // the raw arguments when they are not an object
	bad      bool
	python   bool   // the raw arguments were a Python literal
	key      string // name and canonical arguments
}

// event is a call made earlier, with its outcome.
type event struct {
	call
	at     int // index in messages of its outcome, or of its proposal
	output string
	done   bool // an outcome is in the record
	failed bool
}

const (
	openMark  = "<<<RECORD "
	closeMark = "<<<END "
	markEnd   = ">>>"
	maxMarker = 200 // bytes of nonce and name
)

// blocks cuts the marked blocks out of a prompt, by their names. The first block
// of a name with the nonce of the first block wins, others belong to examples; a block ends
// at the marker with its own nonce.
func blocks(prompt string) map[string]string {
	out, own := map[string]string{}, ""
	for at := 0; ; {
		i := strings.Index(prompt[at:], openMark)
		if i < 0 {
			return out
		}
		i += at
		at = i + len(openMark)
		head, _, ok := strings.Cut(prompt[at:min(at+maxMarker, len(prompt))], markEnd+"\n")
		if !ok || (i > 0 && prompt[i-1] != '\n') {
			continue // not a marker line
		}
		rest := prompt[at+len(head)+len(markEnd)+1:]
		end := strings.Index(rest, closeMark+head+markEnd)
		if end < 0 {
			return out
		}
		if nonce, name, ok := strings.Cut(head, " "); ok {
			own = cmp.Or(own, nonce)
			if _, have := out[name]; !have && nonce == own {
				out[name] = rest[:end]
			}
		}
		at = len(prompt) - len(rest) + end
	}
}

// readRecord reads a prompt. ok is false when it shows no call.
func (v *inventory) readRecord(prompt string) (*record, bool) {
	b := blocks(prompt)
	text, ok := b["call"]
	if !ok {
		return nil, false
	}
	n, err := value.ParseString(text)
	if err != nil || n.Kind() != value.Object {
		return nil, false
	}
	r := &record{tools: v.read(b["tools"])}
	r.call = makeCall(n)
	r.readConversation(b["conversation"])
	return r, true
}

// outcomes yields the calls that were answered, the newest first.
func (r *record) outcomes() iter.Seq[*event] {
	return func(yield func(*event) bool) {
		for i := len(r.events) - 1; i >= 0; i-- {
			if e := &r.events[i]; e.done && !yield(e) {
				return
			}
		}
	}
}

func makeCall(n value.Value) call {
	c := call{name: n.Field("name").Text()}
	params, given := n.Get("parameters")
	if !given {
		params = n.Field("arguments")
	}
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

func (r *record) readConversation(block string) {
	for line := range strings.Lines(block) {
		_, body, ok := strings.Cut(strings.TrimRight(line, "\n"), "] ")
		if body == "omitted" {
			r.omitted = true
		}
		n, err := value.ParseString(body)
		if !ok || err != nil {
			continue
		}
		role := n.Field("role").Text()
		if role == "tool" {
			r.addResult(n)
			continue
		}
		r.messages = append(r.messages, message{role, textOf(n.Field("content"))})
		for _, proposed := range n.Field("tool_calls").Elements() {
			r.events = append(r.events, event{call: makeCall(proposed), at: len(r.messages) - 1})
		}
	}
}

// addResult gives an outcome to the first call of that name that has none, or makes an
// event of its own when the proposal is not in the record.
func (r *record) addResult(n value.Value) {
	output, given := n.Get("output")
	if !given {
		output = n.Field("content")
	}
	name, text := n.Field("name").Text(), textOf(output)
	r.messages = append(r.messages, message{"tool", text})
	at := slices.IndexFunc(r.events, func(e event) bool { return !e.done && (e.name == name || name == "") })
	if at < 0 {
		if name == "" {
			return
		}
		at = len(r.events)
		r.events = append(r.events, event{call: makeCall(n)})
	}
	e := &r.events[at]
	e.at, e.output, e.done, e.failed = len(r.messages)-1, text, true, failed(n.Field("status").Text(), output, text)
}

// failed reports whether a result is a failure: by the status that the record gives it,
// else by what it says.
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

// textOf flattens a value to text: strings as they are, everything else as its
// leaves with their keys, one blank between.
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
