package judges

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/agreement/answer"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

func intentJudge(t testing.TB, c Completer, edit func(*Config)) *Judge {
	t.Helper()
	cfg := Config{Model: "m", Rubrics: []*rubrics.Rubric{judgetest.Rubric(t, rubrics.Intent)}}
	if edit != nil {
		edit(&cfg)
	}
	j, err := New(c, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func judgeOne(t testing.TB, j *Judge) Result {
	t.Helper()
	got, err := j.Call(t.Context(), judgetest.Support(t), 1, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	return got[0]
}

func sources(r Result) []string {
	var out []string
	for _, c := range r.confidences {
		out = append(out, c.source)
	}
	return out
}

func codes(flags []score.Flag) []string {
	var out []string
	for _, f := range flags {
		out = append(out, f.Code)
	}
	return out
}

func TestRequest(t *testing.T) {
	s := judgetest.Replies(judgetest.Answer("4"))
	j := intentJudge(t, s, func(c *Config) { c.Reasoning = true })
	judgeOne(t, j)
	req := s.Requests[0]
	r := judgetest.Rubric(t, rubrics.Intent)
	if *req.Temperature != 0 || *req.TopP != 1 || *req.Seed != 7 || req.MaxTokens != 1024+4096 || req.Transport != llm.JSONSchema {
		t.Errorf("request %+v", req)
	}
	if string(req.Schema.JSON) != r.SentSchema().JSON() || req.Schema.Name != rubrics.Intent {
		t.Errorf("schema %s %s", req.Schema.Name, req.Schema.JSON)
	}
	if last := req.Messages[len(req.Messages)-1]; last.Role != "user" || req.Logprobs || req.TopLogprobs != 0 {
		t.Errorf("the record is sent as %s, with log-probabilities %v", last.Role, req.Logprobs)
	}
	text := judgetest.Replies(judgetest.Answer("4"))
	judgeOne(t, intentJudge(t, text, func(c *Config) { c.CorrectionAsText = true }))
	if got := string(text.Requests[0].Schema.JSON); got != r.SentSchemaText().JSON() || got == r.SentSchema().JSON() {
		t.Errorf("schema with a correction as text: %s", got)
	}
	// Log-probabilities are asked for where they can be read: of a score of one token, in a text.
	for _, tt := range []struct {
		rubric string
		on     llm.Transport // the only one that is not refused
		want   bool
	}{{rubrics.Intent, llm.JSONSchema, true}, {rubrics.Intent, llm.Tools, false}, {rubrics.Overall, llm.JSONSchema, false}} {
		s := &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
			if r.Transport != tt.on {
				return nil, &llm.Error{Kind: llm.KindBadRequest, Message: "no response_format"}
			}
			return judgetest.Text(judgetest.Answer("1")), nil
		}}
		judgeOne(t, intentJudge(t, s, func(c *Config) {
			c.Method, c.Rubrics = TokenWeighted, []*rubrics.Rubric{judgetest.Rubric(t, tt.rubric)}
		}))
		if got := s.Requests[len(s.Requests)-1]; got.Logprobs != tt.want || (got.TopLogprobs > 0) != tt.want {
			t.Errorf("%s by %s: log-probabilities %v of %d", tt.rubric, tt.on, got.Logprobs, got.TopLogprobs)
		}
	}
	want, err := j.Request(rubrics.Intent, judgetest.Support(t), OfCall(1))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, req, cmpopts.IgnoreUnexported(llm.Schema{})); d != "" {
		t.Errorf("Request shows something else than is sent: %s", d)
	}
	for rubric, want := range map[string]string{
		"tone": `judge m: no rubric "tone"`, rubrics.Intent: "judge call 3 of c1: the conversation has 3 calls",
	} {
		if _, err := j.Request(rubric, judgetest.Support(t), OfCall(3)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestBy: a judge by one of its rubrics asks by that one, with the transport that the judge came down to.
func TestBy(t *testing.T) {
	j, err := New(judgetest.Replies(""), Config{Model: "m", Kind: llm.KindVLLM})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range []string{"a", "b", "c"} {
		j.refusal(JSONSchema, item, "no response_format")
	}
	one := j.By(rubrics.Prerequisite)
	req, err := one.Request(rubrics.Prerequisite, judgetest.Support(t), OfCall(0))
	if err != nil || req.Transport != Tools || len(one.rubrics) != 1 || len(j.rubrics) != 4 || one.Kind() != llm.KindVLLM {
		t.Errorf("%d rubrics, %s, %v", len(one.rubrics), req.Transport, err)
	}
	list := j.Rubrics()
	if list[0] = nil; len(list) != 4 || j.Rubrics()[0] == nil {
		t.Errorf("%d rubrics", len(list))
	}
}

// TestSchemaTakesRoom: a schema that is sent as a tool is part of the prompt's size.
func TestSchemaTakesRoom(t *testing.T) {
	size := func(transport Transport) (tokens int) {
		j := intentJudge(t, judgetest.Replies(""), func(c *Config) { c.Transport = transport })
		j.Fits(judgetest.Support(t), &Prefixes{}, func(f *Fit) bool {
			tokens = f.Tokens
			return false
		})
		return tokens
	}
	schema := len(judgetest.Rubric(t, rubrics.Intent).SentSchema().JSON())
	if more := size(Tools) - size(JSONSchema); more < schema/5 || more > schema/2 {
		t.Errorf("a schema of %d bytes takes %d tokens", schema, more)
	}
}

// TestRedactedIsFlagged: a score about a record in which something was replaced says how often.
func TestRedactedIsFlagged(t *testing.T) {
	redact, err := NewRedaction([]string{"Be kind|done"})
	if err != nil {
		t.Fatal(err)
	}
	got := judgeOne(t, intentJudge(t, judgetest.Replies(judgetest.Answer("4")), func(c *Config) { c.Prompt.Redact = redact }))
	want := []Flag{{Code: "record_redacted", Severity: 1, Detail: "2 matches of redact patterns were replaced in the conversation"}}
	if d := cmp.Diff(want, got.Flags); d != "" {
		t.Error(d)
	}
}

// Case 3: the bounded repair loop.
func TestRepair(t *testing.T) {
	seven, four, two := judgetest.Answer("7"), judgetest.Answer("4"), judgetest.Answer("2")
	noJSON := strings.Replace(four, `"confidence"`, `confidence`, 1)
	asides := strings.NewReplacer(`"\"cancel order 987\""`, `["a"]`, "0.9", `"sure"`, "{}", `"call it later"`).Replace(four)
	tests := []struct {
		name     string
		replies  []string
		edit     func(*Config)
		kind     string
		output   string
		repairs  int
		requests int
		flag     string
	}{
		{name: "clean", replies: []string{four}, output: "4", requests: 1},
		{name: "out of range", replies: []string{seven, four}, output: "4", repairs: 1, requests: 2, flag: "repaired"},
		{name: "twice", replies: []string{seven, "what?", four}, output: "4", repairs: 2, requests: 3, flag: "repaired"},
		{name: "third failure", replies: []string{seven, seven, seven, four}, kind: KindSchemaViolation, repairs: 2, requests: 3},
		{name: "never JSON", replies: []string{"no"}, kind: KindInvalidJSON, repairs: 2, requests: 3},
		{name: "valid score kept", replies: []string{noJSON, four}, output: "4", repairs: 1, requests: 2, flag: "repaired"},
		{name: "valid score changed", replies: []string{noJSON, two}, kind: KindSchemaViolation, repairs: 1, requests: 2, flag: flagRepairChanged},
		{name: "valid score changed later", replies: []string{noJSON, "no", two}, kind: KindSchemaViolation, repairs: 2, requests: 3, flag: flagRepairChanged},
		{name: "side fields need no repair", replies: []string{asides, two}, output: "4", requests: 1, flag: "correction_unreadable"},
		{name: "the same text thrice", replies: []string{"what?"}, kind: KindInvalidJSON, repairs: 2, requests: 3},
		{name: "refusal in words", replies: []string{"I'm sorry, but I can't help with that.", four}, kind: KindRefused, requests: 1},
		{name: "no repairs", replies: []string{seven, four}, edit: func(c *Config) { c.MaxRepairs = -1 }, kind: KindSchemaViolation, requests: 1},
		{name: "canary is not repaired", replies: []string{strings.Replace(four, "fits", "zebra", 1), four}, edit: func(c *Config) { c.Prompt.Canary = "zebra" }, kind: KindCanary, requests: 1},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			s := judgetest.Replies(tc.replies...)
			got := judgeOne(t, intentJudge(t, s, tc.edit))
			output := ""
			if got.Output != nil {
				output = number(*got.Output)
			}
			if got.ErrorKind != tc.kind || output != tc.output || got.Repairs != tc.repairs || len(s.Requests) != tc.requests {
				t.Errorf("kind %q output %q repairs %d requests %d, want %q %q %d %d (%s)", got.ErrorKind, output, got.Repairs, len(s.Requests), tc.kind, tc.output, tc.repairs, tc.requests, got.ErrorDetail)
			}
			details := map[string]score.Flag{
				"repaired":        {Code: "repaired", Severity: 1, Detail: fmt.Sprint(tc.repairs, " repair requests")},
				flagRepairChanged: {Code: flagRepairChanged, Severity: 2, Detail: "the repair changed the output from 4 to 2; the sample is void"},
			}
			if tc.flag != "" && !slices.Contains(codes(got.Flags), tc.flag) ||
				details[tc.flag].Code != "" && !slices.Contains(got.Flags, details[tc.flag]) {
				t.Errorf("flags %v lack %s", got.Flags, tc.flag)
			}
			if tc.flag == flagRepairChanged && got.ErrorDetail != details[tc.flag].Detail {
				t.Errorf("the reason is %q", got.ErrorDetail)
			}
			line := got.Score()
			if tc.kind != "" && (line.Status != score.Unscored || line.Value != nil || line.Passed != nil || line.Error.Kind != tc.kind || line.Label != "") {
				t.Errorf("a failure became a score: %+v", line)
			}
			allDifferent(t, s.Requests)
			if tc.repairs > 0 {
				last := s.Requests[1].Messages
				if !strings.Contains(last[len(last)-1].Content, "Your previous answer was not accepted: /") {
					t.Errorf("repair request: %s", last[len(last)-1].Content)
				}
				if n := len(s.Requests); n > 2 && !strings.HasSuffix(s.Requests[2].Messages[len(s.Requests[2].Messages)-1].Content,
					" This is request 2 for a correction.") || strings.Contains(last[len(last)-1].Content, "This is request") {
					t.Error("repair requests are counted wrongly")
				}
				// A repair is made of the original messages, not of the one before.
				if len(tc.replies) > 2 && len(s.Requests[2].Messages) != len(last) {
					t.Error("repairs pile up")
				}
			}
		})
	}
}

// allDifferent checks that no two requests are the same: at temperature 0 they would get
// the same answer, whatever their seeds.
func allDifferent(t *testing.T, list []llm.Request) {
	t.Helper()
	seeds, seen := map[int64]bool{}, map[llm.Fingerprint]bool{}
	for _, req := range list {
		seeds[*req.Seed] = true
		req.Seed = nil
		fp, err := llm.FingerprintOf(&req, "", "")
		if err != nil || seen[fp] {
			t.Errorf("a request was sent twice but for its seed (%v)", err)
		}
		seen[fp] = true
	}
	if len(seeds) != len(list) {
		t.Error("a seed was sent twice")
	}
}

func TestCutShortAnswers(t *testing.T) {
	length := func(content, reasoning string) *llm.Response {
		return &llm.Response{Content: content, Reasoning: reasoning, FinishReason: "length"}
	}
	loop := length(judgetest.Answer("4")[:50]+strings.Repeat("\n", 600), "")
	tests := []struct {
		name       string
		replies    []*llm.Response
		kind       string
		tokens     []int
		transports []llm.Transport
	}{
		{"doubled", []*llm.Response{length("{", ""), judgetest.Text(judgetest.Answer("4"))}, "", []int{1024, 2048}, []llm.Transport{llm.JSONSchema, llm.JSONSchema}},
		{"doubled once", []*llm.Response{length("{", "")}, KindTruncated, []int{1024, 2048}, []llm.Transport{llm.JSONSchema, llm.JSONSchema}},
		{"in thought, with room for it", []*llm.Response{length("", "hm")}, KindTruncatedInThought, []int{1024, 6144}, []llm.Transport{llm.JSONSchema, llm.JSONSchema}},
		{"blanks step down", []*llm.Response{loop, judgetest.Text(judgetest.Answer("4"))}, "", []int{1024, 1024}, []llm.Transport{llm.JSONSchema, llm.Tools}},
		{"blanks twice", []*llm.Response{loop}, KindWhitespaceLoop, []int{1024, 1024, 2048}, []llm.Transport{llm.JSONSchema, llm.Tools, llm.Tools}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			s := &judgetest.Script{Reply: func(n int, _ llm.Request) (*llm.Response, error) { return tc.replies[min(n, len(tc.replies)-1)], nil }}
			got := judgeOne(t, intentJudge(t, s, nil))
			var tokens []int
			var transports []llm.Transport
			for _, r := range s.Requests {
				tokens, transports = append(tokens, r.MaxTokens), append(transports, r.Transport)
			}
			if got.ErrorKind != tc.kind {
				t.Errorf("kind %q, want %q", got.ErrorKind, tc.kind)
			}
			if d := cmp.Diff(tc.tokens, tokens); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tc.transports, transports); d != "" {
				t.Error(d)
			}
			allDifferent(t, s.Requests)
		})
	}
}

// TestThoughtIsDoubledOnce: a model that is known to think has room for it already, which is doubled with the answer's.
func TestThoughtIsDoubledOnce(t *testing.T) {
	s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
		return &llm.Response{Reasoning: "hm", FinishReason: "length"}, nil
	}}
	got := judgeOne(t, intentJudge(t, s, func(c *Config) { c.Reasoning = true }))
	if len(s.Requests) != 2 || s.Requests[0].MaxTokens != 5120 || s.Requests[1].MaxTokens != 10240 || got.Reply != "hm" {
		t.Errorf("%d requests, the last with %d tokens", len(s.Requests), s.Requests[len(s.Requests)-1].MaxTokens)
	}
}

// Without a limit there is nothing to double: the same request is not sent again.
func TestNoLimitIsNotDoubled(t *testing.T) {
	s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
		return &llm.Response{Content: "{", FinishReason: "length"}, nil
	}}
	got := judgeOne(t, intentJudge(t, s, func(c *Config) { c.Extra = []llm.Field{{Name: "max_tokens", Value: []byte("null")}} }))
	if got.ErrorKind != KindTruncated || len(s.Requests) != 1 {
		t.Errorf("%s after %d requests", got.ErrorKind, len(s.Requests))
	}
}

// A limit among the extra members takes the place of MaxTokens: it is what doubles.
func TestDoubledLimitOfExtra(t *testing.T) {
	extra := []llm.Field{{Name: "max_tokens", Value: []byte("300")}, {Name: "min_p", Value: []byte("1")}, {Name: "max_completion_tokens", Value: []byte(" 500")}, {Name: "n_predict", Value: []byte("-1")}, {Name: "n_predict", Value: []byte("1073741824")}}
	s := &judgetest.Script{Reply: func(n int, _ llm.Request) (*llm.Response, error) {
		if n == 0 {
			return &llm.Response{Content: "{", FinishReason: "length"}, nil
		}
		return judgetest.Text(judgetest.Answer("4")), nil
	}}
	judgeOne(t, intentJudge(t, s, func(c *Config) { c.Extra = extra }))
	var got []string
	for _, r := range s.Requests {
		for _, f := range r.Extra {
			got = append(got, f.Name+" "+string(f.Value))
		}
	}
	want := []string{"max_tokens 300", "min_p 1", "max_completion_tokens  500", "n_predict -1", "n_predict 1073741824",
		"max_tokens 600", "min_p 1", "max_completion_tokens 1000", "n_predict -1", "n_predict 1073741824"}
	if d := cmp.Diff(want, got); d != "" || string(extra[0].Value) != "300" {
		t.Error(d)
	}
}

// TestOpenRefuses: an endpoint that cannot be one is an error, as is a judge that cannot judge.
func TestOpenRefuses(t *testing.T) {
	for url, want := range map[string]string{"ftp://127.0.0.1/v1": "ftp", "http://": "base_url", "": "base_url"} {
		if j, err := Open(Endpoint{BaseURL: url}, Config{Model: "m"}); err == nil || j != nil || !strings.Contains(strings.ToLower(err.Error()), want) {
			t.Errorf("%q: %v, %v", url, j, err)
		}
	}
	if j, err := Open(Endpoint{}, Config{Model: BaselineModel, Prompt: Options{Marker: "^"}}); err == nil || j != nil {
		t.Errorf("%v, %v", j, err)
	}
}

// TestDoubledInAWindow: an answer that was cut off gets what the window has, and is not asked for again in no more room.
func TestDoubledInAWindow(t *testing.T) {
	asked := func(window int) (tokens []int) {
		s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
			return &llm.Response{Content: "{", FinishReason: "length"}, nil
		}}
		judgeOne(t, intentJudge(t, s, func(c *Config) { c.MaxTokens, c.Prompt.Limit.Tokens = 400, window }))
		for _, req := range s.Requests {
			tokens = append(tokens, req.MaxTokens)
		}
		return tokens
	}
	j := intentJudge(t, judgetest.Replies(""), nil)
	req, err := j.Request(rubrics.Intent, judgetest.Support(t), OfCall(1))
	if err != nil {
		t.Fatal(err)
	}
	size := j.Limit().Estimate(req.Messages)
	for more, want := range map[int][]int{401: {400, 401}, 799: {400, 799}, 5000: {400, 800}} {
		if d := cmp.Diff(want, asked(size+more)); d != "" {
			t.Errorf("a window of %d tokens more than the prompt: %s", more, d)
		}
	}
}

// TestOpen: a judge is opened with its own limit of requests in flight and ten minutes for a server that is silent; the
// baseline is asked at a server if one is given.
func TestOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		down := transport(func(*http.Request) (*http.Response, error) {
			sent++
			return nil, errors.New("connection refused")
		})
		j, err := Open(Endpoint{BaseURL: "http://127.0.0.1:1/v1", Transport: down}, Config{Model: BaselineModel, Concurrency: 12})
		if err != nil {
			t.Fatal(err)
		}
		c := j.complete.(*client.Client)
		defer c.Close()
		_, err = j.Call(t.Context(), judgetest.Support(t), 1, Facts{})
		if err == nil || !strings.Contains(err.Error(), "no answer for 10m0s: ") || sent == 0 || c.Concurrency() != 12 {
			t.Errorf("%d attempts with up to %d in flight: %v", sent, c.Concurrency(), err)
		}
	})
}

// transport answers HTTP requests by a function.
type transport func(*http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestLists: the kinds of failure and the layouts that there are.
func TestLists(t *testing.T) {
	kinds := []string{"transport", "invalid_reply", "bad_request", "refusal", "refused_by_endpoint", "truncated",
		"truncated_in_thought", "invalid_json", "schema_violation", "canary", "context_cut", "context", "whitespace_loop"}
	if d := cmp.Diff(kinds, ErrorKinds()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]Layout{"rubric-first", "named-rubrics", "conversation-first"}, Layouts()); d != "" {
		t.Error(d)
	}
}

// TestNotWeighed: a judge that weighs one token refuses a rubric whose answer no single token shows.
func TestNotWeighed(t *testing.T) {
	const head = "name: x\nquestion: q?\n"
	for _, tt := range []struct{ rubric, want string }{
		{"answer: yes/no", ""},
		{"answer: [kind, rude]", ""},
		{"answer: 1-5", ""},
		{"answer: 0..1", ""},
		{"answer: 1-5\nnot_applicable: yes", "weighs one token, which does not show not_applicable"},
		{"answer: [kind, keen]", "kind, keen do not differ in their first letter"},
		{"answer: [good, bad]\npass: good\nworst_of: all.is\nextra: {all: {type: array, items: {properties: {is: {enum: [good, bad]}}}}}",
			"worst_of takes the answer from a list"},
	} {
		list, err := rubrics.Load(strings.NewReader(head+tt.rubric), "x.yaml")
		if err != nil {
			t.Fatal(err)
		}
		_, err = New(judgetest.Replies(""), Config{Model: "m", Rubrics: list, Method: TokenWeighted})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.rubric, err, tt.want)
		}
	}
}

// TestPromptThatTheServerCut: an answer to a prompt that fills the whole context is none, however good it looks.
func TestPromptThatTheServerCut(t *testing.T) {
	for counted, want := range map[int]string{8191: KindContextCut, 8192: KindContextCut, 2000: "", 9000: ""} {
		s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
			r := judgetest.Text(judgetest.Answer("4"))
			r.Usage.Prompt = &counted
			return r, nil
		}}
		got := judgeOne(t, intentJudge(t, s, func(c *Config) { c.Prompt.Limit.Tokens = 8192 }))
		if got.ErrorKind != want || (got.Output == nil) != (want != "") {
			t.Errorf("%d tokens counted: %q, output %v", counted, got.ErrorKind, got.Output)
		}
	}
}

func TestFailureKinds(t *testing.T) {
	for kind, want := range map[llm.ErrorKind]string{
		llm.KindTransport: KindTransport, llm.KindTimeout: KindTransport, llm.KindRateLimited: KindTransport, llm.KindServer: KindTransport,
		llm.KindRefused: KindRefused, llm.KindOverflow: KindContext,
	} {
		s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) { return nil, &llm.Error{Kind: kind, Message: "x"} }}
		got := judgeOne(t, intentJudge(t, s, nil))
		if got.ErrorKind != want || got.Output != nil || !got.Escalate || got.Verdict != NoVerdict || len(s.Requests) != 1 {
			t.Errorf("%s: %+v", kind, got)
		}
	}
	long := &llm.Error{Kind: llm.KindServer, Status: 500, Message: strings.Repeat("x", 600)}
	s := &judgetest.Script{Reply: func(n int, _ llm.Request) (*llm.Response, error) {
		if n == 1 {
			return nil, long
		}
		return &llm.Response{ToolArguments: strings.Repeat("y", 2001), Reasoning: "z", FinishReason: "stop"}, nil
	}}
	got := judgeOne(t, intentJudge(t, s, func(c *Config) { c.Transport = llm.Tools }))
	if got.ErrorKind != KindTransport || got.ErrorDetail != value.Excerpt(long.Error(), 500) || got.Repairs != 1 || got.Requests != 2 ||
		got.Reply != strings.Repeat("y", 1999)+"…" {
		t.Errorf("a repair that fails: %+v", got)
	}
	fatal := &llm.Error{Kind: llm.KindUnauthorized, Status: 401, Message: "no", Fatal: true}
	j := intentJudge(t, &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) { return nil, fatal }}, nil)
	var e *llm.Error
	if _, err := j.Call(t.Context(), judgetest.Support(t), 1, Facts{}); !errors.As(err, &e) || e != fatal {
		t.Errorf("a fatal error came back as %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := j.Call(ctx, judgetest.Support(t), 1, Facts{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled call came back as %v", err)
	}
}

// Case 6: failed samples are left out, ties go to the stricter value.
func TestSelfConsistency(t *testing.T) {
	sampled := func(texts ...string) (Result, *judgetest.Script) {
		s := &judgetest.Script{}
		s.Reply = func(_ int, r llm.Request) (*llm.Response, error) {
			return judgetest.Text(texts[*r.Seed-7]), nil
		}
		j := intentJudge(t, s, func(c *Config) { c.Method, c.Samples, c.MaxRepairs = SelfConsistency, len(texts), -1 })
		return judgeOne(t, j), s
	}
	got, s := sampled(judgetest.Answer("4"), "bad", judgetest.Answer("5"), judgetest.Answer("4"), judgetest.Answer("2"))
	if *got.Output != 3.75 || got.Verdict != Pass || len(got.Samples) != 5 || got.Samples[1] != nil || got.ConfidenceSource != "verbalised" {
		t.Errorf("%+v", got)
	}
	if *s.Requests[0].Temperature != 0.8 {
		t.Errorf("samples at temperature %v", *s.Requests[0].Temperature)
	}
	usual := judgetest.Replies(judgetest.Answer("4"))
	if judgeOne(t, intentJudge(t, usual, func(c *Config) { c.Method = SelfConsistency })); len(usual.Requests) != 5 {
		t.Errorf("%d samples are taken by default", len(usual.Requests))
	}
	if got.Method != SelfConsistency || !strings.Contains(got.Score().Details.JSON(), `"samples":[4.0,null,5.0,4.0,2.0],`+
		`"sampling":{"valid":4,"failed":1,"majority":4.0,"median":4.0,"variance":1.58333`) {
		t.Errorf("details %s", got.Score().Details.JSON())
	}
	got, _ = sampled(judgetest.Answer("4"), judgetest.Answer("2"))
	if *got.Output != 3 || got.Verdict != Fail {
		t.Errorf("tie: output %v verdict %s", *got.Output, got.Verdict)
	}
	got, _ = sampled(judgetest.Answer("4"), judgetest.Answer("4"), judgetest.Answer("4"), judgetest.Answer("4"), judgetest.Answer("2"))
	if got.ConfidenceSource != "sample" || *got.Confidence != 0.8 {
		t.Errorf("confidence %v from %s", *got.Confidence, got.ConfidenceSource)
	}
	// The majority gives the verdict, the mean says whether it was close.
	got, _ = sampled(judgetest.Answer("4"), judgetest.Answer("4"), judgetest.Answer("1"))
	if *got.Output != 3 || got.Verdict != Pass || !got.NearThreshold || !got.Escalate {
		t.Errorf("4, 4, 1: %v %s, near the cut %v, escalate %v", *got.Output, got.Verdict, got.NearThreshold, got.Escalate)
	}
	got, _ = sampled(judgetest.Answer("3"), judgetest.Answer("3"), judgetest.Answer("5"), judgetest.Answer("5"))
	if *got.Output != 4 || got.Verdict != Pass || got.NearThreshold || got.Escalate {
		t.Errorf("3, 3, 5, 5: %v %s, near the cut %v, escalate %v", *got.Output, got.Verdict, got.NearThreshold, got.Escalate)
	}
	// The share is that of the verdict, not of the value.
	got, _ = sampled(judgetest.Answer("4"), judgetest.Answer("4"), judgetest.Answer("5"), judgetest.Answer("3"), judgetest.Answer("2"))
	if d := cmp.Diff([]confidence{{"verbalised", 0.9}, {"sample", 0.8}}, got.confidences, cmp.AllowUnexported(confidence{})); d != "" {
		t.Error(d)
	}
	if text := got.Score().Details.JSON(); !strings.Contains(text, `"confidence_source":"sample","confidences":{"verbalised":0.9,"sample":0.8}`) {
		t.Errorf("details %s", text)
	}
	// A sample whose prompt was cut does not count; a majority between fail and pass escalates, whatever the mean.
	n := 0
	cut := &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
		resp := judgetest.Text(judgetest.Answer([]string{"4", "1", "1", "4"}[n]))
		if n++; n == 2 || n == 3 {
			resp.Usage.Prompt = new(8192)
		}
		return resp, nil
	}}
	got = judgeOne(t, intentJudge(t, cut, func(c *Config) {
		c.Method, c.Samples, c.Prompt.Limit.Tokens = SelfConsistency, 4, 8192
	}))
	if *got.Output != 4 || got.Sampling.Valid != 2 || got.Verdict != Pass {
		t.Errorf("%v from %d samples", *got.Output, got.Sampling.Valid)
	}
	open := judgetest.Replies(judgetest.Answer("3"), judgetest.Answer("3"), judgetest.Answer("1"))
	got = judgeOne(t, intentJudge(t, open, func(c *Config) {
		c.Method, c.Samples, c.Modes = SelfConsistency, 3, map[string]VerdictMode{rubrics.Intent: "bands"}
	}))
	if got.Verdict != Borderline || got.NearThreshold || !got.Escalate {
		t.Errorf("3, 3, 1 by bands: %s, near %v, escalate %v", got.Verdict, got.NearThreshold, got.Escalate)
	}
	if got, _ = sampled("bad", judgetest.Answer("9")); got.Output != nil || got.ErrorKind != KindInvalidJSON || got.Verdict != NoVerdict {
		t.Errorf("all failed: %+v", got)
	}
}

// Case 5: the weighted score is the score, and without probabilities the written
// number.
func TestTokenWeight(t *testing.T) {
	head := `{"explanation":"ö \"output\":9 ü","evidence":"e","output":`
	tail := `,"confidence":0.9,"correction":{}}`
	s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
		resp := judgetest.Text(head + "4" + tail)
		resp.Logprobs = []llm.Token{
			{TokenAlternative: llm.TokenAlternative{Token: head}},
			{TokenAlternative: llm.TokenAlternative{Token: "4"}, Top: []llm.TokenAlternative{share("4", 0.6), share("5", 0.2), share("2", 0.2)}},
			{TokenAlternative: llm.TokenAlternative{Token: tail}},
		}
		return resp, nil
	}}
	got := judgeOne(t, intentJudge(t, s, func(c *Config) { c.Method = TokenWeighted }))
	if !s.Requests[0].Logprobs || s.Requests[0].TopLogprobs != 20 || !(math.Abs(*got.Output-3.8) <= 1e-9) || got.ConfidenceSource != "token" || !(math.Abs(*got.Confidence-0.8) <= 1e-9) {
		t.Errorf("%+v", got)
	}
	if d := cmp.Diff([]string{"verbalised", "token"}, sources(got)); d != "" {
		t.Error(d)
	}
	const details = `"token":{"coverage":1.0,"variance":0.96,"entropy":0.95`
	if text := got.Score().Details.JSON(); !strings.Contains(text, details) || !strings.Contains(text, `"pass_probability":0.8`) {
		t.Errorf("details %s", text)
	}
	// Another object behind the answer is not weighed in its place.
	behind := &judgetest.Script{Reply: func(n int, r llm.Request) (*llm.Response, error) {
		resp, err := s.Reply(n, r)
		other := llm.Token{TokenAlternative: llm.TokenAlternative{Token: "1"}, Top: []llm.TokenAlternative{share("1", 1)}}
		resp.Content += "\n{\"output\":1}"
		resp.Logprobs = append(resp.Logprobs, llm.Token{TokenAlternative: llm.TokenAlternative{Token: "\n{\"output\":"}}, other, llm.Token{TokenAlternative: llm.TokenAlternative{Token: "}"}})
		return resp, err
	}}
	if got := judgeOne(t, intentJudge(t, behind, func(c *Config) { c.Method = TokenWeighted })); got.Method != TokenWeighted || !(math.Abs(*got.Output-3.8) <= 1e-9) {
		t.Errorf("weighed %v by %s, the answer weighs 3.8", *got.Output, got.Method)
	}
	plain := judgeOne(t, intentJudge(t, judgetest.Replies(judgetest.Answer("4")), func(c *Config) { c.Method = TokenWeighted }))
	undefined := score.Flag{Code: "token_score_undefined", Severity: 1,
		Detail: "no usable probabilities at the score token; the written number counts"}
	if plain.Method != Parsed || *plain.Output != 4 || !slices.Contains(plain.Flags, undefined) {
		t.Errorf("without probabilities: %+v", plain)
	}
}

func TestNewRefuses(t *testing.T) {
	r := judgetest.Rubric(t, rubrics.Intent)
	chosen := *r
	chosen.Retrieve = 1
	for _, tc := range []struct {
		c    Completer
		cfg  Config
		want string
	}{
		{nil, Config{Model: "m"}, "judge: no endpoint to ask"},
		{judgetest.Replies(""), Config{}, "judge: set a model"},
		{judgetest.Replies(""), Config{Model: "m", Transport: "grammar"}, `judge m: transport "grammar" is not one of [json_schema tools json_object prompt_only]`},
		{judgetest.Replies(""), Config{Model: "m", Prompt: Options{Marker: "ab"}}, "judge m: datamarking: the marker \"ab\" is not one symbol, such as ^ and none of < > `"},
		{judgetest.Replies(""), Config{Model: BaselineModel, Prompt: Options{Marker: "^"}}, "judge " + BaselineModel + ": datamarking is for language models; leave it off for the rule-based baseline"},
		{judgetest.Replies(""), Config{Model: "m", Method: "vibes"}, `judge m: method "vibes" is not one of [parsed token_weighted self_consistency]`},
		{judgetest.Replies(""), Config{Model: "m", Modes: map[string]answer.Mode{"tone": "bands"}}, `judge m: a verdict mode is set for rubric "tone", by which it does not judge`},
		{judgetest.Replies(""), Config{Model: "m", Method: TokenWeighted, Transport: llm.Tools}, "judge m: score_method " +
			"token_weighted needs answers as text, and answers by tools carry no log-probabilities; set score_method: parsed, " +
			"or transport: json_object"},
		{judgetest.Replies(""), Config{Model: BaselineModel, Method: TokenWeighted}, "judge " + BaselineModel + ": score_method " +
			"token_weighted needs log-probabilities, and the rule-based baseline has none; set score_method: parsed"},
		{judgetest.Replies(""), Config{Model: "m", Prompt: Options{Layout: "rubric-last"}},
			`judge m: layout "rubric-last" is not one of [rubric-first named-rubrics conversation-first]`},
		{judgetest.Replies(""), Config{Model: "m", Rubrics: []*rubrics.Rubric{&chosen}, Prompt: Options{Layout: Together}},
			"judge m: rubric function_intent_alignment: together shows no examples, and retrieve chooses them for each call; " +
				"leave one of them out"},
		{judgetest.Replies(""), Config{Model: "m", Rubrics: []*rubrics.Rubric{r, r}}, `judge m: two rubrics have the name "function_intent_alignment"; rename one`},
	} {
		if _, err := New(tc.c, tc.cfg); err == nil || err.Error() != tc.want {
			t.Errorf("got %v, want %s", err, tc.want)
		}
	}
}

func share(label string, p float64) llm.TokenAlternative {
	return llm.TokenAlternative{Token: label, Logprob: math.Log(p)}
}

// TestRoomForARepair: a repair is asked for if it and half an answer fit the window to the
// token, and not in a window that is a token smaller.
func TestRoomForARepair(t *testing.T) {
	const answer = 100
	seven, four := judgetest.Answer("7"), judgetest.Answer("4")
	asked := func(window int) *judgetest.Script {
		s := judgetest.Replies(seven, four)
		judgeOne(t, intentJudge(t, s, func(c *Config) { c.MaxTokens, c.Prompt.Limit = answer, Limit{Tokens: window, Answer: answer} }))
		return s
	}
	limit := Limit{Tokens: 100_000, Answer: answer}
	needed := limit.Estimate(asked(limit.Tokens).Requests[1].Messages) + answer/2
	if n := len(asked(needed).Requests); n != 2 {
		t.Errorf("%d requests where the repair just fits, want 2", n)
	}
	if n := len(asked(needed - 1).Requests); n != 1 {
		t.Errorf("%d requests where the repair is a token too long, want 1", n)
	}
}

// TestRefits: what is refused for its length is shortened to each window that a refusal names, and given up after
// maxRefits times; every request counts, and each prompt fits what was named.
func TestRefits(t *testing.T) {
	windows, sent := []int{9000, 1800, 1500, 1300, 1200, 1100}, 0
	s := &judgetest.Script{Reply: func(int, llm.Request) (*llm.Response, error) {
		sent++
		return nil, &llm.Error{Kind: llm.KindOverflow, Attempts: 1,
			Message: fmt.Sprintf("This model's maximum context length is %d tokens.", windows[sent-1])}
	}}
	j := intentJudge(t, s, func(c *Config) { c.MaxTokens, c.Prompt.Limit = 100, Limit{Tokens: 16_000, Answer: 100} })
	conv := longConversation(t, 60)
	got, err := j.Call(t.Context(), conv, 59, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	if res := got[0]; len(s.Requests) != 1+maxRefits || res.Requests != len(s.Requests) || res.ErrorKind != KindContext {
		t.Errorf("%d requests, %d counted, %s: %s", len(s.Requests), res.Requests, res.ErrorKind, res.ErrorDetail)
	}
	for n := range s.Requests {
		if n > 0 && j.Limit().Estimate(s.Requests[n].Messages)+100 > windows[n-1] {
			t.Errorf("request %d does not fit the window of %d tokens that was named", n, windows[n-1])
		}
	}
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// TestSchemaNames: a server takes a schema's name of letters, digits, _ and -, up to 64 of them.
func TestSchemaNames(t *testing.T) {
	for name, want := range map[string]string{
		"overall_call-2": "overall_call-2", "a b.c/d": "a_b_c_d", "größe": "gr____e", strings.Repeat("x", 70): strings.Repeat("x", 64), "": "",
	} {
		if got := schemaName(name); got != want {
			t.Errorf("%q is sent as %q, want %q", name, got, want)
		}
	}
}
