package render

import (
	"cmp"
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

// calibrationDocument is what labels say of judges.
func calibrationDocument(c *report.Calibration) *document.Document {
	lines := []string{labelWords(c.Random, c.Conversations, c.Queue)}
	for _, w := range c.Warnings {
		lines = append(lines, "Note: "+w.Text+".")
	}
	return &document.Document{Title: "Judge calibration", ID: c.RunID,
		Sections: append([]document.Section{summary(lines)}, calibrated{c.Rows, c.Unlabelled}.sections()...)}
}

func labelWords(random, conversations, queue int) string {
	return fmt.Sprintf("%s in %s, and %d of picked items, which enter no estimate.",
		document.Count(random, "label", "labels"), document.Count(conversations, "randomly drawn conversation", "randomly drawn conversations"), queue)
}

// appliedSection is the calibration of a report.
func appliedSection(a *report.Applied) document.Section {
	if a == nil {
		return document.Section{}
	}
	s := document.Section{ID: "calibration", Name: "Calibration", Title: "Calibration by labels"}
	s.Note(labelWords(a.Random, a.Conversations, a.Queue))
	if !a.OfThisRun {
		s.Note("The labels are of run " + shorten(a.RunID, 40) + " and no sample of this one: no corrected pass rate.")
	}
	c := calibrated{unlabelled: a.Unlabelled}
	for _, r := range a.Rows {
		c.rows = append(c.rows, r.CalibrationRow)
		name := by(r.Rubric, r.Judge)
		if r.CutInUse != nil {
			s.Note(fmt.Sprintf("In use here: %s passes from %s.", name, document.Fixed(*r.CutInUse, 2)))
		}
		if r.ConfidenceMapped {
			s.Note(fmt.Sprintf("In use here: the confidence of %s is the fitted chance of being right.", name))
		}
	}
	for _, sub := range c.sections() {
		if len(sub.Parts) > 0 {
			s.Add(document.Heading{Text: sub.Title})
			s.Add(sub.Parts...)
		}
	}
	return s
}

// calibrated is what a calibration and a report that applies it have in common.
type calibrated struct {
	rows       []report.CalibrationRow
	unlabelled []report.UnlabelledRubric
}

func (c calibrated) sections() []document.Section {
	return []document.Section{c.rates(), c.agreement(), c.cuts(), c.confidence(), c.trust()}
}

func (c calibrated) rates() document.Section {
	t := &document.Table{Heads: []string{"judge", "corrected", "labels only", "judge alone", "bias", "label more"}, Kinds: "leeerr"}
	var width float64
	for _, r := range c.rows {
		p := r.PassRate
		if p == nil {
			continue
		}
		further := words(document.None)
		if n := p.FurtherConversations; n != nil {
			further = num(*n)
		}
		bias := words(document.None)
		if p.Bias.Defined() {
			bias = words(fmt.Sprintf("%+.1f", 100**p.Bias.Value))
		}
		width = p.WantedWidth
		t.Group(shorten(r.Rubric, 60))
		t.Add(words(r.Judge), rate(p.Corrected.Clipped(0, 1)), rate(p.LabelsOnly), rate(p.Naive), bias, further)
	}
	return document.Section{ID: "rates", Name: "Pass rate", Title: "The agent's pass rate", Parts: table(t,
		fmt.Sprintf("corrected (PPI++) = the judge's rate minus its errors as the labels show them; bias = its rate minus the labels' on the labelled calls, in points (minus the rectifier); label more = about how many further conversations until its interval is %g points wide", 100*width))}
}

func (c calibrated) agreement() document.Section {
	t := &document.Table{Heads: []string{"judge", "n", "kappa", "found", "kept", "balanced", "AUC"}, Kinds: "lrerrre"}
	for _, r := range c.rows {
		t.Group(shorten(r.Rubric, 60))
		t.Add(words(r.Judge), num(r.N), kappa(r.Kappa), rate(r.RecallWrong), rate(r.Specificity), rate(r.BalancedAccuracy), mean(r.AUC))
	}
	s := document.Section{ID: "labels", Name: "Labels", Title: "Judge against the labels, the best judge of a rubric first", Parts: table(t)}
	for _, u := range c.unlabelled {
		s.Note("not labelled: " + shorten(u.Rubric, 60) + " (" + shorten(u.Note, 160) + ")")
	}
	return s
}

func (c calibrated) cuts() document.Section {
	t := &document.Table{Heads: []string{"judge", "best cut", "kappa now", "kappa then", "gain", "threshold"}, Kinds: "lrrrel"}
	var notes []string
	for _, r := range c.rows {
		advice := "keep the declared one"
		if r.Threshold.Change {
			advice = "change"
		}
		t.Group(shorten(r.Rubric, 60))
		t.Add(words(r.Judge), mean(r.Threshold.Best), mean(r.Threshold.AtDeclared), mean(r.Threshold.AtBest), signed(r.Threshold.Gain), words(advice))
		if r.Threshold.Note != "" {
			notes = append(notes, by(r.Rubric, r.Judge)+": "+shorten(r.Threshold.Note, 300))
		}
	}
	return document.Section{ID: "cuts", Name: "Thresholds", Title: "Thresholds, fitted on one half of the labels, tried on the other", Parts: table(t, notes...)}
}

func (c calibrated) confidence() document.Section {
	t := &document.Table{Heads: []string{"confidence", "n", "AUC", "ECE", "Brier", "chosen"}, Kinds: "lrerrl"}
	for _, r := range c.rows {
		for _, s := range r.Confidence.Sources {
			chosen := ""
			if s.Chosen {
				chosen = "chosen" + mapWords(r.Confidence)
			}
			t.Group(by(r.Rubric, r.Judge))
			t.Add(words(cmp.Or(s.Source, "unnamed")), num(s.N), mean(s.AUC), mean(s.ECE), mean(s.Brier), words(chosen))
		}
	}
	return document.Section{ID: "confidences", Name: "Confidences", Title: "What each confidence is worth, on the half that was not fitted", Parts: table(t,
		"AUC = chance that a right verdict carries the higher confidence, 0.5 says nothing; ECE, Brier = error of the confidence as a chance, lower is better; map = Brier of the chosen one as a fitted chance of being right")}
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
	return fmt.Sprintf("; map %s, %s", mean(m.BrierMapped).Text, use)
}

func (c calibrated) trust() document.Section {
	s := document.Section{ID: "trust", Name: "Trust", Title: "Which verdicts may be taken without a look"}
	for _, r := range c.rows {
		if r.Trust.Note != "" {
			s.Note(by(r.Rubric, r.Judge) + ": " + shorten(r.Trust.Note, 400))
		}
	}
	return s
}
