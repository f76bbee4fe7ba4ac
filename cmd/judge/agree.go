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

	"github.com/judgekit/judge/internal/report/columns"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/report/render"
)

// agreeFlags are the flags of judge agree as they were typed.
type agreeFlags struct {
	cfg                      columns.Config
	threshold, goldThreshold string
	maps                     []string
	unknown                  string
	output
}

const agreeHelp = `compare columns of any table: a judge with gold labels, or judges with each other.

TABLE is CSV or TSV with a header, JSON lines, or a JSON document with a list of
rows (--rows PATH), plain or gzipped; "-" is standard input. Columns of JSON are
paths with dots, such as judges.gpt-4o.reward; a * stands for any text.

What the columns mean is declared, never guessed in silence:

  verdicts    words such as pass/fail, true/false, yes/no, success/failure, 1/0.
              Other words: --map pass=satisfied,compliant --map fail=violated,
              or --positive WORDS, and every other word fails. A word with * is a
              pattern: --map 'pass=*success*' --map 'fail=*'.
  categories  --categories 1..5 or --categories poor,fair,good, with --scale
              nominal or ordinal (numbers are ordinal unless said otherwise).
  numbers     everything else; --threshold says which of them pass.

An empty cell, null, NA, N/A, NaN and None are missing: the row is left out of the
comparison and counted. A word that is not declared is an error with its line; with
--unknown missing it is missing.

Name the conversation of each call with --cluster: without it every interval takes
rows as independent and is too short.

Judges are ranked by Youden's J (categories by kappa) and never by accuracy, with paired
differences; from three on with two panels of them: most, and any that fails. Without
--gold they are ranked by Dawid and Skene's model of their votes: an order, and no measure of
how good anyone is. With --person for two people or more each judge's agreement with them is
compared with theirs with each other.

A number that is undefined prints as – with its reason. With rows that cannot be
read the rest is compared and the exit code is 2.`

func agreeCommand(a *app) *cobra.Command {
	var f agreeFlags
	cmd := &cobra.Command{
		Use:   "agree TABLE --judge COLUMN... [--gold COLUMN]",
		Short: "compare two or more columns of a table: agreement, kappa, recall of wrong items",
		Long:  agreeHelp,
		Example: `  judge agree fixtures/tables/verdicts.csv --gold human --judge strict --judge lenient --cluster conversation --by tool
  judge agree fixtures/tables/scores.jsonl --gold label.pass --judge scores.gpt-4.1.overall --threshold 0.7 --cluster conversation
  judge agree fixtures/tables/verdicts.csv --judge strict --judge lenient --cluster conversation --json
  judge agree labels.csv --person ann --person bob --judge model --cluster conversation`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.agree(cmd.Context(), args[0], &f)
		},
	}
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
		"column that says which rows belong together, such as the conversation")
	flags.StringArrayVar(&f.cfg.By, "by", nil, "column to split by, such as the tool; give it again for more tables")
	flags.StringVar(&f.cfg.Scale, "scale", "", "nominal, ordinal or interval")
	flags.StringSliceVar(&f.cfg.Categories, "categories", nil, "the declared scale in order: a,b,c or 1..5")
	flags.StringVar(&f.threshold, "threshold", "", "numbers that pass: X for X or more, or LOW..HIGH")
	flags.StringVar(&f.goldThreshold, "gold-threshold", "", "the same for gold, where it differs")
	flags.StringSliceVar(&f.cfg.Positive, "positive", nil, "words that pass; every other word fails")
	flags.StringArrayVar(&f.maps, "map", nil, "pass=WORDS, fail=WORDS or missing=WORDS")
	flags.StringVar(&f.unknown, "unknown", "error", "words that are not declared: error or missing")
	flags.StringSliceVar(&f.cfg.Missing, "missing", nil, "more words for a missing value")
	flags.Float64Var(&f.cfg.Alpha, "alpha", 0.05, "error rate of the intervals")
	flags.IntVar(&f.cfg.SmallN, "small", 30, "strata with fewer items are marked")
	flags.StringVar(&f.cfg.Format, "input-format", "", "csv, tsv, jsonl or json instead of finding out")
	flags.StringVar(&f.cfg.Rows, "rows", "", "path of the list of rows inside a JSON document")
	f.output.add(cmd, render.TextFormat, render.JSONFormat, render.MarkdownFormat)
	complete(cmd, "scale", columns.Nominal, columns.Ordinal, columns.Interval)
	complete(cmd, "unknown", "error", "missing")
	complete(cmd, "input-format", "csv", "tsv", "jsonl", "json")
}

// config turns the flags into a configuration.
func (f *agreeFlags) config() (columns.Config, error) {
	c := f.cfg
	for _, text := range f.maps {
		m, err := columns.ParseMapping(text)
		if err != nil {
			return c, err
		}
		c.Map = append(c.Map, m)
	}
	for _, cut := range []struct {
		text string
		into **columns.Cut
	}{{f.threshold, &c.Threshold}, {f.goldThreshold, &c.GoldThreshold}} {
		if cut.text == "" {
			continue
		}
		parsed, err := columns.ParseCut(cut.text)
		if err != nil {
			return c, err
		}
		*cut.into = parsed
	}
	switch f.unknown {
	case "error":
	case "missing":
		c.UnknownMissing = true
	default:
		return c, fmt.Errorf("unknown %q: want error or missing", f.unknown)
	}
	return c, nil
}

// agree compares the columns and prints the report. Bad rows do not stop it, but they
// make the exit code 2.
func (a *app) agree(ctx context.Context, name string, f *agreeFlags) error {
	cfg, err := f.config()
	if err != nil {
		return usage(err)
	}
	in, err := a.openTable(name)
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := columns.Compare(name, untilDone{ctx, in}, cfg)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return usage(err)
	}
	d := func() *document.Document { return r.Document(f.details) }
	if err := render.Document(a.outFor(f.format), r, d, f.format, a.look(&f.output, "")); err != nil {
		return err
	}
	if r.Table.Unreadable > 0 {
		return usagef("%d rows could not be read; everything else was compared; the first: %s",
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
		return nil, usagef("table %s: no such file", name)
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

// untilDone ends reading when the context does.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
