package format

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/toolresult"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// draft is a conversation that is being read. Readers of formats add messages, calls and notes in
// the log's order; finish pairs and checks them.
type draft struct {
	*transcript.Conversation
	*decoder
	inventory *inventory
	// places holds the place of each message in its record.
	places []string
	// passed holds the unread records about tools.
	passed []passed
	// argumentless holds the places of calls without arguments that have an unread object.
	argumentless []string
	// aside says that the record is not a conversation, for instance spans of other programs.
	aside bool
	// asksOnly says that the record asks about calls that nobody ran.
	asksOnly bool
}

// note adds an oddity. place is a place in the record; "" means the record itself.
func (d *draft) note(kind, place, detail string) {
	at := d.Source.String()
	if place != "" {
		at += ": " + place
	}
	d.Notes = append(d.Notes, transcript.Note{Kind: kind, Place: at, Detail: detail})
}

// drop counts something that was left out of the conversation.
func (d *draft) drop(kind string) { tally(&d.Dropped, kind) }

// message adds a message and returns its index. place is its place in the record, such as "messages[3]".
func (d *draft) message(m transcript.Message, place string) int {
	m.Result = -1
	d.Messages = append(d.Messages, m)
	d.places = append(d.places, place)
	return len(d.Messages) - 1
}

// call adds a call made by message number message, and returns it.
func (d *draft) call(message int, c transcript.Call) *transcript.Call {
	if c.Name == "" && !c.Proposed {
		d.note("call_without_name", c.Place, "the call names no tool")
	}
	c.Index, c.Message, c.Result = len(d.Calls), message, -1
	if c.Executor == "" {
		c.Executor = "client"
	}
	d.Messages[message].Calls = append(d.Messages[message].Calls, c.Index)
	d.Calls = append(d.Calls, c)
	return &d.Calls[c.Index]
}

// say adds a message with a text; nothing if the text is empty.
func (d *draft) say(role transcript.Role, text, at string) {
	if text != "" {
		d.message(transcript.Message{Role: role, Content: text, HasContent: true}, at)
	}
}

// result adds a tool message with its content.
func (d *draft) result(m transcript.Message, content value.Value, at string) int {
	m.Role = transcript.ToolRole
	d.content(&m, content, at)
	return d.message(m, at)
}

// place returns the place of an element, such as "messages[3]".
func place(list string, i int) string {
	b := make([]byte, 0, len(list)+8)
	b = append(append(b, list...), '[')
	return string(append(strconv.AppendInt(b, int64(i), 10), ']'))
}

// place is like the function place with a cache: the records of a log have the same lists.
func (d *decoder) place(list string, i int) string {
	if i >= 1<<10 || strings.Contains(list, ".") {
		return place(list, i)
	}
	if list != d.list {
		d.list, d.at = list, nil
	}
	for len(d.at) <= i {
		d.at = append(d.at, place(list, len(d.at)))
	}
	return d.at[i]
}

// objects calls f for each element of a list of objects, with its place. noun names an element in
// errors: "message".
func (d *draft) objects(list value.Value, name, noun string, f func(v value.Value, at string) error) error {
	if !list.IsList() {
		return wrong(name, "this must be a list of %ss and is %s", noun, list.Kind().WithArticle())
	}
	for i, v := range list.Elements() {
		at := d.place(name, i)
		if v.Kind() != value.Object {
			article := map[bool]string{true: "an", false: "a"}[strings.ContainsRune("aeiou", rune(noun[0]))]
			return wrong(at, "%s %s must be an object and is %s", article, noun, v.Kind().WithArticle())
		}
		if err := f(v, at); err != nil {
			return err
		}
	}
	return nil
}

// finish does what needs the whole conversation: steps, pairing, and the notes on calls.
func (d *draft) finish() {
	d.ranTextCalls()
	d.steps()
	d.pair()
	d.textCalls()
	d.checkCalls()
	if d.format.end != nil {
		d.format.end(d)
	}
	if len(d.Messages) == 0 && !d.noted("run_error") {
		d.note("no_messages", "", "the conversation holds no message")
	}
}

func (d *draft) noted(kind string) bool {
	for i := range d.Notes {
		if d.Notes[i].Kind == kind {
			return true
		}
	}
	return false
}

func (d *draft) steps() {
	step := -1
	for i := range d.Messages {
		if d.Messages[i].Role == transcript.Assistant {
			step++
		}
		d.Messages[i].Step = max(step, 0)
	}
	for i := range d.Calls {
		d.Calls[i].Step = d.Messages[d.Calls[i].Message].Step
	}
}

// checkCalls notes what is odd about each call and its result.
func (d *draft) checkCalls() {
	var last *transcript.Call
	for i := range d.Calls {
		c := &d.Calls[i]
		switch {
		case c.Proposed:
			continue
		case c.Result < 0 && !c.Context && c.Executor != "server" && !d.asked(c):
			d.note("unanswered_call", c.Place, "no result of "+c.Name+" is in the log")
		case c.Result >= 0:
			d.checkResult(c)
		}
		if len(d.Tools) > 0 && c.Executor == "client" && !d.inventory.has(c.Name) {
			d.note("unknown_tool", c.Place, value.Quote(c.Name)+" is not in the tool inventory")
		}
		if last != nil && sameCall(last, c) {
			d.note("repeated_call", c.Place, c.Name+" is called again with the same arguments")
		}
		last = c
	}
}

// asked reports whether the record only asks about the call, so that no result is expected.
func (d *draft) asked(c *transcript.Call) bool {
	return d.asksOnly && !c.Context
}

func (d *draft) checkResult(c *transcript.Call) {
	m := &d.Messages[c.Result]
	if m.ToolName != "" && m.ToolName != c.Name {
		d.note("result_name_differs", d.places[c.Result],
			"the result of "+value.Quote(c.Name)+" says that it is of "+value.Quote(m.ToolName))
	}
	if m.Output.IsNull() && toolresult.Refused(m.Content) {
		c.Refused = true
		d.note("refused_call", c.Place, value.Quote(m.Content))
	}
}

func sameCall(a, b *transcript.Call) bool {
	if a.Name != b.Name || a.Executor != b.Executor {
		return false
	}
	return a.RawArguments == b.RawArguments ||
		!a.Malformed && !b.Malformed && value.Equal(a.Arguments, b.Arguments)
}

// content sets the text of a tool's message from any content: a text, null, or a list of parts.
func (d *draft) content(m *transcript.Message, v value.Value, at string) {
	switch v.Kind() {
	case value.Null:
	case value.String:
		m.Content, m.HasContent = v.Text(), true
	case value.List:
		m.Parts, m.HasContent = v, true
		if !isParts(v) {
			m.Content, m.Output = v.JSON(), v
			break
		}
		for i, p := range v.Elements() {
			d.partNotText(p, at+"."+place("content", i))
		}
		m.Content, _ = joinParts(v.Slice())
	default:
		m.Content, m.HasContent, m.Output = v.JSON(), true, v
	}
	if m.Output.IsNull() {
		m.Output = d.structured(m.Content)
	}
}

// joinParts joins the text parts with line feeds and names the other parts in brackets. plain says
// that all parts are text.
func joinParts(parts []value.Value) (text string, plain bool) {
	if len(parts) == 1 && parts[0].Kind() == value.String {
		return parts[0].Text(), true
	}
	var b strings.Builder
	plain = true
	for i, p := range parts {
		text, ok := partText(p)
		if !ok {
			text = partName(p)
		}
		plain = plain && ok && p.Len() <= 2
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(text)
	}
	return b.String(), plain
}

// partName returns the text that replaces a part other than text.
func partName(p value.Value) string {
	return "[" + cmp.Or(p.Field("type").Text(), "unknown part") + "]"
}

// partNotText notes a part other than text.
func (d *draft) partNotText(p value.Value, at string) {
	if _, ok := partText(p); !ok {
		d.note("part_not_text", at, "a part of type "+value.Quote(p.Field("type").Text())+" is kept as "+partName(p))
	}
}

// isParts reports whether the elements of a list look like parts of a message, and not like a tool's own list.
func isParts(list value.Value) bool {
	for _, p := range list.Elements() {
		if _, ok := p.Field("type").Str(); !ok && p.Kind() != value.String {
			return false
		}
	}
	return list.Len() > 0
}

func partText(p value.Value) (string, bool) {
	if s, ok := p.Str(); ok {
		return s, true
	}
	switch p.Field("type").Text() {
	case "text", "input_text", "output_text":
		if text, ok := p.Field("text").Str(); ok {
			return text, true
		}
		return p.Field("value").Str() // the form of LLaMA-Factory
	case "refusal":
		return p.Field("refusal").Str()
	}
	return "", false
}

// structured parses a text that is a JSON object or array; null for other texts.
func (d *draft) structured(s string) value.Value {
	t := strings.TrimLeft(s, " \t\r\n")
	if t == "" || t[0] != '{' && t[0] != '[' {
		return value.Value{}
	}
	v, err := d.parser.ParseString(s)
	if err != nil {
		return value.Value{}
	}
	return v
}
