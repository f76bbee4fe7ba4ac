package config

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// Starter holds the facts from which a first configuration is written. The zero value gives one for
// no particular log.
type Starter struct {
	// Logs are paths relative to the file.
	Logs []string
	// Read says how the logs were read; only input_format, map, tools (relative to the file) and
	// include_text_calls are used.
	Read Config
	// Seen describes the contents of the logs; nil if none was read.
	Seen *format.Summary
	// Rubric is the path of a rubric file to edit; "" if there is none.
	Rubric string
	// Endpoint is the environment variable that already names an endpoint; "" if none does.
	Endpoint string
}

//go:embed starter.yaml.tmpl
var starterText string

// YAML returns the file: settings in use, remarks after "# ", and optional settings after "#" with
// no blank or several. It is valid with and without the optional settings.
func (s Starter) YAML() string {
	functions := template.FuncMap{
		"quote": func(text string) string { return value.OfString(text).JSON() },
		"join":  strings.Join,
		"list":  func(texts ...string) []string { return texts },
	}
	var b strings.Builder
	t := template.Must(template.New("starter").Funcs(functions).Parse(starterText))
	if err := t.Execute(&b, starter{s}); err != nil {
		panic("the template of judge.yaml: " + err.Error())
	}
	return b.String()
}

// starter provides what the template uses.
type starter struct{ Starter }

// Format returns the common format of all files; "" if they differ.
func (s starter) Format() string {
	if s.Seen == nil || len(s.Seen.Files) == 0 {
		return ""
	}
	f := s.Seen.Files[0].Format
	for _, file := range s.Seen.Files {
		if file.Format != f {
			return ""
		}
	}
	return f
}

// Targets returns the lines of the mapping with which the logs were read, sorted.
func (s starter) Targets() []string {
	var lines []string
	for _, target := range slices.Sorted(maps.Keys(s.Read.Map)) {
		lines = append(lines, target+": "+value.OfString(s.Read.Map[target]).JSON())
	}
	return lines
}

// plainName matches names that need no escaping in a comment.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)

// Called returns the names of the tools that are called most often.
func (s starter) Called(most int) []string {
	if s.Seen == nil {
		return nil
	}
	all := slices.Clone(s.Seen.Tools)
	sorting.Stable(all, func(a, b format.ToolSummary) int { return b.Calls - a.Calls })
	var out []string
	for _, t := range all {
		if len(out) < most && plainName.MatchString(t.Name) && t.Calls > 0 {
			out = append(out, t.Name)
		}
	}
	return out
}

// More says how many other tools the log has.
func (s starter) More(named []string) string {
	if n := len(s.Seen.Tools) - len(named); n > 0 {
		return fmt.Sprintf(" and %d more", n)
	}
	return ""
}

// TwoTools returns two tool names for examples.
func (s starter) TwoTools() []string {
	names := s.Called(2)
	return append(names, []string{"find_customer", "delete_account"}[len(names):]...)
}

// Many is the number of requests if it is so large that a sample is better; 0 otherwise.
func (s starter) Many() int {
	if s.Seen == nil || s.Seen.Calls <= 500 {
		return 0
	}
	return 4 * s.Seen.Calls
}

// Lacks reports whether the log is known not to have what a scorer needs.
func (s starter) Lacks(what string) bool {
	switch {
	case s.Seen == nil:
		return false
	case what == "tools":
		return s.Seen.WithTools == 0
	case what == "results":
		return s.Seen.Results == 0
	}
	return s.Seen.WithExpected == 0
}

// Scorer returns the entry for a scorer that asks a question and needs something from the log. It
// is in use if the log has that.
func (s starter) Scorer(kind, asks, needs string) string {
	if !s.Lacks(needs) {
		return fmt.Sprintf("  - type: %-28s # %s", kind, asks)
	}
	words := map[string]string{"tools": "the tools' schemas", "results": "results of tools", "expected": "expected_calls"}
	return fmt.Sprintf("  #- type: %-27s # %s: needs %s, which the log lacks", kind, asks, words[needs])
}
