// Package render owns how a comparison of columns looks, as text and as Markdown. Both
// print one page of headings, notes and tables, so that they say the same. Words that
// come from a table are shown, never obeyed: control and direction characters are made
// visible and markup is escaped.
package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report/columns"
)

// block is a heading, a note or a table.
type block struct {
	heading string
	note    string
	grid    *grid
}

// grid is a table; right are the columns, from 0, that are numbers.
type grid struct {
	header []string
	rows   [][]string
	right  []int
}

// page gathers blocks.
type page struct {
	blocks  []block
	percent string
	details bool
	// prefix and suffix are what the names of all judges have in common.
	prefix, suffix string
}

// Config tunes text and Markdown; the zero value is plain text for 100 columns.
type Config struct {
	// Color allows bold headings, for terminals only.
	Color bool
	// Width of the text, 0 for 100.
	Width int
	// All prints every measure of every pair; otherwise only where there are at most
	// three pairs.
	All bool
}

// detailed is how many pairs are printed in full unasked.
const (
	detailed  = 3
	maxStrata = 40
	maxPairs  = 200
	maxMatrix = 12
	nothing   = "–"
)

func newPage(r *columns.Report, cfg Config) *page {
	p := &page{
		percent: strconv.FormatFloat(100*(1-r.Alpha), 'g', 4, 64) + " %",
		details: cfg.All || len(r.Pairs) <= detailed,
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
	return p
}

func (p *page) heading(format string, args ...any) {
	p.blocks = append(p.blocks, block{heading: fmt.Sprintf(format, args...)})
}

func (p *page) note(format string, args ...any) {
	p.blocks = append(p.blocks, block{note: fmt.Sprintf(format, args...)})
}

func (p *page) table(header []string, rows [][]string, right ...int) {
	p.blocks = append(p.blocks, block{grid: &grid{header, rows, right}})
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
	var out []string
	for i, name := range names {
		if i == most {
			out = append(out, fmt.Sprintf("%d more", len(names)-most))
			break
		}
		out = append(out, p.short(name))
	}
	text := strings.Join(out, ", ")
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
		return nothing
	}
	return figure(m, *m.Value)
}

func figure(m *columns.Measure, f float64) string {
	if m.Percent {
		return strconv.FormatFloat(100*f, 'f', 1, 64) + " %"
	}
	text := strconv.FormatFloat(f, 'f', 3, 64)
	if strings.Trim(text, "-0.") == "" && f != 0 || len(text) > 12 {
		return strconv.FormatFloat(f, 'g', 4, 64)
	}
	if text == "-0.000" {
		return "0.000"
	}
	return text
}

func ends(m *columns.Measure) string {
	if m == nil || m.Low == nil || m.High == nil {
		return ""
	}
	if m.Percent {
		return fmt.Sprintf("[%.1f, %.1f]", 100**m.Low, 100**m.High)
	}
	low, high := *m.Low, *m.High
	if strings.HasPrefix(m.Name, "kappa") { // the closed interval may leave kappa's range
		low, high = max(low, -1), min(high, 1)
	}
	return fmt.Sprintf("[%s, %s]", figure(m, low), figure(m, high))
}

func both(m *columns.Measure) string {
	if m == nil {
		return nothing
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
			some = some || column[i] != nothing
		}
		if !some {
			continue
		}
		header = append(header, c.title)
		for i := range rows {
			rows[i] = append(rows[i], column[i])
		}
	}
	right := []int{1}
	for k := 2; k < len(header); k++ {
		if header[k] != "kappa" && header[k] != "AUC" {
			right = append(right, k)
		}
	}
	p.table(header, rows, right...)
	if left := len(r.Pairs) - len(shown); left > 0 {
		p.note("%d more pairs are in the JSON form", left)
	}
}

func (p *page) against(r *columns.Report) {
	if len(r.Against) == 0 {
		return
	}
	p.heading("Does another judge agree better with %s than %s?", r.Gold, p.short(r.Against[0].First))
	var rows [][]string
	for i := range r.Against {
		d := &r.Against[i]
		rows = append(rows, []string{p.short(d.Judge), number(&d.Diff), ends(&d.Diff), strconv.Itoa(d.Diff.N), probability(d.P), probability(d.Holm)})
	}
	p.table([]string{"", "difference", p.percent, "n", "p", "p (Holm)"}, rows, 1, 3, 4, 5)
	p.note("difference of agreement with gold on the items that both judged; resampled by cluster")
}

func probability(f *float64) string {
	if f == nil {
		return nothing
	}
	return strconv.FormatFloat(*f, 'f', 4, 64)
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
	p.table([]string{"column", "as", "pass", "fail", "missing", "numbers"}, rows, 5)
}

func words(list []columns.WordCount) string {
	const most = 6
	var out []string
	for i, w := range list {
		if i == most {
			out = append(out, fmt.Sprintf("%d more", len(list)-most))
			break
		}
		name := w.Word
		if name == "" {
			name = "(empty)"
		}
		out = append(out, fmt.Sprintf("%s %d", cut(name, 30), w.Count))
	}
	return strings.Join(out, ", ")
}

func cut(s string, most int) string {
	for i := range s {
		if most--; most < 0 {
			return s[:i] + "…"
		}
	}
	return s
}
