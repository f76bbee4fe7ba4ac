package columns

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

// page gathers the sections of the document.
type page struct {
	*Report
	doc     document.Document
	percent string // of the intervals
	// prefix and suffix are what the names of all judges have in common.
	prefix, suffix string
}

const (
	// detailed is how many pairs are printed in full by default.
	detailed  = 3
	maxStrata = 40
	maxPairs  = 200
	maxMatrix = 12
)

// Document is the report as it is printed; all asks for every measure of every pair,
// which else are printed only where there are at most three pairs.
func (r *Report) Document(all bool) *document.Document {
	p := &page{Report: r, percent: document.Short(100*(1-r.Alpha)) + " %"}
	p.prefix, p.suffix = common(r.Judges)
	p.front()
	p.ranking()
	p.blind()
	if len(r.Pairs) > 1 {
		p.overview()
	}
	if all || len(r.Pairs) <= detailed {
		for i := range r.Pairs {
			p.pair(&r.Pairs[i])
		}
	} else {
		p.pairWarnings()
		p.note("%d pairs: the measures, strata and warnings of each are in the JSON form, or with --details",
			len(r.Pairs))
	}
	p.people()
	if r.Panel != nil && (r.Gold != "" || len(r.Judges) > 2 || r.Panel.Measures.get("fleiss") != nil) {
		p.heading("The %d judges among themselves", len(r.Panel.Raters))
		p.measures(r.Panel.Measures)
	}
	p.whatWasRead()
	p.warnings(r.Warnings)
	return &p.doc
}

func (p *page) heading(format string, args ...any) {
	p.doc.Sections = append(p.doc.Sections, document.Section{Title: fmt.Sprintf(format, args...)})
}

func (p *page) add(part document.Part) { p.doc.Sections[len(p.doc.Sections)-1].Add(part) }

func (p *page) note(format string, args ...any) {
	p.add(document.Sentence{Text: fmt.Sprintf(format, args...)})
}

// table adds a table; kinds are those of document.Table.
func (p *page) table(kinds string, heads []string, rows [][]string) {
	t := &document.Table{Heads: heads, Kinds: kinds, Most: maxPairs}
	for _, row := range rows {
		cells := make([]any, len(row))
		for i, cell := range row {
			cells[i] = cell
		}
		t.Add(cells...)
	}
	p.add(t)
}

func (p *page) warnings(list []report.Warning) {
	for _, w := range list {
		p.note("! %s", w.Text)
	}
}

// pairWarnings says each kind of warning once, with the number of pairs it is for.
func (p *page) pairWarnings() {
	count := map[string]int{}
	var order []report.Warning
	for _, x := range p.Pairs {
		for _, w := range x.Warnings {
			if count[w.Code]++; count[w.Code] == 1 {
				order = append(order, w)
			}
		}
	}
	for _, w := range order {
		p.note("! %s (%d of %d pairs)", w.Text, count[w.Code], len(p.Pairs))
	}
}

// front prints what was compared and how it was read.
func (p *page) front() {
	p.heading("%s: %d rows", p.Table.Name, p.Table.Rows)
	judges := p.judgeNames()
	if p.Gold != "" {
		p.note("gold: %s, against %s", p.Gold, judges)
	} else {
		p.note("no gold: %s among themselves; agreement says nothing about who is right", judges)
	}
	read := fmt.Sprintf("read as %s, %s scale", strings.Join(p.Reading.Kinds, " and "), p.Reading.Scale)
	if len(p.Reading.Categories) > 0 {
		read += " " + strings.Join(p.Reading.Categories, ", ")
	}
	if p.Reading.Threshold != "" {
		read += "; passes: " + p.Reading.Threshold
	}
	if p.Reading.GoldCut != "" {
		read += "; gold passes: " + p.Reading.GoldCut
	}
	clusters := "rows taken as independent"
	if p.Cluster != "" {
		clusters = fmt.Sprintf("%d clusters by %s", p.Clusters, p.Cluster)
	}
	p.note("%s; %s; %s intervals", read, clusters, p.percent)
	for _, problem := range p.Table.Problems {
		p.note("! unreadable: %s", problem)
	}
}

func (p *page) judgeNames() string {
	const most = 12
	names := make([]string, len(p.Judges))
	for i, name := range p.Judges {
		names[i] = p.short(name)
	}
	text := document.Some(names, most)
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
	all := func(has func(name, part string) bool, part string) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return !has(name, part) })
	}
	for i, r := range names[0] {
		if r != '.' {
			continue
		}
		if part := names[0][:i+1]; all(strings.HasPrefix, part) {
			prefix = part
		}
		if part := names[0][i:]; suffix == "" && all(strings.HasSuffix, part) {
			suffix = part
		}
	}
	return prefix, suffix
}

// short is a judge's name without what all have in common.
func (p *page) short(name string) string {
	in, ok := strings.CutPrefix(name, p.prefix)
	if in, found := strings.CutSuffix(in, p.suffix); ok && found && in != "" {
		return in
	}
	return name
}

// kappas are the names of kappa, the finest kind first.
var kappas = []string{"kappa", "kappa_quadratic", "kappa_categories"}

var overviewColumns = []measureColumn{
	{head: "base", names: []string{"base_rate"}},
	{head: "rate", names: []string{"judge_rate"}},
	{head: "agree", names: []string{"agreement", "same_category"}},
	{head: "kappa", ends: true, names: kappas},
	{head: "AC", names: []string{"ac1", "ac2", "ac1_categories"}},
	{head: "found", ends: true, whole: true, names: []string{"recall_wrong"}},
	{head: "kept", ends: true, whole: true, names: []string{"specificity"}},
	{head: "AUC", ends: true, names: []string{"auc"}},
	{head: "bias", names: []string{"bias"}},
	{head: "CCC", names: []string{"ccc"}},
	{head: "rho", names: []string{"spearman"}},
}

// overview is one line a pair.
func (p *page) overview() {
	p.heading("Overview")
	var list []Measures
	pairs := p.ranked()
	for _, x := range pairs {
		list = append(list, x.Measures)
	}
	heads, kinds, cells := grid(overviewColumns, list, func(int) bool { return true })
	rows := make([][]string, len(list))
	for i, x := range pairs {
		name := p.short(x.B)
		if p.Gold == "" {
			name = p.short(x.A) + " / " + name
		}
		rows[i] = append([]string{name, strconv.Itoa(x.N)}, cells[i]...)
	}
	p.table("lr"+kinds, append([]string{"pair", "n"}, heads...), rows)
	if slices.Contains(heads, "found") {
		p.note("base, rate = share that %s and the judge pass; found = wrong items that it fails; kept = right ones that "+
			"it passes", p.Gold)
	}
}

// pair prints everything about one comparison.
func (p *page) pair(x *Pair) {
	between := "against"
	if p.Gold == "" {
		between = "with"
	}
	p.heading("%s %s %s", x.B, between, x.A)
	items := fmt.Sprintf("n = %d", x.N)
	if p.Cluster != "" {
		items += fmt.Sprintf(" in %d clusters", x.Clusters)
	}
	if k := x.Measures.get(kappas...); k != nil {
		label := "kappa"
		if k.Name != "kappa" {
			label = k.Label
		}
		items = fmt.Sprintf("%s = %s, %s", label, k.both(), items)
	}
	if base := x.Measures.get("base_rate"); base != nil {
		items += ", base rate " + base.value()
	}
	if c := x.Confusion; c != nil && p.Gold != "" {
		items += fmt.Sprintf(". It fails %d of the %d items that %s fails, and passes %d of the %d that %s passes.",
			c.BothFail, c.BothFail+c.JudgeOnlyPass, x.A, c.BothPass, c.BothPass+c.JudgeOnlyFail, x.A)
	}
	p.note("%s", items)
	p.warnings(x.Warnings)
	p.confusion(x)
	p.measures(x.Measures)
	if len(x.Bins) > 0 {
		var rows [][]string
		for _, b := range x.Bins {
			rows = append(rows, []string{strconv.Itoa(b.N), document.Fixed(b.Confidence, 3),
				document.Fixed(b.Accuracy, 3)})
		}
		p.note("reliability: the probability that was said, and the share that came true")
		p.table("rrr", []string{"n", "said", "came true"}, rows)
	}
	for k := range x.Strata {
		p.split(x, &x.Strata[k])
	}
}

func (p *page) confusion(x *Pair) {
	counts := func(name string, list ...int) []string {
		row := []string{name}
		for _, n := range list {
			row = append(row, strconv.Itoa(n))
		}
		return row
	}
	if c := x.Confusion; c != nil {
		p.table("lrr", []string{"", x.A + " passes", x.A + " fails"}, [][]string{
			counts(x.B+" passes", c.BothPass, c.JudgeOnlyPass), counts(x.B+" fails", c.JudgeOnlyFail, c.BothFail),
		})
	}
	if x.Matrix == nil || len(x.Matrix) > maxMatrix {
		return
	}
	var rows [][]string
	for i, line := range x.Matrix {
		rows = append(rows, counts(p.Reading.Categories[i], line...))
	}
	heads := append([]string{x.A + " \\ " + x.B}, p.Reading.Categories...)
	p.table("l"+strings.Repeat("r", len(rows)), heads, rows)
}

// measures prints the list with n and clusters. How the intervals were made is
// below the table, by letter.
func (p *page) measures(list Measures) {
	heads, kinds := []string{"", "value", p.percent, "", "n"}, "lrllr"
	if p.Cluster != "" {
		heads, kinds = append(heads, "clusters"), kinds+"r"
	}
	var rows [][]string
	var methods []string
	for i := range list {
		m, letter := &list[i], ""
		if m.Method != "" {
			at := slices.Index(methods, m.Method)
			if at < 0 {
				at = len(methods)
				methods = append(methods, m.Method)
			}
			letter = string(rune('a' + at))
		}
		row := []string{m.Label, m.value(), m.ends(), letter, strconv.Itoa(m.N)}
		if p.Cluster != "" {
			row = append(row, strconv.Itoa(m.Clusters))
		}
		remarks := slices.DeleteFunc([]string{m.Why(), m.Note}, func(text string) bool { return text == "" })
		rows = append(rows, append(row, strings.Join(remarks, "; ")))
	}
	p.table(kinds+"l", append(heads, "remarks"), rows)
	for i, method := range methods {
		methods[i] = fmt.Sprintf("%c: %s", 'a'+i, method)
	}
	if len(methods) > 0 {
		p.note("intervals by %s", strings.Join(methods, " | "))
	}
}

// split prints a table by stratum.
func (p *page) split(x *Pair, s *Split) {
	p.heading("%s by %s", x.B, s.By)
	shown := append(slices.Clone(s.Strata[:min(len(s.Strata), maxStrata)]), s.Pooled, s.Macro)
	var list []Measures
	for _, one := range shown {
		list = append(list, one.Measures)
	}
	heads, kinds, cells := grid(stratumColumns, list, func(i int) bool { return !shown[i].Small })
	heads, kinds = append([]string{s.By, "n"}, heads...), "lr"+kinds
	if s.Pooled.Confusion != nil {
		heads, kinds = append(heads, "alone passes", "alone fails"), kinds+"rr"
	}
	small := 0
	for _, one := range s.Strata {
		small += map[bool]int{true: 1}[one.Small]
	}
	for i, one := range shown {
		name := one.Name
		if one.Small && i < len(shown)-2 {
			name += " *"
		}
		cells[i] = append([]string{name, strconv.Itoa(one.N)}, cells[i]...)
		if c := one.Confusion; c != nil {
			cells[i] = append(cells[i], strconv.Itoa(c.JudgeOnlyPass), strconv.Itoa(c.JudgeOnlyFail))
		}
	}
	p.table(kinds, heads, cells)
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

// whatWasRead names the words that were read, and what is missing.
func (p *page) whatWasRead() {
	p.heading("What was read")
	words := func(list ...WordCount) string {
		const most = 6
		out := make([]string, len(list))
		for i, w := range list {
			out[i] = fmt.Sprintf("%s %d", document.Shorten(cmp.Or(w.Word, "(empty)"), 30), w.Count)
		}
		return document.Some(out, most)
	}
	var rows [][]string
	for _, c := range p.Columns {
		missing := slices.Concat(c.Unknown, c.NoValues)
		rows = append(rows, []string{
			p.short(c.Name), c.Role, words(c.Pass...), words(c.Fail...), words(missing...), strconv.Itoa(c.Numbers),
		})
	}
	p.table("lllllr", []string{"column", "as", "pass", "fail", "missing", "numbers"}, rows)
}
