package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/watch"
	"github.com/judgekit/judge/internal/value"
)

// watchFlags are the flags of judge watch in addition to settings.
type watchFlags struct {
	settings
	out, share, command   string
	settle, every, outage time.Duration
	once, fromNow         bool
	maxRequests           int
	maxCost               float64
}

func watchCommand(a *app) *cobra.Command {
	var f watchFlags
	cmd := newCommand("watch FOLDER|LOG...", nil, func(ctx context.Context, args []string) error {
		return a.watch(ctx, &f, args)
	})
	f.addReading(cmd)
	f.addJudges(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.out, "out", runsFolder, "folder for the run directories, one a day")
	fl.StringVar(&f.share, "sample", "100%", "share of the conversations that is judged, such as 10%; a conversation "+
		"stays in it, and a larger share contains the smaller")
	fl.DurationVar(&f.settle, "settle", 5*time.Minute, "judge a conversation when it was quiet for this long")
	fl.DurationVar(&f.every, "every", 5*time.Minute, "look at the logs this often")
	fl.BoolVar(&f.once, "once", false, "look once and end, for cron")
	fl.BoolVar(&f.fromNow, "from-now", false, "at the first start, take what the logs hold as judged")
	fl.IntVar(&f.maxRequests, "max-requests", 0, "most judgement requests a day; the rest waits (default no limit)")
	fl.Float64Var(&f.maxCost, "max-cost", 0, "most cost a day by the prices in judge.yaml; the rest waits (default "+
		"no limit)")
	fl.StringVar(&f.command, "exec", "", "run this shell command on an alarm and go on, in place of exit 100")
	fl.DurationVar(&f.outage, "outage", client.DefaultOutage,
		"how long to wait for an endpoint that stopped answering before the next look")
	fl.Lookup("seed").Usage = "seed of requests"
	a.addQuiet(cmd)
	return cmd
}

// watch looks at the logs at each interval until it is interrupted or an alarm ends it. The first look
// must succeed; after that, what fails is tried again at the next.
func (a *app) watch(ctx context.Context, f *watchFlags, args []string) error {
	cfg, err := a.watchConfig(ctx, f, args)
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		start := time.Now()
		out, err := watch.Once(ctx, cfg)
		switch {
		case err == nil:
			fmt.Fprintln(a.outFor("text"), watchLine(start, &out))
		case ctx.Err() != nil:
			return &codeError{exitInterrupted, errors.New("interrupted; the next watch goes on from here")}
		case f.once || first:
			return a.watchError(err)
		default:
			fmt.Fprintf(a.err, "judge: %v; trying again in %s\n", err, f.every)
		}
		if len(out.Alarms) > 0 && f.command == "" {
			return &codeError{code: exitGate}
		}
		if f.once {
			return nil
		}
		select {
		case <-time.After(time.Until(start.Add(f.every))):
		case <-ctx.Done():
			return &codeError{exitInterrupted, errors.New("interrupted; the next watch goes on from here")}
		}
	}
}

// watchError gives an error that has no exit code the one of work that can be taken up again.
func (a *app) watchError(err error) error {
	if is[*codeError](err) {
		return err
	}
	return &codeError{exitIncomplete, fmt.Errorf("%w\njudge: nothing is lost: the next watch goes on from here", err)}
}

// watchConfig resolves flags and files once: a rubric that changes later counts from the next start.
func (a *app) watchConfig(ctx context.Context, f *watchFlags, args []string) (cfg watch.Config, err error) {
	c, err := f.load(args)
	if err != nil {
		return cfg, err
	}
	if len(c.Logs) == 0 {
		return cfg, errNoLog
	}
	if cfg.Sample, err = watch.ParseShare(f.share); err != nil {
		return cfg, usagef("--sample %w", err)
	}
	if f.every < time.Second || f.settle < 0 || f.outage < 0 || f.maxRequests < 0 || f.maxCost < 0 {
		return cfg, usagef("--every must be at least 1s, and --settle, --outage, --max-requests and --max-cost not negative")
	}
	if c.Limit > 0 || c.Sample > 0 {
		return cfg, usagef("limit and sample in the configuration do not go with judge watch; --sample takes a share")
	}
	if f.maxCost > 0 && !priced(c) {
		return cfg, usagef("--max-cost needs the prices of every judge in %s", defaultConfig)
	}
	patterns := c.Logs
	if cfg.Read, err = logOptions(c); err != nil {
		return cfg, err
	}
	// What is judged is the copy in the run directory, which is in the native form.
	c.Logs, c.InputFormat, c.Map, c.Gates = nil, "native", nil, nil
	task, err := a.task(ctx, c, "", f.noJudge)
	if err != nil {
		return cfg, err
	}
	if cfg.Series, err = task.Parts(); err != nil {
		return cfg, usage(err)
	}
	cfg.Read.Tools = task.Read.Tools
	if cfg.Name, err = watchName(patterns); err != nil {
		return cfg, err
	}
	w := &watching{app: a, flags: f, task: task, said: map[string]bool{}}
	cfg.Folder, cfg.Settle, cfg.FromNow, cfg.Now = f.out, f.settle, f.fromNow, time.Now
	cfg.MaxRequests, cfg.MaxCost, cfg.Requests = f.maxRequests, f.maxCost, task.Requests
	cfg.List = func() ([]input.Log, error) { return a.watchedLogs(patterns, f.out) }
	cfg.Judge, cfg.Alarm, cfg.Note = w.judge, w.alarm, w.note
	_, err = cfg.List()
	return cfg, err
}

// priced reports whether every judge has prices.
func priced(c *config.Config) bool {
	for i := range c.Judges {
		if c.Judges[i].Prices == nil {
			return false
		}
	}
	return len(c.Judges) > 0
}

// watchName names a watch by the logs that it watches.
func watchName(patterns []string) (string, error) {
	var all []string
	for _, p := range patterns {
		path, err := filepath.Abs(p)
		if err != nil {
			return "", err
		}
		all = append(all, path)
	}
	sum := sha256.Sum256([]byte(strings.Join(all, "\x00")))
	return hex.EncodeToString(sum[:4]), nil
}

// watchedLogs returns the logs that there are now. A folder or pattern may hold none yet. What judge
// itself writes is no log of an agent.
func (a *app) watchedLogs(patterns []string, out string) (logs []input.Log, err error) {
	for _, p := range patterns {
		found, err := a.openLogs([]string{p}, "")
		folder, _ := strings.CutSuffix(filepath.ToSlash(p), "/...")
		if info, statErr := os.Stat(folder); err != nil && (statErr == nil && info.IsDir() || strings.ContainsAny(p, "*?[")) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, l := range found {
			if l.Once {
				return nil, usagef("watch %s: only files can be watched", l.Name)
			}
			_, ownErr := os.Stat(filepath.Join(filepath.Dir(l.Path), directory.ManifestFile))
			if ownErr != nil && !directory.Same(filepath.Dir(l.Path), out) {
				logs = append(logs, l)
			}
		}
	}
	return logs, nil
}

// watching judges the days of a watch.
type watching struct {
	*app
	flags *watchFlags
	task  *run.Task
	said  map[string]bool
}

// note prints a line once.
func (w *watching) note(line string) {
	if !w.said[line] {
		w.said[line] = true
		w.app.note(value.VisibleLine(line))
	}
}

// judge judges the log of a day. A directory that holds the run already is taken up again; a new one has
// its judges asked in the way of the day before.
func (w *watching) judge(ctx context.Context, d watch.Order) (out watch.Judged, err error) {
	task := *w.task
	log := filepath.Join(d.Dir, watch.LogFile)
	task.Logs, task.Series = []input.Log{w.log(log)}, "watch "+d.Date
	task.Config = task.Config.With("logs", value.OfStrings(log))
	means := run.Means{Discover: w.discover, Outage: max(w.flags.outage, time.Nanosecond), InFlight: &w.stopping.inFlight}
	for _, dir := range []string{d.Dir, d.Before} {
		if m, err := directory.ReadManifest(dir); err == nil && means.Kept == nil {
			means.Kept, means.Resume = m.Profiles, dir == d.Dir
		}
	}
	obs := run.Observer{Note: w.note, Unreadable: func(err error) { w.note(err.Error()) }}
	spec, err := run.Resolve(ctx, task, d.Dir)
	if is[*run.NothingError](err) {
		return out, nil
	}
	if err != nil {
		return out, w.runError(err, nil, d.Dir)
	}
	in, err := run.Prepare(ctx, spec, d.Dir, means, obs)
	if err != nil {
		return out, w.runError(err, nil, d.Dir)
	}
	defer in.Close()
	w.latest(d.Dir)
	boundGarbage(w.getenv, mostRequests(in.Judges))
	done, err := run.Execute(ctx, spec, in, obs)
	if err != nil {
		return out, w.runError(err, done, d.Dir)
	}
	out.Requests = done.Manifest.Counts.Requests
	for i := range done.Manifest.Counts.Costs {
		if cost := done.Manifest.Counts.Costs[i].Cost; cost != nil {
			out.Cost += *cost
		}
	}
	out.Day, err = watch.CountDay(done.Report, directory.Scores(d.Dir))
	return out, err
}

// alarm runs the command of an alarm. It gets the alarms as JSON on standard input.
func (w *watching) alarm(out watch.Result) error {
	if w.flags.command == "" {
		return nil
	}
	data, err := json.Marshal(out)
	if err != nil {
		return err
	}
	shell := []string{"sh", "-c"}
	if runtime.GOOS == "windows" {
		shell = []string{"cmd", "/C"}
	}
	cmd := exec.Command(shell[0], append(shell[1:], w.flags.command)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(data, '\n')), w.err, w.err
	cmd.Env = append(os.Environ(), "JUDGE_RUN="+out.Dir, "JUDGE_ALARM="+alarmLine(&out.Alarms[0]))
	if err := cmd.Run(); err != nil {
		w.app.note(fmt.Sprintf("--exec %s: %v", w.flags.command, err))
	}
	return nil
}
