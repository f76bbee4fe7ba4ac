package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Applied is what a calibration found, and what it changed about a report.
type Applied struct {
	// RunID is the run whose labels the calibration rests on; OfThisRun says that it
	// is the reported one. Only then are there corrected pass rates.
	RunID     string `json:"run_id"`
	OfThisRun bool   `json:"of_this_run"`
	// Random, Queue and Conversations count the labels as Calibration does.
	Random        int     `json:"random_labels"`
	Queue         int     `json:"queue_labels"`
	Conversations int     `json:"random_conversations"`
	Alpha         float64 `json:"alpha"`
	// Rows has a row per judge and labelled rubric that this run has, in the order of
	// the calibration.
	Rows       []AppliedRow       `json:"rows"`
	Unlabelled []UnlabelledRubric `json:"unlabelled_rubrics"`
}

// AppliedRow is one judge on one rubric.
type AppliedRow struct {
	CalibrationRow
	// CutInUse is the fitted cut that verdicts were decided by; nil where the
	// declared pass band stayed.
	CutInUse *float64 `json:"cut_in_use"`
	// ConfidenceMapped says that confidences are the fitted chance of being right.
	ConfidenceMapped bool `json:"confidence_mapped"`
}

// ReadCalibration reads a calibration file. name stands in errors.
func ReadCalibration(in io.Reader, name string) (*Calibration, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var c Calibration
	err = json.Unmarshal(data, &c)
	switch {
	case c.Schema != CalibrationSchema && strings.HasPrefix(c.Schema, "judge.calibration/"):
		return nil, fmt.Errorf("%s: unknown schema %q: made by a newer judge; read it with that one", name, c.Schema)
	case err != nil || c.Schema != CalibrationSchema:
		return nil, fmt.Errorf("%s: no calibration: it must be an object with \"schema\":%q, as judge calibrate writes it", name, CalibrationSchema)
	}
	return &c, nil
}

// words says what a calibration found and changed.
func (a *Applied) words() []string {
	var out []string
	for _, r := range a.headlines() {
		out = append(out, fmt.Sprintf("By the labels, the true pass rate is %s of the calls (%s by %s); the judge alone says %s.",
			r.PassRate.Corrected.Clipped(0, 1).Percent(true), r.Rubric, r.Judge, r.PassRate.Naive.Percent(true)))
	}
	var changed, mapped []string
	for _, r := range a.Rows {
		name := r.Rubric + " by " + r.Judge
		if r.CutInUse != nil {
			changed = append(changed, fmt.Sprintf("%s passes from %s", name, short(*r.CutInUse)))
		}
		if r.ConfidenceMapped {
			mapped = append(mapped, name)
		}
	}
	if len(mapped) > 0 {
		changed = append(changed, "the confidence is the fitted chance of being right in "+strings.Join(mapped, ", "))
	}
	if len(changed) > 0 {
		out = append(out, fmt.Sprintf("Calibration by the labels of run %s: %s.", a.RunID, strings.Join(changed, "; ")))
	}
	return out
}

// headlines has, for each judge with a corrected pass rate, its overall rubric or
// else its first: the others' rates are those of a part of what makes a call right.
func (a *Applied) headlines() []AppliedRow {
	var out []AppliedRow
	for _, r := range a.Rows {
		if r.PassRate == nil || !r.PassRate.Corrected.Defined() {
			continue
		}
		at := slices.IndexFunc(out, func(o AppliedRow) bool { return o.Judge == r.Judge })
		switch {
		case at < 0:
			out = append(out, r)
		case strings.HasPrefix(r.Rubric, "overall"):
			out[at] = r
		}
	}
	return out
}

// Warnings name what a calibration makes doubtful.
func (a *Applied) Warnings() []Warning {
	var out []Warning
	if a.OfThisRun {
		for _, r := range a.Rows {
			if r.CutInUse != nil {
				out = append(out, Warning{"tuned_here", fmt.Sprintf("the threshold of %s by %s was fitted on labels of this very run: its agreement with labels of these calls is too good", r.Rubric, r.Judge)})
			}
		}
		return out
	}
	return append(out, Warning{"calibrated_elsewhere", fmt.Sprintf("the calibration rests on labels of run %s, which are no sample of this one: no corrected pass rate can be given", a.RunID)})
}
