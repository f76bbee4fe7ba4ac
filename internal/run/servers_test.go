package run

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/rubrics"
)

// What becomes of the 256 judgements of the support log at servers with habits: how many
// are scored, flagged for the habit, void and not asked, and how many requests that took.
func TestServersWithHabits(t *testing.T) {
	good := func(output string) string {
		return `{"explanation":"The call fits.","evidence":"NONE: nothing","output":` + output + `,"confidence":0.9,"correction":{}}`
	}
	type request struct {
		MaxTokens int `json:"max_tokens"`
		rubric    string
	}
	type reply struct{ content, reasoning, finish string }
	with := func(old, text string) func(request) reply {
		return func(r request) reply {
			return reply{content: strings.Replace(good(fixedAnswers[r.rubric]), old, text, 1)}
		}
	}
	for _, tc := range []struct {
		name, flag string
		answer     func(request) reply
		// want are the numbers of scored, flagged, void, stopped and sent.
		want [5]int
		says string // in every report
	}{
		{"correction as prose", "correction_unreadable", with("{}", `"call it with the other id"`), [5]int{256, 256, 0, 0, 256}, ""},
		{"evidence a list", "evidence_invalid", with(`"NONE: nothing"`, `["a","b"]`), [5]int{256, 256, 0, 0, 256}, ""},
		{"confidence out of range", "confidence_invalid", with(`"confidence":0.9`, `"confidence":95`), [5]int{256, 256, 0, 0, 256}, ""},
		{"no explanation", "explanation_missing", with(`"explanation":"The call fits.",`, ""), [5]int{256, 256, 0, 0, 256}, ""},
		{"hidden reasoning", "", func(r request) reply {
			if r.MaxTokens < 2048 {
				return reply{reasoning: "It may be that", finish: "length"}
			}
			return reply{content: good(fixedAnswers[r.rubric]), reasoning: "It may be that {it} is right."}
		}, [5]int{256, 0, 0, 0, 512}, ""},
		{"everything invalid", "", func(request) reply { return reply{content: good("9")} }, [5]int{0, 0, 80, 176, 240},
			"was stopped on overall_call_correctness: its first 20 judgements all failed, each as schema_violation"},
		{"refusals", "", func(request) reply { return reply{content: "I'm sorry, but I can't help with that."} }, [5]int{0, 0, 80, 176, 80},
			"the model declined to answer: I'm sorry, but I can't help with that"},
		{"one rubric without an answer", "", func(r request) reply {
			if r.rubric == rubrics.Prerequisite {
				return reply{content: "Hm."}
			}
			return reply{content: good(fixedAnswers[r.rubric])}
		}, [5]int{192, 0, 20, 44, 252}, "20 invalid_json, 44 stopped"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var sent atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent.Add(1)
				body, _ := io.ReadAll(r.Body)
				var req request
				if err := json.Unmarshal(body, &req); err != nil {
					t.Error(err)
				}
				for name := range fixedAnswers {
					if strings.Contains(string(body), `"name":"`+name+`"`) {
						req.rubric = name
					}
				}
				answer := tc.answer(req)
				if answer.finish == "" {
					answer.finish = "stop"
				}
				content, _ := json.Marshal(answer.content)
				fmt.Fprintf(w, `{"choices":[{"finish_reason":%q,"message":{"content":%s,"reasoning":%q}}],"usage":{"prompt_tokens":5000,"completion_tokens":20}}`,
					answer.finish, content, answer.reasoning)
			}))
			t.Cleanup(server.Close)
			p := plan(t, server.URL+"/v1", fileLog(supportLog))
			p.Judges[0].Endpoint.Concurrency = 16
			dir := filepath.Join(t.TempDir(), "run")
			out, err := execute(t, p, dir, false)
			if err != nil {
				t.Fatal(err)
			}
			var got [5]int
			for line := range strings.Lines(string(read(t, dir, directory.ScoresFile))) {
				s, err := score.Parse([]byte(line))
				if err != nil || s.Source != score.Judge {
					continue
				}
				switch {
				case s.Status == score.Scored:
					got[0]++
				case s.Error.Kind == "stopped":
					got[3]++
				default:
					got[2]++
				}
				for _, f := range s.Flags {
					if f.Code == tc.flag {
						got[1]++
					}
				}
			}
			got[4] = int(sent.Load())
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("scored, flagged, void, stopped, sent: %s", d)
			}
			if complete := tc.want[0] == 256; complete != (out.Manifest.Status == directory.Complete) {
				t.Errorf("the run is %s", out.Manifest.Status)
			}
			for _, f := range []render.Format{render.TextFormat, render.MarkdownFormat, render.HTMLFormat} {
				var page strings.Builder
				wide := render.Config{Width: 100000, Details: true}
				if err := render.Report(&page, out.Report, f, wide); err != nil {
					t.Fatal(err)
				}
				plain := strings.NewReplacer("&#39;", "'", "<wbr>", "", "\\", "").Replace(page.String())
				if !strings.Contains(plain, tc.says) {
					t.Errorf("%s does not say %q", f, tc.says)
				}
			}
		})
	}
}
