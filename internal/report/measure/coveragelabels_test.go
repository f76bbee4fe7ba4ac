package measure_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/agreement/truth"
)

// logged is how many conversations the log has from which labels are drawn.
const logged = 400

// designs are how many calls of each conversation people label, 0 for all.
var designs = []int{0, 2, 1}

// designCell sums over samples what labels of one design showed.
type designCell struct {
	half           float64 // of the interval with fixedLabels labels
	fixed, stopped cell
	labels, done   int // until the interval was ±5 points, and how many samples came so far
	told           float64
	asked          int // at how many samples it was told how many labels it takes, told in sum
}

// fixedLabels is the number of labels at which designs are compared.
const fixedLabels = 200

// labelledOf is what people label of the first conversations: each of them by design, until there are
// so many labels; rest are the conversations that follow.
func (s *sample) labelledOf(design, labels int) (part, rest *sample) {
	part, rest = &sample{}, &sample{}
	for i := 0; i < len(s.cluster); {
		end := i
		for end < len(s.cluster) && s.cluster[end] == s.cluster[i] {
			end++
		}
		n := min(end-i, cmp.Or(design, end-i))
		switch {
		case len(part.cluster) >= labels:
			rest.cluster, rest.judge = append(rest.cluster, s.cluster[i:end]...), append(rest.judge, s.judge[i:end]...)
		default:
			part.cluster = append(part.cluster, s.cluster[i:i+n]...)
			part.gold, part.judge = append(part.gold, s.gold[i:i+n]...), append(part.judge, s.judge[i:i+n]...)
			for range n {
				part.weight = append(part.weight, float64(end-i)/float64(n))
			}
		}
		i = end
	}
	return part, rest
}

func (c *designCell) add(s *sample, design int, rate float64) error {
	stopped := false
	for labels := 40; labels <= 800; labels += 20 {
		part, rest := s.labelledOf(design, labels)
		if len(rest.cluster) == 0 {
			break
		}
		p, err := truth.PPIClustered(part.gold, part.judge, part.weight, part.cluster, rest.judge, rest.cluster, truth.AutoLambda, alpha)
		if err != nil {
			return err
		}
		half := (p.CI.High.Value - p.CI.Low.Value) / 2
		if labels == fixedLabels {
			c.fixed.count(estimate{p.Estimate, p.CI}, rate)
			c.half += half
		}
		if more, ok := p.Further(0.1); labels == 100 && ok && half > 0.05 {
			c.told, c.asked = c.told+float64(len(part.cluster))*(1+float64(more)/float64(p.LabeledClusters)), c.asked+1
		}
		if !stopped && p.CI.Low.Valid && half <= 0.05 {
			stopped = true
			c.labels, c.done = c.labels+len(part.cluster), c.done+1
			c.stopped.count(estimate{p.Estimate, p.CI}, rate)
		}
		if stopped && labels >= fixedLabels {
			break
		}
	}
	return nil
}

// TestLabelDesigns prints how wide the interval of 200 labels is, how many labels make ±5 points, and
// whether the interval covers, also for a person who stops there.
func TestLabelDesigns(t *testing.T) {
	if !*coverageWorlds || *only != "" {
		t.Skip("needs -coverage-worlds")
	}
	var b strings.Builder
	for _, w := range worlds() {
		if w.Sight != 0.8 {
			continue
		}
		truths, err := truthsOf(w, statistics()[:1], 20000)
		if err != nil {
			t.Fatal(err)
		}
		for _, design := range designs {
			r, c := rand.New(rand.NewPCG(uint64(design), seedOf(w))), designCell{}
			n := *samples / 4
			for range n {
				if err := c.add(w.draw(r, logged), design, truths[0]); err != nil {
					t.Fatal(err)
				}
			}
			fixed, fe := c.fixed.coverage()
			stopped, se := c.stopped.coverage()
			fmt.Fprintf(&b, "| %v | %d | %.1f | %.3f ± %.3f (%d) | %.0f | %.0f (%d) | %.3f ± %.3f (%d) |\n", w, design,
				100*c.half/math.Max(1, float64(c.fixed.printed)), fixed, fe, c.fixed.printed, float64(c.labels)/float64(c.done), c.told/float64(c.asked), c.asked, stopped, se, c.done)
		}
	}
	t.Log(b.String())
}
