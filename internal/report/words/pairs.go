package words

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
)

// pairRow is a row of a table: a pair of columns, or a part of its rows.
type pairRow struct {
	group, name string
	// small strata have no intervals, which would depend more on the formula than on the rows.
	small bool
	*report.ColumnPair
}

// addTable adds a table with a row for each pair, without empty columns.
func addTable(
	s *Section, t *Table, rows []pairRow,
	cells func(name string, x *report.ColumnPair) []any, notes ...string,
) {
	t.Most = 200
	for _, row := range rows {
		if row.group != "" {
			t.Group(row.group)
		}
		added := t.Add(cells(row.name, row.ColumnPair)...)
		if !row.small {
			continue
		}
		added.Faint = true
		for i := range added.Cells {
			added.Cells[i].Ends = ""
		}
	}
	if dropEmpty(t); len(t.Heads) > 1 {
		s.Table(t, notes...)
	}
}

// dropEmpty removes the columns without a value.
func dropEmpty(t *Table) {
	for i := len(t.Heads) - 1; i > 0; i-- {
		if slices.ContainsFunc(t.Rows, func(row Row) bool {
			return row.Group == "" && (row.Cells[i].Bar != nil || row.Cells[i].Text != "" && row.Cells[i].Text != None)
		}) {
			continue
		}
		t.Heads, t.Kinds = slices.Delete(t.Heads, i, i+1), t.Kinds[:i]+t.Kinds[i+1:]
		for k := range t.Rows {
			if t.Rows[k].Group == "" {
				t.Rows[k].Cells = slices.Delete(t.Rows[k].Cells, i, i+1)
			}
		}
	}
}

// addVerdicts adds the tables of verdicts and of categories.
func addVerdicts(s *Section, name string, rows []pairRow) {
	explained := "base = share that the first of the two passes"
	if first := rows[0]; first.Youden != (report.Estimate{}) {
		explained = fmt.Sprintf("base = share that %s passes; found = recall of wrong items; kept = specificity, the right "+
			"ones that are passed; AUC = chance that a right one ranks above a wrong one", first.Reference.Name)
	}
	has := func(of func(x pairRow) bool) bool { return slices.ContainsFunc(rows, of) }
	if has(func(x pairRow) bool { return x.Verdicts > 0 || x.Score != nil }) {
		t := comparedTable(name)
		t.Kinds = "lrrebiirirRrRrrR" // text has MCC and the counts of both errors too
		addTable(s, t, rows, func(name string, x *report.ColumnPair) []any {
			cells := comparedCells(name, &x.AgreementRow)
			if x.Verdicts == 0 { // no counts, for instance for a mean over strata
				cells = append(cells[:10], "", mean(x.MCC))
			}
			return cells
		}, explained)
		more := NewTable("lreeRee", name, "passes", "same verdict", "J", "balanced", "precision of fails",
			"of passes")
		addTable(s, more, rows, func(name string, x *report.ColumnPair) []any {
			return []any{name, rate(x.JudgeRate), rate(x.Accuracy), mean(x.Youden), rate(x.Balanced),
				whole(x.PrecisionFail), whole(x.PrecisionPass)}
		})
	}
	if has(func(x pairRow) bool { return x.Ratings != nil }) {
		t := NewTable("lriieeii", name, "n", "same category", "one apart at most", "quadratic kappa", "kappa", "AC",
			"alpha")
		addTable(s, t, rows, func(name string, x *report.ColumnPair) []any {
			r := x.Ratings
			return []any{name, x.N, rate(r.Same), rate(r.WithinOne), kappa(r.Quadratic), kappa(r.Kappa), mean(r.AC),
				kappa(r.Alpha)}
		}, "AC = Gwet's AC1, with quadratic weights AC2 on an ordinal scale; alpha = Krippendorff's of that scale")
	}
	var shown []report.Estimate
	for _, x := range rows {
		shown = append(shown, x.Kappa, x.AC1, x.AUC, x.MCC)
	}
	s.Note(withoutInterval(shown...))
}

// addNumbers adds the tables of numbers.
func addNumbers(s *Section, name string, rows []pairRow) {
	if !slices.ContainsFunc(rows, func(x pairRow) bool { return x.Graded != nil }) {
		return
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(x pairRow) bool { return x.Graded == nil })
	addTable(s, gradedTable(name), rows, func(name string, x *report.ColumnPair) []any {
		return gradedCells(name, &x.AgreementRow)
	}, gradedNote)
	t := NewTable("liirrrirei", name, "mean of the reference", "of the judge", "sd", "limits: low", "high",
		"Pearson", "tau-b", "ICC", "alpha")
	addTable(s, t, rows, func(name string, x *report.ColumnPair) []any {
		n := x.Numbers
		return []any{name, difference(n.MeanReference), difference(n.MeanJudge), difference(n.SD),
			difference(n.LimitLow), difference(n.LimitHigh),
			mean(n.Pearson), mean(n.KendallB), mean(n.ICC), kappa(n.Alpha)}
	}, "sd, limits = of the differences and of most of them (limits of agreement); ICC = ICC(2,1); "+
		"alpha = Krippendorff's for an interval scale")
}

// addProbabilities adds a table that says how good scores and confidences are as probabilities.
func addProbabilities(s *Section, rows []pairRow) {
	scores := NewTable("lrrrrr",
		"score", "n", "precision for wrong items", "by chance", "best threshold", "its J")
	t := NewTable("lrerr", "probability", "n", "AUC", "Brier", "overconfidence")
	add := func(name string, c *report.Confidence) {
		if c == nil {
			return
		}
		t.Add(name, c.N, mean(c.AUC), mean(c.Brier), mean(c.Overconfidence))
	}
	for _, x := range rows {
		if b := x.Score; b != nil {
			chance := report.Estimate{}
			if x.BaseRate.Defined() {
				chance.Value = new(1 - *x.BaseRate.Value)
			}
			scores.Add(x.name, x.N, mean(b.AveragePrecision), mean(chance), mean(b.Best), mean(b.BestYouden))
			add("score of "+x.name, b.Probability)
		}
		add("confidence of "+x.name, x.Confidence)
	}
	s.Table(scores, "precision = average precision; the best threshold is that of the highest J on these very items, too "+
		"good to last")
	s.Table(t, "a score as the probability of a pass, a confidence as that of being right")
}
