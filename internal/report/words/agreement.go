package words

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// wasShown says why a judge is not compared with a reference.
const wasShown = "the judge was shown what the reference decides by; they are not compared"

// comparedRows returns the rows of the agreement that people see: the reference measures what the
// rubric asks about, and both sides have at least two different verdicts. If calls were reduced to
// conversations in several ways, only the strictest is returned. Rows are sorted by judge, overall
// rubric first, strongest reference first.
func comparedRows(r *report.Report) []*report.AgreementRow {
	var out []*report.AgreementRow
	var judges, rubrics []string
	for i := range r.Agreement {
		a := &r.Agreement[i]
		strict := a.Reduction == "" || a.Reduction == report.ReduceMin
		if strict && a.Unprinted == "" && (a.N > 0 || a.Refused != "") && (a.Verdicts > 0 || a.Ratings == nil) {
			out, judges, rubrics = append(out, a), append(judges, a.Judge), append(rubrics, a.Rubric)
		}
	}
	sorting.Stable(out, func(x, y *report.AgreementRow) int {
		return cmp.Or(
			cmp.Compare(slices.Index(judges, x.Judge), slices.Index(judges, y.Judge)),
			report.CompareOverall(x.Rubric, y.Rubric),
			cmp.Compare(slices.Index(rubrics, x.Rubric), slices.Index(rubrics, y.Rubric)),
			cmp.Compare(r.Rank(x.Reference), r.Rank(y.Reference)))
	})
	return out
}

// goldRows returns the compared rows whose reference is evidence in both directions.
func goldRows(r *report.Report) []*report.AgreementRow {
	return slices.DeleteFunc(comparedRows(r), func(a *report.AgreementRow) bool {
		return a.Direction != report.BothDirection
	})
}

// referenceName returns a reference's name; § marks calls that were reduced to conversations.
func referenceName(a *report.AgreementRow) string {
	if a.Reduction != "" {
		return Shorten(a.Reference.Title(), 60) + " §"
	}
	return Shorten(a.Reference.Title(), 60)
}

// agreementSection shows each rubric of each judge against each reference.
func agreementSection(r *report.Report) Section {
	rows := comparedRows(r)
	s := Section{Name: "Agreement", Title: "Judge against deterministic scores and labels"}
	if len(rows) == 0 {
		return Section{}
	}
	for _, line := range goldWords(r) {
		s.Add(Sentence{Text: line, Strong: true})
	}
	s.Table(kappaMap(r))
	t := comparedTable("reference")
	marks := map[string]bool{}
	for _, a := range rows {
		t.Group(by(a.Rubric, a.Judge))
		t.Add(comparedCells(Shorten(a.Reference.Title(), 60)+marksOf(a, marks), a)...)
	}
	s.Table(t, "base = share that the reference passes; found = recall of what is wrong; "+
		"kept = specificity, the right ones it passes; AUC = chance that the judge ranks a right one above a wrong one; "+
		"for a reference that is evidence in only one direction, only the number for that direction is shown")
	var shown []report.Estimate
	for _, a := range rows {
		shown = append(shown, a.Kappa, a.AUC)
	}
	s.Note(withoutInterval(shown...))
	if slices.ContainsFunc(rows, func(a *report.AgreementRow) bool { return a.Refused != "" }) {
		s.Note("circular: " + wasShown)
	}
	for _, m := range rowMarks {
		if marks[m.mark] {
			s.Note(m.mark + " " + m.why)
		}
	}
	return s
}

// kappaMap shows, in colours on the page, the kappa of each rubric against the gold references.
func kappaMap(r *report.Report) *Table {
	const maxRows = 24
	t := NewTable("l", "kappa against gold; pale: fewer than 30 items, or 0 is inside the interval")
	t.PageOnly = true
	var gold []report.Instrument
	for _, g := range r.Gold() {
		if r.Direction(g) == report.BothDirection {
			gold, t.Heads, t.Kinds = append(gold, g), append(t.Heads, Shorten(g.Title(), 20)), t.Kinds+"e"
		}
	}
	for _, a := range goldRows(r) {
		at, name := slices.Index(gold, a.Reference), by(a.Rubric, a.Judge)
		if at < 0 {
			continue
		}
		if n := len(t.Rows); n == 0 || t.Rows[n-1].Cells[0].Text != name {
			if n == maxRows {
				break
			}
			t.Add(name)
		}
		t.Rows[len(t.Rows)-1].Cells[at+1] = kappaColour(a)
	}
	return t
}

// kappaColour returns a kappa in its colour, which is pale if there are few items or the interval contains 0.
func kappaColour(a *report.AgreementRow) Cell {
	const few = 30
	if a.Refused != "" || !a.Kappa.Defined() {
		return Cell{Text: None, Ends: cmp.Or(a.Refused, Shorten(Why(a.Kappa), 22))}
	}
	kappa, n := *a.Kappa.Value, 0
	for _, from := range []float64{0, 0.2, 0.4, 0.6, 0.8} {
		if kappa >= from {
			n++
		}
	}
	c := Cell{Text: Fixed(kappa, 2), Ends: fmt.Sprintf("n %d", a.Verdicts), Class: fmt.Sprint("k", n)}
	around0 := kappa <= 0
	if a.Kappa.HasInterval() {
		around0 = *a.Kappa.Low <= 0 && *a.Kappa.High >= 0
	}
	if a.Verdicts < few || around0 {
		c.Class += " weak"
	}
	return c
}

// comparedTable returns an empty table for comparedCells.
func comparedTable(name string) *Table {
	return NewTable("lrrebiiriRRRRRRR", name, "n", "base", "kappa", "-1 to 1", "found", "kept", "AC1", "AUC",
		"rho", "verdicts", "MCC", "both pass", "only judge passes", "only reference passes", "both fail")
}

func comparedCells(name string, a *report.AgreementRow) []any {
	if a.Refused != "" {
		return []any{name, "", "", "refused: " + a.Refused}
	}
	c := a.Confusion
	switch a.Direction {
	case report.PassDirection:
		return []any{name, a.N, "", "", "", "", whole(a.Specificity)}
	case report.FailDirection:
		return []any{name, a.N, "", "", "", whole(a.RecallWrong)}
	}
	return []any{name, a.N, rate(a.BaseRate), kappa(a.Kappa), kappaBar(a), whole(a.RecallWrong), whole(a.Specificity),
		mean(a.AC1), mean(a.AUC), mean(a.Spearman), a.Verdicts, mean(a.MCC), c.BothPass, c.JudgeOnlyPass, c.JudgeOnlyFail,
		c.BothFail}
}

// kappaBar draws kappa on a scale from -1 to 1; the dot is hollow if the judge applies the reference's
// rules itself.
func kappaBar(a *report.AgreementRow) Cell {
	share := func(f *float64) *float64 {
		if f == nil {
			return nil
		}
		return new((*f + 1) / 2)
	}
	e := a.Kappa
	c := bar(report.Estimate{Value: share(e.Value), Low: share(e.Low), High: share(e.High)}, "dot")
	if c.Bar != nil {
		c.Bar.Dot = true
		if a.SharedRules {
			c.Bar.Class = "hollow"
		}
	}
	return c
}

// rowMarks lists the warnings that put a mark beside a row.
var rowMarks = []struct{ code, mark, why string }{
	{"one_class", "¹", "the reference has one class only: it cannot show whether the judge is good"},
	{"judge_one_class", "²", "the judge gives everything the same verdict"},
	{"few_of_one_class", "³", "fewer than 10 items of one class"},
	{"few_items", "⁴", "fewer than 30 items"},
	{"few_conversations", "⁵", "fewer than 10 conversations: the interval is a guess"},
	{"below_constant", "⁰", "agrees less often than a constant verdict would: read found and kept"},
	{"ceiling", "⁶", "nearly everything is of one class: read AC1 beside kappa"},
	{"missing", "⁷", "the judge has no score for more than 2 % of these items"},
	{"shared_rules", "⁸", "the judge applies these rules itself: agreement is to be expected"},
	{reduced, "§", "calls reduced to conversations: all must pass (mean and share are in report.json)"},
}

// reduced is the code for rows whose calls became conversations.
const reduced = "reduced"

func marksOf(a *report.AgreementRow, used map[string]bool) string {
	out := ""
	for _, m := range rowMarks {
		has := slices.ContainsFunc(a.Warnings, func(w report.Warning) bool { return w.Code == m.code })
		if m.code == reduced && a.Reduction != "" {
			has, out = true, out+" "
		}
		if has {
			out += m.mark
			used[m.mark] = true
		}
	}
	return out
}

// confidenceSection says, for each judge's headlines, how much its confidence differs from how
// often its verdicts are confirmed.
func confidenceSection(r *report.Report) Section {
	s := Section{Name: "Confidence", PageOnly: true, Title: confidenceTitle}
	for _, judge := range firstJudges(r) {
		var rows []report.AgreementRow
		for _, level := range []string{"", report.CallLevel} {
			row, ok := r.Best(judge, level)
			known := func(x report.AgreementRow) bool { return x.Reference == row.Reference }
			if ok && !slices.ContainsFunc(rows, known) {
				rows = append(rows, row)
			}
		}
		for _, a := range rows {
			if a.Confidence != nil && a.Direction == report.BothDirection {
				s.Note(fmt.Sprintf("%s: %s", by(a.Rubric, judge), confidence(a.Confidence, referenceName(&a))))
			}
		}
	}
	return s
}

// gradedSection compares scores as numbers.
func gradedSection(r *report.Report) Section {
	t := gradedTable("reference")
	for _, a := range goldRows(r) {
		if a.Graded != nil {
			t.Group(by(a.Rubric, a.Judge))
			t.Add(gradedCells(referenceName(a), a)...)
		}
	}
	return section("Graded", "Graded scores as numbers", t, gradedNote)
}

// gradedTable returns an empty table for gradedCells; gradedNote goes below it.
func gradedTable(name string) *Table {
	return NewTable("lrerrrr", name, "n", "bias", "mean error", "RMSE", "CCC", "rho")
}

const gradedNote = "bias = the judge's score minus the reference's; mean error = of its size; CCC = concordance: " +
	"1 if the two numbers are interchangeable, less if they only rise together"

func gradedCells(name string, a *report.AgreementRow) []any {
	g := a.Graded
	return []any{name, a.N, signed(g.Bias), difference(g.MAE), difference(g.RMSE), mean(g.CCC), mean(a.Spearman)}
}

// peerSection compares the judges with each other: two at a time, and all together.
func peerSection(r *report.Report) Section {
	s := Section{Name: "Judges", Title: "Judges among themselves"}
	for _, k := range r.Rankings {
		s.Add(Heading{Text: fmt.Sprintf("%s, ranked by Youden's J against %s", Shorten(k.Rubric, 60),
			Shorten(k.Reference.Title(), 60))})
		s.Table(rankingTable(k.Judges, func(judge string) string { return Shorten(judge, 60) }))
	}
	t := NewTable("lrrerrrrr", "rubric", "n", "agree", "kappa", "weighted", "rho", "tau", "only 1st", "2nd")
	for _, j := range r.JudgeVsJudge {
		t.Group(Shorten(j.A, 40) + " and " + Shorten(j.B, 40))
		t.Add(j.Rubric, j.N, rate(j.Agreement), kappa(j.Kappa), mean(j.WeightedKappa),
			mean(j.Spearman), mean(j.KendallB), j.OnlyAPasses, j.OnlyBPasses)
	}
	if len(t.Rows) > 0 {
		s.Add(Heading{Text: "Judge against judge (neither is the reference)"})
	}
	s.Table(t, "only 1st, 2nd = items that just one of the two passes; weighted = quadratic kappa over the scale; "+
		"rho, tau = rank correlations by Spearman and by Kendall (tau-b)")
	all := consensusTable("rubric")
	for i := range r.Consensus {
		c := &r.Consensus[i]
		group := "all judges"
		if c.Panel != "" {
			group = "panel " + Shorten(c.Panel, 60)
		}
		all.Group(group)
		all.Add(consensusCells(c.Rubric, c)...)
	}
	if len(all.Rows) > 0 {
		s.Note(consensusNote + ":")
	}
	s.Table(all)
	return s
}

// consensusTable returns an empty table for consensusCells, which consensusNote explains.
func consensusTable(name string) *Table {
	return NewTable("lrrrrreel", name, "judges", "n", "same", "Fleiss", "AC1", "alpha", "of scores", "scale")
}

const consensusNote = "All judges at once, right or wrong: same = pairs with the same verdict; Fleiss' kappa, " +
	"Gwet's AC1 and Krippendorff's alpha of the verdicts, and alpha of the scores (1 is all, 0 is chance)"

func consensusCells(name string, c *report.ConsensusRow) []any {
	return []any{
		name, len(c.Judges), c.N, rate(c.Same), mean(c.Fleiss), Number(c.Gwet.WithoutInterval(), 2),
		kappa(c.Nominal), kappa(c.Values), c.Scale,
	}
}

// rankingTable returns the judges in their order, and a note that explains it.
func rankingTable(
	judges []report.RankedJudge, name func(judge string) string,
) (t *Table, note string) {
	t, note = NewTable("lreer", "judge", "n", "J", "from the best", "p"), "J = found + kept - 1; "
	for _, j := range judges {
		quality := j.Youden
		if j.Kappa != nil {
			t.Heads[2], quality, note = "kappa", *j.Kappa, ""
		}
		t.Add(name(j.Judge), j.N, mean(quality), mean(j.Behind), P(j.Holm))
	}
	return t, note + "from the best: the difference on the items that both judged, by conversation; " +
		"p corrected by Holm for the number of judges"
}

// noiseSection says what changes when a judge is asked twice.
func noiseSection(r *report.Report) Section {
	t := NewTable("lrrerrer", "rubric", "n", "same", "verdict changed", "sd", "ICC", "kappa", "floor")
	for _, n := range r.Noise {
		t.Group("judge " + Shorten(n.Judge, 60) + map[bool]string{true: ": alone against together"}[n.Together])
		t.Add(n.Rubric, n.N, rate(n.Repeated), rate(n.Flips), mean(n.WithinSD), mean(n.ICC),
			kappa(n.Kappa), Number(n.Floor.WithoutInterval(), 3))
	}
	s := section("Noise", "Noise: what changes when a judge is asked twice", t,
		"same = share of answers with the same score; sd = of a score about its own mean; floor = the least "+
			"difference of two runs' means over these items that is more than this noise, in units of the score")
	halo := NewTable("llrrre", "rubric", "with", "n", "alone", "together", "more together")
	for _, h := range r.Halo {
		halo.Group("judge " + Shorten(h.Judge, 60))
		halo.Add(h.A, h.B, h.N, mean(h.Alone), mean(h.Together), signed(h.More))
	}
	s.Table(halo, "alone, together = rank correlation of the scores by two rubrics, asked one at a time and in one "+
		"request; if the range of \"more together\" is above 0, the rubrics pull each other: ask them alone")
	return s
}

// Evidence returns a phrase: what a reference is, and how strong its evidence is.
func Evidence(e report.Evidence) string {
	kind, why := reference(e)
	switch {
	case e.Pass == score.Gold:
		return kind
	case e.Pass == score.Weak && e.Fail == score.Weak:
		return kind + "; neither its passes nor its fails show much: " + why
	case e.Pass == e.Fail:
		return kind + "; its passes and its fails are strong evidence, but " + why
	case e.Fail == score.Weak:
		return kind + "; a pass shows that the call is right, a fail does not show that it is wrong: " + why
	}
	return kind + "; a fail shows that the call is wrong, a pass does not show that it is right: " + why
}

// reference returns the kind of a reference, and why one direction of it is weak ("" for a label).
func reference(e report.Evidence) (kind, why string) {
	if e.Label {
		return "a label", ""
	}
	switch e.Measures {
	case score.EndState:
		return "execution and its end state", "a further side effect is not seen"
	case score.EquivalentCalls, score.ExpectedCalls:
		return "a match with the expected calls", "a valid alternative fails"
	case score.ExpectedShare:
		return "a graded match with the expected calls", "its pass mark is a choice, and a valid alternative fails"
	case score.Recovery:
		return "what the agent does after a failed call", "a right call need not recover"
	case score.Form, score.RequiredCalls, score.ToolName:
		return "form and coverage, not meaning", "what is well formed can be wrong"
	}
	return "a rule of thumb", "it looks at one aspect only"
}

// goldWords says, for each level, what is used as gold and how strong its evidence is. It belongs
// above every table that measures a judge.
func goldWords(r *report.Report) []string {
	var out []string
	for _, ref := range r.Gold() {
		lead := "Gold for %ss: %s, %s."
		switch {
		case r.Rank(ref) < 0:
			lead = "You named the gold for %ss: %s, %s."
		case r.Rank(ref) > report.GoldRank:
			lead = "No gold labels for %ss. Best reference: %s, %s."
		}
		out = append(out, fmt.Sprintf(lead, ref.Level, Shorten(ref.Title(), 80), Evidence(r.Evidence(ref))))
	}
	return out
}
