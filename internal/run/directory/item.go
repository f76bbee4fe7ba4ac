package directory

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/assembly"
	"github.com/judgekit/judge/internal/report/calibration"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
)

// Again is the conversations of a run's logs. Its only error says why they cannot be read,
// as where they are not those that were judged.
func (m *Manifest) Again(ctx context.Context, logs *input.Source) Conversations {
	return func(yield func(*transcript.Conversation, error) bool) {
		m.bound(logs.Logs)
		hashes, err := input.Hash(logs.Logs)
		if err != nil {
			yield(nil, fmt.Errorf("the logs cannot be read: %w", err))
			return
		}
		for i := range m.Inputs {
			if i >= len(hashes) {
				yield(nil, fmt.Errorf("%s is not there any more", m.Inputs[i].Path))
				return
			}
			if m.Inputs[i].SHA != hashes[i] {
				yield(nil, fmt.Errorf("%s is not the file that was judged: it changed since", m.Inputs[i].Path))
				return
			}
		}
		logs.Conversations(ctx, &input.Reading{})(yield)
	}
}

// readAgain reads the logs of a run until done. It says why it could not.
func (m *Manifest) readAgain(
	ctx context.Context, logs *input.Source, each func(*transcript.Conversation) (done bool),
) (problem string) {
	for c, err := range m.Again(ctx, logs) {
		if err != nil {
			return err.Error()
		}
		if each(c) {
			return ""
		}
	}
	return ""
}

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
// informative disagreements of the run's report. The calls are read from the logs again,
// for which logs are the run's own: name and arguments, these as they were written where
// they are no JSON.
func Sheet(ctx context.Context, dir string, logs *input.Source, cfg calibration.SheetConfig) (*LabelSheet, error) {
	m, in, err := Open(dir)
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
	wanted := map[string][]*calibration.Row{}
	for i := range out.Rows {
		if row := &out.Rows[i]; row.CallIndex >= 0 {
			wanted[row.ConversationID] = append(wanted[row.ConversationID], row)
		}
	}
	out.LogProblem = m.readAgain(ctx, logs, func(c *transcript.Conversation) (done bool) {
		for _, row := range wanted[c.ID] {
			if row.CallIndex < len(c.Calls) {
				row.Call = callText(&c.Calls[row.CallIndex])
			}
		}
		delete(wanted, c.ID)
		return len(wanted) == 0
	})
	return out, nil
}

// callText is a call as name and compact JSON.
func callText(call *transcript.Call) string {
	if call.Malformed {
		return call.Name + " " + call.RawArguments
	}
	return call.Name + " " + call.Arguments.JSON()
}

// Calibrate compares the judges of a run with a filled sheet, whose name is used in
// errors. A column with the name of one of the run's rubrics is of that rubric alone.
func Calibrate(dir string, sheet io.Reader, name string, cfg calibration.Config) (*report.Calibration, error) {
	_, in, err := Open(dir)
	if err != nil {
		return nil, err
	}
	rows, err := calibration.ReadSheet(sheet, name, rubricNames(in.Manifest))
	if err != nil {
		return nil, err
	}
	return calibration.Calibrate(in, rows, cfg)
}

// CalibrateLabels compares the judges of a run with the labels in its labels.jsonl. by
// names the person whose label counts where several labelled an item, "" for the one with
// the most labels. problems are the lines of the file that are not used.
func CalibrateLabels(dir, by string, cfg calibration.Config) (c *report.Calibration, problems []string, err error) {
	_, in, err := Open(dir)
	if err != nil {
		return nil, nil, err
	}
	path := filepath.Join(dir, labels.FileName)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	set := labels.Read(data, path, in.Manifest.RunID)
	people, err := calibration.FromLabels(set, by, cmp.Or(cfg.Alpha, 0.05))
	if err != nil {
		return nil, nil, err
	}
	if c, err = calibration.Calibrate(in, people.Rows, cfg); err != nil {
		return nil, nil, err
	}
	c.People, c.Pairs = people.List, people.Pairs
	return c, set.Problems(), nil
}

func rubricNames(m report.Manifest) []string {
	var out []string
	for _, r := range m.Rubrics {
		out = append(out, r.Name)
	}
	return out
}
