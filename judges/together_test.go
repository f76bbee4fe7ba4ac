package judges

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// threeRubrics are of calls, with different kinds of answers; the last one is not asked about every call.
func threeRubrics(t testing.TB) []*rubrics.Rubric {
	list, err := rubrics.Load(strings.NewReader(`
- {name: asked, question: Was it asked first?, answer: yes/no, pass: yes, not_applicable: yes}
- {name: useful, question: How useful is it?, answer: 1-5, pass: ">= 4", confidence: no, extra: {why: in a word}}
- {name: tone, question: Which tone?, answer: [kind, rude], when: tool = cancel_order}
`), "three.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// togetherReply answers a request about several rubrics with the given members, and one about a single
// rubric with "no", 1 or "rude".
func togetherReply(members string) func(int, llm.Request) (*llm.Response, error) {
	return func(_ int, req llm.Request) (*llm.Response, error) {
		usage := func(n int) llm.Usage { return llm.Usage{Prompt: &n, Completion: new(10)} }
		system := req.Messages[0].Content
		answer := strings.Replace(answerOf(`"no"`), `"rule":"first",`, "", 1)
		switch {
		case strings.Contains(system, "There are several rubrics."):
			return &llm.Response{Content: members, FinishReason: "stop", Usage: usage(101)}, nil
		case strings.Contains(system, "How useful"):
			answer = `{"explanation":"e","evidence":"NONE: n","why":"w","output":1,"correction":{}}`
		case strings.Contains(system, "Which tone"):
			answer = strings.Replace(answer, `"no"`, `"rude"`, 1)
		}
		return &llm.Response{Content: answer, FinishReason: "stop", Usage: usage(50)}, nil
	}
}

const (
	askedYes  = `"asked":{"explanation":"The user asked.","evidence":"\"cancel order 987\"","output":"yes","confidence":0.9,"correction":{}}`
	useful5   = `"useful":{"explanation":"e","evidence":"\"cancel order 987\"","why":"all","output":5,"correction":{}}`
	toneKind  = `"tone":{"explanation":"e","evidence":"\"cancel order 987\"","output":"kind","confidence":0.8,"correction":{}}`
	allOfThem = "{" + askedYes + "," + useful5 + "," + toneKind + "}"
)

func togetherJudge(t testing.TB, s *judgetest.Script, set func(*Config)) *Judge {
	t.Helper()
	cfg := Config{Model: "m", Rubrics: threeRubrics(t), Prompt: Options{Layout: Together, RunKey: []byte("k"), Canary: "quartz-1"}, MaxRepairs: -1}
	if set != nil {
		set(&cfg)
	}
	j, err := New(s, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// asked returns the keys of requests, which say what was asked about.
func keysOf(s *judgetest.Script) (keys []string) {
	for _, req := range s.Requests {
		keys = append(keys, req.Key)
	}
	slices.Sort(keys)
	return keys
}

// TestTogether: one request answers by all rubrics that ask about a call, and gives the results of single
// requests; its cost is divided.
func TestTogether(t *testing.T) {
	s := &judgetest.Script{Reply: togetherReply(allOfThem)}
	j := togetherJudge(t, s, nil)
	got := runAll(t, []*Judge{j}, RunConfig{}, 1)
	if want := []string{"c1#0 together", "c1#1 together", "c1#2 together"}; !slices.Equal(keysOf(s), want) {
		t.Fatalf("requests: %v", keysOf(s))
	}
	var lines []string
	prompt, answer, requests := 0, 0, 0
	for _, res := range got {
		lines = append(lines, fmt.Sprint(res.CallIndex, " ", res.Rubric, " ", line(res.Score())))
		prompt, answer, requests = prompt+*res.Usage.Prompt, answer+*res.Usage.Completion, requests+res.Requests
		if len(res.Flags) > 0 || res.Repairs > 0 || res.ErrorKind != "" || res.Explanation == "" || res.Shortened != (Shortened{}) {
			t.Errorf("%+v", res)
		}
	}
	want := []string{"0 asked scored 1 true pass yes", "0 useful scored 5 true pass", "1 asked scored 1 true pass yes",
		"1 useful scored 5 true pass", "1 tone scored 1  kind", "2 asked scored 1 true pass yes", "2 useful scored 5 true pass"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if prompt != 303 || answer != 30 || requests != 3 {
		t.Errorf("%d prompt tokens, %d answer tokens, %d requests in all", prompt, answer, requests)
	}
	if got := got[1].Answer.JSON(); got != `{"why":"all"}` {
		t.Errorf("the author's field: %s", got)
	}
	req := s.Requests[slices.IndexFunc(s.Requests, func(r llm.Request) bool { return r.Key == "c1#1 together" })]
	if schema := string(req.Schema.JSON); !strings.HasPrefix(schema, `{"type":"object","properties":{"asked":{"type":"object"`) ||
		!strings.HasSuffix(schema, `"required":["asked","useful","tone"],"additionalProperties":false}`) {
		t.Error(schema)
	}
	system, last := req.Messages[0].Content, req.Messages[1].Content
	for _, part := range []string{"in this order: asked, useful, tone.", "Rubric useful\n\nWhat to grade:\nHow useful is it?", "keys in this order: explanation, evidence, why, output, correction."} {
		if !strings.Contains(system, part) {
			t.Errorf("the prompt lacks %q:\n%s", part, system)
		}
	}
	if len(req.Messages) != 2 || !strings.HasSuffix(last, "Grade this one call by each rubric. Answer with JSON only.") || req.MaxTokens != 3*1024 {
		t.Errorf("%d messages, %d tokens: %s", len(req.Messages), req.MaxTokens, last)
	}
	if first, err := j.Request("tone", judgetest.Support(t), OfCall(1)); err != nil || !cmp.Equal(first.Messages, req.Messages) {
		t.Error("what would be sent first is another request", err)
	}
}

// TestTogetherFallsBack: what one rubric lacks in the shared answer it asks for alone; if nothing can
// be taken, each is asked alone.
func TestTogetherFallsBack(t *testing.T) {
	both := []string{"c1#0 asked", "c1#0 together", "c1#0 useful"}
	for name, tt := range map[string]struct {
		reply func(int, llm.Request) (*llm.Response, error)
		set   func(*Config)
		want  string
		keys  []string
	}{
		"one breaks its schema":    {togetherReply("{" + askedYes + `,"useful":{"output":9}}`), nil, "yes 1", []string{"c1#0 together", "c1#0 useful"}},
		"one is missing":           {togetherReply("{" + useful5 + "}"), nil, "no 5", []string{"c1#0 asked", "c1#0 together"}},
		"one is there twice":       {togetherReply("{" + askedYes + "," + useful5 + "," + askedYes + "}"), nil, "no 5", []string{"c1#0 asked", "c1#0 together"}},
		"one has a key twice":      {togetherReply("{" + askedYes + "," + strings.Replace(useful5, `"output":5`, `"output":5,"output":4`, 1) + "}"), nil, "yes 1", []string{"c1#0 together", "c1#0 useful"}},
		"no object":                {togetherReply("I would say yes."), nil, "no 1", both},
		"another rubric's answer":  {togetherReply(strings.TrimPrefix(askedYes, `"asked":`)), nil, "no 1", both},
		"the secret word":          {togetherReply(strings.Replace(allOfThem, "The user", "quartz-1", 1)), nil, "no 1", both},
		"no room":                  {togetherReply(allOfThem), func(c *Config) { c.Prompt.Limit.Tokens = 2000 }, "no 1", []string{"c1#0 asked", "c1#0 useful"}},
		"words around the object":  {togetherReply("Here:\n```json\n" + allOfThem + "\n```"), nil, "yes 5", []string{"c1#0 together"}},
		"a rubric nobody asked by": {togetherReply(strings.Replace(allOfThem, `"tone"`, `"other"`, 1)), nil, "yes 5", []string{"c1#0 together"}},
		"cut short": {func(n int, req llm.Request) (*llm.Response, error) {
			resp, err := togetherReply(allOfThem[:len(allOfThem)-60])(n, req)
			if strings.HasSuffix(req.Key, "together") {
				resp.FinishReason = "length"
			}
			return resp, err
		}, nil, "no 1", both},
		"cut by the server": {func(n int, req llm.Request) (*llm.Response, error) {
			resp, err := togetherReply(allOfThem)(n, req)
			if strings.HasSuffix(req.Key, "together") {
				resp.Usage.Prompt = new(6000)
			}
			return resp, err
		}, func(c *Config) { c.Prompt.Limit.Tokens = 6000 }, "no 1", both},
		"refused for its length": {func(n int, req llm.Request) (*llm.Response, error) {
			if strings.HasSuffix(req.Key, "together") {
				return nil, &llm.Error{Kind: llm.KindOverflow, Message: "too long", Attempts: 1}
			}
			return togetherReply("")(n, req)
		}, nil, "no 1", both},
		"the endpoint is down": {func(int, llm.Request) (*llm.Response, error) {
			return nil, &llm.Error{Kind: llm.KindTimeout, Message: "too slow", Attempts: 3}
		}, nil, "error error", []string{"c1#0 together"}},
		"json_schema is refused": {func(n int, req llm.Request) (*llm.Response, error) {
			if req.Transport != llm.JSONObject {
				return nil, &llm.Error{Kind: llm.KindBadRequest, Message: "no response_format, no tools", Attempts: 1}
			}
			return togetherReply(allOfThem)(n, req)
		}, nil, "yes 5", []string{"c1#0 together", "c1#0 together", "c1#0 together"}},
	} {
		s := &judgetest.Script{Reply: tt.reply}
		results, err := togetherJudge(t, s, tt.set).Target(t.Context(), judgetest.Support(t), OfCall(0))
		if err != nil || len(results) != 2 {
			t.Fatalf("%s: %v %v", name, results, err)
		}
		said := func(r Result) string {
			switch {
			case r.Verdict == NoVerdict:
				return r.Verdict
			case r.Category != "":
				return r.Category
			}
			return number(*r.Output)
		}
		if got := said(results[0]) + " " + said(results[1]); got != tt.want || !slices.Equal(keysOf(s), tt.keys) {
			t.Errorf("%s: %s by %v", name, got, keysOf(s))
		}
		if n := results[0].Requests + results[1].Requests; n != len(s.Requests) {
			t.Errorf("%s: %d requests are counted, %d were sent", name, n, len(s.Requests))
		}
		if last := s.Requests[len(s.Requests)-1]; strings.HasSuffix(last.Key, TogetherKey) &&
			(results[0].Transport != last.Transport || results[1].Transport != last.Transport) {
			t.Errorf("%s: %s and %s, asked by %s", name, results[0].Transport, results[1].Transport, last.Transport)
		}
	}
}

// TestTogetherRuns: whatever the concurrency each item is asked about once, other scopes apart, and
// what is planned is what is sent.
func TestTogetherRuns(t *testing.T) {
	list := threeRubrics(t)
	for _, keys := range []string{"name: turn_1\nscope: turn", "name: turn_2\nscope: turn", "name: all\nscope: conversation"} {
		more, err := rubrics.Load(strings.NewReader(keys+"\nquestion: q?\nanswer: yes/no\npass: yes"), "q.yaml")
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, more...)
	}
	const turns = `{"turn_1":{"explanation":"e","evidence":"NONE: n","output":"yes","confidence":1},"turn_2":{"explanation":"e","evidence":"NONE: n","output":"no","confidence":1}}`
	var first []Result
	for _, concurrency := range []int{1, 8} {
		s := &judgetest.Script{Reply: func(n int, req llm.Request) (*llm.Response, error) {
			if strings.Contains(req.Key, "#turn") {
				return togetherReply(turns)(n, req)
			}
			return togetherReply(allOfThem)(n, req)
		}}
		j := togetherJudge(t, s, func(c *Config) { c.Rubrics, c.Concurrency = list, concurrency })
		got := runAll(t, []*Judge{j}, RunConfig{}, 1)
		want := []string{"c1# all", "c1#0 together", "c1#1 together", "c1#2 together", "c1#turn1 together"}
		if !slices.Equal(keysOf(s), want) {
			t.Errorf("requests: %v", keysOf(s))
		}
		if first == nil {
			first = got
		}
		for i := range got {
			if a, b := got[i].Score(), first[i].Score(); !cmp.Equal(a.Details.JSON(), b.Details.JSON()) || line(a) != line(b) {
				t.Errorf("%s differs with the concurrency", got[i].Rubric)
			}
		}
		fits, bytes, sent := 0, 0, 0
		j.Fits(judgetest.Support(t), &Prefixes{}, func(f *Fit) bool {
			if !f.Shared {
				fits, bytes = fits+1, bytes+f.Bytes
			}
			return true
		})
		for _, req := range s.Requests {
			for _, m := range req.Messages {
				sent += len(m.Content)
			}
		}
		if fits != len(s.Requests) || bytes < sent || bytes > sent+200*fits {
			t.Errorf("%d prompts of %d bytes are planned, %d of %d sent", fits, bytes, len(s.Requests), sent)
		}
		if saved := SavedTogether(list, judgetest.Support(t)); len(got)-saved != len(s.Requests) {
			t.Errorf("%d of %d requests are saved", saved, len(got))
		}
	}
}

// TestRoomTogether: an answer by several rubrics has the room of each, thinks once, and takes half of the window at most.
func TestRoomTogether(t *testing.T) {
	for _, tt := range []struct {
		set  func(*Config)
		want int // for two rubrics
	}{
		{func(*Config) {}, 2048},
		{func(c *Config) { c.Reasoning, c.ReasoningTokens, c.MaxTokens = true, 100, 50 }, 200},
		{func(c *Config) { c.Prompt.Limit.Tokens = 4000 }, 2000},
		{func(c *Config) { c.Prompt.Limit.Tokens, c.MaxTokens = 4000, 300 }, 600},
		{func(c *Config) { c.Reasoning, c.ReasoningTokens, c.Prompt.Limit.Tokens = true, 5000, 4096 }, 2048},
	} {
		req, err := togetherJudge(t, judgetest.Replies(""), tt.set).Request("asked", judgetest.Support(t), OfCall(0))
		if err != nil || req.MaxTokens != tt.want || req.Key != "c1#0 together" {
			t.Errorf("%d tokens, want %d, %v", req.MaxTokens, tt.want, err)
		}
	}
	conv := judgetest.Support(t)
	conv.Messages[3].Content, conv.Messages[3].Output = strings.Repeat("found it ", 1500), value.Value{}
	s := &judgetest.Script{Reply: togetherReply(allOfThem)}
	j := togetherJudge(t, s, func(c *Config) { c.Prompt.Limit.Tokens, c.MaxTokens = 4096, 300 })
	results, err := j.Target(t.Context(), conv, OfCall(1))
	if err != nil || len(s.Requests) != 1 {
		t.Fatalf("%d requests, %v", len(s.Requests), err)
	}
	for _, r := range results {
		if !flagged(r.Flags, FlagResultsCut) || r.Shortened.Results != 1 {
			t.Errorf("%s: what was cut is not told: %v", r.Rubric, r.Flags)
		}
	}
}

// TestTogetherMended: what was mended of the common object is flagged with each rubric; a rubric that sees what is
// expected is asked alone.
func TestTogetherMended(t *testing.T) {
	sees, err := rubrics.Load(strings.NewReader("name: expected\nquestion: q?\nanswer: yes/no\nsees: expected"), "q.yaml")
	if err != nil {
		t.Fatal(err)
	}
	conv := judgetest.Support(t)
	conv.Expected = &transcript.Expected{Outputs: []string{"x"}}
	s := &judgetest.Script{Reply: togetherReply("{" + askedYes + "," + useful5 + ",}")}
	j := togetherJudge(t, s, func(c *Config) { c.Rubrics = append(c.Rubrics, sees...) })
	results, err := j.Target(t.Context(), conv, OfCall(0))
	if err != nil || len(results) != 3 {
		t.Fatal(results, err)
	}
	if d := cmp.Diff([]string{"c1#0 expected", "c1#0 together"}, keysOf(s)); d != "" {
		t.Error(d)
	}
	for _, r := range results[:2] {
		if d := cmp.Diff([]Flag{{Code: "repaired_trailing_comma", Severity: 1}}, r.Flags); d != "" {
			t.Errorf("%s: %s", r.Rubric, d)
		}
	}
}

func TestTogetherRefused(t *testing.T) {
	for _, tt := range []struct {
		set  func(*Config)
		want string
	}{
		{func(c *Config) { c.Method = TokenWeighted }, "score_method: parsed, not token_weighted"},
		{func(c *Config) { c.Method = SelfConsistency }, "score_method: parsed, not self_consistency"},
		{func(c *Config) { c.Model = BaselineModel }, "leave it off for the rule-based baseline"},
	} {
		cfg := Config{Model: "m", Rubrics: threeRubrics(t)[:2], Prompt: Options{Layout: Together}}
		tt.set(&cfg)
		if _, err := New(judgetest.Replies(""), cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, want %s", err, tt.want)
		}
	}
	// What sees the expected calls is asked alone.
	conv := judgetest.Support(t)
	conv.Expected = &transcript.Expected{Outputs: []string{"x"}}
	sees, err := rubrics.Load(strings.NewReader("name: expected\nquestion: q?\nanswer: yes/no\nsees: expected"), "q.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if got := Group(append(threeRubrics(t), sees...), conv, OfCall(0)); len(got) != 2 {
		t.Errorf("%d rubrics are asked together", len(got))
	}
}
