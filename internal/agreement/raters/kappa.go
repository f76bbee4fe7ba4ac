package raters

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// lanesSum adds in eight interleaved lanes that are joined pairwise at the end.
// It is the order in which the reference packages for kappa add the cells of a
// table; where a variance is a difference of equal sums the order decides the
// last digits, and so the standard error.
func lanesSum(v []float64) float64 {
	if len(v) < 8 {
		return stat.Sum(v)
	}
	var lane [8]float64
	copy(lane[:], v[:8])
	i := 8
	for ; i+8 <= len(v); i += 8 {
		for k := range lane {
			lane[k] += v[i+k]
		}
	}
	s := ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]))
	for ; i < len(v); i++ {
		s += v[i]
	}
	return s
}

// Weighting names how much credit a pair of categories earns.
type Weighting string

// The weightings. Kappa takes NoWeights, Linear and Quadratic on category
// positions; Gwet's coefficient takes all four on category values.
const (
	NoWeights Weighting = "none"
	Linear    Weighting = "linear"
	Quadratic Weighting = "quadratic"
	Ordinal   Weighting = "ordinal"
)

// Kappa is Cohen's kappa with its parts. The interval is Kappa ± z·SE, not
// clipped; at Kappa = 1 the SE is 0, use the cluster bootstrap there.
type Kappa struct {
	N, Dropped      int
	Kappa, PO, PE   stat.Opt
	SE              stat.Opt // Fleiss, Cohen and Everitt 1969
	CI              stat.Interval
	ScottPi         stat.Opt // only without weights
	BrennanPrediger stat.Opt // only without weights
	Warnings        []stat.Warning
}

// CohenKappa compares two raters over the declared scale labels, in scale
// order; ratings outside the scale are an error.
func CohenKappa(a, b, labels []float64, w Weighting, alpha float64) (Kappa, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return Kappa{}, err
	}
	weights, err := positionWeights(w, len(labels))
	if err != nil {
		return Kappa{}, err
	}
	kept, dropped, err := stat.Complete(a, b)
	if err != nil {
		return Kappa{}, err
	}
	rows, err := positions(kept[0], labels)
	if err != nil {
		return Kappa{}, err
	}
	cols, err := positions(kept[1], labels)
	if err != nil {
		return Kappa{}, err
	}
	q := len(labels)
	table := make([]float64, q*q)
	for i := range rows {
		table[rows[i]*q+cols[i]]++
	}
	k := kappaOf(table, q, weights)
	k.N, k.Dropped = len(rows), dropped
	k.CI = stat.Around(k.Kappa, k.SE.Times(stat.Critical(alpha)))
	if w == NoWeights || w == "" {
		k.ScottPi, k.BrennanPrediger = unweightedVariants(table, q, k.PO)
	} else {
		k.ScottPi, k.BrennanPrediger = stat.None(stat.NotApplicable), stat.None(stat.NotApplicable)
	}
	if k.Kappa.Valid && k.SE.Valid && k.SE.Value == 0 {
		k.Warnings = append(k.Warnings, stat.Warning{Code: "zero_se", Detail: "the standard error is 0 at this table; use the cluster bootstrap"})
	}
	return k, nil
}

// positions maps ratings to their place on the scale.
func positions(v, labels []float64) ([]int, error) {
	at := make(map[float64]int, len(labels))
	for i, l := range labels {
		if _, twice := at[l]; twice || math.IsNaN(l) {
			return nil, fmt.Errorf("category %v is declared twice or is missing", l)
		}
		at[l] = i
	}
	out := make([]int, len(v))
	for i, x := range v {
		p, ok := at[x]
		if !ok {
			return nil, fmt.Errorf("rating %v (item %d after dropping) is not a declared category", x, i+1)
		}
		out[i] = p
	}
	return out, nil
}

func identityWeights(q int) []float64 {
	w := make([]float64, q*q)
	for i := range q {
		w[i*q+i] = 1
	}
	return w
}

// MaxCategories bounds the q×q tables.
const MaxCategories = 1000

// positionWeights are the weights on category positions, row-major q×q.
func positionWeights(w Weighting, q int) ([]float64, error) {
	if q > MaxCategories {
		return nil, fmt.Errorf("%d categories are more than %d", q, MaxCategories)
	}
	out := identityWeights(q)
	switch w {
	case NoWeights, "":
		return out, nil
	case Linear, Quadratic:
	default:
		return nil, fmt.Errorf("weighting %q is none of none, linear, quadratic", w)
	}
	for i := range q {
		for j := range q {
			if i == j {
				continue
			}
			d := math.Abs(float64(i-j)) / float64(q-1)
			if w == Quadratic {
				d *= d
			}
			out[i*q+j] = 1 - d
		}
	}
	return out, nil
}

// margins are the row and column shares of a table, and the cell shares.
func margins(table []float64, q int, n float64) (p, row, col []float64) {
	p = make([]float64, q*q)
	row, col = make([]float64, q), make([]float64, q)
	for i := range q {
		for j := range q {
			p[i*q+j] = table[i*q+j] / n
			row[i] += p[i*q+j]
			col[j] += p[i*q+j]
		}
	}
	return p, row, col
}

// kappaOf computes kappa, its parts and its large-sample SE from a q×q table of
// counts. Products are converted explicitly so that no machine fuses them with
// an addition: the sums must be the same everywhere.
func kappaOf(table []float64, q int, w []float64) Kappa {
	n := stat.Sum(table)
	if n == 0 {
		return Kappa{Kappa: stat.None(stat.NoItems), PO: stat.None(stat.NoItems), PE: stat.None(stat.NoItems), SE: stat.None(stat.NoItems)}
	}
	p, row, col := margins(table, q, n)
	cells := make([]float64, q*q)
	for c := range cells {
		cells[c] = float64(w[c] * p[c])
	}
	po := lanesSum(cells)
	for i := range q {
		for j := range q {
			cells[i*q+j] = float64(w[i*q+j] * float64(col[j]*row[i]))
		}
	}
	pe := lanesSum(cells)
	k := Kappa{PO: stat.Some(po), PE: stat.Some(pe)}
	if pe == 1 || noDisagreement(row, col, w, q) {
		k.PE = stat.Some(1)
		k.Kappa, k.SE = stat.None(stat.NoChanceDisagreement), stat.None(stat.NoChanceDisagreement)
		return k
	}
	kappa := (po - pe) / (1 - pe)
	rowWeight, colWeight := marginWeights(row, col, w, q)
	for i := range q {
		for j := range q {
			d := w[i*q+j] - float64((rowWeight[i]+colWeight[j])*(1-kappa))
			cells[i*q+j] = float64(p[i*q+j] * float64(d*d))
		}
	}
	m := kappa - float64(pe*(1-kappa))
	v := (lanesSum(cells) - float64(m*m)) / float64(n*float64((1-pe)*(1-pe)))
	k.Kappa, k.SE = stat.Some(kappa), stat.Some(math.Sqrt(math.Max(0, v)))
	return k
}

// noDisagreement reports whether both raters use one and the same category, or
// every pair of used categories earns full credit: then the expected agreement
// is 1 whatever its sum rounds to.
func noDisagreement(row, col, w []float64, q int) bool {
	for i := range q {
		for j := range q {
			if row[i] > 0 && col[j] > 0 && w[i*q+j] != 1 {
				return false
			}
		}
	}
	return true
}

// marginWeights are w̄_i· = Σ_j p_·j w_ij and w̄_·j = Σ_i p_i· w_ij.
func marginWeights(row, col, w []float64, q int) (rowWeight, colWeight []float64) {
	rowWeight, colWeight = make([]float64, q), make([]float64, q)
	for i := range q {
		for j := range q {
			rowWeight[i] += float64(col[j] * w[i*q+j])
			colWeight[j] += float64(row[i] * w[i*q+j])
		}
	}
	return rowWeight, colWeight
}

// unweightedVariants are Scott's pi (mean margins) and the coefficient of
// Brennan and Prediger (uniform chance).
func unweightedVariants(table []float64, q int, po stat.Opt) (pi, bp stat.Opt) {
	n := stat.Sum(table)
	if n == 0 {
		return stat.None(stat.NoItems), stat.None(stat.NoItems)
	}
	_, row, col := margins(table, q, n)
	pe, used := 0.0, 0
	for i := range q {
		m := (row[i] + col[i]) / 2
		pe += m * m
		if m > 0 {
			used++
		}
	}
	if used <= 1 {
		pi = stat.None(stat.NoChanceDisagreement)
	} else {
		pi = stat.Ratio(po.Value-pe, 1-pe, stat.NoChanceDisagreement)
	}
	if q < 2 {
		return pi, stat.None(stat.NoChanceDisagreement)
	}
	u := 1 / float64(q)
	return pi, stat.Some((po.Value - u) / (1 - u))
}
