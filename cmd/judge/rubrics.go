package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

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
		return nil, fmt.Errorf("rubric %s: no such file%s", name, spelling.MeantFile(name))
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
