package main

import (
	"bufio"

	"github.com/judgekit/judge/internal/report/itemtable"
	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run/directory"
)

// The formats that write the scores of a run as a table, not a report.
const (
	itemsCSV     render.Format = "items-csv"
	itemsParquet render.Format = "items-parquet"
)

// items writes a row per item and score, as they were recorded.
func (a *app) items(dir string, f *reportFlags) error {
	if err := f.asRecorded("scores"); err != nil {
		return err
	}
	m, err := directory.ReadManifest(dir)
	if err != nil {
		return usage(err)
	}
	if f.format == itemsParquet && a.outTerminal {
		return usagef("--format %s writes binary data: send it to a file", f.format)
	}
	out := bufio.NewWriter(a.out)
	write := itemtable.WriteCSV
	if f.format == itemsParquet {
		write = itemtable.WriteParquet
	}
	if err := write(out, m.RunID, directory.Scores(dir)); err != nil {
		return usage(err)
	}
	return out.Flush()
}
