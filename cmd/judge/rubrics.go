package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/rubrics"
)

// loadRubrics resolves names of built-in rubrics, "builtin" for the four that run by default, and
// files. A broken record is a usage error: we would score by another rubric than the one written.
func loadRubrics(wanted []string) ([]*rubrics.Rubric, error) {
	if len(wanted) == 0 {
		wanted = []string{"builtin"}
	}
	builtin, named, err := builtinRubrics()
	if err != nil {
		return nil, err
	}
	var out []*rubrics.Rubric
	for _, name := range wanted {
		found, err := findRubrics(name, builtin, named)
		if err != nil {
			return nil, usage(err)
		}
		for _, r := range found {
			for _, have := range out {
				if have.Name == r.Name && have.SHA != r.SHA {
					return nil, usagef("rubric %s: two different rubrics have this name (%s:%d and %s:%d)",
						r.Name, have.File, have.Line, r.File, r.Line)
				}
			}
			if !slices.ContainsFunc(out, func(have *rubrics.Rubric) bool { return have.Name == r.Name }) {
				out = append(out, r)
			}
		}
	}
	return out, nil
}

// builtinRubrics returns the built-in rubrics: the four that run by default, and the others.
func builtinRubrics() (builtin, named []*rubrics.Rubric, err error) {
	if builtin, err = rubrics.Builtin(); err == nil {
		named, err = rubrics.Named()
	}
	return builtin, named, err
}

func findRubrics(name string, builtin, named []*rubrics.Rubric) ([]*rubrics.Rubric, error) {
	if name == "builtin" {
		return builtin, nil
	}
	names := []string{"builtin"}
	for _, r := range slices.Concat(builtin, named) {
		if r.Name == name {
			return []*rubrics.Rubric{r}, nil
		}
		names = append(names, r.Name)
	}
	found, err := readRubricFile(name)
	if errors.Is(err, os.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		hint := "; built in are " + strings.Join(names, ", ")
		if near := spelling.Nearest(name, names); near != "" {
			hint = "; did you mean " + near + "?"
		}
		return nil, fmt.Errorf("rubric %q: neither a built-in rubric nor a file%s", name, hint)
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("rubric %s: no such file%s", name, meantFile(name))
	}
	return found, err
}

// readRubricFile returns what it could read of a file together with the error.
func readRubricFile(path string) ([]*rubrics.Rubric, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found, err := rubrics.Load(f, path)
	if err == nil && len(found) == 0 {
		err = fmt.Errorf("%s: holds no rubric", path)
	}
	return found, err
}

func rubricsListCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := newCommand("list [NAME|FILE...]", nil, func(_ context.Context, args []string) error {
		list, err := loadRubrics(args)
		if err != nil {
			return err
		}
		builtin, named, err := builtinRubrics()
		if err != nil {
			return err
		}
		if len(args) == 0 {
			list = append(list, named...)
		}
		if asJSON {
			var lines []rubricSummary
			for _, r := range list {
				isDefault := slices.ContainsFunc(builtin, func(b *rubrics.Rubric) bool { return b.SHA == r.SHA })
				lines = append(lines, summaryOf(r, isDefault))
			}
			return writeJSONLines(a.out, lines)
		}
		for i, r := range list {
			if len(args) == 0 && i == len(builtin) {
				fmt.Fprintln(a.out, "\nbuilt in too, but not run by default; name them with --rubric:")
			}
			kind := "number"
			if r.Output.Integer {
				kind = "integer"
			}
			fmt.Fprintf(a.out, "%-36s %s, %d examples, %s%s\n", r.Name, scaleOf(r, kind), len(r.Examples), r.SHA[:12],
				map[bool]string{true: ", " + string(r.Scope)}[r.Scope != rubrics.ScopeCall])
		}
		return nil
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

type rubricSummary struct {
	Name    string  `json:"name"`
	SHA     string  `json:"sha"`
	Integer bool    `json:"integer"`
	Min     float64 `json:"min"`
	Max     float64 `json:"max"`
	// Low and High are null if nothing passes or fails.
	Low        *float64      `json:"low"`
	High       *float64      `json:"high"`
	Categories []string      `json:"categories,omitempty"`
	Pass       []string      `json:"pass,omitempty"`
	Scope      rubrics.Scope `json:"scope"`
	Examples   int           `json:"examples"`
	File       string        `json:"file"`
	Line       int           `json:"line"`
	// Default says that a run asks by it if no rubric is named.
	Default bool `json:"default"`
}

func summaryOf(r *rubrics.Rubric, isDefault bool) rubricSummary {
	o := r.Output
	s := rubricSummary{
		Name: r.Name, SHA: r.SHA, Integer: o.Integer, Min: o.Min, Max: o.Max, Categories: o.Categories, Pass: o.Pass,
		Scope: r.Scope, Examples: len(r.Examples), File: r.File, Line: r.Line, Default: isDefault,
	}
	if !o.NoPass {
		s.Low, s.High = &o.Low, &o.High
	}
	return s
}

// scaleOf says which answers a rubric has and which of them pass.
func scaleOf(r *rubrics.Rubric, kind string) string {
	o := r.Output
	text := fmt.Sprintf("%s %g..%g", kind, o.Min, o.Max)
	if o.Categories != nil {
		text = strings.Join(o.Categories, ", ")
	}
	if o.MayNotApply {
		text += " or " + rubrics.NotApplicable
	}
	switch {
	case o.NoPass:
		return text + ", no pass rate"
	case o.Categories != nil:
		return text + ", pass " + strings.Join(o.Pass, ", ")
	}
	return text + fmt.Sprintf(", pass %g..%g", o.Low, o.High)
}

func rubricsShowCommand(a *app) *cobra.Command {
	var source bool
	cmd := newCommand("show NAME|FILE", cobra.ExactArgs(1), func(_ context.Context, args []string) error {
		list, err := loadRubrics(args)
		if err != nil {
			return err
		}
		for _, r := range list {
			if !source {
				printRubric(a, r)
			} else if _, err := fmt.Fprintln(a.out, cmp.Or(builtinFile(args[0], r), r.Source())); err != nil {
				return err
			}
		}
		return nil
	})
	cmd.Flags().BoolVar(&source, "source", false, "print the rubric to start a file of your own")
	return cmd
}

// builtinFile returns the YAML file of a built-in rubric if it was asked for by its name, else "".
func builtinFile(asked string, r *rubrics.Rubric) string {
	if asked != r.Name {
		return ""
	}
	return strings.TrimSpace(rubrics.NamedFile(asked))
}

func printRubric(a *app, r *rubrics.Rubric) {
	fmt.Fprintf(a.out, "%s (%s:%d, sha %s)\n\n%s\n\n", r.Name, filepath.Base(r.File), r.Line, r.SHA[:12], r.Description)
	fmt.Fprint(a.out, scaleOf(r, "scale"))
	if r.Asks(rubrics.KeyConfidence) {
		fmt.Fprintf(a.out, ", sure %g..%g", r.Confidence.Low, r.Confidence.High)
	}
	for _, key := range [][2]string{{"scope", string(r.Scope)}, {"combine", string(r.Combine)},
		{"when", r.When.String()}, {"language", r.Language}} {
		if key[1] != "" && key[1] != string(rubrics.ScopeCall) {
			fmt.Fprintf(a.out, "\n%s: %s", key[0], key[1])
		}
	}
	fmt.Fprint(a.out, "\n\nschema as sent:\n")
	_ = writeJSON(a.out, r.SentSchema())
	for i, e := range r.Examples {
		call := ""
		if !e.Call.IsNull() {
			call = " " + e.CallName() + "(" + e.CallParameters().JSON() + ")"
		}
		fmt.Fprintf(a.out, "\nexample %d:%s\n  %s\n", i+1, call, e.Answer.JSON())
	}
	fmt.Fprintln(a.out)
}

func rubricsLintCommand(a *app) *cobra.Command {
	var asJSON bool
	cmd := newCommand("lint [NAME|FILE...]", nil, func(_ context.Context, args []string) error {
		list, err := lintTargets(args)
		problems := rubrics.Problems(err)
		if err != nil && len(problems) == 0 {
			return usage(err)
		}
		return a.printFindings(list, problems, asJSON)
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

// lintTargets loads what it can: a linter continues after a broken record.
func lintTargets(args []string) ([]*rubrics.Rubric, error) {
	builtin, named, err := builtinRubrics()
	if err != nil || len(args) == 0 {
		return slices.Concat(builtin, named), err
	}
	var list []*rubrics.Rubric
	var errs []error
	for _, name := range args {
		found, err := findRubrics(name, builtin, named)
		list = append(list, found...)
		errs = append(errs, err)
	}
	return list, errors.Join(errs...)
}

type findingLine struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Column   int    `json:"column,omitempty"`
	Field    string `json:"field"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

func findingOf(p *rubrics.Problem) findingLine {
	return findingLine{p.File, p.Line, p.Column, p.Field, string(p.Severity), p.Message}
}

func (a *app) printFindings(list []*rubrics.Rubric, problems []*rubrics.Problem, asJSON bool) error {
	var lines []findingLine
	failed := len(problems) > 0
	for _, p := range problems {
		lines = append(lines, findingOf(p))
	}
	for _, r := range list {
		for _, f := range rubrics.Lint(r) {
			lines = append(lines, findingOf(f))
			failed = failed || f.Severity == rubrics.SeverityError
		}
	}
	if asJSON {
		if err := writeJSONLines(a.out, lines); err != nil {
			return err
		}
	} else {
		for _, l := range lines {
			p := rubrics.Problem{File: l.File, Line: l.Line, Column: l.Column}
			message := l.Message
			if l.Field != "" {
				message = l.Field + ": " + message
			}
			fmt.Fprintf(a.out, "%s: %s: %s\n", p.Place(), l.Severity, message)
		}
		fmt.Fprintf(a.err, "%s read, %s\n", words.Counted(len(list), "rubric"), words.Counted(len(lines), "finding"))
	}
	if failed {
		return &codeError{code: exitUsage}
	}
	return nil
}

func rubricsNewCommand(a *app) *cobra.Command {
	var scope, out string
	var force bool
	cmd := newCommand("new NAME", cobra.ExactArgs(1), func(_ context.Context, args []string) error {
		return a.newRubric(args[0], scope, out, force)
	})
	cmd.Flags().StringVar(&scope, "scope", string(rubrics.ScopeCall), "call, result, turn or conversation")
	cmd.Flags().StringVar(&out, "out", "", "the file to write (default NAME.yaml)")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite a file that is there")
	return cmd
}

// newRubric writes a rubric to edit.
func (a *app) newRubric(name, scope, out string, force bool) error {
	var scopes []string
	for _, s := range rubrics.Scopes() {
		scopes = append(scopes, string(s))
	}
	if !slices.Contains(scopes, scope) {
		hint := "choose " + strings.Join(scopes, ", ")
		if near := spelling.Nearest(scope, scopes); near != "" {
			hint = "did you mean " + near + "?"
		}
		return usagef("--scope %s: unknown; %s", scope, hint)
	}
	if out == "" && strings.ContainsAny(name, `/\:`) {
		return usagef("rubric %s: the name cannot be a file's; set --out", name)
	}
	out = cmp.Or(out, name+".yaml")
	if there(out) && !force {
		return usagef("%s exists: overwrite it with --force, or write another file with --out", out)
	}
	var text bytes.Buffer
	if err := writeText(&text, "rubric", struct{ Name, Scope, File string }{name, scope, out}); err != nil {
		return err
	}
	if _, err := rubrics.Load(bytes.NewReader(text.Bytes()), out); err != nil {
		return usage(err)
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return usage(err)
	}
	if err := os.WriteFile(out, text.Bytes(), 0o644); err != nil {
		return usage(err)
	}
	fmt.Fprintf(a.err, "judge: wrote %s; edit it, then: judge rubrics lint %s\n", out, words.ShellWord(out))
	return nil
}
