package format

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
)

// dialect writes a conversation as a framework does. In call and result {id:KEY} is the member
// KEY with the id of the call, {args} the arguments as JSON, {text} the JSON text of them, and
// {n} the number of the call; both are joined by commas.
type dialect struct {
	wrap string
	// user has {part} where a part of an unknown type goes; "" in the place of {part} means that
	// messages have no parts.
	user, part   string
	agent        string
	call, result string
	// results holds {results} where one message carries all of them.
	results string
	// lines says that messages are lines.
	lines bool
}

const chatCall = `{{id:id}"type":"function","function":{"name":"f","arguments":{text}}}`

// dialects are those of the formats whose messages are alike but for the names of things.
var dialects = map[string]dialect{
	"langchain-messages": {wrap: `{"messages":[{all}]}`, user: `{"type":"human","content":[{"type":"text","text":"Where?"}{part}]}`,
		part: `,{"type":"hologram"}`, agent: `{"type":"ai","content":"","tool_calls":[{calls}]}`,
		call: `{{id:id}"name":"f","args":{args},"type":"tool_call"}`, result: `{"type":"tool",{id:tool_call_id}"content":"r{n}"}`},
	"pydantic-ai": {wrap: `[{all}]`, user: `{"kind":"request","parts":[{"part_kind":"user-prompt","content":"Where?"}{part}]}`,
		part: `,{"part_kind":"hologram","x":1}`, agent: `{"kind":"response","parts":[{calls}]}`,
		call:    `{"part_kind":"tool-call",{id:tool_call_id}"tool_name":"f","args":{args}}`,
		results: `{"kind":"request","parts":[{results}]}`,
		result:  `{"part_kind":"tool-return","tool_name":"f",{id:tool_call_id}"content":"r{n}"}`},
	"vercel-model-messages": {wrap: `[{all}]`, user: `{"role":"user","content":[{"type":"text","text":"Where?"}{part}]}`,
		part: `,{"type":"hologram"}`, agent: `{"role":"assistant","content":[{calls}]}`,
		call:    `{"type":"tool-call",{id:toolCallId}"toolName":"f","input":{args}}`,
		results: `{"role":"tool","content":[{results}]}`,
		result:  `{"type":"tool-result",{id:toolCallId}"toolName":"f","output":{"type":"text","value":"r{n}"}}`},
	"bedrock-converse": {wrap: `{"messages":[{all}],"toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{"type":"object"}}}}]}}`,
		user: `{"role":"user","content":[{"text":"Where?"}{part}]}`, part: `,{"hologram":{"x":1}}`,
		agent: `{"role":"assistant","content":[{calls}]}`, call: `{"toolUse":{{id:toolUseId}"name":"f","input":{args}}}`,
		results: `{"role":"user","content":[{results}]}`, result: `{"toolResult":{{id:toolUseId}"content":[{"text":"r{n}"}]}}`},
	"gemini": {wrap: `{"contents":[{all}],"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","properties":{"a":{"type":"INTEGER"}}}}]}]}`,
		user: `{"role":"user","parts":[{"text":"Where?"}{part}]}`, part: `,{"hologram":{"x":1}}`,
		agent: `{"role":"model","parts":[{calls}]}`, call: `{"functionCall":{{id:id}"name":"f","args":{args}}}`,
		results: `{"role":"user","parts":[{results}]}`, result: `{"functionResponse":{{id:id}"name":"f","response":{"output":"r{n}"}}}`},
	"adk-session": {wrap: `{"id":"s","events":[{all}]}`, user: `{"author":"user","content":{"role":"user","parts":[{"text":"Where?"}{part}]}}`,
		part: `,{"hologram":{"x":1}}`, agent: `{"author":"shop","content":{"role":"model","parts":[{calls}]}}`,
		call:    `{"functionCall":{{id:id}"name":"f","args":{args}}}`,
		results: `{"author":"shop","content":{"role":"user","parts":[{results}]}}`,
		result:  `{"functionResponse":{{id:id}"name":"f","response":{"output":"r{n}"}}}`},
	"claude-code": {wrap: `{all}`, lines: true,
		user: `{"type":"user","sessionId":"s","uuid":"u1","message":{"role":"user","content":[{"type":"text","text":"Where?"}{part}]}}`,
		part: `,{"type":"hologram"}`, agent: `{"type":"assistant","sessionId":"s","uuid":"u2","message":{"role":"assistant","content":[{calls}]}}`,
		call:    `{"type":"tool_use",{id:id}"name":"f","input":{args}}`,
		results: `{"type":"user","sessionId":"s","uuid":"u3","message":{"role":"user","content":[{results}]}}`,
		result:  `{"type":"tool_result",{id:tool_use_id}"content":"r{n}"}`},
	"codex": {wrap: `{"type":"session_meta","payload":{"id":"s"}}` + "\n{all}", lines: true,
		user: `{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Where?"}{part}]}}`,
		part: `,{"type":"hologram"}`, agent: `{calls}`,
		call:   `{"type":"response_item","payload":{"type":"function_call",{id:call_id}"name":"f","arguments":{text}}}`,
		result: `{"type":"response_item","payload":{"type":"function_call_output",{id:call_id}"output":"r{n}"}}`},
	"openai-agents-session": {wrap: `[{all}]`, user: `{"role":"user","content":[{"type":"input_text","text":"Where?"}{part}]}`,
		part: `,{"type":"hologram"}`, agent: `{calls}`,
		call:   `{"type":"function_call",{id:call_id}"name":"f","arguments":{text}}`,
		result: `{"type":"function_call_output",{id:call_id}"output":"r{n}"}`},
	"message-rows": {wrap: `{all}`, lines: true, user: `{"conversation_id":"c","role":"user","content":[{"type":"text","text":"Where?"}{part}]}`,
		part: `,{"type":"hologram"}`, agent: `{"conversation_id":"c","role":"assistant","content":null,"tool_calls":[{calls}]}`,
		call: chatCall, result: `{"conversation_id":"c","role":"tool",{id:tool_call_id}"content":"r{n}"}`},
	"message-lines": {wrap: `{all}`, lines: true, user: `{"role":"user","content":[{"type":"text","text":"Where?"}{part}]}`,
		part: `,{"type":"hologram"}`, agent: `{"role":"assistant","content":null,"tool_calls":[{calls}]}`,
		call: chatCall, result: `{"role":"tool",{id:tool_call_id}"content":"r{n}"}`},
	"http-exchanges": {wrap: `[{"url":"u","status":200,"request":{"messages":[{all}]},"response":{"choices":[{"message":{"role":"assistant","content":"x"}}]}}]`,
		user: `{"role":"user","content":[{"type":"text","text":"Where?"}{part}]}`, part: `,{"type":"hologram"}`,
		agent: `{"role":"assistant","content":null,"tool_calls":[{calls}]}`, call: chatCall,
		result: `{"role":"tool",{id:tool_call_id}"content":"r{n}"}`},
	"request-response": {wrap: `{"id":"x","call_type":"completion","messages":[{all}],"response":{"choices":[{"message":{"role":"assistant","content":"x"}}]}}`,
		user: `{"role":"user","content":[{"type":"text","text":"Where?"}{part}]}`, part: `,{"type":"hologram"}`,
		agent: `{"role":"assistant","content":null,"tool_calls":[{calls}]}`, call: chatCall,
		result: `{"role":"tool",{id:tool_call_id}"content":"r{n}"}`},
	"wrapped-messages": {wrap: `{"input":{"messages":[{all}]},"score":1}`, user: `{"role":"user","content":[{"type":"text","text":"Where?"}{part}]}`,
		part: `,{"type":"hologram"}`, agent: `{"role":"assistant","content":null,"tool_calls":[{calls}]}`, call: chatCall,
		result: `{"role":"tool",{id:tool_call_id}"content":"r{n}"}`},
	"sharegpt": {wrap: `{"conversations":[{all}]}`, user: `{"from":"human","value":"Where?"}`,
		agent: `{"from":"function_call","value":"[{calls}]"}`, call: `{{id:id}"name":"f","arguments":{args}}`,
		result: `{"from":"observation","value":"r{n}"}`},
	"vercel-ui-messages": {wrap: `{"messages":[{all}]}`, user: `{"id":"u","role":"user","parts":[{"type":"text","text":"Where?"}{part}]}`,
		part: `,{"type":"hologram"}`, agent: `{"id":"a","role":"assistant","parts":[{"type":"step-start"},{calls}]}`,
		call: `{"type":"tool-f",{id:toolCallId}"state":"output-available","input":{args},"output":"r{n}"}`},
	"tooltalk": {wrap: `{"suites_used":[],"apis_used":[],"conversation":[{all}]}`, user: `{"role":"user","text":"Where?"}`,
		agent: `{"role":"assistant","text":"x","apis":[{calls}]}`,
		call:  `{"request":{"api_name":"f","parameters":{args}},"response":"r{n}","exception":null}`},
	"api-bank": {wrap: `{all}`, lines: true, user: `{"role": "User", "text": "Where?"}`, agent: `{calls}`,
		call: `{"role":"API","api_name":"f","param_dict":{args},"result":{"api_name":"f","input":{},"output":"r{n}","exception":null}}`},
	"toolbench": {wrap: `{"answer_generation":{"train_messages":[[{all}]]}}`, user: `{"role":"user","content":"Where?"}`,
		agent: `{"role":"assistant","content":null,"tool_calls":[{calls}]}`, call: chatCall,
		result: `{"role":"tool",{id:tool_call_id}"content":"r{n}"}`},
}

var idMember = regexp.MustCompile(`\{id:(\w+)\}`)

func (d *dialect) fill(text, id, args string, n int) string {
	text = idMember.ReplaceAllStringFunc(text, func(m string) string {
		if id == "" {
			return ""
		}
		return `"` + idMember.FindStringSubmatch(m)[1] + `":"` + id + `",`
	})
	asJSONText := args
	if args[0] != '"' {
		asJSONText = strconv.Quote(args)
	}
	return strings.NewReplacer("{args}", args, "{text}", asJSONText, "{n}", fmt.Sprint(n)).Replace(text)
}

// log writes a conversation with calls, of which those are answered whose numbers are given.
func (d *dialect) log(ids, args []string, answered []int, part string) string {
	var calls, results []string
	for i, a := range args {
		calls = append(calls, d.fill(d.call, ids[i], a, i))
	}
	for _, i := range answered {
		if d.result != "" {
			results = append(results, d.fill(d.result, ids[i], args[i], i))
		}
	}
	between := ","
	if d.lines {
		between = "\n"
	}
	inside := ","
	if d.lines && d.agent == "{calls}" {
		inside = "\n"
	}
	list := strings.Join(calls, inside)
	if strings.Contains(d.agent, `"[{calls}]"`) {
		list = strings.Trim(strconv.Quote(list), `"`)
	}
	all := []string{strings.Replace(d.user, "{part}", part, 1), strings.Replace(d.agent, "{calls}", list, 1)}
	if d.results != "" && len(results) > 0 {
		all = append(all, strings.Replace(d.results, "{results}", strings.Join(results, ","), 1))
	} else {
		all = append(all, results...)
	}
	return strings.Replace(d.wrap, "{all}", strings.Join(all, between), 1)
}

// inOne says that the part of a call holds its result too.
func (d *dialect) inOne() bool { return d.result == "" }

// TestEveryDialect: what goes wrong in real logs comes out the same whatever the framework.
func TestEveryDialect(t *testing.T) {
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			read := func(ids, args []string, answered []int, part string) *transcript.Conversation {
				t.Helper()
				text := d.log(ids, args, answered, part)
				if got, err := Detect([]byte(text)); got.Format != name || err != nil {
					t.Fatalf("%s\nis taken for %s, %v", text, got.Format, err)
				}
				check(t, "x.json", text, Options{})
				lines, list := readText(t, "x.json", text, Options{})
				if len(list) != 1 || len(list[0].Calls) != len(args) {
					t.Fatalf("%s\nreads as %v", text, lines)
				}
				return list[0]
			}
			one := []string{`{"a":90071992547409931}`}
			c := read([]string{"k1"}, one, []int{0}, "")
			call := c.Calls[0]
			if call.Name != "f" || call.Result < 0 || strings.ReplaceAll(call.RawArguments, " ", "") != one[0] || call.Malformed {
				t.Errorf("a call with a result is %+v", call)
			}
			if c.Messages[0].Role != transcript.User || c.Messages[0].Content != "Where?" {
				t.Errorf("the user says %+v", c.Messages[0])
			}
			d.resultsOf(t, read([]string{"", ""}, []string{`{"a":1}`, `{"a":2}`}, []int{0, 1}, ""), "without ids")
			d.resultsOf(t, read([]string{"k1", "k2"}, []string{`{"a":1}`, `{"a":2}`}, []int{1, 0}, ""), "answered in reverse")
			if c := read([]string{"k1"}, []string{`"{\"a\": "`}, []int{0}, ""); !c.Calls[0].Malformed || c.Calls[0].RawArguments != `{"a": ` {
				t.Errorf("arguments that are no JSON are %+v", c.Calls[0])
			}
			if c := read([]string{"k1"}, one, nil, ""); !d.inOne() && (c.Calls[0].Result >= 0 || unpaired(c) != 1) {
				t.Errorf("a call without a result is %+v", c.Calls[0])
			}
			if d.part != "" {
				c := read([]string{"k1"}, one, []int{0}, d.part)
				if !strings.Contains(c.Messages[0].Content, "[hologram]") || !strings.Contains(noteKinds(c), "part_not_text") {
					t.Errorf("a part of an unknown type gives %q and the notes %s", c.Messages[0].Content, noteKinds(c))
				}
			}
			text := d.log([]string{"k1"}, one, []int{0}, "")
			cut := text[:len(text)-3]
			if lines, _ := readText(t, "x.json", cut, Options{Format: name}); !strings.Contains(strings.Join(lines, "\n"), "error: ") {
				t.Errorf("a log that is cut short reads as %v", lines)
			}
		})
	}
}

// resultsOf checks that every call has its own result.
func (d *dialect) resultsOf(t *testing.T, c *transcript.Conversation, what string) {
	t.Helper()
	reversed := what == "answered in reverse" && !d.inOne() && d.fill(d.result+"{id:x}", "", `""`, 0) == d.fill(d.result, "k", `""`, 0)
	for i, call := range c.Calls {
		want := fmt.Sprintf("r%d", i)
		if reversed {
			want = fmt.Sprintf("r%d", len(c.Calls)-1-i) // the framework's results name no call: the order counts
		}
		if call.Result < 0 || !strings.Contains(c.Messages[call.Result].Content, want) {
			t.Errorf("%s: call %d is answered by %+v", what, i, call)
		}
	}
}

func noteKinds(c *transcript.Conversation) string {
	var kinds []string
	for _, n := range c.Notes {
		kinds = append(kinds, n.Kind)
	}
	return strings.Join(kinds, " ")
}

// FuzzFrameworks: no log of any framework ends badly, and each comes through native unchanged.
func FuzzFrameworks(f *testing.F) {
	var names []string
	for _, format := range formats {
		if format.read == nil {
			continue
		}
		names = append(names, format.name)
		if d, ok := dialects[format.name]; ok {
			f.Add(d.log([]string{"k1", ""}, []string{`{"a":1}`, `"{"`}, []int{1, 0}, d.part), uint8(len(names)-1))
		}
	}
	for _, text := range []string{
		`{"results":{"results":[{"prompt":{"raw":"[{\"role\":\"user\"}]"},"testIdx":0,"promptIdx":0,"response":{"output":"[{\"name\":\"f\",\"arguments\":{}}]"},"success":true,"namedScores":{"a":1}}]}}`,
		`{"info":{"trace_id":"t","assessments":[{"assessment_name":"a","feedback":{"value":true}}]},"data":{"spans":[{"name":"f","attributes":{"mlflow.spanType":"\"TOOL\"","mlflow.spanInputs":"{}"}}]}}`,
		`{"id":1,"query":"q","tools":"[]","answers":"[{\"name\":\"f\",\"arguments\":{}}]"}`,
		`{"eval_cases":[{"eval_id":"e","conversation":[{"user_content":{"parts":[{"text":"x"}]},"intermediate_data":{"tool_uses":[{"name":"f","args":{}}],"tool_responses":[{"name":"f","response":{}}]}}]}]}`,
		`{"turns":[{"role":"user","content":"x"},{"role":"assistant","tools_called":[{"name":"f","input_parameters":{},"output":1}]}],"scenario":"s","expected_tools":[{"name":"f"}]}`,
		`{"metadata":{},"steps":[{"kind":"x_thought","reasoning":"y"},{"kind":"f_action","a":1},{"kind":"f_observation","error":"e"}]}`,
		`[{"url":"u","request":{"messages":[]},"status":200,"response":"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"f\"}}]}}]}\n\n"}]`,
	} {
		for k := range names {
			f.Add(text, uint8(k))
		}
	}
	for _, l := range slices.Concat(agentLogs, replyLogs) {
		f.Add(l.log, uint8(slices.Index(names, l.format)))
	}
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		check(t, "x.json", text, Options{})
		check(t, "x.jsonl", text, Options{Format: names[int(which)%len(names)]})
	})
}

// TestCallsWithOneIDAreAllRead: ids may recur, and only calls that the content of the message held
// already are the same ones.
func TestCallsWithOneIDAreAllRead(t *testing.T) {
	call := `{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}`
	part := `{"type":"tool_use","id":"1","name":"f","input":{}}`
	for name, message := range map[string]string{
		"a list":           `{"role":"assistant","content":null,"tool_calls":[` + call + `,` + call + `]}`,
		"content and list": `{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"f","input":{}},{"type":"tool_use","id":"1","name":"f","input":{}}],"tool_calls":[` + call + `]}`,
		"a list as a text": `{"role":"assistant","content":null,"tool_calls":"[{\"id\":\"1\",\"name\":\"f\",\"arguments\":{}},{\"id\":\"1\",\"name\":\"f\",\"arguments\":{}}]"}`,
		"no list":          `{"role":"assistant","content":[` + part + `,` + part + `],"tool_calls":"[]","function_call":""}`,
	} {
		_, list := readText(t, "x.json", `{"input":{"messages":[`+user+`,`+message+`]},"score":1}`, Options{})
		if len(list) != 1 || list[0].Source.Format != "wrapped-messages" || len(list[0].Calls) != 2 {
			t.Errorf("%s: %v", name, list)
		}
	}
}
