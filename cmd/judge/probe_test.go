package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
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
// kind 5, drunk nothing. To a question of yes or no shy and kind say yes and hard says no; if the question
// may not apply, hard says that it does not. Each gives probabilities if it is asked for them.
func teamOfJudges(w http.ResponseWriter, r *http.Request) {
	req, ok := readChat(w, r)
	if !ok {
		return
	}
	output, instead := map[string]string{"shy": "3", "hard": "2", "kind": "5"}[req.Model], "1"
	quote, system := "", req.Messages[0].Content
	if strings.Contains(system, `"yes","no"`) {
		output, instead, quote = map[string]string{"shy": "yes", "hard": "no", "kind": "yes"}[req.Model], "y", `\"`
		if req.Model == "hard" && strings.Contains(system, `"not_applicable"`) {
			output = "not_applicable"
		}
	}
	switch {
	case output == "":
		fmt.Fprint(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"burp"}}]}`)
	case req.Logprobs:
		fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"output\":%[3]s%[1]s%[3]s}"},`+
			`"logprobs":{"content":[{"token":"{\"output\":%[3]s","logprob":0,"top_logprobs":[]},`+
			`{"token":"%[1]s","logprob":-0.29,"top_logprobs":[{"token":"%[1]s","logprob":-0.2876820724517809},{"token":"%[2]s","logprob":-1.3862943611198906}]},`+
			`{"token":"%[3]s}","logprob":0,"top_logprobs":[]}]}}]}`, output, instead, quote)
	case quote != "":
		answerWith(w, `"`+output+`"`, "0.9")
	default:
		answerWith(w, output, "0.9")
	}
}
