package capability

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/judgekit/judge/internal/llm"
)

// secretKey is a property name that cannot be guessed.
func secretKey() string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return "key_" + hex.EncodeToString(b[:])
}

func user(format string, args ...any) []llm.Message {
	return []llm.Message{{Role: "user", Content: fmt.Sprintf(format, args...)}}
}

// ladderSchema asks for a key that cannot be guessed, and two more whose order is not
// alphabetical.
func ladderSchema(key string) json.RawMessage {
	return fmt.Appendf(nil, `{"type":"object","properties":{%q:{"type":"string","maxLength":20},"b":{"type":"integer","minimum":0,"maximum":10},"a":{"type":"boolean"}},`+
		`"required":[%q,"b","a"],"additionalProperties":false}`, key, key)
}

// ladder finds the strictest transport that works, and the order of keys in it.
func (p *probe) ladder(ctx context.Context) error { return p.descend(ctx, llm.Ladder()) }

// descend tries the rungs one after the other.
func (p *probe) descend(ctx context.Context, rungs []llm.Transport) error {
	for _, transport := range rungs {
		key := secretKey()
		schema := ladderSchema(key)
		r := llm.Request{Transport: transport, Messages: user("Answer with one short JSON object.")}
		switch transport {
		case llm.JSONSchema, llm.Tools:
			// The schema is not in the prompt: only a server that uses it knows the key.
			r.Schema = llm.Schema{Name: "probe", JSON: schema}
		default:
			r.Messages = user("Answer with one JSON object that fits this schema, and nothing else: %s", schema)
		}
		step, err := p.step(ctx, r, key)
		if err != nil {
			return err
		}
		p.caps.Ladder = append(p.caps.Ladder, step)
		if step.Finding == Yes {
			p.caps.Transport = transport
			return nil
		}
	}
	return p.unusable()
}

// step asks for the key by one transport.
func (p *probe) step(ctx context.Context, r llm.Request, key string) (Step, error) {
	res, refusal, err := p.ask(ctx, r)
	if err != nil {
		return Step{}, err
	}
	step := Step{Transport: r.Transport, Finding: Refused, Detail: refusal}
	if res != nil {
		step.Finding, step.Detail = p.judge(res, r.Transport, key)
	}
	return step, nil
}

// strict asks a hosted service once more, with strict set. Where that works it is the
// better way: without it such services take a schema for a hint.
func (p *probe) strict(ctx context.Context) error {
	if p.caps.Transport != llm.JSONSchema || !p.hosted() {
		return nil
	}
	key := secretKey()
	step, err := p.step(ctx, llm.Request{
		Transport: llm.JSONSchema, Schema: llm.Schema{Name: "probe", JSON: ladderSchema(key), Strict: true},
		Messages: user("Answer with one short JSON object."),
	}, key)
	p.caps.Strict = step.Finding
	return err
}

// hosted guesses whether the endpoint is a service: OpenAI's own, or software that is
// none of the self-hosted ones, under a public name and TLS.
func (p *probe) hosted() bool {
	if p.caps.Kind == llm.KindOpenAI {
		return true
	}
	u, err := url.Parse(p.caps.Endpoint)
	if err != nil || p.caps.Kind != llm.KindUnknown || u.Scheme != "https" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	if _, err := netip.ParseAddr(host); err == nil {
		return false
	}
	_, top, dotted := cutLast(host, ".")
	return dotted && top != "local" && top != "internal" && top != "lan" && top != "localhost"
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// unusable says why no rung of the ladder holds, and what to set.
func (p *probe) unusable() error {
	last := p.caps.Ladder[len(p.caps.Ladder)-1]
	if last.Finding != Refused && p.depth.Transport != "" {
		return nil
	}
	e := &llm.Error{Kind: llm.KindBadRequest, Model: p.caps.Model, Endpoint: p.caps.Endpoint}
	switch last.Finding {
	case Refused:
		e.Message = "every request was refused, the plainest with: " + last.Detail
		e.Hint = fieldAdvice(last.Detail)
	case Truncated:
		e.Kind, e.Message = llm.KindInvalidReply, "no request was answered to its end: "+last.Detail
		e.Hint = "the model writes or thinks without end; switch its thinking off, or use another model"
	default:
		e.Kind, e.Message = llm.KindInvalidReply, "no request was answered with the JSON object that it asked for: "+last.Detail
		e.Hint = "use a model that follows instructions, or a server that enforces schemas"
	}
	return e
}

// settings are the members of a request that a server may refuse by name, and what to
// do about it.
var settings = [...]struct{ name, advice string }{
	{"temperature", "set temperature in judge.yaml to a value that it takes, often 1"},
	{"max_tokens", "set extra: {max_completion_tokens: 1024} in judge.yaml, or max_tokens to a value that it takes"},
	{"max_completion_tokens", "set max_tokens in judge.yaml to a value that it takes"},
	{"top_p", "set top_p: null in judge.yaml"},
	{"seed", "set seed: null in judge.yaml"},
}

// fieldAdvice names the member that a server's message is about: the first that stands
// in it.
func fieldAdvice(message string) string {
	words := strings.FieldsFunc(strings.ToLower(message), func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') })
	for _, w := range words {
		for _, s := range settings {
			if w == s.name {
				return "the server did not take `" + s.name + "`: " + s.advice
			}
		}
	}
	return "change what the message names, in judge.yaml or by a member under extra"
}

// judge says whether an answer shows that the transport was honoured.
func (p *probe) judge(res *llm.Response, transport llm.Transport, key string) (Finding, string) {
	text := res.Content
	if transport == llm.Tools {
		text = res.ToolArguments
	}
	keys, ok := objectKeys(afterThought(text))
	if has(keys, key) && ok {
		p.caps.KeyOrder = No
		if len(keys) == 3 && keys[0] == key && keys[1] == "b" {
			p.caps.KeyOrder = Yes
		}
		return Yes, ""
	}
	detail := "the answer was " + llm.OneLine(clipped(text))
	if text == "" {
		detail = "the answer was empty"
	}
	if res.FinishReason == "length" {
		return Truncated, detail
	}
	return Ignored, detail
}

func clipped(s string) string { return s[:min(len(s), 120)] }

func has(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// afterThought cuts an inline thought off.
func afterThought(s string) string {
	if i := strings.LastIndex(s, "</think>"); i >= 0 {
		return s[i+len("</think>"):]
	}
	return s
}

// objectKeys returns the keys of a text that is one JSON object, in order.
func objectKeys(s string) ([]string, bool) {
	dec := json.NewDecoder(strings.NewReader(s))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var keys []string
	for dec.More() {
		t, err := dec.Token()
		key, ok := t.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return nil, false
		}
		keys = append(keys, key)
	}
	_, err := dec.Token()
	return keys, err == nil && len(bytes.TrimSpace([]byte(s[dec.InputOffset():]))) == 0
}
