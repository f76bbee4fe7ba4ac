package run

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/llmtest"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/rubrics"
)

const questions = `
- {name: asked, question: Asked first?, answer: yes/no, pass: yes, not_applicable: yes, when: "tool in [cancel_order, refund_payment]"}
- {name: tone, question: Which tone?, answer: [kind, flat, rude], extra: {word: the word that shows it}, language: de}
- {name: risk, question: How risky?, answer: 0..1, pass: "<= 0.5", not_applicable: yes, confidence: no}
- {name: effort, question: How hard?, answer: 1-5}
- {name: never, question: Never?, answer: yes/no, when: tool = nothing}
`

// answersTo answers each question of the prompt: in turn by the length of the record, so that an
// answer does not depend on the order of requests.
func answersTo(c llmtest.Call) llmtest.Reply {
	for _, q := range []struct{ question, fields string }{
		{"Asked first?", `"output":%s,"confidence":0.9,"correction":{}`},
		{"Which tone?", `"word":"please","output":%s,"confidence":0.9,"correction":{}`},
		{"How risky?", `"output":%s,"correction":{}`}, {"How hard?", `"output":%s,"confidence":0.9,"correction":{}`},
	} {
		outputs := map[string][]string{"Asked first?": {`"yes"`, `"no"`, `"not_applicable"`}, "Which tone?": {`"kind"`, `"flat"`, `"Rude"`},
			"How risky?": {"0.25", "1", `"n/a"`}, "How hard?": {"1", "3", "5"}}[q.question]
		if strings.Contains(c.Messages[0].Content, q.question) {
			output := outputs[strings.Count(c.Last(), "\n")%3]
			return llmtest.Text(`{"explanation":"Grund","evidence":"NONE: nothing",` + fmt.Sprintf(q.fields, output) + "}")
		}
	}
	return llmtest.Fail(http.StatusTeapot, "what was asked?")
}

// TestQuestions: a run by questions of every kind gives the same scores on an endpoint that takes
// schemas and on one with a window of 4,096 tokens that takes nothing but prompts.
func TestQuestions(t *testing.T) {
	list, err := rubrics.Load(strings.NewReader(questions), "questions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var files [][]string
	for _, bare := range []bool{false, true} {
		server := llmtest.Start(func(c llmtest.Call) llmtest.Reply {
			if bare && (c.Members["response_format"] != nil || c.Members["tools"] != nil) {
				return llmtest.Fail(http.StatusBadRequest, "response_format and tools are not supported")
			}
			return answersTo(c)
		})
		p := plan(t, server.URL, fileLog(supportLog))
		p.Rubrics = list
		if bare {
			p.Judges[0].ContextTokens = 4096
		}
		var notes []string
		dir := filepath.Join(t.TempDir(), "run")
		out, err := executeSetup(t.Context(), p, dir, false, Observer{Note: func(line string) { notes = append(notes, line) }})
		server.Close()
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(notes, "\n")
		for _, want := range []string{"rubric never: its condition (when: tool = nothing) holds for no call of this run",
			"rubric tone: explanations are in de, so the check that reads English"} {
			if strings.Count(all, want) != 1 {
				t.Errorf("no note %q in\n%s", want, all)
			}
		}
		if j := out.Judgements; j.Wanted != 3*64+14 || j.Scored != j.Wanted {
			t.Errorf("%d of %d judgements are answered", j.Scored, j.Wanted)
		}
		if bytes.Contains(encode(t, out.Report), []byte("NaN")) {
			t.Error("the report has NaN")
		}
		for name, refused := range map[string]bool{"tone": true, "asked": true, "effort": false} {
			err := report.CheckThresholds([]report.Threshold{{Name: name, Low: 1}}, &out.Manifest.Manifest)
			if (err != nil) != refused {
				t.Errorf("a threshold of %s: %v", name, err)
			}
		}
		var lines []string
		for _, s := range judgements(t, dir) {
			if (s.Status == score.NotApplicable) != (s.Value == nil) || s.Name == "tone" && (s.Passed != nil || s.Category == "" ||
				s.Details.Field("answer").JSON() != `{"word":"please"}`) || s.Name == "asked" && s.Passed != nil && *s.Passed != (s.Category == "yes") {
				t.Errorf("%+v", s)
			}
			lines = append(lines, fmt.Sprint(s.ConversationID, *s.CallIndex, s.Name, s.Status, s.Category, s.Label))
			if want := map[bool]llm.Transport{false: llm.JSONSchema, true: llm.PromptOnly}[bare]; s.Details.Field("transport").Text() != string(want) {
				t.Errorf("%s by %s", s.Name, s.Details.Field("transport").Text())
			}
		}
		files = append(files, lines)
	}
	if d := cmp.Diff(files[0], files[1]); d != "" {
		t.Error(d)
	}
	for _, want := range []string{"askednot_applicable", "tonescoredrude", "risknot_applicable", "riskscoredfail"} {
		has := func(l string) bool { return strings.Contains(strings.ReplaceAll(l, " ", ""), want) }
		if !slices.ContainsFunc(files[0], has) {
			t.Errorf("no score %s", want)
		}
	}
	p := thresholdPlan(t, "http://127.0.0.1:1/v1", "tone=2")
	p.Rubrics = list
	if _, err := p.resolve(); err == nil || !strings.Contains(err.Error(), "the answers of rubric tone are categories") {
		t.Error(err)
	}
}

// TestEmptyShard: a shard without conversations runs by a rubric with a condition as by any other.
func TestEmptyShard(t *testing.T) {
	list, err := rubrics.Load(strings.NewReader(questions), "questions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	server := llmtest.Start(answersTo)
	defer server.Close()
	p := plan(t, server.URL, fileLog(supportLog))
	p.Rubrics, p.Limit = list, 1
	for i := range 2 {
		p.Shard = input.Shard{Index: i, Of: 2}
		out, err := executeSetup(t.Context(), p, filepath.Join(t.TempDir(), "run"), false, Observer{})
		if err != nil || out.Manifest.Counts.Conversations > 1 {
			t.Errorf("shard %s: %+v, %v", p.Shard, out, err)
		}
	}
}
