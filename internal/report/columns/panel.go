package columns

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// panel measures the agreement of all judges among themselves, where there are two or
// more: any number of raters, with gaps.
func (w *work) panel() (*Panel, error) {
	if len(w.judges) < 2 {
		return nil, nil
	}
	ratings, kind := w.ratings()
	if ratings == nil {
		return nil, nil
	}
	out := &Panel{}
	for _, j := range w.judges {
		out.Raters = append(out.Raters, j.name)
	}
	n, clusters := w.where(func(i int) bool { return present(ratings, i) >= 2 })
	groups := n
	if w.clustered {
		groups = clusters
	}
	level, labels := raters.LevelInterval, []float64(nil)
	switch kind {
	case "verdicts":
		level, labels = raters.LevelNominal, verdictScale
	case "categories":
		level, labels = w.scale(), w.labels
	}
	alpha, err := w.krippendorff(ratings, level, groups)
	if err != nil {
		return nil, err
	}
	alpha.N, alpha.Clusters = n, clusters
	out.Measures = append(out.Measures, alpha)
	if labels == nil {
		return out, w.panelICC(out, ratings)
	}
	return out, w.panelLabels(out, ratings, labels, level, n, clusters)
}

// ratings are raters × rows of the finest kind that all judges have.
func (w *work) ratings() (ratings [][]float64, kind string) {
	for _, k := range []struct {
		name string
		of   func(*side) []float64
	}{
		{"categories", func(s *side) []float64 { return s.category }},
		{"verdicts", func(s *side) []float64 { return s.verdict }},
		{"values", func(s *side) []float64 { return s.value }},
	} {
		ratings = nil
		for _, j := range w.judges {
			if list := k.of(j); list != nil {
				ratings = append(ratings, list)
			}
		}
		if len(ratings) == len(w.judges) {
			return ratings, k.name
		}
	}
	return nil, ""
}

func present(ratings [][]float64, i int) int {
	n := 0
	for _, row := range ratings {
		if !math.IsNaN(row[i]) {
			n++
		}
	}
	return n
}

func (w *work) panelICC(out *Panel, ratings [][]float64) error {
	rows := make([][]float64, w.tab.Rows)
	flat := make([]float64, w.tab.Rows*len(ratings))
	for i := range rows {
		rows[i] = flat[i*len(ratings) : (i+1)*len(ratings)]
		for k, r := range ratings {
			rows[i][k] = r[i]
		}
	}
	icc, err := raters.IntraclassCorrelation(rows, w.cfg.Alpha)
	if err != nil {
		return err
	}
	_, clusters := w.where(func(i int) bool { return present(ratings, i) == len(ratings) })
	one := point("icc", "intraclass correlation ICC(2,1)", icc.ICC2, icc.Items, clusters)
	if !w.clustered {
		one.between(icc.ICC2CI, "F, items independent")
	}
	out.Measures = append(out.Measures, one, point("icc_k", "  of the mean of all raters ICC(2,k)", icc.ICC2K, icc.Items, clusters))
	return nil
}

func (w *work) panelLabels(out *Panel, ratings [][]float64, labels []float64, level string, n, clusters int) error {
	fleiss, err := raters.FleissKappa(ratings, labels, w.cfg.Alpha)
	if err != nil {
		return err
	}
	weights, name := raters.NoWeights, "Gwet's AC1"
	if level == Ordinal {
		weights, name = raters.Quadratic, "Gwet's AC2, quadratic weights"
	}
	gwet, err := raters.GwetAC(ratings, labels, weights, w.cfg.Alpha)
	if err != nil {
		return err
	}
	same := point("pairwise_agreement", "two judges agree", fleiss.PA, n, clusters)
	same.Percent = true
	f, g := point("fleiss", "Fleiss' kappa", fleiss.Coef, n, clusters), point("gwet", name, gwet.Coef, n, clusters)
	if !w.clustered {
		f.between(fleiss.CI, "linearised, items independent")
		g.between(gwet.CI, "linearised, items independent")
	}
	out.Measures = append(out.Measures, same, f, g)
	return nil
}

// against compares every further judge with the first: the difference of agreement
// with gold on the items that both judged, by clusters, corrected over judges.
func (w *work) against() ([]Difference, error) {
	first := w.judges[0]
	if len(w.judges) < 2 || w.gold.verdict == nil || first.verdict == nil {
		return nil, nil
	}
	var out []Difference
	var ps []float64
	base := lay(w.gold.verdict, first.verdict, nil).same
	for _, j := range w.judges[1:] {
		if j.verdict == nil {
			continue
		}
		same, ref := complete(lay(w.gold.verdict, j.verdict, nil).same, base)
		d := Difference{Judge: j.name, First: first.name}
		p, err := w.difference(&d, same, ref)
		if err != nil {
			return nil, err
		}
		out, ps = append(out, d), append(ps, p)
	}
	adjusted, err := interval.Holm(ps)
	if err != nil {
		return nil, err
	}
	for k := range out {
		out[k].Holm = pointer(adjusted[k])
	}
	return out, nil
}

// difference fills d and returns p, NaN where it is undefined.
func (w *work) difference(d *Difference, same, ref []float64) (float64, error) {
	n, clusters := w.both(same, ref)
	groups := n
	if w.clustered {
		groups = clusters
	}
	gap := make([]float64, len(same))
	for i := range gap {
		gap[i] = same[i] - ref[i]
	}
	m, err := w.mean("agreement_difference", "difference of agreement", gap)
	if err != nil {
		return 0, err
	}
	d.Diff = m
	cfg, ok := w.bootstrap(1, groups)
	if !ok || m.Value == nil {
		return math.NaN(), nil
	}
	s, err := interval.PairedBootstrap(same, ref, w.cluster, cfg)
	if err != nil {
		return 0, err
	}
	w.resampled(&d.Diff, s, cfg)
	if !s.P.Valid {
		return math.NaN(), nil
	}
	d.P = rounded(s.P.Value)
	return s.P.Value, nil
}

func pointer(o stat.Opt) *float64 {
	if !o.Valid {
		return nil
	}
	return rounded(o.Value)
}
