package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/report/document"
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
			err = printSummary(a.out, &total)
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

// printGuess writes what an unknown log seems to hold, and the mapping to try.
func printGuess(out io.Writer, file string, g *transcript.Guess) {
	for _, key := range g.Keys {
		fmt.Fprintf(out, "    %s\n", key)
	}
	for _, found := range g.Found {
		fmt.Fprintf(out, "  %s\n", found)
	}
	if g.Map == nil {
		fmt.Fprintf(out, "  say where they are: --map messages=$.path.to[*].messages; docs/logs.md lists what --map takes\n")
		return
	}
	fmt.Fprintf(out, "  this reads %d conversations with %d messages and %d calls:\n    judge logs inspect %s",
		g.Conversations, g.Messages, g.Calls, document.ShellWord(file))
	for _, target := range slices.Sorted(maps.Keys(g.Map)) {
		fmt.Fprintf(out, " --map %s", document.ShellWord(target+"="+g.Map[target]))
	}
	fmt.Fprintln(out)
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

func printSummary(w io.Writer, s *transcript.Summary) error {
	var b strings.Builder
	out := &b
	for _, f := range s.Files {
		fmt.Fprintf(out, "%s: %s, %d conversations, %d calls", f.File, cmp.Or(f.Format, "unknown format"),
			f.Conversations, f.Calls)
		if f.Unreadable > 0 {
			fmt.Fprintf(out, ", %d records unreadable", f.Unreadable)
		}
		if f.Error != "" {
			fmt.Fprintf(out, "; stopped: %s", f.Error)
		}
		fmt.Fprintln(out)
		printDetection(out, &f)
	}
	fmt.Fprintf(out, "\n%d conversations, %d messages, %d calls%s, %d results\n", s.Conversations, s.Messages,
		s.Calls, counts(s.CallsBy), s.Results)
	fmt.Fprintf(out, "pairing%s; %d results marked as errors\n", counts(s.Paired), s.ErrorResults)
	ofUser := ""
	if s.ExpectedOfUser > 0 {
		ofUser = fmt.Sprintf(", %d of them the user's", s.ExpectedOfUser)
	}
	if s.WithoutContent > 0 {
		fmt.Fprintf(out, "%d of %d conversations have no message content\n", s.WithoutContent, s.Conversations)
	}
	fmt.Fprintf(out, "%d conversations with expected calls (%d calls%s, %d negative cases); labels%s\n",
		s.WithExpected, s.Expected, ofUser, s.Negative, counts(s.Labels))
	printTools(out, s)
	if len(s.Notes) > 0 {
		fmt.Fprintf(out, "\noddities:\n")
	}
	for _, n := range s.Notes {
		place := ""
		if len(n.Places) > 0 {
			place = "first at " + n.Places[0]
		}
		fmt.Fprintf(out, "  %-28s %7d  %s\n", n.Kind, n.Count, place)
	}
	if len(s.Problems) > 0 {
		fmt.Fprintf(out, "\nunreadable (%d):\n", s.Unreadable)
	}
	for _, p := range s.Problems {
		fmt.Fprintf(out, "  %s\n", p)
	}
	if left := s.Unreadable - len(s.Problems); left > 0 && len(s.Problems) > 0 {
		fmt.Fprintf(out, "  and %d more\n", left)
	}
	_, err := io.WriteString(plain(w), b.String())
	return err
}

// printDetection says by what the format of a file was recognised and what was left out of
// it.
func printDetection(out io.Writer, f *transcript.FileSummary) {
	if f.Evidence != "" {
		fmt.Fprintf(out, "  recognised by: %s", f.Evidence)
		if len(f.Also) > 0 {
			fmt.Fprintf(out, "; it also fits %s (--input-format)", strings.Join(f.Also, ", "))
		}
		fmt.Fprintln(out)
	}
	if f.Guess != nil {
		fmt.Fprintln(out, "  its first record holds:")
		printGuess(out, f.File, f.Guess)
	}
	if len(f.Dropped) > 0 {
		fmt.Fprintf(out, "  left out%s\n", counts(f.Dropped))
	}
}

func printTools(out io.Writer, s *transcript.Summary) {
	if len(s.Tools) > 0 {
		fmt.Fprintf(out, "\ntools:\n")
	}
	for _, t := range s.Tools {
		fmt.Fprintf(out, "  %-40s %7d calls", t.Name, t.Calls)
		if t.Malformed > 0 {
			fmt.Fprintf(out, ", %d malformed", t.Malformed)
		}
		if !t.Listed && s.WithTools > 0 {
			fmt.Fprint(out, ", in no inventory")
		}
		if m := t.Material; s.WithExpected > 0 {
			fmt.Fprintf(out, "; labelled: %d positive, %d negative, %d recovery", m.Positive, m.Negative, m.Recovery)
			if missing := m.Missing(); len(missing) > 0 {
				fmt.Fprintf(out, " (missing: %s)", strings.Join(missing, ", "))
			}
		}
		fmt.Fprintln(out)
	}
}

func counts(list []transcript.Count) string {
	var b strings.Builder
	for _, c := range list {
		fmt.Fprintf(&b, ", %s %d", c.Name, c.Count)
	}
	if b.Len() == 0 {
		return ": none"
	}
	return ":" + b.String()[1:]
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
