package run

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// windowServer is a server with a window, which counts a token for 3.4 bytes of ASCII or
// 1.9 others, and some for each message.
type windowServer struct {
	window int
	// atOverflow says what comes of a prompt that is too long: the words of a refusal that
	// names the window by %d, "" for a prompt that is cut without a word to keep tokens.
	atOverflow string
	keep       int
	// kind is the software as that it shows itself.
	kind string
	// withAnswer refuses where prompt and answer together are too long.
	withAnswer bool
	// uncounted has it tell the same number of tokens for every prompt.
	uncounted bool

	mu                 sync.Mutex
	cut, refused       int // prompts of the run
	measured, judgedOn int // prompts that judge nothing; the most tokens of one that was judged
}

func (w *windowServer) tokens(c llmtest.Call) int {
	ascii, foreign := 0, 0
	for _, m := range c.Messages {
		for _, b := range []byte(m.Content) {
			if b < 0x80 {
				ascii++
			} else {
				foreign++
			}
		}
	}
	return int(float64(ascii)/3.4+float64(foreign)/1.9) + 6*len(c.Messages)
}

func (w *windowServer) start(t *testing.T) *llmtest.Server {
	var s *llmtest.Server
	s = llmtest.Start(func(c llmtest.Call) llmtest.Reply {
		if w.kind == "ollama" { // it tells the window of a model that is loaded
			s.Side("/api/ps", llmtest.Reply{Body: fmt.Sprintf(`{"models":[{"name":"fake-model","context_length":%d}]}`, w.window)})
		}
		return w.reply(c)
	})
	s.DropCalls()
	switch w.kind {
	case "ollama":
		s.Side("/api/version", llmtest.Reply{Body: `{"version":"0.17.4"}`})
		s.Side("/api/ps", llmtest.Reply{Body: `{"models":[]}`})
		s.Side("/api/show", llmtest.Reply{Body: `{"parameters":"","model_info":{"qwen3.context_length":40960}}`})
	case "vllm":
		s.Side("/version", llmtest.Reply{Body: `{"version":"0.12.0"}`})
		s.Side("/v1/models", llmtest.Reply{Body: fmt.Sprintf(`{"data":[{"id":"fake-model","max_model_len":%d}]}`, w.window)})
	}
	t.Cleanup(s.Close)
	return s
}

func (w *windowServer) reply(c llmtest.Call) llmtest.Reply {
	w.mu.Lock()
	defer w.mu.Unlock()
	judged := c.SchemaName() != "" && strings.Contains(c.Last(), " call>>>") && !strings.Contains(c.Last(), "P-204")
	tokens, limit := w.tokens(c), w.window
	if w.withAnswer {
		var answer int
		_, _ = fmt.Sscan(string(c.Members["max_tokens"]), &answer)
		limit -= answer
	}
	if !judged && c.SchemaName() == "" {
		w.measured++
	}
	over := tokens > limit
	switch {
	case over && w.atOverflow != "":
		if judged {
			w.refused++
		}
		return llmtest.Fail(400, fmt.Sprintf(w.atOverflow, w.window))
	case over:
		if tokens = w.keep; judged {
			w.cut++
		}
	case judged:
		w.judgedOn = max(w.judgedOn, tokens)
	}
	if w.uncounted {
		tokens = 1
	}
	m := llmtest.ChatMessage{Content: "Yes.", PromptTokens: tokens, OutputTokens: 40}
	if c.SchemaName() != "" {
		m.Content = hostedAnswer(c)
	}
	return llmtest.Chat(m)
}

// hindiLog has n conversations of two calls in Hindi, each longer than the one before.
func hindiLog(n int) input.Log {
	const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"%s","type":"function","function":{"name":%q,"arguments":"{\"id\":%d}"}}]}`
	const tool = `{"name":%q,"description":%q,"parameters":{"type":"object","properties":{"id":{"type":"integer"}}}}`
	var b strings.Builder
	for i := range n {
		order := 100 + i
		history := strings.Repeat(fmt.Sprintf("ऑर्डर %d गोदाम से निकल चुका है और रास्ते में है। ", order), 8+2*i)
		fmt.Fprintf(&b, `{"id":"c%d","tools":[`+tool+`,`+tool+`],"messages":[{"role":"user","content":"नमस्ते, मेरा ऑर्डर %d अब तक नहीं आया है।"},`+call+
			`,{"role":"tool","tool_call_id":"t1","content":%q},{"role":"user","content":"कृपया उसे रद्द कर दीजिए।"},`+call+"]}\n",
			i, "look_up", "ऑर्डर की स्थिति बताता है", "cancel", "ऑर्डर रद्द करता है", order, "t1", "look_up", order, history, "t2", "cancel", order)
	}
	text := b.String()
	return input.Log{Name: "hindi.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// What becomes of a log at servers with a window of 4,096, by how they are found out, and
// at honest ones with a large window. No judged prompt is cut.
// Answers may have 1,300 tokens: with the usual 1,024 all of the support log would fit.
func TestServersWithWindows(t *testing.T) {
	const named = "This model's maximum context length is %d tokens. However, your prompt has more."
	support := fileLog(supportLog)
	type counts struct{ Scored, Flagged, Void, Sent, Measured, Refused, Cut int }
	for _, tc := range []struct {
		name   string
		server *windowServer
		log    input.Log
		want   counts
	}{
		{"announced", &windowServer{kind: "vllm", window: 4096, withAnswer: true, atOverflow: named}, support, counts{256, 231, 0, 256, 0, 0, 0}},
		{"announced, in Hindi", &windowServer{kind: "vllm", window: 4096, withAnswer: true, atOverflow: named}, hindiLog(32), counts{256, 116, 0, 260, 0, 4, 0}},
		{"refuses and names it", &windowServer{window: 4096, atOverflow: named}, support, counts{256, 231, 0, 256, 3, 0, 0}},
		{"refuses with the answer and names it", &windowServer{window: 4096, withAnswer: true, atOverflow: named}, support, counts{256, 231, 0, 256, 3, 0, 0}},
		{"refuses, names it and counts all alike", &windowServer{window: 4096, withAnswer: true, atOverflow: named, uncounted: true}, support, counts{256, 187, 0, 443, 2, 187, 0}},
		{"refuses without a number", &windowServer{window: 2800, atOverflow: "the input length exceeds the context length (%[1]x)"}, support, counts{256, 173, 0, 429, 3, 173, 0}},
		{"cuts, told once loaded", &windowServer{kind: "ollama", window: 4096, keep: 4096}, support, counts{256, 231, 0, 256, 0, 0, 0}},
		{"cuts and tells nothing", &windowServer{window: 4096, keep: 4096}, support, counts{256, 231, 0, 256, 4, 0, 0}},
		{"cuts to half and tells nothing", &windowServer{window: 4096, keep: 2050}, support, counts{256, 256, 0, 256, 4, 0, 0}},
		{"large, English", &windowServer{window: 131_072, keep: 131_072}, support, counts{256, 0, 0, 256, 3, 0, 0}},
		{"large and told, English", &windowServer{kind: "vllm", window: 131_072, atOverflow: named}, support, counts{256, 0, 0, 256, 0, 0, 0}},
		{"large, the shop", &windowServer{window: 131_072, keep: 131_072}, fileLog("../../fixtures/shop/shop.jsonl"), counts{372, 0, 0, 372, 3, 0, 0}},
		{"large, Hindi", &windowServer{window: 131_072, keep: 131_072}, hindiLog(32), counts{256, 0, 0, 256, 3, 0, 0}},
		{"large and told, Hindi", &windowServer{kind: "vllm", window: 131_072, atOverflow: named}, hindiLog(32), counts{256, 0, 0, 256, 0, 0, 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := tc.server
			s := w.start(t)
			list, err := rubrics.Builtin()
			if err != nil {
				t.Fatal(err)
			}
			endpoint := client.Endpoint{BaseURL: s.URL, Concurrency: 16, MaxAttempts: 1}
			judge := instrument.Judge{Config: judges.Config{Model: "fake-model", MaxTokens: 1300}, Endpoint: endpoint}
			p := setup{Task: Task{Inputs: Inputs{Logs: []input.Log{tc.log}},
				Team: instrument.Team{Rubrics: list, Judges: []instrument.Judge{judge}}}}
			dir := t.TempDir()
			if err := discover(t.Context(), &p, dir, false, nil, nil); err != nil {
				t.Fatal(err)
			}
			probed := s.Requests()
			w.measured = 0
			out, err := executeSetup(t.Context(), p, dir, false, Observer{})
			if err != nil {
				t.Fatal(err)
			}
			got := counts{Scored: out.Scored, Sent: s.Requests() - probed - w.measured, Measured: w.measured, Refused: w.refused, Cut: w.cut}
			shortened := []string{judges.FlagToolsShortened, judges.FlagResultsCut, judges.FlagExamplesLeftOut, judges.FlagContextTruncated}
			for _, sc := range judgements(t, dir) {
				for _, f := range sc.Flags {
					if slices.Contains(shortened, f.Code) {
						got.Flagged++
						break
					}
				}
				if sc.Value == nil {
					got.Void++
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
			if w.judgedOn > w.window {
				t.Errorf("a prompt of %d tokens was judged", w.judgedOn)
			}
			if w.refused == 0 {
				return
			}
			// What was refused and then answered is answered the same when it is taken up again.
			before := read(t, dir, directory.ScoresFile)
			if _, err := executeSetup(t.Context(), p, dir, true, Observer{}); err != nil || !bytes.Equal(before, read(t, dir, directory.ScoresFile)) {
				t.Errorf("a resumed run comes to other bytes, or ends with %v", err)
			}
		})
	}
}
