//go:build !man

package main

import "github.com/spf13/cobra"

// manCommand returns nil: manual pages are written by a build with the tag man.
func manCommand(*cobra.Command) *cobra.Command { return nil }
