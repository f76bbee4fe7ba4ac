package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/spelling"
)

// agreeFlags are the flags of judge agree.
type agreeFlags struct {
	cfg measure.AgreeConfig
	output
}

func agreeCommand(a *app) *cobra.Command {
	var f agreeFlags
	cmd := newCommand("agree TABLE --judge COLUMN... [--gold COLUMN]", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) error {
			return a.agree(ctx, args[0], &f)
		})
	f.add(cmd)
	return cmd
}

func (f *agreeFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.cfg.Gold, "gold", "", "column to compare with")
	flags.StringArrayVar(&f.cfg.Judges, "judge", nil, "column of a judge; give it again for more, or use *")
	flags.StringArrayVar(&f.cfg.People, "person", nil,
		"column of one person's labels; give it for two or more to compare judges with people")
	flags.StringArrayVar(&f.cfg.Confidence, "confidence", nil, "column with the judge's confidence in 0..1")
	flags.StringVar(&f.cfg.Cluster, "cluster", "",
		"column whose value groups rows that belong together, such as the conversation")
	flags.StringArrayVar(&f.cfg.By, "by", nil, "column to split by, such as the tool; give it again for more tables")
	flags.StringVar(&f.cfg.Scale, "scale", "", "nominal, ordinal or interval")
	flags.StringSliceVar(&f.cfg.Categories, "categories", nil, "the declared scale in order: a,b,c or 1..5")
	flags.Func("threshold", "numbers that pass: X for X or more, or LOW..HIGH", func(text string) (err error) {
		f.cfg.Threshold, err = measure.ParseCut(text)
		return err
	})
	flags.Func("gold-threshold", "the same for gold, if it differs", func(text string) (err error) {
		f.cfg.GoldThreshold, err = measure.ParseCut(text)
		return err
	})
	flags.StringSliceVar(&f.cfg.Positive, "positive", nil, "words that pass; every other word fails")
	addParsed(cmd, &f.cfg.Map, "map", "pass=WORDS, fail=WORDS or missing=WORDS", measure.ParseMapping)
	flags.Func("unknown", "what an undeclared word means: error (default) or missing", f.takeUnknown)
	flags.StringSliceVar(&f.cfg.Missing, "missing", nil, "more words that mean a missing value")
	flags.Float64Var(&f.cfg.Alpha, "alpha", 0.05, "error rate of the intervals")
	flags.IntVar(&f.cfg.SmallN, "small", 30, "mark strata with fewer items than this")
	flags.StringVar(&f.cfg.Format, "input-format", "", "csv, tsv, jsonl or json (default: detected)")
	flags.StringVar(&f.cfg.Rows, "rows", "", "path of the list of rows inside a JSON document")
	f.output.add(cmd, render.TextFormat, render.JSONFormat, render.MarkdownFormat)
	complete(cmd, "scale", measure.Nominal, measure.Ordinal, measure.Interval)
	complete(cmd, "unknown", "error", "missing")
	complete(cmd, "input-format", "csv", "tsv", "jsonl", "json")
}

// takeUnknown sets what an undeclared word means.
func (f *agreeFlags) takeUnknown(word string) error {
	if word != "error" && word != "missing" {
		return fmt.Errorf("unknown %q: want error or missing", word)
	}
	f.cfg.UnknownMissing = word == "missing"
	return nil
}

// agree compares the columns and prints the report. Bad rows do not stop it but make the exit
// code 2.
func (a *app) agree(ctx context.Context, name string, f *agreeFlags) error {
	in, err := a.openTable(name)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := measure.Agree(name, untilDone{ctx, in}, f.cfg)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return usage(err)
	}
	if err := render.Columns(a.outFor(f.format), r, f.format, a.look(&f.output, "")); err != nil {
		return err
	}
	if r.Table.Unreadable > 0 {
		return usagef("rows that could not be read: %d, the others were compared; the first: %s",
			r.Table.Unreadable, strings.Join(r.Table.Problems[:1], ""))
	}
	return nil
}

func (a *app) openTable(name string) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(a.in), nil
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("table %s: no such file%s", name, spelling.MeantFile(name))
	}
	if err != nil {
		return nil, usage(err)
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, usagef("table %s: is a folder; name a file", name)
	}
	return file, nil
}

// untilDone stops reading when the context ends.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
