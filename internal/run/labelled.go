package run

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/score"
)

// CalibrationFile is the name of the calibration in a run directory.
const CalibrationFile = "calibration.json"

// Labelled holds the labels that people gave to a run, and the calibration computed from labels.
type Labelled struct {
	// Labels is nil if no call of the random sample has a label.
	Labels *measure.Labels
	// Calibration is nil if no calibration fits the run.
	Calibration *report.Calibration
	// Notes say what is not used, and why.
	Notes []report.Warning
}

// isLabelled reports whether a run directory has labels or a calibration.
func isLabelled(dir string) bool {
	return slices.ContainsFunc([]string{labels.FileName, CalibrationFile}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// ReadLabelled reads the labels of a run's directory and its calibration. The labels are those in
// labels.jsonl or on the sheet of the calibration, whichever are more.
func ReadLabelled(dir string, m *report.Manifest) (*Labelled, error) {
	out := &Labelled{}
	stored, err := out.readCalibration(filepath.Join(dir, CalibrationFile), m)
	if err != nil {
		return nil, err
	}
	by := ""
	if out.Calibration != nil {
		by = out.Calibration.By
	}
	set, err := ReadLabels(dir, m.RunID)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if set == nil {
		out.Labels = stored
		return out, nil
	}
	if problems := set.Problems(); len(problems) > 0 {
		out.note(words.LabelsNotUsed, len(problems), problems[0])
	}
	if !slices.Contains(set.People(), by) {
		by = "" // whom the calibration named has no label any more
	}
	people, err := measure.RowsOfLabels(set, by, 0.05)
	if err != nil {
		return nil, err
	}
	given := measure.NewLabels(people.Rows, m)
	if given != nil {
		given.Pairs = people.Pairs
	}
	out.choose(given, stored)
	return out, nil
}

// choose takes the labels in labels.jsonl, or those of a sheet if there are more of these.
func (l *Labelled) choose(given, sheet *measure.Labels) {
	if l.Labels = given; sheet.Len() > given.Len() {
		l.Labels = sheet
	}
	if given.Len() > 0 && sheet.Len() > 0 {
		l.note(words.TwoLabelSources, given.Len(), sheet.Len())
		return
	}
	if c := l.Calibration; c != nil && sheet == nil && given.Len() != c.Random {
		l.note(words.OlderCalibration, c.Random, given.Len())
	}
}

func (l *Labelled) note(format string, args ...any) {
	l.Notes = append(l.Notes, words.Warning(format, args...))
}

// readCalibration reads the calibration at path, and the labels of its sheet. A calibration that
// cannot be read, or that belongs to other instruments, is not used, and a note says so.
func (l *Labelled) readCalibration(path string, m *report.Manifest) (*measure.Labels, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := report.ReadCalibration(f, CalibrationFile)
	if err == nil {
		err = c.Check(*m)
	}
	if err == nil && c.RunID != m.RunID {
		err = fmt.Errorf("%s is of another run (%.40s)", CalibrationFile, c.RunID)
	}
	if err != nil {
		l.note(words.CalibrationNotUsed, err)
		return nil, nil
	}
	l.Calibration = c
	return measure.NewLabels(measure.RowsOfStored(c.Labels), m), nil
}

// ReadLabels reads labels.jsonl from a run directory.
func ReadLabels(dir, runID string) (*labels.Set, error) {
	data, err := os.ReadFile(filepath.Join(dir, labels.FileName))
	if err != nil {
		return nil, err
	}
	return labels.Read(data, labels.FileName, runID), nil
}

// into adds the labels to a report's scores. The calibration decides the verdicts, unless cfg gives
// another calibration or thresholds.
func (l *Labelled) into(in *report.Inputs, cfg *measure.Config) {
	scores, some := in.Scores, in.ScoresOf
	in.Scores = func() iter.Seq2[score.Score, error] { return l.Labels.Into(scores()) }
	in.ScoresOf = func(conversations ...string) iter.Seq2[score.Score, error] {
		return l.Labels.Into(some(conversations...))
	}
	cfg.Labels = l.Labels
	cfg.Notes = append(cfg.Notes[:len(cfg.Notes):len(cfg.Notes)], l.Notes...)
	switch {
	case l.Calibration == nil || cfg.Uncalibrated || cfg.Calibration != nil:
	case len(cfg.Thresholds) > 0:
		cfg.Notes = append(cfg.Notes, words.Warning(words.CalibrationNotUsed, "thresholds are given"))
	default:
		cfg.Calibration = l.Calibration
	}
}

// Calibrate compares the judges of a run with a filled sheet. Errors use the sheet's name. A column
// with the name of a rubric holds labels for that rubric only.
func Calibrate(dir string, sheet io.Reader, name string, cfg measure.CalibrateConfig) (*report.Calibration, error) {
	_, in, err := directory.Open(dir)
	if err != nil {
		return nil, err
	}
	rows, err := measure.ReadSheet(sheet, name, in.Manifest.Rubrics)
	if err != nil {
		return nil, err
	}
	c, err := measure.Calibrate(in, rows, cfg)
	if err != nil {
		return nil, err
	}
	c.Labels = measure.StoredLabels(rows)
	return c, nil
}

// CalibrateLabels compares the judges of a run with the labels in its labels.jsonl. by names the
// person whose label counts if several labelled an item; "" means the one with the most labels.
// problems are the lines of the file that are not used.
func CalibrateLabels(dir, by string, cfg measure.CalibrateConfig,
) (c *report.Calibration, problems []string, err error) {
	_, in, err := directory.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	people, problems, err := People(dir, in.Manifest.RunID, by, cfg.Alpha)
	if err != nil {
		return nil, nil, err
	}
	if c, err = measure.Calibrate(in, people.Rows, cfg); err != nil {
		return nil, nil, err
	}
	c.By, c.People, c.Pairs = by, people.List, people.Pairs
	return c, problems, nil
}

// People reads the labels in a run's labels.jsonl. by names the person whose label counts if
// several labelled an item; problems are the lines that are not used.
func People(dir, runID, by string, alpha float64) (people *measure.People, problems []string, err error) {
	set, err := ReadLabels(dir, runID)
	if err != nil {
		return nil, nil, err
	}
	people, err = measure.RowsOfLabels(set, by, cmp.Or(alpha, 0.05))
	return people, set.Problems(), err
}
