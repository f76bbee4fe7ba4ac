package main

import (
	"bufio"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report/itemtable"
	"github.com/judgekit/judge/internal/report/otel"
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

// otelFormat writes verdicts, not a report.
const otelFormat render.Format = "otel"

// otelFlags say what --format otel writes.
type otelFlags struct {
	explanations, experimental string
}

func (f *otelFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.explanations, "otel-explanations", "on",
		"off leaves the judges' reasons, which may quote users, out of --format otel")
	cmd.Flags().StringVar(&f.experimental, "otel-experimental", "on",
		"off leaves attributes that OpenTelemetry has only proposed out of --format otel")
}

// verdicts writes the verdicts of a run as OpenTelemetry events, as they were recorded.
func (a *app) verdicts(dir string, f *reportFlags) error {
	for name, s := range map[string]string{"explanations": f.otel.explanations, "experimental": f.otel.experimental} {
		if s != "on" && s != "off" {
			return usagef("--otel-%s %s: it is on or off", name, s)
		}
	}
	if err := f.asRecorded("verdicts"); err != nil {
		return err
	}
	m, err := directory.ReadManifest(dir)
	if err != nil {
		return usage(err)
	}
	spans, err := directory.Spans(dir, m.RunID)
	if err != nil {
		return usage(err)
	}
	made := m.Started
	if m.Ended != nil {
		made = *m.Ended
	}
	out := bufio.NewWriter(a.out)
	err = otel.Write(out, directory.Scores(dir), otel.Config{
		Run: m.Manifest, Time: made, Span: spans,
		NoExplanations: f.otel.explanations == "off", Experimental: f.otel.experimental == "on",
	})
	if err != nil {
		return usage(err)
	}
	return out.Flush()
}
