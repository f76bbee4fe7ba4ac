package main

import (
	"bufio"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/value"
)

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
		return usagef("%s could not be read; all others were converted", words.Counted(reading.Unreadable, "record"))
	}
	return a.checkRead(paths, reading)
}
