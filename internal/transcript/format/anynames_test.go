package format

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
)

// names draws the words of a log that somebody's own program writes.
type names struct{ *rand.Rand }

func (n names) of(words string) string {
	list := strings.Fields(words)
	return list[n.IntN(len(list))]
}

func (n names) maybe() bool { return n.IntN(2) == 0 }

// object is a JSON object in which later members win and empty keys are left out.
type object map[string]any

func (o object) with(members ...any) object {
	for i := 0; i < len(members); i += 2 {
		if key := members[i].(string); key != "" {
			o[key] = members[i+1]
		}
	}
	return o
}

// args returns the arguments of the call, as an object or as its text.
func (n names) args() any {
	if n.maybe() {
		return `{"order_id":7}`
	}
	return object{"order_id": 7}
}

const (
	nameWords   = "name tool tool_name toolName function"
	argsWords   = "arguments args input params parameters tool_input"
	resultWords = "result output observation response tool_output"
)

// events is a log with an event a line.
func (n names) events() (file, text string) {
	kind, session, text := n.of("type kind event event_type"), n.of("session_id conversation_id thread_id run_id trace_id"), n.of("text content message")
	in, header, id := n.of("- - data payload body"), n.maybe(), n.of("- id call_id tool_call_id callId")
	pairs := strings.Split(n.of("tool_call,tool_result tool_use,tool_result toolCall,toolResult tool_start,tool_end on_tool_start,on_tool_end"+
		" tool.call,tool.result call,result action,observation function_call,function_call_output tool_call_started,tool_call_completed"), ",")
	called := object{n.of(nameWords): "find_order", n.of(argsWords): n.args()}
	returned := object{n.of(resultWords + " content"): "lost"}
	if id != "-" {
		called[id], returned[id] = "c1", "c1"
	}
	var lines strings.Builder
	write := func(word string, fields object) {
		if in != "-" {
			fields = object{in: fields}
		}
		line, _ := json.Marshal(fields.with(kind, word, session, "s1"))
		lines.Write(append(line, '\n'))
	}
	if header {
		write("session_start", object{"version": "1.2"})
	}
	write(n.of("user user_message human user_input prompt input"), object{text: "Where is order 7?"})
	write(pairs[0], called)
	write(pairs[1], returned)
	write(n.of("assistant assistant_message agent ai response final_answer"), object{text: "It was lost."})
	return "x.jsonl", lines.String()
}

// step is a call with its result.
func (n names) step() object {
	switch n.IntN(4) {
	case 0:
		return object{"thought": "Look.", "action": "find_order", "action_input": n.args(), "observation": "lost"}
	case 1:
		return object{"action": object{"name": "find_order", "args": n.args()}, n.of("result output observation"): "lost"}
	case 2:
		return object{"id": "c1", "type": "function", "function": object{"name": "find_order", "arguments": `{"order_id":7}`}, n.of(resultWords): "lost"}
	}
	return object{n.of(nameWords + " action"): "find_order", n.of(argsWords): n.args(), n.of(resultWords): "lost"}
}

// nested is a session with turns, each with its steps.
func (n names) nested() (file, text string) {
	turn := object{n.of("user user_text query input question prompt user_message"): "Where is order 7?",
		n.of("steps actions tool_calls calls tools tool_uses trace events"):    []object{n.step()},
		n.of("reply response assistant answer final_answer assistant_message"): "It was lost."}
	session := object{n.of("session_id id conversation_id run_id"): "s1",
		n.of("turns messages interactions exchanges rounds dialogue"): []object{turn}}
	return n.wrapped(session)
}

// chat is a conversation of messages with roles.
func (n names) chat() (file, text string) {
	role, words, id := n.of("role role from author speaker type sender"), n.of("content text value message"), n.of("id call_id tool_call_id")
	call := object{n.of(nameWords): "find_order", n.of(argsWords): n.args()}
	if n.maybe() {
		call = object{"type": "function", "function": object{"name": "find_order", "arguments": `{"order_id":7}`}}
	}
	call[id] = "c1"
	asks := object{role: n.of("assistant agent gpt ai bot model"), words: nil}
	if key := n.of("tool_calls calls toolCalls function_calls tools actions tool_call"); key == "tool_call" {
		asks[key] = call
	} else {
		asks[key] = []object{call}
	}
	list := []object{{role: n.of("user human customer User"), words: "Where is order 7?"}, asks}
	if n.maybe() {
		call[n.of("result output response")] = "lost"
	} else {
		list = append(list, object{role: n.of("tool function tool_result observation tool_response"), words: "lost", n.of("tool_call_id call_id tool_use_id"): "c1"})
	}
	list = append(list, object{role: asks[role], words: "It was lost."})
	return n.wrapped(object{n.of("messages conversation history dialog chat transcript trajectory log"): list,
		n.of("id conversation_id session_id"): "s1"})
}

// wrapped writes a conversation alone, as a line, in a list, or under a key.
func (n names) wrapped(c object) (file, text string) {
	forms := []any{c, c, []object{c}, object{n.of("sessions conversations runs traces data items"): []object{c}, "version": 1}}
	i := n.IntN(len(forms))
	line, _ := json.Marshal(forms[i])
	return []string{"x.jsonl", "x.json", "x.json", "x.json"}[i], string(line)
}

// TestLogsOfAnyNames reads logs of programs that nobody has seen: events, sessions of turns, and chats,
// whose fields have any of the usual names. Each asks, calls find_order once and answers.
func TestLogsOfAnyNames(t *testing.T) {
	for seed := range uint64(600) {
		n := names{rand.New(rand.NewPCG(seed, 1))}
		file, text := [](func() (string, string)){n.events, n.nested, n.chat}[seed%3]()
		_, list := readText(t, file, text, Options{})
		if len(list) != 1 {
			t.Errorf("%d conversations in %s", len(list), text)
			continue
		}
		var said []string
		for _, m := range list[0].Messages {
			if m.Content != "" && m.Content != "Look." {
				said = append(said, string(m.Role)+" "+m.Content)
			}
		}
		for _, c := range list[0].Calls {
			said = append(said, fmt.Sprint(c.Name, c.Arguments.JSON(), c.Result >= 0))
		}
		want := []string{"user Where is order 7?", string(transcript.ToolRole) + " lost", "assistant It was lost.", `find_order{"order_id":7}true`}
		if strings.Join(said, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s was read as %q", text, said)
		}
	}
}

// strange is a log of two conversations whose fields have names that no reader knows.
func (n names) strange() (file, text string) {
	who, u, a, words := n.of("party who side role"), n.of("caller user shopper U"), n.of("svc agent A assistant"), n.of("said txt content words")
	runs, id := n.of("fn_calls tool_runs ops api_calls"), n.of("ticket sess uid conversation_id")
	call := object{n.of("op fn_name tool name"): "find_order", n.of("with fn_args payload args"): object{"order_id": 7}, n.of("gave returned fn_result outcome"): "lost"}
	asks := object{who: a, words: nil, runs: []object{call}}
	messages := []object{{who: u, words: "Where is order 7?"}, asks, asks, {who: a, words: "It was lost."}}
	if n.maybe() { // a record a message
		var lines []object
		for _, session := range []string{"s1", "s2"} {
			for _, m := range messages {
				lines = append(lines, object{id: session}.with(who, m[who], words, m[words]))
				if m[runs] != nil {
					lines[len(lines)-1][runs] = m[runs]
				}
			}
		}
		return n.listed(lines)
	}
	list := n.of("entries flow record stuff")
	return n.listed([]object{{id: "s1", list: messages}, {id: "s2", list: messages}})
}

// listed writes records as lines or as a list.
func (n names) listed(records []object) (file, text string) {
	if n.maybe() {
		whole, _ := json.Marshal(records)
		return "x.json", string(whole)
	}
	var lines strings.Builder
	for _, r := range records {
		line, _ := json.Marshal(r)
		lines.Write(append(line, '\n'))
	}
	return "x.jsonl", lines.String()
}

// TestLogsOfStrangeNames: a log that no reader knows is refused, and a mapping that is offered reads all of it.
func TestLogsOfStrangeNames(t *testing.T) {
	offered := 0
	right := func(s Summary) bool { return s.Conversations == 2 && s.Calls == 4 && s.Results == 4 }
	for seed := range uint64(300) {
		n := names{rand.New(rand.NewPCG(seed, 2))}
		file, text := n.strange()
		var s Summary
		if err := s.Read(Open(t.Context(), file, strings.NewReader(text), Options{})); err == nil && s.Conversations > 0 && !right(s) {
			t.Errorf("%s was read as %d conversations with %d calls and %d results", text, s.Conversations, s.Calls, s.Results)
		}
		g, err := GuessLog(file, strings.NewReader(text))
		if err == nil {
			err = g.Try(t.Context(), file, strings.NewReader(text))
		}
		if err != nil {
			t.Fatal(err)
		}
		if g.Map == nil {
			continue
		}
		if offered++; !right(Summary{Conversations: g.Conversations, Calls: g.Calls, Results: g.Results}) {
			t.Errorf("%v reads %d conversations with %d calls and %d results of %s", g.Map, g.Conversations, g.Calls, g.Results, text)
		}
	}
	if offered < 150 {
		t.Errorf("a mapping was offered for %d of 300 logs only", offered)
	}
}
