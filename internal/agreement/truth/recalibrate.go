package truth

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Isotonic is a non-decreasing map from scores to probabilities: straight lines between
// points in ascending order, and constant outside them.
type Isotonic []MapPoint

// MapPoint is a point of a map from a score to the chance of being right.
type MapPoint struct {
	At     float64 `json:"at"`
	Chance float64 `json:"chance"`
}

// FitIsotonic fits by pooling adjacent violators. Equal x are averaged first. Items with
// a missing value are left out.
func FitIsotonic(x, y []float64) (Isotonic, error) {
	kept, _, err := stat.Complete(x, y)
	if err != nil {
		return nil, err
	}
	x, y = kept[0], kept[1]
	var px, py, pw []float64
	for _, i := range stat.SortedOrder(x) {
		if last := len(px) - 1; last >= 0 && px[last] == x[i] {
			py[last] += y[i]
			pw[last]++
			continue
		}
		px, py, pw = append(px, x[i]), append(py, y[i]), append(pw, 1)
	}
	f := make(Isotonic, len(px))
	for i, chance := range poolViolators(py, pw) {
		f[i] = MapPoint{px[i], chance}
	}
	return f, nil
}

// poolViolators takes weighted sums and weights in order, and returns the
// non-decreasing means that minimise the weighted squared error.
func poolViolators(sums, weights []float64) []float64 {
	type block struct {
		sum, weight float64
		size        int
	}
	var blocks []block
	for i := range sums {
		b := block{sums[i], weights[i], 1}
		for len(blocks) > 0 && blocks[len(blocks)-1].sum*b.weight >= b.sum*blocks[len(blocks)-1].weight {
			p := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			b = block{p.sum + b.sum, p.weight + b.weight, p.size + b.size}
		}
		blocks = append(blocks, b)
	}
	out := make([]float64, 0, len(sums))
	for _, b := range blocks {
		for range b.size {
			out = append(out, b.sum/b.weight)
		}
	}
	return out
}

// Predict is the chance at x; a missing x, or a fit without items, is undefined.
func (f Isotonic) Predict(x float64) stat.Opt {
	if len(f) == 0 || math.IsNaN(x) {
		return stat.None(stat.NoItems)
	}
	i, hit := slices.BinarySearchFunc(f, x, func(p MapPoint, x float64) int { return cmp.Compare(p.At, x) })
	switch {
	case hit || i == 0:
		return stat.Some(f[i].Chance)
	case i == len(f):
		return stat.Some(f[i-1].Chance)
	}
	a, b := f[i-1], f[i]
	return stat.Some(a.Chance + (x-a.At)/(b.At-a.At)*(b.Chance-a.Chance))
}

// Platt is P = 1/(1+exp(A·s+B)).
type Platt struct{ A, B stat.Opt }

// FitPlatt fits A and B by maximum likelihood with Platt's smoothed targets
// (n₊+1)/(n₊+2) and 1/(n₋+2). A constant score gives A = 0.
func FitPlatt(score, gold []float64) (Platt, error) {
	kept, _, err := stat.Complete(score, gold)
	if err != nil {
		return Platt{}, err
	}
	score, gold = kept[0], kept[1]
	if len(score) == 0 {
		return Platt{stat.None(stat.NoItems), stat.None(stat.NoItems)}, nil
	}
	pos, n := 0.0, float64(len(score))
	for _, g := range gold {
		pos += outcome(g)
	}
	target := make([]float64, len(gold))
	for i, g := range gold {
		target[i] = 1 / (n - pos + 2)
		if stat.IsPass(g) {
			target[i] = (pos + 1) / (pos + 2)
		}
	}
	t := stat.Mean(target)
	start := math.Log((1 - t) / t)
	m := stat.Mean(score)
	sd := math.Sqrt(stat.SumSquares(score, m) / n)
	if stat.Constant(score) || sd == 0 || stat.Constant(target) {
		return Platt{stat.Some(0), stat.Some(start)}, nil
	}
	z := make([]float64, len(score))
	for i, s := range score {
		z[i] = (s - m) / sd
	}
	a, b := newtonLogistic(z, target, start)
	return Platt{stat.Some(a / sd), stat.Some(b - a*m/sd)}, nil
}

// newtonLogistic minimises the cross entropy of 1/(1+exp(a z+b)) against the
// targets by Newton steps, halved until the loss falls. The loss is convex and
// the targets are inside (0,1), so there is one optimum.
func newtonLogistic(z, target []float64, start float64) (a, b float64) {
	b = start
	loss := crossEntropy(z, target, a, b)
	for range 200 {
		var ga, gb, haa, hab, hbb float64
		for i, x := range z {
			p := 1 / (1 + math.Exp(a*x+b))
			d := target[i] - p
			w := p * (1 - p)
			ga += d * x
			gb += d
			haa += w * x * x
			hab += w * x
			hbb += w
		}
		det := haa*hbb - hab*hab
		if !(det > 0) {
			break
		}
		da, db := (hbb*ga-hab*gb)/det, (haa*gb-hab*ga)/det
		step := 1.0
		next := crossEntropy(z, target, a-da, b-db)
		for next > loss && step > 1e-8 {
			step /= 2
			next = crossEntropy(z, target, a-step*da, b-step*db)
		}
		a, b, loss = a-step*da, b-step*db, next
		if math.Abs(step*da)+math.Abs(step*db) < 1e-14*(1+math.Abs(a)+math.Abs(b)) {
			break
		}
	}
	return a, b
}

func crossEntropy(z, target []float64, a, b float64) float64 {
	s := 0.0
	for i, x := range z {
		f := a*x + b
		// log(1+exp(f)) without overflow; -log P = log(1+e^f), -log(1-P) = that - f.
		soft := math.Max(f, 0) + math.Log1p(math.Exp(-math.Abs(f)))
		s += soft - (1-target[i])*f
	}
	return s
}
