package baseline

import (
	"strings"

	"github.com/judgekit/judge/internal/llm/baseline/literal"
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
	name, description string
	schema            literal.Node // the parameters' JSON Schema; kind absent when not given
	changes           bool         // the tool changes state, to judge by its name and description
	asksConfirmation  bool
}

type message struct {
	role string
	text string // content, or a tool's output
}

type call struct {
	name     string
	params   literal.Node
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
// of a name wins, and a block ends at the marker with its own nonce.
func blocks(prompt string) map[string]string {
	out := map[string]string{}
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
		if _, name, ok := strings.Cut(head, " "); ok {
			if _, have := out[name]; !have {
				out[name] = rest[:end]
			}
		}
		at = len(prompt) - len(rest) + end
	}
}

// readRecord reads a prompt. ok is false when it shows no call.
func (c *cache) readRecord(prompt string) (*record, bool) {
	b := blocks(prompt)
	text, ok := b["call"]
	if !ok {
		return nil, false
	}
	n, ok := literal.Parse(text)
	if !ok || n.Kind != literal.Object {
		return nil, false
	}
	r := &record{tools: c.toolSet(b["tools"])}
	r.call = makeCall(&n)
	r.readConversation(b["conversation"])
	return r, true
}

func makeCall(n *literal.Node) call {
	c := call{name: n.Get("name").Str()}
	params := n.Get("parameters")
	if params == nil {
		params = n.Get("arguments")
	}
	switch {
	case params.Is(literal.Object) && n.Get("unparsed") == nil:
		c.params = *params
	case params == nil || params.Kind == literal.Null:
		c.params = literal.Node{Kind: literal.Object}
	default:
		c.unparsed = params.Text
		if c.params, c.python = literal.ParsePython(strings.TrimSpace(c.unparsed)); !c.python || c.params.Kind != literal.Object {
			c.bad, c.python, c.params = true, false, literal.Node{Kind: literal.Object}
		}
	}
	var b strings.Builder
	b.WriteString(c.name)
	if c.bad {
		b.WriteString(" raw " + c.unparsed)
	} else {
		c.params.Canonical(&b)
	}
	c.key = b.String()
	return c
}

func (r *record) readConversation(block string) {
	var open []int // events waiting for an outcome
	for line := range strings.Lines(block) {
		line = strings.TrimRight(line, "\n")
		_, body, ok := strings.Cut(line, "] ")
		if !ok {
			continue
		}
		if body == "omitted" {
			r.omitted = true
			continue
		}
		n, ok := literal.Parse(body)
		if !ok {
			continue
		}
		role := n.Get("role").Str()
		if role != "tool" {
			r.messages = append(r.messages, message{role, textOf(n.Get("content"))})
			calls := n.Get("tool_calls")
			if calls.Is(literal.Array) {
				for i := range calls.List {
					open = append(open, len(r.events))
					r.events = append(r.events, event{call: makeCall(&calls.List[i]), at: len(r.messages) - 1})
				}
			}
			continue
		}
		output := n.Get("output")
		if output == nil {
			output = n.Get("content")
		}
		text := textOf(output)
		r.messages = append(r.messages, message{role, text})
		open = r.settle(open, &n, text, marked(n.Get("status").Str(), output, text))
	}
}

// marked says whether a result is a failure: by the status that the record gives it, else
// by what it says.
func marked(status string, output *literal.Node, text string) bool {
	switch status {
	case "error", "refused":
		return true
	case "ok":
		return false
	}
	return failed(output, text)
}

// settle gives an outcome to the first open call of the same name, or makes an
// event of its own when the proposal is not in the record.
func (r *record) settle(open []int, n *literal.Node, text string, bad bool) []int {
	name := n.Get("name").Str()
	at := len(r.messages) - 1
	for k, i := range open {
		if e := &r.events[i]; e.name == name || name == "" {
			e.output, e.done, e.failed, e.at = text, true, bad, at
			return append(open[:k:k], open[k+1:]...)
		}
	}
	if name != "" {
		r.events = append(r.events, event{call: makeCall(n), at: at, output: text, done: true, failed: bad})
	}
	return open
}

// textOf flattens a value to text: strings as they are, everything else as its
// leaves with their keys, one blank between.
func textOf(n *literal.Node) string {
	if n == nil || n.Kind == literal.Null || n.Kind == literal.Absent {
		return ""
	}
	if n.Kind == literal.String {
		return n.Text
	}
	var b strings.Builder
	flatten(n, &b)
	return b.String()
}

func flatten(n *literal.Node, b *strings.Builder) {
	if n.Kind != literal.Array && n.Kind != literal.Object {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(n.Text)
		return
	}
	for i := range n.List {
		if n.Kind == literal.Object {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(n.Keys[i])
		}
		flatten(&n.List[i], b)
	}
}

// failed says whether an outcome is that of a call that failed.
func failed(n *literal.Node, text string) bool {
	if !n.Is(literal.Object) {
		_, bad := toolresult.Text(text)
		return bad
	}
	var fails, succeeds, reports bool
	for i, key := range n.Keys {
		m := &n.List[i]
		switch toolresult.Member(key, kindOf(m.Kind), m.Text, len(m.List)) {
		case toolresult.Fails:
			fails = true
		case toolresult.Succeeds:
			succeeds = true
		case toolresult.Reports:
			reports = true
		}
	}
	_, bad := toolresult.Sum(fails, succeeds, reports)
	return bad
}

func kindOf(k literal.Kind) value.Kind {
	switch k {
	case literal.Boolean:
		return value.Bool
	case literal.Number:
		return value.Int
	case literal.String:
		return value.String
	case literal.Array:
		return value.List
	case literal.Object:
		return value.Object
	}
	return value.Null
}
