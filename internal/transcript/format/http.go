package format

import (
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var httpExchanges = format{
	name:   "http-exchanges",
	mark:   "url, request and response",
	detect: loosely(has("url", "request", "response")),
	read:   (*draft).readHTTP,
	parts:  httpParts,
}

// httpParts sorts the exchanges of a proxy's log by what the first thing said in them was: a
// later request repeats the conversation so far.
func httpParts(v value.Value, add func(part)) {
	request := v.Field("request")
	system, _ := found(request, systemPaths...)
	prompt, _ := found(request, promptPaths...)
	key := system.Raw()
	for i, m := range prompt.Elements() {
		if key += m.Raw(); m.Field("role").Text() == "user" || i > 8 {
			break
		}
	}
	add(part{conversation: transcript.Digest([]byte(key + v.Field("url").Text())), text: v.Raw()})
}

// readHTTP reads the exchanges of a conversation with a model's API, {url, request, status,
// response}, of OpenAI, Anthropic, Gemini or Bedrock; a response may be the text of an event
// stream. A message that several requests repeat comes once.
func (d *draft) readHTTP(list value.Value) error {
	d.Extra = value.Pairs("url", list.Head().Field("url"))
	return d.exchanges(list, func(one *draft, e value.Value) error {
		reply := e.Field("response")
		if code := e.Field("status"); code.IsNumber() && !strings.HasPrefix(code.Text(), "2") {
			one.note("run_error", "status", "a request failed with status "+code.Text())
			reply = value.Value{}
		}
		if s, ok := reply.Str(); ok {
			reply = one.eventStream(s)
		}
		return one.exchange(e.Field("request"), reply)
	})
}

// exchanges joins requests that repeat the conversation so far.
func (d *draft) exchanges(list value.Value, read func(one *draft, e value.Value) error) error {
	v := views{draft: d}
	for i, e := range list.Elements() {
		one := v.view()
		if err := read(one, e); err != nil {
			return err
		}
		if len(d.Tools) == 0 {
			d.Tools, d.inventory = one.Tools, one.inventory
		}
		v.add(one, indexed(i))
	}
	return nil
}

// eventStream puts the events of a streamed response together to the response.
func (d *draft) eventStream(text string) value.Value {
	var s stream
	for line := range strings.Lines(text) {
		data, isData := strings.CutPrefix(strings.TrimSpace(line), "data:")
		if v, err := d.parser.ParseString(strings.TrimSpace(data)); isData && err == nil {
			s.add(v)
		}
	}
	if whole := s.whole; !whole.IsNull() {
		return whole
	}
	if s.events == 0 {
		d.note("stream_not_read", "response", "the response is a text and not an event stream: "+value.Quote(text))
	}
	return value.Pairs("content", s.content())
}

// stream is a response that comes in pieces.
type stream struct {
	events int
	// whole is the response if the last event holds it.
	whole value.Value
	text  strings.Builder
	parts []value.Value
	calls []*streamedCall
}

type streamedCall struct {
	index, id, name string
	arguments       strings.Builder
}

// call finds the call of an index, or begins one.
func (s *stream) call(index string) *streamedCall {
	for _, c := range s.calls {
		if c.index == index {
			return c
		}
	}
	s.calls = append(s.calls, &streamedCall{index: index})
	return s.calls[len(s.calls)-1]
}

func (s *stream) add(v value.Value) {
	s.events++
	if done := v.Field("response"); v.Field("type").Text() == "response.completed" && done.Kind() == value.Object {
		s.whole = done
	}
	for _, p := range v.Field("candidates").Head().Field("content").Field("parts").Elements() {
		s.parts = append(s.parts, p) // Gemini
	}
	delta := v.Field("choices").Head().Field("delta") // OpenAI
	s.text.WriteString(delta.Field("content").Text())
	for _, c := range delta.Field("tool_calls").Elements() {
		f := c.Field("function")
		s.call(c.Field("index").Text()).add(c.Field("id"), f.Field("name"), f.Field("arguments"))
	}
	index := v.Field("index").Text() // Anthropic
	if block := v.Field("content_block"); strings.HasSuffix(block.Field("type").Text(), "tool_use") {
		s.call(index).add(block.Field("id"), block.Field("name"), value.Value{})
	} else if !block.IsNull() && block.Field("type").Text() != "text" && block.Field("type").Text() != "thinking" {
		s.parts = append(s.parts, block)
	}
	if d := v.Field("delta"); d.Field("type").Text() == "text_delta" {
		s.text.WriteString(d.Field("text").Text())
	} else if d.Has("partial_json") {
		s.call(index).add(value.Value{}, value.Value{}, d.Field("partial_json"))
	}
}

func (c *streamedCall) add(id, name, arguments value.Value) {
	c.id, c.name = c.id+id.Text(), c.name+name.Text()
	c.arguments.WriteString(arguments.Text())
}

// content returns what came, as parts of a message.
func (s *stream) content() value.Value {
	parts := s.parts
	if s.text.Len() > 0 {
		parts = append([]value.Value{textOf(s.text.String())}, parts...)
	}
	for _, c := range s.calls {
		parts = append(parts, value.Pairs("type", value.OfString("tool_use")).With("id", value.OfString(c.id)).
			With("name", value.OfString(c.name)).With("input", value.OfString(c.arguments.String())))
	}
	return value.OfList(parts...)
}
