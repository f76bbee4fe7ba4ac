package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

const root = "../.."

func compile(t testing.TB, name string, closed bool) *schema.Schema {
	t.Helper()
	source, err := schemaOf(name, closed)
	if err != nil {
		t.Fatal(err)
	}
	s, err := schema.Compile(source, schema.Config{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// broken says which rules a text breaks.
func broken(t testing.TB, s *schema.Schema, text []byte) []string {
	t.Helper()
	v, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Validate(v)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%s %s: %s", f.Path, f.Keyword, f.Message))
	}
	return out
}

func lines(t testing.TB, data []byte) [][]byte {
	t.Helper()
	out := bytes.Split(bytes.TrimSpace(data), []byte("\n"))
	if len(out) < 2 {
		t.Fatal("hardly any lines: the test does not test")
	}
	return out
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// aRun judges some conversations of a fixture by the built-in baseline.
func aRun(t *testing.T, log string) string {
	t.Helper()
	list, err := rubrics.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	least, drop := 0.1, 5.0
	dir := filepath.Join(t.TempDir(), "r")
	task := run.Task{
		Inputs: run.Inputs{Limit: 6,
			Logs: []input.Log{{Name: log, Open: func() (io.ReadCloser, error) { return os.Open(log) }}}},
		Team: instrument.Team{Rubrics: list, Judges: []instrument.Judge{{Config: judges.Config{Model: baseline.Model},
			Endpoint: client.Endpoint{BaseURL: baseline.Model, Concurrency: 4}, Kind: llm.KindBaseline, Baseline: true}}},
	}
	spec, err := run.Resolve(t.Context(), task, dir)
	if err != nil {
		t.Fatal(err)
	}
	spec.Gates = []measure.Gate{{Score: "schema_check", MinPassRate: &least},
		{Score: "schema_check", MaxDrop: &drop, Against: "nowhere"}} // a baseline that vanished meanwhile
	in, err := run.Prepare(t.Context(), spec, dir, run.Means{}, run.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := run.Execute(t.Context(), spec, in, run.Observer{}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestWrittenFilesAreValid: whatever a run writes is valid by the printed schemas,
// also when these refuse every key that they do not name.
func TestWrittenFilesAreValid(t *testing.T) {
	for _, log := range []string{"support.jsonl", "odd.jsonl", "ferry.tau.json"} {
		dir := aRun(t, filepath.Join(root, "fixtures", "logs", log))
		for _, closed := range []bool{false, true} {
			s := compile(t, "report", closed)
			if got := broken(t, s, read(t, dir+"/report.json")); len(got) > 0 {
				t.Errorf("report of %s, closed %v:\n%s", log, closed, strings.Join(got, "\n"))
			}
			s = compile(t, "score", closed)
			for i, line := range lines(t, read(t, dir+"/scores.jsonl")) {
				if got := broken(t, s, line); len(got) > 0 {
					t.Fatalf("scores of %s, line %d, closed %v: %v", log, i+1, closed, got)
				}
			}
		}
	}
}

func TestWrongScoresAndReports(t *testing.T) {
	s := compile(t, "score", false)
	const good = `{"conversation_id":"c","call_index":null,"name":"n","source":"label","status":"scored","value":1,"passed":true,"correction":null,"flags":[],"details":null,"error":null}`
	if got := broken(t, s, []byte(good)); len(got) > 0 {
		t.Fatal(got)
	}
	for _, change := range [][2]string{
		{`"value":1`, `"value":null`}, {`"scored"`, `"unscored"`}, {`"label"`, `"opinion"`}, {`"call_index":null,`, ``}, {`"call_index":null`, `"call_index":"0"`}, {`"flags":[]`, `"flags":[{"code":"x"}]`},
	} {
		if got := broken(t, s, []byte(strings.Replace(good, change[0], change[1], 1))); len(got) == 0 {
			t.Errorf("%s for %s is valid", change[1], change[0])
		}
	}
	if got := broken(t, compile(t, "report", false), []byte(`{"schema":"judge.report/v1"}`)); len(got) == 0 {
		t.Error("an empty report is valid")
	}
}

func TestRubricSchema(t *testing.T) {
	s := compile(t, "rubric", false)
	all := lines(t, read(t, root+"/rubrics/builtin.jsonl"))
	for i, line := range all {
		if got := broken(t, s, line); len(got) > 0 {
			t.Errorf("built-in rubric %d: %v", i+1, got)
		}
	}
	for _, short := range []string{
		`{"name":"n","question":"q?","answer":"yes/no","pass":true,"not_applicable":"yes","scope":"turn","extra":{"a":"b"}}`,
		`{"name":"n_expected","question":"q?","answer":["a","b"],"considerations":["c"],"sees":"expected","confidence":false}`,
		`{"name":"n","question":"q?","answer":{"properties":{"output":{"type":"integer","minimum":1,"maximum":3}}},"pass":">= 2","examples":[]}`,
	} {
		list, err := rubrics.Load(strings.NewReader(short), "f.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range []string{short, list[0].Source()} {
			if got := broken(t, s, []byte(line)); len(got) > 0 {
				t.Errorf("%s: %v", line, got)
			}
		}
	}
	for _, wrong := range []string{`{"name":"n","question":"q?"}`, `{"name":"n","question":"q?","answer":["a"]}`, `{"name":"n","question":"q?","answer":"yes/no","scope":"trun"}`} {
		if got := broken(t, s, []byte(wrong)); len(got) == 0 {
			t.Errorf("%s is valid", wrong)
		}
	}
	for _, change := range [][2]string{{`"name":`, `"nam":`}, {`"threshold_low"`, `"threshold_lo"`}, {`"tool_call"`, `"call"`}, {`"evidence"`, `"proof"`}} {
		wrong := []byte(strings.Replace(string(all[0]), change[0], change[1], 1))
		if _, err := rubrics.Load(bytes.NewReader(wrong), "f"); err == nil {
			t.Fatalf("%s for %s is no mistake", change[1], change[0])
		}
		if got := broken(t, s, wrong); len(got) == 0 {
			t.Errorf("%s for %s is valid", change[1], change[0])
		}
	}
}

func TestLogSchema(t *testing.T) {
	s := compile(t, "log", false)
	for _, file := range []string{"/fixtures/logs/support.jsonl", "/fixtures/shop/shop.jsonl"} {
		for i, line := range lines(t, read(t, root+file)) {
			if got := broken(t, s, line); len(got) > 0 {
				t.Errorf("%s:%d: %v", file, i+1, got)
			}
		}
	}
	// What convert writes of other formats, and of every oddity.
	for _, file := range []string{"/fixtures/logs/ferry.tau.json", "/fixtures/logs/odd.jsonl"} {
		n := 0
		r := format.Open(context.Background(), file, bytes.NewReader(read(t, root+file)), format.Options{})
		for c, err := range r.All() {
			if err != nil {
				continue
			}
			var b bytes.Buffer
			if err := transcript.WriteNative(&b, c); err != nil {
				t.Fatal(err)
			}
			n++
			if got := broken(t, s, b.Bytes()); len(got) > 0 {
				t.Errorf("%s, %s: %v\n%s", file, c.ID, got, b.Bytes())
			}
		}
		if n == 0 {
			t.Fatalf("%s: nothing was converted", file)
		}
	}
	for _, wrong := range []string{`{}`, `{"messages":{}}`, `{"messages":[{"role":"user","tool_calls":[{"id":"x"}]}]}`, `{"messages":[],"labels":3}`, `{"messages":[],"expected_calls":{}}`} {
		if got := broken(t, s, []byte(wrong)); len(got) == 0 {
			t.Errorf("%s is valid", wrong)
		}
	}
}

// asJSON returns a configuration as its reader understood it, in JSON.
func asJSON(t *testing.T, yaml string) ([]byte, error) {
	t.Helper()
	c, err := config.Read("judge.yaml", []byte(yaml))
	if err != nil {
		return nil, err
	}
	return []byte(c.Value().JSON()), nil
}

var fenced = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// TestConfigExamples: every configuration in the documentation that the reader takes
// is valid by the schema.
func TestConfigExamples(t *testing.T) {
	s := compile(t, "config", false)
	var examples []string
	for _, pattern := range []string{root + "/*.md", root + "/docs/*.md"} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			for _, m := range fenced.FindAllStringSubmatch(string(read(t, file)), -1) {
				examples = append(examples, m[1])
			}
		}
	}
	examples = append(examples, string(read(t, root+"/fixtures/shop/judge.yaml")), whole)
	if _, err := asJSON(t, whole); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, text := range examples {
		data, err := asJSON(t, text)
		if err != nil {
			continue // another file's example
		}
		taken++
		if got := broken(t, s, data); len(got) > 0 {
			t.Errorf("%v\n%s", got, text)
		}
	}
	if taken < 4 {
		t.Fatalf("only %d examples were read", taken)
	}
}

const whole = `
logs: [logs/*.jsonl]
rubrics: builtin
judges:
  - {model: qwen3:8b, base_url: "http://localhost:11434/v1", concurrency: 4, timeout: 90s, temperature: 0, extra: {top_k: 1}, transport: tools}
  - {model: small-one, datamarking: "~", score_method: self_consistency, samples: 5, verdict_mode: {overall_call_correctness: bands}}
  - small-two
  - {model: gateway, temperature: null, top_p: null, seed: null, max_tokens: null, headers: {api-key: "${KEY}", X-Team: judges}, query: {api-version: 2024-10-21}}
panels:
  - {name: both, members: [small-one, small-two], aggregate: weighted, weights: {small-one: 0.7, small-two: 0.6}}
  - {name: measured, members: [small-one, small-two], aggregate: weighted, weights: runs/base/calibration.json}
cascades:
  - {name: steps, tiers: [both, "qwen3:8b"], escalate_on: [borderline], queue: people.jsonl}
scorers:
  - {type: function_call_coverage, function_calls: "{{ sample.function_calls }}", mode: in_order, purpose: qa}
  - {type: tool-calls, config: {required: [create, {name: bash, command: "npm test"}]}}
  - schema_check
gates:
  - {score: overall_call_correctness, min_pass_rate: 0.9}
  - {score: function_call_accuracy, by: tool, max_drop: 5, against: runs/baseline}
thresholds: {overall_call_correctness: 0.8, function_intent_alignment: 4..5}
coverage_floor: 0.9
redact: ["[a-z]+@[a-z.]+"]
`

// TestConfigRefusals: what the reader refuses by shape, the schema refuses.
func TestConfigRefusals(t *testing.T) {
	s := compile(t, "config", false)
	for _, text := range []string{
		`{"log":["x"]}`, `{"judges":[{"model":"a","concurency":3}]}`, `{"judges":[{"base_url":"x"}]}`, `{"judges":[{"model":"a","api_key":"k"}]}`,
		`{"judges":{"model":"a"}}`, `{"coverage_floor":2}`, `{"gates":[{"score":"x"}]}`, `{"gates":[{"score":"x","max_drop":5}]}`, `{"limit":"many"}`,
		`{"judges":[{"model":"a","transport":"json_shema"}]}`, `{"judges":[{"model":"a","headers":["x"]}]}`, `{"judges":[{"model":"a","top_p":2}]}`, `{"judges":[{"model":"a","query":{"v":""}}]}`, `{"logs":[1]}`, `[]`, `{"thresholds":{"x":"y"}}`, `{"gates":[{"score":"x","min_mean":1,"by":"call"}]}`,
		`{"environment":{"type":"starlark","fil":"x"}}`, `{"judges":[{"model":"a","datamarking":"ab"}]}`, `{"judges":[{"model":"a","datamarking":1}]}`, `{"judges":[{"model":"a","datamarking":"x"}]}`,
	} {
		if _, err := config.Read("f", []byte(text)); err == nil {
			t.Errorf("the reader takes %s", text)
		}
		if got := broken(t, s, []byte(text)); len(got) == 0 {
			t.Errorf("the schema takes %s", text)
		}
	}
	for _, scorer := range []string{
		`"no_such_scorer"`, `{"type":"ast_equivalence","langauge":"java"}`, `{"type":"ast-equivalence","config":{"langauge":"java"}}`,
		`{"type":"ast_equivalence","language":"go"}`, `{"type":"function_call_exact_match","matching":"reuse"}`,
	} {
		if got := broken(t, s, []byte(`{"scorers":[`+scorer+`]}`)); len(got) == 0 {
			t.Errorf("the schema takes the scorer %s", scorer)
		}
	}
}

func TestUnknownName(t *testing.T) {
	if _, err := schemaOf("scores", false); err == nil {
		t.Error("an unknown name has a schema")
	}
}
