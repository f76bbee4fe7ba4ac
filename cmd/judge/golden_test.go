package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/golden anew")

// goldenCommands are run one after the other in one directory that holds the fixtures.
// What each prints is kept in testdata/golden/NAME; of the large formats only the hash.
var goldenCommands = []struct{ name, line string }{
	{"run-support", "run fixtures/logs/support.jsonl --out support"},
	{"run-odd", "run fixtures/logs/odd.jsonl fixtures/logs/ferry.tau.json --out odd"},
	{"run-shop", "run --config fixtures/shop/judge.yaml --out shop"},
	{"run-scripted", "run fixtures/logs/support.jsonl --base-url $ENDPOINT --model scripted -j 4 --out scripted"},
	{"run-first", "run fixtures/logs/support.jsonl --limit 20 --out first"},
	{"support.txt", "report support"},
	{"support-details", "report support --details"},
	{"support.md", "report support --format markdown"},
	{"support.csv", "report support --format csv"},
	{"support.junit", "report support --format junit"},
	{"support.json", "report support --format json"},
	{"support-threshold", "report support --threshold overall_call_correctness=0.9"},
	{"odd.txt", "report odd"},
	{"odd.json", "report odd --format json"},
	{"shop.txt", "report shop"},
	{"shop.md", "report shop --format markdown"},
	{"shop.json", "report shop --format json"},
	{"scripted.txt", "report scripted"},
	{"scripted.md", "report scripted --format markdown"},
	{"scripted.json", "report scripted --format json"},
	{"compare", "compare support scripted"},
	{"compare-first", "compare support first --format markdown"},
	{"compare.json", "compare support scripted --format json"},
	{"calibrate-sheet", "calibrate scripted --sheet labels.csv --n 30 --seed 3"},
	{"calibrate", "calibrate scripted --labels labels.csv"},
	{"agree", "agree fixtures/tables/verdicts.csv --gold human --judge strict --cluster conversation"},
	{"agree-raters", "agree fixtures/tables/verdicts.csv --judge strict --judge lenient"},
	{"agree.json", "agree fixtures/tables/verdicts.csv --gold human --judge strict --json"},
	{"score", "score fixtures/logs/support.jsonl"},
	{"score-odd", "score fixtures/logs/odd.jsonl"},
	{"inspect", "logs inspect fixtures/logs/odd.jsonl fixtures/logs/ferry.tau.json"},
	{"convert.json", "logs convert fixtures/logs/ferry.tau.json"},
	{"show", "show scripted refund-wrong-amount:2"},
	{"rubrics-list", "rubrics list"},
	{"schema-config.json", "schema config"},
	{"schema-report.json", "schema report"},
}

// TestGolden keeps what people and programs see: a change of it is meant, and stands
// in a commit of its own.
func TestGolden(t *testing.T) {
	golden, err := filepath.Abs("testdata/golden")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "fixtures"), os.DirFS("../../fixtures")); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(scriptedGrades))
	defer server.Close()
	t.Chdir(dir)
	for _, c := range goldenCommands {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "calibrate" {
				fillLabels(t, "labels.csv")
			}
			got := goldenOutput(t, strings.ReplaceAll(c.line, "$ENDPOINT", server.URL+"/v1"), server.URL)
			path := filepath.Join(golden, c.name)
			if strings.HasSuffix(c.name, ".json") || strings.HasSuffix(c.name, ".csv") {
				got = fmt.Sprintf("sha256 %x, %d bytes\n", sha256.Sum256([]byte(got)), len(got))
			}
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("judge %s prints something else (-want +got):\n%s", c.line, diff)
			}
		})
	}
}

// Whatever differs from one machine, process or version of the request encoding to
// the next.
var (
	anyRunID   = regexp.MustCompile(`\b[0-9a-f]{16}([0-9a-f]{48})?\b`)
	anySeconds = regexp.MustCompile(`\b\d+(\.\d+)? ?m?s\b`)
)

func goldenOutput(t *testing.T, line, endpoint string) string {
	var out, errs bytes.Buffer
	a := &app{in: strings.NewReader(""), out: &out, err: &errs, getenv: func(string) string { return "" }}
	code := command(context.Background(), strings.Fields(line), a)
	text := fmt.Sprintf("exit %d\n%s\n-- stderr\n%s", code, out.String(), anySeconds.ReplaceAllString(errs.String(), "SECONDS"))
	text = strings.ReplaceAll(text, endpoint, "ENDPOINT")
	return anyRunID.ReplaceAllString(text, "RUN")
}

// scriptedGrades answers as its reading of the call's own line says: mostly well, some
// out of range, some without JSON, some with invented quotes.
func scriptedGrades(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/models") {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted"}]}`)
		return
	}
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	answer, probed := probeAnswer(string(body))
	if !probed {
		answer = scriptedGrade(body)
	}
	fmt.Fprintf(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":%s}}],`+
		`"usage":{"prompt_tokens":%d,"completion_tokens":40}}`, mustJSON(answer), promptTokens(body))
}

// promptTokens counts what is asked, however it is encoded.
func promptTokens(body []byte) int {
	var request struct {
		Messages []struct{ Content string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return 0
	}
	n := 0
	for _, m := range request.Messages {
		n += len(m.Content)
	}
	return n / 4
}

func scriptedGrade(body []byte) string {
	var request struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal(body, &request); err != nil || len(request.Messages) < 2 {
		return "no request"
	}
	system, record := request.Messages[0].Content, ""
	for _, m := range request.Messages {
		if m.Role == "user" && strings.Contains(m.Content, "<<<RECORD") {
			record = m.Content
		}
	}
	_, call, _ := strings.Cut(record, " call>>>\n")
	call, _, _ = strings.Cut(call, "\n")
	h := fnv.New32a()
	io.WriteString(h, call)
	seed := h.Sum32()
	low, high := 1, 5
	_, output, _ := strings.Cut(system, `"output":{`)
	if output, _, _ = strings.Cut(output, "}"); !strings.Contains(output, `"maximum":5`) {
		low, high = 0, 1
	}
	grade := high
	if seed%4 == 0 {
		grade = low
	}
	switch seed % 23 {
	case 1:
		return "I would rather not say."
	case 2:
		return fmt.Sprintf(`{"explanation":"Off the scale.","evidence":"NONE: nothing","output":%d,"confidence":0.9,"correction":{}}`, high+7)
	case 3:
		return fmt.Sprintf(`{"explanation":"It quotes.","evidence":"\"a sentence that stands nowhere at all\"","output":%d,"confidence":0.6,"correction":{}}`, grade)
	}
	return fmt.Sprintf(`{"explanation":"Graded %d.","evidence":"NONE: nothing to quote","output":%d,"confidence":0.%d,"correction":{}}`,
		grade, grade, 70+seed%30)
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// fillLabels fills the column label of a sheet: a fail, two passes, and again.
func fillLabels(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	filled, err := labelled(string(data), "label")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, filled, 0o600); err != nil {
		t.Fatal(err)
	}
}
