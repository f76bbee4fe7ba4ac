package main

import (
	"context"
	_ "embed"
	"io"

	"github.com/spf13/cobra"
)

// licenseText holds the licences of judge and of the modules that are linked into it on Linux, macOS
// or Windows. TestLicenses writes it (-update) and fails if it is out of date.
//
//go:embed NOTICES
var licenseText string

func licensesCommand(a *app) *cobra.Command {
	return newCommand("licenses", cobra.NoArgs, func(context.Context, []string) error {
		_, err := io.WriteString(a.out, licenseText)
		return err
	})
}
