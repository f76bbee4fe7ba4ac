package report

import (
	"fmt"
	"slices"
	"strings"
)

// Reliability is how far the members of a panel are to be believed: balanced
// accuracies on labelled calls, 0 to 1, by member.
type Reliability struct {
	// Overall holds for rubrics without measurements of their own; nil where none of
	// the run's rubrics needs it.
	Overall map[string]float64
	// ByRubric has the rubrics on which every member was measured.
	ByRubric map[string]map[string]float64
}

// Weights are the reliabilities of the members in a run's rubrics. A rubric that was
// not labelled takes those of the overall rubric. It fails where a member was not
// measured, and where it was measured as another instrument than m's.
func (c *Calibration) Weights(m Manifest, members []string) (Reliability, error) {
	out := Reliability{ByRubric: map[string]map[string]float64{}}
	var missing error
	for _, r := range m.Rubrics {
		by, err := c.measured(m, r.Name, members)
		if err != nil {
			return out, err
		}
		if lacking := firstLacking(by, members); lacking != "" {
			// What the overall rubric lacks is what the user has to mend.
			if missing == nil || strings.HasPrefix(r.Name, "overall") {
				missing = fmt.Errorf("it has no balanced accuracy of %s on %s; label its calls and calibrate again, or take it out of the panel", lacking, r.Name)
			}
			continue
		}
		out.ByRubric[r.Name] = by
		if out.Overall == nil || strings.HasPrefix(r.Name, "overall") {
			out.Overall = by
		}
	}
	if missing == nil {
		return out, nil
	}
	// Only the overall rubric speaks for the call as a whole, and so for the others.
	for _, r := range m.Rubrics {
		if by := out.ByRubric[r.Name]; by != nil && strings.HasPrefix(r.Name, "overall") {
			return out, nil
		}
	}
	return out, missing
}

// measured are the balanced accuracies of members on one rubric, of those that have
// one.
func (c *Calibration) measured(m Manifest, rubric string, members []string) (map[string]float64, error) {
	by := map[string]float64{}
	for _, row := range c.Rows {
		if row.Rubric != rubric || !slices.Contains(members, row.Judge) {
			continue
		}
		if row.Instrument != InstrumentHash(m, row.Judge, rubric) {
			return nil, fmt.Errorf("%s was calibrated as another instrument for %s (model, prompt, rubric or thresholds differ): label again", row.Judge, rubric)
		}
		if v := row.BalancedAccuracy.Value; v != nil {
			by[row.Judge] = *v
		}
	}
	return by, nil
}

// firstLacking is the first member without a number, "" where all have one.
func firstLacking(by map[string]float64, members []string) string {
	for _, name := range members {
		if _, ok := by[name]; !ok {
			return name
		}
	}
	return ""
}
