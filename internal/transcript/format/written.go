package format

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/pycall"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// The limits of the search for calls in one text: how many places are tried, and how many bytes a
// call and its name may have.
const (
	maxTextCalls = 256
	textCallSize = 64 << 10
	textNameSize = 128
)

const (
	openTag, closeTag            = "<tool_call>", "</tool_call>"
	functionTag, closeFunction   = "<function=", "</function>"
	parameterTag, closeParameter = "<parameter=", "</parameter>"
)

// CallsInText returns the calls that are written in a text, in these forms:
//
//   - an object, JSON or a Python literal, with a name (or function) and arguments (or
//     parameters), with tool and tool_input, or with action and action_input; by itself, in a
//     <tool_call> block or after "Action:"
//   - "Action: name" and "Action Input: …" (ReAct)
//   - <function=name>{…}</function>, or with <parameter=key>value</parameter> in it
//   - f(x=1) of a declared tool as a line of its own, and [f(x=1), g()] as the whole text
//
// What looks like a call and cannot be read is a malformed call, usually without a name.
// tools are the declared ones; nil if they are not known. The calls have no message yet:
// they are marked as Proposed.
func CallsInText(text string, tools []transcript.Tool) []transcript.Call {
	calls, _ := CutCalls(text, tools)
	return calls
}

// CutCalls returns the calls that are written in a text, and the text without them.
func CutCalls(text string, tools []transcript.Tool) (calls []transcript.Call, rest string) {
	rest = text
	for _, c := range searchCalls(text, tools) {
		calls = append(calls, c.Call)
		if c.written != "" { // the second call of a list has no text of its own
			rest = strings.Replace(rest, c.written, "\n", 1)
		}
	}
	return calls, rest
}

// writtenCall is a call in a text, with the part of the text that contains it.
type writtenCall struct {
	transcript.Call
	written string
}

func searchCalls(text string, tools []transcript.Tool) []writtenCall {
	if !mayHoldCall(text) {
		return nil
	}
	t := textSearch{tools: tools}
	t.run(text)
	return t.found
}

// mayHoldCall quickly rules out nearly all texts.
func mayHoldCall(s string) bool {
	return nextCallBracket(s) >= 0 || strings.IndexByte(s, '{') >= 0 && mayHoldObject(s) ||
		nextTag(s) < len(s) || strings.Contains(s, "Action")
}

// nextCallBracket returns the index of the next opening bracket after a name; -1 if none.
func nextCallBracket(s string) int {
	for at := 0; ; at++ {
		i := strings.IndexByte(s[at:], '(')
		if i < 0 {
			return -1
		}
		if at += i; at > 0 && inName(rune(s[at-1])) {
			return at
		}
	}
}

func mayHoldObject(s string) bool {
	has := func(part string) bool { return strings.Contains(s, part) }
	return (has(`arguments`) || has(`parameters`)) && (has(`"name"`) || has(`'name'`) || has(`"function"`)) ||
		has(`"action_input"`) || has(`"tool_input"`) || has(`"tool_args"`)
}

// nextTag returns the index of the next call tag, or the length of s.
func nextTag(s string) int {
	for at := 0; ; at++ {
		i := strings.IndexByte(s[at:], '<')
		if i < 0 {
			return len(s)
		}
		at += i
		if strings.HasPrefix(s[at:], openTag) || strings.HasPrefix(s[at:], functionTag) {
			return at
		}
	}
}

// textSearch finds the calls in a text.
type textSearch struct {
	tools []transcript.Tool
	tries int
	found []writtenCall
}

func (t *textSearch) run(text string) {
	if whole := unfenced(text); strings.HasPrefix(whole, "[") && t.python(whole, false) {
		return
	}
	for rest := text; rest != "" && t.tries < maxTextCalls; {
		at := nextTag(rest)
		t.prose(rest[:at])
		rest = rest[at:]
		switch {
		case strings.HasPrefix(rest, openTag):
			rest = t.block(rest[len(openTag):])
		case rest != "":
			rest = t.function(rest[len(functionTag):])
		}
	}
}

// unfenced removes blanks, and the code fence around a text that is one fenced block.
func unfenced(s string) string {
	s = strings.TrimSpace(s)
	inner, fenced := strings.CutPrefix(s, "```")
	if !fenced {
		return s
	}
	if _, below, found := strings.Cut(inner, "\n"); found {
		inner = below
	}
	return strings.TrimSpace(strings.TrimSuffix(inner, "```"))
}

func (t *textSearch) add(written string, c transcript.Call) {
	c.Proposed, c.Pairing = true, "none"
	if c.Malformed {
		c.Arguments = value.OfObject()
		c.RawArguments = cmp.Or(c.RawArguments, written)
	}
	t.found = append(t.found, writtenCall{c, written})
}

// unreadable adds something that looks like a call but cannot be parsed.
func (t *textSearch) unreadable(written, problem string) {
	t.add(written, transcript.Call{Malformed: true, Problem: problem})
}

// cutBlock returns the content of a block, and the text after it. A block ends at its end tag,
// before the next block, or at the maximum size of a call.
func cutBlock(s, begin, end string) (body, rest string) {
	near := s[:min(len(s), textCallSize)]
	body, _, closed := strings.Cut(near, end)
	if i := strings.Index(body, begin); i >= 0 {
		return s[:i], s[i:]
	}
	if closed {
		return body, s[len(body)+len(end):]
	}
	return near, s[len(near):]
}

// block parses the text after "<tool_call>" and returns the text after the block.
func (t *textSearch) block(s string) (rest string) {
	t.tries++
	body, rest := cutBlock(s, openTag, closeTag)
	known := len(t.found)
	if _, inner, found := strings.Cut(body, functionTag); found {
		t.function(inner)
	} else {
		t.objects(body)
	}
	if body = strings.TrimSpace(body); len(t.found) == known && body != "" {
		t.unreadable(body, "no JSON object with a name and arguments")
	}
	return rest
}

// function parses the text after "<function=" and returns the text after the call.
func (t *textSearch) function(s string) (rest string) {
	t.tries++
	end := strings.IndexByte(s[:min(len(s), textNameSize)], '>')
	if end <= 0 || strings.ContainsAny(s[:end], "\n<") || strings.TrimSpace(s[:end]) == "" {
		return s
	}
	written, name := s[:end], strings.TrimSpace(s[:end])
	s = s[end+1:]
	body, rest := cutBlock(s, functionTag, closeFunction)
	c := transcript.Call{Name: name}
	if strings.Contains(body, parameterTag) {
		c.Arguments = t.parameters(transcript.FindTool(t.tools, name), body)
		c.RawArguments = c.Arguments.JSON()
	} else {
		readArguments(&c, strings.TrimSpace(body))
	}
	t.add(functionTag+written+">"+body, c)
	return rest
}

// parameters parses <parameter=key>value</parameter> blocks. A value is text unless the tool's
// schema says otherwise.
func (t *textSearch) parameters(tool *transcript.Tool, body string) value.Value {
	args := value.OfObject()
	for _, block := range strings.Split(body, parameterTag)[1:] {
		key, text, found := strings.Cut(block, ">")
		if !found {
			continue
		}
		text, _, _ = strings.Cut(text, closeParameter)
		text = strings.TrimSuffix(strings.TrimPrefix(text, "\n"), "\n")
		v := value.OfString(text)
		if tool != nil {
			kind := tool.Parameters.Field("properties").Field(key).Field("type").Text()
			if kind != "" && kind != "string" {
				if parsed, _, err := parseWritten(text); err == nil {
					v = parsed
				}
			}
		}
		args = args.With(key, v)
	}
	return args
}

// parseWritten parses JSON or a Python literal.
func parseWritten(text string) (v value.Value, literal bool, err error) {
	if v, err = value.ParseString(text); err == nil {
		return v, false, nil
	}
	v, err = pycall.ParseLiteral(text)
	return v, true, err
}

// readArguments parses the arguments of a call: an object, which reasoning may follow. An empty
// text means no arguments.
func readArguments(c *transcript.Call, text string) {
	if strings.HasPrefix(text, "{") {
		var w value.Extent
		if n, done := w.Feed([]byte(text[:min(len(text), textCallSize)])); done {
			text = text[:n]
		}
	}
	c.RawArguments, c.Arguments = text, value.OfObject()
	if text == "" {
		return
	}
	v, literal, err := parseWritten(text)
	switch {
	case err != nil:
		c.Malformed, c.Problem = true, "its arguments are no JSON"
	case v.Kind() != value.Object:
		c.Malformed, c.Problem = true, "its arguments are "+v.Kind().WithArticle()
	default:
		c.Arguments, c.Literal = v, literal
	}
}

// objects finds the calls among the objects in a text. Inner objects are considered only if the
// outer one is not a call.
func (t *textSearch) objects(s string) {
	for t.tries < maxTextCalls {
		brace := strings.IndexByte(s, '{')
		if brace < 0 {
			return
		}
		s = s[brace:]
		next := 1
		if key := strings.TrimLeft(s[1:], " \t\r\n"); key != "" && (key[0] == '"' || key[0] == '\'') {
			t.tries++
			var w value.Extent
			n, done := w.Feed([]byte(s[:min(len(s), textCallSize)]))
			switch {
			case done && t.object(s[:n]):
				next = n
			case !done && beginsCall(s[:n], key):
				t.unreadable(s[:n], "the object is cut off")
				next = n
			}
		}
		s = s[next:]
	}
}

// beginsCall reports whether an object that cannot be parsed, with this first key, looks like a call.
func beginsCall(s, key string) bool {
	for _, name := range []string{`"name"`, `'name'`, `"function"`, `"action"`, `"tool"`, `"tool_name"`} {
		if strings.HasPrefix(key, name) {
			return mayHoldObject(s)
		}
	}
	return false
}

// object adds the call that a text consists of; false for any other text.
func (t *textSearch) object(text string) bool {
	v, literal, err := parseWritten(text)
	if err != nil {
		looks := beginsCall(text, strings.TrimLeft(text[1:], " \t\r\n"))
		if looks {
			t.unreadable(text, "the object is no valid JSON")
		}
		return looks
	}
	v = v.Inside("function")
	args, given := v.First(transcript.ArgumentKeys[:transcript.PlainArgumentKeys]...)
	name := v.FirstText(transcript.NameKeys[:]...)
	input, action := v.Get("action_input")
	if action {
		name, args, given = v.Field("action").Text(), input, true
		if slices.Contains(noActions, strings.ToLower(name)) {
			return true
		}
	}
	if name == "" || !given {
		return false
	}
	c := transcript.Call{Name: name, Literal: literal}
	s, isText := args.Str()
	if parsed, err := value.ParseString(s); isText && err == nil {
		args = parsed
	}
	c.Arguments, c.RawArguments = args, args.Raw()
	switch {
	case args.Kind() == value.Object:
	case action && isText:
		t.oneInput(&c, s)
	default:
		c.Malformed, c.Problem = true, "its arguments are "+args.Kind().WithArticle()
	}
	t.add(text, c)
	return true
}

// withoutBlock removes a call from a text, with the tags or label around it.
func withoutBlock(text, written string) string {
	before, after, found := strings.Cut(text, written)
	if !found || written == "" {
		return text
	}
	before = strings.TrimRight(before, " \n")
	for _, label := range []string{openTag, "Action:"} {
		before = strings.TrimRight(strings.TrimSuffix(before, label), " \n")
	}
	after = strings.TrimLeft(after, " \n")
	for _, end := range []string{closeTag, closeFunction} {
		after = strings.TrimPrefix(after, end)
	}
	return strings.TrimSpace(before + "\n" + strings.TrimSpace(after))
}
