package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestManual: every command has an entry in the manual, and every entry a command.
func TestManual(t *testing.T) {
	commands := []string{"exit codes"}
	var each func(cmd *cobra.Command)
	each = func(cmd *cobra.Command) {
		commands = append(commands, cmd.CommandPath())
		if cmd.Short == "" || strings.Contains(cmd.Long, "{{") {
			t.Errorf("%s: %q, %q", cmd.CommandPath(), cmd.Short, cmd.Long)
		}
		for _, sub := range cmd.Commands() {
			each(sub)
		}
	}
	each(rootCommand(&app{}))
	for line := range strings.Lines(manualText) {
		if name, ok := strings.CutPrefix(line, "= "); ok && !slices.Contains(commands, strings.TrimSpace(name)) {
			t.Errorf("the manual has an entry of no command: %s", line)
		}
	}
}
