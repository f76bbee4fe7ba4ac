package judges

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// bareServer answers full requests with full, and those for the number alone with
// the tokens of bare.
func bareServer(full string, bare func() (*llm.Response, error)) *judgetest.Script {
	return &judgetest.Script{Reply: func(_ int, r llm.Request) (*llm.Response, error) {
		if strings.HasSuffix(r.Messages[len(r.Messages)-1].Content, `{"output": number}.`) {
			return bare()
		}
		return judgetest.Text(full), nil
	}}
}

func numberAlone(top ...llm.TokenAlternative) func() (*llm.Response, error) {
	return func() (*llm.Response, error) {
		resp := judgetest.Text(`{"output": 2}`)
		for _, s := range []string{`{"output":`, " 2", "}"} {
			tok := llm.Token{TokenAlternative: llm.TokenAlternative{Token: s}}
			if s == " 2" {
				tok.Top = top
			}
			resp.Logprobs = append(resp.Logprobs, tok)
		}
		return resp, nil
	}
}

func share(label string, p float64) llm.TokenAlternative {
	return llm.TokenAlternative{Token: label, Logprob: math.Log(p)}
}

// The score comes from the second request, everything else from the first.
func TestB0(t *testing.T) {
	s := bareServer(judgetest.Answer("5"), numberAlone(share(" 2", 0.5), share(" 4", 0.3), share("4", 0.2)))
	got := judgeOne(t, intentJudge(t, s, func(c *Config) { c.Method = B0 }))
	if math.Abs(*got.Output-3) > 1e-9 || got.Method != B0 || got.ConfidenceSource != "token" || math.Abs(*got.Confidence-0.5) > 1e-9 || got.Verdict != Pass {
		t.Errorf("%+v", got)
	}
	if got.Explanation == "" || got.Requests != 2 {
		t.Errorf("explanation %q, %d requests", got.Explanation, got.Requests)
	}
	if text := got.Score().Details.JSON(); !strings.Contains(text, `"score_method":"b0"`) {
		t.Errorf("details %s", text)
	}
	first, second := s.Requests[0], s.Requests[1]
	if first.Logprobs || !second.Logprobs || second.TopLogprobs != 20 {
		t.Errorf("log-probabilities: first %v, second %v %d", first.Logprobs, second.Logprobs, second.TopLogprobs)
	}
	want := `{"type":"object","properties":{"output":` + judgetest.Rubric(t, rubrics.Intent).SentSchema().Field("properties").Field("output").JSON() + `}`
	if schema := string(second.Schema.JSON); !strings.Contains(strings.ReplaceAll(schema, " ", ""), strings.ReplaceAll(`"properties":{"output":`, " ", "")) || strings.Contains(schema, "explanation") || strings.Contains(schema, "threshold") {
		t.Errorf("schema %s, want %s…", schema, want)
	}
	if v, err := value.ParseString(string(second.Schema.JSON)); err != nil || v.Field("required").JSON() != `["output"]` {
		t.Errorf("required: %v %s", err, v.Field("required").JSON())
	}
	for _, m := range second.Messages {
		if m.Role == "assistant" && !regexp.MustCompile(`^\{"output":\d\}$`).MatchString(m.Content) {
			t.Errorf("example answer %s", m.Content)
		}
	}
	if system := second.Messages[0].Content; strings.Contains(system, "evidence,") || strings.Contains(system, "double quotes") || !strings.Contains(system, "exactly one key: output") {
		t.Errorf("system message asks for more than the number:\n%s", system)
	}
	// The record is the same in both.
	record := strings.TrimSuffix(first.Messages[len(first.Messages)-1].Content, "Grade this one call. Answer with the JSON object only.")
	if !strings.HasPrefix(second.Messages[len(second.Messages)-1].Content, record) {
		t.Error("the second request shows another record")
	}
}

// Where the number alone cannot be had, the first answer's number stands.
func TestB0FallsBack(t *testing.T) {
	fails := func(err *llm.Error) func() (*llm.Response, error) {
		return func() (*llm.Response, error) { return nil, err }
	}
	says := func(content string) func() (*llm.Response, error) {
		return func() (*llm.Response, error) { return judgetest.Text(content), nil }
	}
	ended := func(finish string) func() (*llm.Response, error) {
		return func() (*llm.Response, error) {
			resp, err := numberAlone(share(" 2", 1))()
			resp.FinishReason = finish
			return resp, err
		}
	}
	for _, tc := range []struct {
		name, why string
		bare      func() (*llm.Response, error)
		change    func(*Config)
		requests  int
	}{
		{"no probabilities", "no usable probabilities", says(`{"output":4}`), nil, 2},
		{"too little coverage", "no usable probabilities", numberAlone(share(" 2", 0.3), share("x", 0.7)), nil, 2},
		{"out of range", "no number of the scale", says(`{"output":9}`), nil, 2},
		{"no object", "no number of the scale", says(`four`), nil, 2},
		{"cut at the token limit", "token limit", ended("length"), nil, 2},
		{"broken off", "repeated itself", ended(llm.FinishRepetition), nil, 2},
		{"filtered", "content filter", ended("content_filter"), nil, 2},
		{"two numbers", "different numbers", says(`{"output":4} {"output":5}`), nil, 2},
		{"server error", "failed", fails(&llm.Error{Kind: llm.KindServer, Message: "boom"}), nil, 2},
		{"tools carry none", "tool calls", nil, func(c *Config) { c.Transport = llm.Tools }, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := judgeOne(t, intentJudge(t, bareServer(judgetest.Answer("5"), tc.bare), func(c *Config) {
				c.Method = B0
				if tc.change != nil {
					tc.change(c)
				}
			}))
			at := slices.Index(codes(got.Flags), FlagNoTokenScore)
			if got.Output == nil || *got.Output != 5 || got.Method != Parsed || got.ErrorKind != "" || at < 0 || !strings.Contains(got.Flags[at].Detail, tc.why) || got.Requests != tc.requests {
				t.Errorf("%+v", got)
			}
		})
	}
	// A first answer that fails is a failure, and nothing more is asked.
	s := bareServer("nothing", numberAlone(share(" 2", 1)))
	got := judgeOne(t, intentJudge(t, s, func(c *Config) { c.Method, c.MaxRepairs = B0, -1 }))
	if got.Output != nil || got.ErrorKind != KindInvalidJSON || len(s.Requests) != 1 {
		t.Errorf("%+v after %d requests", got, len(s.Requests))
	}
	j, err := New(s, Config{Model: "m", Method: B0, Rubrics: []*rubrics.Rubric{judgetest.Rubric(t, rubrics.Overall)}})
	if err != nil {
		t.Fatal(err)
	}
	s.Reply = judgetest.Replies(judgetest.Answer("0.9")).Reply
	if list, err := j.Call(t.Context(), judgetest.Support(t), 1, Facts{}); err != nil || list[0].Method != Parsed || !strings.Contains(list[0].Flags[0].Detail, "labels") {
		t.Errorf("%v %+v", err, list)
	}
}

// The secret word voids the judgement, whichever of the two answers tells it.
func TestB0Canary(t *testing.T) {
	tells := func() (*llm.Response, error) {
		resp, err := numberAlone(share(" 2", 1))()
		resp.Content += " zebra"
		return resp, err
	}
	got := judgeOne(t, intentJudge(t, bareServer(judgetest.Answer("5"), tells), func(c *Config) { c.Method, c.Prompt.Canary = B0, "zebra" }))
	if got.ErrorKind != KindCanary || got.Output != nil || got.Token != nil {
		t.Errorf("%+v", got)
	}
}

// A correction is replayed: how much more of the expected call does it make?
func TestCorrectionIsReplayed(t *testing.T) {
	for correction, want := range map[string]string{
		`{"order_id":988}`: "repaired 1", `{"reason":"late"}`: "better 0.5", `{"order_id":1}`: "worse -0.5", `{"order_id":987}`: "unchanged 0", `{}`: " ",
	} {
		j := intentJudge(t, judgetest.Replies(judgetest.AnswerWith("1", "x", `"order 987"`, correction)), nil)
		expected := facts988
		expected.Likeness = func(name string, args value.Value) (float64, bool) {
			switch id := args.Field("order_id").Text(); {
			case id == "988":
				return 1.5, true
			case args.Has("reason"):
				return 1, true
			case id == "987":
				return 0.5, true
			}
			return 0, true
		}
		got, err := j.Call(t.Context(), judgetest.Support(t), 1, expected)
		if err != nil {
			t.Fatal(err)
		}
		gain := ""
		if c := got[0].Checks.Constructive; c != nil {
			gain = number(*c)
		}
		if text := got[0].Checks.Effect + " " + gain; text != want {
			t.Errorf("%s: %q, want %q", correction, text, want)
		}
	}
}

// facts988 expect order 988 where the log says 987.
var facts988 = Facts{Expected: &transcript.ExpectedCall{Name: "cancel_order", Arguments: mustParse(`{"order_id":988}`)}}

func mustParse(s string) value.Value {
	v, err := value.ParseString(s)
	if err != nil {
		panic(err)
	}
	return v
}
