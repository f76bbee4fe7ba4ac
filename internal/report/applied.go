package report

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
)

// Applied says what a calibration changed about a report.
type Applied struct {
	// RunID is the run whose labels the calibration rests on.
	RunID string       `json:"run_id"`
	Rows  []AppliedRow `json:"rows"`
}

// AppliedRow is one judge on one rubric.
type AppliedRow struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	// Threshold is the fitted cut that verdicts were decided by; nil where the
	// declared pass band stayed.
	Threshold *float64 `json:"threshold"`
	// MappedConfidence says that confidences are the fitted chance of being right.
	MappedConfidence bool `json:"mapped_confidence"`
	// PassRate is the corrected pass rate; nil for another run than the labelled one,
	// of which the labels are no sample.
	PassRate *CorrectedRate `json:"pass_rate"`
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

// apply returns the inputs with verdicts by the fitted cuts, where these were found
// worth it, and with mapped confidences. It fails where the calibration was made with
// another instrument, or with none of this run's.
func (c *Calibration) apply(in Inputs) (Inputs, *Applied, error) {
	if err := c.Check(in.Manifest); err != nil {
		return in, nil, err
	}
	out := &Applied{RunID: c.RunID, Rows: []AppliedRow{}}
	rows := map[[2]string]CalibrationRow{}
	for _, r := range c.Rows {
		if !c.concerns(in.Manifest, r) {
			continue
		}
		rows[[2]string{r.Judge, r.Rubric}] = r
		row := AppliedRow{Judge: r.Judge, Rubric: r.Rubric, MappedConfidence: r.Confidence.usable()}
		if r.Threshold.Change {
			row.Threshold = r.Threshold.Best.Value
		}
		if c.RunID == in.Manifest.RunID {
			rate := r.PassRate
			row.PassRate = &rate
		}
		out.Rows = append(out.Rows, row)
	}
	if len(rows) == 0 {
		return in, nil, fmt.Errorf("calibration %s: none of its judges and rubrics is in this run", c.RunID)
	}
	scores := in.Scores
	in.Scores = func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for s, err := range scores() {
				if err == nil && s.Source == score.Judge {
					if r, ok := rows[[2]string{s.Judge, s.Name}]; ok {
						s = r.recalibrated(s)
					}
				}
				if !yield(s, err) {
					return
				}
			}
		}
	}
	return in, out, nil
}

// concerns reports whether the run has the row's judge and rubric.
func (c *Calibration) concerns(m Manifest, r CalibrationRow) bool {
	return slices.ContainsFunc(m.Judges, func(j Judge) bool { return j.Name == r.Judge }) &&
		slices.ContainsFunc(m.Rubrics, func(x Rubric) bool { return x.Name == r.Rubric })
}

func (m MappedConfidence) usable() bool { return m.Use && m.A.Defined() && m.B.Defined() }

// recalibrated is a score of the row's instrument as the calibration reads it.
func (r CalibrationRow) recalibrated(s score.Score) score.Score {
	if s.Metric != "" {
		return s
	}
	if cut := r.Threshold.Best.Value; r.Threshold.Change && cut != nil {
		s = Redecide(s, []Threshold{{Name: s.Name, Low: *cut}})
	}
	if r.Confidence.usable() && s.Confidence != nil {
		chance := 1 / (1 + math.Exp(*r.Confidence.A.Value**s.Confidence+*r.Confidence.B.Value))
		s.Confidence = &chance
	}
	return s
}

// words says what a calibration found and changed.
func (a *Applied) words() []string {
	var out []string
	for _, r := range a.headlines() {
		out = append(out, fmt.Sprintf("By the labels, the true pass rate is %s (%s by %s); the judge alone says %s.",
			r.PassRate.Corrected.Clipped(0, 1).Percent(true), r.Rubric, r.Judge, r.PassRate.Naive.Percent(true)))
	}
	var changed, mapped []string
	for _, r := range a.Rows {
		name := r.Rubric + " by " + r.Judge
		if r.Threshold != nil {
			changed = append(changed, fmt.Sprintf("%s passes from %s", name, short(*r.Threshold)))
		}
		if r.MappedConfidence {
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
// else its first: every rubric's correction estimates the one rate that the labels
// speak of.
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

// warnings name what a calibration makes doubtful.
func (a *Applied) warnings(m Manifest) []Warning {
	var out []Warning
	if a.RunID == m.RunID {
		for _, r := range a.Rows {
			if r.Threshold != nil {
				out = append(out, Warning{"tuned_here", fmt.Sprintf("the threshold of %s by %s was fitted on labels of this very run: its agreement with labels of these calls is too good", r.Rubric, r.Judge)})
			}
		}
		return out
	}
	return append(out, Warning{"calibrated_elsewhere", fmt.Sprintf("the calibration rests on labels of run %s, which are no sample of this one: no corrected pass rate can be given", a.RunID)})
}
