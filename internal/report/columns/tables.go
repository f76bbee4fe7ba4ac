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

// measureColumn is a column of measures: its head, whether it shows the interval, whether
// its shares are whole percentages, and the names of the measures, of which the first present
// one counts.
type measureColumn struct {
	head        string
	ends, whole bool
	names       []string
}

// value prints the measure without its interval, or a dash where there is none.
func (m *Measure) value() string {
	if m == nil || !m.Defined() {
		return document.None
	}
	return m.print(*m.Value)
}

// print prints a number with three decimals, or four digits where these say nothing.
func (m *Measure) print(f float64) string {
	if m.Share {
		return document.Share(f, 1)
	}
	text := document.Fixed(f, 3)
	if text == "0.000" && f != 0 || len(text) > 12 {
		return document.Short(f)
	}
	return text
}

// ends prints the interval, "" where there is none.
func (m *Measure) ends() string {
	switch {
	case m == nil || !m.HasInterval():
		return ""
	case m.Share:
		return document.Percent(m.Value, m.Low, m.High, 1).Ends
	}
	e := m.Estimate
	if strings.HasPrefix(m.Name, "kappa") { // the closed interval may leave kappa's range
		e = e.Clipped(-1, 1)
	}
	return fmt.Sprintf("[%s, %s]", m.print(*e.Low), m.print(*e.High))
}

// both prints the measure with its interval.
func (m *Measure) both() string { return strings.TrimSpace(m.value() + " " + m.ends()) }

// grid are the columns of measures of several things, of those columns that have any.
func grid(
	columns []measureColumn, list []Measures, ends func(i int) bool,
) (heads []string, kinds string, rows [][]string) {
	rows = make([][]string, len(list))
	for _, c := range columns {
		if !slices.ContainsFunc(list, func(m Measures) bool { return m.get(c.names...) != nil }) {
			continue
		}
		heads, kinds = append(heads, c.head), kinds+map[bool]string{true: "e", false: "r"}[c.ends]
		for i, measures := range list {
			m := measures.get(c.names...)
			text := m.value()
			switch {
			case c.whole && ends(i) && m != nil:
				text = document.Percent(m.Value, m.Low, m.High, 0).String()
			case c.ends && ends(i):
				text = m.both()
			}
			rows[i] = append(rows[i], text)
		}
	}
	return heads, kinds, rows
}

// ranked are the pairs and panels, the best first, where they are ranked.
func (p *page) ranked() []Pair {
	all := slices.Concat(p.Pairs, p.Panels)
	if p.Ranking == nil {
		return all
	}
	place := map[string]int{}
	for i, one := range p.Ranking.Judges {
		place[one.Judge] = i
	}
	slices.SortStableFunc(all, func(a, b Pair) int { return cmp.Compare(place[a.B], place[b.B]) })
	return all
}

// ranking prints the judges and panels in their order, with the constant answer.
func (p *page) ranking() {
	if p.Ranking == nil {
		return
	}
	pairs := map[string]*Pair{}
	for _, x := range p.ranked() {
		pairs[x.B] = &x
	}
	columns, title := []measureColumn{{head: "J", ends: true, names: []string{byYouden}}}, "Ranking by Youden's J"
	if p.Ranking.By == byKappa {
		columns, title = []measureColumn{{head: "kappa", ends: true, names: kappas}}, "Ranking by kappa"
	}
	p.heading("%s", title)
	var list []Measures
	for _, one := range p.Ranking.Judges {
		list = append(list, pairs[one.Judge].Measures)
	}
	heads, kinds, cells := grid(columns, list, func(int) bool { return true })
	below, alone := false, ""
	for i, one := range p.Ranking.Judges {
		name := p.short(one.Judge)
		if slices.ContainsFunc(pairs[one.Judge].Warnings, func(w report.Warning) bool { return w.Code == "below_constant" }) {
			below, name = true, name+" *"
		}
		gap := document.Number(one.Behind.Value, one.Behind.Low, one.Behind.High, 3)
		if one.Behind.Defined() && !one.Behind.HasInterval() {
			alone = one.Behind.Why()
		}
		cells[i] = append(append([]string{name}, cells[i]...), gap.String(), document.P(one.Holm))
	}
	p.table("l"+kinds+"er", append(append([]string{"judge"}, heads...), "from the best", "p (Holm)"), cells)
	p.note("from the best: the difference on the items that both judged, by cluster; p is corrected for the number " +
		"of judges. Judges whose interval has 0 inside cannot be told from the best")
	if alone != "" {
		p.note("a difference without an interval: %s", alone)
	}
	if below {
		always := p.Panels[len(p.Panels)-1] // the constant answer
		p.note("* has the verdict of %s less often than %q, which has it on %s", p.Gold, always.B,
			always.Measures.get("agreement").value())
	}
}

// blind prints the ranking without gold.
func (p *page) blind() {
	if p.Blind == nil {
		return
	}
	p.heading("Ranking without gold")
	var rows [][]string
	for i, one := range p.Blind.Judges {
		rows = append(rows, []string{
			strconv.Itoa(i + 1), p.short(one.Judge), document.Percent(one.PassRate.Value, nil, nil, 1).Text,
			document.Number(one.MeanKappa.Value, nil, nil, 3).Text,
			document.Percent(one.Majority.Value, nil, nil, 1).Text,
		})
	}
	p.table("rlrrr", []string{"", "judge", "passes", "kappa with others", "as most others"}, rows)
	p.note("a ranking, and no measure: by Dawid and Skene's model of the votes alone, which finds who is better and not " +
		"how good anybody is; label some conversations for that (--gold). kappa with others = mean of its kappas; " +
		"as most others = same verdict as the majority of the others")
}

// people prints each judge's agreement with single people beside theirs with each other.
func (p *page) people() {
	if len(p.People) == 0 {
		return
	}
	p.heading("Judges among people")
	var rows [][]string
	for _, l := range p.People {
		percent := func(e report.Estimate) string { return document.Percent(e.Value, nil, nil, 1).Text }
		rows = append(rows, []string{
			p.short(l.Judge), strconv.Itoa(l.N), percent(l.HumanLikeness.Judge), percent(l.People),
			document.Percent(l.Difference.Value, l.Difference.Low, l.Difference.High, 1).String(), l.Words(),
		})
	}
	p.table("lrrrel", []string{"judge", "n", "with people", "people", "difference", ""}, rows)
	p.note("with people = its mean agreement with each person, people = theirs with each other, on items that two or more "+
		"decided; within the range of human disagreement = the whole interval is above -%g points",
		100*report.HumanMargin)
}
