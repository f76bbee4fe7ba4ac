package format

import (
	"strings"
	"testing"
)

// TestEventLogs reads what people's own programs write: each log is one conversation that asks, calls
// find_order once and answers, however it is told.
func TestEventLogs(t *testing.T) {
	for name, log := range map[string]string{
		"types with a header.jsonl": `{"type":"session_start","session_id":"s1","tools":[{"name":"find_order","parameters":{"type":"object"}}]}
{"type":"user_message","text":"Where is order 7?"}
{"type":"tool_call","id":"c1","tool":"find_order","args":{"order_id":7}}
{"type":"tool_result","call":"c1","ok":true,"result":"lost"}
{"type":"assistant_message","text":"It was lost."}`,
		"kinds.jsonl": `{"kind":"header","version":1}
{"session":"s1","kind":"message","role":"user","content":"Where is order 7?"}
{"session":"s1","kind":"call","call_id":"c1","name":"find_order","arguments":"{\"order_id\":7}"}
{"session":"s1","kind":"result","call_id":"c1","output":"lost"}
{"session":"s1","kind":"message","role":"assistant","content":"It was lost."}`,
		"payloads.jsonl": `{"event":"run.started","run_id":"s1"}
{"event":"user.input","run_id":"s1","data":{"text":"Where is order 7?"}}
{"event":"llm.response","run_id":"s1","data":{"text":null,"tool_calls":[{"id":"c1","name":"find_order","arguments":{"order_id":7}}]}}
{"event":"tool.started","run_id":"s1","data":{"id":"c1","tool":"find_order","arguments":{"order_id":7}}}
{"event":"tool.finished","run_id":"s1","data":{"id":"c1","tool":"find_order","output":"lost"}}
{"event":"llm.response","run_id":"s1","data":{"text":"It was lost."}}`,
		"events beside what they were made of.json": `{"version":1,"events":[{"id":"e1","kind":"user_message","role":"user","content":"Where is order 7?","payload":{"type":"user","message":{"role":"user","content":[{"type":"text","text":"Where is order 7?"}]},"session_id":"s1"}},
{"id":"e2","kind":"tool_use","role":"assistant","toolName":"find_order","toolUseId":"c1","input":{"order_id":7},"content":"{}","payload":{"type":"tool_call","tool_call":{"findToolCall":{"args":{"order_id":7}}},"session_id":"s1"}},
{"id":"e3","kind":"tool_result","role":"tool","toolName":"find_order","toolUseId":"c1","content":"lost","payload":{"type":"tool_call","tool_call":{"findToolCall":{"args":{"order_id":7},"result":{"success":{}}}},"session_id":"s1"}},
{"id":"e4","kind":"assistant_text","role":"assistant","content":"It was lost.","payload":{"type":"assistant","session_id":"s1"}}]}`,
		"a row an event.csv": `session_id,step,event,tool_name,arguments,result,text
s1,1,user,,,,Where is order 7?
s1,2,tool_call,find_order,"{""order_id"":7}",,
s1,3,tool_result,find_order,,lost,
s1,4,assistant,,,,It was lost.
`,
		"a row a call.csv": `conversation,user_text,tool_name,arguments,result,reply
s1,Where is order 7?,find_order,"{""order_id"":7}",lost,It was lost.
`,
		"hooks.jsonl": `{"session_id":"s1","cwd":"/w","hook_event_name":"UserPromptSubmit","prompt":"Where is order 7?"}
{"session_id":"s1","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"find_order","tool_input":{"order_id":7},"tool_use_id":"c1"}
{"session_id":"s1","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"find_order","tool_input":{"order_id":7},"tool_response":"lost","tool_use_id":"c1"}
{"session_id":"s1","cwd":"/w","hook_event_name":"Stop","last_assistant_message":"It was lost."}`,
		"hooks without ids.jsonl": `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"Where is order 7?"}
{"session_id":"s1","hook_event_name":"PreToolUse","tool_name":"find_order","tool_input":{"order_id":7}}
{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"find_order","tool_input":{"order_id":7},"tool_response":"lost"}
{"session_id":"s1","hook_event_name":"Stop","last_assistant_message":"It was lost."}`,
		"hooks after calls.jsonl": `{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"Where is order 7?"}
{"session_id":"s1","hook_event_name":"PostToolUse","tool_name":"find_order","tool_input":{"order_id":7},"tool_response":"lost"}
{"session_id":"s1","hook_event_name":"Stop","last_assistant_message":"It was lost."}`,
		"contents.jsonl": `{"id":"e1","session_id":"s1","type":"user","content":{"text":"Where is order 7?"}}
{"id":"e2","session_id":"s1","type":"tool_call","content":{"name":"find_order","arguments":{"order_id":7},"provider_call_id":"t1"}}
{"id":"e3","session_id":"s1","type":"tool_result","content":{"output":"lost","tool_call_id":"e2","is_error":false}}
{"id":"e4","session_id":"s1","type":"message","content":{"text":"It was lost."}}`,
		"wrapped.json": `{"session_id":"s1","log":[{"type":"user","text":"Where is order 7?"},
 {"type":"tool_call","id":"c1","name":"find_order","input":{"order_id":7}},
 {"type":"tool_result","id":"c1","output":"lost"},{"type":"assistant","text":"It was lost."}]}`,
	} {
		lines, list := readText(t, strings.ReplaceAll(name, " ", "_"), log, Options{})
		if len(list) != 1 || len(list[0].Calls) != 1 || unpaired(list[0]) > 0 || len(list[0].Messages) != 4 {
			t.Errorf("%s: %v", name, lines)
			continue
		}
		c := list[0]
		call := c.Calls[0]
		if c.Source.Format != "event-log" || call.Name != "find_order" || call.Arguments.JSON() != `{"order_id":7}` ||
			call.Executor != "client" || c.Messages[call.Result].Content != "lost" ||
			c.Messages[0].Content != "Where is order 7?" || c.Messages[3].Content != "It was lost." {
			t.Errorf("%s: %s %+v", name, c.Source.Format, c.Messages)
		}
	}
}

// TestRowsWithoutAResult: the result of a row belongs to its own call, if earlier rows have none, too.
func TestRowsWithoutAResult(t *testing.T) {
	lines, list := readText(t, "x.csv", "session_id,user_text,tool_name,tool_args,tool_result\ns1,Where?,find,\"{\"\"q\"\":1}\",\n"+
		"s1,,find,\"{\"\"q\"\":2}\",lost\n", Options{})
	if len(list) != 1 || len(list[0].Calls) != 2 || list[0].Calls[0].Result >= 0 || list[0].Calls[1].Result < 0 {
		t.Errorf("%v", lines)
	}
}

// TestNestedTurns reads sessions of turns with steps: each session is a conversation, whatever is around it.
func TestNestedTurns(t *testing.T) {
	turn := `{"user_text":"Where?","steps":[{"action":{"tool":"find","args":{"q":1}},"observation":"lost"}],"reply":"Lost."}`
	chat := `{"user_text":"Hi","steps":[],"reply":"Hello."}`
	session := func(id string) string { return `{"session_id":"` + id + `","turns":[` + chat + `,` + turn + `]}` }
	for _, log := range []string{session("s1") + "\n" + session("s2"), `[` + session("s1") + `,` + session("s2") + `]`,
		`{"sessions":[` + session("s1") + `,` + session("s2") + `]}`} {
		lines, list := readText(t, "x.json", log, Options{})
		if len(list) != 2 || list[1].ID != "s2" {
			t.Errorf("%v: %s", lines, log)
			continue
		}
		for _, c := range list {
			if len(c.Messages) != 6 || len(c.Calls) != 1 || unpaired(c) > 0 || c.Messages[2].Content != "Where?" ||
				c.Messages[5].Content != "Lost." {
				t.Errorf("%s: %+v", summary(c), c.Messages)
			}
		}
	}
}

func TestEventLogsKeepSessionsApart(t *testing.T) {
	call := `{"type":"tool_call","SESSION":"ID","id":"c","name":"f","args":{}}` + "\n"
	log := ""
	for _, id := range []string{"s1", "s2", "s1"} {
		log += strings.NewReplacer("SESSION", "session_id", "ID", id).Replace(call)
	}
	if lines, list := readText(t, "x.jsonl", log, Options{}); len(list) != 2 || len(list[0].Calls) != 1 {
		t.Errorf("%v", lines)
	}
	two := `{"type":"session_start","id":"a"}` + "\n" + call + `{"type":"session_start","id":"b"}` + "\n" + call
	lines, list := readText(t, "x.jsonl", two, Options{})
	if len(list) != 0 || !strings.Contains(strings.Join(lines, " "), "a second session begins here") {
		t.Errorf("%v", lines)
	}
}

// TestHomeMadeLogs reads what people's own agents write: conversations, calls, and results of their own calls.
func TestHomeMadeLogs(t *testing.T) {
	for name, tt := range map[string]struct {
		log  string
		want [3]int
	}{
		"a header and short keys.jsonl": {`{"v":1,"run":"r-17","agent":"shopbot","started":"2026-11-01T10:00:00Z"}
{"t":1,"ev":"user","msg":"Where is order 7?"}
{"t":2,"ev":"tool_call","tool":"find_order","args":{"order_id":7},"cid":"a"}
{"t":3,"ev":"tool_result","cid":"a","data":{"state":"lost"}}
{"t":4,"ev":"assistant","msg":"It was lost."}`, [3]int{1, 1, 1}},
		"actors and params.csv": {`ts,convo,actor,message,tool,params,output
1,c1,customer,Where is order 7?,,,
2,c1,bot,,find_order,"{""order_id"": 7}",
3,c1,tool,,find_order,,lost
4,c2,customer,Cancel 8,,,
5,c2,bot,,cancel,"{""id"": 8}",
6,c2,tool,,cancel,,done
`, [3]int{2, 2, 2}},
		"steps that are calls.jsonl": {`{"id":"q1","question":"Where?","trace":[{"thought":"look","tool":"find","tool_input":{"q":7},"output":"lost"}],"final_answer":"Lost."}
{"id":"q2","question":"Cancel 8","trace":[{"thought":"do","tool":"cancel","tool_input":{"id":8},"output":"done"}],"final_answer":"Done."}`, [3]int{2, 2, 2}},
		"an executor's steps.jsonl": {`{"input":"Where?","intermediate_steps":[[{"tool":"find","tool_input":{"q":7},"log":"x"},"lost"],[{"tool":"refund","tool_input":"7","log":"x"},"ok"]],"output":"Refunded."}
{"input":"Cancel 8","intermediate_steps":[[{"tool":"cancel","tool_input":{"id":8},"log":"x"},"done"]],"output":"Done."}`, [3]int{2, 3, 3}},
		"rows with a call.json": {`[{"id":1,"session":"s1","role":"user","content":"Where?","tool_name":null,"tool_args":null},
{"id":2,"session":"s1","role":"assistant","content":null,"tool_name":"find","tool_args":"{\"q\": 7}"},
{"id":3,"session":"s1","role":"tool","content":"lost","tool_name":"find","tool_args":null},
{"id":4,"session":"s2","role":"user","content":"Cancel 8","tool_name":null,"tool_args":null},
{"id":5,"session":"s2","role":"assistant","content":null,"tool_name":"cancel","tool_args":"{\"id\": 8}"}]`, [3]int{2, 2, 1}},
		"functions and what they returned.json": {`[{"task":"Where?","calls":[{"fn":"find","kwargs":{"q":7},"ret":"lost"}],"answer":"Lost."},
{"task":"Cancel 8","calls":[{"fn":"cancel","kwargs":{"id":8},"ret":"done"}],"answer":"Done."}]`, [3]int{2, 2, 2}},
		"events with roles.json": {`{"sessionId":"s1","summary":{"toolCallCount":1},"events":[{"id":"e1","kind":"user_message","role":"user","content":"Where?"},
{"id":"e2","kind":"tool_use","role":"assistant","name":"find","toolUseId":"t1","input":{"q":7}},
{"id":"e3","kind":"tool_result","role":"tool","toolUseId":"t1","toolName":"find","isError":false,"content":"lost"},
{"id":"e4","kind":"assistant_text","role":"assistant","content":"Lost."}]}`, [3]int{1, 1, 1}},
		"messages with a stop reason.jsonl": {`{"type":"message","role":"user","content":"Where?","session_id":"s1"}
{"type":"message","role":"assistant","content":[{"type":"text","text":"I look."}],"session_id":"s1","stop_reason":"end_turn"}
{"type":"tool_call","name":"find","input":{"q":7},"call_id":"c1","session_id":"s1"}
{"type":"tool_result","call_id":"c1","content":"lost","session_id":"s1"}`, [3]int{1, 1, 1}},
		"laid out.jsonl": {`{
  "messages": [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "Lost."}]
}
{
  "messages": [{"role": "user", "content": "Cancel"}, {"role": "assistant", "content": "Done."}]
}`, [3]int{2, 0, 0}},
		"a row a turn.jsonl": {`{"session":"s1","turn":1,"user":"Where?","assistant":"Lost.","tools_used":[{"name":"find","input":{"q":7},"output":"lost"}]}
{"session":"s1","turn":2,"user":"Refund","assistant":"Done.","tools_used":[{"name":"refund","input":{"id":7},"output":"ok"}]}`, [3]int{1, 2, 2}},
	} {
		lines, list := readText(t, strings.ReplaceAll(name, " ", "_"), tt.log, Options{})
		got := [3]int{len(list)}
		for _, c := range list {
			got[1] += len(c.Calls)
			for i := range c.Calls {
				got[2] += b2i(c.Calls[i].Result >= 0 && c.Messages[c.Calls[i].Result].Content != "" && !c.Calls[i].Malformed)
			}
		}
		if got != tt.want {
			t.Errorf("%s: %v, want %v: %v", name, got, tt.want, lines)
		}
	}
}

// TestGuessedCallsKeepTheirResults: a suggestion does not take what a call returned for its id.
func TestGuessedCallsKeepTheirResults(t *testing.T) {
	log := `{"conversation_id":"d1","turns":[{"speaker":"user","utterance":"Where?"},{"speaker":"agent","utterance":"It was lost.",` +
		`"actions":[{"api":"find","args":{"q":7},"returns":"lost"}]}]}`
	g, err := GuessLog("x.json", strings.NewReader(log))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Try(t.Context(), "x.json", strings.NewReader(log)); err != nil || g.Calls != 1 || g.Results != 1 {
		t.Errorf("%+v, %v", g, err)
	}
}

// TestWordsOfEvents: each usual word says what an event is, in any case, with anything between its letters.
func TestWordsOfEvents(t *testing.T) {
	for kind, words := range map[eventKind]string{
		resultEvent: "result return returned returns observation tool tool.message PostToolUse PostToolUseFailure " +
			"tool_result " +
			"function_output action_response call_end tool_ended tool_finished tool_complete tool_completed tool_return " +
			"tool_returned tool_error tool_failed tool_done on_tool_end function_call_output",
		callEvent: "call action PreToolUse tool_call tool.called toolCalls function_use action_start tool_started " +
			"tool_request " +
			"tool_requested tool_invocation tool_invoke function_execution on_tool_start",
		headerEvent: "session header init start meta metadata config session_start run.started conversation_begin " +
			"thread_created session_meta run_init",
		systemEvent: "system systemPrompt instructions system_message system_prompt_prompt",
		userEvent: "user human customer prompt question input UserPromptSubmit user_message human_input customer_prompt " +
			"user_turn user_text user_query",
		agentEvent: "assistant agent ai bot model reply response answer output completion assistant_message " +
			"agent_response " +
			"ai_reply bot_answer model_output llm_text final_turn llm_completion",
		thoughtEvent: "thinking thought reasoning THOUGHT",
		otherEvent:   "note order.created toolbox tick on system_tick usage session_idle runner actions",
	} {
		for _, word := range strings.Fields(words) {
			if got := kindOfWord(word); got != kind {
				t.Errorf("%s is of kind %d, want %d", word, got, kind)
			}
		}
	}
	if got := letters("Tool-" + strings.Repeat("1", 34) + "ABC"); got != "toola" {
		t.Errorf("the letters are %q", got)
	}
	for _, key := range strings.Fields("type kind event ev event_type eventType hook_event_name role actor author " +
		"from step") {
		for _, event := range []string{`{"KEY":"tool_call"}`, `{"type":"x","data":{"KEY":"tool_call"}}`} {
			if kind, _ := kindOfEvent(mustParse(t, strings.ReplaceAll(event, "KEY", key))); kind != callEvent {
				t.Errorf("%s in %s is of kind %d", key, event, kind)
			}
		}
	}
	for _, key := range strings.Fields("data payload event body item message tool_call call tool action content") {
		for _, v := range []string{`{"KEY":{"a":1},"b":2}`, `{"KEY":"{\"a\":1}","b":2}`} {
			if got := eventFields(mustParse(t, strings.ReplaceAll(v, "KEY", key))).JSON(); got != `{"b":2,"a":1}` {
				t.Errorf("the fields in %s are %s", key, got)
			}
		}
	}
	for v, want := range map[string]string{
		`{"call_id":"k","payload":{"a":1}}`: `{"call_id":"k","a":1}`,
		`{"call_id":"k","tool_name":"f","payload":{"a":1},"data":{"b":1},"raw":1,"body":{"c":1}}`: `{"call_id":"k",` +
			`"tool_name":"f","body":{"c":1}}`,
		`{"toolName":"f","toolCallId":"k","data":{"a":1}}`: `{"toolName":"f","toolCallId":"k"}`,
		`{"tool_name":"f","payload":{"a":1}}`:              `{"tool_name":"f","a":1}`,
		`{"type":"tool_result","content":{"a":1}}`:         `{"type":"tool_result","content":{"a":1}}`,
		`{"type":"tool_result","content":{"output":1}}`:    `{"type":"tool_result","output":1}`,
		`{"type":"tool_call","content":{"a":1}}`:           `{"type":"tool_call","a":1}`,
		`{"payload":5,"data":{"a":1},"body":{"b":1}}`:      `{"payload":5,"body":{"b":1},"a":1}`,
	} {
		if got := eventFields(mustParse(t, v)).JSON(); got != want {
			t.Errorf("the fields of %s are %s, want %s", v, got, want)
		}
	}
	for _, key := range strings.Fields("conversation_id conversationId session_id sessionId thread_id threadId " +
		"chat_id chatId " +
		"dialog_id dialogue_id trace_id traceId run_id episode_id session sessionID sid conversation convo convo_id " +
		"thread " +
		"chat episode") {
		for _, event := range []string{`{"KEY":"s1"}`, `{"type":"x","data":{"KEY":"s1"}}`} {
			eventParts(mustParse(t, strings.ReplaceAll(event, "KEY", key)), func(p part) {
				if p.conversation != "s1" {
					t.Errorf("%s in %s names %q", key, event, p.conversation)
				}
			})
		}
	}
}

// TestWhatEventsSay: the texts, calls and results of events, and what rows of a table say.
func TestWhatEventsSay(t *testing.T) {
	call := `{"type":"tool_call","id":"k","name":"find","args":{"q":7}}` + "\n"
	read := func(log string) string {
		lines, list := readText(t, "x.jsonl", log, Options{Format: eventLog.name})
		if len(list) != 1 {
			return strings.Join(lines, " ")
		}
		return shown(list[0])
	}
	for _, tt := range []struct{ keys, log, want string }{
		{"content text message msg value body prompt response answer reply output question input parts",
			call + `{"type":"user","KEY":"hi"}`,
			`x/0: | a  0#k find{"q":7} | u hi // unanswered_call`},
		{"user_text user_message user_input user question prompt query", `{"KEY":"hi","tool_name":"find","args":{"q":7}}`,
			`x/0: | u hi | a  0# find{"q":7} // call_without_id unanswered_call`},
		{"reply assistant_text assistant_message last_assistant_message assistant agent_text response answer",
			`{"KEY":"hi","tool_name":"find","args":{"q":7},"result":"x"}`, `x/0: | a  0# find{"q":7} | 0=x |` +
				` a hi // call_without_id`},
		{"tool_name toolName tool function_name", `{"question":"hi","KEY":"find","args":{"q":7},"result":"x"}`,
			`x/0: | u hi | a  0# find{"q":7} | 0=x // call_without_id`},
		{"data payload body", call + `{"type":"tool_result","call_id":"k","KEY":{"state":"lost"}}`, `x/0: |` +
			` a  0#k find{"q":7} | 0={"state":"lost"}`},
		{"payload data raw", `{"type":"tool_call","toolName":"find","toolUseId":"k","input":{"q":7},"KEY":{"type":"x",` +
			`"input":{}}}`,
			`x/0: | a  0#k find{"q":7} // unanswered_call`},
	} {
		for _, key := range strings.Fields(tt.keys) {
			log := strings.ReplaceAll(tt.log, "KEY", key)
			if got := read(log); got != tt.want {
				t.Errorf("%s\nreads as %s\nwant     %s", log, got, tt.want)
			}
		}
	}
	for name, tt := range map[string]struct{ log, want string }{
		"a result that is an object": {call + `{"type":"tool_result","call_id":"k","content":{"a":1}}`,
			`x/0: | a  0#k find{"q":7} | 0={"a":1}`},
		"a result in an object": {call + `{"type":"tool_result","content":{"output":"x",` +
			`"call_id":"k"}}`, `x/0: | a  0#k find{"q":7} | 0=x`},
		"a result and the data around it": {call + `{"type":"tool_result","call_id":"k","result":"x",` +
			`"data":{"ms":5}}`, `x/0: | a  0#k find{"q":7} | 0=x`},
		"a message without a role": {`{"type":"user","text":"a"}` + "\n" + `{"type":"message",` +
			`"text":"b"}`, `x/0: | u a | a b`},
		"a message with a role": {`{"type":"user","text":"a"}` + "\n" + `{"type":"message",` +
			`"role":"critic","text":"b"}`, `x/0: | u a -event message×1`},
		"a message where roles say who speaks": {`{"type":"user","role":"user",` +
			`"text":"a"}` + "\n" + `{"type":"message","text":"b"}`, `x/0: | u a -event message×1`},
		"a message alone": {call + `{"type":"message","text":"b"}`, `x/0: | a  0#k find{"q":7}` +
			` // unanswered_call -event message×1`},
		"thoughts": {call + `{"type":"thinking",` +
			`"text":"hm"}` + "\n" + `{"type":"assistant","text":"b"}`, `x/0: | a  0#k find{"q":7} |` +
			` (hm) a b // unanswered_call`},
		"a header": {`{"type":"session_start","id":"s1","system_prompt":"Be brief.",` +
			`"tools":[{"name":"find","parameters":{}}]}` + "\n" + `{"type":"session_start","id":"s1",` +
			`"tools":[{"name":"other","parameters":{}}]}` + "\n" + call, `s1: | s Be brief. | a  0#k find{"q":7}` +
			` // unanswered_call`},
		"a header without an id": {`{"type":"session_start",` +
			`"id":"s1"}` + "\n" + `{"type":"config"}` + "\n" + call, `s1: | a  0#k find{"q":7} // unanswered_call`},
		"two sessions": {`{"type":"session_start",` +
			`"id":"s1"}` + "\n" + `{"type":"session_start","id":"s2"}` + "\n" + call,
			`error: x.jsonl[0]: [1]: a second session begins here and no event names its session: give each a file of its own, or each event a session_id`},
		"a call that a message lists": {`{"type":"assistant","text":"a","tool_calls":[{"id":"k",` +
			`"name":"find","args":{"q":7}}]}` + "\n" + call, `x/0: | a a 0#k find{"q":7} // unanswered_call`},
		"a call that a message lists without an id": {`{"type":"assistant","text":"a","tool_calls":[{"name":"find",` +
			`"args":{"q":7}}]}` + "\n" + `{"type":"tool_result","tool_name":"find","args":{"q":7},"result":"x"}`, `x/0: |` +
			` a a 0# find{"q":7} | 0=x // call_without_id paired_by_order`},
		"a call twice": {call + call, `x/0: | a  0#k find{"q":7} // unanswered_call`},
		"calls and results without ids": {`{"type":"tool_call","tool":"find","args":{"q":7}` +
			`}` + "\n" + `{"type":"tool_result","tool":"find","args":{"q":7},"result":"x"}` + "\n" +
			`{"type":"tool_result","tool":"find","args":{"q":7},"result":"y"}` + "\n" + `{"type":"tool_result",` +
			`"tool":"find","args":{"q":8},"result":"z"}`, `x/0: | a  0# find{"q":7} | 0=x | a  1# find{"q":7}` +
			` 2# find{"q":8} | 1=y | 2=z // call_without_id call_without_id call_without_id paired_by_order repeated_call`},
		"a result of a call with an id": {call + `{"type":"tool_result","id":"k","tool":"find","args":{"q":7},` +
			`"result":"x"}`, `x/0: | a  0#k find{"q":7} | 0=x`},
		"a result of an unknown call": {call + `{"type":"tool_result","id":"j","tool":"find","args":{"q":8},` +
			`"result":"x"}`, `x/0: | a  0#k find{"q":7} 1#j find{"q":8} | 1=x // unanswered_call`},
		"an event without a text": {call + `{"type":"user"}` + "\n" + `{"type":"assistant","text":null}`,
			`x/0: | a  0#k find{"q":7} // unanswered_call -event without a text×2`},
		"a message with a call": {`{"role":"user","content":"hi"}` + "\n" + `{"role":"assistant",` +
			`"content":"I look.","tool_name":"find","tool_args":{"q":7}}` + "\n" + `{"role":"assistant","tool_name":"find",` +
			`"tool_args":{"q":8}}`, `x/0: | u hi | a I look. 0# find{"q":7} | a  1# find{"q":8}` +
			` // call_without_id call_without_id unanswered_call unanswered_call`},
		"reasoning of a message": {call + `{"type":"assistant","text":"a","reasoning":"so"}`, `x/0: |` +
			` a  0#k find{"q":7} | (so) a a // unanswered_call`},
		"a call's id under any key": {call + `{"type":"tool_result","for":"k","result":"x"}`, `x/0: |` +
			` a  0#k find{"q":7} | 0=x`},
		"a call's id and a longer text": {`{"type":"tool_call","id":"` + strings.Repeat("k", 100) + `",` +
			`"name":"find","args":{}}` + "\n" + `{"type":"tool_result","for":"` + strings.Repeat("k", 100) + `",` +
			`"result":"x"}`, `x/0: |` +
			` a  0#kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk find{} | 0=x // paired_by_order`},
		"a short id": {`{"type":"tool_call","cid":"k","name":"find","args":{}` +
			`}` + "\n" + `{"type":"tool_call","cid":"j","id":"i","name":"find","args":{"q":8}}`, `x/0: | a  0#k find{}` +
			` 1#i find{"q":8} // unanswered_call unanswered_call`},
		"a row whose response is the tool's": {`{"user_text":"a","tool_name":"find","args":{"q":7},"response":"x"}`,
			`x/0: | u a | a  0# find{"q":7} | 0=x // call_without_id`},
		"a row whose response is the agent's": {`{"user_text":"a","tool_name":"find","args":{"q":7},"response":"x",` +
			`"result":"y"}`, `x/0: | u a | a  0# find{"q":7} | 0=y | a x // call_without_id`},
		"a row without a call": {`{"question":"a","answer":"b"}`, `x/0: | u a | a b`},
		"a row with empty texts": {`{"question":"","query":"a","answer":"","reply":null,"response":"b"}`,
			`x/0: | u a | a b`},
		"other events": {call + `{"type":"tick","a":1}` + "\n" + `{"type":"tool_progress",` +
			`"name":"find","args":{"q":8}}`, `x/0: | a  0#k find{"q":7}` +
			` // unanswered_call -event tick×1 -event tool_progress×1`},
		"a tool that is called in other events": {`{"type":"user","text":"a"}` + "\n" + `{"type":"tool_progress",` +
			`"name":"find","args":{"q":8}}`, `x/0: | u a -event tool_progress×1`},
	} {
		if got := read(tt.log); got != tt.want {
			t.Errorf("%s\nreads as %s\nwant     %s", name, got, tt.want)
		}
	}
	for records, want := range map[string]confidence{
		`[{"type":"tool_call","name":"f"},{"type":"user","text":"a"}]`:                   general,
		`[{"type":"tool_call","function":{"name":"f"}},{"type":"user","text":"a"}]`:      general,
		`[{"type":"tool_call","name":"f"}]`:                                              no,
		`[{"type":"tool_call"},{"type":"user","text":"a"}]`:                              no,
		`[{"user":"a","tool_name":"f","args":{}}]`:                                       general,
		`[{"tool_name":"f","args":{}}]`:                                                  no,
		`[{"tool_name":"f","args":null},{"tool_name":"f"},{"args":{}}]`:                  no,
		`[{"role":"assistant","tool_name":"f","args":{}},{"role":"user","content":"a"}]`: likely,
		`[{"role":"action","name":"f","arguments":{}},{"role":"user","content":"a"}]`:    likely,
		`[{"role":"user","tool_name":"f","args":{}},{"role":"user","content":"a"}]`:      general,
		`[{"type":"tool_call","name":"f"},{"a":1},{"a":1},{"a":1}]`:                      no,
		`[{"type":"tool_call","name":"f"},{"a":1},{"a":1}]`:                              general,
		`[{"type":"tool_call","name":"f"},{"type":"user"},{"a":1},{"a":1},{"a":1}]`:      general,
		`[{"type":"tool_call","name":"f"},{"type":"session"},{"a":1},{"a":1},{"a":1}]`:   no,
	} {
		if got := isEventLog(probeOf(mustParse(t, records))); got != want {
			t.Errorf("%s: %d, want %d", records, got, want)
		}
	}
}
