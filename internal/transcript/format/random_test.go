package format

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestRandomRecordsAreConsistent puts records together from odd pieces, which a
// fuzzer of bytes rarely finds, and checks what must hold for every log.
func TestRandomRecordsAreConsistent(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(list []string) string { return list[rng.IntN(len(list))] }
	some := func(n int, make func() string) string {
		var parts []string
		for range rng.IntN(n + 1) {
			parts = append(parts, make())
		}
		return strings.Join(parts, ",")
	}
	ids := []string{`"1"`, `"2"`, `""`, `null`, `3`}
	names := []string{`"f"`, `"g"`, `""`, `null`}
	args := []string{`"{}"`, `"{\"a\":1.0}"`, `{"a" : 1}`, `"{'a': [1, None]}"`, `"{\"a\":"`, `""`, `null`, `[1]`, `"[1]"`, `"null"`, `7`, `{"a":1,"a":"\ud800"}`}
	contents := []string{`"x"`, `""`, `null`, `"{\"ok\":true}"`, `{"a":1}`, `[1,2]`, `[]`, `[{"type":"text","text":"a"},{"type":"image_url"}]`,
		`[{"type":"thinking","thinking":"t"}]`, `"<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"`, `"Tool call was rejected"`, `true`}
	call := func() string {
		id, name, arg := pick(ids), pick(names), pick(args)
		return pick([]string{
			fmt.Sprintf(`{"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}`, id, name, arg),
			fmt.Sprintf(`{"id":%s,"name":%s,"arguments":%s,"requestor":"user"}`, id, name, arg),
			fmt.Sprintf(`{"id":%s,"custom":{"name":%s,"input":"free"}}`, id, name),
			fmt.Sprintf(`{"id":%s,"function":{"name":%s},"context":true}`, id, name),
		})
	}
	message := func() string {
		content := pick(contents)
		return pick([]string{
			fmt.Sprintf(`{"role":"user","content":%s,"name":%s}`, content, pick(names)),
			fmt.Sprintf(`{"role":"assistant","content":%s,"tool_calls":[%s]}`, content, some(3, call)),
			fmt.Sprintf(`{"role":"assistant","content":%s,"tool_calls":[%s],"reasoning_content":"own","refusal":"no"}`, content, some(2, call)),
			fmt.Sprintf(`{"role":"assistant","content":%s,"function_call":{"name":%s,"arguments":%s}}`, content, pick(names), pick(args)),
			fmt.Sprintf(`{"role":"tool","content":%s,"tool_call_id":%s}`, content, pick(ids)),
			fmt.Sprintf(`{"role":"tool","content":%s,"name":%s,"is_error":true}`, content, pick(names)),
			fmt.Sprintf(`{"role":"function","content":%s,"name":%s,"x":1}`, content, pick(names)),
			fmt.Sprintf(`{"role":"critic","content":%s}`, content),
		})
	}
	key := func() string {
		return pick([]string{`"id":"c"`, `"tools":[{"name":"f"}]`, `"tools":{"f":{"a":"int"}}`, `"functions":[{"name":"g"}]`, `"expected_calls":[]`,
			`"expected_calls":[{"name":"f","arguments":"{\"a\":1}"}]`, `"expected_outputs":["x",1]`, `"labels":{"a":1,"b":"w","c":null}`,
			`"labels":[{"name":"a","value":0.1,"call_index":1}]`, `"sample":{"k":[1.0]}`, `"state":{"x":1}`})
	}
	read := 0
	for range 3000 {
		text := `{"messages":[` + some(8, message) + `]`
		if keys := some(4, key); keys != "" {
			text += "," + keys
		}
		for _, textCalls := range []bool{false, true} {
			_, list := readText(t, "x.jsonl", text+"}", Options{Format: native.name, TextCalls: textCalls})
			for _, c := range list {
				consistent(t, c)
				read++
			}
			sameContent(t, list)
		}
		if t.Failed() {
			t.Fatalf("the record was %s}", text)
		}
	}
	if read < 5000 {
		t.Fatalf("only %d of 6000 records could be read", read)
	}
}
