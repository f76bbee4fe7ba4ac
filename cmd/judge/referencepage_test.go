package main

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/judgekit/judge/internal/value"
)

const referenceHead = `# Reference

Commands with their flags, exit codes and files. A test makes this page from the program. The help of a command
(` + "`--help`" + `) has more: what it does, and examples. Every key of judge.yaml stands in [configuration](configuration.md), a
sample of every log format in [log samples](log-samples.md), every scorer in [scorers](scorers.md).
`

// TestReferencePage: docs/reference.md is made from the commands and the schemas.
func TestReferencePage(t *testing.T) {
	const file = "../../docs/reference.md"
	var page strings.Builder
	page.WriteString(referenceHead)
	root := rootCommand(&app{getenv: func(string) string { return "" }})
	page.WriteString("\n## Exit codes\n\n| code | means |\n|---:|---|\n")
	for _, code := range regexp.MustCompile(`(?m)^  (\d+) +(.+(?:\n {7}.+)*)`).FindAllStringSubmatch(root.Long, -1) {
		fmt.Fprintf(&page, "| %s | %s |\n", code[1], strings.Join(strings.Fields(code[2]), " "))
	}
	page.WriteString("\n## Files\n\n`judge schema NAME` prints the JSON Schema of each.\n\n| name | describes | members |\n|---|---|---|\n")
	schemas, _, _ := root.Find([]string{"schema"})
	for _, line := range regexp.MustCompile(`(?m)^  (\w+)  +(.+)$`).FindAllStringSubmatch(schemas.Long, -1) {
		fmt.Fprintf(&page, "| `%s` | %s | %s |\n", line[1], line[2], membersOf(t, line[1]))
	}
	page.WriteString("\n## Commands\n\n| command | does |\n|---|---|\n")
	all := commandsOf(root)
	for _, c := range all {
		fmt.Fprintf(&page, "| [`%s`](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), inCell(c.Short))
	}
	for _, c := range all {
		fmt.Fprintf(&page, "\n### %s\n\n`%s`\n", c.CommandPath(), strings.TrimSuffix(c.UseLine(), " [flags]"))
		if c.HasAvailableLocalFlags() {
			page.WriteString("\n| flag | meaning |\n|---|---|\n")
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) { page.WriteString(flagRow(f)) })
	}
	isPage(t, file, page.String())
}

// commandsOf returns the commands that do something, a group's after each other.
func commandsOf(c *cobra.Command) (all []*cobra.Command) {
	for _, below := range c.Commands() {
		switch {
		case below.Hidden:
		case below.HasSubCommands():
			all = append(all, commandsOf(below)...)
		default:
			all = append(all, below)
		}
	}
	return all
}

// membersOf returns the members at the top of what a schema describes.
func membersOf(t *testing.T, name string) string {
	t.Helper()
	s, err := value.Parse([]byte(mustRun(t, "schema "+name)))
	if err != nil {
		t.Fatal(err)
	}
	if options := s.Field("oneOf"); s.Field("properties").IsNull() { // the last one is the line, the others are headers
		s = s.Field("$defs").Field(path.Base(options.At(options.Len() - 1).Field("$ref").Text()))
	}
	var names []string
	for key := range s.Field("properties").Members() {
		names = append(names, "`"+key+"`")
	}
	if len(names) == 0 {
		t.Errorf("the schema %s has no members", name)
	}
	return strings.Join(names, ", ")
}

func flagRow(f *pflag.Flag) string {
	kind, about := pflag.UnquoteUsage(f)
	name := "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if kind != "" {
		name += " " + kind
	}
	if cut := strings.LastIndex(about, ": "); len(about) > 400 && cut > 0 {
		about = about[:cut] + " (the help lists them)"
	}
	return fmt.Sprintf("| `%s` | %s |\n", name, inCell(about))
}

// inCell returns text as a cell of a table in Markdown.
func inCell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "\n", " ").Replace(text)
}
