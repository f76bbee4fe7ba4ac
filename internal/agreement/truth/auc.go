package truth

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// AUC is the area under the ROC curve, P(s⁺>s⁻)+½P(=).
type AUC struct {
	Pos, Neg int
	AUC      stat.Opt // undefined for one class
	SE       stat.Opt // undefined for a class of one item; 0 at AUC 1
	CI       stat.Interval
}

// placements holds, for each positive, the share of negatives below it (ties count half) and, for
// each negative, the share of positives above it.
type placements struct {
	auc     float64
	place   []float64 // of each row
	weight  []float64
	posItem []int // row of each positive
	negItem []int
	tied    bool // a positive and a negative have the same score
}

// place returns the placements: for each pass the share of the fails' weight below it, for each
// fail the share of the passes' weight above it; ties count half.
func place(gold, score, weight []float64) placements {
	p := placements{place: make([]float64, len(gold)), weight: weight}
	order, pos, neg := stat.SortedOrder(score), 0.0, 0.0
	for i := 0; i < len(order); {
		from, posBelow, negBelow := i, pos, neg
		for ; i < len(order) && score[order[i]] == score[order[from]]; i++ {
			if stat.IsPass(gold[order[i]]) {
				pos += weight[order[i]]
			} else {
				neg += weight[order[i]]
			}
		}
		p.tied = p.tied || pos > posBelow && neg > negBelow
		for _, row := range order[from:i] {
			p.place[row] = (posBelow + pos) / 2
			if stat.IsPass(gold[row]) {
				p.place[row] = (negBelow + neg) / 2
			}
		}
	}
	for i, g := range gold {
		if stat.IsPass(g) {
			p.posItem = append(p.posItem, i)
			p.place[i] /= neg
			p.auc += float64(weight[i] * p.place[i])
		} else {
			p.negItem = append(p.negItem, i)
			p.place[i] = 1 - p.place[i]/pos
		}
	}
	p.auc /= pos
	return p
}

func needBoth(pos, neg int) stat.Reason {
	switch {
	case pos+neg == 0:
		return stat.NoItems
	case pos == 0 || neg == 0:
		return stat.OneClass
	}
	return ""
}

// AveragePrecision returns Σ (R_i - R_{i-1}) P_i over distinct scores from the highest, ties as one
// step, in 0..1; its baseline is the share of gold passes. It is undefined without passes.
func AveragePrecision(gold, score []float64) (stat.Opt, error) {
	kept, _, err := stat.Complete(gold, score)
	if err != nil {
		return stat.Opt{}, err
	}
	sum, lastRecall, pos := 0.0, 0.0, 0.0
	eachCut(kept[0], kept[1], stat.Weights(nil, len(kept[0])), func(_ float64, c Confusion) {
		pos = c.TP + c.FN
		recall := c.TP / pos
		sum += (recall - lastRecall) * c.TP / (c.TP + c.FP)
		lastRecall = recall
	})
	if pos == 0 {
		return stat.None(needBoth(0, len(kept[0]))), nil
	}
	return stat.Some(sum), nil
}

// ClusteredAUC measures how well score ranks gold passes above gold fails, in 0..1 (0.5 is chance),
// by cluster (nil: independent items); weight is how many items each represents, nil for one.
// Leaving out a cluster changes the mean of the placement values of each class (after Obuchowski
// 1997); the standard error is the [interval.Jackknife] of these changes. The interval is symmetric
// on the logit scale, where the standard error is SE/(A(1-A)) (Pepe 2003), with Student's t. It has
// the jackknife's degrees of freedom, but less than the number of clusters with an item of the
// rarer class. If passes and fails have a score in common, it is at least as long as that of independent items
// with normal scores: with few different scores, a sample often lacks the few items that are ranked far wrong.
// There is no interval if a class has only one item or is in only one cluster, which
// says nothing about its spread; if the AUC is 0 or 1, which has no inversions from which to
// estimate an error; or if the scores of the rarer class are nearly all equal
// ([interval.FewestRanked]).
func ClusteredAUC(gold, score, weight []float64, cluster []int, alpha float64) (AUC, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return AUC{}, err
	}
	kept, index, g, _, err := stat.CompleteClustered(cluster, gold, score, stat.Weights(weight, len(gold)))
	if err != nil {
		return AUC{}, err
	}
	p := place(kept[0], kept[1], kept[2])
	out := AUC{Pos: len(p.posItem), Neg: len(p.negItem)}
	if reason := needBoth(out.Pos, out.Neg); reason != "" {
		return out.without(stat.None(reason)), nil
	}
	if out.AUC = stat.Some(p.auc); out.Pos < 2 || out.Neg < 2 || g < 2 {
		return out.without(out.AUC), nil
	}
	left := make([]float64, g)
	p.leave(left, p.posItem, index)
	p.leave(left, p.negItem, index)
	j := interval.Jackknife(out.AUC, g, func(c int) stat.Opt { return stat.Some(p.auc - left[c]) })
	if !j.SE.Valid {
		out = out.without(out.AUC)
		out.SE, out.CI = j.SE, j.CI
		return out, nil
	}
	rarer := p.rarer(index)
	out.SE, out.CI = j.SE, p.logit(j.SE.Value, math.Min(j.Freedom, float64(clustersOf(rarer, index)-1)), alpha)
	if out.CI.Low.Valid && interval.Few(varied(rarer, kept[1], index, g), interval.FewestRanked, g) {
		out.CI = stat.NoInterval(stat.FewRare)
	}
	return out, nil
}

// leave adds, for each cluster, what the AUC would lose without the cluster's items of one class:
// the change of the mean of their placement values. If one cluster has all of them, it decides.
func (p placements) leave(left []float64, items, index []int) {
	sums, weight, all := make([]float64, len(left)), make([]float64, len(left)), 0.0
	for _, i := range items {
		sums[index[i]] += float64(p.weight[i] * (p.place[i] - p.auc))
		weight[index[i]] += p.weight[i]
		all += p.weight[i]
	}
	for c, w := range weight {
		if rest := all - w; w > 0 && rest > 1e-10*all {
			left[c] += sums[c] / rest
		} else if w > 0 {
			left[c] = math.NaN()
		}
	}
}

func (a AUC) without(value stat.Opt) AUC {
	a.AUC, a.SE, a.CI = value, stat.None(stat.TooFew), stat.NoInterval(stat.TooFew)
	if !value.Valid {
		a.SE, a.CI = value, stat.NoInterval(value.Reason)
	}
	return a
}

// rarer returns the items of the rarer class; if both have as many items, of the class in fewer
// clusters.
func (p placements) rarer(index []int) []int {
	a, b := len(p.posItem), len(p.negItem)
	if a < b || a == b && clustersOf(p.posItem, index) < clustersOf(p.negItem, index) {
		return p.posItem
	}
	return p.negItem
}

// varied returns the number of clusters in which one of these items has a score other than their
// most common one.
func varied(items []int, score []float64, index []int, clusters int) int {
	in, of := make([]int, len(items)), make([]float64, len(items))
	for k, i := range items {
		in[k], of[k] = index[i], score[i]
	}
	return interval.Varied(in, clusters, of)
}

func clustersOf(items, index []int) int {
	seen := map[int]bool{}
	for _, i := range items {
		seen[index[i]] = true
	}
	return len(seen)
}

// independent returns the standard error of the AUC of independent items if the scores of both classes are normal
// with the same variance. The variance of their placements is a twelfth at 1/2; for other AUCs its
// approximation is within 7 %.
func (p placements) independent() float64 {
	each := 0.0
	for _, items := range [][]int{p.posItem, p.negItem} {
		sum, squares := 0.0, 0.0
		for _, i := range items {
			sum, squares = sum+p.weight[i], squares+p.weight[i]*p.weight[i]
		}
		each += squares / (sum * sum)
	}
	return math.Sqrt(math.Pow(4*p.auc*(1-p.auc), 4.0/3) / 12 * each)
}

func (p placements) logit(se, freedom, alpha float64) stat.Interval {
	spread := p.auc * (1 - p.auc)
	switch {
	case spread == 0:
		return stat.NoInterval(stat.NoDisagreement)
	case freedom < 1:
		return stat.NoInterval(stat.FewRare)
	case se == 0:
		return stat.NoInterval(stat.ZeroVariance)
	}
	half := stat.CriticalT(alpha, freedom) * se / spread
	if p.tied {
		half = math.Max(half, stat.Critical(alpha)*p.independent()/spread)
	}
	at := math.Log(p.auc / (1 - p.auc))
	end := func(logit float64) stat.Opt { return stat.Some(1 / (1 + math.Exp(-logit))) }
	return stat.Both(end(at-half), end(at+half))
}
