package main

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report/document"
)

// manualText is the help of all commands. Each begins with a line "= judge COMMAND"; then come
// what it does in one line, the whole of it behind an empty line, and examples.
//
//go:embed manual.txt
var manualText string

// describe gives a command and those below it their help.
func describe(root *cobra.Command) {
	entries := map[string]string{}
	for entry := range strings.SplitSeq(strings.TrimPrefix(manualText, "= "), "\n= ") {
		name, text, _ := strings.Cut(entry, "\n")
		entries[name] = strings.TrimRight(text, "\n")
	}
	scorers := document.Wrap("Scorers: "+strings.Join(deterministic.Names(), ", "), 78, 99)
	parts := strings.NewReplacer("{{exit codes}}", entries["exit codes"], "{{scorers}}", strings.Join(scorers, "\n  "))
	var each func(cmd *cobra.Command)
	each = func(cmd *cobra.Command) {
		text, examples, _ := strings.Cut(entries[cmd.CommandPath()], "\nExamples:\n")
		short, long, _ := strings.Cut(text, "\n\n")
		cmd.Short, cmd.Long, cmd.Example = strings.TrimSpace(short), strings.TrimSpace(parts.Replace(long)), examples
		for _, sub := range cmd.Commands() {
			each(sub)
		}
	}
	each(root)
}
