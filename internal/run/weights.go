package run

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
)

// MeasuredPanel is a panel whose weights are the reliabilities that a calibration
// measured.
type MeasuredPanel struct {
	// Panel is its name, File the calibration's, for messages.
	Panel, File string
	Calibration *report.Calibration
}

// takeWeights gives the measured panels their weights. The error is a *PlanError where
// a calibration does not know a member, or was made with another instrument.
func (p *Plan) takeWeights() error {
	if len(p.Measured) == 0 {
		return nil
	}
	p.Panels = slices.Clone(p.Panels)
	m := report.Manifest{Judges: p.Team().Instruments(), Rubrics: p.scales()}
	for _, from := range p.Measured {
		for i := range p.Panels {
			panel := &p.Panels[i]
			if panel.Name != from.Panel {
				continue
			}
			overall, byRubric, err := from.Calibration.Weights(m, panel.Members)
			if err != nil {
				return &PlanError{fmt.Errorf("panel %s: weights from %s: %w", from.Panel, from.File, err)}
			}
			panel.Weights, panel.RubricWeights = overall, byRubric
		}
	}
	return nil
}

// scales are the plan's rubrics as a report knows them.
func (p *Plan) scales() []report.Rubric {
	var out []report.Rubric
	if len(p.Judges) == 0 {
		return nil
	}
	for _, r := range p.Rubrics {
		low, high := r.Output.Low, r.Output.High
		out = append(out, report.Rubric{
			Name: r.Name, SHA: r.SHA, Min: r.Output.Min, Max: r.Output.Max, Integer: r.Output.Integer, Low: &low, High: &high,
		})
	}
	return out
}
