package main

import (
	"context"
	"fmt"
	"os"

	"golang.org/x/term"

	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// width returns the number of columns that the report may take.
func (a *app) width() int {
	if out, ok := a.out.(*checkedWriter); ok && a.outTerminal {
		f, _ := out.Writer.(*os.File)
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			return min(w, 140)
		}
	}
	return 0
}

// dryRun says what a run would ask for, and what would not fit.
func (a *app) dryRun(ctx context.Context, task *run.Task, f *runFlags, dir string) error {
	if err := instrument.Recall(task.Judges, task.Rubrics, f.kept, a.profiles); err != nil {
		return endpointError(err)
	}
	task.Prompts = true
	spec, err := run.Resolve(ctx, *task, dir)
	if err == nil {
		err = run.CheckResumed(spec, dir, f.resume != "", f.kept)
	}
	if err != nil {
		return a.runError(err, nil, dir)
	}
	e, err := spec.Estimate(ctx)
	if err != nil {
		return usage(err)
	}
	if f.output.format == render.JSONFormat {
		return writeJSON(a.out, e)
	}
	fmt.Fprintf(a.out, "%s, %s, %s, %s: %s\n", words.Counted(e.Conversations, "conversation"),
		words.Counted(e.Calls, "call"), words.Counted(len(task.Rubrics), "rubric"),
		words.Counted(len(task.Judges), "judge"), words.Counted(e.Requests, "request"))
	if e.Alone != nil {
		fmt.Fprintf(a.out, "asked together; by one rubric at a time it would be %s with about %d prompt tokens\n",
			words.Counted(e.Alone.Requests, "request"), e.Alone.Tokens)
	}
	if e.Escalated > 0 {
		fmt.Fprintf(a.out, "cascades may ask for up to %d more\n", e.Escalated)
	}
	fmt.Fprintf(a.out, "about %d prompt tokens in all (%d bytes); the longest prompt has about %d, at %s\n",
		e.Tokens, e.Bytes, e.LargestTokens, e.LargestPlace)
	fmt.Fprintf(a.out, "a server with a prefix cache computes about %d of them (%s)\n", e.ComputedTokens,
		words.Share(float64(e.ComputedTokens)/float64(max(e.Tokens, 1)), 1))
	for i := range e.Windows {
		for _, line := range e.Windows[i].Lines() {
			fmt.Fprintln(a.out, line)
		}
	}
	for i := range task.Judges {
		if j := &task.Judges[i]; j.Config.Method == judges.TokenWeighted && j.Profile == nil {
			fmt.Fprintf(a.out, "judge %s: score_method %s needs log-probabilities; whether the endpoint gives them is "+
				"asked when the run starts, or by judge doctor\n", value.VisibleLine(j.Name()), j.Config.Method)
		}
	}
	if e.Unreadable > 0 {
		fmt.Fprintf(a.out, "%s of the logs cannot be read; see judge logs inspect\n", words.Counted(e.Unreadable, "record"))
	}
	fmt.Fprintln(a.out, "nothing was sent")
	return nil
}
