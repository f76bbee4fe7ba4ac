package judges

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/judges/internal/judgetest"
)

// Case 2: only the same refusal on three items demotes.
func TestLadder(t *testing.T) {
	refuse := func(kind llm.ErrorKind, on llm.Transport) *judgetest.Script {
		return &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
			if r.Transport == on {
				return nil, &llm.Error{Kind: kind, Status: 400, Message: "response_format is not supported"}
			}
			return judgetest.Text(judgetest.Answer("4")), nil
		}}
	}
	run := func(s *judgetest.Script) (*Judge, []string, []string) {
		var log []string
		j := intentJudge(t, s, func(c *Config) { c.Log = func(l string) { log = append(log, l) } })
		var got []string
		for i := range 5 {
			conv := judgetest.Support(t)
			conv.ID = fmt.Sprint("c", i)
			res, err := j.Call(t.Context(), conv, 1, Facts{})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(res[0].Transport)+" "+res[0].ErrorKind)
		}
		return j, got, log
	}
	j, got, log := run(refuse(llm.KindBadRequest, llm.JSONSchema))
	// What was asked before the demotion is asked again, a step down.
	if d := cmp.Diff([]string{"tools ", "tools ", "tools ", "tools ", "tools "}, got); d != "" {
		t.Error(d)
	}
	if j.standing() != llm.Tools || len(log) != 1 || !strings.Contains(log[0], "refused json_schema on 3 items; going on with tools") {
		t.Errorf("transport %s, log %v", j.standing(), log)
	}
	for _, kind := range []llm.ErrorKind{llm.KindRateLimited, llm.KindServer, llm.KindTimeout, llm.KindTransport} {
		j, got, log := run(refuse(kind, llm.JSONSchema))
		if j.standing() != llm.JSONSchema || len(log) != 0 || got[4] != "json_schema transport" {
			t.Errorf("%s: transport %s, results %v, log %v", kind, j.standing(), got, log)
		}
	}
	// The same item three times is one item.
	s := refuse(llm.KindBadRequest, llm.JSONSchema)
	j = intentJudge(t, s, nil)
	for range 4 {
		judgeOne(t, j)
	}
	if j.standing() != llm.JSONSchema {
		t.Error("one item demoted the judge")
	}
}

// A judge goes down when the server says the same about the transport on three items,
// and for nothing else.
func TestOnlyTheSameRefusalDemotes(t *testing.T) {
	numbered := "response_format is not supported (request %d)"
	for _, tc := range []struct {
		name string
		says func(n int) string // about the nth item, from 0
		want llm.Transport
	}{
		{"three bad items", func(n int) string {
			return []string{"bad value for x", "messages too weird", "cannot parse that"}[n%3]
		}, llm.JSONSchema},
		{"the same, about the messages", func(int) string { return "messages: too weird" }, llm.JSONSchema},
		{"about the transport, but never the same", func(n int) string {
			return []string{"schema: keyword maxLength", "response_format: strict is needed", "grammar: too deep"}[n%3]
		}, llm.JSONSchema},
		{"the same but for a number", func(n int) string { return fmt.Sprintf(numbered, n) }, llm.Tools},
		{"the member of another transport", func(int) string { return "tool_choice is not supported" }, llm.JSONSchema},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := &judgetest.Script{}
			j := intentJudge(t, s, nil)
			for i := range 4 {
				s.Reply = func(_ int, r llm.Request) (*llm.Response, error) {
					if r.Transport == llm.JSONSchema {
						return nil, &llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: tc.says(i)}
					}
					return judgetest.Text(judgetest.Answer("4")), nil
				}
				callNamed(t, j, fmt.Sprint("c", i))
			}
			if j.standing() != tc.want {
				t.Errorf("transport %s, want %s", j.standing(), tc.want)
			}
		})
	}
}

// An item whose requests are refused whatever the transport goes down to the end of the
// ladder, and takes the judge one step down at most: its own second refusal says nothing of the next transport, and the
// same call under another rubric is the same item.
func TestOneItemStepsOnce(t *testing.T) {
	refuse := func(int, llm.Request) (*llm.Response, error) {
		return nil, &llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: "the schema, the tools and the response_format are bad"}
	}
	s := &judgetest.Script{Reply: refuse}
	j := intentJudge(t, s, nil)
	var asked []int
	for i := range 6 {
		before := len(s.Requests)
		callNamed(t, j, fmt.Sprint("c", i))
		asked = append(asked, len(s.Requests)-before)
	}
	// The third item takes the judge a step down; that needs three more for the next one.
	if d := cmp.Diff([]int{4, 4, 4, 3, 3, 3}, asked); d != "" || j.standing() != llm.JSONObject {
		t.Errorf("transport %s, requests an item: %s", j.standing(), d)
	}

	one, err := New(&judgetest.Script{Reply: refuse}, Config{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := one.Call(t.Context(), judgetest.Support(t), 1, Facts{}); err != nil || one.standing() != llm.JSONSchema {
		t.Errorf("one call under four rubrics demoted the judge to %s (%v)", one.standing(), err)
	}
}

func callNamed(t *testing.T, j *Judge, id string) {
	t.Helper()
	conv := judgetest.Support(t)
	conv.ID = id
	if _, err := j.Call(t.Context(), conv, 1, Facts{}); err != nil {
		t.Fatal(err)
	}
}

// A server that caps the alternatives at a token is asked for as many as it gives, and
// no item is lost.
func TestFewerAlternatives(t *testing.T) {
	for limit, want := range map[int]string{20: "[20 20]", 19: "[20 10 10]", 8: "[20 10 5 5]", 0: "[20 10 5 5]"} {
		var asked []int
		s := &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
			asked = append(asked, r.TopLogprobs)
			if r.TopLogprobs > limit {
				return nil, &llm.Error{Kind: llm.KindBadRequest, Status: 400, Message: fmt.Sprintf("top_logprobs must be at most %d", limit)}
			}
			return judgetest.Text(judgetest.Answer("4")), nil
		}}
		j := intentJudge(t, s, func(c *Config) { c.Method = TokenWeighted })
		for range 2 {
			before := len(s.Requests)
			got := judgeOne(t, j)
			if sent := len(s.Requests) - before; (got.ErrorKind == "") != (limit > 0) || got.Requests != sent {
				t.Errorf("limit %d: %s %s, %d requests of %d are counted", limit, got.ErrorKind, got.ErrorDetail, got.Requests, sent)
			}
		}
		if fmt.Sprint(asked) != want {
			t.Errorf("limit %d: asked for %v, want %s", limit, asked, want)
		}
	}
	// Nothing else is sent again with fewer, nor is a request without alternatives.
	for _, tt := range []struct {
		method Method
		err    error
	}{
		{TokenWeighted, errors.New("logprobs are down")},
		{TokenWeighted, &llm.Error{Kind: llm.KindServer, Message: "logprobs are down"}},
		{TokenWeighted, &llm.Error{Kind: llm.KindBadRequest, Message: "temperature must be 1"}},
		{Parsed, &llm.Error{Kind: llm.KindBadRequest, Message: "logprobs are not supported"}},
	} {
		s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) { return nil, tt.err }}
		judgeOne(t, intentJudge(t, s, func(c *Config) { c.Method = tt.method }))
		if len(s.Requests) != 1 {
			t.Errorf("%s, %v: %d requests", tt.method, tt.err, len(s.Requests))
		}
	}
}
