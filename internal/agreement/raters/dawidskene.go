package raters

import (
	"fmt"
	"math"

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
	if classes < 1 || classes > MaxCategories || cfg.MaxIter < 1 || cfg.MaxIter > 100_000 || !(cfg.Smoothing >= 0) || math.IsInf(cfg.Smoothing, 0) {
		return Consensus{}, fmt.Errorf("need 1..%d classes, max_iter 1..100000 and smoothing >= 0, got %d, %d, %v", MaxCategories, classes, cfg.MaxIter, cfg.Smoothing)
	}
	judges := 0
	if len(votes) > 0 {
		judges = len(votes[0])
	}
	if judges*classes*classes > maxCells || len(votes)*classes > maxCells {
		return Consensus{}, fmt.Errorf("%d judges, %d items and %d classes are too many", judges, len(votes), classes)
	}
	for i, item := range votes {
		if len(item) != judges {
			return Consensus{}, fmt.Errorf("%w: item %d has %d judges, item 1 has %d", stat.ErrLengths, i+1, len(item), judges)
		}
		for j, vs := range item {
			for _, v := range vs {
				if v < 0 || v >= classes {
					return Consensus{}, fmt.Errorf("item %d, judge %d: vote %d is not in 0..%d", i+1, j+1, v, classes-1)
				}
			}
		}
	}
	if len(votes) == 0 {
		return Consensus{LogLikelihood: stat.None(stat.NoItems)}, nil
	}
	em := newExpectation(votes, classes, judges, cfg.Smoothing)
	out := Consensus{}
	last := math.Inf(-1)
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

type expectation struct {
	votes     [][][]int
	classes   int
	smoothing float64
	prior     []float64
	posterior [][]float64
	confusion [][][]float64
}

// newExpectation starts from the vote shares; items without votes are uniform.
func newExpectation(votes [][][]int, classes, judges int, smoothing float64) *expectation {
	em := &expectation{votes: votes, classes: classes, smoothing: smoothing, prior: make([]float64, classes)}
	em.posterior = make([][]float64, len(votes))
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
	em.confusion = make([][][]float64, judges)
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
		top := math.Inf(-1)
		for k := range logs {
			logs[k] = math.Log(em.prior[k])
			if em.prior[k] > 0 {
				for j, vs := range item {
					for _, v := range vs {
						if row := em.confusion[j][k]; row != nil {
							logs[k] += math.Log(row[v])
						} else {
							logs[k] = math.Inf(-1)
						}
					}
				}
			}
			top = math.Max(top, logs[k])
		}
		if math.IsInf(top, -1) {
			total = math.Inf(-1)
			continue // no class explains the votes: keep the last posterior
		}
		s := 0.0
		for k, l := range logs {
			logs[k] = math.Exp(l - top)
			s += logs[k]
		}
		for k := range logs {
			logs[k] /= s
		}
		em.posterior[i] = logs
		total += top + math.Log(s)
	}
	return total
}

// switched warns of judges who vote another class more often than the true one.
func (em *expectation) switched() []stat.Warning {
	var out []stat.Warning
	for j, m := range em.confusion {
		for k, row := range m {
			for _, p := range row {
				if em.prior[k] > 0 && p > row[k]+1e-9 {
					out = append(out, stat.Warning{Code: "label_switching", Detail: fmt.Sprintf("judge %d prefers another class on items of class %d", j+1, k+1)})
					break
				}
			}
		}
	}
	return out
}
