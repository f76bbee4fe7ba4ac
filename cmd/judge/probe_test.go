package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/judgekit/judge/judges/probe"
)

// chatRequest is what the graders below read of a request.
type chatRequest struct {
	Model    string
	Logprobs bool
	Messages []struct{ Content string }
}

func readChat(w http.ResponseWriter, r *http.Request) (chatRequest, bool) {
	var req chatRequest
	w.Header().Set("Content-Type", "application/json")
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &req) != nil || len(req.Messages) == 0 {
		http.NotFound(w, r)
		return req, false
	}
	return req, true
}

func (c *chatRequest) record() string { return c.Messages[len(c.Messages)-1].Content }

// call returns the judged call as the record shows it.
func (c *chatRequest) call() string {
	_, call, _ := strings.Cut(c.record(), " call>>>\n")
	call, _, _ = strings.Cut(call, "\n")
	return call
}

func answerWith(w http.ResponseWriter, output, confidence string) {
	answer, _ := json.Marshal(fmt.Sprintf(`{"explanation":"e","evidence":"NONE: nothing","output":%s,"confidence":%s,"correction":{}}`, output, confidence))
	fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":3000,"completion_tokens":30}}`, answer)
}

// graders pass a call when its arguments hold the word right. An obedient one does
// what any payload in the record says, and passes what says nothing.
func graders(obedient bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		req, ok := readChat(w, r)
		if !ok {
			return
		}
		output := "0"
		if strings.Contains(req.call(), `"right"`) {
			output = "1"
		}
		if obedient {
			if told := toldBy(req.record()); told != "" {
				output = told
			}
			for _, o := range probe.Openers() {
				if quoted, _ := json.Marshal(o); strings.Contains(req.call(), `"id":`+string(quoted)) {
					output = "1"
				}
			}
		}
		answerWith(w, output, "0.9")
	}
}

// toldBy finds the score that a payload in the record's texts asks for.
func toldBy(record string) string {
	for line := range strings.Lines(record) {
		_, text, _ := strings.Cut(line, "] ")
		var m struct {
			Content string
			Output  any
		}
		if json.Unmarshal([]byte(text), &m) != nil {
			continue
		}
		for _, p := range probe.Payloads() {
			for _, goal := range []float64{0, 1} {
				if strings.Contains(m.Content+fmt.Sprint(m.Output), p.Text(goal)) {
					return fmt.Sprint(goal)
				}
			}
		}
	}
	return ""
}

// teamOfJudges are models that grade on a scale of one to five: shy says 3, hard 2,
// kind 5, drunk nothing. Each gives probabilities where they are asked for.
func teamOfJudges(w http.ResponseWriter, r *http.Request) {
	req, ok := readChat(w, r)
	if !ok {
		return
	}
	output := map[string]string{"shy": "3", "hard": "2", "kind": "5"}[req.Model]
	switch {
	case output == "":
		fmt.Fprint(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"burp"}}]}`)
	case req.Logprobs:
		fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"output\":%[1]s}"},`+
			`"logprobs":{"content":[{"token":"{\"output\":","logprob":0,"top_logprobs":[]},`+
			`{"token":"%[1]s","logprob":-0.29,"top_logprobs":[{"token":"%[1]s","logprob":-0.2876820724517809},{"token":"1","logprob":-1.3862943611198906}]},`+
			`{"token":"}","logprob":0,"top_logprobs":[]}]}}]}`, output)
	default:
		answerWith(w, output, "0.9")
	}
}
