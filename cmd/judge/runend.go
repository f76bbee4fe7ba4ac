package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// shownProblems limits how many examples of one kind of problem are printed.
const shownProblems = 3

// firstFew returns a function that prints the first few problems.
func (a *app) firstFew(say func(line string)) func(error) {
	n := 0
	return func(err error) {
		if n++; n <= shownProblems && !a.quiet {
			say(err.Error())
		}
	}
}

// runError decides the exit code of a run that did not finish, and names the command
// that resumes it.
func (a *app) runError(err error, out *run.Outcome, dir string) error {
	endpoint, ok := errors.AsType[*llm.Error](err)
	switch {
	case is[*codeError](err): // an endpoint that cannot be asked
		return err
	case errors.Is(err, context.Canceled):
		return &codeError{exitInterrupted, errors.New("interrupted; what was answered is saved." + resumeHint(dir))}
	case out == nil && !ok, is[*run.TaskError](err), is[*transcript.FormatError](err), is[*run.NothingError](err):
		return usage(err)
	case ok && endpoint.Kind != llm.KindJournal && endpoint.Kind != llm.KindLocal:
		return &codeError{exitEndpoint, fmt.Errorf("%w\njudge: earlier answers are saved.%s", err,
			resumeHint(dir))}
	case ok, is[*fs.PathError](err), is[*input.ChangedError](err):
		return &codeError{exitIncomplete, fmt.Errorf("%w\njudge: what was written so far is saved.%s", err,
			resumeHint(dir))}
	}
	return fmt.Errorf("%w%s", err, resumeHint(dir))
}

// resumeHint returns the command that resumes a run, "" before it has a directory.
func resumeHint(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, directory.ManifestFile)); dir == "" || err != nil {
		return ""
	}
	return " continue with:\n  " + directory.ResumeCommand(dir)
}

// closing prints what is not in the report: where the files are, and what could not be read.
func (a *app) closing(out *run.Outcome, dir string) {
	if n := out.Reading.Unreadable; n > 0 {
		where := "named above and in "
		if n > shownProblems {
			where = fmt.Sprintf("the first %d are named above, more in ", shownProblems)
		}
		a.note(fmt.Sprintf("%s of the logs could not be read; %s%s, and all by judge logs inspect --oddities",
			words.Counted(n, "record"), where, filepath.Join(dir, directory.ManifestFile)))
	}
	notes := 0
	for _, n := range out.Reading.Notes {
		notes += n
	}
	if notes > 0 {
		a.note(fmt.Sprintf("%s of %s in the logs; each is named in %s, and by judge logs inspect --oddities",
			words.Count(notes, "oddity", "oddities"), words.Counted(len(out.Reading.Notes), "kind"),
			filepath.Join(dir, directory.ItemsFile)))
	}
	for i := range out.Manifest.Counts.Costs {
		c := &out.Manifest.Counts.Costs[i]
		a.note("judge " + c.Judge + ": " + words.Cost(c))
	}
	a.note("wrote " + dir)
}

// missing prints why judgements have no score, if too many have none.
func (a *app) missing(out *run.Outcome, dir string) {
	if out.Manifest.Status != directory.Incomplete {
		return
	}
	list := words.Missing(out.Report)
	for _, line := range list[:min(len(list), shownProblems)] {
		fmt.Fprintf(a.err, "judge: %s\n", value.VisibleLine(line))
	}
	if left := len(list) - shownProblems; left > 0 {
		fmt.Fprintf(a.err, "judge: %d more reasons: judge report %s --json\n", left, words.ShellWord(dir))
	}
}

// verdict decides the exit code of a finished run: coverage first, then gates.
func (a *app) verdict(m *directory.Manifest, decided measure.GateDecision, dir string) error {
	if j := m.Judgements; m.Status == directory.Incomplete {
		fmt.Fprintf(a.err, "judge: only %d of %d judgements could be scored (%s, the floor is %s)\n",
			j.Scored, j.Wanted, words.Share(j.Coverage(), 1), words.Share(m.CoverageFloor, 1))
		if j.Wanted-j.Scored == j.NoRule {
			fmt.Fprintf(a.err, "judge: %s has no rule for any rubric of this run; judge by them with a model\n",
				baseline.Model)
			return &codeError{code: exitIncomplete}
		}
		fmt.Fprintf(a.err, "judge: what got no reply is asked again with the line below; replies that no "+
			"rubric allows are kept: --retry with their kinds asks for those again, --no-cache for "+
			"everything\n  %s\n", directory.ResumeCommand(dir))
		return &codeError{code: exitIncomplete}
	}
	if m.Shard != "" {
		return nil // gates are for the whole run
	}
	return a.gates(decided)
}

// stepSummary adds the report of a run directory to the page of a CI job if there is one.
func (a *app) stepSummary(r *report.Report, dir string) {
	a.addSummary(func(w io.Writer) error {
		return render.Report(w, r, render.MarkdownFormat, render.Config{Run: latestOr(dir)})
	})
}

// addSummary adds Markdown to the page of a CI job if there is one.
func (a *app) addSummary(write func(io.Writer) error) {
	path := a.getenv("GITHUB_STEP_SUMMARY")
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		err = errors.Join(write(f), f.Close())
	}
	if err != nil {
		fmt.Fprintf(a.err, "judge: the step summary could not be written: %v\n", err)
	}
}
