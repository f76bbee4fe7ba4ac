package capability

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/value"
)

// asking returns a probe of a server that gives these replies in their order, the last one for ever. The key that it
// asks for is key_x.
func asking(t *testing.T, caps Capabilities, depth ProbeConfig, replies ...llmtest.Reply) (*probe, *llmtest.Server) {
	t.Helper()
	s := serve(t, func(c llmtest.Call) llmtest.Reply { return replies[min(c.N, len(replies)-1)] })
	if caps.Thinking == "" {
		caps.Thinking = None
	}
	caps.Model = "m"
	p, err := newProbe(client.Endpoint{BaseURL: s.URL, MaxAttempts: 1}, &caps, client.Config{}, depth)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.c.Close)
	p.key = "key_x"
	return p, s
}

// exported compares requests by what can be set.
var exported = cmpopts.IgnoreUnexported(llm.Schema{})

// sent returns members of the requests that a server got, a line for each.
func sent(s *llmtest.Server, names ...string) string {
	var lines []string
	for _, c := range s.Calls() {
		var line []string
		for _, name := range names {
			line = append(line, string(c.Members[name]))
		}
		lines = append(lines, strings.Join(line, " "))
	}
	return strings.Join(lines, "\n")
}

func ending(finish, content string) llmtest.Reply {
	return llmtest.Chat(llmtest.ChatMessage{Content: content, FinishReason: finish})
}

// TestStep: from one answer the probe learns whether the transport works and whether keys keep their order.
func TestStep(t *testing.T) {
	long := strings.Repeat("word ", 40)
	for _, tt := range []struct {
		reply    llmtest.Reply
		want     step
		keyOrder Finding
	}{
		{llmtest.Text(`{"key_x":"v","b":1,"a":true}`), step{llm.JSONObject, Yes, ""}, Yes},
		{ending("length", `{"key_x":"v","b":1,"a":true}`), step{llm.JSONObject, Yes, ""}, Yes},
		{llmtest.Text(`{"b":1,"key_x":"v","a":true}`), step{llm.JSONObject, Yes, ""}, No},
		{llmtest.Text(`{"key_x":"v","a":true,"b":1}`), step{llm.JSONObject, Yes, ""}, No},
		{llmtest.Text(`{"key_x":"v","b":1}`), step{llm.JSONObject, Yes, ""}, No},
		{llmtest.Text(`{"key_x":"v","b":1,"a":true,"c":0}`), step{llm.JSONObject, Yes, ""}, No},
		{llmtest.Text(`{"key_y":"v"}`), step{llm.JSONObject, Ignored, `the answer was {"key_y":"v"}`}, ""},
		{llmtest.Text(`["key_x"]`), step{llm.JSONObject, Ignored, `the answer was ["key_x"]`}, ""},
		{llmtest.Text(""), step{llm.JSONObject, Ignored, "the answer was empty"}, ""},
		{llmtest.Text(long), step{llm.JSONObject, Ignored, "the answer was " + long[:119] + "…"}, ""},
		{ending("length", `{"key_x":`), step{llm.JSONObject, Truncated, `the answer was {"key_x":`}, ""},
		{llmtest.Fail(400, "no objects"), step{llm.JSONObject, Refused, "no objects"}, ""},
	} {
		p, _ := asking(t, Capabilities{}, ProbeConfig{}, tt.reply)
		got, err := p.step(t.Context(), llm.JSONObject, false)
		if diff := cmp.Diff(tt.want, got); err != nil || diff != "" || p.caps.KeyOrder != tt.keyOrder {
			t.Errorf("%s: %v, key order %q\n%s", tt.reply.Body, err, p.caps.KeyOrder, diff)
		}
	}
	p, _ := asking(t, Capabilities{}, ProbeConfig{}, llmtest.Fail(401, "no"))
	if _, err := p.step(t.Context(), llm.Tools, false); err == nil || asError(t, err).Kind != llm.KindUnauthorized {
		t.Errorf("%v", err)
	}
	const schema = `{"type":"object","properties":{"key_x":{"type":"string","maxLength":20},` +
		`"b":{"type":"integer","minimum":0,"maximum":10},"a":{"type":"boolean"}},` +
		`"required":["key_x","b","a"],"additionalProperties":false}`
	hidden := llm.Request{Transport: llm.Tools,
		Schema:   llm.Schema{Name: "probe", JSON: json.RawMessage(schema), Strict: true},
		Messages: []llm.Message{{Role: "user", Content: "Answer with one short JSON object."}}}
	shown := llm.Request{Transport: llm.PromptOnly, Messages: []llm.Message{{Role: "user",
		Content: "Answer with one JSON object that fits this schema, and nothing else: " + schema}}}
	got := []llm.Request{p.stepRequest(llm.Tools, true), p.stepRequest(llm.PromptOnly, true)}
	if diff := cmp.Diff([]llm.Request{hidden, shown}, got, exported); diff != "" {
		t.Error(diff)
	}
}

// TestUnusable: the error text if no transport works on an endpoint.
func TestUnusable(t *testing.T) {
	const follow = "use a model that follows instructions, or a server that enforces schemas"
	for _, tt := range []struct {
		last   step
		chosen llm.Transport
		want   *llm.Error
	}{
		{step{llm.PromptOnly, Refused, "top_p is too much"}, "", &llm.Error{Kind: llm.KindBadRequest,
			Message: "every request was refused, the plainest with: top_p is too much",
			Hint:    "the server did not take `top_p`: set top_p: null in judge.yaml"}},
		{step{llm.PromptOnly, Refused, "no"}, llm.Tools, &llm.Error{Kind: llm.KindBadRequest,
			Message: "every request was refused, the plainest with: no",
			Hint:    "change what the message names, in judge.yaml or by a member under extra"}},
		{step{llm.PromptOnly, Truncated, "the answer was a"}, "", &llm.Error{Kind: llm.KindInvalidReply,
			Message: "no request was answered to its end: the answer was a",
			Hint:    "the model writes or thinks without end; switch its thinking off, or use another model"}},
		{step{llm.PromptOnly, Ignored, "the answer was a"}, "", &llm.Error{Kind: llm.KindInvalidReply,
			Message: "no request was answered with the JSON object that it asked for: the answer was a", Hint: follow}},
		{step{llm.PromptOnly, Ignored, "the answer was a"}, llm.Tools, nil},
	} {
		p := &probe{depth: ProbeConfig{Transport: tt.chosen}, caps: &Capabilities{Model: "m", Endpoint: "http://h/v1",
			Ladder: []step{{llm.JSONSchema, Refused, "seed"}, tt.last}}}
		err := p.unusable()
		if tt.want == nil {
			if err != nil {
				t.Errorf("with a transport of the user's: %v", err)
			}
			continue
		}
		tt.want.Model, tt.want.Endpoint = "m", "http://h/v1"
		if diff := cmp.Diff(tt.want, err); diff != "" {
			t.Error(diff)
		}
	}
	for name, want := range map[string]string{
		"temperature":           "set temperature in judge.yaml to a value that it takes, often 1",
		"max_tokens":            "set extra: {max_completion_tokens: 1024} in judge.yaml, or max_tokens to a value that it takes",
		"max_completion_tokens": "set max_tokens in judge.yaml to a value that it takes",
		"seed":                  "set seed: null in judge.yaml",
	} {
		if got := fieldAdvice("Not '" + name + "' with top_p"); got != "the server did not take `"+name+"`: "+want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestRanges: one number outside its range shows that ranges are not enforced, of those within it four are asked for.
func TestRanges(t *testing.T) {
	x := func(list ...string) (replies []llmtest.Reply) {
		for _, v := range list {
			replies = append(replies, llmtest.Text(`{"x":`+v+`}`))
		}
		return replies
	}
	for name, tt := range map[string]struct {
		transport       llm.Transport
		replies         []llmtest.Reply
		integer, number Finding
		requests        int
	}{
		"within":         {llm.JSONSchema, x("10", "0", "5", "10", "1", "0", "0.5", "1"), Yes, Yes, 8},
		"at once out":    {llm.JSONSchema, x("11", "1.01"), No, No, 2},
		"below":          {llm.JSONSchema, x("-1"), No, No, 2},
		"the fourth out": {llm.JSONSchema, x("1", "1", "1", "7500"), No, No, 5},
		"no numbers":     {llm.JSONSchema, x(`"5"`), Unknown, Unknown, 8},
		"one number":     {llm.JSONSchema, x("null", "1", "null"), Yes, Unknown, 8},
		"refused":        {llm.JSONSchema, []llmtest.Reply{llmtest.Fail(400, "no ranges")}, Unknown, Unknown, 2},
		"no schema":      {llm.JSONObject, x("1"), Unknown, Unknown, 0},
	} {
		caps := Capabilities{Transport: tt.transport, IntegerRange: Unknown, NumberRange: Unknown}
		p, s := asking(t, caps, ProbeConfig{}, tt.replies...)
		err := p.ranges(t.Context())
		if err != nil || p.caps.IntegerRange != tt.integer || p.caps.NumberRange != tt.number || s.Requests() != tt.requests {
			t.Errorf("%s: %v, %s, %s, %d requests", name, err, p.caps.IntegerRange, p.caps.NumberRange, s.Requests())
		}
		if name != "within" {
			continue
		}
		const integers, numbers = "0 0 256\n1 1 256\n1 2 256\n1 3 256", "0 0 256\n1 1 256\n1 2 256\n1 3 256"
		if diff := cmp.Diff(integers+"\n"+numbers, sent(s, "temperature", "seed", "max_tokens")); diff != "" {
			t.Error(diff)
		}
		const format = `{"type":"json_schema","json_schema":{"name":"probe","schema":{"type":"object","properties":{"x":` +
			`{"type":"%s","minimum":0,"maximum":%d}},"required":["x"],"additionalProperties":false},"strict":false}}`
		formats := strings.Split(sent(s, "response_format"), "\n")
		if formats[3] != fmt.Sprintf(format, "integer", 10) || formats[7] != fmt.Sprintf(format, "number", 1) {
			t.Errorf("%q", formats)
		}
		if said := s.Calls()[0].Last(); said != `Answer exactly {"x": 7500}` {
			t.Errorf("asked for %s", said)
		}
	}
	p, _ := asking(t, Capabilities{Transport: llm.Tools}, ProbeConfig{}, llmtest.Fail(401, "no"))
	if err := p.ranges(t.Context()); err == nil {
		t.Error("a refused key is no error")
	}
	p, s := asking(t, Capabilities{Transport: llm.JSONSchema, Strict: Yes}, ProbeConfig{}, x("11")...)
	if err := p.ranges(t.Context()); err != nil || !strings.Contains(sent(s, "response_format"), `"strict":true`) {
		t.Errorf("%v, sent %s", err, sent(s, "response_format"))
	}
}

// TestOpenObject: an object that stays empty is asked for twice; strict schemas have no open objects.
func TestOpenObject(t *testing.T) {
	empty, full := llmtest.Text(`{"o":{}}`), llmtest.Text(`{"o":{"colour":"red"}}`)
	for name, tt := range map[string]struct {
		caps     Capabilities
		replies  []llmtest.Reply
		want     Finding
		requests int
	}{
		"full":          {Capabilities{Transport: llm.JSONSchema}, []llmtest.Reply{full}, Yes, 1},
		"then full":     {Capabilities{Transport: llm.JSONSchema}, []llmtest.Reply{empty, full}, Yes, 2},
		"empty":         {Capabilities{Transport: llm.JSONSchema}, []llmtest.Reply{empty}, Ignored, 2},
		"no object":     {Capabilities{Transport: llm.JSONSchema}, []llmtest.Reply{llmtest.Text(`{"o":1}`)}, Unknown, 2},
		"refused":       {Capabilities{Transport: llm.JSONSchema}, []llmtest.Reply{llmtest.Fail(400, "no")}, Refused, 1},
		"then refused":  {Capabilities{Transport: llm.JSONSchema}, []llmtest.Reply{empty, llmtest.Fail(400, "no")}, Refused, 2},
		"strict":        {Capabilities{Transport: llm.JSONSchema, Strict: Yes}, []llmtest.Reply{full}, Unknown, 0},
		"not strict":    {Capabilities{Transport: llm.JSONSchema, Strict: Refused}, []llmtest.Reply{full}, Yes, 1},
		"without a key": {Capabilities{Transport: llm.PromptOnly}, []llmtest.Reply{full}, Unknown, 0},
	} {
		tt.caps.OpenObject = Unknown
		p, s := asking(t, tt.caps, ProbeConfig{}, tt.replies...)
		if err := p.openObject(t.Context()); err != nil || p.caps.OpenObject != tt.want || s.Requests() != tt.requests {
			t.Errorf("%s: %v, %s, %d requests", name, err, p.caps.OpenObject, s.Requests())
		}
	}
	p, _ := asking(t, Capabilities{Transport: llm.JSONSchema, OpenObject: Unknown}, ProbeConfig{}, llmtest.Fail(401, "no"))
	if err := p.openObject(t.Context()); err == nil || p.caps.OpenObject != Unknown {
		t.Errorf("%v, %s", err, p.caps.OpenObject)
	}
	want := llm.Request{Transport: llm.Tools, Seed: new(int64(0)),
		Messages: []llm.Message{{Role: "user", Content: `Answer exactly {"o": {"colour": "red"}}`}},
		Schema: llm.Schema{Name: "probe", JSON: json.RawMessage(`{"type":"object","properties":{"o":{"type":"object",` +
			`"additionalProperties":true}},"required":["o"],"additionalProperties":false}`)}}
	if diff := cmp.Diff(want, openRequest(llm.Tools), exported); diff != "" {
		t.Error(diff)
	}
}

// TestSeeds: three texts tell whether a seed decides; a server that took no seed before is not asked.
func TestSeeds(t *testing.T) {
	texts := func(list ...string) (replies []llmtest.Reply) {
		for _, s := range list {
			replies = append(replies, llmtest.Text(s))
		}
		return replies
	}
	for name, tt := range map[string]struct {
		fields   []FieldChange
		replies  []llmtest.Reply
		want     Finding
		requests int
	}{
		"decides":      {nil, texts("a", "a", "b"), Yes, 3},
		"always same":  {nil, texts("a", "a", "a"), Fixed, 3},
		"never same":   {nil, texts("a", "b", "c"), No, 3},
		"first again":  {nil, texts("a", "b", "a"), No, 3},
		"refused":      {nil, []llmtest.Reply{llmtest.Fail(400, "no words")}, Refused, 1},
		"left out":     {[]FieldChange{{Field: "seed"}}, texts("a"), Refused, 0},
		"another left": {[]FieldChange{{Field: "top_p"}}, texts("a", "a", "b"), Yes, 3},
	} {
		p, s := asking(t, Capabilities{Fields: tt.fields}, ProbeConfig{}, tt.replies...)
		if err := p.seeds(t.Context()); err != nil || p.caps.Seed != tt.want || s.Requests() != tt.requests {
			t.Errorf("%s: %v, %s, %d requests", name, err, p.caps.Seed, s.Requests())
		}
		if tt.requests == 3 && sent(s, "seed", "temperature") != "11 1\n11 1\n12 1" {
			t.Errorf("%s: seeds and temperatures\n%s", name, sent(s, "seed", "temperature"))
		}
	}
	for _, ask := range []func(p *probe) error{
		func(p *probe) error { return p.seeds(t.Context()) }, func(p *probe) error { return p.logprobs(t.Context()) },
	} {
		if p, _ := asking(t, Capabilities{}, ProbeConfig{}, llmtest.Fail(401, "no")); ask(p) == nil {
			t.Error("a refused key is no error")
		}
	}
}

// TestAsk: a member that a refusal names is left out, once each; if the words stay the same, it was not the cause.
func TestAsk(t *testing.T) {
	no := func(what string) llmtest.Reply { return llmtest.Fail(400, what) }
	yes := llmtest.Text("yes")
	run := llm.Request{TopP: new(0.5), Seed: new(int64(7))}
	for name, tt := range map[string]struct {
		replies  []llmtest.Reply
		refused  string
		fields   string
		requests int
	}{
		"taken":          {[]llmtest.Reply{llmtest.Text("yes")}, "", "", 1},
		"no member":      {[]llmtest.Reply{no("no")}, "no", "", 1},
		"a number alone": {[]llmtest.Reply{no("422")}, "422", "", 1},
		"one":            {[]llmtest.Reply{no("seed is unknown"), llmtest.Text("yes")}, "", "seed", 2},
		"two":            {[]llmtest.Reply{no("seed is unknown"), no("top_p is unknown"), yes}, "", "seed top_p", 3},
		"not the cause": {[]llmtest.Reply{no("no seed, no top_p (1)"), no("no seed, no top_p (2)"), yes},
			"no seed, no top_p (2)", "", 2},
		"the same again": {[]llmtest.Reply{no("seed is unknown"), no("what is this seed?")},
			"what is this seed?", "seed", 2},
		"then another one": {[]llmtest.Reply{no("seed is unknown"), no("no")}, "no", "seed", 2},
	} {
		p, s := asking(t, Capabilities{}, ProbeConfig{Request: run}, tt.replies...)
		res, refused, err := p.ask(t.Context(), llm.Request{Messages: user("Say yes.")})
		var fields []string
		for _, f := range p.caps.Fields {
			fields = append(fields, f.Field)
		}
		changed := strings.Join(fields, " ")
		if err != nil || refused != tt.refused || (res == nil) != (refused != "") || changed != tt.fields ||
			s.Requests() != tt.requests {
			t.Errorf("%s: %v, %q, changed %q, %d requests", name, err, refused, fields, s.Requests())
		}
	}
}

// TestThoughtIsNoticed: how a model thinks, and what its family then needs unless the user chose; a thought that used
// up the limit is given more.
func TestThoughtIsNoticed(t *testing.T) {
	thought := func(finish, content string) llmtest.Reply {
		return llmtest.Chat(llmtest.ChatMessage{Content: content, Reasoning: "hm", FinishReason: finish})
	}
	for name, tt := range map[string]struct {
		before   Finding
		given    bool
		reply    llmtest.Reply
		want     Finding
		sampled  bool
		requests string
	}{
		"none":                    {None, false, llmtest.Text("yes"), None, false, "256"},
		"cut, none":               {None, false, ending("length", "yes"), None, false, "256"},
		"separate":                {None, false, thought("stop", "yes"), Separate, true, "256"},
		"separate, and chosen":    {None, true, thought("stop", "yes"), Separate, false, "256"},
		"separate, cut":           {None, false, thought("length", ""), Separate, true, "256\n4352"},
		"inline":                  {None, false, llmtest.Text("<think>hm</think>yes"), Inline, true, "256"},
		"inline, cut":             {None, false, ending("length", "<think>hm"), Inline, true, "256\n4352"},
		"inline, begun before":    {None, false, llmtest.Text("hm</think>yes"), Inline, true, "256"},
		"hidden":                  {None, false, counted(256), Hidden, true, "256\n4352"},
		"known, and quiet now":    {Inline, false, llmtest.Text("yes"), Inline, false, "4352"},
		"known, separate now":     {Inline, false, thought("stop", "yes"), Separate, false, "4352"},
		"known, and inline again": {Separate, false, llmtest.Text("<think>hm</think>yes"), Separate, false, "4352"},
	} {
		p, s := asking(t, Capabilities{Thinking: tt.before}, ProbeConfig{TemperatureGiven: tt.given}, tt.reply)
		p.caps.Model = "qwen3"
		_, _, err := p.ask(t.Context(), llm.Request{Messages: user("Say yes.")})
		if err != nil || p.caps.Thinking != tt.want || sent(s, "max_tokens") != tt.requests {
			t.Errorf("%s: %v, %s, limits %q", name, err, p.caps.Thinking, sent(s, "max_tokens"))
		}
		if c := p.caps; (c.Temperature != nil) != tt.sampled || tt.sampled && (*c.Temperature != 0.6 || *c.TopP != 0.95) {
			t.Errorf("%s: sampled at %v", name, c.Temperature)
		}
	}
}

// TestRunSettings: the requests of a probe have the settings of the run, unless a question has its own.
func TestRunSettings(t *testing.T) {
	extra := []llm.Field{{Name: "x", Value: json.RawMessage("1")}}
	run := llm.Request{Temperature: new(0.7), TopP: new(0.9), Seed: new(int64(5)), Extra: extra}
	p := &probe{caps: &Capabilities{Model: "m"}, depth: ProbeConfig{Request: run}}
	want := llm.Request{Model: "m", Key: "probe", Temperature: new(0.7), TopP: new(0.9), Seed: new(int64(5)), Extra: extra}
	if diff := cmp.Diff(want, p.withRunSettings(llm.Request{}), exported); diff != "" {
		t.Error(diff)
	}
	own := llm.Request{Temperature: new(1.0), TopP: new(0.5), Seed: new(int64(11)), MaxTokens: 9}
	want = own
	want.Model, want.Key, want.Extra = "m", "probe", extra
	if diff := cmp.Diff(want, p.withRunSettings(own), exported); diff != "" {
		t.Error(diff)
	}
	p.depth = ProbeConfig{}
	plain := llm.Request{Model: "m", Key: "probe", Temperature: new(0.0)}
	if diff := cmp.Diff(plain, p.withRunSettings(llm.Request{}), exported); diff != "" {
		t.Error(diff)
	}
	found := Capabilities{
		Fields:      []FieldChange{{Field: "seed"}, {Field: llm.OldLimit, SentAs: llm.NewLimit}, {Field: "x"}},
		Temperature: new(0.6), TopP: new(0.95),
	}
	r := llm.Request{Extra: extra}
	found.Adapt(&r)
	field := func(name, v string) llm.Field { return llm.Field{Name: name, Value: json.RawMessage(v)} }
	adapted := llm.Request{LimitName: llm.NewLimit, Extra: []llm.Field{
		field("x", "1"), field("seed", "null"), field("temperature", "0.6"), field("top_p", "0.95")}}
	if diff := cmp.Diff(adapted, r, exported); diff != "" || len(extra) != 1 {
		t.Error(diff)
	}
}

// TestRubricDetail: what a rubric's prompt came to, in words; what refused it is taken back, with what was found by it.
func TestRubricDetail(t *testing.T) {
	ask := func(llm.Transport, bool, bool) (llm.Request, error) {
		return llm.Request{Messages: user("GRADE")}, nil
	}
	for name, tt := range map[string]struct {
		reply  llmtest.Reply
		want   Finding
		detail string
		window int
	}{
		"answered":       {llmtest.Text(`{"output":5}`), Yes, "", 0},
		"answered, cut":  {ending("length", `{"output":5}`), Yes, "", 0},
		"another object": {llmtest.Text(`{"score":5}`), Ignored, `the answer was {"score":5}`, 0},
		"cut":            {ending("length", `{"out`), Truncated, `the answer was {"out`, 0},
		"too long": {llmtest.Fail(400, "This model's maximum context length is 4096 tokens"), Truncated,
			"overflow (HTTP 400): This model's maximum context length is 4096 tokens; the prompt does not fit the model's " +
				"context; use a larger context or shorten the record", 4096},
	} {
		p, s := asking(t, Capabilities{Transport: llm.PromptOnly}, ProbeConfig{Rubric: ask}, tt.reply)
		err := p.rubric(t.Context())
		detail := strings.Replace(p.caps.RubricDetail, "chat m at "+s.URL+": ", "", 1)
		if err != nil || p.caps.RubricPrompt != tt.want || detail != tt.detail || p.caps.ContextTokens != tt.window {
			t.Errorf("%s: %v, %s, %s, a window of %d", name, err, p.caps.RubricPrompt, detail, p.caps.ContextTokens)
		}
		if tt.window > 0 && p.caps.ContextSource != "an error" {
			t.Errorf("%s: the window is from %s", name, p.caps.ContextSource)
		}
	}
	p, _ := asking(t, Capabilities{Transport: llm.PromptOnly}, ProbeConfig{Rubric: ask}, llmtest.Fail(401, "no"))
	if err := p.rubric(t.Context()); err == nil || p.caps.RubricPrompt != "" {
		t.Errorf("a refused key: %v, %s", err, p.caps.RubricPrompt)
	}
	p, s := asking(t, Capabilities{}, ProbeConfig{Rubric: ask}, llmtest.Text("yes"))
	if err := p.rubric(t.Context()); err != nil || s.Requests() != 0 {
		t.Errorf("without a transport: %v, %d requests", err, s.Requests())
	}
	broken := func(llm.Transport, bool, bool) (llm.Request, error) { return llm.Request{}, errors.New("no template") }
	p, _ = asking(t, Capabilities{Transport: llm.Tools}, ProbeConfig{Rubric: broken}, llmtest.Text("yes"))
	if err := p.rubric(t.Context()); err == nil || err.Error() != "probe: no template" {
		t.Error(err)
	}

	counts := func(llm.Transport, bool, bool) (llm.Request, error) {
		return llm.Request{Messages: user("%s", strings.Repeat("x", 400))}, nil
	}
	p, _ = asking(t, Capabilities{Transport: llm.PromptOnly}, ProbeConfig{Rubric: counts},
		llmtest.Chat(llmtest.ChatMessage{Content: `{"output":5}`, PromptTokens: 108}))
	if err := p.rubric(t.Context()); err != nil || p.caps.BytesPerToken != 4 {
		t.Errorf("%v, %v bytes per token", err, p.caps.BytesPerToken)
	}

	const key = `{"key_x":"v","b":1,"a":true}`
	no := llmtest.Fail(400, "too large")
	caps := Capabilities{Transport: llm.JSONSchema, OpenObject: Refused, Ladder: []step{{llm.JSONSchema, Yes, ""}}}
	call := func(args string) llmtest.Reply {
		return llmtest.Chat(llmtest.ChatMessage{ToolName: "probe", ToolArgs: args})
	}
	p, _ = asking(t, caps, ProbeConfig{Rubric: ask}, no, call(key), call(`{"o":{"a":1}}`), call(`{"output":5}`))
	err := p.rubric(t.Context())
	ladder := []step{{llm.JSONSchema, Refused, "a rubric's prompt: too large"}, {llm.Tools, Yes, ""}}
	diff := cmp.Diff(ladder, p.caps.Ladder)
	if err != nil || diff != "" || p.caps.OpenObject != Yes || p.caps.RubricPrompt != Yes {
		t.Errorf("%v, open object %s, rubric %s\n%s", err, p.caps.OpenObject, p.caps.RubricPrompt, diff)
	}
	p, _ = asking(t, caps, ProbeConfig{Rubric: ask}, no, call(key), llmtest.Fail(401, "no"))
	if err := p.rubric(t.Context()); err == nil || asError(t, err).Kind != llm.KindUnauthorized {
		t.Errorf("a refused key in place of an open object: %v", err)
	}
	p, _ = asking(t, caps, ProbeConfig{Rubric: ask}, no)
	if err := p.rubric(t.Context()); err == nil || asError(t, err).Kind != llm.KindBadRequest || p.caps.Transport != "" {
		t.Errorf("everything is refused: %v, transport %q", err, p.caps.Transport)
	}
}

// TestFieldWords: the sentence about a field that a server refuses.
func TestFieldWords(t *testing.T) {
	for want, f := range map[string]FieldChange{
		"seed is left out, because the server refuses it: no": {Field: "seed", Said: "no"},
		"max_tokens goes as max_completion_tokens, because the server refuses it: no": {Field: "max_tokens",
			SentAs: "max_completion_tokens", Said: "no"},
	} {
		if got := f.Words(); got != want {
			t.Errorf("%s", got)
		}
		c := Capabilities{Transport: llm.JSONSchema, Thinking: None, ContextTokens: 8192, Fields: []FieldChange{f}}
		if got := c.Advice(false); !slices.Equal(got, []string{want}) {
			t.Errorf("advice %q", got)
		}
	}
}

// TestAdviceInFull: advice that holds numbers or names of settings.
func TestAdviceInFull(t *testing.T) {
	for _, tt := range []struct {
		caps Capabilities
		want string
	}{
		{Capabilities{ContextTokens: 8191},
			"the context holds 8191 tokens; the built-in rubrics with examples take " +
				"about 1500, and longer records are shortened. raise the server's context to 16384 tokens, or choose a model with a " +
				"longer one"},
		{Capabilities{Kind: llm.KindLlamaCPP, ContextTokens: 16384, Overlong: Truncated, Longest: 9000, Window: 8192},
			"a prompt of about 9000 tokens was cut to 8192 without an error: records that do not fit would be judged by half; " +
				"judge voids what it notices. start llama-server with -c 16384 for each slot of -np, which share it"},
		{Capabilities{Thinking: Separate, Model: "gpt", ContextTokens: 8192},
			"the model thinks before it answers: a run gives it 4096 " +
				"tokens more, or as many as --reasoning-tokens (judge.yaml: reasoning_tokens) says"},
		{Capabilities{Thinking: Hidden, Kind: llm.KindOllama, Model: "deepseek-r1", ContextTokens: 8192},
			"the model thinks before it " +
				"answers: a run gives it 4096 tokens more, or as many as --reasoning-tokens (judge.yaml: reasoning_tokens) says, " +
				"or switch thinking off with extra: {reasoning_effort: none} in judge.yaml"},
		{Capabilities{Temperature: new(0.6), TopP: new(0.95), ContextTokens: 8192},
			"this family loops when it thinks at " +
				"temperature 0: runs sample it at 0.6 with top_p 0.95, unless judge.yaml has a temperature"},
		{Capabilities{RubricPrompt: Refused, RubricDetail: "no", ContextTokens: 8192},
			"a whole rubric's prompt was refused: no"},
		{Capabilities{RubricPrompt: Truncated, RubricDetail: "no", ContextTokens: 8192},
			"a whole rubric's prompt was not answered to its end: no"},
		{Capabilities{RubricPrompt: Ignored, RubricDetail: "no", ContextTokens: 8192},
			"a whole rubric's prompt got no object with a score; expect repairs: no"},
	} {
		if tt.caps.Thinking == "" {
			tt.caps.Thinking = None
		}
		if diff := cmp.Diff([]string{tt.want}, tt.caps.Advice(false)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestIdentify: a server is recognised by what it answers at paths of its own, or by its name in a header.
func TestIdentify(t *testing.T) {
	for name, tt := range map[string]struct {
		kind llm.Kind // before
		side map[string]string
		head string // Server, of the list of models
		want Capabilities
	}{
		"nothing known": {"", nil, "nginx", Capabilities{}},
		"SGLang": {"", map[string]string{"/get_model_info": `{"model_path":"x"}`, "/version": `{"version":"1"}`,
			"/get_server_info": `{"version":"0.5"}`},
			"", Capabilities{Kind: llm.KindSGLang, Version: "0.5"}},
		"vLLM, which is no Ollama": {"", map[string]string{"/version": `{"version":"0.12"}`}, "",
			Capabilities{Kind: llm.KindVLLM, Version: "0.12"}},
		"Ollama": {"", map[string]string{"/api/version": `{"version":"0.17"}`, "/version": `{"version":"1"}`,
			"/api/ps": `{"models":[{"name":"other","context_length":1},{"name":"m","context_length":8192}]}`},
			"", Capabilities{Kind: llm.KindOllama, Version: "0.17", ContextTokens: 8192, ContextSource: "/api/ps, loaded"}},
		"Ollama, not loaded": {"", map[string]string{"/api/version": `{"version":"0.17"}`,
			"/api/show": `{"parameters":"num_ctx 4096\nstop x"}`},
			"", Capabilities{Kind: llm.KindOllama, Version: "0.17", ContextTokens: 4096, ContextSource: "num_ctx of the model"}},
		"by its header": {"", nil, "llama.cpp", Capabilities{Kind: llm.KindLlamaCPP}},
		"LM Studio": {"", map[string]string{
			"/api/v0/models": `{"data":[{"id":"n","max_context_length":1},{"id":"m","max_context_length":9000}]}`},
			"", Capabilities{Kind: llm.KindLMStudio, ContextTokens: 9000, ContextSource: "/api/v0/models, largest"}},
		"OpenAI is known": {llm.KindOpenAI, map[string]string{"/version": `{"version":"0.12"}`}, "llama.cpp",
			Capabilities{Kind: llm.KindOpenAI}},
	} {
		p, s := asking(t, Capabilities{Kind: tt.kind}, ProbeConfig{}, llmtest.Text("yes"))
		s.Side("/v1/models", llmtest.Reply{Body: `{"data":[{"id":"m"}]}`, Header: map[string]string{"Server": tt.head}})
		for path, body := range tt.side {
			s.Side(path, llmtest.Reply{Body: body})
		}
		p.identify(t.Context())
		tt.want.Endpoint, tt.want.Model, tt.want.Thinking = s.URL, "m", None
		tt.want.ModelListed, tt.want.Models = Yes, []string{"m"}
		if diff := cmp.Diff(&tt.want, p.caps); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	p := &probe{caps: &Capabilities{ContextTokens: 5, ContextSource: "first"}}
	if p.context(9, "second"); p.caps.ContextTokens != 5 || p.caps.ContextSource != "first" {
		t.Errorf("a second source replaces the first: %+v", p.caps)
	}
	p.caps = &Capabilities{Model: "m"}
	listed, err := value.ParseString(`{"data":[{"id":"m","meta":{"n_ctx":4096}}]}`)
	if p.readModels(listed); err != nil || p.caps.ContextTokens != 4096 || p.caps.ContextSource != "/v1/models" {
		t.Errorf("llama.cpp's list: %+v, %v", p.caps, err)
	}
}

// TestCheckKeepsWhatIsKnown: what a check changes, and what makes it fail.
func TestCheckKeepsWhatIsKnown(t *testing.T) {
	known := Capabilities{Kind: llm.KindLlamaCPP, Version: "b1", Thinking: Hidden, Model: "m", Slots: 2,
		ContextTokens: 4096, ContextSource: "/props", Overlong: Truncated, Window: 4000, Longest: 9000}
	props := func(window, slots int) string {
		return fmt.Sprintf(`{"default_generation_settings":{"n_ctx":%d},"total_slots":%d,"build_info":"b1"}`, window, slots)
	}
	kinds := map[string]llm.Kind{"one slot": llm.KindUnknown} // which is as good as none
	for name, tt := range map[string]struct {
		props string
		edit  func(c *Capabilities)
	}{
		"the same":            {props(4096, 2), func(*Capabilities) {}},
		"one slot":            {props(4096, 1), func(c *Capabilities) { c.Slots = 1 }},
		"more slots":          {props(4096, 4), func(c *Capabilities) { c.Slots = 4 }},
		"nothing of its size": {`{"default_generation_settings":{},"build_info":"b1"}`, func(*Capabilities) {}},
		"a larger window": {props(8192, 2), func(c *Capabilities) {
			c.ContextTokens, c.Overlong, c.Window, c.Longest = 8192, Unknown, 0, 0
		}},
		"another version": {strings.Replace(props(4096, 2), "b1", "b2", 1), nil},
		"another server":  {`{}`, nil},
	} {
		s := serve(t, llmtest.Always(counted(64))) // it thinks, as before
		s.Side("/props", llmtest.Reply{Body: tt.props})
		before, want := known, known
		before.Endpoint = s.URL
		endpoint := client.Endpoint{BaseURL: s.URL, MaxAttempts: 1}
		got, holds, err := Check(t.Context(), endpoint, &before, client.Config{Kind: kinds[name]}, ProbeConfig{})
		if tt.edit == nil {
			if err != nil || holds || got != nil {
				t.Errorf("%s: %v, %v", name, holds, err)
			}
			continue
		}
		tt.edit(&want)
		want.Endpoint, want.Requests = s.URL, 1
		if diff := cmp.Diff(&want, got); err != nil || !holds || diff != "" {
			t.Errorf("%s: %v, %v\n%s", name, holds, err, diff)
		}
		if sent(s, "max_tokens", "cache_prompt") != "64 true" || s.Calls()[0].Last() != "Say yes." {
			t.Errorf("%s: sent %s", name, s.Calls()[0].Body)
		}
	}
	s := serve(t, llmtest.Always(llmtest.Text("yes")))
	s.Side("/api/version", llmtest.Reply{Body: `{"version":"b1"}`})
	before, endpoint := known, client.Endpoint{BaseURL: s.URL, MaxAttempts: 1}
	_, holds, err := Check(t.Context(), endpoint, &before, client.Config{Kind: llm.KindVLLM}, ProbeConfig{})
	if err != nil || holds || sent(s, "cache_prompt") != "" {
		t.Errorf("another server of the same version: %v, %v, sent %s", holds, err, s.Calls()[0].Body)
	}
	before = Capabilities{Kind: llm.KindOpenAI, Thinking: None, Model: "m"}
	got, holds, err := Check(t.Context(), client.Endpoint{BaseURL: "https://api.openai.com/v1"}, &before,
		client.Config{Transport: elsewhere{s.URL}}, ProbeConfig{})
	if err != nil || !holds || got.Kind != llm.KindOpenAI {
		t.Errorf("OpenAI: %v, %v", holds, err)
	}
}

// timed is a server in virtual time, whose answers take a second, or for ever; side requests take no time.
type timed struct {
	handle llmtest.Handler
	side   map[string]string
	never  func(llmtest.Call) bool

	mu    sync.Mutex
	n     int
	asked []string // side requests
}

func (s *timed) RoundTrip(r *http.Request) (*http.Response, error) {
	reply := func(status int, body string) *http.Response {
		return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: -1,
			Body: io.NopCloser(strings.NewReader(body))}
	}
	var call llmtest.Call
	call.Body, _ = io.ReadAll(r.Body)
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, r.Method+" "+r.URL.Path+" "+string(call.Body))
		if body, ok := s.side[r.URL.Path]; ok {
			return reply(200, body), nil
		}
		return reply(404, ""), nil
	}
	_ = json.Unmarshal(call.Body, &call.Members)
	_ = json.Unmarshal(call.Members["messages"], &call.Messages)
	s.mu.Lock()
	call.N = s.n
	s.n++
	s.mu.Unlock()
	wait := time.After(time.Second)
	if s.never != nil && s.never(call) {
		wait = nil
	}
	select {
	case <-wait:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	answer := s.handle(call)
	return reply(max(answer.Status, 200), answer.Body), nil
}

// TestProbeAsksAtOnce: the requests of a quick probe do not wait for each other, whatever the server is.
func TestProbeAsksAtOnce(t *testing.T) {
	rubric := func(transport llm.Transport, asText, strict bool) (llm.Request, error) {
		const schema = `{"type":"object","properties":{"output":{"type":"integer"}},` +
			`"required":["output"],"additionalProperties":false}`
		return llm.Request{Transport: transport, Messages: user("GRADE %v %v", asText, strict),
			Schema: llm.Schema{Name: "r", JSON: json.RawMessage(schema), Strict: strict}}, nil
	}
	const paths = "/api/v0/models /api/version /get_model_info /props /version"
	llamaCPP := map[string]string{"/props": `{"default_generation_settings":{}}`}
	for name, tt := range map[string]struct {
		base     string
		side     map[string]string
		chosen   llm.Transport
		rubric   bool
		asks     string // paths beside the list of models
		requests int    // those of the first guess, if they are others, were begun too
		took     time.Duration
	}{
		"unknown":                 {"http://h/v1", nil, "", false, paths, 2, time.Second},
		"unknown, with a rubric":  {"http://h/v1", nil, "", true, paths, 3, time.Second},
		"the transport is chosen": {"http://h/v1", nil, llm.Tools, true, paths, 3, time.Second},
		"llama.cpp":               {"http://h/v1", llamaCPP, "", true, "/api/v0/models /api/version /get_model_info /props /slots /version", 6, time.Second},
		"hosted":                  {"https://h.example.com/v1", nil, "", true, paths, 3, 2 * time.Second}, // strict goes to known services ahead
		"OpenAI":                  {"https://api.openai.com/v1", nil, "", true, "", 3, time.Second},
		"OpenAI, by tools":        {"https://api.openai.com/v1", nil, llm.Tools, true, "", 3, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &timed{handle: server{ranges: true}.handle, side: tt.side}
			depth := ProbeConfig{Quick: true, Transport: tt.chosen}
			if tt.rubric {
				depth.Rubric = rubric
			}
			began := time.Now()
			endpoint := client.Endpoint{BaseURL: tt.base, Concurrency: 9}
			got, err := Probe(t.Context(), endpoint, "m", client.Config{Transport: s}, depth)
			if took := time.Since(began); err != nil || took != tt.took || got.Requests != tt.requests {
				t.Errorf("%s: %v after %v, %d requests", name, err, took, got.Requests)
			}
			slices.Sort(s.asked)
			asked := strings.Join(s.asked, "")
			asked = strings.TrimSpace(strings.ReplaceAll(strings.Replace(asked, "GET /v1/models ", "", 1), "GET ", ""))
			if asked != tt.asks {
				t.Errorf("%s: also asked %s", name, asked)
			}
		})
	}
}

// TestProbeEndsAtOnce: a probe that fails waits for nothing that it sent ahead; a reply that was sent for ahead is taken
// once.
func TestProbeEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		isOpen := func(c llmtest.Call) bool { return strings.Contains(c.Last(), "colour") }
		s := &timed{handle: llmtest.Always(llmtest.Fail(401, "no")), never: isOpen}
		began, endpoint := time.Now(), client.Endpoint{BaseURL: "http://h/v1"}
		_, err := Probe(t.Context(), endpoint, "m", client.Config{Transport: s}, ProbeConfig{Quick: true})
		if err == nil || asError(t, err).Kind != llm.KindUnauthorized || time.Since(began) != time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
	p, s := asking(t, Capabilities{}, ProbeConfig{}, llmtest.Text("yes"))
	r := p.withRunSettings(llm.Request{Messages: user("Say yes."), MaxTokens: 1})
	_, body := p.prepare(&r, p.caps.Kind)
	p.ahead.replies = map[string]*reply{body: p.begin(t.Context(), r)}
	for i := range 2 {
		if _, err := p.do(t.Context(), r); err != nil || s.Requests() != i+1 || p.caps.Requests != i+1 {
			t.Errorf("%d requests, %d counted, %v", s.Requests(), p.caps.Requests, err)
		}
	}
	again, err := newProbe(client.Endpoint{BaseURL: s.URL}, &Capabilities{}, client.Config{}, ProbeConfig{})
	if err != nil || len(again.key) != len("key_0123456789ab") || again.key == "key_000000000000" {
		t.Errorf("asks for the key %q, %v", again.key, err)
	}
}

// TestStrictIsAsked: only of a hosted service that takes schemas, whose refusal of the key is an error.
func TestStrictIsAsked(t *testing.T) {
	answer := llmtest.Text(`{"key_x":"v","b":1,"a":true}`)
	for _, tt := range []struct {
		kind      llm.Kind
		transport llm.Transport
		reply     llmtest.Reply
		want      Finding
		requests  int
		failed    bool
	}{
		{llm.KindOpenAI, llm.JSONSchema, answer, Yes, 1, false}, {llm.KindOpenAI, llm.Tools, answer, "", 0, false},
		{llm.KindVLLM, llm.JSONSchema, answer, "", 0, false},
		{llm.KindOpenAI, llm.JSONSchema, llmtest.Text("no"), Ignored, 1, false},
		{llm.KindOpenAI, llm.JSONSchema, llmtest.Fail(401, "no"), Refused, 1, true},
	} {
		p, s := asking(t, Capabilities{Kind: tt.kind, Transport: tt.transport}, ProbeConfig{}, tt.reply)
		err := p.strict(t.Context())
		if (err != nil) != tt.failed || p.caps.Strict != tt.want || s.Requests() != tt.requests {
			t.Errorf("%s by %s: %v, %s after %d requests", tt.kind, tt.transport, err, p.caps.Strict, s.Requests())
		}
	}
}

// TestOllamaIsShownTheModel: the window of a model that is not loaded is asked for by its name.
func TestOllamaIsShownTheModel(t *testing.T) {
	s := &timed{side: map[string]string{"/api/ps": `{"models":[]}`, "/api/show": `{"parameters":"num_ctx 4096"}`}}
	caps := Capabilities{Kind: llm.KindOllama, Model: `"m"`}
	p, err := newProbe(client.Endpoint{BaseURL: "http://h/v1"}, &caps, client.Config{Transport: s}, ProbeConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.c.Close()
	p.ollamaContext(t.Context())
	want := []string{"GET /api/ps ", `POST /api/show {"model":"\"m\""}`}
	if !slices.Equal(s.asked, want) || caps.ContextTokens != 4096 {
		t.Errorf("asked %q, a window of %d", s.asked, caps.ContextTokens)
	}
}

// TestProbeTimeLimits: a probe waits three minutes for an answer at most, and asks three times.
func TestProbeTimeLimits(t *testing.T) {
	for _, tt := range []struct {
		timeout, took time.Duration
	}{{0, 3 * time.Minute}, {time.Minute, time.Minute}, {3 * time.Minute, 3 * time.Minute}, {time.Hour, 3 * time.Minute}} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			endpoint := client.Endpoint{BaseURL: "http://h/v1", Timeout: tt.timeout, MaxAttempts: 1}
			silent := &timed{never: func(llmtest.Call) bool { return true }}
			_, err := Probe(t.Context(), endpoint, "m", client.Config{Transport: silent}, ProbeConfig{Quick: true})
			if took := time.Since(began); err == nil || asError(t, err).Kind != llm.KindTimeout || took != tt.took {
				t.Errorf("with a limit of %v: %v after %v", tt.timeout, err, took)
			}
		})
	}
	for attempts, want := range map[int]int{0: 3, 2: 2, 3: 3, 9: 3} {
		s := serve(t, llmtest.Always(llmtest.Fail(500, "boom")))
		endpoint := client.Endpoint{BaseURL: s.URL, MaxAttempts: attempts}
		_, err := Probe(t.Context(), endpoint, "m", client.Config{FirstBackoff: 1}, ProbeConfig{Quick: true})
		if err == nil || asError(t, err).Attempts != want {
			t.Errorf("with %d attempts: %v", attempts, err)
		}
	}
}
