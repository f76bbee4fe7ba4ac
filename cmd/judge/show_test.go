package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
)

// The prompt of a judgement is shown as it was sent, with what was left out of it, whether
// the window was told or learned from a refusal; that of a call in a log has no limit.
func TestShowsThePromptAsSent(t *testing.T) {
	for _, told := range []bool{true, false} {
		t.Run(fmt.Sprintf("told %v", told), func(t *testing.T) {
			var mu sync.Mutex
			answered := map[string]bool{}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				var req struct{ Messages []llm.Message }
				_ = json.Unmarshal(body, &req)
				answer, probed := probeAnswer(string(body))
				switch {
				case r.URL.Path == "/v1/models" && told:
					fmt.Fprint(w, `{"data":[{"id":"m","max_model_len":3600}]}`)
				case r.URL.Path == "/v1/models":
					fmt.Fprint(w, `{"data":[{"id":"m"}]}`)
				case r.URL.Path != "/v1/chat/completions":
					http.NotFound(w, r)
				case len(body) > 9500 && !told:
					w.WriteHeader(http.StatusBadRequest)
					fmt.Fprint(w, `{"error":{"message":"This model's maximum context length is 3600 tokens."}}`)
				default:
					if !probed {
						answer = `{"explanation":"e","evidence":"NONE: nothing","output":5,"confidence":0.9,"correction":{}}`
					}
					mu.Lock()
					defer mu.Unlock()
					answered[req.Messages[len(req.Messages)-1].Content] = true
					fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%q}}]}`, answer)
				}
			}))
			t.Cleanup(server.Close)
			dir := filepath.Join(t.TempDir(), "run")
			const log, rubric = "../../fixtures/logs/support.jsonl", "function_intent_alignment"
			run := func(args ...string) string {
				var out, errs bytes.Buffer
				if code := command(t.Context(), args, &app{in: strings.NewReader(""), out: &out, err: &errs, getenv: os.Getenv}); code != 0 {
					t.Fatalf("judge %v: exit %d: %s", args, code, errs.String())
				}
				return out.String()
			}
			run("run", log, "--base-url", server.URL+"/v1", "--model", "m", "--rubric", rubric, "--limit", "5", "--out", dir)
			judged, shortened := 0, 0
			for s, err := range directory.Scores(dir) {
				if err != nil {
					t.Fatal(err)
				}
				if s.Source != score.Judge {
					continue
				}
				at := fmt.Sprintf("%s:%d", s.ConversationID, *s.CallIndex)
				_, prompt, _ := strings.Cut(run("show", dir, at+":"+rubric), "\nprompt as sent:\n")
				sent := prompt[strings.LastIndex(prompt, "--- user\n")+len("--- user\n"):]
				sent, _, _ = strings.Cut(sent, "\nexchange 1:")
				if sent = strings.TrimSpace(sent); !answered[sent] {
					t.Errorf("%s: this was not sent:\n%s", at, sent)
				}
				judged++
				if whole := run("rubrics", "prompt", log, "--call", at, "--rubric", rubric); len(whole) > len(prompt) {
					shortened++
				}
			}
			if judged < 10 || shortened == 0 {
				t.Errorf("%d judged, %d shortened", judged, shortened)
			}
		})
	}
}
