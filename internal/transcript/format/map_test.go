package format

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const oddLog = `{"runs":[{"rid":"r1","trace":{"events":[
 {"n":1,"msg":{"who":"customer","said":"Where is order 90071992547409931?"}},
 {"n":2,"msg":{"who":"shopbot","said":"One moment","acts":[{"ref":"a1","fn":"find_order","params":{"id":90071992547409931,"x":1.50}}]}},
 {"n":3,"msg":{"who":"tool","said":"lost","in_reply_to":"a1"}},
 {"n":4,"msg":{"who":"shopbot","said":"It was lost."}}]},
 "toolbox":[{"name":"find_order","parameters":{"type":"object","properties":{"id":{"type":"integer"}}}}],
 "verdict":{"human":1},"task":"t-9"}]}`

// read maps a log and describes its conversations, one message a line.
func readMapped(t *testing.T, text string, targets map[string]string) string {
	t.Helper()
	m, err := ParseMapping(targets)
	if err != nil {
		t.Fatal(err)
	}
	lines, list := readText(t, "odd.json", text, Options{Map: m})
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, "%s tools %d labels %v sample %s\n", c.ID, len(c.Tools), c.Labels, c.Sample.JSON())
		for i := range c.Messages {
			m := &c.Messages[i]
			fmt.Fprintf(&b, "%s %q", m.Role, m.Content)
			for _, k := range m.Calls {
				fmt.Fprintf(&b, " %s(%s) %s", c.Calls[k].Name, c.Calls[k].RawArguments, c.Calls[k].Pairing)
			}
			b.WriteByte('\n')
		}
	}
	for _, l := range lines {
		if strings.HasPrefix(l, "error: ") {
			fmt.Fprintln(&b, l)
		}
	}
	return b.String()
}

func TestMappingOfAnUnknownLog(t *testing.T) {
	got := readMapped(t, oddLog, map[string]string{
		"records": "$.runs[*]", "messages": "$.trace.events[*].msg", "message.role": "who", "message.content": "$.said",
		"message.calls": "$.acts", "message.call_id": "$.in_reply_to", "call.id": "$.ref", "call.name": "$.fn",
		"call.arguments": "$.params", "role.shopbot": "assistant", "tools": "$.toolbox", "labels.human": "$.verdict.human",
		"sample.task": "$.task", "id": "$.rid",
	})
	want := `r1 tools 1 labels [{human -1 1 }] sample {"task":"t-9"}
user "Where is order 90071992547409931?"
assistant "One moment" find_order({"id":90071992547409931,"x":1.50}) id
tool "lost"
assistant "It was lost."
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestMappingsThatAreWrongSayWhere(t *testing.T) {
	for _, tt := range []struct {
		targets map[string]string
		want    string
	}{
		{map[string]string{}, "messages: a mapping must say"},
		{map[string]string{"messages": "$.a", "message": "$.b"}, "message: no such target; the targets are messages, records"},
		{map[string]string{"messages": "$.a["}, `messages: "$.a[" is no JSONPath`},
		{map[string]string{"messages": "$.a", "role.bot": "robot"}, `a role is system, user, assistant or tool, not "robot"`},
		{map[string]string{"messages": "$.a", "labels.": "$.b"}, "labels.: no such target"},
		{map[string]string{"messages": "$.a^"}, "is no JSONPath"},
	} {
		if _, err := ParseMapping(tt.targets); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %q", tt.targets, err, tt.want)
		}
	}
	for _, target := range mapTargets() {
		if target[1] == "" {
			t.Errorf("nothing says what %s means", target[0])
		}
	}
	const all = "message: no such target; the targets are messages, records, group, id, tools, system, expected, " +
		"labels.NAME, sample.NAME, role.NAME, message.role, message.content, message.calls, message.user, message.reply, " +
		"message.call_id, call.id, call.name, call.arguments, call.result"
	if _, err := ParseMapping(map[string]string{"message": "$.b"}); err == nil || err.Error() != all {
		t.Errorf("%v, want %q", err, all)
	}
	got := readMapped(t, `{"chat":[{"who":"x"}]}`, map[string]string{"messages": "$.messages[*]"})
	if !strings.Contains(got, `messages=$.messages[*] finds nothing in this record (its keys are "chat")`) {
		t.Errorf("nothing found reads as %s", got)
	}
}

// TestGuessedMappingsWork: what a guess proposes reads the log.
func TestGuessedMappingsWork(t *testing.T) {
	for name, tt := range map[string]struct {
		text                           string
		conversations, messages, calls int
	}{
		"nested and renamed": {oddLog, 1, 4, 1},
		"lines with events": {`{"trace":{"events":[{"msg":{"role":"user","content":"hi"}},{"msg":{"role":"assistant","content":"x"}}]}}
{"trace":{"events":[{"msg":{"role":"user","content":"hi"}}]}}
`, 2, 3, 0},
		"calls as content": {`{"log":{"entries":[{"actor":"user","body":"hi"},{"actor":"assistant","function_calls":[{"name":"f","args":{"a":1}}]},
{"actor":"tool","body":"3"}]}}`, 1, 3, 1},
		"messages as JSON in a text": {`{"session":{"dump":"[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"k\",\"name\":\"f\",\"arguments\":\"{}\"}]}]"}}`, 1, 2, 1},
	} {
		g, err := GuessLog("x.json", strings.NewReader(tt.text))
		if err != nil || g.Map == nil {
			t.Errorf("%s: %v, %+v", name, err, g)
			continue
		}
		m, err := ParseMapping(g.Map)
		if err != nil {
			t.Fatal(err)
		}
		var s Summary
		s.Read(Open(context.Background(), "x.json", strings.NewReader(tt.text), Options{Map: m}))
		if s.Conversations != tt.conversations || s.Messages != tt.messages || s.Calls != tt.calls || s.Unreadable > 0 {
			t.Errorf("%s: %v reads %d conversations, %d messages, %d calls, %v", name, g.Map, s.Conversations, s.Messages,
				s.Calls, s.Problems)
		}
	}
	for _, text := range []string{``, `{}`, `[]`, `{"a":[1,2]}`, `{"a":[{"role":"admin","x":1}]}`, `{"a":`, `no JSON`} {
		if g, err := GuessLog("x.json", strings.NewReader(text)); err == nil && g.Map != nil {
			t.Errorf("%q is read by %v", text, g.Map)
		}
	}
}

// TestGuessedMappings holds the mapping that is suggested for a log, which names only what a reader does not know.
func TestGuessedMappings(t *testing.T) {
	for name, tt := range map[string]struct {
		log  string
		want map[string]string
	}{
		"nested and renamed": {oddLog, map[string]string{"records": "$.runs[*]", "messages": "$.trace.events[*].msg",
			"message.role": "$.who", "message.content": "$.said", "message.calls": "$.acts", "message.call_id": "$.in_reply_to",
			"call.id": "$.ref", "role.shopbot": "assistant", "tools": "$.toolbox"}},
		"messages with known keys": {`{"trace":{"events":[{"msg":{"role":"user","content":"hi"}},` +
			`{"msg":{"role":"assistant","content":"x"}}]}}`,
			map[string]string{"messages": "$.trace.events[*].msg"}},
		"the first of two lists, texts shorter than roles": {`{"log":[{"who":"customer","said":"hi"},` +
			`{"who":"assistant","said":"yo"}],` +
			`"copy":[{"who":"customer","said":"hi"},{"who":"assistant","said":"yo"}]}`,
			map[string]string{"messages": "$.log[*]", "message.role": "$.who", "message.content": "$.said"}},
		"a log that is cut short": {`{"log":[{"who":"customer","said":"Where is order 7?"},{"who":"assistant",` +
			`"said":"It was lost."},{"who":"custo`,
			map[string]string{"messages": "$.log[*]", "message.role": "$.who", "message.content": "$.said"}},
		"a row a message": {`{"k":"a","who":"user","said":"Where is order 7?"}` + "\n" + `{"k":"a","who":"assistant",` +
			`"said":"It was lost."}` + "\n" +
			`{"k":"b","who":"user","said":"And order 8?"}` + "\n" + `{"k":"b","who":"assistant","said":"Also."}`,
			map[string]string{"group": "$.k", "message.role": "$.who", "message.content": "$.said"}},
		"rows with no field that groups them": {`{"k":"a","who":"user","said":"Where is order 7?"}` + "\n" +
			`{"k":"b","who":"assistant","said":"It was lost."}` + "\n" + `{"k":"a","who":"user","said":"And 8?"}`, nil},
		"words for roles": {`{"chat":[{"by":"customer","words":"Where is order 7?"},{"by":"shopbot",` +
			`"words":"I look.","did":[{"what":"find_order",` +
			`"with":{"id":7}}]},{"by":"tool","words":"lost"},{"by":"shopbot","words":"It was lost."},{"by":"operator",` +
			`"words":"Sorry."}]}`,
			map[string]string{"messages": "$.chat[*]", "message.role": "$.by", "message.content": "$.words",
				"message.calls": "$.did",
				"call.name":     "$.what", "call.arguments": "$.with", "role.shopbot": "assistant", "role.operator": "tool"}},
		"turns": {`{"sessions":[{"turns":[{"user_text":"Hi","moves":[],"reply":"Hello"},{"user_text":"Where?",` +
			`"moves":[{"action":` +
			`{"tool":"find","args":{"q":1}},"observation":"lost"}],"reply":"Lost"}]}]}`,
			map[string]string{"records": "$.sessions[*]", "messages": "$.turns[*]", "message.user": "$.user_text",
				"message.calls": "$.moves[*]", "message.reply": "$.reply", "call.name": "$.action.tool",
				"call.arguments": "$.action.args", "call.result": "$.observation"}},
		"turns with an id": {`[{"turns":[{"user":"Where?","moves":[{"call_id":"k1","action":"find",` +
			`"action_input":{"q":1},"observation":"lost"}]}]}]`,
			map[string]string{"messages": "$.turns[*]", "message.user": "$.user", "message.calls": "$.moves[*]",
				"call.id":   "$.call_id",
				"call.name": "$.action", "call.arguments": "$.action_input", "call.result": "$.observation"}},
		"calls with known keys": {`{"turns":[{"speaker":"user","utterance":"Where?"},{"speaker":"agent",` +
			`"utterance":"It was lost.",` +
			`"actions":[{"api":"find","args":{"q":7},"returns":"lost"}]}]}`,
			map[string]string{"messages": "$.turns[*]", "message.content": "$.utterance", "message.calls": "$.actions"}},
	} {
		g, err := GuessLog("x.json", strings.NewReader(tt.log))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, g.Map); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestGuessListsPlaces: the keys of all elements of a list are listed, for a mapping by hand.
func TestGuessListsPlaces(t *testing.T) {
	g, err := GuessLog("x.json", strings.NewReader(oddLog))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"$.runs: list of 1", "$.runs[*].trace.events: list of 4", `$.runs[*].trace.events[*].msg.acts[*].fn: string "find_order"`, `$.runs[*].trace.events[*].msg.who: string "customer"`,
		`$.runs[*].toolbox[*].parameters: object with "type", "properties"`,
	} {
		if !slices.Contains(g.Keys, want) {
			t.Errorf("%q is not among %q", want, g.Keys)
		}
	}
	const msg = "$.runs[*].trace.events[*].msg."
	found := []string{"schemas of tools at $.runs[*].toolbox: find_order(id)", "roles at " + msg + "who (2 of 4 elements)",
		"texts at " + msg + "said", "calls at " + msg + "acts"}
	if diff := cmp.Diff(found, g.Found); diff != "" {
		t.Errorf("what was found (-want +got):\n%s", diff)
	}
}

// FuzzGuess: no log and no path ends badly.
func FuzzGuess(f *testing.F) {
	f.Add(oddLog, "$.runs[*].trace.events[*].msg")
	f.Add(`[{"role":"user","content":[{"type":"text"}]}]`, "$[?@.role=='user']")
	f.Add(`{"a":{"b":"[{\"role\":1}]"}}`, "$..b")
	f.Fuzz(func(t *testing.T, text, path string) {
		if g, err := GuessLog("x.json", strings.NewReader(text)); err == nil && g.Map != nil {
			if _, err := ParseMapping(g.Map); err != nil {
				t.Errorf("%v: %v", g.Map, err)
			}
		}
		m, err := ParseMapping(map[string]string{"messages": path})
		if err != nil {
			return
		}
		var s Summary
		s.Read(Open(context.Background(), "x.json", strings.NewReader(text), Options{Map: m}))
	})
}

func TestMappingsOfTurnsAndOfRows(t *testing.T) {
	want := `s1 tools 0 labels [] sample null
user "Where is order 7?"
assistant "" find_order({"order_id":7}) id
tool "lost"
assistant "It was lost."
`
	turn := `{"user_text":"Where is order 7?","steps":[{"action":{"tool":"find_order","args":{"order_id":7}},` +
		`"observation":"lost"}],"reply":"It was lost."}`
	steps := map[string]string{"message.user": "user_text", "message.calls": "$.steps[*]", "call.name": "$.action.tool",
		"call.arguments": "$.action.args", "call.result": "$.observation", "message.reply": "reply"}
	with := func(more map[string]string) map[string]string {
		more = maps.Clone(more)
		maps.Copy(more, steps)
		return more
	}
	for name, tt := range map[string]struct {
		text    string
		targets map[string]string
	}{
		"nested": {`{"sessions":[{"sid":"s1","turns":[` + turn + `]}]}`,
			with(map[string]string{"records": "$.sessions[*]", "messages": "$.turns[*]", "id": "sid"})},
		"a row a turn": {strings.Replace(turn, "{", `{"sid":"s1",`, 1), with(map[string]string{"group": "sid"})},
		"steps without a role": {`{"sid":"s1","moves":[{"acts":[{"fn":"find_order","args":{"order_id":7},"got":"lost"}]},{"said":"It was lost.","acts":[]}]}`,
			map[string]string{"id": "sid", "messages": "moves", "message.content": "said", "message.calls": "$.acts[*]", "call.result": "got"}},
		"a row an event": {`{"sid":"s1","what":"ask","said":"Where is order 7?"}
{"sid":"s1","what":"tool_call","fn":"find_order","with":{"order_id":7}}
{"sid":"s1","what":"tool_result","fn":"find_order","got":"lost"}
{"sid":"s1","what":"say","said":"It was lost."}`,
			map[string]string{"group": "$.sid", "message.role": "what", "role.ask": "user", "role.say": "assistant",
				"message.content": "said", "call.name": "fn", "call.arguments": "with", "call.result": "got"}},
	} {
		want := want
		if name == "steps without a role" { // nothing says what the user asked
			_, want, _ = strings.Cut(want, "7?\"\n")
			want = "s1 tools 0 labels [] sample null\n" + want
		}
		if name == "a row an event" { // whose result stands by itself
			want = strings.Replace(want, ") id", ") order", 1)
		}
		if diff := cmp.Diff(want, readMapped(t, tt.text, tt.targets)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	two := strings.Replace(turn, "{", `{"sid":"s1",`, 1) + "\n" + strings.Replace(turn, "{", `{"sid":"s2",`, 1)
	if got := readMapped(t, two, with(map[string]string{"group": "sid"})); strings.Count(got, "tools 0") != 2 {
		t.Error(got)
	}
}

func TestGuessesOfTurns(t *testing.T) {
	for _, text := range []string{
		`{"sessions":[{"turns":[{"user_text":"Hi","moves":[],"reply":"Hello"},{"user_text":"Where?","moves":[{"action":` +
			`{"tool":"find","args":{"q":1}},"observation":"lost"}],"reply":"Lost"}]}]}`,
		`[{"turns":[{"user":"Where?","moves":[{"action":"find","action_input":{"q":1},"observation":"lost"}],"response":"Lost"}]}]`,
	} {
		g, err := GuessLog("x.json", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := g.Try(context.Background(), "x.json", strings.NewReader(text)); err != nil || g.Map == nil {
			t.Errorf("%v, %v: %s", g, err, text)
		} else if g.Calls != 1 || g.Results != 1 || g.Conversations != 1 || g.Empty > 0 {
			t.Errorf("%+v: %s", g, text)
		}
	}
	// What a mapping would misread is not suggested.
	text := `{"spans":[{"role":"user","out":[{"n":"gpt-4","c":{"role":"model","parts":[]}}]}]}`
	g, err := GuessLog("x.json", strings.NewReader(text))
	if err != nil || g.Map == nil {
		t.Fatal(g, err)
	}
	if err := g.Try(context.Background(), "x.json", strings.NewReader(text)); err != nil || g.Map != nil {
		t.Errorf("%+v, %v", g, err)
	}
}
