package measure_test

import (
	"math/rand/v2"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

// decision is something that the product decides, in a situation in which the answer is
// known. yes reports whether it decided so; Most is how often it may where it is a false
// alarm, and 0 where it is the power.
type decision struct {
	name, situation string
	most            float64
	yes             func(t *trial) (bool, error)
}

// trial is one sample with what is known of its world.
type trial struct {
	*sample
	world simulatedWorld
	kappa float64 // of the population
	large *sample // a population
}

// decisions returns all that the product decides.
func decisions() []decision {
	everywhere := func(int) bool { return true }
	oneTool := func(i int) bool { return i%tools == 0 }
	return []decision{
		{"gate min_pass_rate", "the rate is at the bound", 0.05, func(t *trial) (bool, error) {
			return t.gateFails(measure.Gate{Score: rubricName, MinPassRate: new(t.world.Base)}, t.judge)
		}},
		{"gate min_pass_rate", "15 points below", 0, func(t *trial) (bool, error) {
			return t.gateFails(measure.Gate{Score: rubricName, MinPassRate: new(t.world.Base)},
				worsened(t.judge, 0.15/t.world.Base, everywhere))
		}},
		{"gate min_pass_rate by tool", "six tools at the bound", 0.05, func(t *trial) (bool, error) {
			return t.gateFails(measure.Gate{Score: rubricName, By: measure.ByTool, MinPassRate: new(t.world.Base)}, t.judge)
		}},
		{"gate min_pass_rate by tool", "one tool of six 40 points below", 0, func(t *trial) (bool, error) {
			return t.gateFails(measure.Gate{Score: rubricName, By: measure.ByTool, MinPassRate: new(t.world.Base)},
				worsened(t.judge, 0.4/t.world.Base, oneTool))
		}},
		{"gate min_kappa", "kappa is at the bound", 0.05, func(t *trial) (bool, error) {
			return t.gateFails(measure.Gate{Score: rubricName, MinKappa: new(t.kappa)}, t.judge)
		}},
		{"gate max_drop: 0", "two equal runs", 0.05, func(t *trial) (bool, error) {
			return t.dropFails(measure.Gate{}, t.third)
		}},
		{"gate max_drop: 0", "15 points worse", 0, func(t *trial) (bool, error) {
			return t.dropFails(measure.Gate{}, worsened(t.third, 0.15/t.world.Base, everywhere))
		}},
		{"gate max_drop: 0 by tool", "two equal runs, six tools", 0.05, func(t *trial) (bool, error) {
			return t.dropFails(measure.Gate{By: measure.ByTool}, t.third)
		}},
		{"compare", "two equal runs", 0.05, func(t *trial) (bool, error) { return t.changes(t.third) }},
		{"compare", "15 points worse", 0, func(t *trial) (bool, error) {
			return t.changes(worsened(t.third, 0.15/t.world.Base, everywhere))
		}},
		{"ranking of judges", "two equal judges, one called worse", 0.05, func(t *trial) (bool, error) {
			return t.calledWorse("second", "third")
		}},
		{"ranking of judges", "the better one called better", 0, func(t *trial) (bool, error) {
			return t.calledWorse("first", "second")
		}},
		{"ranking of judges", "the better one is first", 0, func(t *trial) (bool, error) {
			r, err := t.rank("first", "second")
			return err == nil && r.Judges[0].Judge == "first", err
		}},
	}
}

func (t *trial) gateFails(g measure.Gate, verdict []float64) (bool, error) {
	r, err := measure.Build(t.inputs(verdict), measure.Config{})
	if err != nil {
		return false, err
	}
	return !measure.DecideGates([]measure.Gate{g}, r, nil).Passed, nil
}

func (t *trial) comparison(verdict []float64) (*report.Comparison, error) {
	return measure.Compare(t.inputs(t.second), t.inputs(verdict), measure.Config{})
}

func (t *trial) dropFails(g measure.Gate, verdict []float64) (bool, error) {
	c, err := t.comparison(verdict)
	if err != nil {
		return false, err
	}
	r, err := measure.Build(t.inputs(verdict), measure.Config{})
	if err != nil {
		return false, err
	}
	g.Score, g.MaxDrop, g.Against = rubricName, new(0.0), "before"
	return !measure.DecideGates([]measure.Gate{g}, r, map[string]*report.Comparison{"before": c}).Passed, nil
}

// changes reports whether the comparison calls a change of the judge's scores, of all calls
// or of a tool, more than noise.
func (t *trial) changes(verdict []float64) (bool, error) {
	c, err := t.comparison(verdict)
	if err != nil {
		return false, err
	}
	for _, row := range c.Rows {
		if row.Judge != "" && row.Decides && row.Tool == "" && !row.Primary().Noise {
			return true, nil
		}
	}
	return false, nil
}

func (t *trial) rank(judges ...string) (*report.JudgeRanking, error) {
	r, err := measure.Agree("world", strings.NewReader(t.table()),
		measure.AgreeConfig{Gold: "gold", Judges: judges, Cluster: "conversation"})
	if err != nil {
		return nil, err
	}
	return r.Ranking, nil
}

// calledWorse reports whether the worse of two judges is called worse than the best.
func (t *trial) calledWorse(a, b string) (bool, error) {
	r, err := t.rank(a, b)
	if err != nil {
		return false, err
	}
	for _, one := range r.Judges {
		if (one.Judge == a || one.Judge == b) && one.P != nil && *one.P <= alpha {
			return true, nil
		}
	}
	return false, nil
}

// decideAll counts each decision in the samples of a world.
func decideAll(w simulatedWorld, clusters, samples int, list []decision, large *sample) ([]int, error) {
	k, err := kappa(large, nil)
	if err != nil {
		return nil, err
	}
	r, out := rand.New(rand.NewPCG(uint64(clusters)+1, seedOf(w))), make([]int, len(list))
	for range samples {
		t := &trial{sample: w.draw(r, clusters), world: w, kappa: k.value.Value, large: large}
		for i, d := range list {
			yes, err := d.yes(t)
			if err != nil {
				return nil, err
			}
			if yes {
				out[i]++
			}
		}
	}
	return out, nil
}

// decide counts every decision in some of the worlds: numbers of conversations × worlds ×
// decisions.
func (s suite) decide(list []decision, samples int) ([][][]int, error) {
	out := make([][][]int, len(s.clusters))
	for d := range out {
		out[d] = make([][]int, len(s.worlds))
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, w := range s.worlds {
		group.Go(func() (err error) {
			large := w.draw(rand.New(rand.NewPCG(9, seedOf(w))), 4000)
			for c := range large.cluster {
				large.cluster[c] /= 100
			}
			for d, clusters := range s.clusters {
				if err == nil {
					out[d][i], err = decideAll(w, clusters, samples, list, large)
				}
			}
			return err
		})
	}
	return out, group.Wait()
}
