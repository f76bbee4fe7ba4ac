package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

// compared is a row of the comparison as people see it: of the three ways to reduce
// calls to conversations only the strictest, and references with the same numbers
// everywhere as one.
type compared struct {
	report.AgreementRow
	// Same names the further references with these numbers.
	Same []string
}

func referenceName(a report.AgreementRow, most int) string {
	if a.Reduction != "" {
		return shorten(a.Reference.Title(), most) + " §"
	}
	return shorten(a.Reference.Title(), most)
}

// strictRow reports whether a row is drawn: of the three ways to reduce calls to
// conversations only the strictest is.
func strictRow(a report.AgreementRow) bool {
	return a.Reduction != report.ReduceMean && a.Reduction != report.ReduceShare
}

// comparedRows are the rows for people: by judge, its overall rubric first, the
// strongest reference first.
func comparedRows(r *report.Report) []compared {
	var out []compared
	var judges, rubrics []string
	for _, a := range r.Agreement {
		if !strictRow(a) || a.N == 0 && a.Refused == "" {
			continue
		}
		out = append(out, compared{AgreementRow: a})
		if !slices.Contains(judges, a.Judge) {
			judges = append(judges, a.Judge)
		}
		if !slices.Contains(rubrics, a.Rubric) {
			rubrics = append(rubrics, a.Rubric)
		}
	}
	slices.SortStableFunc(out, func(x, y compared) int {
		return cmp.Or(cmp.Compare(slices.Index(judges, x.Judge), slices.Index(judges, y.Judge)),
			strings.Compare(overallKey(x.Rubric), overallKey(y.Rubric)),
			cmp.Compare(slices.Index(rubrics, x.Rubric), slices.Index(rubrics, y.Rubric)),
			cmp.Compare(r.Rank(x.Reference), r.Rank(y.Reference)))
	})
	return mergeSame(out)
}

// referenceKey tells references apart.
type referenceKey struct {
	report.Instrument
	reduction string
}

func keyOf(a report.AgreementRow) referenceKey { return referenceKey{a.Reference, a.Reduction} }

// mergeSame leaves one of the references that have the same numbers for every rubric
// of every judge.
func mergeSame(rows []compared) []compared {
	var order []referenceKey
	by := map[referenceKey][]report.AgreementRow{}
	for _, c := range rows {
		k := keyOf(c.AgreementRow)
		if by[k] == nil {
			order = append(order, k)
		}
		by[k] = append(by[k], c.AgreementRow)
	}
	instead := map[referenceKey]referenceKey{}
	names := map[referenceKey][]string{}
	for i, k := range order {
		for _, first := range order[:i] {
			if _, gone := instead[first]; !gone && slices.EqualFunc(by[first], by[k], sameNumbers) {
				instead[k] = first
				names[first] = append(names[first], k.Title())
				break
			}
		}
	}
	var out []compared
	for _, c := range rows {
		k := keyOf(c.AgreementRow)
		if _, gone := instead[k]; gone {
			continue
		}
		c.Same = names[k]
		out = append(out, c)
	}
	return out
}

func sameNumbers(x, y report.AgreementRow) bool {
	return x.Judge == y.Judge && x.Rubric == y.Rubric && x.Level == y.Level && x.Reduction == y.Reduction && x.Refused == "" && y.Refused == "" &&
		x.N == y.N && x.Verdicts == y.Verdicts && x.Confusion == y.Confusion && x.SharedRules == y.SharedRules &&
		equal(x.Kappa, y.Kappa) && equal(x.Spearman, y.Spearman) && equal(x.AUC, y.AUC)
}

func equal(x, y report.Estimate) bool {
	return plain(x.Value) == plain(y.Value) && x.Reason == y.Reason
}

// sameNotes say which references share their numbers, each pair once.
func sameNotes(rows []compared) []string {
	var out []string
	for _, c := range rows {
		if len(c.Same) == 0 {
			continue
		}
		var others []string
		for _, name := range c.Same {
			others = append(others, shorten(name, 60))
		}
		note := "⁼ the same numbers everywhere: " + shorten(c.Reference.Title(), 60) + " = " + document.Some(others, 4)
		if !slices.Contains(out, note) {
			out = append(out, note)
		}
	}
	return out
}
