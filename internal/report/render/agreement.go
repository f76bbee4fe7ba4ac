package render

import (
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

// maxComparedRows bounds the comparison with references in text and Markdown.
const maxComparedRows = 40

// pickCompared reports which rows text and Markdown show: where there are too many, of
// each rubric and judge those with the strongest references.
func pickCompared(all []compared) []bool {
	groups := map[[2]string]int{}
	for _, c := range all {
		groups[[2]string{c.Judge, c.Rubric}]++
	}
	each := len(all)
	if len(all) > maxComparedRows {
		each = max(2, maxComparedRows/len(groups))
	}
	taken := map[[2]string]int{}
	picked := make([]bool, len(all))
	for i, c := range all {
		g := [2]string{c.Judge, c.Rubric}
		picked[i] = taken[g] < each
		taken[g]++
	}
	return picked
}

// agreementSection holds each rubric of each judge against each reference.
func agreementSection(r *report.Report, f *figures) document.Section {
	rows := comparedRows(r)
	s := document.Section{ID: "agreement", Name: "Agreement", Title: "Judge against deterministic scores and labels"}
	if len(rows) == 0 {
		return document.Section{}
	}
	for _, line := range r.GoldWords() {
		s.Add(document.Sentence{Text: line, Strong: true})
	}
	if f.page {
		s.Add(f.draw("heat", heatOf(r, rows)), f.draw("whiskers", whiskersOf(rows)))
	}
	t := &document.Table{Most: 2 * maxComparedRows, Fold: "All numbers of the comparison", Kinds: "lrreiirirRRRRRR",
		Heads: []string{"reference", "n", "base", "kappa", "found", "kept", "AC1", "AUC", "rho", "verdicts", "MCC", "both pass", "only judge passes", "only reference passes", "both fail"}}
	marks := map[string]string{}
	picked := pickCompared(rows)
	reduced := false
	for i, c := range rows {
		t.Group(by(c.Rubric, c.Judge))
		name := shorten(c.Reference.Title(), 60) + warningMarks(c.AgreementRow, marks)
		if len(c.Same) > 0 {
			name += "⁼"
		}
		if c.Reduction != "" {
			name, reduced = name+" §", true
		}
		addCompared(t, name, &c.AgreementRow).PageOnly = !picked[i]
	}
	addReductions(t, r)
	s.Add(t)
	s.Note("base = share that the reference passes; found = recall of wrong calls; kept = specificity, the right ones it passes; AUC = chance that the judge ranks a right one above a wrong one; rho = rank correlation")
	for _, m := range markOrder {
		if why, ok := marks[m.mark]; ok {
			s.Note(m.mark + " " + why)
		}
	}
	if reduced {
		s.Note("§ calls reduced to conversations: all must pass (mean and share are in report.json)")
	}
	for _, note := range append(doubtNotes(rows), sameNotes(rows)...) {
		s.Note(note)
	}
	return s
}

func addCompared(t *document.Table, name string, a *report.AgreementRow) *document.Row {
	if a.Refused != "" {
		return t.Add(words(name), words(""), words(""), words("refused: "+a.Refused))
	}
	c := a.Confusion
	return t.Add(words(name), num(a.N), rate(a.BaseRate), kappa(a.Kappa), rate(a.RecallWrong), rate(a.Specificity), mean(a.AC1), mean(a.AUC), mean(a.Spearman),
		num(a.Verdicts), mean(a.MCC), num(c.BothPass), num(c.JudgeOnlyPass), num(c.JudgeOnlyFail), num(c.BothFail))
}

// addReductions adds the other ways to reduce calls to conversations, for the page.
func addReductions(t *document.Table, r *report.Report) {
	for i := range r.Agreement {
		a := &r.Agreement[i]
		if strictRow(*a) {
			continue
		}
		t.Group(by(a.Rubric, a.Judge) + ", calls reduced by " + a.Reduction)
		addCompared(t, shorten(a.Reference.Title(), 60), a).PageOnly = true
	}
}

// doubtNotes explain kappas that have no interval.
func doubtNotes(rows []compared) []string {
	var out []string
	for _, c := range rows {
		doubt := c.Doubt()
		if doubt == "" {
			continue
		}
		note := "kappa " + mean(c.Kappa).Text + " without an interval: " + doubt
		if !slices.Contains(out, note) {
			out = append(out, note)
		}
	}
	return out
}

// markOrder are the warnings that get a mark beside a row.
var markOrder = []struct{ code, mark, why string }{
	{"one_class", "¹", "the reference has one class only: it cannot tell a good judge from a bad one"},
	{"judge_one_class", "²", "the judge gives everything the same verdict"},
	{"few_of_one_class", "³", "fewer than 10 items of one class"},
	{"few_items", "⁴", "fewer than 30 items"},
	{"few_conversations", "⁵", "fewer than 10 conversations: the interval is a guess"},
	{"ceiling", "⁶", "nearly everything is of one class: read AC1 beside kappa"},
	{"missing", "⁷", "the judge lacks more than 2 % of these items"},
	{"shared_rules", "⁸", "the judge applies these rules itself: agreement is to be expected"},
}

func warningMarks(a report.AgreementRow, used map[string]string) string {
	out := ""
	for _, m := range markOrder {
		for _, w := range a.Warnings {
			if w.Code == m.code {
				out += m.mark
				used[m.mark] = m.why
			}
		}
	}
	return out
}

// gradedSection compares scores as numbers.
func gradedSection(r *report.Report) document.Section {
	t := &document.Table{Heads: []string{"reference", "n", "bias", "mean error", "RMSE", "CCC", "rho"}, Kinds: "lrerrrr"}
	for _, c := range comparedRows(r) {
		if g := c.Graded; g != nil {
			t.Group(by(c.Rubric, c.Judge))
			t.Add(words(referenceName(c.AgreementRow, 60)), num(c.N), signed(g.Bias), mean(g.MAE), mean(g.RMSE), mean(g.CCC), mean(c.Spearman))
		}
	}
	return document.Section{ID: "graded", Name: "Graded", Title: "Graded scores as numbers", Parts: table(t,
		"bias = the judge's score minus the reference's; mean error = of its size; CCC = concordance: 1 where the two numbers can stand for each other, less where they only rise together")}
}

// peerSection holds the judges against each other: by two, and all of them.
func peerSection(r *report.Report) document.Section {
	s := document.Section{ID: "judges", Name: "Judges", Title: "Judges among themselves"}
	t := &document.Table{Heads: []string{"rubric", "n", "agree", "kappa", "weighted", "rho", "tau", "only 1st", "2nd"}, Kinds: "lrrerrrrr"}
	for _, j := range r.JudgeVsJudge {
		t.Group(shorten(j.A, 40) + " and " + shorten(j.B, 40))
		k := kappa(j.Kappa)
		if doubt := j.Kappa.Doubt(); doubt != "" && j.N > 0 {
			k.Text += ", " + doubt
		}
		t.Add(words(j.Rubric), num(j.N), rate(j.Agreement), k, mean(j.WeightedKappa), mean(j.Spearman), mean(j.KendallB), num(j.OnlyAPasses), num(j.OnlyBPasses))
	}
	if len(t.Rows) > 0 {
		s.Add(document.Heading{Text: "Judge against judge (neither is the reference)"})
		s.Add(table(t, "only 1st, 2nd = items that just one of the two passes; weighted = quadratic kappa over the scale; rho, tau = rank correlations by Spearman and by Kendall (tau-b)")...)
	}
	all := &document.Table{Heads: []string{"rubric", "judges", "n", "Fleiss", "of verdicts", "of scores", "scale"}, Kinds: "lrrreel"}
	for _, c := range r.Consensus {
		group := "all judges"
		if c.Panel != "" {
			group = "panel " + shorten(c.Panel, 60)
		}
		all.Group(group)
		all.Add(words(c.Rubric), num(len(c.Judges)), num(c.N), mean(c.Fleiss), kappa(c.Nominal), kappa(c.Values), words(c.Scale))
	}
	if len(all.Rows) > 0 {
		s.Note("All judges at once, whoever is right: Fleiss' kappa of the verdicts, Krippendorff's alpha of verdicts and of scores (1 is all, 0 is chance):")
		s.Add(all)
	}
	return s
}

// noiseSection says what changes when a judge is asked twice.
func noiseSection(r *report.Report) document.Section {
	t := &document.Table{Heads: []string{"rubric", "n", "same", "verdict changed", "sd", "ICC", "kappa", "floor"}, Kinds: "lrrerrer"}
	for _, n := range r.Noise {
		t.Group("judge " + shorten(n.Judge, 60))
		t.Add(words(n.Rubric), num(n.N), rate(n.Repeated), rate(n.Flips), mean(n.WithinSD), mean(n.ICC), kappa(n.Kappa), small(n.Floor))
	}
	return document.Section{ID: "noise", Name: "Noise", Title: "Noise: what changes when a judge is asked twice", Parts: table(t,
		"same = share of answers with the same score; sd = of a score about its own mean; floor = the least difference of two runs' means over these items that is more than this noise, in units of the score")}
}
