package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// calibrationDocument is the document of a calibration: the rates first; thresholds and
// confidences where details are asked for.
func calibrationDocument(c *report.Calibration, details bool) *words.Document {
	lines := append([]string{labelWords(c)}, peopleWords(c)...)
	for _, w := range c.Warnings {
		lines = append(lines, "Note: "+w.Text+".")
	}
	sections := labelSections(c)
	if !details {
		sections = []words.Section{correctedRates(c), labelAgreement(c), trustCuts(c)}
		lines = append(lines, "Thresholds and confidences: --details.")
	}
	end := summary(lines)
	end.Title = "Labels"
	return &words.Document{
		Title: "Judge calibration", ID: c.RunID, Sections: slices.Concat([]words.Section{answers(c)}, sections,
			[]words.Section{end}),
	}
}

// answers says the true pass rate in a sentence for each judge of the whole call.
func answers(c *report.Calibration) words.Section {
	s := words.Section{Name: "Answer", Title: "In short"}
	for i := range c.Rows {
		if r := &c.Rows[i]; r.PassRate != nil && r.PassRate.LabelsOnly.Defined() {
			s.Note(r.Answer())
		}
	}
	return s
}

func labelWords(c *report.Calibration) string {
	drawn := words.Count(c.Conversations, "randomly drawn conversation", "randomly drawn conversations")
	return fmt.Sprintf("%s in %s, and %d of picked items, which enter no estimate.",
		words.Count(c.Random, "label", "labels"), drawn, c.Queue)
}

// peopleWords say who labelled, how two people agree, and how many more labels are worth it.
func peopleWords(c *report.Calibration) []string {
	var out []string
	for _, p := range c.People {
		line := fmt.Sprintf("%s: %s at random", shorten(p.Name, 40), words.Count(p.Random, "label", "labels"))
		for _, part := range []struct {
			n     int
			words string
		}{{p.Picked, "picked from queues"}, {p.Deferred, "deferred"},
			{p.Revealed, "given after the judge was revealed, which do not count"}} {
			if part.n > 0 {
				line += fmt.Sprintf(", %d %s", part.n, part.words)
			}
		}
		out = append(out, line+".")
	}
	for _, p := range c.Pairs {
		if p.N == 0 {
			out = append(out, fmt.Sprintf("%s and %s labelled no call in common.", shorten(p.A, 40), shorten(p.B, 40)))
			continue
		}
		out = append(out, fmt.Sprintf("%s and %s agree on %d of the %d calls that both labelled: kappa %s. Where they "+
			"differ, the label of %s counts.", shorten(p.A, 40), shorten(p.B, 40), p.Agreed, p.N, kappa(p.Kappa).Text,
			shorten(p.A, 40)))
	}
	for _, r := range c.Rows {
		if p := r.PassRate; p != nil && p.FurtherConversations != nil && c.Conversations > 0 {
			return append(out, furtherWords(c, *p.FurtherConversations, p.WantedWidth))
		}
	}
	return out
}

// furtherWords say how many more labels are worth it.
func furtherWords(c *report.Calibration, further int, width float64) string {
	if further == 0 {
		return fmt.Sprintf("More labels are not needed: the interval of the pass rate is at most %g points wide.",
			100*width)
	}
	calls := (further*c.Random + c.Conversations - 1) / c.Conversations
	return fmt.Sprintf("Labelling about %s more (some %s) would make the interval of the pass rate %g points wide.",
		words.Count(further, "conversation", "conversations"), words.Count(calls, "call", "calls"), 100*width)
}

// appliedSection is the calibration of a report.
func appliedSection(r *report.Report) words.Section {
	a := r.Calibration
	if a == nil {
		return words.Section{}
	}
	s := words.Section{Name: "Calibration", Title: "Calibration by labels"}
	s.Note(labelWords(&a.Calibration))
	if !a.OfThisRun {
		s.Note("The labels are of run " + shorten(a.RunID, 40) + " and no sample of this one: no corrected pass rate.")
	}
	s.Note(a.Words())
	for _, sub := range labelSections(&a.Calibration) {
		if len(sub.Parts) > 0 {
			s.Add(words.Heading{Text: sub.Title})
			s.Add(sub.Parts...)
		}
	}
	return s
}

func labelSections(c *report.Calibration) []words.Section {
	return []words.Section{correctedRates(c), labelAgreement(c), fittedCuts(c), confidences(c), trustCuts(c)}
}

func correctedRates(c *report.Calibration) words.Section {
	t := words.NewTable("leeerr", "judge", "corrected", "labels only", "judge alone", "bias", "label more")
	width, counts := 0.0, ""
	for _, r := range c.Rows {
		p := r.PassRate
		if p == nil {
			continue
		}
		further, bias := words.None, words.None
		if n := p.FurtherConversations; n != nil {
			further = fmt.Sprint(*n)
		}
		if p.Bias.Defined() {
			bias = fmt.Sprintf("%+.1f", 100**p.Bias.Value)
		}
		width = p.WantedWidth
		if p.Corrected.Defined() && !p.Corrected.HasInterval() {
			counts = fmt.Sprintf("no interval of the corrected rate (%s): %d of the %d labelled calls are wrong",
				p.Corrected.Why(), p.LabelledFails, r.N)
		}
		t.Group(shorten(r.Rubric, 60))
		t.Add(r.Judge, rate(p.Corrected.Clipped(0, 1)), rate(p.LabelsOnly), rate(p.Naive), bias, further)
	}
	return section("Pass rate", "The agent's pass rate", t, fmt.Sprintf(
		"corrected (PPI++) = the judge's rate minus its errors as the labels show them; "+
			"bias = its rate minus the labels' on the labelled calls, in points (minus the rectifier); "+
			"label more = about how many further conversations until its interval is %g points wide", 100*width), counts)
}

func labelAgreement(c *report.Calibration) words.Section {
	t := words.NewTable("lrerrre", "judge", "n", "kappa", "found", "kept", "balanced", "AUC")
	for _, r := range c.Rows {
		t.Group(shorten(r.Rubric, 60))
		t.Add(r.Judge, r.N, kappa(r.Kappa), rate(r.RecallWrong), rate(r.Specificity), rate(r.BalancedAccuracy), mean(r.AUC))
	}
	var shown []report.Estimate
	for _, r := range c.Rows {
		shown = append(shown, r.Kappa, r.BalancedAccuracy, r.AUC)
	}
	s := section("Labels", "Judge against the labels, the best judge of a rubric first", t, withoutInterval(shown...))
	for _, r := range c.Rows {
		if p := r.People; p != nil {
			s.Note(fmt.Sprintf("%s agrees with single people on %s, and they with each other on %s: difference %s; %s",
				by(r.Rubric, r.Judge), rate(p.Judge).Text, rate(p.People).Text, rate(p.Difference), p.Words()))
		}
	}
	var left []string
	for _, u := range c.Unlabelled {
		left = append(left, shorten(u.Rubric, 60))
	}
	if len(left) > 0 {
		s.Note("not labelled: " + words.Some(left, 8) + " (" + shorten(c.Unlabelled[0].Note, 160) + ")")
	}
	return s
}

func fittedCuts(c *report.Calibration) words.Section {
	t := words.NewTable("lrrrel", "judge", "best cut", "kappa now", "kappa then", "gain", "threshold")
	var notes []string
	for _, r := range c.Rows {
		fit := r.Threshold
		advice := "keep the declared one"
		if fit.Change {
			advice = "change"
		}
		t.Group(shorten(r.Rubric, 60))
		t.Add(r.Judge, mean(fit.Best), mean(fit.AtDeclared), mean(fit.AtBest), signed(fit.Gain), advice)
		if fit.Note != "" {
			notes = append(notes, by(r.Rubric, r.Judge)+": "+shorten(fit.Note, 300))
		}
	}
	return section("Thresholds", "Thresholds, fitted on one half of the labels, tried on the other", t, notes...)
}

func confidences(c *report.Calibration) words.Section {
	t := words.NewTable("lrerrl", "confidence", "n", "AUC", "ECE", "Brier", "chosen")
	for _, r := range c.Rows {
		for _, s := range r.Confidence.Sources {
			chosen := ""
			if s.Chosen {
				chosen = "chosen" + mapWords(r.Confidence)
			}
			t.Group(by(r.Rubric, r.Judge))
			t.Add(cmp.Or(s.Source, "unnamed"), s.N, mean(s.AUC), mean(s.ECE), mean(s.Brier), chosen)
		}
	}
	title := "How well each confidence separates right from wrong, on the half that was not fitted"
	return section("Confidences", title, t,
		"AUC = chance that a right verdict carries the higher confidence, 0.5 says nothing; "+
			"ECE, Brier = error of the confidence as a chance, lower is better; "+
			"map = Brier of the chosen one as a fitted chance of being right")
}

// mapWords say what the map made of the chosen confidence.
func mapWords(m report.MappedConfidence) string {
	switch {
	case m.Map == "":
		return ""
	case m.Use:
		return fmt.Sprintf("; map %s, used", mean(m.BrierMapped).Text)
	}
	return fmt.Sprintf("; map %s, not used", mean(m.BrierMapped).Text)
}

func trustCuts(c *report.Calibration) words.Section {
	s := words.Section{Name: "Trust", Title: "Can some verdicts go unchecked?"}
	for _, r := range c.Rows {
		if r.Trust.Note != "" {
			s.Note(by(r.Rubric, r.Judge) + ": " + shorten(r.Trust.Note, 400))
		}
	}
	return s
}
