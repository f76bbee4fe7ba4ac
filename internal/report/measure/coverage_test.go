package measure_test

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

var coverageWorlds = flag.Bool("coverage-worlds", false, "simulate all worlds and write docs/coverage.md")
var samples = flag.Int("coverage-samples", 2400, "samples of each world")
var only = flag.String("coverage-only", "", "regexp: simulate these statistics again, and keep the cells of the others")

// suite is a set of worlds with the numbers of conversations in which they are sampled.
type suite struct {
	title    string
	worlds   []simulatedWorld
	clusters []int
}

const heldOutTitle = "Held out"

// suites returns the worlds by which rules were set, and others.
func suites() []suite {
	return []suite{
		{"Intervals", worlds(), []int{30, 100}}, {"Validation", others(), []int{50, 200}}, {heldOutTitle, heldOut(), []int{35, 120}},
	}
}

// least returns the coverage that an interval must have over so many conversations, or be refused.
func least(clusters int) float64 {
	if clusters < 100 {
		return 0.91
	}
	return 0.93
}

// cell is what became of one interval in one world: in how many samples it was looked for, in
// how many there was one, and in how many of those it contained the truth; the sum of their widths, and the
// values of all samples.
type cell struct {
	drawn, printed, covered int
	width                   float64
	values                  []float64
}

// coverage returns the share that covered, with its Monte-Carlo standard error.
func (c cell) coverage() (share, mcse float64) {
	share = float64(c.covered) / float64(c.printed)
	return share, math.Sqrt(share * (1 - share) / float64(c.printed))
}

// refused reports whether nearly always no interval was printed.
func (c cell) refused() bool { return c.printed*10 < c.drawn }

// relative returns the mean width as a multiple of the best known interval's: that of someone who knows how the
// value varies from sample to sample, from its 2.5 % to its 97.5 % quantile.
func (c cell) relative() float64 {
	v := slices.Sorted(slices.Values(c.values))
	return c.width / float64(c.printed) / (v[len(v)*975/1000] - v[len(v)*25/1000])
}

// count looks for the interval in one more sample.
func (c *cell) count(e estimate, truth float64) {
	ci := e.ci
	c.drawn++
	if e.value.Valid {
		c.values = append(c.values, e.value.Value)
	}
	if ci.Low.Valid {
		c.printed++
		c.width += ci.High.Value - ci.Low.Value
		if ci.Low.Value <= truth && truth <= ci.High.Value {
			c.covered++
		}
	}
}

// measureAll counts every statistic in the samples of a world; those to skip have no function.
func measureAll(w simulatedWorld, clusters, samples int, list []statistic, truths []float64) ([]cell, error) {
	r := rand.New(rand.NewPCG(uint64(clusters), seedOf(w)))
	out := make([]cell, len(list))
	for range samples {
		s, rest := w.draw(r, clusters), w.draw(r, int(float64(clusters)*(1/labelledRun-1)))
		for k, st := range list {
			if st.of == nil {
				continue
			}
			e, err := st.of(s, rest)
			if err != nil {
				return nil, err
			}
			out[k].count(e, truths[k])
		}
	}
	return out, nil
}

// seedOf tells worlds apart.
func seedOf(w simulatedWorld) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, w)
	return h.Sum64()
}

// truthsOf returns the values of all statistics in a very large sample of the world, whose
// conversations are put together in a few clusters, as the intervals are not needed.
func truthsOf(w simulatedWorld, list []statistic, conversations int) ([]float64, error) {
	s := w.draw(rand.New(rand.NewPCG(7, seedOf(w))), conversations)
	for i := range s.cluster {
		s.cluster[i] /= conversations / 20
	}
	out := make([]float64, len(list))
	for k, st := range list {
		if st.of == nil {
			continue
		}
		e, err := st.of(s, s)
		if err != nil {
			return nil, err
		}
		out[k] = e.value.Value
	}
	return out, nil
}

// simulate measures the worlds of a suite: numbers of conversations × worlds × statistics.
func (s suite) simulate(list []statistic, samples, population int) ([][][]cell, error) {
	out := make([][][]cell, len(s.clusters))
	for d := range out {
		out[d] = make([][]cell, len(s.worlds))
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, w := range s.worlds {
		group.Go(func() error {
			truths, err := truthsOf(w, list, population)
			for d, clusters := range s.clusters {
				if err == nil {
					out[d][i], err = measureAll(w, clusters, samples, list, truths)
				}
			}
			return err
		})
	}
	return out, group.Wait()
}
