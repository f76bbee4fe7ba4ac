package directory

import (
	"context"
	"io"

	"github.com/judgekit/judge/internal/report/assembly"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/calibration"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
)

// CalibrationFile is where a run directory keeps its calibration.
const CalibrationFile = "calibration.json"

// LabelSheet is what of a run is to be labelled.
type LabelSheet struct {
	Rows []calibration.Row
	// Rubrics are those that the run judged by.
	Rubrics []string
	// LogProblem says why the rows lack their calls, "" where they have them.
	LogProblem string
}

// Sheet draws what of a run is to be labelled: conversations at random, and the most
// telling disagreements of the run's report. The calls are read from the logs again,
// for which logs are the run's own.
func Sheet(ctx context.Context, dir string, logs *input.Source, cfg calibration.SheetConfig) (*LabelSheet, error) {
	in, err := Inputs(dir)
	if err != nil {
		return nil, err
	}
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	var queue report.Disagreements
	if cfg.Queue >= 0 {
		r, err := assembly.Build(in, assembly.Config{})
		if err != nil {
			return nil, err
		}
		queue = r.Disagreements
	}
	out := &LabelSheet{Rubrics: rubricNames(in.Manifest)}
	if out.Rows, err = calibration.Sheet(in, queue, cfg); err != nil {
		return nil, err
	}
	out.LogProblem = fillCalls(ctx, m, logs, out.Rows)
	return out, nil
}

// Calibrate compares the judges of a run with a filled sheet, whose name stands in
// errors. A column with the name of one of the run's rubrics is of that rubric alone.
func Calibrate(dir string, sheet io.Reader, name string, cfg calibration.Config) (*report.Calibration, error) {
	in, err := Inputs(dir)
	if err != nil {
		return nil, err
	}
	rows, err := calibration.ReadSheet(sheet, name, rubricNames(in.Manifest))
	if err != nil {
		return nil, err
	}
	return calibration.Calibrate(in, rows, cfg)
}

func rubricNames(m report.Manifest) []string {
	var out []string
	for _, r := range m.Rubrics {
		out = append(out, r.Name)
	}
	return out
}

// fillCalls writes the calls themselves into the rows: name and arguments, these as
// they were written where they are no JSON. It says why it could not.
func fillCalls(ctx context.Context, m *Manifest, logs *input.Source, rows []calibration.Row) (problem string) {
	if problem := changed(m, logs); problem != "" {
		return problem
	}
	wanted := map[string][]*calibration.Row{}
	for i := range rows {
		if rows[i].CallIndex >= 0 {
			wanted[rows[i].ConversationID] = append(wanted[rows[i].ConversationID], &rows[i])
		}
	}
	for c, err := range logs.Conversations(ctx, &input.Reading{}) {
		if err != nil {
			return err.Error()
		}
		for _, row := range wanted[c.ID] {
			if row.CallIndex < len(c.Calls) {
				row.Call = callText(&c.Calls[row.CallIndex])
			}
		}
		if delete(wanted, c.ID); len(wanted) == 0 {
			break
		}
	}
	return ""
}

// callText is a call as name and compact JSON.
func callText(call *transcript.Call) string {
	if call.Malformed {
		return call.Name + " " + call.RawArguments
	}
	return call.Name + " " + call.Arguments.JSON()
}
