package run

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
)

// takeWeights gives the measured panels their weights. The error is a *TaskError if a calibration
// does not know a member, or was made with another instrument.
func (in *Instruments) takeWeights(s *Spec) error {
	for _, from := range s.Measured {
		m := report.Manifest{Judges: in.Team.Instruments(), Rubrics: in.Scales()}
		for i := range in.Panels {
			panel := &in.Panels[i]
			if panel.Name != from.Panel {
				continue
			}
			overall, byRubric, err := from.Calibration.Weights(m, panel.Members)
			if err != nil {
				return from.wrong(err)
			}
			panel.Weights, panel.RubricWeights = overall, byRubric
		}
	}
	return nil
}

// checkWeights returns a *TaskError if a calibration lacks the weight of a panel's member. Whether
// the instruments are the same is known only after the endpoints were asked.
func (s *Spec) checkWeights() error {
	for _, from := range s.Measured {
		for i := range s.Panels {
			if s.Panels[i].Name != from.Panel {
				continue
			}
			if _, _, err := from.Calibration.Accuracies(s.Scales(), s.Panels[i].Members); err != nil {
				return from.wrong(err)
			}
		}
	}
	return nil
}

// MeasuredPanel is a panel whose weights are the reliabilities that a calibration measured.
type MeasuredPanel struct {
	// Panel is the panel's name, File the calibration's, for messages.
	Panel, File string
	Calibration *report.Calibration
}

// wrong returns the error for a calibration without usable weights.
func (m *MeasuredPanel) wrong(err error) error {
	return &TaskError{fmt.Errorf("panel %s: weights from %s: %w", m.Panel, m.File, err)}
}
