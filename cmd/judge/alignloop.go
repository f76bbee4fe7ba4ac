package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run"
)

// alignLoop writes a sheet of what to label next for aligning: calls that the old and the new rubric
// decide differently.
func (a *app) alignLoop(ctx context.Context, dir string, f *alignFlags) error {
	if f.loop == "" || f.sheet == "" || f.n < 1 {
		return usagef("give both --loop RUN, a run by the new rubric, and --sheet FILE, and an --n of at least 1")
	}
	if _, err := os.Stat(f.sheet); !errors.Is(err, fs.ErrNotExist) {
		return usagef("%s exists and may hold labels: choose another name", f.sheet)
	}
	path, err := filepath.Abs(f.sheet) // reading the logs may change the directory
	if err != nil {
		return err
	}
	later, err := filepath.Abs(runDirectory(f.loop))
	if err != nil {
		return err
	}
	r, err := a.recorded(dir)
	if err != nil {
		return err
	}
	rows, err := run.Changed(ctx, r.dir, later, f.rubric, r.logs, f.n)
	if err != nil {
		return usage(err)
	}
	if len(rows) == 0 {
		return usagef("%s and %s decide all calls alike by %s, or all of these have labels", dir, f.loop, f.rubric)
	}
	var b bytes.Buffer
	if err := measure.WriteSheet(&b, rows, nil); err != nil {
		return err
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		return usage(err)
	}
	fmt.Fprintf(a.err, "judge: wrote %s with %s that the two runs decide differently. They are no sample: what you write "+
		"there teaches, and nothing is chosen, tested or estimated by it. Then: judge align %s --labels %s --labels %s\n",
		f.sheet, words.Counted(len(rows), "call"), dir, filepath.Join(dir, "labels.jsonl"), f.sheet)
	return nil
}
