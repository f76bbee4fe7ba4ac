package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
)

// readFlags are the flags that say how logs are read.
type readFlags struct {
	// given has what flags say under the keys of judge.yaml.
	given   config.Config
	mapping []string
}

func (f *readFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.given.InputFormat, "input-format", "",
		"log format instead of detecting it: "+strings.Join(transcript.Formats(), ", "))
	cmd.Flags().StringArrayVar(&f.mapping, "map", nil, "target=JSONPath: where a log in no known format keeps its "+
		"messages, tools, labels …, such as messages=$.events[*].msg (docs/logs.md)")
	cmd.Flags().StringVar(&f.given.Tools, "tools", "",
		"tool inventory for logs that carry none: a list of definitions, an OpenAPI 3 document, or an MCP tools/list reply")
	cmd.Flags().BoolVar(&f.given.IncludeTextCalls, "include-text-calls", false,
		"take calls that are only written as text as calls")
	complete(cmd, "input-format", transcript.Formats()...)
}

// readMapping puts the targets of --map and their paths into what is given.
func (f *readFlags) readMapping() error {
	for _, text := range f.mapping {
		target, path, ok := strings.Cut(text, "=")
		if !ok || path == "" {
			return usagef("--map %q: want target=path, such as messages=$.events[*].msg", text)
		}
		if f.given.Map == nil {
			f.given.Map = map[string]string{}
		}
		f.given.Map[target] = path
	}
	return nil
}

func (f *readFlags) options() (o transcript.Options, err error) {
	if err := f.readMapping(); err != nil {
		return o, err
	}
	if o, err = logOptions(&f.given); err == nil {
		o.Tools, err = readTools(f.given.Tools)
	}
	return o, err
}

// logOptions say how a configuration has logs read; the tools are left out.
func logOptions(c *config.Config) (transcript.Options, error) {
	o := transcript.Options{Format: c.InputFormat, TextCalls: c.IncludeTextCalls}
	if o.Format != "" && len(c.Map) > 0 {
		return o, usagef("--map and --input-format exclude each other")
	}
	if o.Format != "" && !slices.Contains(transcript.Formats(), o.Format) {
		return o, usagef("input-format %q: known are %s", o.Format, strings.Join(transcript.Formats(), ", "))
	}
	if len(c.Map) == 0 {
		return o, nil
	}
	var err error
	if o.Map, err = transcript.ParseMapping(c.Map); err != nil {
		return o, usagef("--map %v", err)
	}
	return o, nil
}

// conversations calls each with every conversation of a log, and unreadable with every
// record that cannot be read.
func conversations(r *transcript.Reader, unreadable func(*transcript.Problem),
	each func(*transcript.Conversation) error) error {
	for c, err := range r.All() {
		if problem, ok := errors.AsType[*transcript.Problem](err); ok {
			unreadable(problem)
			continue
		}
		if err != nil {
			return usage(err)
		}
		if err := each(c); err != nil {
			return err
		}
	}
	return nil
}

// eachLog opens the logs one after the other and gives a reader of each to f.
func (a *app) eachLog(ctx context.Context, paths []string, flags *readFlags,
	f func(input.Log, *transcript.Reader) error) error {
	logs, err := a.openLogs(paths)
	if err != nil {
		return err
	}
	opts, err := flags.options()
	if err != nil {
		return err
	}
	opts.IDs = &transcript.IDs{}
	for _, log := range logs {
		if err := a.withLog(ctx, log, opts, f); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) withLog(ctx context.Context, log input.Log, opts transcript.Options,
	f func(input.Log, *transcript.Reader) error) error {
	in, err := log.Open()
	if err != nil {
		return usage(err)
	}
	defer in.Close()
	if log.Gold != nil {
		gold, err := log.Gold()
		if err != nil {
			return usage(err)
		}
		defer gold.Close()
		opts.Gold = gold
	}
	return f(log, transcript.Open(ctx, log.Name, in, opts))
}

func logsInspectCommand(a *app) *cobra.Command {
	var flags readFlags
	var asJSON, each bool
	cmd := newCommand("inspect LOG...", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		if each {
			return a.oddities(ctx, args, &flags)
		}
		var total transcript.Summary
		var failed error
		err := a.eachLog(ctx, args, &flags, func(log input.Log, r *transcript.Reader) error {
			err := total.Read(r)
			if err != nil && failed == nil {
				failed = err
			}
			return a.guess(ctx, log, err, &total)
		})
		if err != nil {
			return err
		}
		if asJSON {
			err = writeJSON(a.out, total)
		} else {
			err = writeText(a.out, "inspect", &total)
		}
		if failed != nil {
			return usage(failed)
		}
		return err
	})
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	cmd.Flags().BoolVar(&each, "oddities", false,
		"name every oddity and every unreadable record, one a line, instead of counting them")
	return cmd
}

// guess adds what an unknown log seems to hold to the summary of it, with a mapping that was
// tried.
func (a *app) guess(ctx context.Context, log input.Log, failed error, s *transcript.Summary) error {
	unknown, ok := errors.AsType[*transcript.FormatError](failed)
	if !ok || unknown.Format != "" {
		return nil
	}
	in, err := log.Open()
	if err != nil {
		return usage(err)
	}
	g, err := transcript.GuessLog(log.Name, in)
	in.Close()
	if err != nil || g == nil {
		return nil // the file is not readable as anything: that was said
	}
	s.Files[len(s.Files)-1].Guess = g
	if g.Map == nil {
		return nil
	}
	mapping, err := transcript.ParseMapping(g.Map)
	if err != nil {
		return err
	}
	return a.withLog(ctx, log, transcript.Options{Map: mapping}, func(_ input.Log, r *transcript.Reader) error {
		var tried transcript.Summary
		tried.Read(r)
		if tried.Conversations == 0 {
			g.Map = nil
			return nil
		}
		g.Conversations, g.Messages, g.Calls = tried.Conversations, tried.Messages, tried.Calls
		return nil
	})
}

// oddities names everything that is odd about logs, one line each: place, kind and
// what was seen.
func (a *app) oddities(ctx context.Context, paths []string, flags *readFlags) error {
	out := bufio.NewWriter(a.out)
	err := a.eachLog(ctx, paths, flags, func(_ input.Log, r *transcript.Reader) error {
		return conversations(r, func(p *transcript.Problem) {
			fmt.Fprintf(out, "%s: unreadable: %s\n", visible(p.Source.String()),
				visible(strings.TrimPrefix(p.Error(), p.Source.String()+": ")))
		}, func(c *transcript.Conversation) error {
			for _, n := range c.Notes {
				fmt.Fprintf(out, "%s: %s: %s\n", visible(n.Place), n.Kind, visible(n.Detail))
			}
			return nil
		})
	})
	return errors.Join(err, out.Flush())
}

func logsConvertCommand(a *app) *cobra.Command {
	var flags readFlags
	var to string
	writers := map[string]func(io.Writer, *transcript.Conversation) error{
		"native": transcript.WriteNative, "openai": transcript.WriteOpenAI,
	}
	cmd := newCommand("convert LOG...", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		write := writers[to]
		if write == nil {
			return usagef("--to %s: known are native, openai", to)
		}
		out := bufio.NewWriterSize(a.out, 1<<16)
		unreadable := 0
		err := a.eachLog(ctx, args, &flags, func(_ input.Log, r *transcript.Reader) error {
			return conversations(r, func(p *transcript.Problem) {
				unreadable++
				fmt.Fprintf(a.err, "judge: %v\n", p)
			}, func(c *transcript.Conversation) error { return write(out, c) })
		})
		if flushErr := out.Flush(); err == nil {
			err = flushErr
		}
		if err == nil && unreadable > 0 {
			return usagef("%d records could not be read; everything else was converted", unreadable)
		}
		return err
	})
	flags.add(cmd)
	cmd.Flags().StringVar(&to, "to", "native", "what to write: native, openai")
	complete(cmd, "to", "native", "openai")
	return cmd
}
