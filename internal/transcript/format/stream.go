// Replies that come in pieces.
// Written by: clients and proxies that log the events of a streamed reply, as server-sent events (data: …) or as their
// JSON, lines or a list: OpenAI Chat Completions (chat.completion.chunk), OpenAI Responses (response.*), Anthropic
// (message_start …), Cohere v2 (message-start …), Gemini (candidates) and its Interactions (content.delta, step.delta
// …), Bedrock (contentBlockDelta …), Ollama (done); the Vercel AI SDK's stream of UI messages is in uistream.go.
// Read: the APIs of 2026. The pieces of a reply are joined to one.
// Lost: the request; pieces of choices beyond the first; citations, usage.

package format

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/transcript/container"
	"github.com/judgekit/judge/internal/value"
)

var eventStream = format{
	name:   "event-stream",
	mark:   "events of a streamed reply",
	detect: func(p *probe) confidence { return max(of(isStreamEvent)(p), sureIf(areGeminiChunks(p.records))) },
	read:   (*draft).readEventStream,
	parts: func(v value.Value, add func(part)) {
		add(part{conversation: streamKey(v), text: v.Raw()})
	},
}

// The types of events by which streamed replies are recognised, and those that begin a reply.
var (
	streamTypes = []string{"message_start", "content_block_start", "content_block_delta", "message-start", "content-delta",
		"tool-call-start", "tool-plan-delta"}
	streamBegins = []string{"message_start", "response.created", "message-start", "interaction.start", "interaction.created",
		"start"}
)

// isStreamEvent reports whether v is an event of a streamed reply.
func isStreamEvent(v value.Value) bool {
	v = agUI(v)
	kind := v.FirstText("type", "event_type")
	switch {
	case v.Field("object").Text() == "chat.completion.chunk", v.HasAny("contentBlockDelta", "contentBlockStart"),
		slices.Contains(uiTypes, kind),
		v.HasAll("model", "created_at", "done") && v.Field("message").Has("role"): // Ollama's, also of one piece
		return true
	case strings.HasPrefix(kind, "response."):
		return v.HasAny("sequence_number", "response", "item", "delta")
	case slices.ContainsFunc([]string{"interaction.", "content.", "step."}, func(of string) bool { return strings.HasPrefix(kind, of) }):
		return v.HasAny("interaction", "interaction_id", "index")
	}
	return slices.Contains(streamTypes, kind) && v.HasAny("message", "delta", "content_block")
}

// areGeminiChunks reports whether records are pieces of one Gemini reply: the first does not end it.
func areGeminiChunks(records []value.Value) bool {
	return len(records) > 1 && !slices.ContainsFunc(records[:2], func(v value.Value) bool {
		return !v.Field("candidates").IsList() || v.HasAny("contents", "request")
	}) && !records[0].Field("candidates").Head().Has("finishReason")
}

// isStream reports whether a reply is a list of events, or their text.
func isStream(reply value.Value) bool {
	first := reply
	if reply.IsList() {
		first = reply.Head()
		if first.Has("candidates") {
			return true
		}
	}
	text, isText := first.Str()
	text = strings.TrimSpace(text)
	for strings.HasPrefix(text, ":") { // a comment that keeps the connection open
		_, text, _ = strings.Cut(text, "\n")
		text = strings.TrimSpace(text)
	}
	return isText && (strings.HasPrefix(text, "data:") || strings.HasPrefix(text, "event:")) ||
		reply.IsList() && isStreamEvent(first)
}

// joined returns the reply whose events v contains. Any other reply is returned unchanged, and so
// is text whose events cannot be read.
func joined(v value.Value) value.Value {
	if !isStream(v) {
		return v
	}
	var s stream
	events := []value.Value{v}
	if v.IsList() {
		events = v.Slice()
	}
	for _, e := range events {
		if text, isText := e.Str(); isText {
			s.lines(text)
		} else {
			s.add(e)
		}
	}
	if s.events == 0 {
		return v
	}
	return s.reply()
}

// readEventStream reads the events of one or several replies, one after another.
func (d *draft) readEventStream(list value.Value) error {
	var s stream
	at := ""
	for i, v := range list.Elements() {
		v = agUI(v)
		if s.events > 0 && s.endsBefore(v) {
			if err := d.streamed(&s, at); err != nil {
				return err
			}
			s, at = stream{}, indexed(i)
		}
		if id, path := found(v, "message.id", "response.id", "interaction.id", "messageId", "id"); d.ID == "" &&
			(path != "id" || !isUIEvent(v)) {
			d.ID = id.Text()
		}
		s.add(v)
	}
	return d.streamed(&s, at)
}

// endsBefore reports whether an event begins the next reply.
func (s *stream) endsBefore(v value.Value) bool {
	id := v.Field("responseId").Text()
	return slices.Contains(streamBegins, v.FirstText("type", "event_type")) || id != "" && s.id != "" && id != s.id || s.done
}

func (d *draft) streamed(s *stream, at string) error {
	reply := s.reply()
	if output := reply.Field("output"); output.IsList() {
		d.useTools(reply.Field("tools"))
		return d.messageList(output, at)
	}
	return d.answer(reply, at)
}

// stream is a reply that arrives in pieces.
type stream struct {
	events int
	// id is the response id that each piece of a Gemini reply repeats.
	id string
	// done says that Ollama ended the reply.
	done bool
	// whole is the complete reply, if an event contains it.
	whole value.Value
	// text and thought collect text and reasoning, parts the calls and complete parts, items the
	// complete items of the Responses API.
	text, thought strings.Builder
	parts         []streamedPart
	items         []value.Value
}

// streamedPart is a call, or a complete part. A step of Gemini Interactions has an index, under
// which it may be continued.
type streamedPart struct {
	call  *streamedCall
	whole value.Value
	index string
	// text is the text of the part if it arrives in pieces.
	text *strings.Builder
}

// streamedCall is a call whose arguments arrive in pieces.
type streamedCall struct {
	index, id, name string
	// kind is the type of the part, unless it is tool_use.
	kind      string
	arguments strings.Builder
	// input holds the arguments with which the call began.
	input value.Value
}

// lines adds the events in a text of server-sent events.
func (s *stream) lines(text string) {
	for line := range strings.Lines(text) {
		data, isData := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if v, err := value.ParseString(strings.TrimSpace(data)); isData && err == nil {
			s.add(v)
		}
	}
}

func (s *stream) add(v value.Value) {
	v = agUI(v)
	s.events++
	kind := v.FirstText("type", "event_type")
	if isUIEvent(v) {
		s.ui(v, kind)
		return
	}
	for _, e := range []string{"response", "interaction"} {
		if whole := v.Field(e); whole.Kind() == value.Object && strings.HasPrefix(kind, e+".") &&
			whole.HasAny("output", "outputs", "steps") &&
			(strings.HasSuffix(kind, ".completed") || strings.HasSuffix(kind, ".complete")) {
			s.whole = whole
		}
	}
	if kind == "response.output_item.done" {
		s.items = append(s.items, v.Field("item"))
	}
	s.chat(v)
	s.ollama(v)
	if !strings.HasSuffix(kind, "_stop") { // Anthropic's client repeats what is complete
		s.blocks(v)
	}
	s.cohere(v.Field("delta").Field("message"), v.Field("index").Text())
	s.id = cmp.Or(v.Field("responseId").Text(), s.id)
	for _, p := range v.Field("candidates").Head().Field("content").Field("parts").Elements() {
		s.gemini(p)
	}
	if kind == "message_start" { // in Anthropic's streams, a reply that running code continues begins with its call
		for _, p := range v.Field("message").Field("content").Elements() {
			s.parts = append(s.parts, streamedPart{whole: p})
		}
	}
}

// ollama adds a piece of an Ollama reply, whose calls arrive whole.
func (s *stream) ollama(v value.Value) {
	done, isPiece := v.Field("done").BoolVal()
	if !isPiece {
		return
	}
	m := v.Field("message")
	s.done = done
	s.text.WriteString(m.Field("content").Text())
	s.thought.WriteString(m.Field("thinking").Text())
	for _, c := range m.Field("tool_calls").Elements() {
		f := c.Field("function")
		s.parts = append(s.parts, streamedPart{whole: callItem(c.Field("id").Text(), f.Field("name").Text(), f.Field("arguments"))})
	}
}

// gemini adds a part of a Gemini chunk. A call may be continued without its name, with arguments by
// their paths.
func (s *stream) gemini(p value.Value) {
	f := p.Field("functionCall")
	goesOn, _ := f.Field("willContinue").BoolVal()
	switch text := p.Field("text"); {
	case text.Kind() == value.String && !p.Has("thought"):
		s.text.WriteString(text.Text())
		return
	case f.Has("name") && (goesOn || f.Has("partialArgs")):
		args := f.Field("args")
		if args.IsNull() {
			args = value.OfObject()
		}
		c := &streamedCall{id: f.Field("id").Text(), name: f.Field("name").Text(), input: args}
		s.parts = append(s.parts, streamedPart{call: c})
	case f.Kind() != value.Object || f.Has("name"):
		s.parts = append(s.parts, streamedPart{whole: p})
		return
	}
	if n := len(s.parts); n > 0 && s.parts[n-1].call != nil {
		for _, a := range f.Field("partialArgs").Elements() {
			piece, _ := a.First("stringValue", "numberValue", "boolValue") // else null
			path := strings.FieldsFunc(a.Field("jsonPath").Text(), func(r rune) bool { return strings.ContainsRune("$.[]'\"", r) })
			s.parts[n-1].call.input = setAt(s.parts[n-1].call.input, path, piece)
		}
	}
}

// setAt returns v with a piece added at a path: a text is continued, a list gets at most one more element.
func setAt(v value.Value, path []string, piece value.Value) value.Value {
	if len(path) == 0 {
		if piece.Kind() == value.String {
			return value.OfString(v.Text() + piece.Text())
		}
		return piece
	}
	if i, err := strconv.Atoi(path[0]); err == nil && i >= 0 && (v.IsList() || v.IsNull()) {
		elements := slices.Clone(v.Slice())
		if i = min(i, len(elements)); i == len(elements) {
			elements = append(elements, value.Value{})
		}
		elements[i] = setAt(elements[i], path[1:], piece)
		return value.OfList(elements...)
	}
	if v.Kind() != value.Object {
		v = value.OfObject()
	}
	return v.With(path[0], setAt(v.Field(path[0]), path[1:], piece))
}

// chat adds a chunk of OpenAI Chat Completions.
func (s *stream) chat(v value.Value) {
	choice := v.Field("choices").Head()
	if i := choice.Field("index"); i.IsNumber() && i.Text() != "0" {
		return
	}
	delta := choice.Field("delta")
	s.text.WriteString(delta.Field("content").Text())
	s.text.WriteString(choice.Field("text").Text())
	s.thought.WriteString(delta.FirstText("reasoning_content", "reasoning"))
	for _, c := range delta.Field("tool_calls").Elements() {
		f := c.Field("function")
		s.call(c.Field("index").Text(), c.Field("id").Text()).add(f.Field("name"), f.Field("arguments"))
	}
	if f := delta.Field("function_call"); f.Kind() == value.Object {
		s.call("function_call", "").add(f.Field("name"), f.Field("arguments"))
	}
}

// blocks adds an event of Anthropic, Gemini Interactions or Bedrock: it begins or continues a block.
func (s *stream) blocks(v value.Value) {
	index := v.Field("index").Text()
	block, _ := v.First("content_block", "content", "step")
	delta := v.Field("delta")
	if b, bedrock := v.First("contentBlockStart", "contentBlockDelta"); bedrock {
		index = b.Field("contentBlockIndex").Text()
		block, delta = b.Field("start").Field("toolUse"), b.Field("delta")
	}
	if block.HasAny("name", "toolUseId") {
		c := s.call(index, block.FirstText("id", "toolUseId"))
		c.add(block.Field("name"), value.Value{})
		c.input, _ = block.First("input", "arguments")
		if kind := block.Field("type").Text(); strings.HasSuffix(kind, "_tool_use") {
			c.kind = kind
		}
	} else if kind := block.Field("type").Text(); kind != "" && !slices.Contains([]string{"text", "thinking", "thought",
		"function_call"}, kind) {
		s.parts = append(s.parts, streamedPart{whole: block, index: index})
	}
	switch kind := delta.Field("type").Text(); {
	case kind == "text_delta" || kind == "text" || kind == "" && delta.Has("text") && v.Has("contentBlockDelta"):
		s.text.WriteString(delta.Field("text").Text())
	case kind == "thinking_delta":
		s.thought.WriteString(delta.Field("thinking").Text())
	case kind == "function_call":
		s.call(index, delta.Field("id").Text()).add(delta.Field("name"), value.Value{})
		s.call(index, "").input = delta.Field("arguments")
	case s.grow(index, delta):
	case delta.HasAny("partial_json", "arguments"):
		piece, _ := delta.First("partial_json", "arguments")
		s.call(index, "").add(value.Value{}, piece)
	case delta.Field("toolUse").Has("input"):
		s.call(index, "").add(value.Value{}, delta.Field("toolUse").Field("input"))
	}
}

// grow adds the members of a piece to the part with the same index and type; false if there is no such part.
func (s *stream) grow(index string, piece value.Value) bool {
	for i := range s.parts {
		p := &s.parts[i]
		if kind := piece.Field("type").Text(); p.call != nil || kind == "" || p.index != index || p.whole.Field("type").Text() != kind {
			continue
		}
		for key, v := range piece.Members() {
			p.whole = p.whole.With(key, v)
		}
		return true
	}
	return false
}

// cohere adds what a Cohere event adds to the message.
func (s *stream) cohere(m value.Value, index string) {
	s.thought.WriteString(m.Field("tool_plan").Text())
	s.text.WriteString(m.Field("content").Field("text").Text())
	if c := m.Field("tool_calls"); c.Kind() == value.Object {
		f := c.Field("function")
		s.call(index, c.Field("id").Text()).add(f.Field("name"), f.Field("arguments"))
	}
}

// call finds the call to continue, or begins one: a new id under a known index is a new call.
func (s *stream) call(index, id string) *streamedCall {
	for _, p := range slices.Backward(s.parts) {
		if c := p.call; c != nil && c.index == index && (id == "" || c.id == "" || c.id == id) {
			if c.id == "" {
				c.id = id
			}
			return c
		}
	}
	c := &streamedCall{index: index, id: id}
	s.parts = append(s.parts, streamedPart{call: c})
	return c
}

func (c *streamedCall) add(name, arguments value.Value) {
	if name.Text() != c.name { // some servers repeat the name with every piece
		c.name += name.Text()
	}
	if arguments.Kind() == value.Object {
		c.input = arguments
		return
	}
	c.arguments.WriteString(arguments.Text())
}

// reply returns the reply: whole, as items, or as parts of a message.
func (s *stream) reply() value.Value {
	switch {
	case !s.whole.IsNull():
		return s.whole
	case len(s.items) > 0:
		return value.Pairs("output", s.items)
	}
	var parts []value.Value
	if s.thought.Len() > 0 {
		parts = append(parts, value.Pairs("type", "reasoning", "text", s.thought.String()))
	}
	if s.text.Len() > 0 {
		parts = append(parts, textOf(s.text.String()))
	}
	for _, p := range s.parts {
		c := p.call
		if p.text != nil {
			p.whole = p.whole.With("text", value.OfString(p.text.String()))
		}
		if c == nil {
			parts = append(parts, p.whole)
			continue
		}
		input := value.OfString(c.arguments.String())
		if c.arguments.Len() == 0 && !c.input.IsNull() {
			input = c.input
		}
		parts = append(parts, value.Pairs("type", cmp.Or(c.kind, "tool_use"), "id", c.id, "name", c.name, "input", input))
	}
	return value.Pairs("content", parts)
}

// isEventStream reports whether a file contains server-sent events.
func isEventStream(head []byte) bool {
	head = bytes.TrimLeft(head, " \t\r\n")
	for bytes.HasPrefix(head, []byte(": ")) {
		_, head, _ = bytes.Cut(head, []byte("\n"))
		head = bytes.TrimLeft(head, " \t\r\n")
	}
	return bytes.HasPrefix(head, []byte("data: {")) || bytes.HasPrefix(head, []byte("data:{")) ||
		bytes.HasPrefix(head, []byte("event: ")) && bytes.Contains(head, []byte("\ndata:"))
}

// openEventStream returns the data of server-sent events, one event per line, without the other lines.
func openEventStream(in *bufio.Reader, _ int) (io.Reader, error) {
	fresh, keep := true, false // the next piece begins a line; the line contains data
	return &container.Pieces{Next: func() ([]byte, error) {
		piece, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
		ends := bytes.HasSuffix(piece, []byte{'\n'})
		if fresh {
			piece, keep = bytes.CutPrefix(bytes.TrimLeft(piece, " \t"), []byte("data:"))
			keep = keep && !bytes.Contains(piece, []byte("[DONE]"))
		}
		if fresh = ends; !keep {
			piece = nil
		}
		return piece, err
	}}, nil
}
