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

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
)

// An endpoint that stops taking schemas in the middle of a run: the report says that
// the answers are not of one kind, also when it is made again.
func TestMixedTransports(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		answer := `{"explanation":"e","evidence":"NONE: nothing","output":5,"confidence":0.9,"correction":{}}`
		quoted, _ := json.Marshal(answer)
		switch {
		case strings.Contains(string(body), `"tools":`):
			fmt.Fprintf(w, `{"choices":[{"finish_reason":"tool_calls","message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":%s}}]}}]}`, quoted)
		case requests.Add(1) > 30:
			http.Error(w, `{"error":{"message":"response_format is not supported"}}`, http.StatusBadRequest)
		default:
			fmt.Fprintf(w, `{"choices":[{"finish_reason":"stop","message":{"content":%s}}]}`, quoted)
		}
	}))
	t.Cleanup(server.Close)
	p := teamPlan(t, server.URL+"/v1", "fickle", "steady")
	p.Judges[1].Config.Transport = llm.Tools
	p.Judges[0].Endpoint.Concurrency = 1
	p.Judges[0].Config.Transport = llm.JSONSchema
	p.CoverageFloor = new(0.5)
	dir := filepath.Join(t.TempDir(), "run")
	out, err := executeSetup(t.Context(), p, dir, false, Observer{})
	if err != nil {
		t.Fatal(err)
	}
	// No item is lost to the refusal: those in front of the demotion are asked again.
	want := []directory.TransportCount{{Judge: "fickle", Transport: llm.JSONSchema, Answers: 30}, {Judge: "steady", Transport: llm.Tools, Answers: 64}, {Judge: "fickle", Transport: llm.Tools, Answers: 34}}
	less := func(list []directory.TransportCount) map[string]int {
		m := map[string]int{}
		for _, c := range list {
			m[c.Judge+" "+string(c.Transport)] = c.Answers
		}
		return m
	}
	if diff := cmp.Diff(less(want), less(out.Manifest.Transports)); diff != "" {
		t.Error(diff)
	}
	again, _, err := Report(dir, measure.Config{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*report.Report{"the run's": out.Report, "made again": again} {
		n := 0
		for _, w := range r.Warnings {
			if w.Code == "mixed_transports" {
				n++
				if !strings.Contains(w.Text, "judge fickle: ") || !strings.Contains(w.Text, "(30 by json_schema, 34 by tools)") {
					t.Errorf("%s: %s", name, w.Text)
				}
			}
		}
		if n != 1 {
			t.Errorf("%s: %d warnings of mixed transports", name, n)
		}
	}
	if !strings.Contains(string(read(t, dir, directory.MarkdownFile)), "fickle: answers came by more than one transport") {
		t.Error("the Markdown report does not say it")
	}
}
