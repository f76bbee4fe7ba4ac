package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// exampleServers are the servers of examples/servers: what each answers beside judgements.
var exampleServers = map[string]http.HandlerFunc{
	"ollama": serving("qwen3:8b", "/api/version", `{"version":"0.12.6"}`, ""),
	"vllm":   serving("Qwen/Qwen3-32B-AWQ", "/version", `{"version":"0.12.0"}`, ""),
	"llama.cpp": serving("qwen3-8b", "/props",
		`{"default_generation_settings":{"n_ctx":16384},"build_info":"b6500-0123abc"}`, ""),
	"litellm": serving("small", "/health/readiness", `{"status":"healthy"}`, "sk-litellm-example"),
}

// serving answers as a server of one kind does; with a key it refuses requests without it.
func serving(model, path, about, key string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch {
		case key != "" && r.Header.Get("Authorization") != "Bearer "+key:
			http.Error(w, `{"error":{"message":"No api key passed in."}}`, http.StatusUnauthorized)
		case r.URL.Path == path:
			fmt.Fprint(w, about)
		case r.URL.Path == "/v1/models":
			fmt.Fprintf(w, `{"object":"list","data":[{"id":%q},{"id":"large"}]}`, model)
		case r.URL.Path == "/v1/chat/completions":
			body, _ := io.ReadAll(r.Body)
			answerOne(w, body)
		default:
			http.NotFound(w, r)
		}
	}
}

// checkNotebook is "notebook FILE ITEMS": every word in quotes in the code of a notebook is a column or a value of the
// table of items.
func checkNotebook(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: notebook FILE ITEMS")
	}
	var book struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source []string
		}
		NBFormat int
	}
	if err := json.Unmarshal([]byte(ts.ReadFile(args[0])), &book); err != nil || book.NBFormat != 4 {
		ts.Fatalf("a notebook of form %d: %v", book.NBFormat, err)
	}
	known := strings.FieldsFunc(ts.ReadFile(args[1]), func(c rune) bool { return strings.ContainsRune(",\n", c) })
	known = append(known, "items.parquet", "mean", "size")
	words := 0
	for _, c := range book.Cells {
		for _, quoted := range regexp.MustCompile(`"([\w.]+)"`).FindAllStringSubmatch(strings.Join(c.Source, ""), -1) {
			if words++; c.Type == "code" && !slices.Contains(known, quoted[1]) {
				ts.Fatalf("%s: the items of a run have no such column or value", quoted[1])
			}
		}
	}
	if words < 15 {
		ts.Fatalf("only %d words in quotes were found", words)
	}
}
