package config

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/transcript/format"
)

func inspect(t *testing.T, file string) *format.Summary {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "fixtures", "logs", file))
	if err != nil {
		t.Fatal(err)
	}
	s := &format.Summary{}
	if err := s.Read(format.Open(context.Background(), file, bytes.NewReader(data), format.Options{})); err != nil {
		t.Fatal(err)
	}
	return s
}

var commented = regexp.MustCompile(`(?m)^( *)#(  +[^ \n]|[^ \n])`)

// TestStarterReads: the file is read without a problem as it is written, and with
// every setting switched on; its scorers can be made.
func TestStarterReads(t *testing.T) {
	some := func(calls int, tools ...format.ToolSummary) *format.Summary {
		return &format.Summary{Conversations: 1, Calls: calls, Tools: tools, WithTools: 1, Results: 1, WithExpected: 1}
	}
	withoutResults := some(1)
	withoutResults.Results = 0
	withoutTools, withoutReference, mixed := some(1), some(1), some(1)
	withoutTools.WithTools, withoutReference.WithExpected = 0, 0
	mixed.Files = []format.FileSummary{{Format: "native"}, {Format: "openai"}}
	bare := &format.Summary{Conversations: 3, Calls: 900, Tools: []format.ToolSummary{{Name: "a\nb: [", Calls: 3}, {Name: "ok", Calls: 1}}}
	tests := []struct {
		name    string
		starter Starter
		has     []string
		hasNot  []string
	}{
		{"nothing known", Starter{}, []string{"logs/*.jsonl", "  - type: schema_check", "baseline", "find_customer",
			"delete_account"}, []string{"lacks"}},
		{"support", Starter{Logs: []string{"a b/support.jsonl"}, Seen: inspect(t, "support.jsonl"), Rubric: "rubrics/mine.jsonl"},
			[]string{"26 conversations, 64 tool calls", "#input_format: native", "  - type: function_call_accuracy", "min_kappa", "#- \"rubrics/mine.jsonl\""}, []string{"which the log lacks", "\nsample"}},
		{"odd", Starter{Logs: []string{"x: [y].jsonl"}, Seen: inspect(t, "odd.jsonl"), Endpoint: "OLLAMA_HOST"},
			[]string{"2 records could not be read", "OLLAMA_HOST names"}, nil},
		{"tau", Starter{Logs: []string{"ferry.tau.json"}, Seen: inspect(t, "ferry.tau.json")}, []string{"tau"}, nil},
		{"large, without tools and reference", Starter{Logs: []string{"big.jsonl"}, Seen: bare},
			[]string{"\nsample: 50\n", "#tools: tools.json", "#- type: schema_check", "needs the tools' schemas, which the log lacks", `required: ["ok"]`}, []string{"a\nb"}},
		{"few calls", Starter{Seen: some(500, format.ToolSummary{Name: "f", Calls: 1})},
			[]string{"\n# Tools: f\n", "\n#sample: 50\n"}, []string{"\nsample: 50", "which the log lacks"}},
		{"one call more", Starter{Seen: some(501, format.ToolSummary{Name: "seldom", Calls: 1},
			format.ToolSummary{Name: "never"}, format.ToolSummary{Name: "often", Calls: 2})},
			[]string{"\n# Tools: often, seldom and 1 more\n", "# 501 calls by four rubrics are 2004 requests: "}, nil},
		{"without results", Starter{Seen: withoutResults},
			[]string{"#- type: error_recovery", "needs results of tools, which the log lacks"}, []string{"needs the tools"}},
		{"without tools", Starter{Seen: withoutTools},
			[]string{"#- type: schema_check", "needs the tools' schemas, which the log lacks"},
			[]string{"needs expected_calls"}},
		{"without reference", Starter{Seen: withoutReference}, []string{"  - type: schema_check",
			"#- type: function_call_accuracy", "needs expected_calls, which the log lacks"}, []string{"needs the tools"}},
		{"several formats", Starter{Seen: mixed}, []string{"# The log: several formats, "},
			[]string{"#input_format: native"}},
		{"mapped", Starter{Read: Config{Map: map[string]string{"messages": "a.b", "id": "$.c"}}},
			[]string{"\nmap:\n  id: \"$.c\"\n  messages: \"a.b\"\n"}, nil},
	}
	for _, tt := range tests {
		text := tt.starter.YAML()
		for _, want := range tt.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", tt.name, want, text)
			}
		}
		for _, not := range tt.hasNot {
			if strings.Contains(text, not) {
				t.Errorf("%s: %q stands in\n%s", tt.name, not, text)
			}
		}
		on := commented.ReplaceAllString(text, "$1$2")
		for _, version := range []string{text, on} {
			c, err := Read("judge.yaml", []byte(version))
			if err != nil {
				t.Errorf("%s: %v\n%s", tt.name, err, version)
				continue
			}
			if len(tt.starter.Logs) > 0 && c.Logs[0] != tt.starter.Logs[0] {
				t.Errorf("%s: log %q", tt.name, c.Logs[0])
			}
			if version == on && (len(c.Judges) != 2 || len(c.Gates) < 2 || len(c.Thresholds) != 2 || c.Judges[1].APIKeyEnv == "") {
				t.Errorf("%s: not everything is switched on: %+v", tt.name, c)
			}
			var scorers []deterministic.Config
			for _, s := range c.Scorers {
				scorers = append(scorers, deterministic.Config{Type: s.Type, Config: s.Config})
			}
			if _, err := deterministic.ForLog(scorers); err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
		}
	}
}
