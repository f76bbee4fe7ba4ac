package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/rubrics"
)

func runCommand(a *app) *cobra.Command {
	var f runFlags
	cmd := newCommand("run [LOG...]", nil, func(ctx context.Context, args []string) error {
		return a.run(ctx, &f, args)
	})
	f.add(cmd)
	a.addQuiet(cmd)
	return cmd
}

func (a *app) run(ctx context.Context, f *runFlags, args []string) error {
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
	return a.runTask(ctx, task, dir, f)
}

// runTask judges, and keeps the run in dir.
func (a *app) runTask(ctx context.Context, task *run.Task, dir string, f *runFlags) (err error) {
	if task.Against, err = earlier(f.against, dir); err != nil {
		return err
	}
	var ahead *instrument.Ahead
	if f.resume == "" && f.queue.url == "" {
		task.Readable = func() { ahead = instrument.DiscoverAhead(ctx, &task.Team, a.profiles) }
		defer func() { ahead.End() }()
	}
	spec, err := a.resolve(ctx, task, dir, f.resume != "")
	if err != nil {
		return err
	}
	means, err := a.means(ctx, spec, f)
	if err != nil {
		return err
	}
	if ahead != nil {
		means.Discover = func(_ context.Context, list []instrument.Judge, by []*rubrics.Rubric,
			_ []instrument.Profile) error {
			return endpointError(ahead.Discover(list, by, a.note))
		}
	}
	return a.execute(ctx, spec, dir, means, f)
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

// execute prepares the instruments of a run, judges, and prints the report.
func (a *app) execute(ctx context.Context, spec *run.Spec, dir string, means run.Means, f *runFlags) error {
	bar := a.bar()
	if bar != nil {
		bar.total, bar.about = spec.Judgements()
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
		boundGarbage(a.getenv, maxRequests(in.Judges))
		return run.Execute(ctx, spec, in, obs)
	})
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
	if f.probe && f.output.format == render.JSONFormat {
		err = writeJSON(a.out, out.Report.Probe)
	} else {
		err = render.Report(a.outFor(f.output.format), out.Report, f.output.format, a.look(&f.output, dir))
	}
	if err != nil {
		return err
	}
	a.noteEmpty(out.Reading)
	if f.probe { // what is odd about its log was planted
		out.Reading.Notes = nil
	}
	a.closing(out, dir)
	a.stepSummary(out.Report, dir)
	a.missing(out, dir)
	return a.verdict(out.Manifest, out.Gates, dir)
}

// maxRequests returns how many requests may be under way at once.
func maxRequests(list []instrument.Judge) int {
	requests := 0
	for i := range list {
		requests += list[i].Endpoint.Concurrency
	}
	return requests
}
