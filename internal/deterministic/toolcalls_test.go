package deterministic

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// events builds an event list from short lines: "turn", "call ID NAME [ARGS]" and
// "result ID [JSON]"; a result without JSON has no result field.
func events(t testing.TB, script string) value.Value {
	t.Helper()
	var out []string
	for line := range strings.SplitSeq(script, ";") {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		id, rest, _ := strings.Cut(rest, " ")
		switch word {
		case "":
		case "turn":
			out = append(out, `{"type":"turn_start","data":{}}`)
		case "call":
			name, args, _ := strings.Cut(rest, " ")
			if args == "" {
				args = "{}"
			}
			out = append(out, fmt.Sprintf(`{"type":"tool_call","data":{"toolName":%q,"toolCallId":%q,"arguments":%s}}`, name, id, args))
		case "result":
			if rest != "" {
				rest = `,"result":` + rest
			}
			out = append(out, fmt.Sprintf(`{"type":"tool_result","data":{"toolCallId":%q%s}}`, id, rest))
		default:
			out = append(out, fmt.Sprintf(`{"type":%q}`, word))
		}
	}
	return parse(t, `{"events":[`+strings.Join(out, ",")+`]}`)
}

func TestToolCalls(t *testing.T) {
	const done = `call 1 create {"path":"a.ts"}; result 1 "ok"; call 2 bash {"command":"npm test"}; result 2 "PASS"`
	for _, tc := range []struct{ name, config, script, want string }{
		{"a name is searched, not anchored", `{"required":["eat"]}`, done, `{"passed":true,"score":1,"missing":[],"violated":[]}`},
		{"case counts", `{"required":["Create"]}`, done, `{"passed":false,"score":0,"missing":[0]}`},
		{"indexes of all missing", `{"required":["x","create","y"]}`, done, `{"missing":[0,2],"reason_contains":["required[0] \"x\"","required[2] \"y\""]}`},
		{"command", `{"required":[{"name":"bash","command":"^npm"}]}`, done, `{"passed":true}`},
		{"command differs", `{"required":[{"name":"bash","command":"yarn"}]}`, done, `{"passed":false}`},
		{"path", `{"required":[{"name":"create","path":"\\.ts$"}]}`, done, `{"passed":true}`},
		{"command absent on the named tool", `{"required":[{"name":"create","command":"x"}]}`, done, `{"error":"config"}`},
		{"command is looked at only after the name", `{"required":[{"name":"bash","command":"npm"}]}`, done, `{"passed":true}`},
		{"command no string", `{"required":[{"name":"b","command":"x"}]}`, `call 1 b {"command":["x"]}; result 1 1`, `{"error":"config"}`},
		{"command null", `{"required":[{"name":"b","command":"x"}]}`, `call 1 b {"command":null}; result 1 1`, `{"error":"config"}`},
		{"command empty is present", `{"required":[{"name":"b","command":"^$"}]}`, `call 1 b {"command":""}; result 1 1`, `{"passed":true}`},
		{"the error strikes after the entry is satisfied", `{"required":[{"name":"b","path":"x"}]}`, `call 1 b {"path":"x"}; result 1 1; call 2 b {}; result 2 1`, `{"error":"config"}`},
		{"but not on an ineligible call", `{"required":[{"name":"b","path":"x"}]}`, `call 1 b {"path":"x"}; result 1 1; call 2 b {}`, `{"passed":true}`},
		{"unless it is made eligible", `{"required":[{"name":"b","path":"x"}],"include_incomplete":true}`, `call 1 b {"path":"x"}; result 1 1; call 2 b {}`, `{"error":"config"}`},
		{"and on disallowed", `{"disallowed":[{"name":"b","path":"x"}]}`, `call 1 b {"path":"x"}; result 1 1; call 2 b {}; result 2 1`, `{"error":"config"}`},
		{"and in a sequence, complete or not", `{"sequence":[{"name":"b","path":"x"}]}`, `call 1 b {}`, `{"error":"config"}`},
		{"a wrong command ends the test before path", `{"required":[{"name":"b","command":"x","path":"y"}]}`, `call 1 b {"command":"z"}; result 1 1`, `{"passed":false}`},
		{"path is looked at after command", `{"required":[{"name":"b","path":"y","command":"x"}]}`, `call 1 b {"command":"z"}; result 1 1`, `{"passed":false}`},
		{"args", `{"required":[{"name":"b","args":{"p":"^a","q":"b$"}}]}`, `call 1 b {"p":"ax","q":"xb"}; result 1 1`, `{"passed":true}`},
		{"args absent", `{"required":[{"name":"b","args":{"p":""}}]}`, `call 1 b {}; result 1 1`, `{"passed":false}`},
		{"args no string", `{"required":[{"name":"b","args":{"p":"1"}}]}`, `call 1 b {"p":1}; result 1 1`, `{"passed":false}`},
		{"arguments that are no object", `{"required":[{"name":"b","args":{"p":""}}]}`, `call 1 b "p"; result 1 1`, `{"passed":false}`},
		{"arguments that are no object, command", `{"required":[{"name":"b","command":""}]}`, `call 1 b [1]; result 1 1`, `{"error":"config"}`},
		{"result", `{"required":[{"name":"bash","result":"PASS"}]}`, done, `{"passed":true}`},
		{"result differs", `{"required":[{"name":"bash","result":"^FAIL"}]}`, done, `{"passed":false}`},
		{"second try succeeds", `{"required":[{"name":"b","result":"OK"}]}`, `call 1 b; result 1 "no"; call 2 b; result 2 "OK"`, `{"passed":true}`},
		{"result of an incomplete call", `{"required":[{"name":"b","result":""}],"include_incomplete":true}`, `call 1 b`, `{"passed":false}`},
		{"result as JSON", `{"required":[{"name":"b","result":"^\\{\"b\":\\[1,5,100,1e\\+21,1e-7,null,true\\],\"a\":\"<é>\"\\}$"}]}`, `call 1 b; result 1 {"b": [1.0, 5.00, 1e2, 1e21, 1e-7, null, true], "a": "<é>"}`, `{"passed":true}`},
		{"result missing is null", `{"required":[{"name":"b","result":"^null$"}]}`, `call 1 b; result 1`, `{"passed":true}`},
		{"result string is not quoted", `{"required":[{"name":"b","result":"^x$"}]}`, `call 1 b; result 1 "x"`, `{"passed":true}`},
		{"min_count", `{"required":[{"name":"b","min_count":2}]}`, `call 1 b; result 1 1; call 2 b; result 2 1`, `{"passed":true}`},
		{"min_count, one incomplete", `{"required":[{"name":"b","min_count":2}]}`, `call 1 b; result 1 1; call 2 b`, `{"passed":false}`},
		{"final", `{"required":[{"name":"bash","final":true}]}`, done, `{"passed":true}`},
		{"final, but another follows", `{"required":[{"name":"create","final":true}]}`, done, `{"passed":false}`},
		{"the last call counts though it is incomplete", `{"required":[{"name":"create","final":true}]}`, `call 1 create; result 1 1; call 2 x`, `{"passed":false}`},
		{"final of an incomplete call", `{"required":[{"name":"b","final":true}]}`, `call 1 b`, `{"passed":false}`},
		{"final false asks nothing", `{"required":[{"name":"create","final":false}]}`, done, `{"passed":true}`},
		{"final with min_count", `{"required":[{"name":"b","final":true,"min_count":2}]}`, `call 1 b; result 1 1; call 2 b; result 2 1`, `{"passed":true}`},
		{"final outside the window", `{"required":[{"name":"b","final":true,"at_step":0}]}`, `turn; call 1 b; result 1 1; turn; call 2 b; result 2 1`, `{"passed":false}`},
		{"no turn is step 0", `{"required":[{"name":"b","at_step":0}]}`, `call 1 b; result 1 1`, `{"passed":true}`},
		{"before the first turn is step 0", `{"required":[{"name":"b","at_step":0}]}`, `call 1 b; turn; turn; result 1 1`, `{"passed":true}`},
		{"first turn is step 0", `{"required":[{"name":"b","at_step":0}]}`, `turn; call 1 b; result 1 1`, `{"passed":true}`},
		{"second turn is step 1", `{"required":[{"name":"b","at_step":1}]}`, `turn; turn; call 1 b; result 1 1`, `{"passed":true}`},
		{"the step is the call's", `{"required":[{"name":"b","at_step":0}]}`, `turn; call 1 b; turn; result 1 1`, `{"passed":true}`},
		{"before_step", `{"required":[{"name":"b","before_step":3}]}`, `turn; turn; turn; call 1 b; result 1 1`, `{"passed":true}`},
		{"before_step is exclusive", `{"required":[{"name":"b","before_step":3}]}`, `turn; turn; turn; turn; call 1 b; result 1 1`, `{"passed":false}`},
		{"both ends of the window", `{"required":[{"name":"b","at_step":1,"before_step":2}]}`, `turn; turn; call 1 b; result 1 1`, `{"passed":true}`},
		{"disallowed", `{"disallowed":["x","bash"]}`, done, `{"passed":false,"violated":[1],"missing":[],"reason_contains":["disallowed[1] \"bash\""]}`},
		{"disallowed and incomplete", `{"disallowed":["b"]}`, `call 1 b`, `{"passed":true}`},
		{"disallowed, incomplete included", `{"disallowed":["b"],"include_incomplete":true}`, `call 1 b`, `{"passed":false}`},
		{"disallowed result", `{"disallowed":[{"name":"bash","result":"FAIL"}]}`, done, `{"passed":true}`},
		{"the reason of a pass", `{"required":["create"]}`, done, `{"reason":"everything required was called, nothing disallowed"}`},
		{"the reason of a failure", `{"required":["x"],"disallowed":["bash"],"sequence":["^a","^b"]}`, done,
			`{"reason":"missing: required[0] \"x\"; violated: disallowed[0] \"bash\" by call 1 (bash); ` +
				`not reached: sequence[0] \"^a\"; not reached: sequence[1] \"^b\""}`},
		{"sequence with others between", `{"sequence":["a","c"]}`, `call 1 a; call 2 b; call 3 c`, `{"passed":true,"sequence_matched":2}`},
		{"sequence out of order", `{"sequence":["c","a"]}`, `call 1 a; call 2 c`, `{"passed":false,"sequence_matched":1,"reason_contains":["sequence[1] \"a\""]}`},
		{"one call serves one entry", `{"sequence":["a","a"]}`, `call 1 a`, `{"passed":false,"sequence_matched":1}`},
		{"empty sequence beside a filled list", `{"sequence":[],"required":["a"]}`, `call 1 a; result 1 1`, `{"passed":true,"sequence_matched":0}`},
		{"other events are errors", `{"required":["a"]}`, `call 1 a; noise; result 1 1`, `{"error":"config"}`},
		{"result before the call", `{"required":["a"]}`, `result 1 1; call 1 a`, `{"passed":false}`},
		{"result with another id", `{"required":["a"]}`, `call 1 a; result 2 1`, `{"passed":false}`},
		{"recurring ids complete in order", `{"required":[{"name":"b","min_count":1}],"disallowed":["c"]}`, `call 1 b; call 1 c; result 1 1`, `{"passed":true}`},
		{"each result completes one call", `{"required":["b","c"]}`, `call 1 b; call 1 c; result 1 1; result 1 1; result 1 1`, `{"passed":true}`},
		{"a later result changes nothing", `{"required":[{"name":"b","result":"two"}]}`, `call 1 b; result 1 "one"; result 1 "two"`, `{"passed":false}`},
		{"no calls at all", `{"disallowed":["a"]}`, ``, `{"passed":true}`},
		{"inline flags", `{"required":["(?i)CREATE"]}`, done, `{"passed":true}`},
		{"look-behind", `{"required":[{"name":"bash","command":"(?<=npm )test"}]}`, done, `{"passed":true}`},
		{"a hostile pattern is an error, not a stall", `{"required":[{"name":"b","command":"^(?=(a+)+$)[ab]"}]}`, `call 1 b {"command":"` + strings.Repeat("a", 60) + `!"}; result 1 1`, `{"error":"config"}`},
	} {
		c := value.OfObject(
			value.Member{Key: "config", Value: parse(t, tc.config)},
			value.Member{Key: "actual", Value: events(t, tc.script)},
			value.Member{Key: "want", Value: parse(t, tc.want)})
		checkCase(t, tc.name, newToolCalls, c)
	}
}

func TestToolCallsConfig(t *testing.T) {
	for _, config := range []string{
		`{}`, `null`, `[]`, `"x"`, `{"include_incomplete":true}`, `{"required":[]}`, `{"required":[],"disallowed":[],"sequence":[]}`,
		`{"required":"create"}`, `{"required":null}`, `{"required":{}}`, `{"required":["a"],"sequence":1}`,
		`{"required":[1]}`, `{"required":[null]}`, `{"required":[["a"]]}`, `{"required":[{}]}`, `{"required":[{"name":1}]}`, `{"required":[{"name":null}]}`,
		`{"required":[{"command":"x"}]}`, `{"required":[{"name":"a","comand":"x"}]}`, `{"requierd":["a"]}`, `{"required":["a"],"include_incomplete":"yes"}`,
		`{"required":[{"name":"a","command":1}]}`, `{"required":[{"name":"a","path":["x"]}]}`, `{"required":[{"name":"a","result":5}]}`,
		`{"required":[{"name":"a","args":"x"}]}`, `{"required":[{"name":"a","args":["x"]}]}`, `{"required":[{"name":"a","args":{"p":1}}]}`,
		`{"required":[{"name":"a","min_count":2.0}]}`, `{"required":[{"name":"a","at_step":1e0}]}`,
		`{"required":[{"name":"a","min_count":0}]}`, `{"required":[{"name":"a","min_count":-1}]}`, `{"required":[{"name":"a","min_count":1.5}]}`,
		`{"required":[{"name":"a","min_count":"2"}]}`, `{"required":[{"name":"a","min_count":true}]}`, `{"required":[{"name":"a","min_count":null}]}`,
		`{"required":[{"name":"a","final":"true"}]}`, `{"required":[{"name":"a","final":1}]}`,
		`{"required":[{"name":"a","at_step":-1}]}`, `{"required":[{"name":"a","at_step":"0"}]}`, `{"required":[{"name":"a","before_step":0}]}`,
		`{"required":[{"name":"a","at_step":2,"before_step":2}]}`, `{"required":[{"name":"a","at_step":3,"before_step":2}]}`,
		`{"disallowed":[{"name":"a","min_count":1}]}`, `{"disallowed":[{"name":"a","final":true}]}`, `{"disallowed":[{"name":"a","at_step":0}]}`, `{"disallowed":[{"name":"a","before_step":1}]}`,
		`{"sequence":[{"name":"a","result":"x"}]}`, `{"sequence":[{"name":"a","min_count":1}]}`, `{"sequence":[{"name":"a","final":true}]}`, `{"sequence":[{"name":"a","at_step":1}]}`, `{"sequence":[{"name":"a","before_step":1}]}`,
		`{"required":["("]}`, `{"required":["*a"]}`, `{"required":["a{2,1}"]}`, `{"required":["[b-a]"]}`, `{"required":["a(?i)b"]}`, `{"required":[{"name":"a","command":"["}]}`,
		`{"required":[{"name":"a","args":{"p":"("}}]}`, `{"required":[{"name":"a","result":"x**"}]}`, `{"required":["a"],"disallowed":["("]}`, `{"required":["a"],"sequence":["("]}`,
	} {
		s, err := newToolCalls(parse(t, config))
		var e *Error
		if !errors.As(err, &e) || e.Kind != configKind || e.Field == "" || s != nil {
			t.Errorf("%s: %v, want an error of the configuration that names a field", config, err)
		}
	}
	for _, config := range []string{
		`{"required":["a"]}`, `{"required":[],"disallowed":["a"]}`, `{"sequence":["a"]}`, `{"required":[{"name":""}]}`,
		`{"required":[{"name":"a","at_step":0,"before_step":1,"final":false,"min_count":100000000000000000000}]}`,
		`{"disallowed":[{"name":"a","command":"b","path":"c","args":{"d":"e"},"result":"f"}]}`, `{"sequence":[{"name":"a","command":"b","path":"c","args":{}}]}`,
	} {
		if _, err := newToolCalls(parse(t, config)); err != nil {
			t.Errorf("%s: %v", config, err)
		}
	}
}

func TestToolCallsActual(t *testing.T) {
	s, err := newToolCalls(parse(t, `{"required":["a"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, actual := range []string{`null`, `[]`, `{}`, `{"events":{}}`, `"text"`} {
		if res, err := s.Score(Input{Actual: parse(t, actual)}); err == nil {
			t.Errorf("actual %s scores %v, want an error", actual, *res.Score)
		}
	}
}

// TestToolCallsEvents: an event that cannot be read is an error that names its place, so that
// no disallowed call hides in it.
func TestToolCallsEvents(t *testing.T) {
	s, err := newToolCalls(parse(t, `{"disallowed":["^bash$"],"include_incomplete":true}`))
	if err != nil {
		t.Fatal(err)
	}
	const good = `{"type":"turn_start","data":{"id":"7"}},{"type":"tool_call","data":{"toolName":"view"}},{"type":"tool_result"}`
	for event, want := range map[string]string{
		`{"type":"tool_cal","data":{"toolName":"bash"}}`:  `actual.events[3].type: is "tool_cal", must be turn_start, tool_call or tool_result`,
		`{"type":"tool-call","data":{"toolName":"bash"}}`: `actual.events[3].type: is "tool-call", must be`,
		`{"data":{"toolName":"bash"}}`:                    `actual.events[3].type: is missing, must be`,
		`{"type":5}`:                                      `actual.events[3].type: is 5, must be`,
		`"tool_call"`:                                     `actual.events[3].type: is missing`,
		`null`:                                            `actual.events[3].type: is missing`,
		`{"type":"tool_call","data":{"name":"bash"}}`:     `actual.events[3].data.toolName: is missing, must be the name of the tool`,
		`{"type":"tool_call","toolName":"bash"}`:          `actual.events[3].data.toolName: is missing`,
		`{"type":"tool_call","data":{"toolName":"view","call_id":"1"}}`: `actual.events[3].data.call_id: is "1", must be under toolCallId`,
		`{"type":"tool_result","data":{"id":5}}`:                        `actual.events[3].data.id: is 5, must be under toolCallId`,
		`{"type":"tool_call","data":{"toolName":7}}`:                    `actual.events[3].data.toolName: is 7, must be`,
		`{"type":"tool_call","data":{"toolName":""}}`:                   `actual.events[3].data.toolName: is "", must be`,
	} {
		res, err := s.Score(Input{Actual: parse(t, `{"events":[`+good+`,`+event+`]}`)})
		var e *Error
		if !errors.As(err, &e) || e.Kind != configKind || !strings.HasPrefix(e.Error(), want) {
			t.Errorf("%s: %+v %v, want %s", event, res, err, want)
		}
	}
	if res, err := s.Score(Input{Actual: parse(t, `{"events":[`+good+`]}`)}); err != nil || !*res.Passed {
		t.Errorf("%+v %v", res, err)
	}
}

// FuzzToolCalls checks that no configuration and no log panics, and that a score
// always agrees with passed.
func FuzzToolCalls(f *testing.F) {
	f.Add(`{"required":[{"name":"b","args":{"p":"^a"},"min_count":1}],"sequence":["x"]}`, `{"events":[{"type":"tool_call","data":{"toolName":"b","toolCallId":"1","arguments":{"p":"a"}}}]}`)
	f.Add(`{"disallowed":["(?i)x"],"include_incomplete":true}`, `{"events":[{"type":"tool_result"}]}`)
	f.Fuzz(func(t *testing.T, config, actual string) {
		c, err1 := value.ParseString(config)
		a, err2 := value.ParseString(actual)
		if err1 != nil || err2 != nil {
			return
		}
		s, err := newToolCalls(c)
		if err != nil {
			return
		}
		res, err := s.Score(Input{Actual: a})
		if err == nil && *res.Passed != (*res.Score == 1) {
			t.Fatalf("passed %v with score %v", *res.Passed, *res.Score)
		}
	})
}

func BenchmarkToolCalls(b *testing.B) {
	s, err := newToolCalls(parse(b, `{"required":["create",{"name":"bash","command":"npm test"}],"disallowed":[{"name":"view","path":"secret\\.env$"}],"sequence":["validate","create"]}`))
	if err != nil {
		b.Fatal(err)
	}
	in := Input{Actual: events(b, `turn; call 1 validate; result 1 "ok"; call 2 create {"path":"a.ts"}; result 2 "ok"; turn; call 3 view {"path":"b.ts"}; result 3 "text"; call 4 bash {"command":"npm test"}; result 4 "PASS"`)}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Score(in); err != nil {
			b.Fatal(err)
		}
	}
}

// TestEventIDKeys: a result whose id stands under another key would leave its call open, and a
// disallowed call that is open does not count.
func TestEventIDKeys(t *testing.T) {
	for event, want := range map[string]string{
		`{"type":"tool_result","data":{"tool_call_id":"1","result":"ok"}}`: "actual.events[1].data.tool_call_id",
		`{"type":"tool_call","data":{"toolName":"g","id":"1"}}`:            "actual.events[1].data.id",
		`{"type":"turn_start","data":{"id":"1"}}`:                          "",
		`{"type":"tool_result","data":{"toolCallId":"1","id":"x"}}`:        "",
		`{"type":"tool_result","data":{}}`:                                 "",
	} {
		line := `{"scorer":"tool_calls","config":{"disallowed":["bash"]},"actual":{"events":[` +
			`{"type":"tool_call","data":{"toolName":"bash","toolCallId":"1"}},` + event + `]}}`
		got := oneCase(t, line).Field("error").Field("message").Text()
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", event, got)
		}
	}
}

// TestEntriesShareABudget: a pattern that backtracks on the texts of a log is given up once, not
// with every conversation.
func TestEntriesShareABudget(t *testing.T) {
	const slow = `^(a+)+\1$`
	hostile := strings.Repeat("a", 40) + "!"
	l, err := ForLog([]Config{
		{Type: "tool_calls", Config: mustParse(t, `{"disallowed":[{"name":"f","args":{"x":"`+strings.ReplaceAll(slow, `\`, `\\`)+`"}}]}`)},
		{Type: "tool_efficiency", Config: mustParse(t, `{"equivalents":[{"prefer":"g","over":"f","if":{"x":"`+strings.ReplaceAll(slow, `\`, `\\`)+`"}}]}`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	spent := 0
	for range 5 {
		c := &transcript.Conversation{
			Tools:    []transcript.Tool{{Name: "f"}, {Name: "g"}},
			Messages: []transcript.Message{{Role: transcript.Assistant, Calls: []int{0}, Result: -1}, {Role: transcript.ToolRole, Result: 0}},
			Calls:    []transcript.Call{{Name: "f", Arguments: mustParse(t, `{"x":"`+hostile+`"}`), Result: 1, Executor: "client"}},
		}
		for _, s := range l.Score(c) {
			if s.Status != score.Error || s.Error == nil {
				t.Errorf("%s: %+v", s.Name, s)
			} else if strings.Contains(s.Error.Message, "have taken their time") {
				spent++
			}
		}
	}
	if spent != 9 {
		t.Errorf("%d of 10 matches were given up without a try, want 9", spent)
	}
}
