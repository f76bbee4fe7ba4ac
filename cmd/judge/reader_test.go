package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// readings are what the endpoint "reader" answers to a question: the answer of the word that the
// record shows last, else another one.
var readings = []struct {
	question string
	words    map[string]any
	other    any
}{
	{"a clear yes before the refund", map[string]any{"nothing to refund": "not_applicable", "go ahead": "yes"}, "no"},
	{"the tone of the assistant", map[string]any{"Whatever": "rude", "Certainly": "kind"}, "flat"},
	{"Did the refund go through", map[string]any{"payment declined": "no"}, "yes"},
	{"the right call to make", map[string]any{"order 13": 2, "order 4": 4}, 5},
}

// reader answers each question by the words of the record.
func reader(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "application/json")
	text := string(body)
	answer, probed := probeAnswer(text)
	switch {
	case r.URL.Path == "/v1/models":
		fmt.Fprint(w, `{"object":"list","data":[{"id":"m"}]}`)
		return
	case !probed:
		answer = readRecord(text)
	}
	fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%q}}],"usage":{"prompt_tokens":%d}}`, answer, len(body)/4)
}

func readRecord(text string) string {
	for _, q := range readings {
		if !strings.Contains(text, q.question) {
			continue
		}
		output, last := q.other, -1
		for word, answer := range q.words {
			if at := strings.LastIndex(text, word); at > last {
				output, last = answer, at
			}
		}
		out := map[string]any{"explanation": "So it reads.", "evidence": "NONE: nothing", "output": output, "confidence": 0.9}
		if strings.Contains(text, "Grade this one call") {
			out["correction"] = map[string]any{}
		}
		answer, _ := json.Marshal(out)
		return string(answer)
	}
	return "{}"
}
