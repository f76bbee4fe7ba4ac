package main

import (
	"context"
	"fmt"

	"github.com/judgekit/judge/internal/run"
)

// dryRun says what a run would ask for.
func (a *app) dryRun(ctx context.Context, plan *run.Plan, asJSON bool) error {
	e, err := run.Measure(ctx, plan)
	if err != nil {
		return usage(err)
	}
	if asJSON {
		return writeJSON(a.out, e)
	}
	fmt.Fprintf(a.out, "%d conversations, %d calls, %d rubrics, %d judges: %d requests\n", e.Conversations, e.Calls, len(plan.Rubrics), len(plan.Judges), e.Requests)
	if e.Escalated > 0 {
		fmt.Fprintf(a.out, "cascades may ask for up to %d more\n", e.Escalated)
	}
	fmt.Fprintf(a.out, "about %d prompt tokens in all (%d bytes); the longest prompt has about %d, at %s\n", e.PromptTokens, e.PromptBytes, e.LargestTokens(), e.LargestPlace)
	if e.Unreadable > 0 {
		fmt.Fprintf(a.out, "%d records of the logs cannot be read; see them with: judge logs inspect\n", e.Unreadable)
	}
	fmt.Fprintln(a.out, "nothing was sent")
	return nil
}
