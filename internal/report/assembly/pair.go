package assembly

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report/series"
)

// pairs are the items of a pairing.
type pairs struct {
	// both were scored by both, decided are those of them with two verdicts, and sure
	// those of these that call for no second look.
	both, decided, sure    []series.Pair
	conversations, partial int
	// missingJudge counts items that the reference scored and for which the judge
	// has an error or no usable answer; missingRef the other way round. onlyRef and
	// onlyJudge count items that the other side never met.
	missingJudge, missingRef int
	onlyRef, onlyJudge       int
}

func pairsOf(p series.Pairing) *pairs {
	all, last := p.Pairs(), -1
	s := &pairs{both: make([]series.Pair, 0, len(all)), decided: make([]series.Pair, 0, len(all))}
	for _, pair := range all {
		if pair.Judge.Partial || pair.Ref.Partial {
			s.partial++
		}
		if !pair.Scored() {
			s.absent(pair)
			continue
		}
		if pair.Cluster() != last {
			s.conversations, last = s.conversations+1, pair.Cluster()
		}
		s.both = append(s.both, pair)
		if j, _ := pair.Decided(); math.IsNaN(j) {
			continue
		}
		s.decided = append(s.decided, pair)
	}
	s.sure = s.decided
	doubts := func(p series.Pair) bool { return p.Judge.Has(series.SecondLook) }
	if slices.ContainsFunc(s.decided, doubts) {
		s.sure = slices.DeleteFunc(slices.Clone(s.decided), doubts)
	}
	return s
}

// absent counts an item that one side alone scored.
func (s *pairs) absent(p series.Pair) {
	switch {
	case p.Ref.Has(series.HasValue):
		countAbsent(p.Judge, &s.onlyRef, &s.missingJudge)
	case p.Judge.Has(series.HasValue):
		countAbsent(p.Ref, &s.onlyJudge, &s.missingRef)
	}
}

// countAbsent adds an observation without a value: to notMet where the instrument had
// nothing to say or never met the item, else to missing.
func countAbsent(o series.Observation, notMet, missing *int) {
	if !o.Has(series.Met) || o.Has(series.NotApplicable) {
		*notMet++
		return
	}
	*missing++
}

// confusion counts the verdicts; the reference is gold.
func confusion(decided []series.Pair) (c truth.Confusion) {
	for _, p := range decided {
		switch j, r := p.Decided(); {
		case r == 1 && j == 1:
			c.TP++
		case r == 1:
			c.FN++
		case j == 1:
			c.FP++
		default:
			c.TN++
		}
	}
	return c
}

// What a pair says, NaN where it says nothing.

func judgeValue(p series.Pair) float64   { return p.Judge.Number() }
func refValue(p series.Pair) float64     { return p.Ref.Number() }
func difference(p series.Pair) float64   { return p.Judge.Value - p.Ref.Value }
func judgePasses(p series.Pair) float64  { j, _ := p.Decided(); return j }
func refPasses(p series.Pair) float64    { _, r := p.Decided(); return r }
func refVerdict(p series.Pair) float64   { return p.Ref.Verdict() }
func confidenceOf(p series.Pair) float64 { return p.Judge.Confidence() }

// same is 1 where the verdicts are equal.
func same(p series.Pair) float64 {
	j, r := p.Decided()
	return 1 - math.Abs(j-r)
}

// caught is 1 where the judge fails what the reference fails, of those items.
func caught(p series.Pair) float64 {
	j, r := p.Decided()
	return series.NaNIf(r != 0, 1-j)
}

// kept is 1 where the judge passes what the reference passes, of those items.
func kept(p series.Pair) float64 {
	j, r := p.Decided()
	return series.NaNIf(r != 1, j)
}

// column is what is asked of each pair.
func column(all []series.Pair, of func(series.Pair) float64) []float64 {
	out := make([]float64, len(all))
	for i, p := range all {
		out[i] = of(p)
	}
	return out
}

// clusters are the conversations of pairs.
func clusters(all []series.Pair) []int {
	out := make([]int, len(all))
	for i, p := range all {
		out[i] = p.Cluster()
	}
	return out
}
