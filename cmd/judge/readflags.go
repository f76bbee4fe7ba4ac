package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/config"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript/format"
)

// readFlags holds the flags that say how to read logs.
type readFlags struct {
	// given holds the flags under the keys of judge.yaml.
	given config.Config
}

func (f *readFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.given.InputFormat, "input-format", "",
		"log format (default: detected): native, openai-chat, claude-code … (judge logs inspect --help has all); "+
			"mapped accepts what --map reads even if it looks suspect")
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

// logOptions returns how a configuration says to read logs, without the tools.
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

// source returns a reader of logs with the settings of the flags.
func (a *app) source(paths []string, flags *readFlags) (*input.Source, error) {
	logs, err := a.openLogs(paths, "")
	if err != nil {
		return nil, err
	}
	opts, err := flags.options(a.note)
	return &input.Source{Logs: logs, Options: opts}, err
}

// eachLog opens the logs one after another and passes a reader of each to f.
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
