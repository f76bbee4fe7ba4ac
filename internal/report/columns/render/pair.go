package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report/columns"
)

// pair prints everything about one comparison.
func (p *page) pair(r *columns.Report, x *columns.Pair) {
	between := "against"
	if r.Gold == "" {
		between = "with"
	}
	p.heading("%s %s %s", x.B, between, x.A)
	items := fmt.Sprintf("n = %d", x.N)
	if r.Cluster != "" {
		items += fmt.Sprintf(" in %d clusters", x.Clusters)
	}
	k := first(x.Measures, "kappa", "kappa_quadratic", "kappa_categories")
	if k != nil {
		label := "kappa"
		if k.Name != "kappa" {
			label = k.Label
		}
		items = fmt.Sprintf("%s = %s, %s", label, both(k), items)
	}
	if base := x.Measures.Get("base_rate"); base != nil {
		items += ", base rate " + number(base)
	}
	if c := x.Confusion; c != nil && r.Gold != "" {
		items += fmt.Sprintf(". It fails %d of the %d items that %s fails, and passes %d of the %d that %s passes.",
			c.BothFail, c.BothFail+c.JudgeOnlyPass, x.A, c.BothPass, c.BothPass+c.JudgeOnlyFail, x.A)
	}
	p.note("%s", items)
	p.warnings(x.Warnings)
	p.confusion(r, x)
	p.measures(r, x.Measures)
	if len(x.Bins) > 0 {
		var rows [][]string
		for _, b := range x.Bins {
			rows = append(rows, []string{strconv.Itoa(b.N), fmt.Sprintf("%.3f", b.Confidence), fmt.Sprintf("%.3f", b.Accuracy)})
		}
		p.note("reliability: the probability that was said, and the share that came true")
		p.table("rrr", []string{"n", "said", "came true"}, rows)
	}
}

func (p *page) confusion(r *columns.Report, x *columns.Pair) {
	if c := x.Confusion; c != nil {
		p.table("lrr", []string{"", x.A + " passes", x.A + " fails"}, [][]string{
			{x.B + " passes", strconv.Itoa(c.BothPass), strconv.Itoa(c.JudgeOnlyPass)},
			{x.B + " fails", strconv.Itoa(c.JudgeOnlyFail), strconv.Itoa(c.BothFail)},
		})
	}
	if x.Matrix == nil || len(x.Matrix) > maxMatrix {
		return
	}
	header := []string{x.A + " \\ " + x.B}
	var rows [][]string
	for i, line := range x.Matrix {
		header = append(header, r.Reading.Categories[i])
		row := []string{r.Reading.Categories[i]}
		for _, n := range line {
			row = append(row, strconv.Itoa(n))
		}
		rows = append(rows, row)
	}
	p.table("l"+strings.Repeat("r", len(rows)), header, rows)
}

// measures prints the list with n and clusters. How the intervals were made stands
// below the table, by letter.
func (p *page) measures(r *columns.Report, list columns.Measures) {
	header, kinds := []string{"", "value", p.percent, "", "n"}, "lrllr"
	if r.Cluster != "" {
		header, kinds = append(header, "clusters"), kinds+"r"
	}
	header = append(header, "remarks")
	var rows [][]string
	var methods []string
	for i := range list {
		m := &list[i]
		row := []string{m.Label, number(m), ends(m), letter(m.Method, &methods), strconv.Itoa(m.N)}
		if r.Cluster != "" {
			row = append(row, strconv.Itoa(m.Clusters))
		}
		var remarks []string
		for _, text := range []string{columns.ReasonText(m.Reason), m.Note} {
			if text != "" {
				remarks = append(remarks, text)
			}
		}
		rows = append(rows, append(row, strings.Join(remarks, "; ")))
	}
	p.table(kinds+"l", header, rows)
	for i, method := range methods {
		methods[i] = fmt.Sprintf("%c: %s", 'a'+i, method)
	}
	if len(methods) > 0 {
		p.note("intervals by %s", strings.Join(methods, " | "))
	}
}

// letter is the mark of a method, in the order in which methods come up.
func letter(method string, known *[]string) string {
	if method == "" {
		return ""
	}
	at := slices.Index(*known, method)
	if at < 0 {
		at = len(*known)
		*known = append(*known, method)
	}
	return string(rune('a' + at))
}

// heads are the short names of the measures of strata.
var heads = map[string]string{
	"base_rate": "base", "judge_rate": "rate", "agreement": "same", "recall_wrong": "wrong found", "kappa": "kappa", "auc": "AUC",
	"mean_a": "mean", "mean_b": "its mean", "bias": "bias", "mae": "abs. diff.", "spearman": "rho",
}

// withEnds reports the measures of strata that are printed with their intervals.
func withEnds(name string) bool {
	return name == "agreement" || name == "recall_wrong" || name == "kappa" || name == "auc"
}

// split prints a table by stratum.
func (p *page) split(r *columns.Report, x *columns.Pair, s *columns.Split) {
	p.heading("%s by %s", x.B, s.By)
	header, kinds := []string{s.By, "n"}, "lr"
	for _, m := range s.Pooled.Measures {
		header = append(header, heads[m.Name])
		kinds += kindOf(withEnds(m.Name))
	}
	oneSided := s.Pooled.Confusion != nil
	if oneSided {
		header, kinds = append(header, "alone passes", "alone fails"), kinds+"rr"
	}
	line := func(one *columns.Stratum, mark string) []string {
		row := []string{one.Name + mark, strconv.Itoa(one.N)}
		for _, want := range s.Pooled.Measures {
			m := one.Measures.Get(want.Name)
			cell := number(m)
			if !one.Small && withEnds(want.Name) {
				cell = both(m)
			}
			row = append(row, cell)
		}
		switch {
		case oneSided && one.Confusion != nil:
			row = append(row, strconv.Itoa(one.Confusion.JudgeOnlyPass), strconv.Itoa(one.Confusion.JudgeOnlyFail))
		case oneSided:
			row = append(row, "", "")
		}
		return row
	}
	var rows [][]string
	small := 0
	for i := range s.Strata {
		one := &s.Strata[i]
		mark := ""
		if one.Small {
			mark, small = " *", small+1
		}
		if i < maxStrata {
			rows = append(rows, line(one, mark))
		}
	}
	rows = append(rows, line(&s.Pooled, ""), line(&s.Macro, ""))
	p.table(kinds, header, rows)
	if s.Pooled.Confusion != nil {
		p.note("base = share that %s passes; wrong found = recall of what it fails", x.A)
	}
	if small > 0 {
		p.note("* %d of %d strata are small: do not read them alone", small, len(s.Strata))
	}
	if left := len(s.Strata) - maxStrata; left > 0 {
		p.note("%d more strata are in the JSON form", left)
	}
}
