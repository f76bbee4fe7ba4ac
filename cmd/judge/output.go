package main

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// output holds the flags for the format of what is printed.
type output struct {
	format render.Format
	// details prints every table; text is short otherwise.
	details bool
}

// add adds --json and --format with its known values; the first is the default. An
// unknown one is refused before the command runs.
func (o *output) add(cmd *cobra.Command, known ...render.Format) {
	var names []string
	for _, f := range known {
		names = append(names, string(f))
	}
	asJSON, list := false, strings.Join(names, ", ")
	cmd.Flags().StringVar((*string)(&o.format), "format", names[0], "format of standard output: "+list)
	cmd.Flags().BoolVar(&asJSON, "json", false, "the same as --format json")
	cmd.Flags().BoolVar(&o.details, "details", false, "every table, not only the short answers")
	complete(cmd, "format", names...)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if asJSON {
			o.format = render.JSONFormat
		}
		if !slices.Contains(known, o.format) {
			return usagef("--format %s: known are %s", o.format, list)
		}
		return nil
	}
}

// addQuiet adds --quiet.
func (a *app) addQuiet(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress, no notes")
}

// note prints a line for a person unless the command is quiet.
func (a *app) note(line string) {
	if !a.quiet {
		fmt.Fprintln(a.err, "judge: "+line)
	}
}

// addParsed adds a repeatable flag whose values are parsed at once.
func addParsed[T any](cmd *cobra.Command, list *[]T, name, usage string, parse func(text string) (T, error)) {
	cmd.Flags().Func(name, usage, func(text string) error {
		one, err := parse(text)
		*list = append(*list, one)
		return err
	})
}

// complete offers the values of a flag to the shell.
func complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// look returns the layout of a report on standard output. dir is the run directory, or "".
func (a *app) look(o *output, dir string) render.Config {
	cfg := render.Config{
		Color: a.outTerminal && a.getenv("NO_COLOR") == "", Width: a.width(),
		Details: o.details, Run: latestOr(dir),
	}
	if dir != "" {
		cfg.Scores = func() iter.Seq2[score.Score, error] { return directory.Scores(dir) }
	}
	return cfg
}

// mapWriter transforms each text before it writes it. Each Write must get whole lines.
type mapWriter struct {
	io.Writer
	of func(string) string
}

func (w mapWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, w.of(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// plain makes text from logs, servers and file names safe for a terminal, see [value.VisibleLines].
func plain(w io.Writer) io.Writer { return mapWriter{w, value.VisibleLines} }

// writeJSONLines writes one JSON object per line.
func writeJSONLines[T any](w io.Writer, lines []T) error {
	enc := json.NewEncoder(value.VisibleJSONWriter(w))
	enc.SetEscapeHTML(false)
	for i := range lines {
		if err := enc.Encode(&lines[i]); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes one indented JSON value.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(value.VisibleJSONWriter(w))
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// inActions reports whether the command is a step of GitHub Actions, which looks for commands in
// everything that a step prints.
func (a *app) inActions() bool { return a.getenv("GITHUB_ACTIONS") == "true" }

// maxAnnotations counts the errors of a step that GitHub shows.
const maxAnnotations = 10

var annotationEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

// annotate marks failed gates on the page of a pull request.
func (a *app) annotate(results []report.GateResult) {
	if !a.inActions() {
		return
	}
	var failed []string
	for _, g := range results {
		if !g.Passed {
			failed = append(failed, strings.TrimPrefix(g.Line, "FAIL  "))
		}
	}
	if left := len(failed) - maxAnnotations + 1; left > 1 {
		failed = append(failed[:maxAnnotations-1], fmt.Sprintf("%d more gates failed", left))
	}
	for _, line := range failed {
		fmt.Fprintf(a.progress, "::error title=judge gate::%s\n", annotationEscapes.Replace(value.VisibleLine(line)))
	}
}

// actionsCommand matches a workflow command, which starts a line; the older form (##[) counts
// anywhere.
var actionsCommand = regexp.MustCompile(`(?m)^([\s\p{Z}\x{85}\x{feff}]*):(:+)`)

// inert changes text so that a runner finds no commands in it.
func inert(text string) string {
	return strings.ReplaceAll(actionsCommand.ReplaceAllString(text, "$1: $2"), "##[", "# #[")
}

// outFor returns the writer for a report in a format; formats for programs are not changed.
func (a *app) outFor(format render.Format) io.Writer {
	if format == render.TextFormat && a.inActions() {
		return mapWriter{a.out, inert}
	}
	return a.out
}
