//go:build man

package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand returns the command that writes a manual page for each command into a directory. Only
// releases need it (go run -tags man ./cmd/judge man DIR), so that nobody else links the renderer.
func manCommand(root *cobra.Command) *cobra.Command {
	cmd := newCommand("man DIR", cobra.ExactArgs(1), func(_ context.Context, args []string) error {
		if err := os.MkdirAll(args[0], 0o755); err != nil {
			return err
		}
		root.DisableAutoGenTag = true // the page would contain the date of the build
		return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "judge", Manual: "judge"}, args[0])
	})
	cmd.Hidden = true
	return cmd
}
