package format

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/realdata"
	"github.com/judgekit/judge/internal/transcript"
)

// jsonValues returns the values of a file, one after the other.
func jsonValues(t *testing.T, path string) (list []map[string]any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(strings.TrimSpace(string(data)), "[") {
		if err := json.Unmarshal(data, &list); err != nil {
			t.Fatal(err)
		}
		return list
	}
	for dec := json.NewDecoder(strings.NewReader(string(data))); dec.More(); {
		var v map[string]any
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

// countObjects walks a value and counts the objects that f accepts.
func countObjects(v any, f func(m map[string]any) bool) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		if f(v) {
			n++
		}
		for _, e := range v {
			n += countObjects(e, f)
		}
	case []any:
		for _, e := range v {
			n += countObjects(e, f)
		}
	}
	return n
}

func hasKeys(keys ...string) func(m map[string]any) bool {
	return func(m map[string]any) bool {
		for _, k := range keys {
			if _, ok := m[k]; !ok {
				return false
			}
		}
		return true
	}
}

// TestDataSetsAreReadWhole: every call of the data sets, counted in their own terms, comes out,
// with its result where the data set has one.
func TestDataSetsAreReadWhole(t *testing.T) {
	for _, tt := range []struct {
		pattern, format string
		paired          bool
		calls           func(m map[string]any) bool
	}{
		{"tooltalk/easy/*.json", "tooltalk", true, hasKeys("request", "response")},
		{"tooltalk/tooltalk/*.json", "tooltalk", true, hasKeys("request", "response")},
		{"api-bank/*/*.jsonl", "api-bank", true, hasKeys("role", "param_dict")},
		{"nestful/*-data.json", "function-rows", false, func(m map[string]any) bool {
			return hasKeys("name", "arguments")(m) && m["name"] != "var_result"
		}},
		{"when2call/*.jsonl", "when2call", false, func(m map[string]any) bool { return m["correct_answer"] == "tool_call" }},
		{"formats/adk-evalset/eval*.json", "adk-evalset", true, hasKeys("name", "args")},
		{"formats/adk-evalset/adk*.json", "adk-evalset", false, hasKeys("name", "args")},
		{"formats/tapeagents/*.json", "tapeagents", false, func(m map[string]any) bool {
			kind, _ := m["kind"].(string)
			return strings.HasSuffix(kind, "_action")
		}},
	} {
		files, _ := filepath.Glob(filepath.Join(realdata.Path(t, "data"), tt.pattern))
		if len(files) == 0 {
			t.Errorf("%s: no file", tt.pattern)
		}
		calls, want := 0, 0
		for _, path := range files {
			in, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			r := Open(t.Context(), filepath.Base(path), in, Options{})
			list, problems := collect(t, r)
			in.Close()
			if r.Format() != tt.format || len(problems) > 0 {
				t.Errorf("%s is read as %s, %v", path, r.Format(), problems)
			}
			for _, c := range list {
				calls += len(c.Calls)
				if n := unpaired(c); tt.paired && n > 0 {
					t.Errorf("%s: %d of %d calls and results are alone", path, n, len(c.Calls))
				}
			}
			for _, v := range jsonValues(t, path) {
				want += countObjects(v, tt.calls)
			}
		}
		if calls != want || want == 0 {
			t.Errorf("%s: %d calls, want %d", tt.pattern, calls, want)
		}
	}
}

// TestRecordedExchanges: the requests and responses of four providers, streamed or not, are one
// conversation each, in which every call that has a result is paired with it.
func TestRecordedExchanges(t *testing.T) {
	for folder, n := range map[string]int{"openai-chat": 10, "openai-responses": 7, "anthropic-messages": 6, "gemini": 3} {
		files, _ := filepath.Glob(filepath.Join(realdata.Path(t, "data", "formats", folder), "*.json"))
		if len(files) != n {
			t.Errorf("%s: %d files, want %d", folder, len(files), n)
		}
		for _, path := range files {
			list, problems := readFile(t, path, Options{})
			if len(list) != 1 || len(problems) > 0 || len(list[0].Calls) == 0 {
				t.Errorf("%s: %d conversations, %v", path, len(list), problems)
				continue
			}
			c := list[0]
			last := c.Messages[len(c.Messages)-1]
			answered := last.Role == transcript.Assistant && last.Content != "" && len(last.Calls) == 0
			for _, call := range c.Calls {
				if answered && call.Result < 0 && call.Executor == "client" {
					t.Errorf("%s: %s at %s has no result although the agent went on", path, call.Name, call.Place)
				}
			}
		}
	}
}
