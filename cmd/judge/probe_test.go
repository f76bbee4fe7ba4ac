package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
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

func answerWith(w http.ResponseWriter, output, confidence string) {
	answer, _ := json.Marshal(fmt.Sprintf(`{"explanation":"e","evidence":"NONE: nothing","output":%s,"confidence":%s,"correction":{}}`, output, confidence))
	fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],"usage":{"prompt_tokens":3000,"completion_tokens":30}}`, answer)
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
