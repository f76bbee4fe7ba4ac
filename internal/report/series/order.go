package series

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// order puts the series in report order.
func (h *Run) order() {
	for _, sr := range h.Table.All {
		h.Series = append(h.Series, sr)
	}
	before := ReportOrder(h.Manifest)
	slices.SortFunc(h.Series, func(x, y *Series) int { return before(x.Instrument, y.Instrument) })
}

// last orders what holds behind what does not.
func last(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return 1
	}
	return -1
}

// ReportOrder compares instruments: judges before scorers before labels, each in
// the order of the manifest, then by name.
func ReportOrder(m *report.Manifest) func(x, y report.Instrument) int {
	source := map[string]int{string(score.Judge): 0, string(score.Deterministic): 1, string(score.Label): 2}
	place := map[string]int{}
	for i, r := range m.Rubrics {
		place["judge/"+r.Name] = i - len(m.Rubrics)
	}
	for i, s := range m.Scorers {
		place["deterministic/"+s.Name] = i - len(m.Scorers)
	}
	judge := map[string]int{}
	for i, j := range m.Judges {
		judge[j.Name] = i - len(m.Judges)
	}
	return func(x, y report.Instrument) int {
		return cmp.Or(
			cmp.Compare(x.Purpose, y.Purpose),
			cmp.Compare(source[x.Source], source[y.Source]),
			cmp.Compare(judge[x.Judge], judge[y.Judge]), cmp.Compare(x.Judge, y.Judge),
			cmp.Compare(place[x.Source+"/"+x.Name], place[y.Source+"/"+y.Name]), last(report.IsPart(x), report.IsPart(y)), cmp.Compare(x.Name, y.Name),
			cmp.Compare(x.Metric, y.Metric), cmp.Compare(x.Level, y.Level),
		)
	}
}
