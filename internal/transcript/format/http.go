// HTTP exchanges with the API of a model.
// Written by: proxies ({url, request, status, response}); browsers, proxies and Polly.JS (HAR: log.entries);
// nock ({scope, path, body, response}); VCR and its kin (interactions of a request and a response, JSON or
// YAML: vcrpy, go-vcr, pydantic-ai); Llama Stack's tests, where objects of SDKs stand in {__type__, __data__};
// tests that keep replies alone ({status, headers, body}, or Gemini CLI's {method, response}).
// Read: requests and replies of OpenAI, Anthropic, Gemini and Bedrock; a reply may be the text of an event
// stream (AWS's are binary), and a HAR's or nock's body base64, hexadecimal or gzip. A message that several
// requests repeat comes once.
// Lost: headers; choices beyond the first; exchanges with anything but a model.

package format

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"io"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

var httpExchanges = format{
	name: "http-exchanges",
	mark: "requests to a model's API and their responses",
	detect: func(p *probe) confidence {
		return max(of(isHTTPRecording)(p), loosely(of(func(f value.Value) bool {
			return f.HasAll("url", "request", "response") || f.HasAll("status", "headers", "body") && isReply(httpBody(f))
		}))(p))
	},
	read:  (*draft).readHTTP,
	parts: httpParts,
}

// httpListPaths lead to the exchanges of a file that is one object.
var httpListPaths = []string{"log.entries", "interactions", "http_interactions"}

// isHTTPRecording reports whether a record has a form that only recordings of HTTP have.
func isHTTPRecording(f value.Value) bool {
	if entries, path := findList(f, httpListPaths...); path != "" {
		return entries.Head().HasAll("request", "response")
	}
	request := f.Field("request") // the response may be beyond what detection sees
	return request.HasAny("url", "uri") && (f.Has("response") || request.HasAny("body", "payload", "method")) ||
		f.HasAll("scope", "method", "path", "response") || f.Has("method") && isReply(f.Field("response"))
}

// isReply reports whether v contains the reply of a model.
func isReply(v value.Value) bool {
	return isStream(v) || v.HasAny("choices", "candidates", "stop_reason", "stopReason") ||
		v.Field("object").Text() == "response"
}

// httpParts groups exchanges by their system prompt and first message, because a later request
// repeats the conversation so far. Another agent that takes over has its own prompt and repeats the
// messages. A reply without its request is a conversation.
func httpParts(v value.Value, add func(part)) {
	entries, path := findList(v, httpListPaths...)
	if path == "" {
		entries = value.OfList(v)
	}
	for _, e := range entries.Elements() {
		request, reply, url := httpSides(e)
		_, host, _ := strings.Cut(url, "://")
		host, _, _ = strings.Cut(host, "/") // the path may name a model, or say that the reply is streamed
		system, _ := found(request, systemPaths...)
		prompt, _ := found(request, promptPaths...)
		if inner := prompt.Head(); inner.IsNumber() || inner.Head().IsNumber() {
			continue // tokens to embed
		}
		systems, said := uncached(system).JSON(), host
		if prompt.Kind() == value.String {
			prompt = value.OfList(value.Pairs("role", "user").With("content", prompt))
		}
		for i, m := range prompt.Elements() {
			if m = m.Without("cache_control"); m.Field("content").IsList() {
				m = m.With("content", uncached(m.Field("content")))
			}
			if role, _ := roleOf(m.Field("role").Text()); role == transcript.System {
				systems += m.JSON()
				continue
			}
			if said += m.JSON(); m.Field("role").Text() == "user" || i > 8 {
				break
			}
		}
		if reply = joined(reply); failedStatus(e) != "" || reply.Kind() == value.String { // as readHTTP does
			reply = value.Value{}
		}
		add(part{id: reply.Field("id").Text(), parent: request.Field("previous_response_id").Text(),
			conversation: transcript.Digest([]byte(systems + said)), text: e.Raw(), alone: prompt.IsNull(), about: said,
			says: agentTexts(value.Value{}, reply), repeats: agentTexts(request, value.Value{})})
	}
}

// agentTexts returns what the agent said and called in a request or a reply, to distinguish conversations.
func agentTexts(request, reply value.Value) (keys []string) {
	one := &draft{Conversation: &transcript.Conversation{}, decoder: &decoder{}}
	if err := one.exchange(request, reply); err != nil {
		return nil // reading the conversation reports that
	}
	for i := range one.Messages {
		key := one.key(i)
		for _, k := range one.Messages[i].Calls {
			if c := &one.Calls[k]; c.ID != "" {
				key = callKey(c)
			}
		}
		if one.Messages[i].Role == transcript.Assistant {
			keys = append(keys, key)
		}
	}
	return keys
}

// failedStatus returns the status of a failed request; "" for others.
func failedStatus(e value.Value) string {
	code, _ := found(e, "response.status.code", "response.status", "response.status_code", "status")
	if code.IsNumber() && code.Text() != "0" && !strings.HasPrefix(code.Text(), "2") {
		return code.Text()
	}
	return ""
}

// uncached returns parts without the cache marks, which move from request to request.
func uncached(parts value.Value) value.Value {
	if !parts.IsList() {
		return parts
	}
	return eachOf(parts, func(p value.Value) value.Value { return p.Without("cache_control") })
}

// httpSides returns the bodies of a request and its response, and the address.
func httpSides(e value.Value) (request, reply value.Value, url string) {
	at, _ := found(e, "request.url", "request.uri", "url", "path")
	switch {
	case e.Has("request"):
		return httpBody(e.Field("request")), httpBody(e.Field("response")), at.Text()
	case e.Has("response"): // nock's
		return e.Field("body").Decoded(), httpBody(e.Field("response")), at.Text()
	}
	return value.Value{}, httpBody(e), at.Text()
}

// httpBody returns the content of a body: JSON, or text.
func httpBody(v value.Value) value.Value {
	body, path := found(v, "postData.text", "parsed_body", "body.string", "body.base64_string", "content.text")
	for _, name := range []string{"body.text", "content"} { // only texts
		if at, _ := found(v, name); path == "" && at.Kind() == value.String && (name != "content" || v.Has("headers")) {
			body, path = at, name
		}
	}
	if path == "" {
		body, path = found(v, "body", "payload")
	}
	if path != "" {
		v = withoutTypes(body)
	}
	text, isText := v.Str()
	if v.IsList() && v.Head().Kind() == value.String { // pieces of a compressed body
		text = ""
		for _, piece := range v.Elements() {
			text += piece.Text()
		}
	}
	if plain := plainBody(text); isText || plain != text {
		return value.OfString(plain).Decoded()
	}
	return v
}

// withoutTypes unwraps the objects of SDKs from {__type__, __data__}.
func withoutTypes(v value.Value) value.Value {
	if v.IsList() {
		return eachOf(v, withoutTypes)
	}
	return v.Inside("__data__")
}

// maxBody limits the size of an unpacked body.
const maxBody = 64 << 20

// plainBody decodes hexadecimal or base64 text, and gzip or an AWS event stream inside it. Other
// text is returned unchanged.
func plainBody(text string) string {
	data, err := hex.DecodeString(text)
	if err != nil {
		data, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil {
		return text
	}
	if packed, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		data, _ = io.ReadAll(io.LimitReader(packed, maxBody))
	}
	if isAWSStream(data) {
		return value.OfList(awsEvents(data)...).JSON()
	}
	if at := bytes.TrimLeft(data, " \r\n"); len(at) == 0 || !strings.ContainsRune("{[de:", rune(at[0])) {
		return text // neither JSON nor the events of a stream
	}
	return string(data)
}

// readHTTP reads the exchanges of a conversation.
func (d *draft) readHTTP(list value.Value) error {
	_, _, url := httpSides(list.Head())
	d.ID, d.Extra = list.Head().Field("test_id").Text(), value.Pairs("url", url)
	err := d.exchanges(list, func(one *draft, e value.Value) error {
		request, reply, _ := httpSides(e)
		reply = joined(reply)
		if code := failedStatus(e); code != "" {
			one.note("run_error", "status", "a request failed with status "+code)
			reply = value.Value{}
		}
		if failure := reply.Field("error"); !failure.IsNull() {
			one.note("run_error", "response", value.Quote(failure.JSON()))
		}
		if text, isText := reply.Str(); isText && strings.TrimSpace(text) == "" {
			reply = value.Value{}
		} else if isText {
			one.note("stream_not_read", "response", "the response is a text and not an event stream: "+value.Quote(text))
			reply = value.Value{}
		}
		return one.exchange(request, reply)
	})
	if d.aside = len(d.Messages) == 0; d.aside && err == nil && len(d.Notes) > 0 {
		return wrong("response", "nothing of this exchange can be read: its request holds no messages, and %s",
			d.Notes[0].Detail)
	}
	return err
}

// exchanges joins requests that repeat the conversation so far.
func (d *draft) exchanges(list value.Value, read func(one *draft, e value.Value) error) error {
	v := views{draft: d, sameIDs: true}
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
