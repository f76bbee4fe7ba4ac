package transcript

import (
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/value"
)

// maxTextCalls bounds how many places of one text are tried for a call.
const maxTextCalls = 256

// textCalls looks for calls that the agent wrote as text in a message that makes no
// call. They never ran: each is noted, and becomes a call with Proposed set only
// when Options.TextCalls says so.
func (d *draft) textCalls() {
	made := 0
	for i := range d.Messages {
		m := &d.Messages[i]
		if m.Role != Assistant || len(m.Calls) > 0 || !mayHoldCall(m.Content) {
			continue
		}
		for _, w := range writtenCalls(m.Content) {
			at := d.places[i] + ".content"
			if !w.arguments.IsNull() || w.problem == "" {
				d.note("call_in_text", at, w.name+" is only written in the text and never ran: "+quote(w.text))
			} else {
				d.note("call_in_text", at, "a call is only written in the text, and cannot be read ("+w.problem+"): "+quote(w.text))
			}
			if d.opts.TextCalls {
				d.propose(i, w, at)
				made++
			}
		}
	}
	if made > 0 {
		d.reorder()
	}
}

func (d *draft) propose(message int, w writtenCall, at string) {
	c := Call{Name: w.name, Place: at, Proposed: true, Pairing: "none", Step: d.Messages[message].Step}
	c.RawArguments = w.text
	if w.arguments.Kind() == value.Object {
		c.Arguments, c.RawArguments = w.arguments, w.arguments.Raw()
	} else {
		c.Arguments, c.Malformed, c.Problem = value.OfObject(), true, orWord(w.problem, "the arguments are no object")
	}
	c.Literal = w.literal
	d.call(message, c)
}

// reorder puts the calls into the order of their messages after calls were added
// behind the others.
func (d *draft) reorder() {
	old := d.Calls
	d.Calls = make([]Call, 0, len(old))
	for i := range d.Messages {
		m := &d.Messages[i]
		for k, at := range m.Calls {
			c := old[at]
			c.Index = len(d.Calls)
			m.Calls[k] = c.Index
			if c.Result >= 0 {
				d.Messages[c.Result].Result = c.Index
			}
			d.Calls = append(d.Calls, c)
		}
	}
}

// mayHoldCall rules out nearly all texts quickly.
func mayHoldCall(s string) bool {
	if strings.Contains(s, "<tool_call>") {
		return true
	}
	return (strings.Contains(s, `"name"`) || strings.Contains(s, `'name'`)) &&
		(strings.Contains(s, `arguments`) || strings.Contains(s, `parameters`))
}

// writtenCall is a call that stands in a text.
type writtenCall struct {
	name      string
	arguments value.Value
	text      string
	literal   bool
	problem   string
}

// writtenCalls finds the calls in a text: objects with a name and arguments (or
// parameters), as JSON or a Python literal, and <tool_call> blocks that hold
// neither.
func writtenCalls(s string) []writtenCall {
	var found []writtenCall
	tries := 0
	for i := 0; i < len(s) && tries < maxTextCalls; {
		tag := strings.Index(s[i:], "<tool_call>")
		brace := strings.IndexByte(s[i:], '{')
		switch {
		case tag >= 0 && (brace < 0 || tag < brace):
			tries++
			start := i + tag + len("<tool_call>")
			body, next := block(s, start)
			calls := objects(body, &tries)
			if len(calls) == 0 && strings.TrimSpace(body) != "" {
				calls = []writtenCall{{text: strings.TrimSpace(body), problem: "no JSON object with a name and arguments"}}
			}
			found = append(found, calls...)
			i = next
		case brace >= 0:
			end := len(s)
			if tag >= 0 {
				end = i + tag
			}
			found = append(found, objects(s[i:end], &tries)...)
			i = end
		default:
			return found
		}
	}
	return found
}

// block returns the text up to the end tag, or the next start tag, and the place
// behind it.
func block(s string, start int) (string, int) {
	rest := s[start:]
	end := strings.Index(rest, "</tool_call>")
	if again := strings.Index(rest, "<tool_call>"); again >= 0 && (end < 0 || again < end) {
		return rest[:again], start + again
	}
	if end < 0 {
		return rest, len(s)
	}
	return rest[:end], start + end + len("</tool_call>")
}

// objects reads the calls among the objects of a text. Objects inside of others are
// only looked at where the outer one cannot be read.
func objects(s string, tries *int) []writtenCall {
	var found []writtenCall
	for i := 0; i < len(s) && *tries < maxTextCalls; {
		brace := strings.IndexByte(s[i:], '{')
		if brace < 0 {
			break
		}
		i += brace
		if !startsObject(s[i:]) {
			i++
			continue
		}
		*tries++
		var w walk
		n, done := w.feed([]byte(s[i:min(len(s), i+textCallSize)]))
		if !done {
			i++
			continue
		}
		if c, ok := callObject(s[i : i+n]); ok {
			found = append(found, c)
			i += n
			continue
		}
		i++
	}
	return found
}

// textCallSize bounds the length of a call in a text.
const textCallSize = 64 << 10

func startsObject(s string) bool {
	t := strings.TrimLeft(s[1:], " \t\r\n")
	return t != "" && (t[0] == '"' || t[0] == '\'')
}

func callObject(text string) (writtenCall, bool) {
	w := writtenCall{text: text}
	v, err := value.ParseString(text)
	if err != nil {
		if v, err = pycall.ParseLiteral(text); err != nil {
			return w, false
		}
		w.literal = true
	}
	if f := v.Field("function"); f.Kind() == value.Object {
		v = f
	}
	name, ok := v.Field("name").Str()
	if !ok || name == "" {
		return w, false
	}
	w.name = name
	for _, key := range []string{"arguments", "parameters"} {
		args, given := v.Get(key)
		if !given {
			continue
		}
		if s, isText := args.Str(); isText {
			if parsed, err := value.ParseString(s); err == nil {
				args = parsed
			}
		}
		if args.Kind() != value.Object {
			w.problem = "its arguments are " + article(args.Kind())
			return w, true
		}
		w.arguments = args
		return w, true
	}
	return w, false
}
