package words

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// Calibration returns the document of a calibration: the rates first; thresholds only with details.
func Calibration(c *report.Calibration, details bool) *Document {
	lines := append([]string{labelWords(c)}, peopleWords(c)...)
	for _, w := range c.Warnings {
		lines = append(lines, "Note: "+w.Text+".")
	}
	sections := labelSections(c)
	if !details {
		sections = []Section{correctedRates(c), labelAgreement(c), confidences(c)}
		lines = append(lines, "Thresholds: --details.")
	}
	end := summary(lines)
	end.Title = "Labels"
	return &Document{
		Title: "Judge calibration", ID: c.RunID, Sections: slices.Concat([]Section{answers(c)}, sections,
			[]Section{end}),
	}
}

// answers says the true pass rate for each judge of the whole call, and what to do next.
func answers(c *report.Calibration) Section {
	s := Section{Name: "Answer", Title: "In short"}
	var rows []*report.CalibrationRow
	for i := range c.Rows {
		if r := &c.Rows[i]; r.PassRate != nil && r.PassRate.LabelsOnly.Defined() {
			rows = append(rows, r)
		}
	}
	for _, r := range rows {
		for _, line := range answer(r, len(rows) == 1) {
			s.Note(line)
		}
	}
	for _, r := range rows {
		if r.PassRate.FurtherConversations != nil && r.Conversations > 0 {
			s.Note(furtherWords(r))
			break
		}
	}
	return s
}

// labelWords says how many labels there are, and how they were drawn.
func labelWords(c *report.Calibration) string {
	drawn := Counted(c.Conversations, "randomly drawn conversation")
	return fmt.Sprintf("%s in %s, and %d of picked items, which enter no estimate.",
		Counted(c.Random, "label"), drawn, c.Queue)
}

// peopleWords says who labelled, and how two people agree.
func peopleWords(c *report.Calibration) []string {
	var out []string
	for _, p := range c.People {
		line := fmt.Sprintf("%s: %s at random", Shorten(p.Name, 40), Counted(p.Random, "label"))
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
			out = append(out, fmt.Sprintf("%s and %s labelled nothing in common.", Shorten(p.A, 40), Shorten(p.B, 40)))
			continue
		}
		out = append(out, pairWords(&p)+". Where they differ, the label of "+Shorten(p.A, 40)+" counts.")
		if p.NotApplicable > 0 {
			out = append(out, fmt.Sprintf("On %s one of them or both say that the question does not apply, both on %d.",
				Counted(p.NotApplicable, "further item"), p.BothNotApplicable))
		}
	}
	return out
}

// pairWords says how two people agree, with the interval of their kappa, or why it has none.
func pairWords(p *report.PeoplePair) string {
	return fmt.Sprintf("%s and %s agree on %d of the %d items that both labelled: kappa %s", Shorten(p.A, 40),
		Shorten(p.B, 40), p.Agreed, p.N, Estimate(p.Kappa.Clipped(-1, 1)))
}

// PeopleAgree says how the two people with the most labels in common agree, beside the judges; ""
// if no two people labelled the same items.
func PeopleAgree(r *report.Report) string {
	var most *report.PeoplePair
	for i := range r.PeoplePairs {
		if p := &r.PeoplePairs[i]; p.N > 0 && (most == nil || p.N > most.N) {
			most = p
		}
	}
	if most == nil {
		return ""
	}
	text := pairWords(most)
	for _, judge := range r.Judges()[:min(listed, len(r.Judges()))] {
		if row, ok := r.Best(judge, ""); ok && report.IsPeople(row.Reference) && row.Kappa.Defined() {
			text += fmt.Sprintf("; %s and your labels %s", Shorten(judge, 40), Estimate(row.Kappa.Clipped(-1, 1)))
		}
	}
	return text + "."
}

// furtherWords says how many more labels are worth it.
func furtherWords(r *report.CalibrationRow) string {
	p := r.PassRate
	further, now := p.FurtherConversations, 50*(*p.Corrected.High-*p.Corrected.Low)
	text := fmt.Sprintf("The range is ±%.0f points now; %s (%s) for ±%g.", now,
		more(p.FurtherLabels(r.N, r.Conversations), "more label"), more(further, "more conversation"), 50*p.WantedWidth)
	if further.About == 0 {
		text = fmt.Sprintf("More labels are not needed: the range of the pass rate is ±%.0f points.", now)
	}
	if p.OneCall {
		text += " With one label a conversation it is too narrow if long ones fail more often."
	}
	return text
}

// more returns "60 to 110 more labels", with two significant digits.
func more(m *truth.More, what string) string {
	digits := func(n int, round func(float64) float64) int {
		step := math.Pow10(max(0, len(fmt.Sprint(n))-2))
		return int(round(float64(n)/step) * step)
	}
	if m.Least == m.Most {
		return "about " + Counted(m.About, what)
	}
	return fmt.Sprintf("%d to %s", digits(m.Least, math.Floor), Counted(digits(m.Most, math.Ceil), what))
}

// appliedSection shows the calibration of a report.
func appliedSection(r *report.Report) Section {
	a := r.Calibration
	if a == nil {
		return Section{}
	}
	s := Section{Name: "Calibration", Title: "Calibration by labels"}
	s.Note(labelWords(&a.Calibration))
	if !a.OfThisRun {
		s.Note("The labels are of run " + Shorten(a.RunID, 40) + " and no sample of this one: no corrected pass rate.")
	}
	s.Note(Applied(a))
	for _, sub := range labelSections(&a.Calibration) {
		if len(sub.Parts) > 0 {
			s.Add(Heading{Text: sub.Title})
			s.Add(sub.Parts...)
		}
	}
	return s
}

func labelSections(c *report.Calibration) []Section {
	return []Section{correctedRates(c), labelAgreement(c), fittedCuts(c), confidences(c)}
}

func correctedRates(c *report.Calibration) Section {
	t := NewTable("leeerr", "judge", "corrected", "labels only", "judge alone", "bias", "label more")
	width, counts := 0.0, ""
	for _, r := range c.Rows {
		p := r.PassRate
		if p == nil {
			continue
		}
		further, bias := None, None
		if n := p.FurtherConversations; n != nil {
			further = fmt.Sprintf("%d–%d", n.Least, n.Most)
		}
		if p.Bias.Defined() {
			bias = fmt.Sprintf("%+.1f", 100**p.Bias.Value)
		}
		width = p.WantedWidth
		if p.Corrected.Defined() && !p.Corrected.HasInterval() {
			counts = fmt.Sprintf("no interval of the corrected rate (%s): people failed %d of the %d items",
				Why(p.Corrected), p.LabelledFails, r.N)
		}
		t.Group(Shorten(r.Rubric, 60))
		t.Add(r.Judge, rate(p.Corrected.Clipped(0, 1)), rate(p.LabelsOnly), rate(p.Naive), bias, further)
	}
	return section("Pass rate", "The agent's pass rate", t, fmt.Sprintf(
		"corrected (PPI++) = the judge's rate minus its errors as the labels show them; "+
			"bias = its rate minus the labels' rate, on the labelled calls, in points; "+
			"label more = from how many to how many further conversations until its interval is %g points wide", 100*width), counts)
}

func labelAgreement(c *report.Calibration) Section {
	t := NewTable("lrerrre", "judge", "n", "kappa", "found", "kept", "balanced", "AUC")
	for _, r := range c.Rows {
		if !r.Decides() {
			continue
		}
		t.Group(Shorten(r.Rubric, 60))
		t.Add(r.Judge, r.N, kappa(r.Kappa), rate(r.RecallWrong), rate(r.Specificity), rate(r.BalancedAccuracy), mean(r.AUC))
	}
	var shown []report.Estimate
	for _, r := range c.Rows {
		if r.Decides() {
			shown = append(shown, r.Kappa, r.BalancedAccuracy, r.AUC)
		}
	}
	s := section("Labels", "Judge against the labels, the best judge of a rubric first", t, withoutInterval(shown...))
	for _, r := range c.Rows {
		if p := r.People; p != nil {
			s.Note(fmt.Sprintf("%s agrees with single people on %s, and they with each other on %s: difference %s; %s",
				by(r.Rubric, r.Judge), rate(p.Judge).Text, rate(p.People).Text, rate(p.Difference), likeness(*p)))
		}
	}
	for _, r := range c.Rows {
		againstLabels(&s, by(r.Rubric, r.Judge), r.Ratings, r.Applies)
	}
	var left []string
	for _, u := range c.Unlabelled {
		left = append(left, Shorten(u.Rubric, 60))
	}
	if len(left) > 0 {
		s.Note("not labelled: " + Some(left, 8) + " (" + Shorten(c.Unlabelled[0].Note, 160) + ")")
	}
	return s
}

func fittedCuts(c *report.Calibration) Section {
	t := NewTable("lrrrel", "judge", "best cut", "kappa now", "kappa then", "gain", "threshold")
	var notes []string
	for _, r := range c.Rows {
		fit := r.Threshold
		if !r.Decides() {
			continue
		}
		advice := "keep the declared one"
		if fit.Change {
			advice = "change"
		}
		t.Group(Shorten(r.Rubric, 60))
		t.Add(r.Judge, mean(fit.Best), mean(fit.AtDeclared), mean(fit.AtBest), signed(fit.Gain), advice)
		if fit.Note != "" {
			notes = append(notes, by(r.Rubric, r.Judge)+": "+Shorten(fit.Note, 300))
		}
	}
	return section("Thresholds", "Thresholds, fitted on one half of the labels, tried on the other", t, notes...)
}

// CutNote says what the test half of the labels shows about a fitted threshold; same says that the threshold
// decides that half like the declared one. It is better if kappa rises by more than one standard error.
func CutNote(t *report.FittedCut, same bool) string {
	text := fmt.Sprintf("passing from %g", *t.Best.Value)
	switch {
	case same:
		return text + " decides the other half as the declared threshold does, which stays"
	case !t.Gain.Defined() || !t.GainSE.Defined():
		return "the other half cannot show whether " + text + " is better: the declared threshold stays"
	case t.Change:
		return fmt.Sprintf("%s: on the other half kappa rises by %.2f, more than its standard error of %.2f",
			text, *t.Gain.Value, *t.GainSE.Value)
	}
	return fmt.Sprintf("%s changes kappa on the other half by %+.2f, not more than its standard error of %.2f: "+
		"the declared threshold stays", text, *t.Gain.Value, *t.GainSE.Value)
}

func confidences(c *report.Calibration) Section {
	s := Section{Name: "Confidence", Title: confidenceTitle}
	for _, r := range c.Rows {
		if r.Confidence != nil && r.Confidence.N > 0 {
			s.Note(fmt.Sprintf("%s: %s", by(r.Rubric, r.Judge), confidence(r.Confidence, "label")))
		}
	}
	return s
}

const confidenceTitle = "Does the judge's confidence mean what it says?"

// confidence returns a sentence: how much the stated confidence differs from the share of right verdicts.
func confidence(c *report.Confidence, reference string) string {
	gap := "as high as the share of verdicts"
	if over := *c.Overconfidence.Value; over >= 0.0005 {
		gap = fmt.Sprintf("%.1f points above the share of verdicts", 100*over)
	} else if over <= -0.0005 {
		gap = fmt.Sprintf("%.1f points below the share of verdicts", -100*over)
	}
	return fmt.Sprintf("the confidence it states is on average %s that the %s confirms (%s; Brier score %s, 0 is best)",
		gap, reference, Counted(c.N, "verdict"), mean(c.Brier).Text)
}

// Applied says what a calibration changed; "" if nothing.
func Applied(a *report.Applied) string {
	var changed []string
	for _, r := range a.Rows {
		if r.CutInUse != nil {
			changed = append(changed, fmt.Sprintf("%s by %s passes from %s", r.Rubric, r.Judge, Short(*r.CutInUse)))
		}
	}
	if len(changed) == 0 {
		return ""
	}
	return fmt.Sprintf("Calibration by the labels of run %s: %s.", a.RunID, strings.Join(changed, "; "))
}

// CalibrationDoubts returns warnings about what a calibration makes doubtful in the report that uses it.
func CalibrationDoubts(a *report.Applied) []report.Warning {
	if !a.OfThisRun {
		return []report.Warning{Warning(CalibratedElsewhere, a.RunID)}
	}
	var out []report.Warning
	for _, r := range a.Rows {
		if r.CutInUse != nil {
			out = append(out, Warning(FittedHere, r.Rubric, r.Judge))
		}
	}
	return out
}

// answer says the true pass rate, how sure it is, what the judge said, and whether the judge helps.
// alone leaves out whose rate it is.
func answer(r *report.CalibrationRow, alone bool) []string {
	p, by := r.PassRate, " of "+by(r.Rubric, r.Judge)
	if alone {
		by = ""
	}
	said := "The judge alone said " + share(p.Naive.Value) + "."
	yours, level := "your "+Counted(r.N, "label"), cmp.Or(r.Level, report.CallLevel)
	var out []string
	switch {
	case p.Corrected.HasInterval():
		out = append(out, fmt.Sprintf("True pass rate%s: %s%s, from %s and the judge. %s", by, share(p.Corrected.Value),
			between(p.Corrected.Clipped(0, 1)), yours, said))
	case r.NoSample != "":
		out = append(out, fmt.Sprintf("Pass rate%s of the %ss that you labelled: %s. They are not a random sample, so "+
			"this is not the rate of all %[2]ss. %[4]s", by, level, share(p.LabelsOnly.Value), said))
	default:
		out = append(out, fmt.Sprintf("Pass rate%s: %s by %s%s. %s %s", by, share(p.LabelsOnly.Value), yours,
			between(p.LabelsOnly), said, toCorrect(r)))
	}
	if !r.RecallWrong.Defined() || !r.Specificity.Defined() {
		return out
	}
	helps := "It"
	if b := r.BalancedAccuracy; b.HasInterval() && *b.Low <= 0.5 {
		helps = "These labels do not show that this judge helps: it"
	}
	return append(out, fmt.Sprintf("%s finds %s of the %ss you failed and passes %s of those you passed.", helps,
		share(r.RecallWrong.Value), level, share(r.Specificity.Value)))
}

// toCorrect says how many more labels the corrected rate needs.
func toCorrect(r *report.CalibrationRow) string {
	byRarer, byConversations := r.PassRate.LabelsToCorrect(r.N, r.Conversations)
	text := fmt.Sprintf("To correct it takes %d labelled conversations (about %s)", truth.FewestLabelled,
		Counted(byConversations, "more label"))
	if byRarer == 0 {
		return text + fmt.Sprintf(", or %d labelled fails and as many passes.", truth.FewestPPI)
	}
	class := "fails"
	if 2*r.PassRate.LabelledFails > r.N {
		class = "passes"
	}
	return text + fmt.Sprintf(", or %d labelled %s (about %d more at this rate).", truth.FewestPPI, class, byRarer)
}

// likeness says what the interval of a judge's likeness to people means.
func likeness(h report.HumanLikeness) string {
	switch d := h.Difference; {
	case h.Within:
		return "within the range of human disagreement"
	case !d.HasInterval():
		return "nothing can be said: no interval"
	case *d.High < 0:
		return "agrees with people less than they do with each other"
	}
	return "the interval is too wide to say"
}
