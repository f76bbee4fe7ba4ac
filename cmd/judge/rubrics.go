package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/rubrics"
)

// loadRubrics resolves names of built-in rubrics, "builtin" for all four, and files. A broken
// record is a usage error: we would score by another rubric than the one written.
func loadRubrics(wanted []string) ([]*rubrics.Rubric, error) {
	if len(wanted) == 0 {
		wanted = []string{"builtin"}
	}
	builtin, err := rubrics.Builtin()
	if err != nil {
		return nil, err
	}
	var out []*rubrics.Rubric
	for _, name := range wanted {
		found, err := findRubrics(name, builtin)
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

func findRubrics(name string, builtin []*rubrics.Rubric) ([]*rubrics.Rubric, error) {
	if name == "builtin" {
		return builtin, nil
	}
	names := []string{"builtin"}
	for _, r := range builtin {
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
		if asJSON {
			var lines []rubricSummary
			for _, r := range list {
				lines = append(lines, rubricSummary{r.Name, r.SHA, r.Output.Integer, r.Output.Min, r.Output.Max,
					r.Output.Low, r.Output.High, len(r.Examples), r.File, r.Line})
			}
			return writeJSONLines(a.out, lines)
		}
		for _, r := range list {
			kind := "number"
			if r.Output.Integer {
				kind = "integer"
			}
			fmt.Fprintf(a.out, "%-36s %s %g..%g, pass %g..%g, %d examples, %s\n", r.Name, kind,
				r.Output.Min, r.Output.Max, r.Output.Low, r.Output.High, len(r.Examples), r.SHA[:12])
		}
		return nil
	})
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return cmd
}

type rubricSummary struct {
	Name     string  `json:"name"`
	SHA      string  `json:"sha"`
	Integer  bool    `json:"integer"`
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Examples int     `json:"examples"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
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
			} else if _, err := fmt.Fprintln(a.out, r.Source()); err != nil {
				return err
			}
		}
		return nil
	})
	cmd.Flags().BoolVar(&source, "source", false, "print the rubric's own JSON")
	return cmd
}

func printRubric(a *app, r *rubrics.Rubric) {
	fmt.Fprintf(a.out, "%s (%s:%d, sha %s)\n\n%s\n\n", r.Name, filepath.Base(r.File), r.Line, r.SHA[:12], r.Description)
	fmt.Fprintf(a.out, "scale %g..%g, pass %g..%g, sure %g..%g\n\nschema as sent:\n", r.Output.Min,
		r.Output.Max, r.Output.Low, r.Output.High, r.Confidence.Low, r.Confidence.High)
	_ = writeJSON(a.out, r.SentSchema())
	for i, e := range r.Examples {
		fmt.Fprintf(a.out, "\nexample %d: %s(%s)\n  %s\n", i+1, e.CallName(), e.CallParameters().JSON(),
			e.Answer.JSON())
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
	if len(args) == 0 {
		return rubrics.Builtin()
	}
	builtin, err := rubrics.Builtin()
	if err != nil {
		return nil, err
	}
	var list []*rubrics.Rubric
	var errs []error
	for _, name := range args {
		found, err := findRubrics(name, builtin)
		list = append(list, found...)
		errs = append(errs, err)
	}
	return list, errors.Join(errs...)
}

type findingLine struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Field    string `json:"field"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

func (a *app) printFindings(list []*rubrics.Rubric, problems []*rubrics.Problem, asJSON bool) error {
	var lines []findingLine
	failed := len(problems) > 0
	for _, p := range problems {
		lines = append(lines, findingLine{p.File, p.Line, p.Field, string(rubrics.SeverityError), p.Message})
	}
	for _, r := range list {
		for _, f := range rubrics.Lint(r) {
			lines = append(lines, findingLine{r.File, f.Line, f.Field, string(f.Severity), f.Message})
			failed = failed || f.Severity == rubrics.SeverityError
		}
	}
	if asJSON {
		if err := writeJSONLines(a.out, lines); err != nil {
			return err
		}
	} else {
		for _, l := range lines {
			fmt.Fprintf(a.out, "%s:%d: %s: %s: %s\n", l.File, l.Line, l.Severity, l.Field, l.Message)
		}
		fmt.Fprintf(a.err, "%d rubrics read, %d findings\n", len(list), len(lines))
	}
	if failed {
		return &codeError{code: exitUsage}
	}
	return nil
}
