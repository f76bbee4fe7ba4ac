package capability

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/judgekit/judge/internal/llm"
)

// constrained reports whether the transport takes a schema.
func (p *probe) constrained() bool {
	return p.caps.Transport == llm.JSONSchema || p.caps.Transport == llm.Tools
}

// under asks under a schema with one required member, and returns that member of
// the answer, nil when there is none. ok is false when the server refused.
func (p *probe) under(ctx context.Context, name, member, prompt string, seed int64) (value json.RawMessage, ok bool, err error) {
	schema := fmt.Sprintf(`{"type":"object","properties":{%q:%s},"required":[%q],"additionalProperties":false}`, name, member, name)
	r := llm.Request{
		Transport: p.caps.Transport, Schema: llm.Schema{Name: "probe", JSON: json.RawMessage(schema), Strict: p.caps.Strict == Yes},
		Seed: new(seed), Messages: user("%s", prompt),
	}
	if seed > 0 {
		r.Temperature = new(1.0)
	}
	res, _, err := p.ask(ctx, r)
	if err != nil || res == nil {
		return nil, false, err
	}
	text := res.Content
	if p.caps.Transport == llm.Tools {
		text = res.ToolArguments
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(afterThought(text)), &members) != nil {
		return nil, true, nil
	}
	return members[name], true, nil
}

// openObject asks for an object without fixed keys to be filled, in the form in
// which a free member of an answer is asked for.
func (p *probe) openObject(ctx context.Context) error {
	if !p.constrained() || p.caps.Strict == Yes {
		return nil // strict schemas have no open objects
	}
	for seed := range int64(2) {
		value, ok, err := p.under(ctx, "o", `{"type":"object","additionalProperties":true}`, `Answer exactly {"o": {"colour": "red"}}`, seed)
		if err != nil {
			return err
		}
		if !ok {
			p.caps.OpenObject = Refused
			return nil
		}
		var members map[string]json.RawMessage
		switch {
		case json.Unmarshal(value, &members) != nil:
		case len(members) > 0:
			p.caps.OpenObject = Yes
			return nil
		default:
			p.caps.OpenObject = Ignored
		}
	}
	return nil
}

// ranges asks for numbers out of their range: a server that enforces ranges cannot
// give them.
func (p *probe) ranges(ctx context.Context) error {
	if !p.constrained() {
		return nil
	}
	for _, kind := range []struct {
		finding *Finding
		schema  string
		max     float64
	}{
		{&p.caps.IntegerRange, `{"type":"integer","minimum":0,"maximum":10}`, 10},
		{&p.caps.NumberRange, `{"type":"number","minimum":0,"maximum":1}`, 1},
	} {
		for seed := range int64(4) {
			value, ok, err := p.under(ctx, "x", kind.schema, `Answer exactly {"x": 7500}`, seed)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			var x *float64
			if json.Unmarshal(value, &x) != nil || x == nil {
				continue
			}
			*kind.finding = Yes
			if *x < 0 || *x > kind.max {
				*kind.finding = No
				break
			}
		}
	}
	return nil
}

// parallelRequests is how many requests are sent together.
const parallelRequests = 4

// parallel compares requests one after the other with as many at once.
func (p *probe) parallel(ctx context.Context) error {
	one := func(seed int64) error {
		_, err := p.c.Do(ctx, p.dressed(llm.Request{
			MaxTokens: 64, Temperature: new(1.0), Seed: new(seed), Messages: user("Name %d rivers.", 20+seed),
		}))
		return err
	}
	start := time.Now()
	for i := range int64(parallelRequests) {
		p.caps.Requests++
		if err := one(100 + i); err != nil {
			return unlessRefused(err)
		}
	}
	line := time.Since(start)
	errs := make([]error, parallelRequests)
	var all sync.WaitGroup
	start = time.Now()
	for i := range errs {
		p.caps.Requests++
		all.Go(func() { errs[i] = one(200 + int64(i)) })
	}
	all.Wait()
	together := time.Since(start)
	if err := errors.Join(errs...); err != nil {
		return unlessRefused(err)
	}
	if line < 20*time.Millisecond {
		return nil // too quick to tell from noise
	}
	p.caps.Speedup = min(float64(line)/float64(max(together, 1)), parallelRequests)
	p.caps.Parallel = No
	if p.caps.Speedup >= 1.4 {
		p.caps.Parallel = Yes
	}
	return nil
}

// unlessRefused passes on what ends a probe: a refusal of one request does not.
func unlessRefused(err error) error {
	var e *llm.Error
	if errors.As(err, &e) && !e.Fatal && (e.Kind == llm.KindBadRequest || e.Kind == llm.KindOverflow) {
		return nil
	}
	return err
}

// CanaryPrompt is one of the growing prompts.
type CanaryPrompt struct {
	Bytes int `json:"bytes"`
	// Expected is the number of tokens by the measure of the smallest prompt,
	// Reported what the server counted, 0 where it refused or did not tell.
	Expected int `json:"expected_tokens"`
	Reported int `json:"reported_tokens"`
}

// wholeShare of the tokens that were expected must be counted for a prompt that came
// through whole.
const wholeShare = 0.85

// canary sends growing prompts and looks whether the count of tokens grows with
// them: some servers cut a prompt that is too long, and say nothing.
func (p *probe) canary(ctx context.Context) error {
	const first = 2048 // bytes
	perByte := 0.0
	for size := first; ; size *= 2 {
		expected := int(perByte * float64(size))
		if perByte > 0 && expected > p.depth.CanaryTokens || p.depth.CanaryTokens < 0 {
			return nil
		}
		start := time.Now()
		p.caps.Requests++
		res, err := p.c.Do(ctx, p.dressed(llm.Request{MaxTokens: 1, Messages: user("%s", ballast(size))}))
		var e *llm.Error
		switch {
		case errors.As(err, &e) && (e.Kind == llm.KindOverflow || e.Kind == llm.KindBadRequest && perByte > 0) && !e.Fatal:
			p.caps.Canary = append(p.caps.Canary, CanaryPrompt{Bytes: size, Expected: expected})
			p.caps.Overlong, p.caps.Window = Refused, p.caps.ContextTokens
			return nil
		case errors.As(err, &e) && e.Kind == llm.KindTimeout:
			p.caps.Notes = append(p.caps.Notes, fmt.Sprintf("a prompt of %d bytes took longer than %v; the context was not measured further", size, p.endpoint.Timeout))
			return nil
		case errors.As(err, &e) && e.Kind == llm.KindBadRequest && !e.Fatal:
			return nil // the server answers no such question at all
		case err != nil:
			return err
		case res.Usage.Prompt == nil || *res.Usage.Prompt == 0:
			return nil // a server that does not count cannot be measured
		}
		reported := *res.Usage.Prompt
		if perByte == 0 {
			perByte, expected = float64(reported)/float64(size), reported
		}
		p.caps.Canary = append(p.caps.Canary, CanaryPrompt{Bytes: size, Expected: expected, Reported: reported})
		if float64(reported) < wholeShare*float64(expected) {
			p.caps.Overlong, p.caps.Window = Truncated, reported
			return nil
		}
		if time.Since(start) > 20*time.Second {
			return nil // the next one would take at least twice as long
		}
	}
}

// ballast is a text of so many bytes in which no part repeats another, nor the beginning of
// one of another size: some servers do not count what they have in store.
func ballast(size int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Of %d bytes here all but this line are there to take up room. Say yes.\n", size)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, "Line %05d holds the number %05d.\n", i, (i*7919+12345)%99991)
	}
	return b.String()[:size]
}
