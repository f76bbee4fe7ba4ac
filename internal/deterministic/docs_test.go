package deterministic

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/value"
)

// TestScorersPage: docs/scorers.md has a row and a section for each scorer, in the order of
// the table, and each section has the scorer's settings as they are.
func TestScorersPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/scorers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n## The scorers\n")
	rows, rest, _ := strings.Cut(rest, "\n### ")
	for _, s := range All {
		_, after, found := strings.Cut(rows, fmt.Sprintf("\n| [`%s`](#%s) | ", s.Name, s.Name))
		if rows = after; !found {
			t.Errorf("%s has no row, or not in its place", s.Name)
		}
		var section string
		section, rest, _ = strings.Cut(rest, "\n### ")
		if section, _, _ = strings.Cut(section, "\n## "); !strings.HasPrefix(section, "`"+s.Name+"`\n\n- actual: ") {
			t.Errorf("the section of %s is missing, or not in its place: %.60q", s.Name, section)
		}
		_, table, _ := strings.Cut(section, "\n| setting |")
		if want := settingsTable(s.Settings()); want != "" && strings.TrimSpace("| setting |"+table) != want || want == "" && table != "" {
			t.Errorf("the settings of %s are not as on the page; they are\n%s", s.Name, want)
		}
	}
	if strings.Contains(rows, "\n| [") || strings.Contains(rest, "\n### ") {
		t.Error("the page has a scorer that there is not")
	}
}

func settingsTable(settings []Setting) string {
	if len(settings) == 0 {
		return ""
	}
	table := "| setting | type | default | |\n|---|---|---|---|"
	for _, o := range settings {
		kind, fallback := o.Type, "–"
		if o.Words != nil {
			kind = "`" + strings.Join(o.Words, "`, `") + "`"
		}
		if o.Default != "" {
			fallback = "`" + o.Default + "`"
		}
		table += fmt.Sprintf("\n| `%s` | %s | %s | %s |", o.Name, kind, fallback, o.Summary)
	}
	return table
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
	for _, s := range All {
		for _, o := range s.Settings() {
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
		`{"id":"a","scorer":"ast_equivalence","expceted":[]}`:                              `expceted: is not a key of a case; did you mean expected?`,
		`{"id":"a","scorer":"ast_equivalence","config":{"langauge":"java"},"expected":[]}`: `langauge: ast_equivalence has no such setting; did you mean language?`,
	} {
		out, err := scoreCase([]byte(line))
		if err != nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), `"kind":"config"`) {
			t.Errorf("%s: %s %v", line, out, err)
		}
	}
}
