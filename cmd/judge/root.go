package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/judgekit/judge/internal/spelling"
)

func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "judge",
		Short: "grade the tool calls in agent logs, and find out how far the judge can be trusted",
		Long: `judge reads logs of agent conversations, has every tool call graded by rubrics
over an OpenAI-compatible endpoint, runs deterministic scorers beside it, and
writes one report that compares the two.

With no endpoint configured it uses a built-in rule-based baseline, so that

  judge run fixtures/logs/support.jsonl

works on any machine.

` + exitHelp,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       versionLine(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.Flags().Bool("version", false, "print version, commit and Go version")
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usagef("%w; see '%s --help'", err, cmd.CommandPath())
	})
	root.AddCommand(
		runCommand(a), mergeCommand(a), scoreCommand(a), reportCommand(a),
		rubricsCommand(a), logsCommand(a), showCommand(a), doctorCommand(a), versionCommand(a),
		compareCommand(a), calibrateCommand(a), schemaCommand(a), initCommand(a), agreeCommand(a), probeCommand(a),
		viewCommand(a), batchCommand(a), workerCommand(a), serveCommand(a),
	)
	wrapArgs(root)
	return root
}

// wrapArgs turns every argument error of cobra into a usage error.
func wrapArgs(cmd *cobra.Command) {
	if cmd.HasSubCommands() {
		cmd.Args = knownCommand
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usagef("%w; see '%s --help'", err, c.CommandPath())
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		wrapArgs(sub)
	}
}

// knownCommand refuses a word that is no subcommand, and names the nearest one.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	if near := spelling.Nearest(args[0], names); near != "" {
		return fmt.Errorf("unknown command %q; did you mean %s %s?", args[0], cmd.CommandPath(), near)
	}
	return fmt.Errorf("unknown command %q", args[0])
}

func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// version returns the module's version and commit as the build recorded them.
func version() (number, commit, goVersion string) {
	number, commit = "devel", "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return number, commit, "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		number = v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			commit = s.Value
		}
	}
	return number, commit, info.GoVersion
}

func versionLine() string {
	number, commit, goVersion := version()
	return fmt.Sprintf("judge %s (commit %s, %s)", number, commit, goVersion)
}

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print version, commit and Go version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.out, versionLine())
			return err
		},
	}
}
