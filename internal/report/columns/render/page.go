// Package render owns what is printed of a comparison of columns, as a document.
package render

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report/columns"
	"github.com/judgekit/judge/internal/report/document"
)

// page gathers the sections of the document.
type page struct {
	doc     document.Document
	percent string
	details bool
	// prefix and suffix are what the names of all judges have in common.
	prefix, suffix string
}

// detailed is how many pairs are printed in full unasked.
const (
	detailed  = 3
	maxStrata = 40
	maxPairs  = 200
	maxMatrix = 12
)

// Document is the report of r; all asks for every measure of every pair, which else are
// printed only where there are at most three pairs.
func Document(r *columns.Report, all bool) *document.Document {
	p := &page{
		percent: strconv.FormatFloat(100*(1-r.Alpha), 'g', 4, 64) + " %",
		details: all || len(r.Pairs) <= detailed,
	}
	p.prefix, p.suffix = common(r.Judges)
	p.front(r)
	if len(r.Pairs) > 1 {
		p.overview(r)
	}
	for i := range r.Pairs {
		if p.details {
			p.pair(r, &r.Pairs[i])
		}
		for k := range r.Pairs[i].Strata {
			if p.details {
				p.split(r, &r.Pairs[i], &r.Pairs[i].Strata[k])
			}
		}
	}
	if !p.details {
		p.pairWarnings(r)
		p.note("%d pairs: the measures, strata and warnings of each are in the JSON form, or with --details", len(r.Pairs))
	}
	p.against(r)
	p.panel(r)
	p.columns(r)
	p.warnings(r.Warnings)
	return &p.doc
}

func (p *page) heading(format string, args ...any) {
	p.doc.Sections = append(p.doc.Sections, document.Section{Title: fmt.Sprintf(format, args...)})
}

func (p *page) add(part document.Part) {
	p.doc.Sections[len(p.doc.Sections)-1].Add(part)
}

func (p *page) note(format string, args ...any) {
	p.add(document.Sentence{Text: fmt.Sprintf(format, args...)})
}

// table adds a table; kinds are those of document.Table.
func (p *page) table(kinds string, header []string, rows [][]string) {
	t := &document.Table{Heads: header, Kinds: kinds, Most: maxPairs}
	for _, row := range rows {
		cells := make([]document.Cell, len(row))
		for i, cell := range row {
			cells[i] = document.Words(cell)
		}
		t.Add(cells...)
	}
	p.add(t)
}

func (p *page) warnings(list []columns.Warning) {
	for _, w := range list {
		p.note("! %s", w.Text)
	}
}

// pairWarnings says each kind of warning once, with the number of pairs it is for.
func (p *page) pairWarnings(r *columns.Report) {
	count := map[string]int{}
	var order []columns.Warning
	for _, x := range r.Pairs {
		for _, w := range x.Warnings {
			if count[w.Code]++; count[w.Code] == 1 {
				order = append(order, w)
			}
		}
	}
	for _, w := range order {
		p.note("! %s (%d of %d pairs)", w.Text, count[w.Code], len(r.Pairs))
	}
}

// front says what was compared and how it was read.
func (p *page) front(r *columns.Report) {
	p.heading("%s: %d rows", r.Table.Name, r.Table.Rows)
	if r.Gold != "" {
		p.note("gold: %s, against %s", r.Gold, p.list(r.Judges))
	} else {
		p.note("no gold: %s among themselves; agreement says nothing about who is right", p.list(r.Judges))
	}
	clusters := "every row stands alone"
	if r.Cluster != "" {
		clusters = fmt.Sprintf("%d clusters by %s", r.Clusters, r.Cluster)
	}
	read := fmt.Sprintf("read as %s, %s scale", strings.Join(r.Reading.Kinds, " and "), r.Reading.Scale)
	if len(r.Reading.Categories) > 0 {
		read += " " + strings.Join(r.Reading.Categories, ", ")
	}
	if r.Reading.Threshold != "" {
		read += "; passes: " + r.Reading.Threshold
	}
	if r.Reading.GoldCut != "" {
		read += "; gold passes: " + r.Reading.GoldCut
	}
	resamples := "no bootstrap"
	if r.Resamples > 0 {
		resamples = fmt.Sprintf("%d bootstrap resamples, seed %d", r.Resamples, r.Seed)
	}
	p.note("%s; %s; %s intervals; %s", read, clusters, p.percent, resamples)
	for _, problem := range r.Table.Problems {
		p.note("! unreadable: %s", problem)
	}
}

func (p *page) list(names []string) string {
	const most = 12
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = p.short(name)
	}
	text := document.Some(out, most)
	if p.prefix+p.suffix != "" {
		text += fmt.Sprintf(" (%s…%s)", p.prefix, p.suffix)
	}
	return text
}

// common are the whole parts of paths that all names begin and end with.
func common(names []string) (prefix, suffix string) {
	if len(names) < 3 {
		return "", ""
	}
	prefix, suffix = names[0], names[0]
	for _, n := range names[1:] {
		for !strings.HasPrefix(n, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
		for !strings.HasSuffix(n, suffix) {
			suffix = suffix[1:]
		}
	}
	prefix = prefix[:strings.LastIndexByte(prefix, '.')+1]
	if at := strings.IndexByte(suffix, '.'); at >= 0 {
		return prefix, suffix[at:]
	}
	return prefix, ""
}

// short is a judge's name without what all have in common.
func (p *page) short(name string) string {
	in, ok := strings.CutPrefix(name, p.prefix)
	if in, found := strings.CutSuffix(in, p.suffix); ok && found && in != "" {
		return in
	}
	return name
}

// number prints a measure's value, or a dash.
func number(m *columns.Measure) string {
	if m == nil || m.Value == nil {
		return document.None
	}
	return figure(m, *m.Value)
}

// figure prints a number with three decimals, or four digits where these say nothing.
func figure(m *columns.Measure, f float64) string {
	if m.Percent {
		return document.Share(f, 1)
	}
	text := document.Fixed(f, 3)
	if text == "0.000" && f != 0 || len(text) > 12 {
		return strconv.FormatFloat(f, 'g', 4, 64)
	}
	return text
}

func ends(m *columns.Measure) string {
	switch {
	case m == nil || m.Low == nil || m.High == nil:
		return ""
	case m.Percent:
		return document.Percent(m.Value, m.Low, m.High, 1).Ends
	}
	low, high := *m.Low, *m.High
	if strings.HasPrefix(m.Name, "kappa") { // the closed interval may leave kappa's range
		low, high = max(low, -1), min(high, 1)
	}
	return fmt.Sprintf("[%s, %s]", figure(m, low), figure(m, high))
}

func both(m *columns.Measure) string {
	if m == nil {
		return document.None
	}
	if e := ends(m); e != "" {
		return number(m) + " " + e
	}
	return number(m)
}

// first returns the first of the measures that is there.
func first(m columns.Measures, names ...string) *columns.Measure {
	for _, name := range names {
		if one := m.Get(name); one != nil {
			return one
		}
	}
	return nil
}

// overview is one line a pair.
func (p *page) overview(r *columns.Report) {
	p.heading("Overview")
	header := []string{"pair", "n"}
	cells := []struct {
		title string
		of    func(*columns.Pair) string
	}{
		{"base", func(x *columns.Pair) string { return number(x.Measures.Get("base_rate")) }},
		{"rate", func(x *columns.Pair) string { return number(x.Measures.Get("judge_rate")) }},
		{"agree", func(x *columns.Pair) string { return number(first(x.Measures, "agreement", "same_category")) }},
		{"kappa", func(x *columns.Pair) string {
			return both(first(x.Measures, "kappa", "kappa_quadratic", "kappa_categories"))
		}},
		{"AC", func(x *columns.Pair) string { return number(first(x.Measures, "ac1", "ac2", "ac1_categories")) }},
		{"wrong found", func(x *columns.Pair) string { return number(x.Measures.Get("recall_wrong")) }},
		{"right kept", func(x *columns.Pair) string { return number(x.Measures.Get("specificity")) }},
		{"AUC", func(x *columns.Pair) string { return both(x.Measures.Get("auc")) }},
		{"bias", func(x *columns.Pair) string { return number(x.Measures.Get("bias")) }},
		{"CCC", func(x *columns.Pair) string { return number(x.Measures.Get("ccc")) }},
		{"rho", func(x *columns.Pair) string { return number(x.Measures.Get("spearman")) }},
	}
	shown := r.Pairs[:min(len(r.Pairs), maxPairs)]
	rows := make([][]string, len(shown))
	for i := range shown {
		rows[i] = []string{p.short(shown[i].B), strconv.Itoa(shown[i].N)}
		if r.Gold == "" {
			rows[i][0] = p.short(shown[i].A) + " / " + p.short(shown[i].B)
		}
	}
	for _, c := range cells {
		column, some := make([]string, len(shown)), false
		for i := range shown {
			column[i] = c.of(&shown[i])
			some = some || column[i] != document.None
		}
		if !some {
			continue
		}
		header = append(header, c.title)
		for i := range rows {
			rows[i] = append(rows[i], column[i])
		}
	}
	kinds := "lr"
	for _, head := range header[2:] {
		kinds += kindOf(head == "kappa" || head == "AUC")
	}
	p.table(kinds, header, rows)
	if left := len(r.Pairs) - len(shown); left > 0 {
		p.note("%d more pairs are in the JSON form", left)
	}
}

// kindOf is the kind of a column of numbers, with their intervals or bare.
func kindOf(interval bool) string {
	if interval {
		return "e"
	}
	return "r"
}

func (p *page) against(r *columns.Report) {
	if len(r.Against) == 0 {
		return
	}
	p.heading("Does another judge agree better with %s than %s?", r.Gold, p.short(r.Against[0].First))
	var rows [][]string
	for i := range r.Against {
		d := &r.Against[i]
		rows = append(rows, []string{p.short(d.Judge), number(&d.Diff), ends(&d.Diff), strconv.Itoa(d.Diff.N), document.P(d.P), document.P(d.Holm)})
	}
	p.table("lrlrrr", []string{"", "difference", p.percent, "n", "p", "p (Holm)"}, rows)
	p.note("difference of agreement with gold on the items that both judged; resampled by cluster")
}

func (p *page) panel(r *columns.Report) {
	if r.Panel == nil || r.Gold == "" && len(r.Judges) == 2 && r.Panel.Measures.Get("fleiss") == nil {
		return
	}
	p.heading("The %d judges among themselves", len(r.Panel.Raters))
	p.measures(r, r.Panel.Measures)
}

// columns names the words that were read, and what is missing.
func (p *page) columns(r *columns.Report) {
	p.heading("What was read")
	var rows [][]string
	for i := range r.Columns {
		c := &r.Columns[i]
		rows = append(rows, []string{p.short(c.Name), c.Role, words(c.Pass), words(c.Fail), words(append(c.Unknown, c.NoValues...)), strconv.Itoa(c.Numbers)})
	}
	p.table("lllllr", []string{"column", "as", "pass", "fail", "missing", "numbers"}, rows)
}

func words(list []columns.WordCount) string {
	const most = 6
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = fmt.Sprintf("%s %d", document.Shorten(cmp.Or(w.Word, "(empty)"), 30), w.Count)
	}
	return document.Some(out, most)
}
