package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// InstrumentHash identifies an instrument: judge, model, prompt, rubric and pass band.
func InstrumentHash(m Manifest, judge, rubric string) string {
	parts := []any{judge, rubric}
	for _, j := range m.Judges {
		if j.Name == judge {
			parts = append(parts, j.Model, j.Prompt)
		}
	}
	for _, r := range m.Rubrics {
		if r.Name == rubric {
			parts = append(parts, r.SHA, r.Low, r.High)
		}
	}
	text, err := json.Marshal(parts)
	if err != nil {
		return "" // cannot happen: bounds are finite
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// check returns an error if the row was made with another instrument than m's.
func (r *CalibrationRow) check(m Manifest) error {
	if InstrumentHash(m, r.Judge, r.Rubric) == r.Instrument {
		return nil
	}
	return fmt.Errorf("made with another instrument for %s by %s "+
		"(judge, model, prompt, rubric or thresholds differ): label again", r.Rubric, r.Judge)
}

// Check returns an error if a calibration was made with other instruments than m's. Rows of judges
// and rubrics that m does not have are ignored.
func (c *Calibration) Check(m Manifest) error {
	for _, r := range c.Rows {
		if !m.HasJudgement(r.Judge, r.Rubric) {
			continue
		}
		if err := r.check(m); err != nil {
			return fmt.Errorf("calibration %s: %w", c.RunID, err)
		}
	}
	return nil
}

// Weights returns the reliabilities of a panel's members in a run's rubrics: balanced accuracies on
// labelled calls, 0 to 1, by member. overall applies to the rubrics that are not in byRubric,
// because some member was not measured on them; it is nil if no rubric of the run needs it. It
// fails if a member was not measured, or was measured as another instrument than m's.
func (c *Calibration) Weights(m Manifest, members []string) (
	overall map[string]float64, byRubric map[string]map[string]float64, err error,
) {
	for _, row := range c.Rows {
		known := slices.ContainsFunc(m.Rubrics, func(r Rubric) bool { return r.Name == row.Rubric })
		if !known || !slices.Contains(members, row.Judge) {
			continue
		}
		if err := row.check(m); err != nil {
			return nil, nil, err
		}
	}
	return c.Accuracies(m.Rubrics, members)
}

// Accuracies is like Weights, but accepts measurements of other instruments.
func (c *Calibration) Accuracies(rubrics []Rubric, members []string) (
	overall map[string]float64, byRubric map[string]map[string]float64, missing error,
) {
	byRubric = map[string]map[string]float64{}
	leads := false
	for _, r := range rubrics {
		by := c.measured(r.Name, members)
		if i := slices.IndexFunc(members, func(name string) bool { _, ok := by[name]; return !ok }); i >= 0 {
			// Name the overall rubric first: if it is labelled, the others need no labels.
			if missing == nil || IsOverall(r.Name) {
				missing = fmt.Errorf("it has no balanced accuracy of %s on %s; "+
					"label its calls and calibrate again, or take it out of the panel", members[i], r.Name)
			}
			continue
		}
		byRubric[r.Name] = by
		leads = leads || IsOverall(r.Name)
		if overall == nil || IsOverall(r.Name) {
			overall = by
		}
	}
	// The overall rubric is about the call as a whole, and so replaces the others.
	if leads {
		missing = nil
	}
	return overall, byRubric, missing
}

// measured returns the members' balanced accuracies on one rubric, for members that have one.
func (c *Calibration) measured(rubric string, members []string) map[string]float64 {
	by := map[string]float64{}
	for _, row := range c.Rows {
		v := row.BalancedAccuracy.Value
		if v != nil && row.Rubric == rubric && slices.Contains(members, row.Judge) {
			by[row.Judge] = *v
		}
	}
	return by
}
