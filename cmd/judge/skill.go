package main

import (
	"context"
	_ "embed"
	"io"

	"github.com/spf13/cobra"
)

// skillText teaches a coding agent to use judge. Its commands are run by TestSkill.
//
//go:embed skill.md
var skillText string

func skillCommand(a *app) *cobra.Command {
	return newCommand("skill", cobra.NoArgs, func(context.Context, []string) error {
		_, err := io.WriteString(a.out, skillText)
		return err
	})
}
