package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/baseline"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/judges"
)

// runFlags are the flags of judge run in addition to settings.
type runFlags struct {
	settings
	out, resume string
	against     string
	dryRun      bool
	noCache     bool
	retry       []string
	reuse       []string
	shard       string
	orStart     bool
	outage      time.Duration
	output
	queue queueFlags

	// kept say how the endpoints of a run that is resumed were asked.
	kept []instrument.Profile
	// files says that requests are written to files, which leave this machine.
	files bool
}

func runCommand(a *app) *cobra.Command {
	var f runFlags
	cmd := newCommand("run [LOG...]", nil, func(ctx context.Context, args []string) error {
		return a.run(ctx, &f, args)
	})
	f.add(cmd)
	a.addQuiet(cmd)
	return cmd
}

func (f *runFlags) add(cmd *cobra.Command) {
	f.addInput(cmd)
	f.addJudges(cmd)
	f.queue.add(cmd)
	f.output.add(cmd, render.Formats()...)
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", "", "run directory (default runs/<time>-<short id>)")
	fl.StringVar(&f.resume, "resume", "", "continue the run in this directory")
	fl.StringVar(&f.given.Gold, "gold", "", "label or scorer that headlines take as the truth (default: labels "+
		"before execution before matches)")
	fl.StringVar(&f.against, "against", "", "directory of an earlier run; the report says what changed since then")
	fl.BoolVar(&f.dryRun, "dry-run", false, "count requests and estimate tokens without sending any")
	fl.StringSliceVar(&f.retry, "retry", nil,
		"with --resume: also repeat judgements that are unscored for one of these reasons, such as "+
			"invalid_json,truncated (default: what got no reply)")
	fl.StringArrayVar(&f.reuse, "reuse", nil, "directory of an earlier run; its good answers to the same requests are "+
		"used again, repeatable")
	fl.StringVar(&f.shard, "shard", "", "judge only part i/n of the conversations; auto/n takes i from Kubernetes "+
		"or Slurm; judge merge joins the parts")
	fl.BoolVar(&f.orStart, "resume-or-start", false, "with --out: continue the run in that directory if there is one, "+
		"else start it; for schedulers that repeat a command")
	fl.BoolVar(&f.noCache, "no-cache", false, "with --resume: ask everything again")
	fl.DurationVar(&f.outage, "outage", client.DefaultOutage,
		"how long to wait for an endpoint that stopped answering before exit 3")
}

func (a *app) run(ctx context.Context, f *runFlags, args []string) (err error) {
	if err := f.resolvePaths(); err != nil {
		return err
	}
	task, dir, err := a.asked(ctx, f, args)
	if err != nil {
		return err
	}
	if f.dryRun {
		return a.dryRun(ctx, task, f, f.resume)
	}
	if task.Against, err = earlier(f.against, dir); err != nil {
		return err
	}
	spec, err := a.resolve(ctx, task, dir, f.resume != "")
	if err != nil {
		return err
	}
	means, err := a.means(ctx, spec, f)
	if err != nil {
		return err
	}
	return a.execute(ctx, spec, dir, means, f)
}

// resolvePaths makes the paths of other runs absolute, since a resumed run may go back to where it
// was started, and decides whether a run is resumed.
func (f *runFlags) resolvePaths() (err error) {
	if f.against != "" && f.resume != "" {
		if f.against, err = filepath.Abs(f.against); err != nil {
			return err
		}
	}
	if err := f.checkRetry(); err != nil {
		return err
	}
	if err := f.resumeOrStart(); err != nil {
		return err
	}
	for i := range f.reuse {
		if f.reuse[i], err = filepath.Abs(runDirectory(f.reuse[i])); err != nil {
			return err
		}
		if _, err := directory.ReadManifest(f.reuse[i]); err != nil {
			return usagef("reuse: %w", err)
		}
	}
	return nil
}

// asked returns the task that arguments, flags and files ask for, and its run directory.
func (a *app) asked(ctx context.Context, f *runFlags, args []string) (*run.Task, string, error) {
	c, err := f.configuration(args)
	if err != nil {
		return nil, "", err
	}
	if len(c.Logs) == 0 {
		return nil, "", errNoLog
	}
	if len(c.Redact) > 0 && (f.queue.url != "" || f.files) {
		c.RedactLocal = true // wherever the base URL is; run.json records it for a resumed run
	}
	task, err := a.task(ctx, c, f.resume, f.noJudge)
	if err != nil {
		return nil, "", err
	}
	if task.Shard, err = input.ParseShard(f.shard, a.getenv); err != nil {
		return nil, "", usagef("--shard %w", err)
	}
	if f.outage < 0 {
		return nil, "", usagef("--outage %s: must not be negative", f.outage)
	}
	if f.queue.url != "" {
		if err := checkQueued(task.Judges); err != nil {
			return nil, "", err
		}
	}
	return task, cmp.Or(f.resume, f.out, newRunDirectory()), nil
}

// resolve claims the run directory, copies pipes there, and reads the logs once.
func (a *app) resolve(ctx context.Context, task *run.Task, dir string, resume bool) (*run.Spec, error) {
	if err := a.claim(dir, resume); err != nil {
		return nil, err
	}
	a.resumes(dir)
	remove, err := directory.Spool(dir, task.Logs, resume)
	if err != nil {
		return nil, usage(err)
	}
	spec, err := run.Resolve(ctx, *task, dir)
	if err != nil {
		remove()
		return nil, a.runError(err, nil, dir)
	}
	return spec, nil
}

// means says how the run gets its answers: from endpoints, or from workers over a queue.
func (a *app) means(ctx context.Context, spec *run.Spec, f *runFlags) (run.Means, error) {
	m := run.Means{
		Resume: f.resume != "", Kept: f.kept, Discover: a.discover, Reuse: f.reuse, Fresh: f.noCache, Retry: f.retry,
		Outage:   max(f.outage, time.Nanosecond), // 0 ends the run as soon as an outage is certain
		InFlight: &a.stopping.inFlight,
	}
	if f.queue.url == "" {
		return m, nil
	}
	q, err := a.joinQueue(ctx, spec.Judges, &f.queue)
	m.Queue, m.Outage, m.Discover = q, 0, a.discoverOrAssume
	return m, err
}

// errNoLog says that no log was named.
var errNoLog = usagef("no log given; name one, or put logs: into %s", defaultConfig)

// resumeOrStart makes a run with --resume-or-start a resumed one if its directory holds a run.
func (f *runFlags) resumeOrStart() error {
	if !f.orStart {
		return nil
	}
	if f.out == "" || f.resume != "" {
		return usagef("--resume-or-start needs --out, and excludes --resume")
	}
	if _, err := os.Stat(filepath.Join(f.out, directory.ManifestFile)); err == nil {
		f.resume = f.out
	}
	return nil
}

// checkRetry refuses kinds that no judgement fails by.
func (f *runFlags) checkRetry() error {
	if len(f.retry) > 0 && f.resume == "" {
		return usagef("--retry needs --resume: it says which judgements of that run to repeat")
	}
	for _, kind := range f.retry {
		if !slices.Contains(judges.ErrorKinds(), kind) {
			return usagef("--retry %s: known kinds are %s", kind, strings.Join(judges.ErrorKinds(), ", "))
		}
	}
	return nil
}

// configuration reads the files and flags, or the directory of a resumed run.
func (f *runFlags) configuration(args []string) (*config.Config, error) {
	if f.resume == "" {
		return f.load(args)
	}
	f.resume = runDirectory(f.resume)
	if f.out != "" && runDirectory(f.out) != f.resume {
		return nil, usagef("--out and --resume cannot be combined")
	}
	m, c, err := saved(f.resume)
	if err != nil {
		return nil, err
	}
	f.noJudge, f.kept, f.shard = f.noJudge || len(m.Judges) == 0, m.Profiles, cmp.Or(f.shard, m.Shard)
	if len(args) == 0 {
		if f.resume, err = enter(m.Directory, f.resume); err != nil {
			return nil, err
		}
	}
	return c, f.overlay(c, args)
}

// execute prepares the instruments of a run, judges, and prints the report.
func (a *app) execute(ctx context.Context, spec *run.Spec, dir string, means run.Means, f *runFlags) error {
	bar := a.bar()
	if bar != nil {
		bar.total = spec.Judgements()
	}
	if bar != nil && means.Queue != nil {
		bar.more = means.Queue.Workers
	}
	return a.printRun(f, dir, bar, func(obs run.Observer) (*run.Outcome, error) {
		in, err := run.Prepare(ctx, spec, dir, means, obs)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		a.latest(dir)
		boundGarbage(a.getenv, mostRequests(in.Judges))
		return run.Execute(ctx, spec, in, obs)
	})
}

// mostRequests returns how many requests may be under way at once.
func mostRequests(list []instrument.Judge) int {
	requests := 0
	for i := range list {
		requests += list[i].Endpoint.Concurrency
	}
	return requests
}

// printRun runs do with a progress line, and prints the report.
func (a *app) printRun(f *runFlags, dir string, bar *progress, do func(run.Observer) (*run.Outcome, error)) error {
	obs := bar.observer(a)
	obs.Limits = bar.limited
	obs.Unreadable = a.firstFew(func(line string) { bar.say(a.err, "judge: "+line) })
	obs.Outage = func(n client.Notice) {
		if bar != nil {
			bar.outage(n, f.outage)
		}
	}
	out, err := do(obs)
	bar.finish()
	if err != nil {
		return a.runError(err, out, dir)
	}
	if err := render.Report(a.outFor(f.output.format), out.Report, f.output.format, a.look(&f.output, dir)); err != nil {
		return err
	}
	a.noteEmpty(out.Reading)
	a.closing(out, dir)
	a.stepSummary(out.Report, dir)
	if out.Manifest.Status == directory.Incomplete {
		missing := words.Missing(out.Report)
		for _, line := range missing[:min(len(missing), shownProblems)] {
			fmt.Fprintf(a.err, "judge: %s\n", visible(line))
		}
		if left := len(missing) - shownProblems; left > 0 {
			fmt.Fprintf(a.err, "judge: %d more reasons: judge report %s --json\n", left, words.ShellWord(dir))
		}
	}
	return a.verdict(out.Manifest, out.Gates, dir)
}

// shownProblems limits the examples of one kind of problem that are printed.
const shownProblems = 3

// firstFew says the first few problems.
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

// resumeHint is the command that resumes a run, "" if there is none yet.
func resumeHint(dir string) string {
	if _, err := os.Stat(filepath.Join(dir, directory.ManifestFile)); dir == "" || err != nil {
		return ""
	}
	return " continue with:\n  " + directory.ResumeCommand(dir)
}

// closing prints what the report does not say: where the files are, and what could not
// be read.
func (a *app) closing(out *run.Outcome, dir string) {
	if n := out.Reading.Unreadable; n > 0 {
		where := "named above and in "
		if n > shownProblems {
			where = fmt.Sprintf("the first %d are named above, more in ", shownProblems)
		}
		a.note(fmt.Sprintf("%d records of the logs could not be read; %s%s, and all by judge logs inspect --oddities",
			n, where, filepath.Join(dir, directory.ManifestFile)))
	}
	notes := 0
	for _, n := range out.Reading.Notes {
		notes += n
	}
	if notes > 0 {
		a.note(fmt.Sprintf("%d oddities of %d kinds in the logs; each is named in %s, and by judge logs inspect "+
			"--oddities", notes, len(out.Reading.Notes), filepath.Join(dir, directory.ItemsFile)))
	}
	for i := range out.Manifest.Counts.Costs {
		c := &out.Manifest.Counts.Costs[i]
		a.note("judge " + c.Judge + ": " + c.String())
	}
	a.note("wrote " + dir)
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
