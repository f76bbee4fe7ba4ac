package deterministic

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

var update = flag.Bool("update", false, "write the table of scorers into docs/scorers.md")

const (
	docsPage  = "../../docs/scorers.md"
	docsBegin = "<!-- scorers: written by go test ./internal/deterministic -run TestScorersPage -update -->\n"
	docsEnd   = "<!-- end of scorers -->\n"
)

// TestScorersPage holds docs/scorers.md against the table.
func TestScorersPage(t *testing.T) {
	page, err := os.ReadFile(docsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(page), docsBegin)
	_, after, ok2 := strings.Cut(rest, docsEnd)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no part between %q and %q", docsPage, docsBegin, docsEnd)
	}
	want := before + docsBegin + scorersPart() + docsEnd + after
	if *update {
		if err := os.WriteFile(docsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(page) {
		t.Error("the page is not what the table says; run it with -update")
	}
}

func scorersPart() string {
	var b strings.Builder
	b.WriteString("| scorer | level | what it says |\n|---|---|---|\n")
	for _, s := range Specs() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", s.Name, s.Name, s.Level, s.Summary)
	}
	b.WriteString("\nEvery result has `score`, `reason`, and `passed` where there is such a thing; the fields named below come beside them.\n")
	for _, s := range Specs() {
		fmt.Fprintf(&b, "\n### `%s`\n\n", s.Name)
		for _, line := range [][2]string{
			{"actual", s.Actual}, {"expected", s.Expected}, {"tools", s.Tools}, {"further fields", s.Outputs}, {"on logs", s.Logs},
		} {
			if line[1] != "" {
				fmt.Fprintf(&b, "- %s: %s\n", line[0], line[1])
			}
		}
		if len(s.Settings) == 0 {
			b.WriteString("- settings: none\n")
			continue
		}
		b.WriteString("\n| setting | type | default | |\n|---|---|---|---|\n")
		for _, o := range s.Settings {
			kind, fallback := o.Type, "–"
			if o.Words != nil {
				kind = "`" + strings.Join(o.Words, "`, `") + "`"
			}
			if o.Default != "" {
				fallback = "`" + o.Default + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", o.Name, kind, fallback, o.Summary)
		}
	}
	return b.String()
}

// TestSettings: what the table says of a setting is what the scorer takes.
func TestSettings(t *testing.T) {
	base := map[string]string{
		"function_call_coverage": `{"function_calls":["f"]}`, "tool_calls": `{"required":["f"]}`,
		"trajectory_match": `{"preset":"adk"}`, "rubric_verdict": `{"metric":"prerequisite_satisfaction"}`,
	}
	// The presets of trajectory_match read their own settings only.
	preset := map[string]string{
		"edition": "agentevals", "strict_order": "ragas_tool_call_accuracy", "matching_mode": "azure",
		"trajectory_match_mode": "agentevals", "tool_args_match_mode": "agentevals", "tool_args_match_overrides": "agentevals",
		"evaluation_params": "deepeval", "should_exact_match": "deepeval", "should_consider_ordering": "deepeval", "strict_mode": "deepeval",
	}
	for _, s := range Specs() {
		for _, o := range s.Settings {
			config := parse(t, cmp.Or(base[s.Name], "{}"))
			if name := preset[o.Name]; name != "" && s.Name == "trajectory_match" {
				config = config.With("preset", value.OfString(name))
			}
			if o.Name == "language" || o.Name == "category" || s.Name == "ast_equivalence" && o.Name == "matching" || o.Name == "dot_to_underscore" {
				config = config.With("mode", value.OfString("bfcl"))
			}
			good := []value.Value{}
			for _, w := range o.Words {
				good = append(good, value.OfString(w))
			}
			if o.Default != "" {
				good = append(good, parse(t, o.Default))
			}
			for _, v := range good {
				if _, err := New(s.Name, config.With(o.Name, v)); err != nil {
					t.Errorf("%s, %s: %v", s.Name, o.Name, err)
				}
			}
			for _, v := range []string{`"no such word"`, `{"x":1.5}`} {
				if o.Name == "category" && v[0] == '"' || o.Name == "sample" || o.Type == "object" && v[0] == '{' || o.Type == "array or string" && v[0] == '"' {
					continue
				}
				if _, err := New(s.Name, config.With(o.Name, parse(t, v))); err == nil {
					t.Errorf("%s takes %s: %s", s.Name, o.Name, v)
				}
			}
			if _, err := New(s.Name, config.With(o.Name+"x", value.OfInt(1))); err == nil || !strings.Contains(err.Error(), "did you mean "+o.Name+"?") {
				t.Errorf("%s, %sx: %v", s.Name, o.Name, err)
			}
		}
	}
}

func TestCaseKeys(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":"a","scorer":"ast_equivalence","expceted":[]}`:                              `expceted: is no key of a case; did you mean expected?`,
		`{"id":"a","scorer":"ast_equivalence","config":{"langauge":"java"},"expected":[]}`: `langauge: ast_equivalence has no such setting; did you mean language?`,
	} {
		out, err := scoreCase([]byte(line))
		if err != nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), `"kind":"config"`) {
			t.Errorf("%s: %s %v", line, out, err)
		}
	}
}
