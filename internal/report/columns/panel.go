package columns

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/raters"
)

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
