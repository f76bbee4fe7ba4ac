package columns

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

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
		{"verdicts", raters.LevelNominal, measure.VerdictScale},
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
				present += int(measure.One(!math.IsNaN(r[i])))
			}
			enough[i] = measure.When(present >= least, 1)
		}
		return sizeOf(w.both(enough, enough))
	}
	sz := rated(2)
	alpha := w.alpha(ratings, level, sz)
	if labels == nil {
		one, mean := w.icc(ratings, rated(len(ratings)))
		return Measures{alpha, one, mean}
	}
	weights, name := raters.NoWeights, "Gwet's AC1"
	if level == Ordinal {
		weights, name = raters.Quadratic, "Gwet's AC2, quadratic weights"
	}
	fleiss := w.Fleiss(ratings, w.cluster, labels)
	both := point("pairwise_agreement", "two judges agree", fleiss.PA, sz)
	both.Share = true
	return Measures{
		alpha, both, w.jackknifed("fleiss", "Fleiss' kappa", report.Interval(fleiss.Value, fleiss.CI), sz),
		w.jackknifed("gwet", name, w.Gwet(ratings, w.cluster, labels, weights), sz),
	}
}
