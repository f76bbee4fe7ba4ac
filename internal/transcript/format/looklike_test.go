package format

import (
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/bounded"
)

func TestLooksLikeCall(t *testing.T) {
	declared := func(name string) bool { return name == "get_weather" || name == "search" || name == "ns.find" }
	for _, tt := range []struct {
		text string
		want bool
	}{
		{`<tool_call>get weather of Rome</tool_call>`, true},
		{`get weather of Rome</tool_call>`, true},
		{"<|tool_call|>weather", true}, {"<toolcall>weather", true}, {"<tool_use>weather", true},
		{"<function_call>weather", true}, {"weather</function_call>", true}, {"<invoke name", true}, {"<invoked>", false},
		{"<|python_tag|>weather", true}, {"to=functions.weather", true}, {"<｜tool▁call▁begin｜>weather", true},
		{"```my json\n{\"name\": 1}\n```", true}, {"```\n\n{\"name\": 1}\n```", true}, {"`` {\"name\": 1} ``", false},
		{"```x: {\"name\": 1}\n```", false},
		{`<function=get_weather>Rome`, true},
		{"[TOOL_CALLS] get_weather", true},
		{"Action: get_weather", true},
		{"Thought: I look.\nAction: get_weather\nAction Input: Rome", true},
		{"I look it up. Action: get_weather", true},
		{"**Action:** get_weather", true},
		{"```json\n{\"name\": \"f\"}\n```", true},
		{"```\n[{\"function\": {\"name\": \"f\", \"arguments\": {", true},
		{`{"name": "f", "arguments": {"city": "Ro`, true},
		{`[{"name": "f"}, {"na`, true},
		{`{"tool_calls": [{`, true},
		{`Sure: {"name": "f", "arguments": {"city": Rome}}`, true},
		{`{\"name\": \"f\", \"arguments\": {}}`, true},
		{`{name: "f", arguments: {city: "Rome"}}`, true},
		{`{'name': 'f', 'arguments': {'city': `, true},
		{`get_weather(city="Rome`, true},
		{`I use get_weather(Rome) now`, true},
		{`functions.get_weather(city)`, true},
		{`- search(x)`, true},
		{`-search(x)`, true},
		{`ns.find(x)`, true},
		{`f(x=1`, true},
		{`[f(x=1), g(y="a`, true},
		{`r = f(x=1)`, true},
		{`await f("Rome`, true},
		{`print(f(x=1))`, true},
		{`{"tool": "f", "tool_input": {"x": 1`, true},
		{`{"tool_name": "f", "parameters": {`, true},

		{`<details type="tool_calls" done="true" name="search" arguments="&quot;{}&quot;">`, true}, // of Open WebUI
		{"<|tool▁calls▁begin|><|tool▁call▁begin|>function<|tool▁sep|>search", true},
		{"我将调用search(x)", true},
		{"関数search(query='a')を呼び出します", true},
		{"f(x=", true},
		{"Thought: nothing to do\nAction: None\nAction Input: None\nAction: search", true},

		{"Thought: nothing to do\nAction: None\nAction Input: None", false},
		{"**Action:** N/A\nFinal Answer: 42", false},
		{"research(x)を", false},
		{"", false},
		{"It is 21 degrees in Rome.", false},
		{"I would get_weather of Rome (Italy).", false},
		{"forget_weather(x) and research(y)", false},
		{"Then f(x=1 or so", false},
		{"f(x==1) holds", false},
		{"Rome (its old name) is a city.", false},
		{`{"tools": ["hammer"`, false},
		{"A call to Action: nobody moves", false},
		{"No action: none is needed", false},
		{"```json\n{\"city\": \"Rome\"}\n```", false},
		{"```js\nfunction f() { return {name: 1} }\n```", false},
		{`The user is {"name": "Ann", "age": 3}.`, false},
		{`{"city": "Ro`, false},
		{`[1, 2`, false},
		{`f = () => { return {name: 1} }`, false},
	} {
		if got := LooksLikeCall(tt.text, declared); got != tt.want {
			t.Errorf("%q: %v", tt.text, got)
		}
	}
}

// TestLooksLikeCallIsBounded: hostile texts cost no more than a reading of them.
func TestLooksLikeCallIsBounded(t *testing.T) {
	none := func(string) bool { return false }
	for name, text := range map[string]string{
		"braces":   strings.Repeat(`{"`, 1<<18),
		"names":    strings.Repeat("a.", 1<<18) + "(",
		"brackets": strings.Repeat("(", 1<<20),
		"fences":   strings.Repeat("```{", 1<<18),
		"actions":  strings.Repeat(". Actio", 1<<18),
		"keys":     strings.Repeat(`"name":`, 1<<18),
	} {
		bounded.Within(t, 10*time.Second, name, func() { LooksLikeCall(text, none) })
	}
}

func TestCallsInText(t *testing.T) {
	calls := CallsInText("First\n<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call> then <tool_call>g</tool_call>", nil)
	if len(calls) != 2 || calls[0].Name != "f" || calls[0].Arguments.JSON() != `{"a":1}` || calls[0].Malformed ||
		calls[1].Name != "" || !calls[1].Malformed {
		t.Errorf("%+v", calls)
	}
	if calls := CallsInText("I call f.", nil); calls != nil {
		t.Errorf("%+v", calls)
	}
}
