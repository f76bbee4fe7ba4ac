package main

import (
	"context"
	"fmt"

	"github.com/judgekit/judge/internal/run"
)

// dryRun says what a run would ask for, and what would not fit.
func (a *app) dryRun(ctx context.Context, plan *run.Plan, dir string, resume, asJSON bool) error {
	run.Recall(plan, dir, resume, profiles())
	e, err := run.Measure(ctx, plan)
	if err != nil {
		return usage(err)
	}
	if asJSON {
		return writeJSON(a.out, e)
	}
	fmt.Fprintf(a.out, "%s, %s, %s, %s: %s\n", some(e.Conversations, "conversation"), some(e.Calls, "call"), some(len(plan.Rubrics), "rubric"), some(len(plan.Judges), "judge"), some(e.Requests, "request"))
	if e.Escalated > 0 {
		fmt.Fprintf(a.out, "cascades may ask for up to %d more\n", e.Escalated)
	}
	fmt.Fprintf(a.out, "about %d prompt tokens in all (%d bytes); the longest prompt has about %d, at %s\n", e.PromptTokens, e.PromptBytes, e.LargestTokens, e.LargestPlace)
	for i := range e.Windows {
		for _, line := range e.Windows[i].Lines() {
			fmt.Fprintln(a.out, line)
		}
	}
	if e.Unreadable > 0 {
		fmt.Fprintf(a.out, "%d records of the logs cannot be read; see them with: judge logs inspect\n", e.Unreadable)
	}
	fmt.Fprintln(a.out, "nothing was sent")
	return nil
}

// some is a number with its noun.
func some(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
