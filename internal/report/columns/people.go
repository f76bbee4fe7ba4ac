package columns

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

// majority is the verdict of most people, a tie and an item without two of them missing: gold
// where no column of it is named.
func (x *inputs) majority() *side {
	out := &side{name: fmt.Sprintf("majority of %d people", len(x.people)), verdict: make([]float64, x.tab.Rows)}
	for i := range out.verdict {
		balance, n := 0.0, 0
		for _, p := range x.people {
			if v := p.verdict[i]; !math.IsNaN(v) {
				balance, n = balance+2*v-1, n+1
			}
		}
		out.verdict[i] = measure.When(n > 1 && balance != 0, measure.One(balance > 0))
		out.missing += int(measure.One(math.IsNaN(out.verdict[i])))
	}
	return out
}

// likeness compares each judge's agreement with single people with these people's agreement
// with each other.
func (w *work) likeness() []Likeness {
	var out []Likeness
	labels := make([][]float64, len(w.people))
	for i, p := range w.people {
		labels[i] = p.verdict
	}
	for _, j := range w.judges {
		if len(labels) < 2 || j.verdict == nil {
			continue
		}
		l := w.Likeness(labels, j.verdict, w.cluster)
		out = append(out, Likeness{Judge: j.name, size: size{l.Difference.N, l.Difference.Clusters},
			HumanLikeness: report.HumanLikenessOf(l)})
		if w.cluster == nil {
			out[len(out)-1].Clusters = 0
		}
	}
	return out
}

// verdictsOnly checks that people's columns hold verdicts.
func (x *inputs) verdictsOnly() error {
	if i := slices.IndexFunc(x.people, func(s *side) bool { return s.verdict == nil }); i >= 0 {
		return fmt.Errorf("%s: column %s of a person holds numbers: say with --gold-threshold or --threshold which "+
			"pass", x.tab.Name, x.people[i].name)
	}
	return nil
}
