package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/value"
)

// perConversation is the number of calls per conversation to draw for labelling; 0 means all.
type perConversation int

func (n *perConversation) add(flags *pflag.FlagSet, before string) {
	*n = 2
	flags.Var(n, "calls-per-conversation", before+"how many random calls to label of each conversation, or all")
}

func (n *perConversation) String() string {
	if *n == 0 {
		return "all"
	}
	return strconv.Itoa(int(*n))
}

func (n *perConversation) Set(text string) error {
	if text == "all" {
		*n = 0
		return nil
	}
	calls, err := strconv.Atoi(text)
	if err != nil || calls < 1 {
		return errors.New("it must be a number from 1 on, or all")
	}
	*n = perConversation(calls)
	return nil
}

func (n *perConversation) Type() string { return "N|all" }

func (a *app) labelSheet(ctx context.Context, dir string, f *calibrateFlags) error {
	if f.calls < 1 || f.queue < 0 {
		return usagef("--n must be at least 1, --queue at least 0")
	}
	if _, err := os.Stat(f.sheet); !errors.Is(err, fs.ErrNotExist) && !f.force {
		return usagef("%s exists and may hold labels: choose another name, or overwrite it "+
			"with --force", f.sheet)
	}
	path, err := filepath.Abs(f.sheet) // reading the logs may change the directory
	if err != nil {
		return err
	}
	r, err := a.recorded(dir)
	if err != nil {
		return err
	}
	cfg := measure.SheetConfig{Calls: f.calls, Queue: f.queue, PerConversation: int(f.each), Seed: f.seed}
	if f.queue == 0 {
		cfg.Queue = -1
	}
	sheet, err := run.Sheet(ctx, r.dir, r.logs, cfg)
	if err != nil {
		return usage(err)
	}
	if len(sheet.Rows) == 0 {
		return usagef("%s: no judge scored a call: there is nothing to label", dir)
	}
	own := sheet.Own
	if f.byRubric {
		own = sheet.Rubrics
	}
	var b bytes.Buffer
	if err := measure.WriteSheet(&b, sheet.Rows, own); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		return usage(err)
	}
	a.sheetWritten(dir, f, sheet)
	return nil
}

// sheetWritten tells the user what to do with a sheet.
func (a *app) sheetWritten(dir string, f *calibrateFlags, sheet *run.LabelSheet) {
	random := 0
	for _, r := range sheet.Rows {
		if r.Sample == measure.RandomSample {
			random++
		}
	}
	if sheet.LogProblem != "" {
		fmt.Fprintf(a.err, "judge: the column call is empty: %s\n", sheet.LogProblem)
	}
	columns := "the column label"
	switch {
	case f.byRubric:
		columns = "the column label for the call as a whole, and into those of the rubrics"
	case len(sheet.Own) > 0:
		columns = "the column label for calls as a whole, and an answer or not_applicable into " +
			strings.Join(sheet.Own, ", ") + " on the rows of their items"
	}
	items := "calls"
	if len(sheet.Own) > 0 {
		items = "items"
	}
	fmt.Fprintf(a.err, `judge: wrote %s: %d %s drawn at random and %d disagreements.
read one with what went before, and without what the judge said:
  judge show %s %s --blind
write pass or fail into %s, then:
  judge calibrate %s --labels %s
`, f.sheet, random, items, len(sheet.Rows)-random, dir, value.VisibleLine(sheet.Rows[0].Item().String()),
		columns, dir, f.sheet)
}
