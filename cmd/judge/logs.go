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
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

// readFlags are the flags that say how logs are read.
type readFlags struct {
	// given holds the flags under the keys of judge.yaml.
	given config.Config
}

func (f *readFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.given.InputFormat, "input-format", "",
		"log format (default: detected); mapped accepts what --map reads even if it looks suspect: "+
			strings.Join(format.Formats(), ", "))
	cmd.Flags().Func("map", "target=JSONPath: where a log of unknown format keeps its messages, tools, labels …, such "+
		"as messages=$.events[*].msg (docs/logs.md)", f.mapTo)
	cmd.Flags().StringVar(&f.given.Tools, "tools", "",
		"file with tool definitions for logs without them: a list, an OpenAPI 3 document, or an MCP tools/list reply")
	cmd.Flags().BoolVar(&f.given.IncludeTextCalls, "include-text-calls", false,
		"read calls that agents wrote as text (Action:, <tool_call>, f(x=1) …; docs/logs.md, Calls in texts)")
	complete(cmd, "input-format", format.Formats()...)
}

// mapTo parses one --map flag.
func (f *readFlags) mapTo(text string) error {
	target, path, ok := strings.Cut(text, "=")
	if !ok || path == "" {
		return errors.New("want target=path, such as messages=$.events[*].msg")
	}
	if f.given.Map == nil {
		f.given.Map = map[string]string{}
	}
	f.given.Map[target] = path
	return nil
}

func (f *readFlags) options(note func(line string)) (o format.Options, err error) {
	if o, err = logOptions(&f.given); err == nil {
		o.Tools, err = readTools(f.given.Tools, note)
	}
	return o, err
}

// logOptions returns how a configuration wants logs read, without the tools.
func logOptions(c *config.Config) (format.Options, error) {
	o := format.Options{Format: c.InputFormat, TextCalls: c.IncludeTextCalls}
	switch by := o.Format; {
	case by == format.Mapped && len(c.Map) == 0:
		return o, usagef("--input-format mapped accepts what --map reads, and needs --map")
	case by != "" && by != format.Mapped && len(c.Map) > 0:
		return o, usagef("--map and --input-format cannot be combined")
	case by != "" && by != format.Mapped && !slices.Contains(format.Formats(), by):
		return o, usagef("input-format %q: known are %s", o.Format, strings.Join(format.Formats(), ", "))
	}
	if len(c.Map) == 0 {
		return o, nil
	}
	var err error
	if o.Map, err = format.ParseMapping(c.Map); err != nil {
		return o, usagef("--map %v", err)
	}
	return o, nil
}

// source reads logs as the flags say.
func (a *app) source(paths []string, flags *readFlags) (*input.Source, error) {
	logs, err := a.openLogs(paths, "")
	if err != nil {
		return nil, err
	}
	opts, err := flags.options(a.note)
	return &input.Source{Logs: logs, Options: opts}, err
}

// eachLog opens the logs in turn and gives a reader of each to f.
func (a *app) eachLog(ctx context.Context, paths []string, flags *readFlags,
	f func(input.Log, *format.Reader) error) error {
	source, err := a.source(paths, flags)
	if err != nil {
		return err
	}
	source.Options.IDs = &format.IDs{}
	for _, log := range source.Logs {
		if err := a.withLog(ctx, log, source.Options, f); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) withLog(ctx context.Context, log input.Log, opts format.Options,
	f func(input.Log, *format.Reader) error) error {
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
	return f(log, format.Open(ctx, log.Name, in, opts))
}

func logsInspectCommand(a *app) *cobra.Command {
	var flags readFlags
	var asJSON, each bool
	cmd := newCommand("inspect LOG...", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		if each {
			return a.oddities(ctx, args, &flags)
		}
		var total format.Summary
		var failed error
		err := a.eachLog(ctx, args, &flags, func(log input.Log, r *format.Reader) error {
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
		switch {
		case failed != nil:
			return usage(transcript.WithoutAdvice(failed))
		case err == nil && total.Conversations == 0:
			return errNoConversation(args)
		}
		return err
	})
	flags.add(cmd)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	cmd.Flags().BoolVar(&each, "oddities", false,
		"list every oddity and every unreadable record, one a line, instead of counting them")
	return cmd
}

// errNoConversation is returned for logs that were read to the end without a conversation.
func errNoConversation(paths []string) error {
	return usagef("no conversation in %s", words.Some(paths, shownProblems))
}

// noteEmpty lists the empty logs among several.
func (a *app) noteEmpty(r *input.Reading) {
	if n := len(r.Empty); n > 0 {
		a.note(words.Count(n, "log is empty", "logs are empty") + ": " + words.Some(r.Empty, shownProblems))
	}
}

// guess adds to the summary what an unknown log seems to contain, with a mapping that it has
// tried.
func (a *app) guess(ctx context.Context, log input.Log, failed error, s *format.Summary) error {
	unknown, ok := errors.AsType[*transcript.FormatError](failed)
	if !ok || unknown.Format != "" {
		return nil
	}
	in, err := log.Open()
	if err != nil {
		return usage(err)
	}
	g, err := format.GuessLog(log.Name, in)
	in.Close()
	if err != nil || g == nil {
		return nil // not readable as anything, which the summary says already
	}
	s.Files[len(s.Files)-1].Guess = g
	if in, err = log.Open(); err != nil {
		return usage(err)
	}
	defer in.Close()
	return g.Try(ctx, log.Name, in)
}

// oddities lists everything odd about logs, one line each: place, kind and detail.
func (a *app) oddities(ctx context.Context, paths []string, flags *readFlags) (err error) {
	source, err := a.source(paths, flags)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(a.out)
	defer func() { err = errors.Join(err, out.Flush()) }()
	source.Problem = func(err error) {
		if p, ok := errors.AsType[*transcript.Problem](err); ok {
			place := p.Source.String()
			fmt.Fprintf(out, "%s: unreadable: %s\n", value.VisibleLine(place),
				value.VisibleLine(strings.TrimPrefix(p.Error(), place+": ")))
		}
	}
	reading := &input.Reading{}
	for c, err := range source.Conversations(ctx, reading) {
		if err != nil {
			return usage(err)
		}
		for _, n := range c.Notes {
			fmt.Fprintf(out, "%s: %s: %s\n", value.VisibleLine(n.Place), n.Kind, value.VisibleLine(n.Detail))
		}
	}
	return a.checkRead(paths, reading)
}

// checkRead returns an error if the logs had no conversation, and lists the empty ones among
// them.
func (a *app) checkRead(paths []string, r *input.Reading) error {
	if r.Conversations == 0 {
		return errNoConversation(paths)
	}
	a.noteEmpty(r)
	return nil
}

// conversationWriters has a function for each format of judge logs convert.
var conversationWriters = map[string]func(io.Writer, *transcript.Conversation) error{
	"native": transcript.WriteNative, "openai": transcript.WriteOpenAI,
}

func logsConvertCommand(a *app) *cobra.Command {
	var flags readFlags
	var to string
	cmd := newCommand("convert LOG...", cobra.MinimumNArgs(1), func(ctx context.Context, args []string) error {
		return a.convert(ctx, args, &flags, to)
	})
	flags.add(cmd)
	cmd.Flags().StringVar(&to, "to", "native", "what to write: native, openai")
	complete(cmd, "to", "native", "openai")
	return cmd
}

// convert writes logs in another format and reports records that cannot be read.
func (a *app) convert(ctx context.Context, paths []string, flags *readFlags, to string) error {
	write := conversationWriters[to]
	if write == nil {
		return usagef("--to %s: known are native, openai", to)
	}
	source, err := a.source(paths, flags)
	if err != nil {
		return err
	}
	source.Problem = func(err error) { fmt.Fprintf(a.err, "judge: %v\n", err) }
	out, reading := bufio.NewWriterSize(value.VisibleJSONWriter(a.out), 1<<16), &input.Reading{}
	defer out.Flush() // write what precedes an error
	for c, err := range source.Conversations(ctx, reading) {
		if err != nil {
			return usage(err)
		}
		if err := write(out, c); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if reading.Unreadable > 0 {
		return usagef("%d records could not be read; all others were converted", reading.Unreadable)
	}
	return a.checkRead(paths, reading)
}
