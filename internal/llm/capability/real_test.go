package capability

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/client"
)

// TestRealServer looks at what the fakes of the other tests take for granted, on a
// real server that the environment names; docs/testing-servers.md says how. Texts are
// never compared: the model may be one of random weights.
func TestRealServer(t *testing.T) {
	base, model, kind := os.Getenv("JUDGE_TEST_OLLAMA_URL"), os.Getenv("JUDGE_TEST_OLLAMA_MODEL"), llm.KindOllama
	if base == "" {
		base, model, kind = os.Getenv("JUDGE_TEST_LLAMACPP_URL"), os.Getenv("JUDGE_TEST_LLAMACPP_MODEL"),
			llm.KindLlamaCPP
	}
	if base == "" {
		t.Skip("neither JUDGE_TEST_OLLAMA_URL nor JUDGE_TEST_LLAMACPP_URL is set: they name a server to test " +
			"against, see docs/testing-servers.md")
	}
	if model == "" {
		model = "tiny-fast"
	}
	endpoint := client.Endpoint{BaseURL: base, Timeout: time.Minute, MaxAttempts: 3}
	c := connect(t, endpoint, client.Config{Kind: kind})
	ask := func(edit func(*llm.Request)) (*llm.Response, error) {
		r := llm.Request{Model: model, Messages: user("Say something."), MaxTokens: 48, Temperature: new(1.0),
			Seed: new(int64(5))}
		edit(&r)
		return c.Do(t.Context(), r)
	}

	t.Run("probe", func(t *testing.T) {
		got, err := Probe(t.Context(), endpoint, model, client.Config{}, ProbeConfig{})
		if err != nil {
			t.Fatal(err)
		}
		if got.Kind != kind || got.Transport != llm.JSONSchema || got.KeyOrder != Yes ||
			got.IntegerRange != Yes || got.Seed != Yes ||
			got.Logprobs != Yes || got.OpenObject != Yes || got.ContextTokens == 0 {
			t.Errorf("%+v", got)
		}
	})
	t.Run("a schema that is none is refused once", func(t *testing.T) {
		_, err := ask(func(r *llm.Request) {
			r.Transport, r.Schema = llm.JSONSchema, llm.Schema{Name: "x", JSON: json.RawMessage(`{"type":"nonsense"}`)}
		})
		if e := asError(t, err); e.Kind != llm.KindBadRequest || e.Attempts != 1 || e.Fatal {
			t.Errorf("%v", err)
		}
	})
	t.Run("the seed decides, whatever else is asked at the same time", func(t *testing.T) {
		texts := make(chan string, 4)
		for range cap(texts) {
			go func() {
				res, err := ask(func(*llm.Request) {})
				if err != nil {
					t.Error(err)
					texts <- ""
					return
				}
				texts <- res.Content
			}()
		}
		first := <-texts
		for range cap(texts) - 1 {
			if next := <-texts; next != first {
				t.Errorf("%q and %q", first, next)
			}
		}
	})
	t.Run("log-probabilities come for every token", func(t *testing.T) {
		res, err := ask(func(r *llm.Request) { r.Logprobs, r.TopLogprobs = true, 3 })
		if err != nil || len(res.Logprobs) == 0 {
			t.Fatalf("%v, %v", res, err)
		}
		for _, token := range res.Logprobs {
			if token.Logprob > 0 || len(token.Top) != 3 {
				t.Errorf("%+v", token)
			}
		}
	})
	t.Run("a limit ends by length", func(t *testing.T) {
		res, err := ask(func(r *llm.Request) { r.MaxTokens = 2 })
		if err != nil || res.FinishReason != "length" || res.Usage.Completion == nil || *res.Usage.Completion > 3 {
			t.Errorf("%+v, %v", res, err)
		}
	})
	if kind != llm.KindOllama {
		return // llama.cpp answers to any name, and has no guard
	}
	t.Run("an unknown model is told, with what to do", func(t *testing.T) {
		_, err := ask(func(r *llm.Request) { r.Model = "no-such-model" })
		if e := asError(t, err); e.Kind != llm.KindNotFound || !e.Fatal || e.Attempts != 1 || e.Hint == "" {
			t.Errorf("%v", err)
		}
	})
	t.Run("a long bound does not end the server", func(t *testing.T) {
		// Whatever is sent, the answer may be cut short; the server must stand.
		schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","maxLength":9000}},"required":["a"]}`)
		if _, err := ask(func(r *llm.Request) {
			r.Transport, r.Schema = llm.JSONSchema,
				llm.Schema{Name: "x", JSON: schema}
		}); err != nil {
			t.Error(err)
		}
	})
	t.Run("repetition is not taken for an answer", func(t *testing.T) {
		// 40 equal digits are forced by the schema; the guard ends at 30.
		res, err := ask(func(r *llm.Request) {
			r.Transport, r.MaxTokens = llm.JSONSchema, 200
			r.Schema = llm.Schema{Name: "x", JSON: json.RawMessage(`{"type":"object","properties":{"a":{"type":"string","pattern":"^9{40}$"}},"required":["a"]}`)}
		})
		if err != nil || res.FinishReason != llm.FinishRepetition {
			t.Errorf("%+v, %v", res, err)
		}
	})
}
