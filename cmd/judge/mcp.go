package main

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/mcp"
)

func mcpCommand(a *app) *cobra.Command {
	var cfg mcp.Config
	cmd := newCommand("mcp", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		if cfg.AllowRun && cfg.Requests < 1 {
			return usagef("--allow-run needs --max-requests: the most requests to judges that an agent may cause")
		}
		if !cfg.AllowRun && cfg.Requests != 0 {
			return usagef("--max-requests is for --allow-run")
		}
		var given []string
		if cfg.Settings != "" {
			if _, err := os.Stat(cfg.Settings); err != nil {
				return usage(err)
			}
			given = []string{"--config", cfg.Settings}
		}
		cfg.Settings = cmp.Or(cfg.Settings, defaultConfig)
		cfg.Version = versionLine()
		cfg.Command = func(ctx context.Context, args []string) (out, notes string, code int) {
			if args[0] == "score" || args[0] == "run" {
				args = slices.Insert(slices.Clone(args), 1, given...)
			}
			return a.captured(ctx, args)
		}
		err := mcp.Serve(ctx, io.NopCloser(a.in), stayOpen{a.out}, cfg)
		if ctx.Err() != nil {
			return nil // the client or Ctrl-C ended it
		}
		return usage(err)
	})
	cmd.Flags().StringArrayVar(&cfg.Roots, "root", []string{"."}, "directory that the agent may read, repeatable")
	cmd.Flags().StringVar(&cfg.Settings, "config", "", "configuration file (default judge.yaml if it exists)")
	cmd.Flags().BoolVar(&cfg.AllowRun, "allow-run", false, "also let the agent judge logs")
	cmd.Flags().IntVar(&cfg.Requests, "max-requests", 0, "with --allow-run: most requests to judges in all")
	return cmd
}

// captured runs a command line as this program would, without terminal and input.
func (a *app) captured(ctx context.Context, args []string) (out, notes string, code int) {
	var stdout, stderr bytes.Buffer
	code = command(ctx, args, &app{in: bytes.NewReader(nil), out: &stdout, err: &stderr, getenv: a.getenv, profiles: a.profiles})
	return stdout.String(), stderr.String(), code
}

// stayOpen keeps standard output open when a session ends.
type stayOpen struct{ io.Writer }

func (stayOpen) Close() error { return nil }
