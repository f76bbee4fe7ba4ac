package format

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/transcript"
)

// rewrite writes the conversations as native lines and reads them again.
func rewrite(t testing.TB, list []*transcript.Conversation) []*transcript.Conversation {
	t.Helper()
	var text []byte
	for _, c := range list {
		text = transcript.AppendNative(text, c)
	}
	again, problems := collect(t, Open(context.Background(), "again.jsonl", strings.NewReader(string(text)), Options{Format: native.name}))
	if len(problems) > 0 || len(again) != len(list) {
		t.Fatalf("%d conversations came back as %d, %v", len(list), len(again), problems)
	}
	return again
}

func sameContent(t testing.TB, list []*transcript.Conversation) {
	t.Helper()
	again := rewrite(t, list)
	for i, c := range list {
		content, calls := c.Hashes()
		got, gotCalls := again[i].Hashes()
		if got != content {
			t.Errorf("%s: the content changed on the way through native:\n%s", c.ID, transcript.AppendNative(nil, c))
			t.Errorf("again:\n%s", transcript.AppendNative(nil, again[i]))
		}
		ofItem := func(labels []transcript.Label) (out []string) {
			for _, l := range labels {
				out = append(out, fmt.Sprint(l.Name, " of ", l.CallIndex, ": ", l.Value, " ", l.Text))
			}
			slices.Sort(out)
			return out
		}
		if was, is := ofItem(c.Labels), ofItem(again[i].Labels); !slices.Equal(was, is) {
			t.Errorf("%s: labels %q came back as %q", c.ID, was, is)
		}
		var made []string
		for k, h := range calls {
			if !c.Calls[k].Proposed {
				made = append(made, h)
			}
		}
		if !slices.Equal(gotCalls, made) {
			t.Errorf("%s: a call has another identity after the way through native", c.ID)
		}
	}
}

func TestNativeKeepsTheContent(t *testing.T) {
	for name, text := range map[string]string{
		"everything": `{"id":"x","messages":[{"role":"developer","content":[{"type":"text","text":"a"},{"type":"image_url"},{"type":"thinking","thinking":"t"}],"reasoning_content":"own"},` +
			`{"role":"user","content":"\u0000\ud800","name":"Ann"},{"role":"critic","content":null,"refusal":"no"},` +
			`{"role":"assistant","content":"c","refusal":"r","tool_calls":[{"id":1,"function":{"name":"f","arguments":{ "a" : 1.50, "b":90071992547409931}}},` +
			`{"type":"custom","custom":{"name":"s","input":"select"}},{"id":"u","name":"g","arguments":"{'a': 1}","requestor":"user"},{"id":"n","function":{"name":"h","arguments":null}},{"id":"m","function":{"name":"h"}},{"id":"k","function":{"name":"h","arguments":[1 ,2]}}]},` +
			`{"role":"tool","tool_call_id":"1","content":{"ok":true},"is_error":true},{"role":"tool","content":[1,2]},{"role":"function","name":"s","content":""}],` +
			`"tools":{"f":{"description":"F","parameters":{"a":"integer"}},"g":"a text"},"expected_calls":[{"name":"f","kwargs":{"a":1.0},"compare_args":["a"],"requestor":"user"}],"expected_outputs":["x"],` +
			`"labels":[{"name":"l","value":0.1},{"name":"l","value":"word","call_index":2},{"name":"b","value":true}],"sample":[1],"state":{"a":1},"functions":[]}`,
		"a label of the first call": `{"id":"x","messages":[` + user + `,{"role":"assistant","content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]}],"labels":[{"name":"l","value":1,"call_index":0}]}`,
		"complete":                  `{"id":"x","messages":[` + user + `],"expected_calls":[{"name":"f"}],"only_expected_calls":true}`,
		"negative":                  `{"id":"x","messages":[` + user + `],"expected_calls":[]}`,
		"no ids":                    with(`{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":""}},{"function":{"name":"f","arguments":"{bad"}}]}`, `{"role":"tool","name":"f","content":"b"}`),
		"function_call":             with(`{"role":"assistant","function_call":{"name":"f","arguments":"{}"}}`, `{"role":"function","name":"f","content":"b"}`),
		"bad bytes":                 "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":{\"a\":\"\xff\"}}}]}]}",
		"rubric example": `{"messages":1,"conversation_context":[` + user + `,{"role":"tool","name":"f","parameters":{"a":1},"output":null},{"role":"tool","name":"f","parameters":{}},{"role":"tool","name":"f","parameters":{"b":1},"output":[{"x":1}]}],` +
			`"tools_inventory":[{"name":"f","parameters":{"a":"list[string]"}}],"tool_call":{"name":"f","arguments":{"a":["x"]}}}`,
		"tau": `[{"task_id":1,"trial":0,"reward":1,"labels":3,"info":{"task":{"actions":[{"name":"f","kwargs":{"a":1}}],"outputs":["1"]}},"traj":[` + user + `]},` +
			`{"task_id":2,"reward":0,"info":{"error":"e","traceback":"t"},"traj":[]}]`,
	} {
		t.Run(name, func(t *testing.T) {
			opts := Options{}
			if name == "everything" {
				opts.Format = native.name // thinking parts are no OpenAI form
			}
			lines, list := readText(t, "x.json", text, opts)
			if len(list) == 0 || len(list) != len(lines) {
				t.Fatal(lines)
			}
			sameContent(t, list)
		})
	}
}

func TestRealLogsKeepTheirContent(t *testing.T) {
	for _, dir := range []string{"tau/trajectories", "tau2/runs"} {
		files, err := filepath.Glob(filepath.Join(realdata.Path(t, "data", dir), "*.json.gz"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files in %s: %v", dir, err)
		}
		for _, file := range files {
			list, _ := readFile(t, file, Options{TextCalls: true})
			sameContent(t, list)
		}
	}
}

func TestHashesTellContentApart(t *testing.T) {
	variants := []string{
		line1,
		`{"id":"a","messages":[{"role":"user","content":"hi!"}]}`,
		`{"id":"a","messages":[{"role":"system","content":"hi"}]}`,
		`{"id":"a","messages":[{"role":"user","content":""}]}`,
		`{"id":"a","messages":[{"role":"user","content":null}]}`,
		`{"id":"a","messages":[` + user + `],"expected_calls":[]}`,
		`{"id":"a","messages":[` + user + `],"labels":{"x":1}}`,
		`{"id":"a","messages":[` + user + `],"labels":{"x":2}}`,
		`{"id":"a","messages":[` + user + `],"tools":[{"name":"f"}]}`,
		`{"id":"a","messages":[` + user + `],"sample":1}`,
		`{"id":"a","messages":[` + user + `],"other":1}`,
		with(assistant(fn("1", "f", `"{}"`))),
		with(assistant(fn("2", "f", `"{}"`))),
		with(assistant(fn("1", "f", `"{ }"`))),
		with(assistant(fn("1", "g", `"{}"`))),
		with(assistant(fn("1", "f", `"{}"`)), result("1", "")),
		with(assistant(fn("1", "f", `"{}"`)), result("2", "")),
	}
	seen := map[string]string{}
	for _, text := range variants {
		_, list := readText(t, "x", text, Options{Format: native.name})
		h, _ := list[0].Hashes()
		if other, ok := seen[h]; ok {
			t.Errorf("the same hash for\n%s\n%s", text, other)
		}
		seen[h] = text
	}
	for _, text := range []string{
		`{"id":"b","messages":[{"content":"hi","role":"user"}]}`,
		`{"messages":[{"role":"user","content":"hi"}]}`,
	} {
		_, list := readText(t, "y", text, Options{Format: native.name})
		if h, _ := list[0].Hashes(); seen[h] == "" {
			t.Errorf("another hash for %s", text)
		}
	}
	_, list := readText(t, "x", with(assistant(fn("1", "f", `"{}"`)), result("1", ""), assistant(fn("2", "f", `"{}"`))), Options{Format: native.name})
	_, changed := readText(t, "x", with(assistant(fn("1", "f", `"{}"`)), result("1", "later"), assistant(fn("2", "f", `"{}"`))), Options{Format: native.name})
	_, a := list[0].Hashes()
	_, b := changed[0].Hashes()
	if a[0] != b[0] || a[1] == b[1] || a[0] == a[1] {
		t.Error("a call's identity must hold what came before the call and no more")
	}
}
