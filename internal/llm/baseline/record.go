package baseline

import (
	"strings"
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
	schema            node // the parameters' JSON Schema; kind absent when not given
	changes           bool // the tool changes state, to judge by its name and description
	asksConfirmation  bool
}

type message struct {
	role string
	text string // content, or a tool's output
}

type call struct {
	name     string
	params   node
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
	n, ok := parse(text)
	if !ok || n.kind != object {
		return nil, false
	}
	r := &record{tools: c.toolSet(b["tools"])}
	r.call = makeCall(&n)
	r.readConversation(b["conversation"])
	return r, true
}

func makeCall(n *node) call {
	c := call{name: n.get("name").str()}
	params := n.get("parameters")
	if params == nil {
		params = n.get("arguments")
	}
	switch {
	case params.is(object) && n.get("unparsed") == nil:
		c.params = *params
	case params == nil || params.kind == null:
		c.params = node{kind: object}
	default:
		c.unparsed = params.text
		if c.params, c.python = parsePython(strings.TrimSpace(c.unparsed)); !c.python || c.params.kind != object {
			c.bad, c.python, c.params = true, false, node{kind: object}
		}
	}
	var b strings.Builder
	b.WriteString(c.name)
	if c.bad {
		b.WriteString(" raw " + c.unparsed)
	} else {
		c.params.canonical(&b)
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
		n, ok := parse(body)
		if !ok {
			continue
		}
		role := n.get("role").str()
		if role != "tool" {
			r.messages = append(r.messages, message{role, textOf(n.get("content"))})
			calls := n.get("tool_calls")
			if calls.is(array) {
				for i := range calls.list {
					open = append(open, len(r.events))
					r.events = append(r.events, event{call: makeCall(&calls.list[i]), at: len(r.messages) - 1})
				}
			}
			continue
		}
		output := n.get("output")
		if output == nil {
			output = n.get("content")
		}
		text := textOf(output)
		r.messages = append(r.messages, message{role, text})
		open = r.settle(open, &n, text, failed(output, text))
	}
}

// settle gives an outcome to the first open call of the same name, or makes an
// event of its own when the proposal is not in the record.
func (r *record) settle(open []int, n *node, text string, bad bool) []int {
	name := n.get("name").str()
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
func textOf(n *node) string {
	if n == nil || n.kind == null || n.kind == absent {
		return ""
	}
	if n.kind == str {
		return n.text
	}
	var b strings.Builder
	flatten(n, &b)
	return b.String()
}

func flatten(n *node, b *strings.Builder) {
	if n.kind != array && n.kind != object {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(n.text)
		return
	}
	for i := range n.list {
		if n.kind == object {
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(n.keys[i])
		}
		flatten(&n.list[i], b)
	}
}

// mayFail spares the parsing of outcomes without any telling key.
func mayFail(t string) bool {
	for _, p := range []string{"rror", "xception", "uccess", "tatus", `"ok"`} {
		if strings.Contains(t, p) {
			return true
		}
	}
	return false
}

// failed says whether an outcome looks like an error: it says so in its first
// words, or in a member made for that.
func failed(n *node, text string) bool {
	if n.is(str) {
		if t := strings.TrimLeft(text, " \n"); len(t) < 4<<10 && strings.HasPrefix(t, "{") && mayFail(t) {
			if inner, ok := parse(t); ok {
				return failed(&inner, "")
			}
		}
		head := strings.ToLower(strings.TrimLeft(text[:min(len(text), 160)], " \n\"'[("))
		for _, p := range []string{"error", "exception", "traceback", "failed", "failure", "invalid", "unauthorized", "forbidden", "permission denied", "not found", "unknown tool", "unable to"} {
			if strings.HasPrefix(head, p) {
				return true
			}
		}
		if len(text) > 400 {
			return false
		}
		for _, p := range []string{"error:", "was rejected", "not found", "does not exist", "no such", "timed out", "is not allowed", "cannot be"} {
			if strings.Contains(head, p) {
				return true
			}
		}
		return false
	}
	if !n.is(object) {
		return false
	}
	for i, k := range n.keys {
		v := &n.list[i]
		switch strings.ToLower(k) {
		case "error", "errors", "exception":
			if v.kind == object || (v.kind == str && v.text != "") || (v.kind == array && len(v.list) > 0) || v.text == "true" {
				return true
			}
		case "success", "ok":
			if v.kind == boolean && v.text == "false" {
				return true
			}
		case "status":
			if s := strings.ToLower(v.str()); s == "error" || s == "failed" || s == "failure" {
				return true
			}
		case "is_error", "iserror":
			if v.text == "true" {
				return true
			}
		}
	}
	return false
}
