package run

import (
	"context"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
)

// LabelSheet has the rows of a run that people should label.
type LabelSheet struct {
	Rows []measure.LabelRow
	// Rubrics names the rubrics that the run judged by.
	Rubrics []string
	// LogProblem says why the rows lack their calls, "" if they have them.
	LogProblem string
}

// Sheet draws what of a run is to be labelled: conversations at random, and the most
// informative disagreements of the run's report. The calls are read from the logs again,
// for which logs are the run's own: name and arguments, these as they were written where
// they are no JSON.
func Sheet(ctx context.Context, dir string, logs *input.Source, cfg measure.SheetConfig) (*LabelSheet, error) {
	m, in, err := directory.Open(dir)
	if err != nil {
		return nil, err
	}
	var queue report.Disagreements
	if cfg.Queue >= 0 {
		r, err := measure.Build(in, measure.Config{})
		if err != nil {
			return nil, err
		}
		queue = r.Disagreements
	}
	out := &LabelSheet{Rubrics: rubricNames(in.Manifest)}
	if out.Rows, err = measure.Sheet(in, queue, cfg); err != nil {
		return nil, err
	}
	wanted := map[string][]*measure.LabelRow{}
	for i := range out.Rows {
		if row := &out.Rows[i]; row.CallIndex >= 0 {
			wanted[row.ConversationID] = append(wanted[row.ConversationID], row)
		}
	}
	for c, err := range m.Again(ctx, logs) {
		if err != nil {
			out.LogProblem = err.Error()
			break
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
	return out, nil
}

// callText returns a call as name and compact JSON.
func callText(call *transcript.Call) string {
	if call.Malformed {
		return call.Name + " " + call.RawArguments
	}
	return call.Name + " " + call.Arguments.JSON()
}

func rubricNames(m report.Manifest) []string {
	var out []string
	for _, r := range m.Rubrics {
		out = append(out, r.Name)
	}
	return out
}
