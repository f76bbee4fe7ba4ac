package raters

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Weighting says how much credit a pair of categories gets.
type Weighting string

// The weightings. Kappa applies them to category positions, Gwet's coefficient to category values.
const (
	NoWeights Weighting = "none"
	linear    Weighting = "linear"
	Quadratic Weighting = "quadratic"
)

// maxCategories limits the q×q tables.
const maxCategories = 1000

// weightsOn returns the weights of all pairs of ascending points, row-major q×q.
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
			case w == NoWeights:
				d = 1
			case w == Quadratic:
				d *= d
			case w != linear:
				return nil, fmt.Errorf("weighting %q is not one of none, linear, quadratic", w)
			}
			out[i*q+j] = 1 - d
		}
	}
	return out, nil
}

// pairs holds the ratings of two raters as positions on a scale of q categories.
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

// places returns the positions of the declared categories.
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

// cell returns the index of an item in the q×q table.
func (p *pairs) cell(i int) int { return p.rows[i]*p.q + p.cols[i] }

// tables adds the weights of the pairs of each cluster: clusters × q·q.
func (p *pairs) tables(weight []float64, index []int, clusters int) []float64 {
	size := p.q * p.q
	out := make([]float64, clusters*size)
	for i, c := range index {
		out[c*size+p.cell(i)] += weight[i]
	}
	return out
}

// Kappa is Cohen's kappa with its parts. Its interval is [interval.Jackknifed.Common], clustered;
// independent items are clusters of one.
type Kappa struct {
	N      int
	PO, PE stat.Opt
	interval.Jackknifed
}

// CohenKappa computes Cohen's kappa (1960; with weights 1968), in -1..1, over the declared scale
// labels, in scale order. Ratings outside the scale are an error. cluster is the conversation of
// each item, nil for independent items; weight is how many items each represents, nil for one. Each
// cluster is reduced to its table of counts.
func CohenKappa(a, b, weight []float64, cluster []int, labels []float64, w Weighting, alpha float64) (Kappa, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Kappa{}, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, a, b, stat.Weights(weight, len(a)))
	if err != nil {
		return Kappa{}, err
	}
	p, err := newPairs(kept[0], kept[1], labels, w)
	if err != nil {
		return Kappa{}, err
	}
	out := Kappa{N: len(index)}
	_, out.PO, out.PE = p.kappa(p.tables(kept[2], make([]int, len(index)), 1))
	j := interval.JackknifeSums(p.tables(kept[2], index, g), p.q*p.q, p.kappaOfSums)
	out.Jackknifed = j.Common(index, kept[2], func(i int) []float64 {
		return []float64{float64(p.rows[i]), float64(p.cols[i])}
	}, func(a, b float64) float64 { return 1 - p.weights[int(a)*p.q+int(b)] }, alpha)
	return out, nil
}

// KappaDifference is κ(reference, a) - κ(reference, b) on the items that all three have, clustered:
// does judge a agree better with the reference than judge b? It has no interval if the reference
// has a value other than the most common one in fewer than [interval.FewestCompared] clusters.
func KappaDifference(
	reference, a, b, weight []float64, cluster []int, labels []float64, w Weighting, alpha float64,
) (interval.Difference, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return interval.Difference{}, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, reference, a, b, stat.Weights(weight, len(a)))
	if err != nil {
		return interval.Difference{}, err
	}
	first, err := newPairs(kept[0], kept[1], labels, w)
	if err != nil {
		return interval.Difference{}, err
	}
	second, err := newPairs(kept[0], kept[2], labels, w)
	if err != nil {
		return interval.Difference{}, err
	}
	x, y := first.tables(kept[3], index, g), second.tables(kept[3], index, g)
	gold := interval.Varied(index, g, kept[0])
	return interval.JackknifeDifference(x, y, first.q*first.q, first.kappaOfSums, gold, alpha), nil
}

// squared returns the squared distance of two ratings.
func squared(a, b float64) float64 { return (a - b) * (a - b) }

// different returns the squared distance of two categories: 0 or 1.
func different(a, b float64) float64 {
	if a == b {
		return 0
	}
	return 1
}

// inColumns returns the ratings of an item in all columns.
func inColumns(columns ...[]float64) func(item int) []float64 {
	return func(i int) (of []float64) {
		for _, c := range columns {
			of = append(of, c[i])
		}
		return of
	}
}

// kappaOfSums returns kappa from the counts of a q×q table.
func (p *pairs) kappaOfSums(counts []float64) stat.Opt {
	kappa, _, _ := p.kappa(counts)
	return kappa
}

// kappa returns (po-pe)/(1-pe) with po = Σ w_ij p_ij and pe = Σ w_ij p_i· p_·j. It is undefined if
// both raters use the same single category, or if every pair of used categories gets full credit:
// then the expected agreement is 1, whatever its sum rounds to. Products are converted explicitly,
// so that no machine fuses them with an addition: the sums must be the same everywhere.
func (p *pairs) kappa(counts []float64) (kappa, po, pe stat.Opt) {
	n, q := stat.Sum(counts), p.q
	if n == 0 {
		none := stat.None(stat.NoItems)
		return none, none, none
	}
	margins := make([]float64, 2*q)
	row, col := margins[:q], margins[q:]
	observed, expected, differ := 0.0, 0.0, false
	for i := range q {
		for j := range q {
			row[i] += counts[i*q+j]
			col[j] += counts[i*q+j]
			observed += float64(p.weights[i*q+j] * counts[i*q+j])
		}
	}
	for i := range q {
		for j := range q {
			both := float64(row[i] * col[j])
			expected += float64(p.weights[i*q+j] * both)
			differ = differ || both > 0 && p.weights[i*q+j] != 1
		}
	}
	observed, expected = observed/n, expected/n/n
	if !differ {
		return stat.None(stat.NoChanceDisagreement), stat.Some(observed), stat.Some(1)
	}
	return stat.Some((observed - expected) / (1 - expected)), stat.Some(observed), stat.Some(expected)
}
