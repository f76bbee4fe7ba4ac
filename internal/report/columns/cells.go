package columns

import (
	"fmt"
	"slices"
	"strings"

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
