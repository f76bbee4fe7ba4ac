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
		reply := joined(e.Field("response"))
		if code := e.Field("status"); code.IsNumber() && !strings.HasPrefix(code.Text(), "2") {
			one.note("run_error", "status", "a request failed with status "+code.Text())
			reply = value.Value{}
		}
		if text, isText := reply.Str(); isText {
			one.note("stream_not_read", "response", "the response is a text and not an event stream: "+value.Quote(text))
			reply = value.Value{}
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
