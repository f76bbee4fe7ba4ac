package truth

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
)

// Selective is the confidence cut above which verdicts may be trusted.
type Selective struct {
	Threshold stat.Opt // undefined: never trust this judge alone
	Errors, N stat.Opt // among the items at or above the cut
	Effective stat.Opt // the number of independent items that N amounts to
	RiskUCB   stat.Opt // one-sided Clopper–Pearson bound at the cut
	MinN      int      // fewest items that could ever be accepted
}

// SelectiveThreshold finds the lowest confidence cut that keeps
// P(error rate above the cut <= risk) >= 1-delta, by fixed-sequence testing from the
// highest confidence (after Jung et al. 2024). The error rate is that of items, each
// counting once, whatever the size of its cluster.
//
// Items of one cluster are not exchangeable: the bound takes them for one draw that counts
// by its items, as where they are right or wrong together. So items above a cut count for
// (Σt)²/Σt² independent ones, t being the number of them in each cluster (Kish 1965). cluster
// is nil where every item is its own.
func SelectiveThreshold(confidence, correct []float64, cluster []int, risk, delta float64) (Selective, error) {
	if !(risk > 0 && risk < 1 && delta > 0 && delta < 1) {
		return Selective{}, fmt.Errorf("risk and delta must be between 0 and 1, got %v and %v", risk, delta)
	}
	kept, index, _, _, err := stat.CompleteClustered(cluster, confidence, correct)
	if err != nil {
		return Selective{}, err
	}
	minN := math.Ceil(math.Log(delta) / math.Log(1-risk))
	none := stat.None(stat.NoAcceptedThreshold)
	out := Selective{MinN: int(math.Min(minN, 1e15)), Threshold: none, Errors: none, N: none, Effective: none,
		RiskUCB: none}
	seen := above{of: map[int]float64{}}
	order := stat.SortedOrder(kept[0])
	slices.Reverse(order)
	for k, i := range order {
		seen.add(index[i], kept[1][i])
		if k+1 < len(order) && kept[0][order[k+1]] == kept[0][i] {
			continue
		}
		n := seen.effective()
		if n < minN {
			continue
		}
		bound := 1.0
		if rate := seen.wrong / seen.n; rate < 1 {
			bound = stat.BetaQuantile(1-delta, rate*n+1, n-rate*n)
		}
		if bound > risk {
			break
		}
		out.Threshold, out.RiskUCB = stat.Some(kept[0][i]), stat.Some(bound)
		out.Errors, out.N, out.Effective = stat.Some(seen.wrong), stat.Some(seen.n), stat.Some(n)
	}
	return out, nil
}

// above are the items at or above a cut: how many, how many of them are wrong, by cluster,
// and the sum of the squares of these numbers.
type above struct {
	n, wrong, squares float64
	of                map[int]float64
}

func (a *above) add(cluster int, correct float64) {
	before := a.of[cluster]
	a.of[cluster] = before + 1
	a.squares += 2*before + 1
	a.n++
	if !stat.IsPass(correct) {
		a.wrong++
	}
}

func (a *above) effective() float64 { return a.n * a.n / a.squares }
