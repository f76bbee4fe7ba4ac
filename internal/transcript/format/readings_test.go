package format

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// TestGuessesInWords: the places of a log in an unknown form, what was found there, and the mapping to try.
func TestGuessesInWords(t *testing.T) {
	for _, tt := range []struct{ name, log, want string }{
		{"odd keys", `{"a b":{"1":"x","it's":[1,"` + strings.Repeat("long ", 20) + `"],"back\\slash":null,"c":true},` +
			`"d":"{\"e\":5}"}`, `$['a b']: object with "1", "it's", "back\\slash", "c"
$['a b']['1']: string "x"
$['a b']['it\'s']: list of 2
$['a b']['back\\slash']: null ""
$['a b'].c: boolean "true"
$.d: object with "e"
nothing looks like a list of messages
null`},
		{"no conversation", `[1,2]`, `
nothing looks like a list of messages
null`},
		{"names that are no roles", `{"log":[{"by":"a"},{"by":"b"},{"by":"c"},{"by":"d"},{"by":"e"},{"by":"user"}]}`,
			`$.log: list of 6
$.log[*].by: string "a"
nothing looks like a list of messages
null`},
		{"an inventory of another record", `{"sets":[{"tools":[{"name":"find","parameters":{"properties":{"q":{}}}}]}],` +
			`"runs":[{"talk":[{"who":"user","said":"Where is it?"},{"who":"assistant","said":"It was lost."}]}]}`,
			`$.sets: list of 1
$.sets[*].tools: list of 1
$.sets[*].tools[*].name: string "find"
$.sets[*].tools[*].parameters: object with "properties"
$.sets[*].tools[*].parameters.properties: object with "q"
$.sets[*].tools[*].parameters.properties.q: object with (none)
$.runs: list of 1
$.runs[*].talk: list of 2
$.runs[*].talk[*].who: string "user"
$.runs[*].talk[*].said: string "Where is it?"
schemas of tools at $.sets[*].tools: find(q)
roles at $.runs[*].talk[*].who (2 of 2 elements)
texts at $.runs[*].talk[*].said
{"message.content":"$.said","message.role":"$.who","messages":"$.talk[*]","records":"$.runs[*]"}`},
		{"an inventory beside the log", `{"tools":[{"name":"find","parameters":{"properties":{"q":{}}}}],` +
			`"talk":[{"who":"user","said":"Where is it?"},{"who":"assistant","said":"It was lost."}]}`, `$.tools: list of 1
$.tools[*].name: string "find"
$.tools[*].parameters: object with "properties"
$.tools[*].parameters.properties: object with "q"
$.tools[*].parameters.properties.q: object with (none)
$.talk: list of 2
$.talk[*].who: string "user"
$.talk[*].said: string "Where is it?"
schemas of tools at $.tools: find(q)
roles at $.talk[*].who (2 of 2 elements)
texts at $.talk[*].said
{"message.content":"$.said","message.role":"$.who","messages":"$.talk[*]","tools":"$.tools"}`},
		{"calls with ids and results apart", `{"talk":[{"who":"user","said":"Where is it?"},{"who":"assistant",` +
			`"acts":[{"ref":"a","do":"find","how":{"q":7},"n":1},{"ref":"b","do":"find","how":{"q":8},"n":2}]},` +
			`{"who":"tool","said":"lost","for_call_id":"a"}]}`, `$.talk: list of 3
$.talk[*].who: string "user"
$.talk[*].said: string "Where is it?"
$.talk[*].acts: list of 2
$.talk[*].acts[*].ref: string "a"
$.talk[*].acts[*].do: string "find"
$.talk[*].acts[*].how: object with "q"
$.talk[*].acts[*].how.q: integer "7"
$.talk[*].acts[*].n: integer "1"
$.talk[*].for_call_id: string "a"
roles at $.talk[*].who (3 of 3 elements)
texts at $.talk[*].said
calls at $.talk[*].acts
{"call.arguments":"$.how","call.id":"$.ref","call.name":"$.do","message.call_id":"$.for_call_id",` +
			`"message.calls":"$.acts","message.content":"$.said","message.role":"$.who","messages":"$.talk[*]"}`},
		{"calls with results inside", `{"talk":[{"who":"user","said":"Where is it?"},{"who":"assistant",` +
			`"acts":[{"id":"a","do":"find","how":{"q":7},"outcome":"lost","ms":5}]}]}`, `$.talk: list of 2
$.talk[*].who: string "user"
$.talk[*].said: string "Where is it?"
$.talk[*].acts: list of 1
$.talk[*].acts[*].id: string "a"
$.talk[*].acts[*].do: string "find"
$.talk[*].acts[*].how: object with "q"
$.talk[*].acts[*].how.q: integer "7"
$.talk[*].acts[*].outcome: string "lost"
$.talk[*].acts[*].ms: integer "5"
roles at $.talk[*].who (2 of 2 elements)
texts at $.talk[*].said
calls at $.talk[*].acts
{"call.arguments":"$.how","call.name":"$.do","call.result":"$.outcome","message.calls":"$.acts",` +
			`"message.content":"$.said","message.role":"$.who","messages":"$.talk[*]"}`},
		{"calls with results of any name", `{"talk":[{"who":"user","said":"Where is it?"},{"who":"assistant",` +
			`"acts":[{"do":"find","how":{"q":7},"got":"it was lost","ms":5}]}]}`, `$.talk: list of 2
$.talk[*].who: string "user"
$.talk[*].said: string "Where is it?"
$.talk[*].acts: list of 1
$.talk[*].acts[*].do: string "find"
$.talk[*].acts[*].how: object with "q"
$.talk[*].acts[*].how.q: integer "7"
$.talk[*].acts[*].got: string "it was lost"
$.talk[*].acts[*].ms: integer "5"
roles at $.talk[*].who (2 of 2 elements)
texts at $.talk[*].said
calls at $.talk[*].acts
{"call.arguments":"$.how","call.name":"$.do","call.result":"$.got","message.calls":"$.acts",` +
			`"message.content":"$.said","message.role":"$.who","messages":"$.talk[*]"}`},
		{"a call in an object", `{"talk":[{"who":"user","said":"Where is it?"},{"who":"assistant","act":{"do":"find",` +
			`"how":"{\"q\":7}"}}]}`, `$.talk: list of 2
$.talk[*].who: string "user"
$.talk[*].said: string "Where is it?"
$.talk[*].act: object with "do", "how"
$.talk[*].act.do: string "find"
$.talk[*].act.how: object with "q"
roles at $.talk[*].who (2 of 2 elements)
texts at $.talk[*].said
calls at $.talk[*].act
{"call.arguments":"$.how","call.name":"$.do","message.calls":"$.act","message.content":"$.said",` +
			`"message.role":"$.who","messages":"$.talk[*]"}`},
		{"a strange word that calls", `{"talk":[{"who":"user","said":"Where is it?"},{"who":"assistant","said":"I look."}` +
			`,{"who":"caller","acts":[{"do":"find","how":{"q":7}}]}]}`, `$.talk: list of 3
$.talk[*].who: string "user"
$.talk[*].said: string "Where is it?"
$.talk[*].acts: list of 1
$.talk[*].acts[*].do: string "find"
$.talk[*].acts[*].how: object with "q"
$.talk[*].acts[*].how.q: integer "7"
roles at $.talk[*].who (2 of 3 elements)
texts at $.talk[*].said
calls at $.talk[*].acts
{"call.arguments":"$.how","call.name":"$.do","message.calls":"$.acts","message.content":"$.said",` +
			`"message.role":"$.who","messages":"$.talk[*]","role.caller":"assistant"}`},
		{"strange words for the user", `{"talk":[{"who":"shopper","said":"Where is it?"},{"who":"assistant",` +
			`"said":"It was lost."}]}`, `$.talk: list of 2
$.talk[*].who: string "shopper"
$.talk[*].said: string "Where is it?"
roles at $.talk[*].who (1 of 2 elements)
texts at $.talk[*].said
{"message.content":"$.said","message.role":"$.who","messages":"$.talk[*]","role.shopper":"user"}`},
		{"strange words for the agent and a tool", `{"talk":[{"who":"user","said":"Where is it?"},{"who":"clerk",` +
			`"said":"It was lost."},{"who":"shelf","said":"x"}]}`, `$.talk: list of 3
$.talk[*].who: string "user"
$.talk[*].said: string "Where is it?"
roles at $.talk[*].who (1 of 3 elements)
texts at $.talk[*].said
{"message.content":"$.said","message.role":"$.who","messages":"$.talk[*]","role.clerk":"assistant",` +
			`"role.shelf":"tool"}`},
		{"lines that group", `{"k":"a","who":"user","said":"Where is it?"}
{"k":"a","who":"assistant","said":"It was lost."}
{"k":"b","who":"user","said":"And this?"}
{"k":"b","who":"assistant","said":"This too."}`, `$.k: string "a"
$.who: string "user"
$.said: string "Where is it?"
roles at $[*].who (4 of 4 elements)
texts at $[*].said
{"group":"$.k","message.content":"$.said","message.role":"$.who"}`},
		{"lines with numbers that group", `[{"n":1,"who":"user","said":"Where is it?"},{"n":1,"who":"assistant",` +
			`"said":"It was lost."},{"n":2,"who":"user","said":"And this?"},{"n":2,"who":"assistant","said":"This too."}]`,
			`$[*].n: integer "1"
$[*].who: string "user"
$[*].said: string "Where is it?"
roles at $[*].who (4 of 4 elements)
texts at $[*].said
{"group":"$.n","message.content":"$.said","message.role":"$.who"}`},
		{"lines with keys of their own", `{"k":"a","who":"user","said":"Where is it?"}
{"k":"a","who":"assistant","said":"It was lost.","mood":"calm"}
{"k":"a","who":"user","said":"Thanks.","tags":["x"]}`, `$.k: string "a"
$.who: string "user"
$.said: string "Where is it?"
$.mood: string "calm"
$.tags: list of 1
roles at $[*].who (3 of 3 elements)
null`},
		{"one id of all lines", `[{"run_id":"a","who":"user","said":"Where is it?"},{"run_id":"a","who":"assistant",` +
			`"said":"It was lost."}]`, `$[*].run_id: string "a"
$[*].who: string "user"
$[*].said: string "Where is it?"
roles at $[*].who (2 of 2 elements)
texts at $[*].said
{"group":"$.run_id","message.content":"$.said","message.role":"$.who"}`},
		{"one word of all lines", `[{"lang":"en","who":"user","said":"Where is it?"},{"lang":"en","who":"assistant",` +
			`"said":"It was lost."}]`, `$[*].lang: string "en"
$[*].who: string "user"
$[*].said: string "Where is it?"
roles at $[*].who (2 of 2 elements)
texts at $[*].said
{"message.content":"$.said","message.role":"$.who","messages":"$[*]"}`},
		{"a field that changes at an answer", `[{"k":"a","who":"user","said":"Where is it?"},{"k":"b","who":"assistant",` +
			`"said":"It was lost."},{"k":"b","who":"user","said":"And this?"},{"k":"c","who":"assistant","said":"This too."}` +
			`]`, `$[*].k: string "a"
$[*].who: string "user"
$[*].said: string "Where is it?"
roles at $[*].who (4 of 4 elements)
texts at $[*].said
{"message.content":"$.said","message.role":"$.who","messages":"$[*]"}`},
		{"messages in an inner object", `[{"m":{"who":"user","said":"Where is it?"}},{"m":{"who":"assistant",` +
			`"said":"It was lost."}}]`, `$[*].m: object with "who", "said"
$[*].m.who: string "user"
$[*].m.said: string "Where is it?"
roles at $[*].m.who (2 of 2 elements)
texts at $[*].m.said
{"message.content":"$.said","message.role":"$.who","messages":"$[*].m"}`},
		{"turns", `{"rounds":[{"query":"","steps":[]},{"query":"Where is it?","steps":[{"tool":"find","input":{"q":7},` +
			`"id":"k","output":"x"}],"final":"It was lost."}]}`, `$.rounds: list of 2
$.rounds[*].query: string ""
$.rounds[*].steps: list of 0
$.rounds[*].steps[*].tool: string "find"
$.rounds[*].steps[*].input: object with "q"
$.rounds[*].steps[*].input.q: integer "7"
$.rounds[*].steps[*].id: string "k"
$.rounds[*].steps[*].output: string "x"
$.rounds[*].final: string "It was lost."
turns at $.rounds[*]: the user at $.query, calls at $.steps[*]
{"call.arguments":"$.input","call.id":"$.id","call.name":"$.tool","call.result":"$.output",` +
			`"message.calls":"$.steps[*]","message.reply":"$.final","message.user":"$.query","messages":"$.rounds[*]"}`},
		{"turns with actions inside", `[{"rounds":[{"question":"Where is it?","moves":[{"act":{"fn":"find",` +
			`"params":{"q":7},"returned":"x"}}]}]}]`, `$[*].rounds: list of 1
$[*].rounds[*].question: string "Where is it?"
$[*].rounds[*].moves: list of 1
$[*].rounds[*].moves[*].act: object with "fn", "params", "returned"
$[*].rounds[*].moves[*].act.fn: string "find"
$[*].rounds[*].moves[*].act.params: object with "q"
$[*].rounds[*].moves[*].act.params.q: integer "7"
$[*].rounds[*].moves[*].act.returned: string "x"
turns at $.rounds[*]: the user at $.question, calls at $.moves[*]
{"call.arguments":"$.act.params","call.name":"$.act.fn","call.result":"$.act.returned",` +
			`"message.calls":"$.moves[*]","message.user":"$.question","messages":"$.rounds[*]"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := GuessLog("x.json", strings.NewReader(tt.log))
			if err != nil {
				t.Fatal(err)
			}
			b, _ := json.Marshal(g.Map)
			if got := strings.Join(g.Keys, "\n") + "\n" + strings.Join(g.Found, "\n") + "\n" + string(b); got != tt.want {
				t.Errorf("joined to\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
	for key, want := range map[string]bool{"id": true, "user_id": true, "runId": true, "ref": true, "idle": false,
		"valid": false, "reference": false} {
		if isID(key) != want {
			t.Errorf("%s as an id: %t", key, !want)
		}
	}
	for key, want := range map[string]bool{"myResult": true, "fn_returned": true, "rawOutput": true, "observed": true,
		"outcome": true, "output": true, "out": false, "text": false} {
		if saysResult(key) != want {
			t.Errorf("%s as a result: %t", key, !want)
		}
	}
	for key, want := range map[string]bool{"theName": true, "fn": true, "my_func": true, "toolUsed": true,
		"Action": true, "method": true, "api": true, "label": false} {
		if saysName(key) != want {
			t.Errorf("%s as a name: %t", key, !want)
		}
	}
	for text, want := range map[string]bool{"find_order": true, "a.b-c/d:e": true, "find order": false, "": false,
		strings.Repeat("a", 80): true, strings.Repeat("a", 81): false} {
		if isIdentifier(text) != want {
			t.Errorf("%.20s as a name: %t", text, !want)
		}
	}
}

// TestGuessesThatAreTried: a mapping is kept only if what it reads is plausible.
func TestGuessesThatAreTried(t *testing.T) {
	for name, tt := range map[string]struct{ log, want string }{
		"a conversation": {`{"talk":[{"who":"user","said":"Where is it?"},{"who":"assistant",` +
			`"said":"I look.","acts":[{"do":"find","how":{"q":7},"outcome":"lost"}]}]}`, `1 3 1 1 0 user Where is it?`},
		"the agent alone": {`{"talk":[{"who":"assistant","said":"Where is it?"},{"who":"assistant",` +
			`"said":"It was lost."}]}`, `nothing`},
		"an agent with results": {`{"talk":[{"who":"assistant","said":"I look.","acts":[{"do":"find","how":{"q":7},` +
			`"outcome":"lost"}]},{"who":"assistant","said":"Lost."}]}`, `1 3 1 1 0 assistant I look.`},
		"messages without a text": {`{"talk":[{"who":"user","n":1},{"who":"assistant","n":2}]}`, `nothing`},
		"half of them without a text": {`{"talk":[{"who":"user","said":"Where is it?"},{"who":"assistant","said":""}]}`,
			`1 2 0 0 1 user Where is it?`},
		"results that belong to none": {`{"talk":[{"who":"user","said":"Where is it?"},{"who":"tool","said":"lost"},` +
			`{"who":"assistant","said":"It was lost."}]}`, `nothing`},
	} {
		g, err := GuessLog("x.json", strings.NewReader(tt.log))
		if err == nil {
			err = g.Try(context.Background(), "x.json", strings.NewReader(tt.log))
		}
		got := "nothing"
		if err != nil {
			got = err.Error()
		} else if g.Map != nil {
			got = fmt.Sprint(g.Conversations, g.Messages, g.Calls, g.Results, g.Empty, " ", g.First[0].Role, " ",
				g.First[0].Text)
		} else if last := g.Found[len(g.Found)-1]; last != "no mapping that was tried reads this log without doubt" {
			got = last
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
	g := Guess{Map: map[string]string{"messages": "$.talk"}}
	if err := g.Try(context.Background(), "x.json", strings.NewReader(`{"log":[]}`)); err != nil || g.Map != nil {
		t.Errorf("a mapping that finds nothing is kept: %v, %v", g.Map, err)
	}
	g.Map = map[string]string{"messages": "$["}
	if err := g.Try(context.Background(), "x.json", strings.NewReader(`{"log":[]}`)); err == nil {
		t.Error("a mapping that cannot be parsed is no error")
	}
}

// TestMappedRecords: what a mapping reads of records besides messages, and where their names are.
func TestMappedRecords(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		targets   map[string]string
		want      string
	}{
		{"all targets", `{"no":"n1","policy":"Be brief.","kit":"[{\"name\":\"find\"}]","ref":[{"name":"find",` +
			`"arguments":{"q":7}}],"score":"0.5","word":"good","flag":"true","num":7,"talk":[{"by":"shop","txt":"Where?",` +
			`"mood":1},{"by":"clerk","txt":"I look.","did":[{"ref":"a","op":"find","with":"{\"q\":7}","got":"x","name":"no",` +
			`"more":1}]}]}`,
			map[string]string{"id": "no", "system": "policy", "tools": "kit", "expected": "ref", "labels.score": "score",
				"labels.word": "word", "labels.flag": "flag", "labels.none": "none", "sample.num": "num", "sample.none": "none",
				"messages": "talk", "message.role": "by", "message.content": "txt", "message.calls": "did", "call.id": "ref",
				"call.name": "op", "call.arguments": "with", "call.result": "got", "role.shop": "user",
				"role.clerk": "assistant"}, `n1: | s Be brief. | u Where? | a I look. 0#a find{"q":7} | 0=x
sample {"none":null,"num":7}
tool find()
label flag 1 of -1
label score 0.5 of -1
label word 0good of -1
expected [] false
expected find{"q":7}
message 1 {"mood":1}`},
		{"several paths", `{"a":{"talk":[{"role":"user","content":"b"}]},"kit":{"name":"find"}}`,
			map[string]string{"messages": "$..talk[*]", "tools": "$.kit"}, `x/1: | u b
tool find()`},
		{"a list of records", `[{"talk":[{"role":"user","content":"a"}]},{"talk":[{"role":"user","content":"b"}]}]`,
			map[string]string{"messages": "talk"}, `x/0: | u a
x/1: | u b`},
		{"a list of messages", `[{"who":"user","txt":"a"},{"who":"assistant","txt":"b"}]`,
			map[string]string{"messages": "$[*]", "message.role": "who", "message.content": "txt"}, `x/1: | u a | a b`},
		{"records in a list", `[{"talk":[{"role":"user","content":"a"}]},{"talk":[]}]`,
			map[string]string{"records": "$[*]", "messages": "talk"}, `x/0: | u a
error: x.json[1]: messages=talk finds nothing in this record (its keys are "talk")`},
		{"groups", `{"g":1,"role":"user","content":"a"}
{"g":2,"role":"user","content":"b"}
{"g":1,"role":"assistant","content":"c"}`, map[string]string{"group": "g"}, `1: | u a | a c
message 0 {"g":1}
message 1 {"g":1}
2: | u b
message 0 {"g":2}`},
		{"a result by its call's id", `{"talk":[{"role":"assistant","tool_calls":[{"id":"a","name":"f","arguments":{}},` +
			`{"id":"b","name":"f","arguments":{"q":1}}]},{"role":"tool","of":"b","content":"x"}]}`,
			map[string]string{"messages": "talk", "message.call_id": "of"}, `x/1: | a  0#a f{} 1#b f{"q":1} |` +
				` 1=x // unanswered_call`},
		{"a result under another name", `{"talk":[{"role":"assistant","tool_calls":[{"id":"a","name":"f","arguments":{}}` +
			`]},{"role":"tool","tool_call_id":"a","got":"x"},{"role":"tool","tool_call_id":"z","got":"y","content":"own"}` +
			`]}`, map[string]string{"messages": "talk", "call.result": "got"}, `x/1: | a  0#a f{} | 0=x |` +
			` -1=own // orphan_result
message 1 {"got":"x"}
message 2 {"got":"y"}
note orphan_result : messages[2]: the result belongs to no call: "own"`},
		{"an element that is a call", `{"talk":[{"txt":"hm","op":"find","with":{"q":7}}]}`,
			map[string]string{"messages": "talk", "message.content": "txt", "call.name": "op", "call.arguments": "with"},
			`x/1: | a hm 0# find{"q":7} // call_without_id unanswered_call`},
		{"a word that nobody knows", `{"talk":[{"who":"critic","content":"a"}]}`, map[string]string{"messages": "talk",
			"message.role": "who"}, `x/1: | u a // unknown_role
message 0 {"original_role":"critic"}
note unknown_role : messages[0]: the role "critic" is kept as user`},
		{"the usual word beside an unknown one", `{"talk":[{"who":"critic","role":"assistant","content":"a"}]}`,
			map[string]string{"messages": "talk", "message.role": "who"}, `x/1: | a a`},
		{"words of events", `{"talk":[{"what":"user_message","content":"a"},{"what":"final_answer","content":"b"},` +
			`{"what":"session_start","content":"c"}]}`, map[string]string{"messages": "talk", "message.role": "what"},
			`x/1: | u a | a b | s c`},
		{"messages that list calls", `{"talk":[{"did":[{"name":"f","arguments":{}}]},{"role":"user","content":"a"}]}`,
			map[string]string{"messages": "talk", "message.calls": "did"}, `x/1: | a  0# f{} |` +
				` u a // call_without_id unanswered_call`},
		{"a turn with nothing", `{"talk":[{"q":"a","a":null,"did":[]},{"q":null,"a":"b","did":[{"name":"f","arguments":{}` +
			`}]}]}`, map[string]string{"messages": "talk", "message.user": "q", "message.reply": "a",
			"message.calls": "did"}, `x/1: | u a | a  0# f{} | a b // call_without_id unanswered_call`},
		{"no messages in a list", `[5]`, map[string]string{"messages": "talk"},
			`error: x.json[0]: messages=talk finds nothing in this record (it is an integer)`},
		{"values of all kinds", `{"talk":[{"role":"user","content":"a"}],"f":1.50,"i":12345678901234567890,"b":false,` +
			`"n":null,"o":{"a":[1,2.0]}}`, map[string]string{"messages": "talk", "sample.f": "f", "sample.i": "i",
			"sample.b": "b", "sample.n": "n", "sample.o": "o", "sample.e": "$.o.a[1]"}, `x/1: | u a
sample {"b":false,"e":2.0,"f":1.50,"i":12345678901234567890,"n":null,"o":{"a":[1,2.0]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := ParseMapping(tt.targets)
			if err != nil {
				t.Fatal(err)
			}
			if got := inFull(t, tt.log, Options{Map: m}); got != tt.want {
				t.Errorf("joined to\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestWrittenForms: what is a written call, and what is not, at the edges of their forms.
func TestWrittenForms(t *testing.T) {
	tools := []transcript.Tool{{Name: "f", Parameters: mustParse(t, `{"properties":{"a":{"type":"integer"},`+
		`"b":{"type":"string"}}}`)}, {Name: "g", Parameters: mustParse(t, `{"properties":{"q":{}}}`)}}
	for _, tt := range []struct{ text, calls, rest string }{
		{"a <tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call> b", `f({"a":1})`, "a " +
			"<tool_call>\n</tool_call> b"},
		{"<tool_call><tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>", `f({})`, "<tool_call>" +
			"<tool_call>\n</tool_call>"},
		{"<tool_call></tool_call>", ``, "<tool_call></tool_call>"},
		{"<tool_call> </tool_call>x", ``, "<tool_call> </tool_call>x"},
		{"<tool_call>f</tool_call>", `({})!`, "<tool_call>\n</tool_call>"},
		{"<function=f><parameter=a>5</parameter><parameter=b>5</parameter><parameter=c>5</parameter><parameter=d</function>", `f({"a":5,"b":"5","c":"5"})`, "\n</function>"},
		{"<function=f><parameter=a>x</parameter></function>", `f({"a":"x"})`, "\n</function>"},
		{"<function=f>[1]</function>", `f({})!`, "\n</function>"},
		{"<function=>{}</function>", ``, "<function=>{}</function>"},
		{"<function=a<b>{}</function>", ``, "<function=a<b>{}</function>"},
		{"<function=" + strings.Repeat("n", 127) + ">{}", strings.Repeat("n", 127) + "({})", "\n"},
		{"<function=" + strings.Repeat("n", 128) + ">{}", ``, "<function=" + strings.Repeat("n", 128) + ">{}"},
		{"Action: f\nAction Input: {\"a\": 1} and more", `f({"a":1})`, "Action: \n"},
		{"Action: g\nAction Input: \"quoted\"", `g({"q":"quoted"})`, "Action: \n"},
		{"Action: g\nAction Input: \"open", `g({"q":"\"open"})`, "Action: \n"},
		{"Action: g\nAction Input: \"\"", `g({"q":""})`, "Action: \n"},
		{"My Action: f", ``, "My Action: f"},
		{"Action: Final Answer\nAction Input: x", ``, "Action: Final Answer\nAction Input: x"},
		{"Action: n/a\nAction Input: x", ``, "Action: n/a\nAction Input: x"},
		{"Action: `'*\"\nAction Input: x", ``, "Action: `'*\"\nAction Input: x"},
		{"Action: *`f`*\nAction Input: {}", `f({})`, "Action: \n"},
		{"Action: finish\nAction Input: x", ``, "Action: finish\nAction Input: x"},
		{"Action: g[red]", `g({"q":"red"})`, "Action: \n"},
		{"Action: finish[red]", ``, "Action: finish[red]"},
		{"Action: my tool[red]", ``, "Action: my tool[red]"},
		{"Action: f{\"a\": 1}", `f({"a":1})`, "Action: \n"},
		{"Action: [f(a=1), g(q=2)]", `f({"a":1}) g({"q":2})`, "Action: \n"},
		{"Action: f", `f({})`, "Action: \n"},
		{"Action: h", ``, "Action: h"},
		{"Reaction: f", ``, "Reaction: f"},
		{"> * Action 12**: f", `f({})`, "> * Action 12**: \n"},
		{"f(a=1)", `f({"a":1})`, "\n"},
		{"`f(a=1)`;", `f({"a":1})`, "`\n`;"},
		{"[f(a=1)", `({})!`, "\n"},
		{"x = f(a=1)", ``, "x = f(a=1)"},
		{"h(a=1)", ``, "h(a=1)"},
		{"f(1, 2, 3)", `f({"a":1,"b":2,"__positional_2":3})`, "\n"},
		{"f(\n a=1\n)\nthen", `f({"a":1})`, "\n\nthen"},
		{"f(a=1) is what I call", ``, "f(a=1) is what I call"},
		{"f(a=", `({})!`, "\n"},
		{"f(a=\nmore", ``, "f(a=\nmore"},
		{`{"name":"f","arguments":"{\"a\":1}"}`, `f({"a":1})`, "\n"},
		{`{"name":"f","arguments":"x"}`, `f({})!`, "\n"},
		{`{"name":"","arguments":{}}`, ``, `{"name":"","arguments":{}}`},
		{`{"name":"f"}`, ``, `{"name":"f"}`},
		{`{"action":"g","action_input":"x"}`, `g({"q":"x"})`, "\n"},
		{`{"action":"g","action_input":5}`, `g({})!`, "\n"},
		{`{"a":{"name":"f","arguments":{"a":1}}}`, `f({"a":1})`, `{"a":` + "\n}"},
		{`{ "tool_name": "f", "tool_args": `, `({})!`, "\n"},
		{`{"other": {"arguments": `, ``, `{"other": {"arguments": `},
		{"```json\n{\"name\":\"f\",\"arguments\":{}}\n```", `f({})`, "```json\n\n\n```"},
		{"```[f(a=1)]```", `f({"a":1})`, "```\n```"},
		{"[f(a=1), g(q=2)]", `f({"a":1}) g({"q":2})`, "\n"},
	} {
		var got []string
		calls, rest := CutCalls(tt.text, tools)
		for _, c := range calls {
			got = append(got, c.Name+"("+c.Arguments.JSON()+")"+map[bool]string{true: "!"}[c.Malformed])
		}
		if strings.Join(got, " ") != tt.calls || rest != tt.rest {
			t.Errorf("%.60q has %s and %q\nwant %s and %q", tt.text, strings.Join(got, " "), rest, tt.calls, tt.rest)
		}
	}
	for text, want := range map[string]string{"f(a=": "the call is cut off", "[f(a=1)": "no call that can be read",
		"Action: {\"x\"": "no JSON object with a name and arguments", `{"name":"f","arguments":"x"}`: "its arguments are a " +
			"string", `{"name":"f","arguments":[5]}`: "its arguments are an array",
		`{"action":"g","action_input":5}`: "its arguments are an integer"} {
		if calls, _ := CutCalls(text, tools); len(calls) != 1 || calls[0].Problem != want {
			t.Errorf("%q has %+v", text, calls)
		}
	}
}

// TestCallsThatRanInTexts: calls in texts that results follow, and the inventory in a system message.
func TestCallsThatRanInTexts(t *testing.T) {
	for _, tt := range []struct {
		name, log string
		textCalls bool
		want      string
	}{
		{"a call before a result", `{"messages":[{"role":"system","content":"Use <tools>\n{\"name\":\"f\",` +
			`\"parameters\":{}}\nno JSON\n{\"name\":\"g\",\"parameters\":{}}\n</tools> well"},{"role":"assistant",` +
			`"content":"I look.\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"},{"role":"tool","content":"x"}` +
			`]}`, false, `x/1: | s Use <tools>
{"name":"f","parameters":{}}
no JSON
{"name":"g","parameters":{}}
</tools> well | a I look. 0# f{} | 0=x // call_from_text call_without_id paired_by_order
tool f()
tool g()
note call_from_text : messages[1]: the call is written in the text, and a result follows
note paired_by_order : messages[2]: the result names no call of the log and was given to f at messages[1].content`},
		{"an inventory in a list", `{"messages":[{"role":"system","content":"<tools>[{\"name\":\"f\",\"parameters\":{}}` +
			`]</tools>"},{"role":"user","content":"a"}]}`, false, `x/1: | s <tools>[{"name":"f","parameters":{}}]</tools> | u a
tool f()`},
		{"an inventory that is open", `{"messages":[{"role":"system","content":"<tools>[{\"name\":\"f\"}]"},` +
			`{"role":"user","content":"a"}]}`, false, `x/1: | s <tools>[{"name":"f"}] | u a`},
		{"tools of the record", `{"tools":[{"name":"h","parameters":{}}],"messages":[{"role":"system",` +
			`"content":"<tools>[{\"name\":\"f\"}]</tools>"},{"role":"user","content":"a"}]}`, false, `x/1: |` +
			` s <tools>[{"name":"f"}]</tools> | u a
tool h()`},
		{"a result with an id", `{"messages":[{"role":"assistant","content":"{\"name\":\"f\",\"arguments\":{}}"},` +
			`{"role":"tool","tool_call_id":"k","content":"x"}]}`, false, `x/1: | a {"name":"f","arguments":{}} |` +
			` -1=x // orphan_result call_in_text
note orphan_result : messages[1]: the result belongs to no call: "x"
note call_in_text : messages[0].content: f is only written in the text,` +
			` and nothing shows that it ran: "{\"name\":\"f\",\"arguments\":{}}"`},
		{"several results in one", `{"messages":[{"role":"assistant","content":"<tool_call>{\"name\":\"f\",` +
			`\"arguments\":{}}</tool_call><tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>"},{"role":"tool",` +
			`"content":"<tool_response>{\"name\":\"g\",\"content\":\"y\"}</tool_response>\n<tool_response>{\"name\":\"f\",` +
			`\"output\":{\"a\":1}}</tool_response><tool_response>{\"name\":\"f\"}</tool_response>"}]}`, false, `x/1: |` +
			` a  0# f{} 1# g{} | 1=y | 0={"a":1} | -1={"name":"f"}` +
			` // call_from_text call_without_id call_without_id paired_by_order paired_by_order orphan_result
note call_from_text : messages[0]: the call is written in the text, and a result follows
note paired_by_order : messages[1]: the result names no call of the log and was given to g at messages[0].content
note paired_by_order : messages[1]: the result names no call of the log and was given to f at messages[0].content
note orphan_result : messages[1]: the result belongs to no call: "{\"name\":\"f\"}"`},
		{"a result of the user", `{"messages":[{"role":"assistant","content":"Action: f\nAction Input: {}"},` +
			`{"role":"user","content":" Observation: {\"a\":1} "},{"role":"assistant","content":"{\"name\":\"respond\",` +
			`\"arguments\":{\"content\":\"Lost.\"}}"}]}`, true, `x/1: | a  0# f{} | 0={"a":1} |` +
			` a Lost. // call_from_text call_without_id paired_by_order
note call_from_text : messages[0]: the call is written in the text, and a result follows
note paired_by_order : messages[1]: the result names no call of the log and was given to f at messages[0].content`},
		{"a tagged result of the user", `{"messages":[{"role":"assistant","content":"Action: f\nAction Input: {}"},` +
			`{"role":"user","content":"<tool_response> x </tool_response>"}]}`, true, `x/1: | a  0# f{} |` +
			` 0=x // call_from_text call_without_id paired_by_order
note call_from_text : messages[0]: the call is written in the text, and a result follows
note paired_by_order : messages[1]: the result names no call of the log and was given to f at messages[0].content`},
		{"two tagged results of the user", `{"messages":[{"role":"assistant","content":"Action: f\nAction Input: {}"},` +
			`{"role":"user","content":"<tool_response>x</tool_response><tool_response>y</tool_response>"}]}`, true, `x/1: |` +
			` a Action: f
Action Input: {} 0# f{} | u <tool_response>x</tool_response><tool_response>y</tool_response> // call_from_text
note call_from_text : messages[0].content: f is only written in the text,` +
			` and nothing shows that it ran: "f\nAction Input: {}"`},
		{"written calls noted", `{"messages":[{"role":"assistant","content":"{\"name\":\"f\",\"arguments\":{}}` +
			` {\"name\":\"g\",\"arguments\":{}} {\"name\":\"h\",\"arguments\":{}}"},{"role":"user",` +
			`"content":"API output: x"},{"role":"assistant","content":"{\"name\":\"f\",\"arguments\":["}]}`, false, `x/1: |` +
			` a {"name":"f","arguments":{}} {"name":"g","arguments":{}} {"name":"h","arguments":{}} | u API output: x |` +
			` a {"name":"f","arguments":[ // call_in_text result_in_text call_in_text
note call_in_text : messages[0].content: f is only written in the text,` +
			` and nothing shows that it ran: "{\"name\":\"f\",\"arguments\":{}}" (and 2 more)
note result_in_text : messages[1].content: this follows what looks like a call: "x"
note call_in_text : messages[2].content: a call is only written in the text,` +
			` and cannot be read (the object is cut off): "{\"name\":\"f\",\"arguments\":["`},
		{"a call beside written ones", `{"messages":[{"role":"assistant","content":"{\"name\":\"f\",\"arguments\":{}}"},` +
			`{"role":"assistant","tool_calls":[{"id":"k","function":{"name":"g","arguments":"{}"}}]},{"role":"tool",` +
			`"tool_call_id":"k","content":"x"},{"role":"assistant","content":"<invoke name"}]}`, true, `x/1: |` +
			` a {"name":"f","arguments":{}} 0# f{} | a  1#k g{} | 1=x | a <invoke name // call_from_text
note call_from_text : messages[0].content: f is only written in the text,` +
			` and nothing shows that it ran: "{\"name\":\"f\",\"arguments\":{}}"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := inFull(t, tt.log, Options{Format: native.name, TextCalls: tt.textCalls}); got != tt.want {
				t.Errorf("joined to\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// TestBodiesOfHTTP: the content of a request or a response in each form of a recording.
func TestBodiesOfHTTP(t *testing.T) {
	const one = `{"a":1}`
	for body, want := range map[string]string{
		`{"postData":{"text":"{\"a\":1}"}}`: one, `{"parsed_body":{"a":1}}`: one, `{"body":{"string":"{\"a\":1}"}}`: one,
		`{"content":{"text":"{\"a\":1}"}}`: one, `{"body":{"text":"plain"}}`: `"plain"`, `{"body":{"text":{"a":1}}}`: `{"text":{"a":1}}`,
		`{"body":{"base64_string":"` + base64.StdEncoding.EncodeToString([]byte(one)) + `"}}`: one, `{"headers":{},` +
			`"content":"plain"}`: `"plain"`, `{"content":"plain"}`: `{"content":"plain"}`, `{"content":"{\"a\":1}` +
			`"}`: `{"content":"{\"a\":1}"}`,
		`{"body":"` + hex.EncodeToString([]byte(one)) + `"}`: one, `{"payload":{"a":1}}`: one, `{"body":{"__type__":"x",` +
			`"__data__":{"a":1}}}`: one, `{"body":[{"__type__":"x","__data__":{"a":1}}]}`: `[{"a":1}]`,
		`["` + hex.EncodeToString([]byte(one))[:6] + `","` + hex.EncodeToString([]byte(one))[6:] + `"]`: one, `["a",` +
			`"b"]`: `["a","b"]`, `{"a":1}`: one, `"plain text"`: `"plain text"`, `{"body":"aGVsbG8="}`: `"aGVsbG8="`,
	} {
		if got := httpBody(mustParse(t, body)).JSON(); got != want {
			t.Errorf("%s holds %s, want %s", body, got, want)
		}
	}
	for e, want := range map[string]string{
		`{"response":{"status":{"code":500}}}`: "500", `{"response":{"status":404}}`: "404",
		`{"response":{"status_code":301}}`: "301", `{"status":429}`: "429", `{"status":200}`: "", `{"status":0}`: "",
		`{"status":"failed"}`: "", `{"status":204}`: "",
	} {
		if got := failedStatus(mustParse(t, e)); got != want {
			t.Errorf("%s failed with %q, want %q", e, got, want)
		}
	}
	for e, want := range map[string]string{
		`{"request":{"url":"u","body":"a"},"response":{"body":"b"}}`: `"a" "b" u`, `{"request":{"uri":"u"},"response":{}` +
			`}`: `{"uri":"u"} {} u`, `{"path":"p","body":"{\"a\":1}","response":{"b":1}}`: `{"a":1} {"b":1} p`,
		`{"url":"u","status":200,"headers":{},"body":{"c":1}}`: `null {"c":1} u`,
	} {
		request, reply, url := httpSides(mustParse(t, e))
		if got := request.JSON() + " " + reply.JSON() + " " + url; got != want {
			t.Errorf("%s has %s, want %s", e, got, want)
		}
	}
	for record, want := range map[string]bool{
		`{"log":{"entries":[{"request":{},"response":{}}]}}`: true, `{"interactions":[{"request":{}}]}`: false,
		`{"http_interactions":[{"request":{},"response":{}}]}`: true, `{"request":{"url":"u"},"response":{}}`: true,
		`{"request":{"uri":"u","body":""}}`: true, `{"request":{"url":"u","payload":""}}`: true, `{"request":{"url":"u",` +
			`"method":""}}`: true, `{"request":{"url":"u"}}`: false, `{"request":{"body":""},"response":{}}`: false,
		`{"scope":"s","method":"m","path":"p","response":{}}`: true, `{"scope":"s","method":"m","response":{}}`: false,
		`{"method":"m","response":{"choices":[]}}`: true, `{"method":"m","response":{"candidates":[]}}`: true,
		`{"method":"m","response":{"stop_reason":""}}`: true, `{"method":"m","response":{"stopReason":""}}`: true,
		`{"method":"m","response":{"object":"response"}}`: true, `{"method":"m","response":{"x":1}}`: false,
	} {
		if got := isHTTPRecording(mustParse(t, record)); got != want {
			t.Errorf("%s: %t", record, got)
		}
	}
}

// atPath returns an object with a value at a path such as choices[0].message.
func atPath(path, v string) string {
	for path != "" {
		i := strings.LastIndexByte(path, '.')
		key, isFirst := strings.CutSuffix(path[i+1:], "[0]")
		if isFirst {
			v = "[" + v + "]"
		}
		v, path = `{"`+key+`":`+v+`}`, path[:max(i, 0)]
	}
	return v
}

// TestPathsOfExchanges: where requests, replies, rows and records may have their parts.
func TestPathsOfExchanges(t *testing.T) {
	exchanged := func(request, reply string) string {
		d := &draft{Conversation: &transcript.Conversation{}, decoder: &decoder{}}
		if err := d.exchange(mustParse(t, request), mustParse(t, reply)); err != nil {
			return err.Error()
		}
		for i := range d.Tools {
			d.ID += d.Tools[i].Name
		}
		return shown(d.Conversation)
	}
	for _, tt := range []struct {
		paths, v, want string
		reply          bool
	}{
		{"system systemInstruction system_instruction instructions config.systemInstruction config.system_instruction " +
			"system_prompt", `"Be brief."`, ": | s Be brief.", false},
		{"tools functions toolConfig.tools config.tools model_parameters.tools optional_params.tools tool_definitions " +
			"available_tools", `[{"name":"f"}]`, "f:", false},
		{"messages contents input prompt query question user", `[{"role":"user","content":"a"}]`, ": | u a", false},
		{"choices[0].message candidates[0].content output.message response.messages messages message choices[0].text " +
			"output content completion text generated_text outputs", `"b"`, ": | a b", true},
		{"choices[0].message output.message message", `{"role":"assistant","content":"b"}`, ": | a b", true},
		{"candidates[0].content", `{"role":"model","parts":[{"text":"b"}]}`, ": | a b", true},
	} {
		for _, path := range strings.Fields(tt.paths) {
			sides := [2]string{atPath(path, tt.v), "{}"}
			if tt.reply {
				sides[0], sides[1] = sides[1], sides[0]
			}
			if got := exchanged(sides[0], sides[1]); got != tt.want {
				t.Errorf("with %s: %s, want %s", path, got, tt.want)
			}
		}
	}
	for keys, want := range map[string]string{
		"question query input instruction prompt user_query utterance": `{"id":"r","function":[],"KEY":"a","result":"x"} r: |` +
			` u a | a x`,
		"result raw prediction predictions predicted model_output generated_response generation model_response " +
			"response": `{"id":"r","function":[],"question":"a","KEY":"x"} r: | u a | a x`,
		"answers ground_truth expected_calls output gold_answer answer target gold expected_tool_use calling": `{"id":"r",` +
			`"function":[],"question":"a","result":"x","KEY":"[f(q=1)]"} r: | u a | a x` + "\n" + `expected [] false` + "\n" +
			`expected f{"q":1}`,
	} {
		for _, key := range strings.Fields(keys) {
			log, want, _ := strings.Cut(want, "} r:")
			log = strings.ReplaceAll(log+"}", "KEY", key)
			if got := inFull(t, log, Options{Format: functionRows.name}); got != "r:"+want {
				t.Errorf("%s reads as %s, want r:%s", log, got, want)
			}
		}
	}
	for _, path := range strings.Fields("messages conversation conversations history turns trajectory traj chat " +
		"chat_history dialogue dialog transcript message_history all_messages new_messages events steps items contents " +
		"chat_messages log input.messages inputs.messages request.messages output.messages outputs.messages data.messages " +
		"trace.messages body.messages conversation.messages session.messages result.messages chat.messages outputs output") {
		log := atPath(path, `[{"role":"user","content":"a"}]`)
		if _, list := readText(t, "x", log, Options{Format: wrappedMessages.name}); len(list) != 1 ||
			shown(list[0]) != "x/1: | u a" {
			t.Errorf("%s reads as %v", log, list)
		}
		if _, found := wrappedList(mustParse(t, log), messagePaths); found != path {
			t.Errorf("the messages in %s are at %s", log, found)
		}
	}
}

// TestListsAndPaths: the small functions with which all readers look into records.
func TestListsAndPaths(t *testing.T) {
	v := mustParse(t, `{"a":{"b":[{"c":5}]},"d":"{\"e\":[1]}","f":null,"g":[]}`)
	for path, want := range map[string]string{"a.b[0].c": "5", "a.b": `[{"c":5}]`, "d.e[0]": "1", "f": "null",
		"a.x.y": "null", "g[0]": "null"} {
		if got := valueAt(v, path).JSON(); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	if got, path := found(v, "f", "x", "a.b[0].c", "d"); path != "a.b[0].c" || got.Text() != "5" {
		t.Errorf("found %s at %s", got.JSON(), path)
	}
	if got := flatLines(mustParse(t, `[[1,[2]],{"a":[3,{"b":[4]}]},{"a":5},{"b":[]}]`), "a", "b").JSON(); got != `[1,`+
		`2,3,4,{"a":5}]` {
		t.Errorf("the lines are %s", got)
	}
	if got := merged(mustParse(t, `{"a":1,"b":2}`), mustParse(t, `{"a":"","b":[],"c":[1],"d":0,"e":{},`+
		`"f":null}`)).JSON(); got != `{"a":1,"b":2,"c":[1],"d":0}` {
		t.Errorf("merged to %s", got)
	}
	if got := foreign(mustParse(t, `{"id":1,"messages":2,"tools":3,"functions":4,"expected_calls":5,`+
		`"only_expected_calls":6,"expected_outputs":7,"labels":8,"sample":9,"a":10,"b":11}`), "b").JSON(); got !=
		`{"log_id":1,"log_messages":2,"log_tools":3,"log_functions":4,"log_expected_calls":5,"log_only_expected_calls":6,`+
			`"log_expected_outputs":7,"log_labels":8,"log_sample":9,"a":10}` {
		t.Errorf("foreign keys are %s", got)
	}
	for attrs, want := range map[string]string{
		`{"a.0.x":1,"a.1.x":2,"a.10.x":4,"a.2.x":3}`: `[{"x":1},{"x":2},{"x":3},{"x":4}]`, `{"a.x.y":1,"a.x.z":2,` +
			`"b.x":3}`: `{"x":{"y":1,"z":2}}`, `{"a":5}`: `5`, `{"a.01":1}`: `{"01":1}`, `{"a.-1":1}`: `{"-1":1}`,
		`{"a.0":1,"a.x":2}`: `{"0":1,"x":2}`, `{"a.x":1,"a.x.y":2}`: `{"x":{"y":2}}`, `{"ab":1}`: `null`,
	} {
		if got := unflatten(mustParse(t, attrs), "a").JSON(); got != want {
			t.Errorf("%s is %s, want %s", attrs, got, want)
		}
	}
	var fields value.Fields
	flatten(&fields, "a", mustParse(t, `{"x":[1,{"y":"b"}],"z":null}`), 0)
	if got := fields.Object().JSON(); got != `{"a.x.0":1,"a.x.1.y":"b"}` {
		t.Errorf("flattened to %s", got)
	}
	tools, notes := parseTools(mustParse(t, `[{"function_declarations":[{"name":"a","parameters":{"type":"OBJECT",`+
		`"properties":{"q":{"type":"STRING","enum":["A"],"default":{"type":"B"},"example":{"type":"C"}}}}}]},`+
		`{"functionDeclarations":[{"name":"b","parametersJsonSchema":{}}]},`+
		`{"tools":[{"name":"c","inputSchema":{"json":{"type":"object"}}}]},{"toolSpec":{"name":"d","description":"D",`+
		`"input_schema":{"jsonSchema":{"type":"object"}}}},{"custom":{"name":"e","arguments":[{"name":"q","type":"int",`+
		`"required":false},{"name":"r"}]}},`+
		`{"function":{"name":"f","args":{"type":"object","a":"int"}}},"g","{\"name\":\"h\",`+
		`\"parameters_json_schema\":{\"anyOf\":[]}}",{"x":1},"",5,{"name":"i","parameters":[5]},{"name":"j",`+
		`"parameters":{"type":"dict","description":"x","title":"y","$id":"z","required":[]}},{"name":"k",`+
		`"parameters":{"$ref":"#"}},{"name":"l","parameters":{"oneOf":"x"}},{"name":"m","parameters":{"allOf":[]}}]`))
	var got []string
	for _, tool := range tools {
		got = append(got, tool.Name+" "+tool.Description+" "+tool.Parameters.JSON())
	}
	for _, n := range notes {
		got = append(got, n.Place+": "+n.Detail)
	}
	want := `a  {"type":"object","properties":{"q":{"type":"string","enum":["A"],"default":{"type":"B"},` +
		`"example":{"type":"C"}}}}
b  {}
c  {"type":"object"}
d D {"type":"object"}
e  {"type":"object","properties":{"q":{"type":"integer"},"r":{}},"required":["r"]}
f  {"type":"object","properties":{"type":{"type":"object"},"a":{"type":"integer"}},"required":["type","a"]}
g  null
h  {"anyOf":[]}
i  null
j  {"type":"dict","description":"x","title":"y","$id":"z","required":[]}
k  {"$ref":"#"}
l  {"type":"object","properties":{"oneOf":{"description":"x"}},"required":["oneOf"]}
m  {"allOf":[]}
tools[8]: a tool has no name: "{\"x\":1}"
tools[9]: a tool has no name: "\"\""
tools[10]: a tool has no name: "5"`
	if diff := cmp.Diff(want, strings.Join(got, "\n")); diff != "" {
		t.Error(diff)
	}
}
