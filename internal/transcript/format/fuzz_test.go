package format

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
)

// check reads a log and proves what holds for every log: calls and results point at
// each other, goroutines change nothing, and the native form keeps the content.
func check(t *testing.T, file, text string, opts Options) {
	opts.MaxConversationBytes = 1 << 20
	first, list := everything(t, file, text, opts)
	opts.Parallel = 2
	if again, _ := everything(t, file, text, opts); !slices.Equal(first, again) {
		t.Fatalf("with goroutines %q\nbecame %q", first, again)
	}
	for _, c := range list {
		consistent(t, c)
	}
	if len(first) > 0 && strings.Contains(first[len(first)-1], "no tool call was read") {
		return // so it is again
	}
	again := rewrite(t, list)
	for i, c := range list {
		want, _ := c.Hashes()
		if got, _ := again[i].Hashes(); got != want {
			t.Fatalf("the content changed on the way through native:\n%s%s", transcript.AppendNative(nil, c), transcript.AppendNative(nil, again[i]))
		}
	}
}

func everything(t *testing.T, file, text string, opts Options) (lines []string, list []*transcript.Conversation) {
	for c, err := range Open(context.Background(), file, strings.NewReader(text), opts).All() {
		var p *transcript.Problem
		var f *transcript.FormatError
		if err != nil && !errors.As(err, &p) && !errors.As(err, &f) {
			t.Fatalf("an error of no known type: %v", err)
		}
		if err != nil {
			lines = append(lines, err.Error())
			continue
		}
		content, _ := c.Hashes()
		lines = append(lines, summary(c)+content)
		list = append(list, c)
	}
	return lines, list
}

func consistent(t *testing.T, c *transcript.Conversation) {
	if c.ID == "" {
		t.Fatal("a conversation without an id")
	}
	seen := 0
	for i := range c.Messages {
		m := &c.Messages[i]
		for _, k := range m.Calls {
			if k != seen || c.Calls[k].Message != i || c.Calls[k].Step != m.Step || c.Calls[k].Index != k {
				t.Fatalf("call %d of message %d is %+v", k, i, c.Calls[k])
			}
			seen++
		}
		if m.Result >= 0 && (c.Calls[m.Result].Result != i || c.Calls[m.Result].Message >= i) {
			t.Fatalf("message %d answers %+v", i, c.Calls[m.Result])
		}
	}
	if seen != len(c.Calls) {
		t.Fatalf("%d of %d calls stand in messages", seen, len(c.Calls))
	}
	for _, call := range c.Calls {
		if (call.Result < 0) != (call.Pairing == "none") || call.Result >= 0 && c.Messages[call.Result].Result != call.Index {
			t.Fatalf("%+v", call)
		}
		if call.Arguments.JSON()[0] != '{' || call.Malformed && (call.Problem == "" || call.Arguments.Len() > 0) {
			t.Fatalf("%+v", call)
		}
		if call.Executor == "" || call.Place == "" {
			t.Fatalf("%+v", call)
		}
	}
	_ = transcript.AppendNative(nil, c)
}

func FuzzNative(f *testing.F) {
	for _, s := range []string{
		line1, line1 + "\nbroken\n" + line2, with(assistant(fn("1", "f", `"{}"`)), result("1", "x")),
		with(assistant(fn("1", "f", `{"a":1,"a":2}`), fn("1", "f", `"{'a':1}"`)), result("1", "x"), result("", "y")),
		`{"messages":[{"role":"assistant","content":[{"type":"text","text":"<tool_call>{\"name\":\"f\",\"arguments\":{}}"}]}],"labels":[{"name":"a","value":1e999}]}`,
		`{"messages":[{"role":"function","name":"x","content":{"a":1}}],"tools":{"f":"x"},"functions":[{"name":"g"}],"expected_calls":[{"name":"f","arguments":"{}"}]}`,
		"{\"messages\":[{\"role\":\"\x00\xff\"}],\"id\":1e5}",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, text string, textCalls bool) {
		check(t, "x.jsonl", text, Options{Format: native.name, TextCalls: textCalls})
	})
}

func FuzzDetected(f *testing.F) {
	for _, s := range []string{"[" + line1 + "," + line2 + "]", "[" + user + "]", "{\n\"messages\":[" + user + "]}\n" + line1, "\ufeff" + line1, "[[", `[{"a`, "{}", "PK\x03\x04",
		`{"object":"response","output":[]}`, "[" + line1 + "}]", "\x1f\x8b\x08\x00", "[" + line1 + ",", "[1]", "{\n", "[] x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, "x", text, Options{}) })
}

func FuzzRubricExample(f *testing.F) {
	f.Add(`{"conversation_context":[` + user + `,{"role":"tool","name":"f","parameters":{"a":1},"output":null}],"tools_inventory":[{"name":"f","parameters":{"a":"optional[list[string]]","b":"x|y","c":["d"]}}],"tool_call":{"name":"f","arguments":{"a":["x"]}}}`)
	f.Add(`{"conversation_context":"text","tool_call":[{"function":"f","args":"{'a': 1}"}],"messages":1,"tools":{"f":{"a":"int = 5"}}}`)
	f.Add(`{"user_kwargs":{"conversation_context":[` + user + `],"tool_call":{"name":"f","parameters":{}}},"rubric":"r","output":{"output":3,"a":{"output":1}}}`)
	f.Fuzz(func(t *testing.T, text string) { check(t, "x.jsonl", text, Options{Format: rubricExample.name}) })
}

func FuzzTau(f *testing.F) {
	f.Add(`[{"task_id":1,"trial":0,"reward":1,"labels":3,"info":{"task":{"actions":[{"name":"f","kwargs":{"a":1}}],"outputs":["1",2]}},"traj":[`+user+`]}]`, `{"task_id":1,"reward":0.0,"state_match":false}`)
	f.Add(`[{"task_id":2,"reward":0,"info":{"error":"e","traceback":"t"},"traj":[]},{}]`, "x\n{}\n{}")
	f.Fuzz(func(t *testing.T, text, gold string) {
		check(t, "x.json", text, Options{Format: tauBench.name})
		r := Open(context.Background(), "x.json", strings.NewReader(text), Options{Format: tauBench.name, Gold: strings.NewReader(gold)})
		for c, err := range r.All() {
			if err == nil {
				consistent(t, c)
			}
		}
	})
}

func FuzzTau2(f *testing.F) {
	f.Add(`{"info":{"environment_info":{"policy":"P","tool_defs":{"f":{}}}},"tasks":[{"id":"t","evaluation_criteria":{"actions":[{"name":"f","arguments":{"a":1},"compare_args":["a"]}],"communicate_info":["7"]}}],"simulations":[{"id":"s","task_id":"t","messages":[{"role":"assistant","tool_calls":[{"id":"1","name":"f","arguments":{"a":1},"requestor":"user"}]},{"role":"tool","tool_messages":[{"role":"tool","id":"1","content":"x","error":true}]}],"reward_info":{"reward":0.5}}]}`)
	f.Add(`{"simulations":[{"messages":null},1],"tasks":[],"info":1}`)
	f.Fuzz(func(t *testing.T, text string) { check(t, "x.json", text, Options{Format: tau2Results.name}) })
}

// Every format that has a made log is fuzzed from there, whatever the format that the text
// then is read as.
func FuzzSources(f *testing.F) {
	formats := Formats()
	for i, format := range formats {
		if write := madeFormats[format]; write != nil {
			m := madeCases["reverse order"]
			f.Add(write(&m), uint8(i))
			m = madeCases["no ids"]
			f.Add(write(&m), uint8(i))
		}
	}
	sub := `{"schema_version":"ATIF-v1.7","steps":[],"subagent_trajectories":[{"steps":[{"step_id":1,"source":"agent","message":"x"}]}]}`
	f.Add(sub, uint8(slices.Index(formats, "atif")))
	f.Add(`{"id":"t","observations":[{"id":"o","traceId":"t","type":"TOOL","name":"f","input":"{","level":"ERROR"}],"scores":[{"name":"n","value":1,"dataType":"NUMERIC"}]}`, uint8(slices.Index(formats, "langfuse-observation")))
	f.Add(`{"data":[{"spans":[{"traceID":"a","spanID":"b","tags":[{"key":"gen_ai.tool.name","value":"f"},{"key":"input.value","value":"x"}],"logs":[{"fields":[]}]}]}]}`, uint8(slices.Index(formats, "jaeger")))
	f.Fuzz(func(t *testing.T, text string, format uint8) {
		check(t, "x.jsonl", text, Options{Format: formats[int(format)%len(formats)]})
	})
}

func FuzzContainers(f *testing.F) {
	m := madeCases["plain"]
	data := exportedTraces(f, madeFormats["otlp+genai"](&m))
	for _, file := range [][]byte{data, sized(data), sized(zstdPacked(f, data)), zstdPacked(f, data), exportedLogs(f, madeFormats["otlp-logs"](&m)),
		[]byte(evalFile(f, 8, "header.json", evalHeader, "samples/a.json", evalSample)), []byte(evalFile(f, 93, "header.json", evalHeader, "samples/a/sample.json", "{}", "samples/a/messages/0.json", "[]"))} {
		f.Add(string(file))
	}
	f.Fuzz(func(t *testing.T, text string) { check(t, "x", text, Options{}) })
}

func TestHostileLogs(t *testing.T) {
	if testing.Short() { // for the race detector
		t.Skip("reads some hundred megabytes")
	}
	deep := strings.Repeat("[", 9000) + strings.Repeat("]", 9000)
	for name, text := range map[string]string{
		"a line of 20 MB":        `{"messages":[{"role":"user","content":"` + strings.Repeat("x", 20<<20) + `"}]}`,
		"deep":                   `{"messages":[` + user + `],"sample":` + deep + `}`,
		"too deep":               `{"messages":[` + user + `],"sample":` + deep + deep,
		"only brackets":          strings.Repeat("[", 1<<20),
		"many calls without ids": `{"messages":[{"role":"assistant","tool_calls":[` + strings.Repeat(`{"name":"f","arguments":"{}"},`, 20000) + `{"name":"g"}]},` + strings.Repeat(`{"role":"tool","name":"f","content":""},`, 20000) + user + `]}`,
		"many calls with one id": `{"messages":[{"role":"assistant","tool_calls":[` + strings.Repeat(`{"id":"1","name":"f","arguments":"{}"},`, 20000) + `{"name":"g"}]},` + strings.Repeat(`{"role":"tool","tool_call_id":"1","content":""},`, 20000) + user + `]}`,
		"names in reverse":       `{"messages":[{"role":"assistant","tool_calls":[` + strings.Repeat(`{"name":"f"},`, 20000) + `{"name":"g"}]},` + strings.Repeat(`{"role":"tool","name":"g","content":""},`, 20000) + user + `]}`,
		"braces in the text":     `{"messages":[{"role":"assistant","content":"\"name\" arguments ` + strings.Repeat(`{\"`, 300_000) + `"}]}`,
		"tags in the text":       `{"messages":[{"role":"assistant","content":"` + strings.Repeat(`<tool_call>`, 100_000) + `"}]}`,
		"many keys":              `{"messages":[` + user + `],"sample":{` + strings.Repeat(`"a":1,`, 200_000) + `"b":2}}`,
		"numbers":                `{"messages":[` + user + `],"sample":[1e999,-1e999,1e-999,` + strings.Repeat("9", 100_000) + `]}`,
		"zeros":                  strings.Repeat("\x00", 1<<20),
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			for c, err := range Open(context.Background(), "x.jsonl", strings.NewReader(text+"\n"+line2), Options{Format: native.name}).All() {
				var p *transcript.Problem
				if err != nil && !errors.As(err, &p) {
					t.Fatal(err)
				}
				if err == nil {
					consistent(t, c)
				}
				n++
			}
			want := 2
			if name == "only brackets" {
				want = 1 // an array that never ends takes in the rest
			}
			if n != want {
				t.Errorf("%d records", n)
			}
			for range Open(context.Background(), "x", strings.NewReader(text), Options{}).All() {
				break
			}
		})
	}
}
