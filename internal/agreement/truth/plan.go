package truth

import (
	"math"
	"slices"
	"sort"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// Population describes conversations that will be run or labelled, as estimated from an earlier
// run.
type Population struct {
	// Sizes holds the number of calls of each conversation.
	Sizes []int
	// Rate is the share of passing calls, in (0,1), and ICC the correlation of two calls of the
	// same conversation, in [0,1].
	Rate, ICC float64
}

// AllCalls, as a number of calls, means all calls of a conversation.
const AllCalls = 0

// ICC returns the correlation that explains the standard error of a rate over conversations of
// these sizes: SE² = p(1-p)·(ρ·Σm² + (1-ρ)·Σm)/(Σm)². It is 0 if the error is smaller, or if no
// conversation has two calls.
func ICC(sizes []int, rate, se float64) float64 {
	sum, squares := sizeSums(sizes)
	if squares == sum {
		return 0
	}
	return math.Min(1, math.Max(0, (se*se*sum*sum/(rate*(1-rate))-sum)/(squares-sum)))
}

// Shared returns the share of a rate's variance that is due to the similarity of calls within
// conversations: at most this share is common to two runs of the same conversations.
func (p Population) Shared() float64 {
	sum, squares := sizeSums(p.Sizes)
	return p.ICC * squares / (p.ICC*squares + (1-p.ICC)*sum)
}

func sizeSums(sizes []int) (sum, squares float64) {
	for _, m := range sizes {
		sum, squares = sum+float64(m), squares+float64(m)*float64(m)
	}
	return sum, squares
}

// Labels returns the number of labels if at most the given number of calls is labelled in each
// conversation.
func (p Population) Labels(conversations, calls int) int {
	sum := 0
	for _, m := range p.Sizes {
		sum += drawn(m, calls)
	}
	return int(math.Ceil(float64(sum) / float64(len(p.Sizes)) * float64(conversations)))
}

func drawn(size, calls int) int {
	if calls == AllCalls {
		return size
	}
	return min(size, calls)
}

// parts returns the mean square, cube and fourth power of one conversation's contribution to the
// error of the rate: its number of calls, relative to the mean, times the error of the passing
// share of its drawn calls. That share is beta-binomial.
func (p Population) parts(calls int) (square, cube, fourth float64) {
	sum, _ := sizeSums(p.Sizes)
	n := float64(len(p.Sizes))
	spread := 1/math.Max(p.ICC, 1e-6) - 1
	a, b := math.Max(p.Rate*spread, 1e-9), math.Max((1-p.Rate)*spread, 1e-9)
	sizes := slices.Sorted(slices.Values(p.Sizes))
	for first, next := 0, 0; first < len(sizes); first = next {
		for next = first; next < len(sizes) && sizes[next] == sizes[first]; next++ {
		}
		k := float64(drawn(sizes[first], calls))
		weight, alike := float64(sizes[first])*n/sum, float64(next-first)/n
		for passed := 0.0; passed <= k; passed++ {
			chance := alike * math.Exp(logBinomial(k, passed)+logBeta(passed+a, k-passed+b)-logBeta(a, b))
			d := weight * (passed/k - p.Rate)
			square, cube, fourth = square+chance*d*d, cube+chance*d*d*d, fourth+chance*d*d*d*d
		}
	}
	return square, cube, fourth
}

func logBinomial(n, k float64) float64 { return -math.Log(n+1) - logBeta(n-k+1, k+1) }

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// Instrument describes a judge's decisions: J is its recall of passes plus that of fails minus 1,
// Rate the share that it passes.
type Instrument struct{ J, Rate float64 }

// othersPerLabelled is the number of unlabelled conversations, per labelled one, that we assume the judge to
// have judged.
const othersPerLabelled = 4

// Left returns the share of the labels' variance that remains if the judge's verdicts correct it
// (PPI++ with the best weight). The verdicts correlate with labels by J·√(p(1-p)/q(1-q)). Without a
// J it is 1.
func (p Population) Left(calls int, by Instrument) float64 {
	if by.J <= 0 || by.Rate <= 0 || by.Rate >= 1 {
		return 1
	}
	square := math.Min(1, by.J*by.J*p.Rate*(1-p.Rate)/(by.Rate*(1-by.Rate)))
	some, _, _ := p.parts(calls)
	all, _, _ := p.parts(AllCalls)
	return 1 - square*some/(some+all/othersPerLabelled)
}

// maxPlanned limits the conversations of a plan.
const maxPlanned = 10_000_000

// ForHalfWidth returns how many conversations make the interval of the rate ±half, if the given
// number of calls of each is labelled and the share left of the variance remains. It uses the
// interval of [interval.WeightedMean], with the moments of the contributions. ok is false if the
// number would be too large.
func (p Population) ForHalfWidth(half float64, calls int, left, alpha float64) (conversations int, ok bool) {
	square, cube, fourth := p.parts(calls)
	sum, squares := sizeSums(p.Sizes)
	least := sum * sum / squares / float64(len(p.Sizes))
	z := stat.Critical(alpha)
	return fewest(func(g float64) bool {
		j := interval.Jackknifed{Clusters: int(g), Freedom: interval.Freedom(g*square, g*fourth, g),
			Skew: cube / math.Pow(square, 1.5) / math.Sqrt(g)}
		se := math.Sqrt(square/g) * stat.CriticalT(alpha, j.OneSided()) / z
		ci := interval.ScoreAround(p.Rate, se, least*g, alpha)
		return (ci.High.Value-ci.Low.Value)*math.Sqrt(left) <= 2*half
	})
}

// minChanged is the smallest number of newly failing calls: with fewer no test can show a change,
// however similar two runs are.
const minChanged = 20

// ForDrop returns how many conversations each of two runs needs to find a drop of the rate with a
// given power. Both rates have the variance of the given number of calls per conversation, times
// the share left. ok is false if the number would be too large, or if the rate cannot drop that
// far.
func (p Population) ForDrop(drop float64, calls int, left, power, alpha float64) (conversations int, ok bool) {
	if drop >= p.Rate {
		return 0, false
	}
	before, _, _ := p.parts(calls)
	p.Rate -= drop
	after, _, _ := p.parts(calls)
	each, _ := sizeSums(p.Sizes)
	each *= drop / float64(len(p.Sizes))
	return fewest(func(g float64) bool {
		quantiles := stat.CriticalT(alpha, g-1) + stat.NormalQuantile(power)
		return g*each >= minChanged && quantiles*math.Sqrt((before+after)*left/g) <= drop
	})
}

// fewest returns the smallest sufficient number of conversations, at least 2.
func fewest(enough func(conversations float64) bool) (int, bool) {
	n := 2 + sort.Search(maxPlanned, func(n int) bool { return enough(float64(n + 2)) })
	return n, n < maxPlanned
}
