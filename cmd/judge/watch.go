package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/llm/client"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/run/watch"
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

// watch looks at the logs at each interval, until it is interrupted or an alarm ends it. The first
// look must succeed; later failures are retried at the next look.
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

// watchError gives an error without an exit code the one for work that can be resumed.
func (a *app) watchError(err error) error {
	if is[*codeError](err) {
		return err
	}
	return &codeError{exitIncomplete, fmt.Errorf("%w\njudge: nothing is lost: the next watch goes on from here", err)}
}

// watchConfig resolves flags and files once: changed rubrics take effect at the next start.
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
	// The judged log is the copy in the run directory, which is in the native form.
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
