package measure_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// world is a population of conversations, and judges of their calls. The quality of a call
// is a normal number that it partly shares with its conversation; the call is right above a
// cut. A judge sees the quality with an error, part of which the conversation shares too.
type simulatedWorld struct {
	// Lengths says how long conversations are.
	Lengths lengths
	// Base is the share of calls that are right.
	Base float64
	// Sight is the correlation of the judge's score with the quality of a call: 0 is a useless
	// judge, 1 a perfect one. In every other conversation, the hard ones, it is a tenth less.
	Sight float64
	// Shared is the intraclass correlation of the quality, and of a judge's errors.
	Shared float64
	// Size is the mean number of calls of a conversation.
	Size int
}

// lengths says how the lengths of conversations differ, and whether long ones fail more often.
type lengths string

const (
	equal   lengths = "equal"
	unequal lengths = "unequal" // exponential, one in ten of them two and a half times as long on average
	// failing lengths are unequal, and the calls of a conversation are worse by failingSlope for each
	// factor e by which it is longer.
	failing lengths = "failing"
)

const failingSlope = 0.5

// The usual size and intraclass correlation of a conversation, and the sight of the judge in
// the worlds of validation.
const (
	size     = 6
	shared   = 0.3
	middling = 0.55
	// labelled is the share of conversations with labels, for estimates from a sample of them.
	labelledRun = 0.25
)

// worlds returns the worlds by which the rules of intervals were set: all combinations.
func worlds() (out []simulatedWorld) {
	for _, lengths := range []lengths{equal, unequal, failing} {
		for _, base := range []float64{0.7, 0.9, 0.95} {
			for _, sight := range []float64{0, 0.8, 0.97} {
				out = append(out, simulatedWorld{lengths, base, sight, shared, size})
			}
		}
	}
	return out
}

// others are worlds by which nothing was set: half of all combinations, so that any two
// properties occur together.
func others() (out []simulatedWorld) {
	for _, lengths := range []lengths{equal, unequal, failing} {
		for _, base := range []float64{0.8, 0.97} {
			for _, icc := range []float64{0.1, 0.5} {
				long := (lengths == unequal) != (base > 0.9) != (icc > 0.3)
				out = append(out, simulatedWorld{lengths, base, middling, icc, map[bool]int{false: 3, true: 15}[long]})
			}
		}
	}
	return out
}

// heldOut are worlds in which rules are tried that the others set.
func heldOut() []simulatedWorld {
	return []simulatedWorld{
		{equal, 0.78, 0.2, 0.15, 12}, {equal, 0.92, 0.85, 0.35, 5}, {equal, 0.96, 0.6, 0.7, 12},
		{unequal, 0.88, 0.93, 0.15, 5}, {unequal, 0.92, 0.2, 0.35, 12}, {unequal, 0.96, 0.85, 0.15, 5},
		{failing, 0.78, 0.6, 0.7, 5}, {failing, 0.88, 0.85, 0.35, 12}, {failing, 0.92, 0.2, 0.15, 5}, {failing, 0.96, 0.93, 0.35, 12},
	}
}

// String returns the world's name in tables.
func (w simulatedWorld) String() string {
	name := fmt.Sprintf("%s, %.0f %%, ", w.Lengths, 100*w.Base)
	if judge := map[float64]string{0: "useless", 0.8: "good", 0.97: "near-perfect"}[w.Sight]; judge != "" {
		return name + judge
	}
	if name += fmt.Sprintf("ICC %.2g, %d calls", w.Shared, w.Size); w.Sight != middling {
		name += fmt.Sprintf(", judge %.2f", w.Sight)
	}
	return name
}

// sample are the calls of some conversations: what gold and three judges say of each. The
// second and the third judge are as good as each other, and a little worse than the first.
type sample struct {
	cluster                    []int
	weight                     []float64 // how many calls each stands for, nil for one
	gold, judge, second, third []float64 // verdicts
	score, sure                []float64 // of the first judge: its score, its distance from the cut
	goldRating, rating         []float64 // 1..5
}

// draw makes a sample of so many conversations.
func (w simulatedWorld) draw(r *rand.Rand, clusters int) *sample {
	s := &sample{}
	cut := w.cut()
	for c := range clusters {
		sight := w.Sight
		if c%2 == 1 {
			sight *= 0.9
		}
		common := [4]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		n := w.length(r)
		for range n {
			quality := w.part(common[0], r) + w.ease(n)
			see := func(judge int, sight float64) float64 {
				return sight*quality + math.Sqrt(1-sight*sight)*w.part(common[judge], r)
			}
			x, y, z := see(1, sight), see(2, 0.9*sight), see(3, 0.9*sight)
			s.cluster = append(s.cluster, c)
			s.gold, s.judge = append(s.gold, above(quality, cut)), append(s.judge, above(x, cut))
			s.second, s.third = append(s.second, above(y, cut)), append(s.third, above(z, cut))
			s.score, s.sure = append(s.score, x), append(s.sure, math.Abs(x-cut))
			s.goldRating, s.rating = append(s.goldRating, rating(quality, cut)), append(s.rating, rating(x, cut))
		}
	}
	return s
}

// part returns a standard normal number that is shared in part.
func (w simulatedWorld) part(common float64, r *rand.Rand) float64 {
	return math.Sqrt(w.Shared)*common + math.Sqrt(1-w.Shared)*r.NormFloat64()
}

// length returns the number of calls of a conversation.
func (w simulatedWorld) length(r *rand.Rand) int {
	if w.Lengths == equal {
		return w.Size
	}
	mean := 0.75 * float64(w.Size)
	if r.IntN(10) == 0 {
		mean *= 2.5
	}
	return 1 + int(r.ExpFloat64()*mean)
}

// ease is what the length of a conversation adds to the quality of its calls.
func (w simulatedWorld) ease(length int) float64 {
	if w.Lengths != failing {
		return 0
	}
	return -failingSlope * math.Log(float64(length)/float64(w.Size))
}

// cut returns the quality from which a call is right, so that a share of Base of all calls is.
func (w simulatedWorld) cut() float64 {
	if w.Lengths != failing {
		return stat.NormalQuantile(1 - w.Base)
	}
	low, high, mean, all := -6.0, 6.0, 0.75*float64(w.Size), 0.0
	calls, ease := make([]float64, 20*w.Size), make([]float64, 20*w.Size)
	for n := 1; n < 20*w.Size; n++ {
		x := float64(n)
		calls[n] = x * (0.9*math.Exp(-x/mean)*math.Expm1(1/mean) + 0.1*math.Exp(-x/mean/2.5)*math.Expm1(1/mean/2.5))
		ease[n], all = w.ease(n), all+calls[n]
	}
	for range 30 {
		cut, right := (low+high)/2, 0.0
		for n, c := range calls {
			right += c * math.Erfc((cut-ease[n])/math.Sqrt2) / 2
		}
		if right/all > w.Base {
			low = cut
		} else {
			high = cut
		}
	}
	return low
}

func above(x, cut float64) float64 {
	if x > cut {
		return 1
	}
	return 0
}

// rating returns 1 to 5; from 4 on a call is right.
func rating(x, cut float64) float64 {
	from := 1.0
	for _, step := range []float64{-1.2, -0.6, 0, 0.8} {
		if x > cut+step {
			from++
		}
	}
	return from
}
