package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Starter is what a first configuration is written from. The zero value gives one
// that fits no log in particular.
type Starter struct {
	// Logs are paths from where the file will stand.
	Logs []string
	// Seen is what the logs hold; nil where none was looked at.
	Seen *transcript.Summary
	// Rubric is the path of a rubric file to edit, "" for none.
	Rubric string
	// Endpoint says which environment variable names an endpoint already, "" for none.
	Endpoint string
}

// YAML returns the file: settings that hold, remarks behind "# ", and behind "#" with
// no blank or several those to switch on. It reads back without a problem either way.
func (s Starter) YAML() string {
	var b strings.Builder
	s.head(&b)
	s.judges(&b)
	s.scorers(&b)
	s.rest(&b)
	return b.String()
}

func quoted(text string) string { return value.OfString(text).JSON() }

func (s Starter) head(b *strings.Builder) {
	b.WriteString("# Configuration of judge. Lines with # and one blank are remarks; from the others take\n# the # away to switch a setting on. Check the file with: judge run --dry-run\n\n")
	if s.Seen != nil {
		for _, line := range s.seen() {
			fmt.Fprintf(b, "# %s\n", line)
		}
	}
	logs := s.Logs
	if len(logs) == 0 {
		logs = []string{"logs/*.jsonl"}
	}
	b.WriteString("logs:\n")
	for _, log := range logs {
		fmt.Fprintf(b, "  - %s\n", quoted(log))
	}
	if f := s.format(); f != "" {
		fmt.Fprintf(b, "# The format is detected; name it to be sure.\n#input_format: %s\n", f)
	}
	if s.Seen != nil && s.Seen.WithTools == 0 {
		b.WriteString("# The log says nothing of the tools that the agent had. With a file of definitions\n# calls are checked against the tools' schemas.\n#tools: tools.json\n")
	}
	const many = 500
	if s.Seen != nil && s.Seen.Calls > many {
		fmt.Fprintf(b, "# %d calls by four rubrics are %d requests: begin with a random sample of conversations.\nsample: 50\nseed: 1\n", s.Seen.Calls, 4*s.Seen.Calls)
	} else {
		b.WriteString("# A random sample of conversations, the same for the same seed.\n#sample: 50\n#seed: 1\n")
	}
	b.WriteString("\n")
}

// seen says in words what the logs hold.
func (s Starter) seen() []string {
	n := s.Seen
	out := []string{fmt.Sprintf("The log: %s, %d conversations, %d tool calls.", orUnknown(s.format()), n.Conversations, n.Calls)}
	if names := s.tools(8); len(names) > 0 {
		out = append(out, "Tools: "+strings.Join(names, ", ")+more(len(n.Tools)-len(names)))
	}
	if n.Unreadable > 0 {
		out = append(out, fmt.Sprintf("%d records could not be read; judge logs inspect names them.", n.Unreadable))
	}
	return out
}

func orUnknown(format string) string {
	if format == "" {
		return "several formats"
	}
	return format
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// format is the one format of all files, "" where they differ.
func (s Starter) format() string {
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

// plainName are names that can stand in a comment as they are.
var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,63}$`)

// tools returns the names of the tools that are called most.
func (s Starter) tools(most int) []string {
	if s.Seen == nil {
		return nil
	}
	all := slices.Clone(s.Seen.Tools)
	slices.SortStableFunc(all, func(a, b transcript.ToolSummary) int { return b.Calls - a.Calls })
	var out []string
	for _, t := range all {
		if len(out) < most && plainName.MatchString(t.Name) && t.Calls > 0 {
			out = append(out, t.Name)
		}
	}
	return out
}

func (s Starter) judges(b *strings.Builder) {
	b.WriteString("# What every call is judged by: the four built-in rubrics, and files of your own.\nrubrics:\n  - builtin\n")
	if s.Rubric != "" {
		fmt.Fprintf(b, "  #- %s\n", quoted(s.Rubric))
	}
	b.WriteString("\n# Who judges: any OpenAI-compatible endpoint. Without this block ")
	if s.Endpoint != "" {
		fmt.Fprintf(b, "the endpoint that\n# %s names is asked, with its model where it serves but one.\n", s.Endpoint)
	} else {
		b.WriteString("the built-in rule-based\n# baseline judges, which is no language model: a floor that a model has to beat.\n")
	}
	b.WriteString(`# A local Ollama serves http://localhost:11434/v1, vLLM http://localhost:8000/v1. Keys
# stay in the environment: api_key_env names the variable. judge doctor probes it.
#judges:
#  - model: qwen3:8b
#    base_url: http://localhost:11434/v1
#    concurrency: 4
#    temperature: 0
#    seed: 1
#  - model: gpt-4o-mini
#    base_url: https://api.openai.com/v1
#    api_key_env: OPENAI_API_KEY

`)
}

// scorerLine is one scorer, and what it needs of a log.
type scorerLine struct {
	name, asks string
	needs      func(*transcript.Summary) bool
	lacking    string
}

func scorerLines() []scorerLine {
	expected := func(n *transcript.Summary) bool { return n.WithExpected > 0 }
	tools := func(n *transcript.Summary) bool { return n.WithTools > 0 }
	const noExpected, noTools = "needs expected_calls", "needs the tools' schemas"
	return []scorerLine{
		{"schema_check", "arguments fit the tool's schema", tools, noTools},
		{"parameter_validation", "names and types of arguments, in degrees", tools, noTools},
		{"error_recovery", "what the agent does after a tool failed", func(n *transcript.Summary) bool { return n.Results > 0 }, "needs results of tools"},
		{"call_relevance", "calls where calls are right, none where none is", expected, noExpected},
		{"expected_call_match", "each call against the expected ones", expected, noExpected},
		{"function_call_accuracy", "name, presence and values of arguments, in degrees", expected, noExpected},
		{"function_call_exact_match", "all calls exactly the expected ones", expected, noExpected},
	}
}

func (s Starter) scorers(b *strings.Builder) {
	b.WriteString("# Deterministic scorers beside the judges. Without this block those run that fit each\n# conversation.\nscorers:\n")
	for _, l := range scorerLines() {
		if s.Seen == nil || l.needs(s.Seen) {
			fmt.Fprintf(b, "  - type: %-28s # %s\n", l.name, l.asks)
		} else {
			fmt.Fprintf(b, "  #- type: %-27s # %s: %s, which the log lacks\n", l.name, l.asks, l.lacking)
		}
	}
	names := s.tools(2)
	for len(names) < 2 {
		names = append(names, []string{"find_customer", "delete_account"}[len(names)])
	}
	fmt.Fprintf(b, `  # Rules of your own about which tools must, may and must not be called:
  #- type: tool_calls
  #  required: [%s]
  #  disallowed: [{name: %s}]
  #- type: function_call_coverage
  #  function_calls: [%s]
  #  mode: in_order

`, quoted(names[0]), quoted(names[1]), strings.Join([]string{quoted(names[0]), quoted(names[1])}, ", "))
}

func (s Starter) rest(b *strings.Builder) {
	b.WriteString(`# Decide verdicts by another cut than the rubric's own.
#thresholds:
#  overall_call_correctness: 0.8
#  function_intent_alignment: 4..5

# When a gate fails the exit code is 100. It fails when the interval says so; strict
# lets the point decide. max_drop compares with the directory of an earlier run, which
# must be there: make it first, with --no-gates. by: tool decides every tool by itself;
# the score of a conversation counts for every tool that it calls.
#gates:
#  - {score: overall_call_correctness, min_pass_rate: 0.9}
`)
	if s.Seen != nil && s.Seen.WithExpected > 0 {
		b.WriteString("#  - {score: function_call_accuracy, by: tool, max_drop: 5, against: runs/baseline}\n")
	} else {
		b.WriteString("#  - {score: schema_check, max_drop: 5, against: runs/baseline}\n")
	}
	if s.Seen != nil && len(s.Seen.Labels) > 0 {
		b.WriteString("# The log has labels: ask that the judge agrees with them better than by chance.\n#  - {score: overall_call_correctness, min_kappa: 0.4}\n")
	}
	b.WriteString("\n# Share of the judgements that must be scored, else the exit code is 4.\ncoverage_floor: 0.95\n")
}
