package render

import (
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/judgekit/judge/internal/report"
)

// maxAgreementRows bounds the tables of pairs and changes in text and Markdown,
// maxComparedRows the comparison with references.
const (
	maxAgreementRows = 28
	maxComparedRows  = 40
)

// shownAgreement are the rows that text and Markdown show: where there are too many,
// of each rubric and judge those with the strongest references.
func shownAgreement(r *report.Report) (rows []compared, left int) {
	all := comparedRows(r)
	if len(all) <= maxComparedRows {
		return all, 0
	}
	groups := map[[2]string]int{}
	for _, c := range all {
		groups[[2]string{c.Judge, c.Rubric}]++
	}
	each := max(2, maxComparedRows/len(groups))
	taken := map[[2]string]int{}
	for _, c := range all {
		g := [2]string{c.Judge, c.Rubric}
		if taken[g] < each && len(rows) < 2*maxComparedRows {
			rows = append(rows, c)
		}
		taken[g]++
	}
	return rows, len(all) - len(rows)
}

func (p *textPage) agreement(r *report.Report) {
	shown, left := shownAgreement(r)
	if len(shown) == 0 {
		return
	}
	p.heading("Judge against deterministic scores and labels")
	for _, line := range r.GoldWords() {
		p.note(2, line)
	}
	var rows []table.Row
	group := ""
	marks, reduced := map[string]string{}, false
	for _, c := range shown {
		if g := c.Rubric + " by " + c.Judge; g != group {
			group = g
			rows = append(rows, table.Row{shorten(g, 60)})
		}
		name := "  " + shorten(c.Reference.Title(), 34) + warningMarks(c.AgreementRow, marks)
		if len(c.Same) > 0 {
			name += "⁼"
		}
		if c.Reduction != "" {
			name += " §"
			reduced = true
		}
		if c.Refused != "" {
			rows = append(rows, table.Row{name, "", "", "refused: " + c.Refused})
			continue
		}
		rows = append(rows, table.Row{name, c.N, percent(c.BaseRate), mean(c.Kappa.Clipped(-1, 1)), wholePercent(c.RecallWrong), wholePercent(c.Specificity), number(c.AC1), number(c.AUC), number(c.Spearman)})
	}
	p.table(table.Row{"", "n", "base", "kappa", "found", "kept", "AC1", "AUC", "rho"}, rows, 2, 3, 5, 6, 7, 8, 9)
	p.agreementNotes(marks, left, reduced)
	for _, note := range append(doubtNotes(shown), sameNotes(shown)...) {
		p.note(2, note)
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
		note := "kappa " + number(c.Kappa) + " without an interval: " + doubt
		if !slices.Contains(out, note) {
			out = append(out, note)
		}
	}
	return out
}

func (p *textPage) agreementNotes(marks map[string]string, left int, reduced bool) {
	p.note(2, "base = share that the reference passes; found = recall of wrong calls; kept = specificity, the right ones it passes; AUC = chance that the judge ranks a right one above a wrong one; rho = rank correlation")
	if left > 0 {
		p.note(2, fmt.Sprintf("%d more rows are in report.json", left))
	}
	for _, m := range markOrder {
		if why, ok := marks[m.mark]; ok {
			p.note(2, m.mark+" "+why)
		}
	}
	if reduced {
		p.note(2, "§ calls reduced to conversations: all must pass (mean and share are in report.json)")
	}
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
