package coverage

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// world is a population of conversations, and judges of their calls. The quality of a call
// is a normal number that it partly shares with its conversation; the call is right above a
// cut. A judge sees the quality with an error, part of which the conversation shares too.
type world struct {
	// Skewed lengths are exponential, one in ten of them three times as long; others are equal.
	Skewed bool
	// Base is the share of calls that are right.
	Base float64
	// Sight is the correlation of the judge's score with the quality of a call: 0 is a useless
	// judge, 1 a perfect one. In every other conversation, the hard ones, it is a tenth less.
	Sight float64
}

const (
	// size is the mean number of calls of a conversation.
	size = 6
	// shared is the intraclass correlation of the quality, and of a judge's errors.
	shared = 0.3
	// labelled is the share of conversations with labels, for estimates from a sample of them.
	labelled = 0.25
)

// worlds are all combinations.
func worlds() (out []world) {
	for _, skewed := range []bool{false, true} {
		for _, base := range []float64{0.7, 0.9, 0.95} {
			for _, sight := range []float64{0, 0.8, 0.97} {
				out = append(out, world{skewed, base, sight})
			}
		}
	}
	return out
}

// String is the world's name in tables.
func (w world) String() string {
	lengths := map[bool]string{true: "unequal", false: "equal"}[w.Skewed]
	judge := map[float64]string{0: "useless", 0.8: "good", 0.97: "near-perfect"}[w.Sight]
	return fmt.Sprintf("%s, %.0f %%, %s", lengths, 100*w.Base, judge)
}

// sample are the calls of some conversations: what gold and three judges say of each. The
// second and the third judge are as good as each other, and a little worse than the first.
type sample struct {
	cluster                    []int
	gold, judge, second, third []float64 // verdicts
	score, sure                []float64 // of the first judge: its score, its distance from the cut
	goldRating, rating         []float64 // 1..5
}

// draw makes a sample of so many conversations.
func (w world) draw(r *rand.Rand, clusters int) *sample {
	s := &sample{}
	cut := stat.NormalQuantile(1 - w.Base)
	for c := range clusters {
		sight := w.Sight
		if c%2 == 1 {
			sight *= 0.9
		}
		common := [4]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
		for range w.length(r) {
			quality := part(common[0], r)
			see := func(judge int, sight float64) float64 {
				return sight*quality + math.Sqrt(1-sight*sight)*part(common[judge], r)
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

// part is a standard normal number that is shared in part.
func part(common float64, r *rand.Rand) float64 {
	return math.Sqrt(shared)*common + math.Sqrt(1-shared)*r.NormFloat64()
}

// length is the number of calls of a conversation.
func (w world) length(r *rand.Rand) int {
	if !w.Skewed {
		return size
	}
	mean := 0.75 * size
	if r.IntN(10) == 0 {
		mean *= 2.5
	}
	return 1 + int(r.ExpFloat64()*mean)
}

func above(x, cut float64) float64 {
	if x > cut {
		return 1
	}
	return 0
}

// rating is 1 to 5; from 4 on a call is right.
func rating(x, cut float64) float64 {
	from := 1.0
	for _, step := range []float64{-1.2, -0.6, 0, 0.8} {
		if x > cut+step {
			from++
		}
	}
	return from
}
