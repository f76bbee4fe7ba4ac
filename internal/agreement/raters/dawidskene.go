package raters

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Consensus is the Dawid–Skene (1979) estimate of each item's class and each
// judge's confusion matrix from the votes alone. It assumes that errors are
// independent given the truth; judges of one family break that.
type Consensus struct {
	Iterations    int
	LogLikelihood stat.Opt
	Prior         []float64   // per class
	Posterior     [][]float64 // items × classes
	// Confusion[j][k][l] is the chance that judge j votes l on an item of class
	// k; a row without any weight is nil.
	Confusion [][][]float64
	Warnings  []stat.Warning
}

// ConsensusConfig stops the iteration when the log-likelihood of the current
// parameters changes by less than Tol (from the second iteration on) or after
// MaxIter. Smoothing is added to every confusion cell: zeros are absorbing.
type ConsensusConfig struct {
	MaxIter   int
	Tol       float64
	Smoothing float64
}

const maxCells = 50_000_000

// DawidSkene takes votes as items × judges × votes, each vote a position on the
// scale 0..classes-1; a judge may vote several times or not at all.
func DawidSkene(votes [][][]int, classes int, cfg ConsensusConfig) (Consensus, error) {
	if err := checkVotes(votes, classes, cfg); err != nil {
		return Consensus{}, err
	}
	if len(votes) == 0 {
		return Consensus{LogLikelihood: stat.None(stat.NoItems)}, nil
	}
	em := newExpectation(votes, classes, cfg.Smoothing)
	out, last := Consensus{}, math.Inf(-1)
	for out.Iterations < cfg.MaxIter {
		em.maximize()
		ll := em.expect()
		out.Iterations++
		change := math.Abs(ll - last)
		last = ll
		if out.Iterations >= 2 && change < cfg.Tol {
			break
		}
	}
	out.LogLikelihood = stat.Some(last)
	out.Prior, out.Posterior, out.Confusion = em.prior, em.posterior, em.confusion
	out.Warnings = em.switched()
	return out, nil
}

func checkVotes(votes [][][]int, classes int, cfg ConsensusConfig) error {
	if classes < 1 || classes > MaxCategories || cfg.MaxIter < 1 || cfg.MaxIter > 100_000 ||
		!(cfg.Smoothing >= 0) || math.IsInf(cfg.Smoothing, 0) {
		return fmt.Errorf("need 1..%d classes, max_iter 1..100000 and smoothing >= 0, got %d, %d, %v",
			MaxCategories, classes, cfg.MaxIter, cfg.Smoothing)
	}
	for i, item := range votes {
		judges := len(votes[0])
		if max(judges*classes, len(votes))*classes > maxCells {
			return fmt.Errorf("%d judges, %d items and %d classes are too many", judges, len(votes), classes)
		}
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

type expectation struct {
	votes     [][][]int
	classes   int
	smoothing float64
	prior     []float64
	posterior [][]float64
	confusion [][][]float64
}

// newExpectation starts from the vote shares; items without votes are uniform.
func newExpectation(votes [][][]int, classes int, smoothing float64) *expectation {
	em := &expectation{votes: votes, classes: classes, smoothing: smoothing}
	em.prior, em.posterior = make([]float64, classes), make([][]float64, len(votes))
	for i, item := range votes {
		t := make([]float64, classes)
		total := 0.0
		for _, vs := range item {
			for _, v := range vs {
				t[v]++
				total++
			}
		}
		for k := range t {
			if total == 0 {
				t[k] = 1 / float64(classes)
			} else {
				t[k] /= total
			}
		}
		em.posterior[i] = t
	}
	em.confusion = make([][][]float64, len(votes[0]))
	return em
}

// maximize sets prior and confusion from the posterior.
func (em *expectation) maximize() {
	n := float64(len(em.posterior))
	for k := range em.prior {
		s := 0.0
		for _, t := range em.posterior {
			s += t[k]
		}
		em.prior[k] = s / n
	}
	for j := range em.confusion {
		m := make([][]float64, em.classes)
		for k := range m {
			m[k] = make([]float64, em.classes)
			for l := range m[k] {
				m[k][l] = em.smoothing
			}
		}
		for i, item := range em.votes {
			for _, v := range item[j] {
				for k, t := range em.posterior[i] {
					m[k][v] += t
				}
			}
		}
		for k, row := range m {
			total := stat.Sum(row)
			if total == 0 {
				m[k] = nil
				continue
			}
			for l := range row {
				row[l] /= total
			}
		}
		em.confusion[j] = m
	}
}

// expect sets the posterior and returns the log-likelihood of the parameters.
func (em *expectation) expect() float64 {
	total := 0.0
	for i, item := range em.votes {
		logs := make([]float64, em.classes)
		for k := range logs {
			logs[k] = math.Log(em.prior[k]) + em.likelihood(item, k)
		}
		top := slices.Max(logs)
		if math.IsInf(top, -1) {
			total = math.Inf(-1)
			continue // no class explains the votes: keep the last posterior
		}
		for k, l := range logs {
			logs[k] = math.Exp(l - top)
		}
		s := stat.Sum(logs)
		for k := range logs {
			logs[k] /= s
		}
		em.posterior[i] = logs
		total += top + math.Log(s)
	}
	return total
}

// likelihood is the log-probability of an item's votes where its class is k.
func (em *expectation) likelihood(item [][]int, k int) float64 {
	sum := 0.0
	for j, vs := range item {
		for _, v := range vs {
			row := em.confusion[j][k]
			if row == nil {
				return math.Inf(-1)
			}
			sum += math.Log(row[v])
		}
	}
	return sum
}

// switched warns of judges who vote another class more often than the true one.
func (em *expectation) switched() []stat.Warning {
	var out []stat.Warning
	for j, m := range em.confusion {
		for k, row := range m {
			if em.prior[k] == 0 || !slices.ContainsFunc(row, func(p float64) bool { return p > row[k]+1e-9 }) {
				continue
			}
			detail := fmt.Sprintf("judge %d prefers another class on items of class %d", j+1, k+1)
			out = append(out, stat.Warning{Code: "label_switching", Detail: detail})
		}
	}
	return out
}
