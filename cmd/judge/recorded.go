package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/judgekit/judge/internal/report/render"
	"github.com/judgekit/judge/internal/run"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/value"
)

// These formats write recorded data instead of a report: the scores or people's labels as a table,
// or the verdicts as OpenTelemetry events.
const (
	labelsCSV    render.Format = "labels-csv"
	itemsCSV     render.Format = "items-csv"
	itemsParquet render.Format = "items-parquet"
	otelFormat   render.Format = "otel"
)

// otelFlags holds the flags of --format otel.
type otelFlags struct {
	explanations, experimental string
}

func (f *otelFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.explanations, "otel-explanations", "on",
		"off omits the judges' reasons, which may quote users, from --format otel")
	cmd.Flags().StringVar(&f.experimental, "otel-experimental", "on",
		"off omits attributes that OpenTelemetry has only proposed from --format otel")
}

// writeRecorded writes the scores of a run in one of the formats above.
func (a *app) writeRecorded(dir string, f *reportFlags) error {
	if f.gold != "" || f.against != "" || f.calibrated != "" || len(f.thresholds) > 0 || f.write || f.nameGroups != "" {
		return usagef("--format %s writes what was recorded: it goes with no threshold, calibration, "+
			"gold, against, write or name-groups", f.format)
	}
	m, err := directory.ReadManifest(dir)
	if err != nil {
		return usage(err)
	}
	out := bufio.NewWriter(a.out)
	switch {
	case f.format == otelFormat:
		err = f.otel.write(value.VisibleJSONWriter(out), dir, m)
	case f.format == labelsCSV:
		err = a.writeLabels(out, dir, m.RunID)
	case f.format == itemsCSV:
		err = render.ItemsCSV(out, m.RunID, directory.Scores(dir))
	case a.outTerminal:
		err = fmt.Errorf("--format %s writes binary data: send it to a file", f.format)
	default:
		err = render.ItemsParquet(out, m.RunID, directory.Scores(dir))
	}
	if err != nil {
		return usage(err)
	}
	return out.Flush()
}

// writeLabels writes the labels that people gave to a run.
func (a *app) writeLabels(w io.Writer, dir, runID string) error {
	set, err := run.ReadLabels(dir, runID)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s has no labels: label calls with\n  judge view %s", dir, dir)
	}
	if err != nil {
		return err
	}
	for _, p := range set.Problems() {
		a.note(p)
	}
	return render.LabelsCSV(w, runID, set)
}

// write writes the verdicts of a run.
func (f *otelFlags) write(w io.Writer, dir string, m *directory.Manifest) error {
	for name, s := range map[string]string{"explanations": f.explanations, "experimental": f.experimental} {
		if s != "on" && s != "off" {
			return fmt.Errorf("--otel-%s %s: want on or off", name, s)
		}
	}
	spans, err := directory.Spans(dir, m.RunID)
	if err != nil {
		return err
	}
	made := m.Started
	if m.Ended != nil {
		made = *m.Ended
	}
	return render.OTel(w, directory.Scores(dir), render.OTelConfig{
		Run: m.Manifest, Time: made, Span: spans,
		NoExplanations: f.explanations == "off", Experimental: f.experimental == "on",
	})
}
