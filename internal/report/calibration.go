package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
)

// CalibrationSchema is the version of a calibration file.
const CalibrationSchema = "judge.calibration/v1"

// Calibration is what a filled sheet says about a run's judges.
type Calibration struct {
	Schema string  `json:"schema"`
	RunID  string  `json:"run_id"`
	Alpha  float64 `json:"alpha"`
	Seed   uint64  `json:"seed"`
	// Labelled counts the filled rows that met a judge's score, by sample.
	Random        int `json:"random_labels"`
	Queue         int `json:"queue_labels"`
	Conversations int `json:"random_conversations"`
	Unmatched     int `json:"unmatched_labels"`
	// Rows has a row per judge and rubric, the best judge of a rubric first.
	Rows     []CalibrationRow `json:"rows"`
	Warnings []Warning        `json:"warnings"`
}

// CalibrationRow is one judge on one rubric.
type CalibrationRow struct {
	Judge  string `json:"judge"`
	Rubric string `json:"rubric"`
	// Instrument is the hash of judge, model, prompt, rubric and pass band that
	// the calibration is bound to.
	Instrument string `json:"instrument"`
	// N are the labelled items of the random sample that the judge scored.
	N             int              `json:"n"`
	Conversations int              `json:"conversations"`
	Kappa         Estimate         `json:"kappa"`
	RecallWrong   Estimate         `json:"recall_wrong"`
	Specificity   Estimate         `json:"specificity"`
	AUC           Estimate         `json:"auc"`
	Threshold     FittedCut        `json:"threshold"`
	Confidence    MappedConfidence `json:"confidence"`
	PassRate      CorrectedRate    `json:"pass_rate"`
	Warnings      []string         `json:"warnings,omitempty"`
}

// FittedCut is a cut fitted on the calibration half; the kappas are those of the
// test half.
type FittedCut struct {
	Best Estimate `json:"best"`
	// AtDeclared and AtBest are kappa with the declared and with the best cut, Gain
	// their difference with its bootstrap interval.
	AtDeclared Estimate `json:"kappa_at_declared"`
	AtBest     Estimate `json:"kappa_at_best"`
	Gain       Estimate `json:"gain"`
	// Change says that the gain exceeds its standard error: only then is another
	// cut worth it.
	Change bool `json:"change"`
}

// MappedConfidence maps the judge's confidence in a verdict to the chance that it is
// right: 1/(1+exp(A·confidence+B)).
type MappedConfidence struct {
	A Estimate `json:"a"`
	B Estimate `json:"b"`
	// BrierRaw and BrierMapped are on the test half; lower is better.
	BrierRaw    Estimate `json:"brier_raw"`
	BrierMapped Estimate `json:"brier_mapped"`
	Use         bool     `json:"use"`
}

// CorrectedRate is the agent's pass rate on all judged items.
type CorrectedRate struct {
	// Corrected is PPI++ over conversations: the judge's rate minus its error as
	// the labels show it. Naive is the judge's own rate, LabelsOnly the labels'.
	Corrected  Estimate `json:"corrected"`
	Naive      Estimate `json:"naive"`
	LabelsOnly Estimate `json:"labels_only"`
	// Bias is the judge's rate minus the labels' on the labelled items.
	Bias Estimate `json:"bias"`
	// FurtherConversations is about how many more must be labelled until the
	// interval of Corrected is WantedWidth wide; nil where that is unknown.
	WantedWidth          float64 `json:"wanted_width"`
	FurtherConversations *int    `json:"further_conversations"`
}

// InstrumentHash names an instrument: judge, model, prompt, rubric and pass band.
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
		return "" // bounds are finite, so this cannot be
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Check refuses a calibration that was made with other instruments than those of m.
// Rows of judges and rubrics that m does not have are no concern of m's.
func (c *Calibration) Check(m Manifest) error {
	for _, r := range c.Rows {
		if !c.concerns(m, r) {
			continue
		}
		if now := InstrumentHash(m, r.Judge, r.Rubric); now != r.Instrument {
			return fmt.Errorf("calibration %s: made with another instrument for %s by %s (judge, model, prompt, rubric or thresholds differ): label again", c.RunID, r.Rubric, r.Judge)
		}
	}
	return nil
}

// WriteJSON writes the calibration as indented JSON.
func (c *Calibration) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(c); err != nil {
		return fmt.Errorf("write calibration: %w", err)
	}
	return nil
}
