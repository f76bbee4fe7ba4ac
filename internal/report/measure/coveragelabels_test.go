package measure_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// labelsHead begins the part of the page that is about labels, which a test of its own writes.
const labelsHead = "## Labels\n"

const (
	logged, large = 400, 1500 // conversations of the logs from which labels are drawn
	fixedLabels   = 200       // at which designs are compared
	halfWidth     = 0.05      // that is wanted
	mostLabels    = 800
)

// labelWorlds are the worlds in which designs are compared: a good judge, which finds about .7 of the failures.
func labelWorlds() []simulatedWorld {
	return []simulatedWorld{
		{equal, 0.8, 0.8, 0.3, size}, {equal, 0.9, 0.8, 0.3, size}, {equal, 0.95, 0.8, 0.3, size}, {equal, 0.8, 0.8, 0.6, size},
		{unequal, 0.8, 0.8, 0.3, size}, {unequal, 0.9, 0.8, 0.3, size}, {unequal, 0.95, 0.8, 0.3, size}, {failing, 0.8, 0.8, 0.3, size},
		{failing, 0.9, 0.8, 0.3, size}, {failing, 0.95, 0.8, 0.3, size},
	}
}

// designCell sums over samples what labels of one design showed.
type designCell struct {
	half, alone    float64 // half widths at fixedLabels: corrected, and of the labels alone
	longer         int     // how often the corrected interval was the longer one
	fixed, stopped cell
	labels         []float64 // until the interval was ±5 points, infinite if more than mostLabels
	told           []float64 // that it was told to take, at 100 labels
	within         int       // how often it took at least and at most as many as was told
}

// labelledOf returns the items that people label: design calls of each conversation (0: all) in order, until there are
// enough labels; rest holds the conversations that follow.
func (s *sample) labelledOf(design, labels int) (part, rest *sample) {
	part, rest = &sample{}, &sample{}
	for i := 0; i < len(s.cluster); {
		end := i
		for end < len(s.cluster) && s.cluster[end] == s.cluster[i] {
			end++
		}
		if len(part.cluster) >= labels {
			rest.cluster, rest.judge = s.cluster[i:], s.judge[i:]
			break
		}
		n := min(end-i, cmp.Or(design, end-i))
		part.cluster = append(part.cluster, s.cluster[i:i+n]...)
		part.gold, part.judge = append(part.gold, s.gold[i:i+n]...), append(part.judge, s.judge[i:i+n]...)
		for range n {
			part.weight = append(part.weight, float64(end-i)/float64(n))
		}
		i = end
	}
	return part, rest
}

func (s *sample) corrected(rest *sample) (truth.PPICluster, error) {
	return truth.PPIClustered(s.gold, s.judge, s.weight, s.cluster, rest.judge, rest.cluster, truth.AutoLambda, alpha)
}

// add labels a sample by a design, 20 labels at a time, until the interval is ±5 points.
func (c *designCell) add(s *sample, design int, rate float64) error {
	const step = 20
	stopped, told := math.Inf(1), truth.More{}
	var at100 float64
	for labels := 40; labels <= mostLabels && (math.IsInf(stopped, 1) || labels <= fixedLabels); labels += step {
		part, rest := s.labelledOf(design, labels)
		p, err := part.corrected(rest)
		if err != nil {
			return err
		}
		half := (p.CI.High.Value - p.CI.Low.Value) / 2
		if labels == fixedLabels {
			alone, err := interval.WeightedMean(part.gold, part.weight, part.cluster, alpha)
			if err != nil {
				return err
			}
			width := alone.Wilson.High.Value - alone.Wilson.Low.Value
			c.fixed.count(estimate{p.Estimate, p.CI}, rate)
			c.half, c.alone = c.half+half, c.alone+width/2
			if 2*half > width+1e-9 {
				c.longer++
			}
		}
		if more, ok := p.Further(2 * halfWidth); labels == 100 && ok && math.IsInf(stopped, 1) {
			rate := report.CorrectedRate{FurtherConversations: &more}
			told, at100 = *rate.FurtherLabels(len(part.cluster), p.LabeledClusters), float64(len(part.cluster))
		}
		if p.CI.Low.Valid && half <= halfWidth && math.IsInf(stopped, 1) {
			stopped = float64(len(part.cluster))
			c.stopped.count(estimate{p.Estimate, p.CI}, rate)
		}
	}
	c.labels = append(c.labels, stopped)
	if at100 > 0 {
		c.told = append(c.told, at100+float64(told.About))
		if took := stopped - at100; float64(told.Least) <= took+step && took-step <= float64(told.Most) {
			c.within++
		}
	}
	return nil
}

// row returns what one design showed in a world.
func (c *designCell) row(w simulatedWorld, design int) []string {
	n, calls := float64(max(1, c.fixed.printed)), fmt.Sprint(design)
	if design == 0 {
		calls = "all"
	}
	line := []string{w.labelName(), calls, "> 800", c.stopped.text(), "–", "–"}
	if needed := median(c.labels); needed <= mostLabels {
		line[2] = fmt.Sprintf("%.0f", needed)
		if needed > 100 {
			line[4] = fmt.Sprintf("%.2f", median(c.told)/needed)
			line[5] = fmt.Sprintf("%.0f %%", 100*float64(c.within)/float64(len(c.told)))
		}
	}
	return append(line, fmt.Sprintf("%.1f", 100*c.half/n), fmt.Sprintf("%.1f", 100*c.alone/n), c.fixed.text(), fmt.Sprint(c.longer))
}

func median(of []float64) float64 { return slices.Sorted(slices.Values(of))[len(of)/2] }

// designTable compares designs by the labels that ±5 points take.
func designTable(samples int) (string, error) {
	designs, list := []int{0, 2, 1}, labelWorlds()
	cells := make([][]designCell, len(list))
	err := eachWorld(list, func(i int, w simulatedWorld, rate float64, r *rand.Rand) error {
		cells[i] = make([]designCell, len(designs))
		for range samples {
			s := w.draw(r, large)
			for k, design := range designs {
				if err := cells[i][k].add(s, design, rate); err != nil {
					return err
				}
			}
		}
		return nil
	})
	var b strings.Builder
	row(&b, []string{"world", "calls a conversation", "labels for ±5", "covers then", "told at 100 : needed", "within the range told",
		"± at 200 labels", "by labels alone", "covers", "longer than labels alone"})
	row(&b, slices.Repeat([]string{"---"}, 10))
	for i, w := range list {
		for k, design := range designs {
			row(&b, cells[i][k].row(w, design))
		}
	}
	return b.String(), err
}

// fewFailures measures the rate's interval by labels of two calls a conversation, however few of them failed.
func fewFailures(samples int) (string, error) {
	var list []simulatedWorld
	for _, lengths := range []lengths{equal, failing} {
		for _, base := range []float64{0.9, 0.95, 0.98} {
			for _, icc := range []float64{0, 0.3, 0.6} {
				list = append(list, simulatedWorld{lengths, base, 0.8, icc, size})
			}
		}
	}
	sizes := []int{10, 20, 30, 60, 100, 200}
	cells := make([][]cell, len(list))
	few := make([][]int, len(list))
	err := eachWorld(list, func(i int, w simulatedWorld, rate float64, r *rand.Rand) error {
		cells[i], few[i] = make([]cell, 2*len(sizes)), make([]int, len(sizes))
		for range samples {
			s := w.draw(r, logged)
			for k, g := range sizes {
				part, rest := s.labelledOf(2, 2*g)
				alone, err := interval.WeightedMean(part.gold, part.weight, part.cluster, alpha)
				if err != nil {
					return err
				}
				p, err := part.corrected(rest)
				if err != nil {
					return err
				}
				if p.Fails < truth.FewestPPI {
					few[i][k]++
				}
				cells[i][2*k].count(estimate{alone.Mean, alone.Wilson}, rate)
				cells[i][2*k+1].count(estimate{p.Estimate, p.CI}, rate)
			}
		}
		return nil
	})
	var b strings.Builder
	heads := []string{"world"}
	for _, g := range sizes {
		heads = append(heads, fmt.Sprintf("%d labels", 2*g))
	}
	row(&b, heads)
	row(&b, slices.Repeat([]string{"---"}, len(heads)))
	for i, w := range list {
		line := []string{w.labelName()}
		for k := range sizes {
			alone, corrected := cells[i][2*k], cells[i][2*k+1]
			line = append(line, fmt.Sprintf("%s; %s; %.0f %%", alone.short(), corrected.short(), 100*float64(few[i][k])/float64(samples)))
		}
		row(&b, line)
	}
	return b.String(), err
}

// guarded counts how often the guard calls labels a choice: two calls of each of the first 100 conversations, and
// of 100 others that were drawn two or four times as often if they have a failure.
func guarded(samples int) (string, error) {
	times, list := []float64{1, 2, 4}, labelWorlds()
	alarms, bias := make([][]int, len(list)), make([][]float64, len(list))
	err := eachWorld(list, func(i int, w simulatedWorld, rate float64, r *rand.Rand) error {
		alarms[i], bias[i] = make([]int, len(times)), make([]float64, len(times))
		for range samples {
			for k, often := range times {
				part, rest := w.draw(r, logged).prefer(r, often, 100)
				labelled, err := interval.ClusterMean(part.judge, part.cluster, alpha)
				if err != nil {
					return err
				}
				others, err := interval.ClusterMean(rest.judge, rest.cluster, alpha)
				if err != nil {
					return err
				}
				if p := interval.Welch(labelled, others); p.Valid && p.Value < report.UnlikeBelow {
					alarms[i][k]++
				}
				labels, _ := part.labelledOf(2, len(part.cluster))
				p, err := labels.corrected(rest)
				if err != nil {
					return err
				}
				bias[i][k] += p.Estimate.Value - rate
			}
		}
		return nil
	})
	var b strings.Builder
	row(&b, []string{"world", "false alarms", "twice as often: bias, caught", "four times as often: bias, caught"})
	row(&b, slices.Repeat([]string{"---"}, 4))
	for i, w := range list {
		line := []string{w.labelName(), cell{drawn: samples, printed: samples, covered: alarms[i][0]}.text()}
		for k := range times[1:] {
			line = append(line, fmt.Sprintf("%+.1f points, %.0f %%", 100*bias[i][k+1]/float64(samples), 100*float64(alarms[i][k+1])/float64(samples)))
		}
		row(&b, line)
	}
	return b.String(), err
}

// prefer takes so many conversations, those with a failing call so many times as often as others.
func (s *sample) prefer(r *rand.Rand, often float64, conversations int) (part, rest *sample) {
	fails := make([]bool, logged)
	for i, c := range s.cluster {
		fails[c] = fails[c] || s.gold[i] == 0
	}
	taken := make([]bool, logged)
	for n := 0; n < conversations; {
		if c := r.IntN(logged); !taken[c] && (fails[c] || r.Float64()*often < 1) {
			taken[c] = true
			n++
		}
	}
	part, rest = &sample{}, &sample{}
	for i, c := range s.cluster {
		to := rest
		if taken[c] {
			to = part
		}
		to.cluster, to.gold, to.judge = append(to.cluster, c), append(to.gold, s.gold[i]), append(to.judge, s.judge[i])
	}
	return part, rest
}

// The texts of the tables, with the number of samples.
const (
	designText = `
Simulated with %d samples a row: logs of 1,500 conversations, and a good judge of all calls (it finds about .7 of the
failures). A world is named by the lengths of
conversations, the share of right calls and the intraclass correlation. To run it again:

    go test ./internal/report/measure -run Labels -coverage-worlds -coverage-samples 600 -timeout 2h

People label conversations in random order: all calls of each, two random ones, or one, until the corrected pass rate
is known to ±5 points; the interval is looked at after every 20 labels, from 40 on. *Covers then* is about this
interval, of a person who stops as soon as it is short enough. *Labels for ±5* is the median. *Told at 100* is how many labels the
product says that it will take when there are 100 labels, to those who have not stopped before (the median), divided by
how many it took. It says a range, too ("80 to 180 more labels"): *within the range told* says in how many samples it
took as many, give or take the 20 labels between two looks. The last columns are about 200 labels: half the width of the corrected interval and of
that of the labels alone, its coverage, and in how many samples the corrected interval was the longer one.

`
	fewText = `
### Few failures

Two calls of each conversation are labelled, of a log of 400. A cell is the coverage of the score interval with the
clustered effective size for the labels alone, then that of the corrected interval, in thousandths, and the share of
samples with fewer than ten labelled failures (%d samples). – has no interval in nearly all samples.

`
	guardText = `
### Labels that were picked

The product calls labels a choice if the judge passes another share of the labelled conversations than of the others,
p below .01. Of %d samples of 100 conversations with two labels each: how often it says so if they are drawn at
random, which is a false alarm, and if conversations with a failing call are labelled two or four times as often as others;
then the bias of the corrected rate stands beside it. Four times as often is seen in some samples only, and
twice as often hardly ever: the guard does not replace the random order.

`
)

// eachWorld runs a simulation in each world, with the rate of right calls in it.
func eachWorld(list []simulatedWorld, run func(i int, w simulatedWorld, rate float64, r *rand.Rand) error) error {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, w := range list {
		group.Go(func() error { return run(i, w, w.Base, rand.New(rand.NewPCG(11, seedOf(w)))) })
	}
	return group.Wait()
}

func (w simulatedWorld) labelName() string {
	return fmt.Sprintf("%s, %.0f %%, ICC %.1f", w.Lengths, 100*w.Base, w.Shared)
}

// short returns the coverage of a cell in thousandths.
func (c cell) short() string {
	if c.refused() {
		return "–"
	}
	share, _ := c.coverage()
	return fmt.Sprintf("%.0f", 1000*share)
}

// TestLabels simulates what labels show, and writes that part of the page. It takes minutes.
func TestLabels(t *testing.T) {
	if !*coverageWorlds || *only != "" {
		t.Skip("minutes of simulation: -coverage-worlds")
	}
	text := labelsHead
	for _, part := range []struct {
		of   func(samples int) (string, error)
		text string
	}{{designTable, designText}, {fewFailures, fewText}, {guarded, guardText}} {
		tables, err := part.of(*samples)
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf(part.text, *samples) + tables
	}
	if err := writeLabels(text); err != nil {
		t.Fatal(err)
	}
}

// writeLabels replaces the end of the page.
func writeLabels(text string) error {
	all, err := os.ReadFile(page)
	before, _, _ := strings.Cut(string(all), labelsHead)
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(before+text), 0o644)
}
