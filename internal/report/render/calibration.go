package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// Calibration writes c to w as text or json.
func Calibration(w io.Writer, c *report.Calibration, f Format, cfg Config) error {
	switch f {
	case TextFormat:
		return calibrationText(w, c, cfg)
	case JSONFormat:
		return c.WriteJSON(w)
	}
	return fmt.Errorf("format %q is none of text, json", f)
}

func calibrationText(w io.Writer, c *report.Calibration, cfg Config) error {
	p := &textPage{errWriter{w: w}, cfg.withDefaults()}
	p.note(0, labelWords(c.Random, c.Conversations, c.Queue))
	for _, w := range c.Warnings {
		p.note(0, "Note: "+w.Text+".")
	}
	p.grids(calibrated{c.Rows, c.Unlabelled, c.Methods}.grids())
	if p.err != nil {
		return fmt.Errorf("write text calibration: %w", p.err)
	}
	return nil
}

func labelWords(random, conversations, queue int) string {
	return fmt.Sprintf("%s in %s, and %d of picked items, which enter no estimate.",
		counted(random, "label", "labels"), counted(conversations, "randomly drawn conversation", "randomly drawn conversations"), queue)
}

// appliedGrids are the calibration of a report.
func appliedGrids(a *report.Applied) []grid {
	if a == nil {
		return nil
	}
	lead := grid{ID: "calibration", Title: "Calibration by labels", Before: []string{labelWords(a.Random, a.Conversations, a.Queue)}}
	if !a.OfThisRun {
		lead.Before = append(lead.Before, "The labels are of run "+shorten(a.RunID, 40)+" and no sample of this one: no corrected pass rate.")
	}
	c := calibrated{unlabelled: a.Unlabelled, methods: a.Methods}
	for _, r := range a.Rows {
		c.rows = append(c.rows, r.CalibrationRow)
		name := by(r.Rubric, r.Judge)
		if r.CutInUse != nil {
			lead.Before = append(lead.Before, fmt.Sprintf("In use here: %s passes from %s.", name, number(report.Estimate{Value: r.CutInUse})))
		}
		if r.ConfidenceMapped {
			lead.Before = append(lead.Before, fmt.Sprintf("In use here: the confidence of %s is the fitted chance of being right.", name))
		}
	}
	out := []grid{lead}
	for _, g := range c.grids() {
		g.ID = ""
		g.Sub, g.Title = g.Title, ""
		out = append(out, g)
	}
	return out
}

// calibrated is what a calibration and a report that applies it have in common.
type calibrated struct {
	rows       []report.CalibrationRow
	unlabelled []report.UnlabelledRubric
	methods    []report.MethodComparison
}

func (c calibrated) grids() []grid {
	return slices.DeleteFunc([]grid{c.rates(), c.agreement(), c.cuts(), c.confidence(), c.trust(), c.compared()},
		func(g grid) bool { return len(g.Rows) == 0 && len(g.After) == 0 })
}

func (c calibrated) agreement() grid {
	g := grid{ID: "labels", Title: "Judge against the labels, the best judge of a rubric first",
		Heads: []string{"judge", "n", "kappa", "found", "kept", "balanced", "AUC"}, Align: "lrerrre"}
	for _, r := range c.rows {
		g.group(shorten(r.Rubric, 60))
		g.add(r.Judge, fmt.Sprint(r.N), mean(r.Kappa.Clipped(-1, 1)), percent(r.RecallWrong), percent(r.Specificity), percent(r.BalancedAccuracy), mean(r.AUC))
	}
	for _, u := range c.unlabelled {
		g.After = append(g.After, "not labelled: "+shorten(u.Rubric, 60)+" ("+shorten(u.Note, 160)+")")
	}
	return g
}

func (c calibrated) rates() grid {
	g := grid{ID: "rates", Title: "The agent's pass rate",
		Heads: []string{"judge", "corrected", "labels only", "judge alone", "bias", "label more"}, Align: "leeerr"}
	for _, r := range c.rows {
		if r.PassRate == nil {
			continue
		}
		further := "–"
		if n := r.PassRate.FurtherConversations; n != nil {
			further = fmt.Sprint(*n)
		}
		g.group(shorten(r.Rubric, 60))
		g.add(r.Judge, rate(r.PassRate.Corrected.Clipped(0, 1)), rate(r.PassRate.LabelsOnly), rate(r.PassRate.Naive), percentagePoints(r.PassRate.Bias), further)
		g.After = []string{fmt.Sprintf("corrected (PPI++) = the judge's rate minus its errors as the labels show them; bias = its rate minus the labels' on the labelled calls, in points (minus the rectifier); label more = about how many further conversations until its interval is %g points wide", 100*r.PassRate.WantedWidth)}
	}
	return g
}

// percentagePoints is a difference of two rates.
func percentagePoints(e report.Estimate) string {
	if !e.Defined() {
		return "–"
	}
	return fmt.Sprintf("%+.1f", 100**e.Value)
}

func (c calibrated) cuts() grid {
	g := grid{ID: "cuts", Title: "Thresholds, fitted on one half of the labels, tried on the other",
		Heads: []string{"judge", "best cut", "kappa now", "kappa then", "gain", "threshold"}, Align: "lrrrel"}
	for _, r := range c.rows {
		advice := "keep the declared one"
		if r.Threshold.Change {
			advice = "change"
		}
		g.group(shorten(r.Rubric, 60))
		g.add(r.Judge, number(r.Threshold.Best), number(r.Threshold.AtDeclared), number(r.Threshold.AtBest), signed(r.Threshold.Gain), advice)
		if r.Threshold.Note != "" {
			g.After = append(g.After, by(r.Rubric, r.Judge)+": "+shorten(r.Threshold.Note, 300))
		}
	}
	return g
}

func (c calibrated) confidence() grid {
	g := grid{ID: "confidences", Title: "What each confidence is worth, on the half that was not fitted",
		Heads: []string{"confidence", "n", "AUC", "ECE", "Brier", "chosen"}, Align: "lrerrl",
		After: []string{"AUC = chance that a right verdict carries the higher confidence, 0.5 says nothing; ECE, Brier = error of the confidence as a chance, lower is better; map = Brier of the chosen one as a fitted chance of being right"}}
	for _, r := range c.rows {
		for _, s := range r.Confidence.Sources {
			chosen := ""
			if s.Chosen {
				chosen = "chosen" + mapWords(r.Confidence)
			}
			g.group(by(r.Rubric, r.Judge))
			g.add(shorten(orUnnamed(s.Source), 40), fmt.Sprint(s.N), mean(s.AUC), number(s.ECE), number(s.Brier), chosen)
		}
	}
	if len(g.Rows) == 0 {
		return grid{}
	}
	return g
}

func orUnnamed(source string) string {
	if source == "" {
		return "unnamed"
	}
	return source
}

// mapWords say what the map made of the chosen confidence.
func mapWords(m report.MappedConfidence) string {
	if m.Map == "" {
		return ""
	}
	use := "not used"
	if m.Use {
		use = "used"
	}
	return fmt.Sprintf("; map %s, %s", number(m.BrierMapped), use)
}

func (c calibrated) trust() grid {
	g := grid{ID: "trust", Title: "Which verdicts may be taken without a look"}
	for _, r := range c.rows {
		if r.Trust.Note != "" {
			g.After = append(g.After, by(r.Rubric, r.Judge)+": "+shorten(r.Trust.Note, 400))
		}
	}
	return g
}

func (c calibrated) compared() grid {
	g := grid{ID: "methods", Title: "Judges against each other, by the labels",
		Heads: []string{"better against other", "n", "AUC", "other", "gain of AUC", "p", "gain of kappa", ""}, Align: "lrrrerel"}
	for _, m := range c.methods {
		word := "more than noise"
		if m.Noise {
			word = "~"
		}
		g.group(shorten(m.Rubric, 60))
		g.add(withMethod(m.Judge, m.Method)+" against "+withMethod(m.Other, m.OtherMethod), fmt.Sprint(m.N), number(m.AUC), number(m.OtherAUC), signed(m.AUCGain), pText(m.P), signed(m.KappaGain), word)
	}
	return g
}

func withMethod(judge, method string) string {
	if method == "" {
		return shorten(judge, 40)
	}
	return strings.TrimSpace(shorten(judge, 40) + " (" + shorten(method, 20) + ")")
}
