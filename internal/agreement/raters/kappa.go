package raters

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Weighting names how much credit a pair of categories earns.
type Weighting string

// The weightings. Kappa takes them on category positions, Gwet's coefficient on category
// values.
const (
	NoWeights Weighting = "none"
	linear    Weighting = "linear"
	Quadratic Weighting = "quadratic"
)

// maxCategories bounds the q×q tables.
const maxCategories = 1000

// weightsOn are the weights of all pairs of ascending points, row-major q×q.
func weightsOn(points []float64, w Weighting) ([]float64, error) {
	q := len(points)
	if q > maxCategories {
		return nil, fmt.Errorf("%d categories are more than %d", q, maxCategories)
	}
	out := make([]float64, q*q)
	for i := range q {
		for j := range q {
			d := 0.0
			if i != j {
				d = math.Abs(points[i]-points[j]) / (points[q-1] - points[0])
			}
			switch {
			case i == j:
			case w == NoWeights || w == "":
				d = 1
			case w == Quadratic:
				d *= d
			case w != linear:
				return nil, fmt.Errorf("weighting %q is none of none, linear, quadratic", w)
			}
			out[i*q+j] = 1 - d
		}
	}
	return out, nil
}

// pairs are the ratings of two raters as positions on a scale of q categories.
type pairs struct {
	rows, cols []int
	q          int
	weights    []float64
}

func newPairs(a, b, labels []float64, w Weighting) (pairs, error) {
	at, err := places(labels)
	if err != nil {
		return pairs{}, err
	}
	p := pairs{rows: make([]int, len(a)), cols: make([]int, len(b)), q: len(labels)}
	for i := range a {
		row, ok := at[a[i]]
		col, known := at[b[i]]
		if !ok || !known {
			return p, fmt.Errorf("ratings %v and %v (item %d after dropping) are not both declared categories",
				a[i], b[i], i+1)
		}
		p.rows[i], p.cols[i] = row, col
	}
	positions := make([]float64, len(labels))
	for k := range positions {
		positions[k] = float64(k)
	}
	p.weights, err = weightsOn(positions, w)
	return p, err
}

// places are the positions of the declared categories.
func places(labels []float64) (map[float64]int, error) {
	at := make(map[float64]int, len(labels))
	for i, l := range labels {
		if _, twice := at[l]; twice || math.IsNaN(l) {
			return nil, fmt.Errorf("category %v is declared twice or is missing", l)
		}
		at[l] = i
	}
	return at, nil
}

// cell is the place of an item in the q×q table.
func (p *pairs) cell(i int) int { return p.rows[i]*p.q + p.cols[i] }

// tables counts the pairs of each cluster: clusters × q·q.
func (p *pairs) tables(index []int, clusters int) []float64 {
	size := p.q * p.q
	out := make([]float64, clusters*size)
	for i, c := range index {
		out[c*size+p.cell(i)]++
	}
	return out
}

// Kappa is Cohen's kappa with its parts. The interval is Kappa ± z·SE for independent
// items, not clipped; at Kappa = 1 the SE is 0, use the cluster bootstrap there.
type Kappa struct {
	N             int
	Kappa, PO, PE stat.Opt
	SE            stat.Opt // Fleiss, Cohen and Everitt 1969
	CI            stat.Interval
}

// KappaCluster is kappa over items that come in clusters (calls in
// conversations).
type KappaCluster struct {
	Kappa                        // point, parts and the iid interval, for comparison only
	Clusters  int                //
	SECluster stat.Opt           // CR1 from the influence values, by cluster
	CRCI      stat.Interval      // Kappa ± t(G-1)·SECluster, not clipped
	Bootstrap interval.Resampled // percentile interval over clusters
}

// ClusteredKappa computes Cohen's kappa over the declared scale labels, in scale order,
// with intervals that respect clusters; ratings outside the scale are an error. For the
// bootstrap each cluster is reduced to its table of counts, so that its cost does not
// depend on the number of items. A Bootstrap with 0 resamples skips it.
func ClusteredKappa(
	a, b []float64, cluster []int, labels []float64, w Weighting, cfg interval.Bootstrap,
) (out KappaCluster, err error) {
	if err := stat.CheckAlpha(cfg.Alpha); err != nil {
		return out, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, a, b)
	if err != nil {
		return out, err
	}
	p, err := newPairs(kept[0], kept[1], labels, w)
	if err != nil {
		return out, err
	}
	t := p.table(p.tables(make([]int, len(index)), 1))
	out = KappaCluster{Kappa: t.kappa(cfg.Alpha), Clusters: g}
	out.SECluster = p.clusterSE(t, out.Kappa, index, g)
	out.CRCI = stat.Around(out.Kappa.Kappa, out.SECluster.Times(stat.CriticalT(cfg.Alpha, math.Max(1, float64(g-1)))))
	if cfg.Resamples == 0 {
		none := stat.None(stat.NotApplicable)
		out.Bootstrap = interval.Resampled{
			Estimate: out.Kappa.Kappa, SE: none, CI: stat.NoInterval(stat.NotApplicable), P: none, Clusters: g,
		}
		return out, nil
	}
	out.Bootstrap, err = interval.ResampleClusters(p.tables(index, g), p.q*p.q, p.kappaOfSums, cfg)
	return out, err
}

// KappaDifference bootstraps κ(reference, a) - κ(reference, b) over clusters:
// does judge a agree with the reference better than judge b. Items with any of
// the three missing are dropped. P is two-sided, by inversion.
func KappaDifference(
	reference, a, b []float64, cluster []int, labels []float64, w Weighting, cfg interval.Bootstrap,
) (interval.Resampled, error) {
	kept, index, g, _, err := stat.CompleteClustered(cluster, reference, a, b)
	if err != nil {
		return interval.Resampled{}, err
	}
	first, err := newPairs(kept[0], kept[1], labels, w)
	if err != nil {
		return interval.Resampled{}, err
	}
	second, err := newPairs(kept[0], kept[2], labels, w)
	if err != nil {
		return interval.Resampled{}, err
	}
	of := first.kappaOfSums
	return interval.ResampleDifference(first.tables(index, g), second.tables(index, g), first.q*first.q, of, cfg)
}

// clusterSE sums the influence of each item on kappa,
// [w_ij - po - (1-κ)(w̄_i· + w̄_·j - 2pe)]/(n(1-pe)), over clusters and takes CR1 of
// the sums. With one item per cluster it is the SE of Fleiss, Cohen and Everitt
// up to √(n/(n-1)).
func (p *pairs) clusterSE(t table, k Kappa, index []int, g int) stat.Opt {
	if !k.Kappa.Valid {
		return stat.None(k.Kappa.Reason)
	}
	po, pe := k.PO.Value, k.PE.Value
	influence := make([]float64, len(index))
	for i := range influence {
		r, c := p.rows[i], p.cols[i]
		credit := p.weights[r*p.q+c] - po - (1-k.Kappa.Value)*(t.rowWeight[r]+t.colWeight[c]-2*pe)
		influence[i] = credit / (1 - pe) / t.n
	}
	return interval.InfluenceSE(influence, index, g)
}

// kappaOfSums is kappa from the counts of a q×q table.
func (p *pairs) kappaOfSums(counts []float64) stat.Opt { return p.table(counts).kappa(0.05).Kappa }

// table is a q×q table of shares with its margins: row and col are the shares of the
// categories, rowWeight and colWeight w̄_i· = Σ_j p_·j w_ij and w̄_·j = Σ_i p_i· w_ij.
type table struct {
	n                    float64
	q                    int
	share, weights       []float64
	row, col             []float64
	rowWeight, colWeight []float64
}

func (p *pairs) table(counts []float64) table {
	q := p.q
	t := table{n: stat.Sum(counts), q: q, weights: p.weights, share: make([]float64, q*q)}
	margins := make([]float64, 4*q)
	t.row, t.col, t.rowWeight, t.colWeight = margins[:q], margins[q:2*q], margins[2*q:3*q], margins[3*q:]
	for i := range q {
		for j := range q {
			t.share[i*q+j] = counts[i*q+j] / t.n
			t.row[i] += t.share[i*q+j]
			t.col[j] += t.share[i*q+j]
		}
	}
	for i := range q {
		for j := range q {
			t.rowWeight[i] += float64(t.col[j] * t.weights[i*q+j])
			t.colWeight[j] += float64(t.row[i] * t.weights[i*q+j])
		}
	}
	return t
}

// kappa computes kappa, its parts and its large-sample SE. Products are converted
// explicitly so that no machine fuses them with an addition: the sums must be the same
// everywhere.
func (t table) kappa(alpha float64) Kappa {
	if t.n == 0 {
		none := stat.None(stat.NoItems)
		return Kappa{Kappa: none, PO: none, PE: none, SE: none, CI: stat.NoInterval(stat.NoItems)}
	}
	q, w := t.q, t.weights
	cells := make([]float64, q*q)
	sum := func(cell func(i, j int) float64) float64 {
		for i := range q {
			for j := range q {
				cells[i*q+j] = cell(i, j)
			}
		}
		return lanesSum(cells)
	}
	po := sum(func(i, j int) float64 { return float64(w[i*q+j] * t.share[i*q+j]) })
	pe := sum(func(i, j int) float64 { return float64(w[i*q+j] * float64(t.col[j]*t.row[i])) })
	k := Kappa{N: int(t.n), PO: stat.Some(po), PE: stat.Some(pe)}
	if pe == 1 || t.noDisagreement() {
		none := stat.None(stat.NoChanceDisagreement)
		k.PE, k.Kappa, k.SE, k.CI = stat.Some(1), none, none, stat.NoInterval(none.Reason)
		return k
	}
	kappa := (po - pe) / (1 - pe)
	squares := sum(func(i, j int) float64 {
		d := w[i*q+j] - float64((t.rowWeight[i]+t.colWeight[j])*(1-kappa))
		return float64(t.share[i*q+j] * float64(d*d))
	})
	m := kappa - float64(pe*(1-kappa))
	v := (squares - float64(m*m)) / float64(t.n*float64((1-pe)*(1-pe)))
	k.Kappa, k.SE = stat.Some(kappa), stat.Some(math.Sqrt(math.Max(0, v)))
	k.CI = stat.Around(k.Kappa, k.SE.Times(stat.Critical(alpha)))
	return k
}

// noDisagreement reports whether both raters use the same single category, or
// every pair of used categories earns full credit: then the expected agreement
// is 1 whatever its sum rounds to.
func (t table) noDisagreement() bool {
	for i, row := range t.row {
		for j, col := range t.col {
			if row > 0 && col > 0 && t.weights[i*t.q+j] != 1 {
				return false
			}
		}
	}
	return true
}

// lanesSum adds in eight interleaved lanes that are joined pairwise at the end.
// It is the order in which the reference packages for kappa add the cells of a
// table; where a variance is a difference of equal sums the order decides the
// last digits, and so the standard error.
func lanesSum(v []float64) float64 {
	if len(v) < 8 {
		return stat.Sum(v)
	}
	var lane [8]float64
	i := 0
	for ; i+8 <= len(v); i += 8 {
		for k := range lane {
			lane[k] += v[i+k]
		}
	}
	s := ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]))
	for _, x := range v[i:] {
		s += x
	}
	return s
}
