package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/transcript/format"
)

func rootCommand(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:           "judge",
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
		return usagef("%w%s; see '%s --help'", err, meantFlag(cmd, err), cmd.CommandPath())
	})
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 100"))
	section := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
		for _, cmd := range commands {
			cmd.GroupID = title
		}
		root.AddCommand(commands...)
	}
	section("Judge a log:", runCommand(a), scoreCommand(a), reportCommand(a), showCommand(a), viewCommand(a),
		group("logs", logsInspectCommand(a), logsConvertCommand(a)))
	section("Can the judge be trusted?", calibrateCommand(a), alignCommand(a), probeCommand(a), agreeCommand(a), planCommand(a))
	section("Did the agent change?", compareCommand(a), watchCommand(a))
	section("Set it up:", initCommand(a), doctorCommand(a), schemaCommand(a), group("rubrics", rubricsListCommand(a),
		rubricsShowCommand(a), rubricsLintCommand(a), rubricsPromptCommand(a), rubricsNewCommand(a)))
	section("Many calls, many machines:", mergeCommand(a), workerCommand(a),
		group("batch", batchExportCommand(a), batchImportCommand(a), batchRunCommand(a), batchCancelCommand(a)))
	section("For coding agents:", mcpCommand(a), skillCommand(a))
	root.AddCommand(versionCommand(a), licensesCommand(a))
	wrapArgs(root)
	describe(root)
	if man := manCommand(root); man != nil {
		root.AddCommand(man)
	}
	return root
}

// newCommand returns a command whose arguments are checked by args; nil allows any.
func newCommand(use string, args cobra.PositionalArgs, run func(ctx context.Context, args []string) error,
) *cobra.Command {
	return &cobra.Command{Use: use, Args: args, RunE: func(cmd *cobra.Command, args []string) error {
		return run(cmd.Context(), args)
	}}
}

// group returns a command that only has subcommands.
func group(use string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(below...)
	return cmd
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

// meantFlag suggests the flag that was most likely meant, "" if none is similar.
func meantFlag(cmd *cobra.Command, err error) string {
	unknown, ok := errors.AsType[interface {
		error
		GetSpecifiedName() string
	}](err)
	if !ok || cmd.Flag(unknown.GetSpecifiedName()) != nil {
		return ""
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := spelling.Nearest(unknown.GetSpecifiedName(), names); near != "" {
		return "; did you mean --" + near + "?"
	}
	return ""
}

// knownCommand refuses an unknown subcommand and suggests the nearest one.
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
	return newCommand("version", cobra.NoArgs, func(context.Context, []string) error {
		_, err := fmt.Fprintln(a.out, versionLine())
		return err
	})
}

// manualText is the help of all commands. Each begins with a line "= judge COMMAND"; then come
// what it does in one line, the whole of it after an empty line, and examples.
//
//go:embed manual.txt
var manualText string

// describe gives a command and its subcommands their help.
func describe(root *cobra.Command) {
	entries := map[string]string{}
	for entry := range strings.SplitSeq(strings.TrimPrefix(manualText, "= "), "\n= ") {
		name, text, _ := strings.Cut(entry, "\n")
		entries[name] = strings.TrimRight(text, "\n")
	}
	scorers := render.Wrap("Scorers: "+strings.Join(deterministic.Names(), ", "), 78, 99)
	formats := render.Wrap("Values of --input-format: "+strings.Join(format.Formats(), ", "), 90, 99)
	parts := strings.NewReplacer("{{exit codes}}", entries["exit codes"], "{{scorers}}", strings.Join(scorers, "\n  "),
		"{{formats}}", strings.Join(formats, "\n  "))
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
