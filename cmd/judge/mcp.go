package main

import (
	"bytes"
	"context"
	"io"

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
		cfg.Version, cfg.Command = versionLine(), a.captured
		err := mcp.Serve(ctx, io.NopCloser(a.in), stayOpen{a.out}, cfg)
		if ctx.Err() != nil {
			return nil // the client or Ctrl-C ended it
		}
		return usage(err)
	})
	cmd.Flags().StringArrayVar(&cfg.Roots, "root", []string{"."}, "directory that the agent may read, repeatable")
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
