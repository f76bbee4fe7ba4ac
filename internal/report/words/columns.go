package words

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/sorting"
)

// columnsPage builds the document of a comparison of columns.
type columnsPage struct {
	*report.TableAgreement
	// prefix and suffix are common to the names of all judges.
	prefix, suffix string
	// all includes the sentences about single pairs.
	all bool
}

// Columns returns the document of the agreement of columns; all includes the sentences about single
// pairs even if there are many.
func Columns(r *report.TableAgreement, all bool) *Document {
	const few = 3
	p := &columnsPage{TableAgreement: r, all: all || len(r.Pairs) <= few}
	p.prefix, p.suffix = common(r.Judges)
	d := &Document{Sections: []Section{p.front(), p.ranking(), p.blind(), p.compared()}}
	if p.all {
		d.Sections = append(d.Sections, p.matrices())
		d.Sections = append(d.Sections, p.splits()...)
	}
	d.Sections = append(d.Sections, p.people(), p.consensus(), p.whatWasRead())
	return d
}

func note(s *Section, format string, args ...any) { s.Note(fmt.Sprintf(format, args...)) }

// front says what was compared and how it was read.
func (p *columnsPage) front() Section {
	s := Section{Title: p.Table.Name + ": " + Counted(p.Table.Rows, "row")}
	if p.Gold != "" {
		note(&s, "gold: %s, against %s", p.Gold, p.judgeNames())
	} else {
		note(&s, "no gold: %s among themselves; agreement says nothing about who is right", p.judgeNames())
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
		clusters = Counted(p.Clusters, "cluster") + " by " + p.Cluster
	}
	note(&s, "%s; %s; %s intervals", read, clusters, Short(100*(1-p.Alpha))+" %")
	for _, problem := range p.Table.Problems {
		note(&s, "! unreadable: %s", problem)
	}
	return s
}

func (p *columnsPage) judgeNames() string {
	const most = 12
	names := make([]string, len(p.Judges))
	for i, name := range p.Judges {
		names[i] = p.short(name)
	}
	text := Some(names, most)
	if p.prefix+p.suffix != "" {
		text += fmt.Sprintf(" (%s…%s)", p.prefix, p.suffix)
	}
	return text
}

// common returns the whole parts of paths with which all names begin and end.
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

// short returns a judge's name without what is common to all names.
func (p *columnsPage) short(name string) string {
	in, ok := strings.CutPrefix(name, p.prefix)
	if in, found := strings.CutSuffix(in, p.suffix); ok && found && in != "" {
		name = in
	}
	return Shorten(name, 60)
}

// name returns the name of a pair: the judge; without gold, both judges.
func (p *columnsPage) name(x *report.ColumnPair) string {
	if p.Gold != "" {
		return p.short(x.Judge)
	}
	return p.short(x.Reference.Name) + " / " + p.short(x.Judge)
}

// ranking shows the judges and panels in their order, with the constant judge.
func (p *columnsPage) ranking() Section {
	if p.Ranking == nil {
		return Section{}
	}
	below := map[string]bool{}
	for i := range p.Pairs {
		if p.Pairs[i].BelowConstant() {
			below[p.Pairs[i].Judge] = true
		}
	}
	t, explained := rankingTable(p.Ranking.Judges, func(judge string) string {
		if below[judge] {
			return p.short(judge) + " *"
		}
		return p.short(judge)
	})
	s := section("Ranking", "Ranking by "+strings.Replace(t.Heads[2], "J", "Youden's J", 1), t, explained)
	var behind []report.Estimate
	for _, j := range p.Ranking.Judges {
		behind = append(behind, j.Behind)
	}
	s.Note(withoutInterval(behind...))
	if n := len(p.Panels); n > 0 && len(below) > 0 {
		always := p.Panels[n-1]
		note(&s, "* has the verdict of %s less often than %q, which has it on %s", p.Gold, always.Judge,
			rate(always.Accuracy))
	}
	return s
}

// blind shows the two orders without gold.
func (p *columnsPage) blind() Section {
	if p.Blind == nil {
		return Section{}
	}
	t := NewTable("rrlrrr", "by model", "by fails", "judge", "passes", "kappa with others", "as most others")
	for i, j := range p.Blind.Judges {
		t.Add(i+1, j.ByFails, p.short(j.Judge), rate(j.PassRate), mean(j.MeanKappa), rate(j.Majority))
	}
	return section("Orders", "Two orders without gold", t, "neither is a ranking of quality. On steps that people labelled, "+
		"Dawid and Skene's model of the votes alone (by model) ordered 20 judges well (Spearman with kappa .96) and 11 "+
		"local ones poorly (.68; by the share they fail: .79). Of three or four judges the one that fails most was the best "+
		"in 55 to 88 % of draws, the model's first in 35 to 65 %. Label some conversations (--gold)",
		"kappa with others = mean of its kappas; as most others = same verdict as the majority of the others")
}

// compared has a row for each pair and panel, best first, and sentences about single pairs.
func (p *columnsPage) compared() Section {
	s := Section{Name: "Agreement", Title: "Judges with each other"}
	if p.Gold != "" {
		s.Title = "Agreement with " + Shorten(p.Gold, 60)
	}
	place := map[string]int{}
	if p.Ranking != nil {
		for i, j := range p.Ranking.Judges {
			place[j.Judge] = i
		}
	}
	var rows []pairRow
	for _, x := range slices.Concat(p.Pairs, p.Panels) {
		rows = append(rows, pairRow{name: p.name(&x), ColumnPair: &x})
	}
	sorting.Stable(rows, func(x, y pairRow) int { return cmp.Compare(place[x.Judge], place[y.Judge]) })
	addVerdicts(&s, "judge", rows)
	addNumbers(&s, "judge", rows)
	addProbabilities(&s, rows)
	if !p.all {
		p.pairWarnings(&s)
		note(&s, "%d pairs: details and strata of each are in the JSON form, or with --details", len(p.Pairs))
		return s
	}
	for i := range p.Pairs {
		x := &p.Pairs[i]
		s.Note(p.sentence(x))
		for _, w := range x.Warnings {
			note(&s, "! %s", w.Text)
		}
	}
	return s
}

// sentence says a pair's kappa with its counts, and what the judge finds and keeps.
func (p *columnsPage) sentence(x *report.ColumnPair) string {
	items := fmt.Sprintf("n = %d", x.N)
	if p.Cluster != "" {
		items += " in " + Counted(x.Conversations, "cluster")
	}
	switch r := x.Ratings; {
	case x.Verdicts > 0:
		items = fmt.Sprintf("kappa = %s, %s, base rate %s", kappa(x.Kappa), items, rate(x.BaseRate).Text)
	case r != nil && r.Quadratic.Defined():
		items = fmt.Sprintf("quadratic kappa = %s, %s", kappa(r.Quadratic), items)
	case r != nil:
		items = fmt.Sprintf("kappa = %s, %s", kappa(r.Kappa), items)
	}
	if p.Gold == "" || x.Verdicts == 0 {
		return p.name(x) + ": " + items
	}
	trust := x.Trust()
	trust.BelowConstant = false // a warning says it
	return p.name(x) + ": " + items + ". " + Trust(&trust)
}

// pairWarnings adds each kind of warning once, with the number of pairs that have it.
func (p *columnsPage) pairWarnings(s *Section) {
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
		note(s, "! %s (%d of %d pairs)", w.Text, count[w.Code], len(p.Pairs))
	}
}

// matrices shows the counts of pairs of categories.
func (p *columnsPage) matrices() Section {
	s := Section{Title: "Categories"}
	for i := range p.Pairs {
		x := &p.Pairs[i]
		if x.Ratings == nil || len(x.Ratings.Matrix) > maxCategories {
			continue
		}
		s.Table(matrix(Shorten(x.Reference.Name, 60)+" \\ "+p.short(x.Judge), x.Ratings))
	}
	return s
}

// splits has a section for each column to split by: the strata of each pair, all its rows, and the
// mean over strata.
func (p *columnsPage) splits() []Section {
	const most = 40
	var out []Section
	for k, by := range p.By {
		s := Section{Title: "By " + Shorten(by, 60)}
		var rows []pairRow
		small, left := 0, 0
		for i := range p.Pairs {
			x, split, group := &p.Pairs[i], &p.Pairs[i].Splits[k], p.name(&p.Pairs[i])
			for n := range split.Strata {
				stratum := &split.Strata[n]
				row := pairRow{group: group, name: Shorten(stratum.Name, 60), small: stratum.Small, ColumnPair: &stratum.ColumnPair}
				if row.small {
					row.name += " *"
					small++
				}
				if n < most {
					rows = append(rows, row)
				} else {
					left++
				}
			}
			rows = append(rows, pairRow{group: group, name: "pooled", ColumnPair: x},
				pairRow{group: group, name: "macro: mean over strata", ColumnPair: &split.Macro})
		}
		addVerdicts(&s, by, rows)
		addNumbers(&s, by, rows)
		if small > 0 {
			note(&s, "* %s small: do not read them alone", Count(small, "stratum is", "strata are"))
		}
		if left > 0 {
			note(&s, "%d more strata are in the JSON form", left)
		}
		out = append(out, s)
	}
	return out
}

// people shows each judge's agreement with single people beside the people's agreement with each other.
func (p *columnsPage) people() Section {
	t := NewTable("lrrrel", "judge", "n", "with people", "people", "difference", "")
	for _, l := range p.People {
		t.Add(p.short(l.Judge), l.N, rate(l.HumanLikeness.Judge), rate(l.People), rate(l.Difference),
			likeness(l.HumanLikeness))
	}
	return section("People", "Judges among people", t, fmt.Sprintf(
		"with people = its mean agreement with each person, people = theirs with each other, on items that two or more "+
			"decided; within the range of human disagreement = the whole interval is above -%g points",
		100*report.HumanMargin))
}

// consensus shows the agreement of all judges at once. For two judges without gold the pair shows it.
func (p *columnsPage) consensus() Section {
	if p.Panel == nil {
		return Section{}
	}
	t := consensusTable("")
	t.Add(consensusCells("all", p.Panel)...)
	dropEmpty(t)
	return section("Consensus", fmt.Sprintf("The %d judges among themselves", len(p.Panel.Judges)), t, consensusNote,
		withoutInterval(p.Panel.Fleiss, p.Panel.Nominal, p.Panel.Values))
}

// whatWasRead shows the words that were read, and what is missing.
func (p *columnsPage) whatWasRead() Section {
	counts := func(list ...report.WordCount) string {
		const most = 6
		out := make([]string, len(list))
		for i, w := range list {
			out[i] = fmt.Sprintf("%s %d", Shorten(cmp.Or(w.Word, "(empty)"), 30), w.Count)
		}
		return Some(out, most)
	}
	t := NewTable("lllllr", "column", "as", "pass", "fail", "missing", "numbers")
	t.Most = 200
	for _, c := range p.Columns {
		missing := slices.Concat(c.Unknown, c.NoValues)
		t.Add(p.short(c.Name), c.Role, counts(c.Pass...), counts(c.Fail...), counts(missing...), c.Numbers)
	}
	s := section("Read", "What was read", t)
	for _, w := range p.Warnings {
		note(&s, "! %s", w.Text)
	}
	return s
}
