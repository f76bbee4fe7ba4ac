package columns

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/report"
)

// against compares every further judge with the first: the difference of agreement
// with gold on the items that both judged, by clusters, corrected over judges.
func (w *work) against() []Difference {
	first := w.judges[0]
	if w.gold.verdict == nil || first.verdict == nil {
		return nil
	}
	var out []Difference
	var ps []float64
	base := each(w.gold.verdict, first.verdict, same)
	for _, j := range w.judges[1:] {
		if j.verdict == nil {
			continue
		}
		right := each(w.gold.verdict, j.verdict, same)
		gap := each(right, base, func(a, b float64) float64 { return a - b })
		d := Difference{Judge: j.name, First: first.name}
		d.Diff = w.mean("agreement_difference", "difference of agreement", gap)
		_, mean := w.average("", "", gap)
		p := math.NaN()
		if test := mean.P(); test.Valid {
			p = test.Value
		}
		d.P = report.Rounded(p)
		out, ps = append(out, d), append(ps, p)
	}
	holm, err := interval.Holm(ps)
	w.check(err)
	for k := range holm {
		out[k].Holm = report.Point(holm[k]).Value
	}
	return out
}

func same(a, b float64) float64 { return 1 - math.Abs(a-b) }

// panel measures the agreement of all judges among themselves, where there are two or
// more: any number of raters, with gaps, by the finest kind that all have.
func (w *work) panel() *Panel {
	if len(w.judges) < 2 {
		return nil
	}
	out := &Panel{}
	for _, j := range w.judges {
		out.Raters = append(out.Raters, j.name)
	}
	for _, kind := range []struct {
		name, level string
		labels      []float64
	}{
		{"categories", w.cfg.categoryScale(), w.labels},
		{"verdicts", raters.LevelNominal, verdictScale},
		{"values", raters.LevelInterval, nil},
	} {
		var ratings [][]float64
		for _, j := range w.judges {
			if list := j.kinds()[kind.name]; list != nil {
				ratings = append(ratings, list)
			}
		}
		if len(ratings) == len(w.judges) {
			out.Measures = w.panelMeasures(ratings, kind.level, kind.labels)
			return out
		}
	}
	return nil
}

func (w *work) panelMeasures(ratings [][]float64, level string, labels []float64) Measures {
	rated := func(least int) size {
		enough := make([]float64, w.rows)
		for i := range enough {
			present := 0
			for _, r := range ratings {
				if !math.IsNaN(r[i]) {
					present++
				}
			}
			enough[i] = when(present >= least, 1)
		}
		return w.count(enough, enough)
	}
	sz := rated(2)
	alpha := w.alpha(ratings, level, sz)
	if labels == nil {
		one, mean := w.icc(ratings, rated(len(ratings)))
		return Measures{alpha, one, mean}
	}
	fleiss, err := raters.FleissKappa(ratings, w.cluster, labels, w.cfg.Alpha)
	w.check(err)
	weights, name := raters.NoWeights, "Gwet's AC1"
	if level == Ordinal {
		weights, name = raters.Quadratic, "Gwet's AC2, quadratic weights"
	}
	both := point("pairwise_agreement", "two judges agree", fleiss.PA, sz)
	both.Share = true
	return Measures{
		alpha, both, w.jackknifed("fleiss", "Fleiss' kappa", fleiss.Jackknifed, sz),
		w.gwet("gwet", name, ratings, labels, weights, sz),
	}
}
