package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/watch"
	"github.com/judgekit/judge/internal/value"
)

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

// judge judges the log of a day. If the directory already holds the run, it is resumed; a new run
// uses the profiles of the day before.
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
	boundGarbage(w.getenv, maxRequests(in.Judges))
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

// alarm runs the alarm command, with the alarms as JSON on its standard input.
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
