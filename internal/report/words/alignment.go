package words

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// The sentences of an alignment besides its numbers.
const (
	NothingToTest = "no proposal did better on the labels that choose, so the held-out labels were not looked at"
	FewerAnswers  = "the new rubric got %d usable answers and the old one %d, of %d"
	// NoAlignInterval takes the reason why there is no interval.
	NoAlignInterval = "the test has no interval (%s)"
	AlignedWorse    = "the new rubric is worse"
	MayBeChance     = "the change may be chance"
	// NoAlignExamples takes the reason.
	NoAlignExamples = "no_examples: no examples were tried: %s"
	// Taught says how many labels do not count, and for which rubric.
	Taught = "labels_taught: %s shaped the rubric %s (judge align) and cannot measure it: label new conversations"
)

// Alignment returns the document of an alignment, which begins with the verdict.
func Alignment(a *report.Alignment, details bool) *Document {
	sections := []Section{alignmentVerdict(a), alignmentTest(a), alignmentRate(a), alignmentRules(a)}
	if details {
		sections = append(sections, alignmentSteps(a))
	}
	return &Document{Title: "Alignment of " + Shorten(a.Rubric, 60), ID: a.ID,
		Sections: append(sections, alignmentLabels(a, details))}
}

// alignmentVerdict says whether the rubric improved, and what to do next.
func alignmentVerdict(a *report.Alignment) Section {
	s := Section{Name: "Answer", Title: "In short"}
	if !a.Proven {
		s.Add(Sentence{Text: "No gain shown: " + a.Why + ". " + Shorten(a.Rubric, 60) + " stays as it is.", Strong: true})
		if l := a.Learned; l != nil && l.Target(a.Target).Defined() && *l.Target(a.Target).Value > 0 {
			s.Note(fmt.Sprintf("On the %d labels that it was made from the proposal is better (%s %s), and on others "+
				"that is not shown: a gain there alone is learned by heart.", l.N, a.Target, signed(l.Target(a.Target)).Text))
		}
		if a.File != "" {
			s.Note("The proposal is kept for reading: " + a.File)
		}
		return s
	}
	c := a.Change
	s.Add(Sentence{Strong: true, Text: fmt.Sprintf("Better, on labels that did not shape it: %s %s. It finds %s of the "+
		"wrong ones instead of %s, and passes %s of the right ones instead of %s.", a.Target, signed(c.Target(a.Target)),
		share(a.After.Found.Value), share(a.Before.Found.Value), share(a.After.Kept.Value), share(a.Before.Kept.Value))})
	if a.Folds > 0 {
		s.Note(fmt.Sprintf("This measures the procedure, not the one rubric: each of %d parts of the labels was tested by a "+
			"rubric made from the others, and the new rubric is made from all of them.", a.Folds))
	}
	if a.Seen > 0 {
		s.Note(seenWords(a))
	}
	s.Note("Next: judge run LOG --rubric " + a.File)
	return s
}

// seenWords says how often the test labels were used before.
func seenWords(a *report.Alignment) string {
	return fmt.Sprintf("Earlier alignments looked at these test labels %s: the more often, the less a gain on them says. "+
		"Label new calls to test on.", Count(a.Seen, "time", "times"))
}

// alignmentTest returns the table of measures before and after.
func alignmentTest(a *report.Alignment) Section {
	t := NewTable("lreeee", "rubric", "answered", "found", "kept", "J", "kappa")
	if a.Before == nil {
		return Section{}
	}
	for _, row := range []struct {
		name  string
		rates *report.AlignmentRates
	}{{"before", a.Before}, {"after", a.After}} {
		r := row.rates
		t.Add(row.name, fmt.Sprintf("%d of %d", r.Answered, r.N), whole(r.Found), whole(r.Kept), mean(r.Youden), kappa(r.Kappa))
	}
	c := a.Change
	t.Add("change", c.N, signedPoints(c.Found), signedPoints(c.Kept), signed(c.Youden), signed(c.Kappa))
	return section("Test", "The test, once, on held-out labels", t,
		"found = share of the items that people failed which the judge fails; kept = share of those that people passed "+
			"which it passes; J = found + kept - 1; change = in pairs, by task, found and kept in points",
		withoutInterval(c.Found, c.Kept, c.Youden, c.Kappa))
}

// signedPoints prints a difference of rates in points, with its sign.
func signedPoints(e report.Estimate) Cell {
	c := Number(e.Times(100), 0)
	if e.Defined() && *e.Value > 0 {
		c.Text = "+" + c.Text
	}
	return c
}

// alignmentRate says how precisely the pass rate is known before and after.
func alignmentRate(a *report.Alignment) Section {
	s := Section{Name: "Pass rate", Title: "How well the agent's pass rate is known"}
	w := a.Width
	if w == nil || !a.Proven {
		return Section{}
	}
	s.Note("Before: " + width(w.Before, w.LabelsBefore) + ".")
	if w.LabelsAfter == 0 {
		s.Note("After: every label shaped the new rubric, so none may measure it. Label new calls of a run with it.")
		return s
	}
	s.Note("After: about " + width(w.After, w.LabelsAfter) + ", the held-out ones; labels that shaped the rubric never " +
		"measure it.")
	return s
}

// width says how wide the range of a rate is.
func width(e report.Estimate, labels int) string {
	if !e.HasInterval() {
		return "no range with " + Counted(labels, "label")
	}
	return fmt.Sprintf("±%.0f points with %s", 50*(*e.High-*e.Low), Counted(labels, "label"))
}

// alignmentRules lists what the proposal adds to the prompt.
func alignmentRules(a *report.Alignment) Section {
	s := Section{Name: "Proposal", Title: "What the proposal adds to the prompt"}
	items := make([]Item, len(a.Guidelines))
	for i, g := range a.Guidelines {
		items[i] = Item{Title: fmt.Sprintf("%d. %s", i+1, Shorten(g.Rule, 300))}
		if len(g.From) > 0 {
			items[i].Lines = []string{"from " + Shorten(Some(g.From, 6), 200)}
		}
	}
	s.List(List{Items: items})
	if n := len(a.Examples); n > 0 && a.Retrieve > 0 {
		s.Note(fmt.Sprintf("%d of %s, the nearest to each call: %s", a.Retrieve, Counted(n, "example"),
			Shorten(Some(a.Examples, 8), 300)))
	} else if n > 0 {
		s.Note(Counted(n, "example") + ": " + Shorten(Some(a.Examples, 8), 300))
	}
	return s
}

// alignmentSteps lists what was tried for the rubric.
func alignmentSteps(a *report.Alignment) Section {
	t := NewTable("lrrrrl", "proposal", "round", "answered", "before", "after", "")
	for _, s := range a.Steps {
		note := s.Note
		if s.Kept {
			note = "kept"
		}
		t.Add(s.Name, s.Round, fmt.Sprintf("%d of %d", s.Answered, s.N), mean(s.Before), mean(s.After), note)
	}
	return section("Steps", "What was tried, on the labels that choose", t,
		"before and after are "+a.Target+" without a range: they choose, and prove nothing")
}

// alignmentLabels says what the labels were used for.
func alignmentLabels(a *report.Alignment, details bool) Section {
	parts := fmt.Sprintf("%d teach, %d choose", a.Learn, a.Select)
	switch {
	case a.Before == nil:
		parts += "; none was needed for a test"
	case a.Folds > 0:
		parts += fmt.Sprintf("; each is tested once, in %d parts", a.Folds)
	default:
		parts += fmt.Sprintf(", %d test", a.Test)
	}
	lines := []string{fmt.Sprintf("%s of %s, of which people failed %d: %s. No task stands on two sides.",
		Counted(a.Labels, "label"), Counted(a.Tasks, "task"), a.Fails, parts)}
	if a.Picked > 0 {
		lines = append(lines, Counted(a.Picked, "picked label")+" can teach and nothing else.")
	}
	lines = append(lines, fmt.Sprintf("Judge: %s; guidelines by %s. %s.", Shorten(a.Judge, 60), Shorten(a.With, 60),
		Counted(a.Requests, "request")))
	if !a.Proven && a.Seen > 0 {
		lines = append(lines, seenWords(a))
	}
	for _, w := range a.Notes {
		lines = append(lines, "Note: "+strings.TrimSuffix(w.Text, ".")+".")
	}
	if !details {
		lines = append(lines, "What was tried: --details.")
	}
	end := summary(lines)
	end.Name, end.Title = "Labels", "Labels"
	return end
}
