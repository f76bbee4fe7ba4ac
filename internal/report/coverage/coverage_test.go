package coverage

import (
	"flag"
	"math"
	"math/rand/v2"
	"runtime"

	"golang.org/x/sync/errgroup"
)

var coverageWorlds = flag.Bool("coverage-worlds", false, "simulate all worlds and write docs/coverage.md")
var samples = flag.Int("coverage-samples", 1200, "samples of each world")

// designs are the numbers of conversations, with the least coverage that an interval must
// have there, or be refused.
var designs = []struct {
	clusters int
	least    float64
}{{30, 0.91}, {100, 0.93}}

// cell is what became of one interval in one world: in how many samples there was one, and in
// how many of those it contained the truth.
type cell struct{ printed, covered int }

// coverage is the share that covered, with its Monte-Carlo standard error.
func (c cell) coverage() (share, mcse float64) {
	share = float64(c.covered) / float64(c.printed)
	return share, math.Sqrt(share * (1 - share) / float64(c.printed))
}

// refused reports whether nearly always no interval was printed.
func (c cell) refused(samples int) bool { return c.printed*10 < samples }

// measure counts every statistic in all samples of a world.
func measure(w world, clusters, samples int, list []statistic, truths []float64) ([]cell, error) {
	r := rand.New(rand.NewPCG(uint64(clusters), seedOf(w)))
	out := make([]cell, len(list))
	for range samples {
		s, rest := w.draw(r, clusters), w.draw(r, int(float64(clusters)*(1/labelled-1)))
		for k, st := range list {
			e, err := st.of(s, rest)
			if err != nil {
				return nil, err
			}
			if !e.ci.Low.Valid {
				continue
			}
			out[k].printed++
			if e.ci.Low.Value <= truths[k] && truths[k] <= e.ci.High.Value {
				out[k].covered++
			}
		}
	}
	return out, nil
}

// seedOf tells worlds apart.
func seedOf(w world) uint64 {
	seed := uint64(1000*w.Base)<<20 + uint64(1000*w.Sight)<<1
	if w.Skewed {
		seed++
	}
	return seed
}

// truthsOf are the values of all statistics in a very large sample of the world, whose
// conversations are put together in a few clusters, as the intervals are not needed.
func truthsOf(w world, list []statistic, conversations int) ([]float64, error) {
	s := w.draw(rand.New(rand.NewPCG(7, seedOf(w))), conversations)
	for i := range s.cluster {
		s.cluster[i] /= conversations / 20
	}
	out := make([]float64, len(list))
	for k, st := range list {
		e, err := st.of(s, s)
		if err != nil {
			return nil, err
		}
		out[k] = e.value.Value
	}
	return out, nil
}

// simulate measures all worlds: designs × worlds × statistics.
func simulate(all []world, list []statistic, samples, population int) ([][][]cell, error) {
	out := make([][][]cell, len(designs))
	for d := range out {
		out[d] = make([][]cell, len(all))
	}
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, w := range all {
		group.Go(func() error {
			truths, err := truthsOf(w, list, population)
			for d := range designs {
				if err == nil {
					out[d][i], err = measure(w, designs[d].clusters, samples, list, truths)
				}
			}
			return err
		})
	}
	return out, group.Wait()
}
