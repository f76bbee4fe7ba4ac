package main

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/instrument"
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

	// kept holds the profiles of a resumed run's endpoints.
	kept []instrument.Profile
	// series names the growing log of a resumed run; "" if none.
	series string
	// probe marks the run of judge probe, which prints only the probe as JSON.
	probe bool
	// files says that requests are written to files, which may be taken to another machine.
	files bool
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

// resolvePaths makes the paths of other runs absolute, because a resumed run may return to the
// directory from which it was started. It also decides whether a run is resumed.
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

// resumeOrStart resumes the run of --resume-or-start if its directory already has one.
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

// checkRetry returns an error for unknown kinds of failure.
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
	f.series = m.Series
	f.noJudge, f.kept, f.shard = f.noJudge || len(m.Judges) == 0, m.Profiles, cmp.Or(f.shard, m.Shard)
	if len(args) == 0 {
		if f.resume, err = enter(m.Directory, f.resume); err != nil {
			return nil, err
		}
	}
	return c, f.overlay(c, args)
}

// asked returns the task that arguments, flags and files describe, and its run directory.
func (a *app) asked(ctx context.Context, f *runFlags, args []string) (*run.Task, string, error) {
	c, err := f.configuration(args)
	if err != nil {
		return nil, "", err
	}
	if len(c.Logs) == 0 {
		return nil, "", errNoLog
	}
	if len(c.Redact) > 0 && (f.queue.url != "" || f.files) {
		c.RedactLocal = true // wherever the base URL leads; run.json records it for a resumed run
	}
	task, err := a.task(ctx, c, f.resume, f.noJudge)
	if err != nil {
		return nil, "", err
	}
	if task.Shard, err = input.ParseShard(f.shard, a.getenv); err != nil {
		return nil, "", usagef("--shard %w", err)
	}
	task.Series = f.series
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

// errNoLog says that no log was named.
var errNoLog = usagef("no log given; name one, or put logs: into %s", defaultConfig)
