package deterministic

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

func oneCase(t *testing.T, line string) value.Value {
	t.Helper()
	out, err := scoreCase([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	if len(out) > 64<<10 {
		t.Errorf("the answer has %d bytes: %.200s", len(out), out)
	}
	return mustParse(t, string(out))
}

// numbered60 writes 60 texts with their numbers, joined by commas.
func numbered60(format string) string {
	list := make([]string, 60)
	for i := range list {
		list[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(list, ",")
}

// TestNamesAreCut: of 60 names 50 are printed, and the others are counted, in fields and in
// reasons.
func TestNamesAreCut(t *testing.T) {
	calls, names, args := numbered60(`{"name":"f%02d"}`), numbered60(`"f%02d"`), numbered60(`"p%02d":1`)
	const tool = `,"tools":[{"name":"f","parameters":{"additionalProperties":false}}]`
	for name, tt := range map[string]struct{ line, list, reason string }{
		"extra":      {`{"scorer":"function_call_accuracy","actual":[` + calls + `],"expected":[{"name":"g"}]}`, "extra", ""},
		"missing":    {`{"scorer":"function_call_accuracy","actual":[{"name":"g"}],"expected":[` + calls + `]}`, "missing", "'f50'] and 9 more"},
		"not called": {`{"scorer":"function_call_coverage","config":{"function_calls":[` + names + `]},"actual":[]}`, "not_called", `"f49", and 10 more`},
		"arguments":  {`{"scorer":"function_call_exact_match","actual":{"name":"f","arguments":{` + args + `}},"expected":{"name":"f"}}`, "", "p49, and 10 more}"},
		"parameters": {`{"scorer":"parameter_validation","actual":{"name":"f","arguments":{` + args + `}}` + tool + `}`, "", "'p49'; and 10 more"},
	} {
		result := oneCase(t, tt.line).Field("result")
		if reason := result.Field("reason").Text(); !strings.Contains(reason, tt.reason) || strings.Contains(reason, "59") {
			t.Errorf("%s: the reason is %s", name, reason)
		}
		if tt.list == "" {
			continue
		}
		got := []int{result.Field(tt.list).Len(), len(result.Field(tt.list + "_more").Text())}
		if got[0] != 50 || got[1] == 0 {
			t.Errorf("%s: %s", name, result.JSON())
		}
	}
}

// TestLogNamesAreCut: the scores of a log are bounded in the same way.
func TestLogNamesAreCut(t *testing.T) {
	c := &transcript.Conversation{Expected: &transcript.Expected{Calls: []transcript.ExpectedCall{{Name: "g"}}},
		Messages: []transcript.Message{{Role: transcript.Assistant, Result: -1}}}
	for i := range 60 {
		c.Messages[0].Calls = append(c.Messages[0].Calls, i)
		c.Calls = append(c.Calls, transcript.Call{Index: i, Name: fmt.Sprintf("f%02d", i), Arguments: value.OfObject(), Executor: "client"})
	}
	l, err := ForLog([]Config{{Type: "function_call_accuracy"}, {Type: "tool_efficiency"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range l.Score(c) {
		list, more := "extra", "9"
		if s.Name == "tool_efficiency" {
			list, more = "by_tool", "10"
		}
		if s.Status != score.Scored || s.Details.Field(list).Len() != 50 || s.Details.Field(list+"_more").Text() != more {
			t.Errorf("%s: %s", s.Name, s.Details.JSON())
		}
	}
}

// TestValuesAreCut: a value in a reason is cut, and a schema is not held against millions of
// values.
func TestValuesAreCut(t *testing.T) {
	long := strings.Repeat("1,", 1_500_000) + "1"
	for name, line := range map[string]string{
		"unequal":  `{"scorer":"function_call_exact_match","actual":{"name":"f","arguments":{"a":[` + long + `]}},"expected":{"name":"f","arguments":{"a":[1]}}}`,
		"enum":     `{"scorer":"parameter_validation","actual":{"name":"f","arguments":{"a":[` + long + `]}},"tools":[{"name":"f","parameters":[{"name":"a","type":"array","enum":[1]}]}]}`,
		"schema":   `{"scorer":"schema_check","actual":{"name":"f","arguments":{"a":[` + long + `]}},"tools":[{"name":"f","parameters":{}}]}`,
		"the same": `{"scorer":"function_call_exact_match","actual":{"name":"f","arguments":{"a":[` + long + `]}},"expected":{"name":"f","arguments":{"a":[` + long + `]}}}`,
	} {
		answer := oneCase(t, line)
		result := answer.Field("result")
		if name == "schema" {
			result = answer
		}
		want := map[string]string{"unequal": "0.0", "enum": "0.0", "the same": "1.0"}[name]
		if got := result.Field("score").JSON(); want != "" && got != want || name == "schema" && !strings.Contains(answer.JSON(), "too many steps") {
			t.Errorf("%s: %.300s", name, answer.JSON())
		}
	}
}

// TestCaseMemory: a case takes at most twelve times the bytes of its line, whatever is on it.
func TestCaseMemory(t *testing.T) {
	const size = 4 << 20
	for _, piece := range []string{"1,", "[1],", "{},", `{"a":1},`, `"a",`} {
		line := `{"scorer":"function_call_exact_match","actual":{"name":"f","arguments":{"a":[` + strings.Repeat(piece, size/len(piece)) +
			`1]}},"expected":{"name":"f","arguments":{"a":[1]}}}` + "\n"
		checkMemory(t, piece, line)
	}
	for _, piece := range []string{`{"name":"f"},`, `{"name":"f%d"},`} {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			if strings.Contains(piece, "%d") {
				fmt.Fprintf(&b, piece, i)
			} else {
				b.WriteString(piece)
			}
		}
		checkMemory(t, piece, `{"scorer":"function_call_accuracy","actual":[`+b.String()+`{"name":"g"}],"expected":[{"name":"g"}]}`+"\n")
	}
}

// TestCaseMemoryOfScorers: so do those scorers that once wrote both sides out to compare them.
func TestCaseMemoryOfScorers(t *testing.T) {
	const size = 2 << 20
	list := func(last string) string { return "[" + strings.Repeat("1,", size/2) + last + "]" }
	call := func(last string) string { return `[{"name":"f","arguments":{"a":` + list(last) + `}}]` }
	for config, sides := range map[string][2]string{
		`"ast_equivalence","config":{}`:                                                              {call("2"), call("3")},
		`"ast_equivalence","config":{"mode":"json"}`:                                                 {call("2"), call("3")},
		`"ast_equivalence","config":{"strip_whitespace":true}`:                                       {call("2"), call("3")},
		`"ast_equivalence","config":{"stringify":true}`:                                              {call("2"), call("3")},
		`"trajectory_match","config":{"preset":"deepeval","evaluation_params":["input_parameters"]}`: {call("2"), call("3")},
		`"execution_check","config":{"preset":"tau_bench"}`:                                          {`{"final_state":` + list("2") + `}`, `{"state":` + list("3") + `}`},
		`"execution_check","config":{}`:                                                              {`{"final_state":` + list("2") + `}`, `{"state":` + strings.ReplaceAll(list("3"), "1", "2") + `}`},
	} {
		checkMemory(t, config, `{"scorer":`+config+`,"actual":`+sides[0]+`,"expected":`+sides[1]+"}\n")
	}
}

// TestDifferencesAreCounted: of many differences the first are printed, and all are counted.
func TestDifferencesAreCounted(t *testing.T) {
	zeros, ones := "["+strings.Repeat("0,", 59)+"0]", "["+strings.Repeat("1,", 59)+"1]"
	for scorer, side := range map[string]string{"execution_check": "", "three_layer": `"call":null,`} {
		result := oneCase(t, `{"scorer":"`+scorer+`","actual":{`+side+`"final_state":`+zeros+`},"expected":{`+side+`"state":`+ones+`}}`).Field("result")
		if result.Field("diff").Len() != 50 || result.Field("diff_more").JSON() != "10" || result.Field("exec_ok").Text() != "false" ||
			scorer == "execution_check" && !strings.Contains(result.Field("reason").Text(), "differs in 60 places: /0 changed") {
			t.Errorf("%s: %s", scorer, result.JSON())
		}
	}
}

// TestStatesAsText: states compare as the text that tau-bench makes of them.
func TestStatesAsText(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{`{"b":[1],"a":{}}`, `{"a":[],"b":[1]}`, true}, {`{"a":1}`, `[["a",1]]`, true}, {`[]`, `{}`, true},
		{`{"a":2}`, `{"a":2.0}`, false}, {`{"a":true}`, `{"a":1}`, false}, {`{"a":null}`, `{"a":"None"}`, false},
		{`[1,2]`, `[2,1]`, false}, {`{"a":[]}`, `{"a":0}`, false}, {`[1]`, `[1,1]`, false}, {`1e400`, `1e401`, false}, {`1e400`, `10e399`, true},
	} {
		if got := sameText(nested{v: mustParse(t, tt.a)}, nested{v: mustParse(t, tt.b)}); got != tt.same {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
	}
}

// checkMemory looks at the heap while a line is scored.
func checkMemory(t *testing.T, name, line string) {
	t.Helper()
	in := strings.NewReader(line)
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // garbage that nobody holds does not count
	runtime.GC()
	heap := func() uint64 {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return sample[0].Value.Uint64()
	}
	before, peak, done := heap(), uint64(0), make(chan struct{})
	var watched sync.WaitGroup
	watched.Go(func() {
		for {
			peak = max(peak, heap())
			select {
			case <-done:
				return
			case <-time.After(200 * time.Microsecond):
			}
		}
	})
	bad, err := ScoreCases(in, io.Discard, 1)
	close(done)
	watched.Wait()
	if bad > 0 || err != nil {
		t.Fatal(name, bad, err)
	}
	if ratio := float64(peak-min(peak, before)) / float64(len(line)); ratio > 12 {
		t.Errorf("%s: %.1f times the bytes of the line", name, ratio)
	}
}

// TestTooManyCalls: so many different calls are refused, and as many equal ones are scored.
func TestTooManyCalls(t *testing.T) {
	var different strings.Builder
	for i := range maxDifferentCalls + 1 {
		fmt.Fprintf(&different, `{"name":"f%d"},`, i)
	}
	const line = `{"scorer":"function_call_accuracy","actual":[%s{"name":"g"}],"expected":[{"name":"g"}]}`
	got := oneCase(t, fmt.Sprintf(line, different.String())).Field("error").Field("message").Text()
	if diff := cmp.Diff("actual: holds more than 100000 different calls: too many to score", got); diff != "" {
		t.Error(diff)
	}
	result := oneCase(t, fmt.Sprintf(line, strings.Repeat(`{"name":"f"},`, maxDifferentCalls+1))).Field("result")
	if result.Field("actual_count").Text() != "100002" || result.Field("score").JSON() != "1.0" {
		t.Error(result.JSON())
	}
}

// TestResultValues: what may be used of a result is its strings of four characters and more, and its
// numbers of three digits and more.
func TestResultValues(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":"abcd","to":"abc","n":123,"m":12,"ok":true,"at":"A-7"}`: "abcd 123",
		`["Oslo",["x1y2z3"],null]`:                                     "oslo x1y2z3",
		`{"id":"abcd","x":-1.5,"ok":"true"}`:                           "abcd",
		`{"n":900,"s":"---","t":"---9"}`:                               "900 ---9",
		`Mail a.b@c.de for "x_1-2".`:                                   `mail a.b@c.de for "x_1-2" mail a.b@c.de x_1-2`,
		`Order ab12 of Rome, 99 pieces.`:                               "order ab12 of rome, 99 pieces order ab12 rome pieces",
	} {
		if got := strings.Join(resultValues(text), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestUnfinishedRun: a run that did not end by itself has no reward, and the reason says so.
func TestUnfinishedRun(t *testing.T) {
	for terminated, want := range map[string]string{
		"true": `"reward":1.0`, "false": `state as expected, the run did not end by itself`, "null": `"reward":1.0`,
	} {
		out, err := scoreCase([]byte(`{"id":"i","scorer":"execution_check","config":{"preset":"tau_bench"},"expected":{"state":{"a":1}},` +
			`"actual":{"final_state":{"a":1},"terminated":` + terminated + `}}`))
		if err != nil || !strings.Contains(string(out), want) || terminated != "false" && strings.Contains(string(out), "did not end") {
			t.Errorf("terminated %s: %s, %v", terminated, out, err)
		}
	}
}

// TestExamplesOfWaste: the reason names the first three wasted calls.
func TestExamplesOfWaste(t *testing.T) {
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"i","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"i","content":"ok"},`
	out, err := scoreCase([]byte(`{"id":"i","scorer":"tool_efficiency","actual":[` + strings.Repeat(call, 5) + `{"role":"assistant","content":"Done."}]}`))
	if got := strings.Count(string(out), "; call "); err != nil || got != 3 {
		t.Errorf("%d examples: %s, %v", got, out, err)
	}
}
