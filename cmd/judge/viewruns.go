package main

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/judgekit/judge/internal/llm/journal"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/view"
	"github.com/judgekit/judge/judges"
)

// knownRubric returns an error if a run did not judge by the named rubric; "" names none.
func knownRubric(name string, r *view.Run) error {
	var names []string
	for i := range r.Manifest.Rubrics {
		names = append(names, r.Manifest.Rubrics[i].Name)
	}
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	return usagef("%s did not use the rubric %s; it used %s", r.Name, name, strings.Join(names, ", "))
}

// runsToView opens run directories, each once. If there are several, it reports and skips those
// that are not runs.
func (a *app) runsToView(args []string) ([]view.Run, error) {
	var runs []view.Run
	for _, arg := range args {
		arg = runDirectory(arg)
		dir, err := filepath.Abs(arg)
		if err != nil {
			return nil, err
		}
		known := false
		for i := range runs {
			known = known || directory.Same(runs[i].Dir, dir)
		}
		if known {
			continue
		}
		r, err := a.runToView(dir, arg)
		if err != nil && len(args) == 1 {
			return nil, err
		}
		if err != nil {
			fmt.Fprintf(a.err, "judge: skipped: %v\n", err)
			continue
		}
		runs = append(runs, *r)
	}
	if len(runs) == 0 {
		return nil, usagef("no run to show")
	}
	if len(runs) > 2 {
		view.SortByTime(runs)
	}
	return runs, nil
}

func (a *app) runToView(dir, name string) (*view.Run, error) {
	r, err := a.recorded(dir)
	if err != nil {
		return nil, err
	}
	for i := range r.logs.Logs {
		a.anchor(&r.logs.Logs[i])
	}
	p, promptErr := r.prompter()
	refusals := sync.OnceValues(func() (map[string][]*journal.Entry, error) { return directory.Refusals(dir) })
	prompts := func(ctx context.Context, c *transcript.Conversation, target judges.Target,
		rubric string) ([]instrument.Prompt, error) {
		entries, err := refusals()
		if err = cmp.Or(promptErr, err); err != nil {
			return nil, err
		}
		return p.Prompts(ctx, c, target, rubric, entries)
	}
	return &view.Run{Dir: dir, Name: name, Manifest: r.manifest, Logs: r.logs, Prompts: prompts}, nil
}

// anchor makes the path of a log absolute, so that it can be opened from any directory.
func (a *app) anchor(l *input.Log) {
	if path, err := filepath.Abs(l.Name); err == nil && l.Name != "-" {
		name := l.Name
		*l = a.log(path)
		l.Name = name
	}
}
