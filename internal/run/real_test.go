package run

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// The tests of this file speak to a real server, named by the environment, and are
// skipped without one; docs/testing-servers.md says how to run them. They look at the
// protocol and never at verdicts: the model may be one of random weights.

// shortRubric keeps prompts short: a server without a graphics card reads some
// hundred tokens a second. Its numbers are whole, because the servers enforce bounds
// of integers only, and a model of random weights keeps no others.
const shortRubric = `{"name":"right_tool","jsonschema":{"title":"Right tool","description":"Is this the right tool?","type":"object","properties":{` +
	`"explanation":{"type":"string"},"evidence":{"type":"string"},` +
	`"output":{"type":"integer","minimum":1,"maximum":5,"threshold_low":3,"threshold_high":5,"description":"1 wrong, 5 right"},` +
	`"confidence":{"type":"integer","minimum":0,"maximum":1,"threshold_low":0,"threshold_high":1},` +
	`"correction":{"type":"object","additionalProperties":true}},"required":["explanation","evidence","output","confidence","correction"]},"examples":[]}`

// shortLog has n conversations of one call; the user says a little more where asked.
func shortLog(n int, more string) input.Log {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"id":"c%d","messages":[{"role":"user","content":"Cancel order %d.%s"},{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"cancel","arguments":"{\"id\":%d}"}}]}]}`+"\n", i, i, more, i)
	}
	text := b.String()
	return input.Log{Name: "short.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// shortPlan judges a short log by the short rubric.
func shortPlan(t testing.TB, base, model string, log input.Log) setup {
	t.Helper()
	list, err := rubrics.Load(strings.NewReader(shortRubric), "right_tool.json")
	if err != nil {
		t.Fatal(err)
	}
	// A model of random weights repeats itself at temperature 0.
	none, warm := 0.0, 1.0
	return setup{Task: Task{
		Inputs: Inputs{Logs: []input.Log{log}}, Reporting: Reporting{CoverageFloor: &none},
		Team: instrument.Team{Rubrics: list, Judges: []instrument.Judge{{
			Config:   judges.Config{Model: model, MaxTokens: 256, MaxRepairs: 1, Temperature: &warm},
			Endpoint: client.Endpoint{BaseURL: base, Concurrency: 2, Timeout: 2 * time.Minute, MaxAttempts: 3},
		}}},
	}}
}

// judgeShort prepares and runs a plan.
func judgeShort(t *testing.T, p setup, dir string, resume bool, obs Observer) *Outcome {
	t.Helper()
	if err := discover(t.Context(), &p, dir, resume, nil, func(line string) { t.Log(line) }); err != nil {
		t.Fatal(err)
	}
	out, err := executeSetup(t.Context(), p, dir, resume, obs)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// judgements returns the judge scores of a run directory.
func judgements(t *testing.T, dir string) []score.Score {
	t.Helper()
	var out []score.Score
	for s, err := range directory.Scores(dir) {
		if err != nil {
			t.Fatal(err)
		}
		if s.Source == score.Judge {
			out = append(out, s)
		}
	}
	return out
}

// sound checks that each judgement is scored or says why it is not, by one of the
// kinds that the model itself can bring about.
func sound(t *testing.T, scores []score.Score, want int) {
	t.Helper()
	if len(scores) != want {
		t.Errorf("%d judgements, want %d", len(scores), want)
	}
	for _, s := range scores {
		switch {
		case s.Status == score.Scored && s.Value != nil && *s.Value >= 1 && *s.Value <= 5:
		case s.Status == score.Unscored && s.Value == nil && s.Error != nil:
			switch s.Error.Kind {
			case judges.KindInvalidJSON, judges.KindSchemaViolation, judges.KindTruncated, judges.KindWhitespaceLoop, judges.KindRefused:
				t.Logf("%s: %s: %.120s", s.ConversationID, s.Error.Kind, s.Error.Message)
			default:
				t.Errorf("%s: %s: %s", s.ConversationID, s.Error.Kind, s.Error.Message)
			}
		default:
			t.Errorf("%s: status %s, value %v, error %v", s.ConversationID, s.Status, s.Value, s.Error)
		}
	}
}

// server returns the base URL and model that the environment names.
func server(t *testing.T, prefix string) (base, model string) {
	t.Helper()
	base, model = os.Getenv(prefix+"_URL"), os.Getenv(prefix+"_MODEL")
	if base == "" {
		t.Skipf("%s_URL is not set: it names a server to test against, see docs/testing-servers.md", prefix)
	}
	if model == "" {
		model = "tiny-fast"
	}
	return base, model
}

func smallModel(t *testing.T) string {
	t.Helper()
	small := os.Getenv("JUDGE_TEST_OLLAMA_SMALL_MODEL")
	if small == "" {
		t.Skip("JUDGE_TEST_OLLAMA_SMALL_MODEL is not set: it names a model with num_ctx 2048")
	}
	return small
}

// unscoredBy checks that no judgement of a run has a score, each for this reason.
func unscoredBy(t *testing.T, dir, kind string) {
	t.Helper()
	for _, s := range judgements(t, dir) {
		if s.Status != score.Unscored || s.Value != nil || s.Error.Kind != kind {
			t.Errorf("%s: %s %v %v", s.ConversationID, s.Status, s.Value, s.Error)
		}
	}
}

func TestRealOllama(t *testing.T) {
	base, model := server(t, "JUDGE_TEST_OLLAMA")
	t.Run("structured output and replay", func(t *testing.T) { structuredAndReplayed(t, base, model, llm.KindOllama) })
	long := shortLog(2, strings.Repeat(" And once more, please, cancel it.", 200))
	t.Run("what cannot fit a known context is not sent", func(t *testing.T) {
		small := smallModel(t)
		dir := t.TempDir()
		out := judgeShort(t, shortPlan(t, base, small, long), dir, false, Observer{})
		unscoredBy(t, dir, judges.KindContext)
		if n := out.Manifest.Counts.Requests; n != 0 {
			t.Errorf("%d requests were sent", n)
		}
	})
	t.Run("a prompt cut without an error is void", func(t *testing.T) {
		p := shortPlan(t, base, smallModel(t), long)
		p.Judges[0].ContextTokens = 32768 // the user is wrong about it
		dir := t.TempDir()
		judgeShort(t, p, dir, false, Observer{})
		unscoredBy(t, dir, judges.KindContextCut)
	})
	t.Run("a crowd waits in line", func(t *testing.T) {
		c, err := client.New(client.Endpoint{BaseURL: base, Concurrency: 32, MaxAttempts: 1}, client.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		var all sync.WaitGroup
		for i := range int64(32) {
			all.Go(func() {
				_, err := c.Do(t.Context(), llm.Request{Model: model, MaxTokens: 8, Seed: &i, Messages: []llm.Message{{Role: "user", Content: fmt.Sprint("Say ", i)}}})
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
	})
}

func TestRealLlamaCPP(t *testing.T) {
	base, model := server(t, "JUDGE_TEST_LLAMACPP")
	t.Run("structured output and replay", func(t *testing.T) { structuredAndReplayed(t, base, model, llm.KindLlamaCPP) })
	t.Run("a prompt that does not fit is refused", func(t *testing.T) {
		dir := t.TempDir()
		judgeShort(t, shortPlan(t, base, model, shortLog(1, strings.Repeat(" And once more, please, cancel it.", 20000))), dir, false, Observer{})
		for _, s := range judgements(t, dir) {
			if s.Status != score.Unscored || s.Error.Kind != judges.KindContext {
				t.Errorf("%s: %s %v", s.ConversationID, s.Status, s.Error)
			}
		}
	})
}

// structuredAndReplayed judges a short log, and again from what is stored.
func structuredAndReplayed(t *testing.T, base, model string, kind llm.Kind) {
	dir := t.TempDir()
	p := shortPlan(t, base, model, shortLog(3, ""))
	out := judgeShort(t, p, dir, false, Observer{})
	if len(out.Manifest.Profiles) != 1 || out.Manifest.Profiles[0].Kind != kind || out.Manifest.Profiles[0].Transport != llm.JSONSchema {
		t.Errorf("profile %+v", out.Manifest.Profiles)
	}
	sound(t, judgements(t, dir), 3)
	for entry, err := range journal.Containing(filepath.Join(dir, directory.ExchangesFile), nil) {
		if err != nil {
			t.Fatal(err)
		}
		held(t, entry)
	}
	before, err := os.ReadFile(filepath.Join(dir, directory.ScoresFile))
	if err != nil {
		t.Fatal(err)
	}
	again := judgeShort(t, p, dir, true, Observer{})
	after, err := os.ReadFile(filepath.Join(dir, directory.ScoresFile))
	if err != nil || !bytes.Equal(before, after) || again.Manifest.Work.Sent != 0 {
		t.Errorf("the second pass sent %d requests; same scores: %v; %v", again.Manifest.Work.Sent, bytes.Equal(before, after), err)
	}
}

// held checks that a whole answer keeps the schema's keys in their order.
func held(t *testing.T, entry *journal.Entry) {
	t.Helper()
	res, err := llm.ParseReply(entry.Raw)
	if err != nil {
		t.Errorf("%s: %v", entry.Key, err)
		return
	}
	if res.FinishReason != "stop" {
		t.Logf("%s: ended by %q", entry.Key, res.FinishReason)
		return
	}
	dec := json.NewDecoder(strings.NewReader(res.Content))
	if _, err := dec.Token(); err != nil {
		t.Errorf("%s: %q is no object", entry.Key, res.Content)
		return
	}
	for _, want := range []string{"explanation", "evidence", "output", "confidence", "correction"} {
		key, err := dec.Token()
		var value json.RawMessage
		if err != nil || key != want || dec.Decode(&value) != nil {
			t.Errorf("%s: key %v, want %s: %q", entry.Key, key, want, res.Content)
			return
		}
	}
}
