package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

const full = `# a whole configuration
logs: [logs/*.jsonl]
rubrics: builtin
judges:
  - model: qwen3:8b
    base_url: http://localhost:11434/v1
    concurrency: 4
    timeout: 90s
    temperature: 0
    extra: {top_k: 1}
  - small-one
scorers:
  - type: function_call_coverage
    function_calls: "{{ sample.function_calls }}"
    mode: in_order
    purpose: qa
  - type: tool-calls
    config:
      required: [create, {name: bash, command: "npm test"}]
      disallowed: [{name: view, path: "secret\\.env$"}]
graders:
  - schema_check
gates:
  - {score: overall_call_correctness, min_pass_rate: 0.9}
  - {score: function_call_accuracy, by: tool, max_drop: 5, against: runs/baseline}
thresholds:
  overall_call_correctness: 0.8
  function_intent_alignment: 4..5
coverage_floor: 0.9
`

func TestReadWholeFile(t *testing.T) {
	c, err := Read("judge.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Judges[0]; got.Model != "qwen3:8b" || got.Concurrency != 4 || got.Timeout != Duration(90*time.Second) || *got.Temperature != 0 || got.Extra.JSON() != `{"top_k":1}` {
		t.Errorf("first judge: %+v", got)
	}
	if c.Judges[1].Model != "small-one" {
		t.Errorf("second judge: %+v", c.Judges[1])
	}
	var scorers []string
	for _, s := range c.Scorers {
		scorers = append(scorers, s.Type+" "+s.Purpose+" "+s.Config.JSON())
	}
	want := []string{
		`function_call_coverage qa {"function_calls":"{{ sample.function_calls }}","mode":"in_order"}`,
		`tool-calls score {"required":["create",{"name":"bash","command":"npm test"}],"disallowed":[{"name":"view","path":"secret\\.env$"}]}`,
		`schema_check score {}`,
	}
	if diff := cmp.Diff(want, scorers); diff != "" {
		t.Error(diff)
	}
	if len(c.Gates) != 2 || *c.Gates[1].MaxDrop != 5 || c.Gates[1].Against != "runs/baseline" {
		t.Errorf("gates: %+v", c.Gates)
	}
	if len(c.Thresholds) != 2 || c.Thresholds[0].Low != 0.8 || c.Thresholds[0].High != nil || *c.Thresholds[1].High != 5 {
		t.Errorf("thresholds: %+v", c.Thresholds)
	}
}

// TestNamesOfSecrets: a header or parameter with a usual name for a key needs a variable.
func TestNamesOfSecrets(t *testing.T) {
	for name, want := range map[string]bool{
		"X-Api-Key": true, "apikey": true, "access_token": true, "client.secret": true, "x-auth": true, "Authorization": true,
		"PASSWORD": true, "Set-Cookie": true, "sig": true, "x-signature": true, "credential": true, "aws_credentials": true,
		"X-Request-Id": false, "monkey": false, "tokens": false, "author": false, "": false,
	} {
		if got := (Param{Name: name, Value: "x"}).secret(); got != want {
			t.Errorf("%q is a name of a key: %v, want %v", name, got, want)
		}
	}
}

func TestGateOnReferenceReadsBack(t *testing.T) {
	const want = `{"gates":[{"score":"overall","judge":"j","reference":"human","by":"tool","min_kappa":0.4}]}`
	c, err := Read("judge.yaml", []byte(want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, c.Value().JSON()); diff != "" || c.Gates[0].Reference != "human" {
		t.Errorf("%+v (-want +got):\n%s", c.Gates[0], diff)
	}
}

func TestProblemsNameThePlace(t *testing.T) {
	tests := []struct{ in, want string }{
		{"judges:\n  - model: a\n    concurency: 3\n", `judge.yaml:3:5: judges[0].concurency: unknown key "concurency"; did you mean concurrency?`},
		{"judges:\n  - model: a\n    zzzzzz: 3\n", `judge.yaml:3:5: judges[0].zzzzzz: unknown key "zzzzzz"; known are api_key_env, ask_always`},
		{"judges:\n  - base_url: x\n", "judge.yaml:2:5: judges[0].model: is missing"},
		{"judges:\n  - model: a\n    api_key: sk-1\n", "judge.yaml:3:14: judges[0].api_key: keys do not belong in a file; put the name of an environment variable under api_key_env"},
		{"judges: {model: a}\n", "judge.yaml:1:10: judges: want a list, got object; start each entry with a dash"},
		{"judges:\n  - model: a\n    headers: {api-key: sk-1}\n", "judge.yaml:3:24: judges[0].headers.api-key: keys do not belong in a file; put one into an environment variable and write ${NAME} here"},
		{"judges:\n  - model: a\n    query: {code: [1]}\n", "judges[0].query.code: want text, with ${NAME} for an environment variable"},
		{"redact: [a, \"(\"]\n", `judge.yaml:1:9: redact: pattern "(": error parsing regexp`},
		{"redact: x*\n", `judge.yaml:1:9: redact: pattern "x*" matches the empty text`},
		{"coverage_floor: 2\n", "judge.yaml:1:17: coverage_floor: want a number from 0 to 1"},
		{"gates: [{score: x}]\n", "judge.yaml:1:10: gates[0]: asks for nothing; give min_pass_rate, min_mean, min_kappa, min_coverage, max_drop, or max_rate with category"},
		{"gates: [{score: x, max_drop: 5}]\n", "judge.yaml:1:10: gates[0]: max_drop and against go together: against names the baseline run directory"},
		{"gates: [{score: x, min_mean: 1, reference: human}]\n", "judge.yaml:1:10: gates[0]: reference goes with min_kappa"},
		{"gates: [{score: x, max_rate: 0.1, category: bad, by: tool}]\n",
			"judge.yaml:1:10: gates[0]: max_rate is of all items: leave by and tool out"},
		{"gates: [{score: x, max_rate: 0.1, category: bad, tool: f}]\n",
			"judge.yaml:1:10: gates[0]: max_rate is of all items: leave by and tool out"},
		{"retest: often\n", "judge.yaml:1:9: retest: want true or together"},
		{"judges: [{model: a, together: true, layout: named-rubrics}]\n",
			"judges[0].together: together has an order of its own; remove layout"},
		{"environment: {type: starlark}\n",
			"judge.yaml:1:15: environment.file: type starlark needs the file with the tools"},
		{"gates: [{score: x, min_mean: 1, min_found: 0.8}]\n",
			"gates[0].min_found: goes with probe, which names the kind of planted faults"},
		{"gates: [{min_mean: 1}]\n",
			"gates[0].score: is missing: a gate names a score, or with probe a kind of planted faults"},
		{"gates: [{score: x, max_rate: 0.1}]\n",
			"judge.yaml:1:10: gates[0]: max_rate and category go together: the largest share of a category"},
		{"gates: [{score: x, min_mean: 1, category: bad}]\n",
			"judge.yaml:1:10: gates[0]: max_rate and category go together: the largest share of a category"},
		{"gates: [{probe: x, min_found: 0.8}]\n", `gates[0].probe: is "x", must be one of wrong_tool, missing_required, `},
		{"environment: {type: starlark, fil: x}\n", `environment.fil: unknown key "fil"; did you mean file?`},
		{"limit: many\n", "judge.yaml:1:8: limit: want a whole number"},
		{"limit: 1\nlimit: 2\n", "limit"},
		{"limit: 1\nsample: 1\n", "judge.yaml:1:1: sample: limit and sample cannot be combined"},
		{"gates: [{probe: wrong_value}]\n", "judge.yaml:1:10: gates[0]: a gate on a probe has min_found"},
		{"gates: [{probe: wrong_value, min_found: 0.8, min_mean: 1}]\n", "judge.yaml:1:10: gates[0]: a gate on a probe has min_found"},
		{"gates: [{probe: wrong_valeu, min_found: 0.8}]\n", `judge.yaml:1:10: gates[0].probe: is "wrong_valeu", must be one of`},
		{"judges:\n  - model: a\n    transport: json_shema\n", `judge.yaml:3:16: judges[0].transport: unknown value "json_shema"; did you mean json_schema?`},
		{"logs: [1]\n", "judge.yaml:1:8: logs[0]: want text, got integer"},
		{"- a\n", "judge.yaml:1:1: want a mapping of keys to values"},
		{"a: [\n", "judge.yaml:"},
		{"thresholds: {x: y}\n", `judge.yaml:1:17: thresholds.x: threshold "x=y": low bound "y" is not a number`},
	}
	for _, tt := range tests {
		_, err := Read("judge.yaml", []byte(tt.in))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q:\n got %v\nwant %s", tt.in, err, tt.want)
		}
	}
}

// TestScorerAsJSON: a scorer is written with its settings, and without what it does not have.
func TestScorerAsJSON(t *testing.T) {
	for _, tt := range []struct{ scorer, want string }{
		{"ast_match", `{"type":"ast_match"}`}, {"{type: ast_match, config: {strict: true}}", `{"type":"ast_match","config":{"strict":true}}`},
	} {
		c, err := Read("judge.yaml", []byte("scorers: ["+tt.scorer+"]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(c.Scorers[0]); err != nil || string(got) != tt.want {
			t.Errorf("%s: %s, want %s; %v", tt.scorer, got, tt.want, err)
		}
	}
}

// TestOneProblem: what follows from a mistake is no further one.
func TestOneProblem(t *testing.T) {
	const weighted = "judges: [a, b]\npanels: [{name: p, members: [a, b], aggregate: weighted, weights: "
	const has = "judge.yaml:2:11: panels[0].weights: %s has none; give every member its measured balanced accuracy, " +
		"0 to 1, or name the file of judge calibrate"
	for text, want := range map[string]string{
		"environment: {type: starlark, fil: x}\n": `judge.yaml:1:31: environment.fil: unknown key "fil"; did you mean file?`,
		weighted + "{}}]\n":                       fmt.Sprintf(has, "a") + "\n" + fmt.Sprintf(has, "b"),
		weighted + "{a: 0}}]\n":                   fmt.Sprintf(has, "b") + "\njudge.yaml:2:11: panels[0].weights: are all 0",
		"judges: [a, b]\npanels: [{members: [a, b]}, {members: [b, a]}]\n": "judge.yaml:2:11: panels[0].name: is missing\n" +
			"judge.yaml:2:30: panels[1].name: is missing",
	} {
		if _, err := Read("judge.yaml", []byte(text)); err == nil || err.Error() != want {
			t.Errorf("%q:\n got %v\nwant %s", text, err, want)
		}
	}
}

func TestAllProblemsAtOnce(t *testing.T) {
	_, err := Read("judge.yaml", []byte("limit: x\nsampel: 3\ncoverage_floor: 7\n"))
	if got := strings.Count(err.Error(), "\n") + 1; got != 3 {
		t.Errorf("%d problems reported, want 3:\n%v", got, err)
	}
}

func TestEmptyFileAndJSON(t *testing.T) {
	for _, in := range []string{"", "# nothing\n", "{}", "limit: 1\n", "sample: 1\nseed: 3\n", `{"judges":[{"model":"a","seed":9007199254740993}]}`} {
		if _, err := Read("judge.yaml", []byte(in)); err != nil {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// TestWhatIsAllowed: settings at their bounds are read, and are written as they were given.
func TestWhatIsAllowed(t *testing.T) {
	const judges = `"judges":[{"model":"a"},{"model":"b"}],`
	for _, text := range []string{
		`{"gates":[{"score":"x","min_mean":1}]}`, `{"gates":[{"score":"x","min_coverage":1}]}`,
		`{"gates":[{"score":"x","category":"bad","max_rate":0.1}]}`,
		`{"gates":[{"judge":"j","probe":"wrong_value","min_found":0.8,"strict":true}]}`,
		`{"gates":[{"score":"x","tool":"f","by":"tool","min_pass_rate":0.5}]}`,
		`{` + judges + `"panels":[{"name":"p","members":["a","b"],"quorum":2}]}`,
		`{` + judges + `"panels":[{"name":"p","members":["a","b"],"aggregate":"weighted","weights":{"a":0,"b":1}}]}`,
		`{` + judges + `"cascades":[{"name":"c","tiers":["a","b"],` +
			`"escalate_on":["borderline","low_confidence","error","contradiction"]}]}`,
		`{"judges":[{"model":"a","together":true}]}`, `{"judges":[{"model":"a","layout":"named-rubrics"}]}`,
		`{"retest":true}`, `{"retest":"together"}`,
	} {
		c, err := Read("judge.yaml", []byte(text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if want, err := value.ParseString(text); err != nil || !value.Equal(c.Value(), want) {
			t.Errorf("%s is written as %s", text, c.Value().JSON())
		}
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	alone, err := Read("judge.yaml", []byte("judges: [{model: a, together: false, layout: named-rubrics}]\n"))
	if err != nil || alone.Judges[0].Together || alone.Judges[0].Layout != "named-rubrics" {
		t.Errorf("%+v, %v", alone, err)
	}
	c, err := Read("judge.yaml", []byte("gates: [{score: x, tool: f, min_pass_rate: 0.5}]\nretest: false\n"))
	if err != nil || c.Gates[0].By != "tool" || c.Retest != "" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestCheckAfterFlags: what a flag makes wrong is found as in a file, without a place, and panels of judges
// that a flag replaced are not looked at.
func TestCheckAfterFlags(t *testing.T) {
	c, err := Read("judge.yaml", []byte("judges: [a, b]\npanels: [{name: p, members: [a, b]}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	if c.Judges = c.Judges[:1]; c.Check() != nil {
		t.Errorf("a panel of other judges: %v", c.Check())
	}
	c.Limit, c.Sample = 1, 1
	if err := c.Check(); err == nil || err.Error() != "sample: limit and sample cannot be combined" {
		t.Errorf("%v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(full))
	f.Add([]byte("a: &x [*x]\n"))
	f.Add([]byte("<<: {limit: 1}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Read("f", data)
		if (c == nil) == (err == nil) {
			t.Fatal("neither or both of configuration and error")
		}
	})
}

func TestValueReadsBack(t *testing.T) {
	c, err := Read("judge.yaml", []byte(full))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read("run.json", []byte(c.Value().JSON()))
	if err != nil {
		t.Fatal(err)
	}
	if c.Value().JSON() != again.Value().JSON() {
		t.Errorf("written and read back:\n%s\n%s", c.Value().JSON(), again.Value().JSON())
	}
	for _, key := range []string{"top_k", "in_order", "coverage_floor", `"4..5"`, "1m30s"} {
		if !strings.Contains(c.Value().JSON(), key) {
			t.Errorf("%s is lost in %s", key, c.Value().JSON())
		}
	}
}

// Sampling settings that are null, headers and the query read back as they were.
func TestGatewaySettings(t *testing.T) {
	c, err := Read("f", []byte(`
judges:
  - model: m
    temperature: null
    seed: ~
    top_p: 0.9
    extra: {top_k: 1}
    headers: {Authorization: "Bearer ${TOKEN}", api-key: AZURE_KEY, X-Team: judges}
    query: {api-version: 2024-10-21}
`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"judges":[{"model":"m","extra":{"top_k":1,"top_p":0.9,"temperature":null,"seed":null},` +
		`"headers":{"Authorization":"Bearer ${TOKEN}","api-key":"AZURE_KEY","X-Team":"judges"},"query":{"api-version":"2024-10-21"}}]}`
	if diff := cmp.Diff(want, c.Value().JSON()); diff != "" {
		t.Error(diff)
	}
	again, err := Read("f", []byte(c.Value().JSON()))
	if err != nil || again.Value().JSON() != want {
		t.Errorf("%v, %v", again, err)
	}
	const none = `{"judges":[{"model":"m","extra":{"top_p":null,"max_tokens":null}}]}`
	unset, err := Read("f", []byte("judges: [{model: m, top_p: null, max_tokens: ~}]\n"))
	if err != nil || unset.Value().JSON() != none {
		t.Errorf("%s, %v, want %s", unset.Value().JSON(), err, none)
	}
	var got []string
	for _, p := range append(c.Judges[0].Headers, c.Judges[0].Query...) {
		text, names := p.Expand(strings.ToLower)
		got = append(got, fmt.Sprint(text, names))
	}
	if diff := cmp.Diff([]string{"Bearer token[TOKEN]", "azure_key[AZURE_KEY]", "judges[]", "2024-10-21[]"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestDatamarking(t *testing.T) {
	for text, want := range map[string]string{"true": "^", "false": "", `"~"`: "~", "null": ""} {
		c, err := Read("f", []byte(`{"judges":[{"model":"m","datamarking":`+text+`}]}`))
		if err != nil || c.Judges[0].Datamarking != want {
			t.Errorf("%s: %v %+v", text, err, c)
			continue
		}
		if again, err := Read("f", []byte(c.Value().JSON())); err != nil || again.Judges[0].Datamarking != want {
			t.Errorf("%s reads back as %s", text, c.Value().JSON())
		}
	}
	for text, want := range map[string]string{
		`"ab"`:   "f:1:39: judges[0].datamarking: the marker \"ab\" is not one symbol, such as ^ and none of < > `",
		`"true"`: "f:1:39: judges[0].datamarking: the marker \"true\" is not one symbol, such as ^ and none of < > `",
		`7`:      "f:1:39: judges[0].datamarking: want true, false or one symbol to stand between words",
		`""`:     "f:1:39: judges[0].datamarking: want true, false or one symbol to stand between words",
	} {
		if _, err := Read("f", []byte(`{"judges":[{"model":"m","datamarking":`+text+`}]}`)); err == nil || err.Error() != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
