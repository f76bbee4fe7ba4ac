package raters

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// consensus is the Dawid–Skene (1979) estimate of each item's class and each judge's confusion
// matrix from the votes alone. It assumes that errors are independent given the truth, which is
// false for judges of one family.
type consensus struct {
	Iterations    int
	LogLikelihood stat.Opt
	Prior         []float64   // per class
	Posterior     [][]float64 // items × classes
	// Confusion[j][k][l] is the probability that judge j votes l on an item of class k; a row
	// without any weight is nil.
	Confusion [][][]float64
}

// ConsensusConfig stops the iteration when the log-likelihood of the current
// parameters changes by less than Tol (from the second iteration on) or after
// MaxIter. Smoothing is added to every confusion cell: zeros are absorbing.
type ConsensusConfig struct {
	MaxIter   int
	Tol       float64
	Smoothing float64
	// Weights says how often each row of votes occurs, nil means once, so that equal rows have to
	// be given only once.
	Weights []float64
}

func (c ConsensusConfig) weight(item int) float64 {
	if c.Weights == nil {
		return 1
	}
	return c.Weights[item]
}

// DawidSkene estimates each item's class and each judge's errors from votes alone (Dawid and Skene 1979). It takes
// votes as items × judges × votes, each vote a position on the scale 0..classes-1; a judge may vote several times or
// not at all.
func DawidSkene(votes [][][]int, classes int, cfg ConsensusConfig) (consensus, error) {
	if err := checkVotes(votes, classes, cfg); err != nil {
		return consensus{}, err
	}
	if len(votes) == 0 {
		return consensus{LogLikelihood: stat.None(stat.NoItems)}, nil
	}
	out := consensus{
		Prior: make([]float64, classes), Posterior: make([][]float64, len(votes)),
		Confusion: make([][][]float64, len(votes[0])),
	}
	for i, item := range votes { // from the vote shares; items without votes are uniform
		out.Posterior[i] = make([]float64, classes)
		for _, v := range slices.Concat(item...) {
			out.Posterior[i][v]++
		}
		if !normalize(out.Posterior[i]) {
			out.Posterior[i] = slices.Repeat([]float64{1 / float64(classes)}, classes)
		}
	}
	last, change := math.Inf(-1), math.Inf(1)
	for out.Iterations < cfg.MaxIter && change >= cfg.Tol {
		out.maximize(votes, cfg)
		now := out.expect(votes, cfg)
		last, change = now, math.Abs(now-last)
		out.Iterations++
	}
	out.LogLikelihood = stat.Some(last)
	return out, nil
}

func checkVotes(votes [][][]int, classes int, cfg ConsensusConfig) error {
	if cfg.Weights != nil && len(cfg.Weights) != len(votes) {
		return fmt.Errorf("%w: %d weights for %d rows", stat.ErrLengths, len(cfg.Weights), len(votes))
	}
	for i, item := range votes {
		judges := len(votes[0])
		if len(item) != judges {
			return fmt.Errorf("%w: item %d has %d judges, item 1 has %d", stat.ErrLengths, i+1, len(item), judges)
		}
		for j, vs := range item {
			if slices.ContainsFunc(vs, func(v int) bool { return v < 0 || v >= classes }) {
				return fmt.Errorf("item %d, judge %d: a vote is not in 0..%d", i+1, j+1, classes-1)
			}
		}
	}
	return nil
}

// normalize makes the weights sum to 1 and reports whether there are any.
func normalize(weights []float64) bool {
	total := stat.Sum(weights)
	if total == 0 {
		return false
	}
	for k := range weights {
		weights[k] /= total
	}
	return true
}

// maximize sets prior and confusion from the posterior.
func (c *consensus) maximize(votes [][][]int, cfg ConsensusConfig) {
	for k := range c.Prior {
		sum, n := 0.0, 0.0
		for i, t := range c.Posterior {
			sum, n = sum+cfg.weight(i)*t[k], n+cfg.weight(i)
		}
		c.Prior[k] = sum / n
	}
	for j := range c.Confusion {
		m := make([][]float64, len(c.Prior))
		for k := range m {
			m[k] = slices.Repeat([]float64{cfg.Smoothing}, len(c.Prior))
		}
		for i, item := range votes {
			for _, v := range item[j] {
				for k, t := range c.Posterior[i] {
					m[k][v] += cfg.weight(i) * t
				}
			}
		}
		for k := range m {
			if !normalize(m[k]) {
				m[k] = nil
			}
		}
		c.Confusion[j] = m
	}
}

// expect sets the posterior and returns the log-likelihood of the parameters.
func (c *consensus) expect(votes [][][]int, cfg ConsensusConfig) float64 {
	total := 0.0
	for i, item := range votes {
		chance := make([]float64, len(c.Prior))
		for k, prior := range c.Prior {
			chance[k] = math.Log(prior) + c.likelihood(item, k)
		}
		top := slices.Max(chance)
		for k, l := range chance {
			chance[k] = math.Exp(l - top)
		}
		total += cfg.weight(i) * (top + math.Log(stat.Sum(chance)))
		normalize(chance)
		c.Posterior[i] = chance
	}
	return total
}

// likelihood returns the log-probability of an item's votes where its class is k.
func (c *consensus) likelihood(item [][]int, k int) float64 {
	sum := 0.0
	for j, vs := range item {
		for _, v := range vs {
			row := c.Confusion[j][k]
			if row == nil {
				return math.Inf(-1)
			}
			sum += math.Log(row[v])
		}
	}
	return sum
}
