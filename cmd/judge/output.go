package main

import (
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// output are the flags that say in which format something is printed.
type output struct {
	format string
	asJSON bool
	// details asks for everything in text, which else is short.
	details bool
	known   []string
}

// add adds --format with its known values, the first of which is the default, and --json.
func (o *output) add(cmd *cobra.Command, known ...render.Format) {
	for _, f := range known {
		o.known = append(o.known, string(f))
	}
	cmd.Flags().StringVar(&o.format, "format", o.known[0], "format of standard output: "+strings.Join(o.known, ", "))
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "the same as --format json")
	cmd.Flags().BoolVar(&o.details, "details", false, "every table, not only the short answers")
	complete(cmd, "format", o.known...)
}

func (o *output) resolve() (render.Format, error) {
	if o.asJSON {
		return render.JSONFormat, nil
	}
	if !slices.Contains(o.known, o.format) {
		return "", usagef("--format %s: known are %s", o.format, strings.Join(o.known, ", "))
	}
	return render.Format(o.format), nil
}

// complete offers the values of a flag to the shell.
func complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// look is how a report is laid out on standard output. dir is the run directory, "" for none.
func (a *app) look(o *output, dir string) render.Config {
	cfg := render.Config{
		Config:  document.Config{Color: a.outTerminal && a.getenv("NO_COLOR") == "", Width: a.width()},
		Details: o.details, Run: latestOr(dir),
	}
	if dir != "" {
		cfg.Scores = func() iter.Seq2[score.Score, error] { return directory.Scores(dir) }
	}
	return cfg
}

// plainWriter shows what is written to it as [value.VisibleLines] does: text of logs, of
// servers and of file names may be in it. Each write must hold whole characters.
type plainWriter struct{ io.Writer }

func (w plainWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, value.VisibleLines(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// writeJSONLines writes one JSON object a line.
func writeJSONLines[T any](w io.Writer, items []T, line func(T) any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for _, item := range items {
		if err := enc.Encode(line(item)); err != nil {
			return err
		}
	}
	return nil
}

// writeJSON writes one indented JSON value.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
