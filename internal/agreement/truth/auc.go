package truth

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// AUC is the area under the ROC curve, P(s⁺>s⁻)+½P(=), with DeLong's interval.
type AUC struct {
	Pos, Neg int
	AUC      stat.Opt // undefined for one class
	SE       stat.Opt // undefined for a class of one item; 0 at AUC 1
	CI       stat.Interval
}

// placements are, for each positive, the share of negatives below it (ties
// half) and, for each negative, the share of positives above it.
type placements struct {
	auc      float64
	pos, neg []float64
	posItem  []int // row of each positive
	negItem  []int
}

func place(gold, score []float64) placements {
	var p placements
	var ps, ns []float64
	for i, g := range gold {
		if stat.IsPass(g) {
			p.posItem = append(p.posItem, i)
			ps = append(ps, score[i])
		} else {
			p.negItem = append(p.negItem, i)
			ns = append(ns, score[i])
		}
	}
	if len(ps) == 0 || len(ns) == 0 {
		return p
	}
	all, within, withinNeg := stat.Midranks(score), stat.Midranks(ps), stat.Midranks(ns)
	p.pos, p.neg = make([]float64, len(ps)), make([]float64, len(ns))
	for k, i := range p.posItem {
		p.pos[k] = (all[i] - within[k]) / float64(len(ns))
	}
	for k, i := range p.negItem {
		p.neg[k] = 1 - (all[i]-withinNeg[k])/float64(len(ps))
	}
	p.auc = stat.Mean(p.pos)
	return p
}

// ROCAUC measures how well score ranks gold passes above gold fails.
func ROCAUC(gold, score []float64, alpha float64) (AUC, error) {
	if err := stat.CheckAlpha(alpha); err != nil {
		return AUC{}, err
	}
	kept, _, err := stat.Complete(gold, score)
	if err != nil {
		return AUC{}, err
	}
	p := place(kept[0], kept[1])
	out := AUC{Pos: len(p.posItem), Neg: len(p.negItem)}
	if reason := needBoth(out.Pos, out.Neg); reason != "" {
		out.AUC, out.SE, out.CI = stat.None(reason), stat.None(reason), stat.NoInterval(reason)
		return out, nil
	}
	out.AUC, out.SE = stat.Some(p.auc), stat.None(stat.TooFew)
	if out.Pos > 1 && out.Neg > 1 {
		out.SE = stat.Some(math.Sqrt(stat.Variance(p.pos)/float64(out.Pos) + stat.Variance(p.neg)/float64(out.Neg)))
	}
	out.CI = stat.Around(out.AUC, out.SE.Times(stat.Critical(alpha))).Clip(0, 1)
	return out, nil
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

// AveragePrecision is Σ (R_i - R_{i-1}) P_i over distinct scores from the highest, ties as
// one step; its baseline is the share of gold passes. Without passes it is undefined.
func AveragePrecision(gold, score []float64) (stat.Opt, error) {
	kept, _, err := stat.Complete(gold, score)
	if err != nil {
		return stat.Opt{}, err
	}
	sum, lastRecall, pos := 0.0, 0.0, 0.0
	eachCut(kept[0], kept[1], func(_ float64, c Confusion) bool {
		pos = float64(c.TP + c.FN)
		recall := float64(c.TP) / pos
		sum += (recall - lastRecall) * float64(c.TP) / float64(c.TP+c.FP)
		lastRecall = recall
		return true
	})
	if pos == 0 {
		return stat.None(needBoth(0, len(kept[0]))), nil
	}
	return stat.Some(sum), nil
}

// ClusteredAUC is the AUC with a standard error by cluster: the placement
// values, centred and scaled to influence on the AUC, are summed over clusters
// (after Obuchowski 1997), CR1 is taken of the sums. A class of one item shows nothing
// of its spread: then there is no interval.
func ClusteredAUC(gold, score []float64, cluster []int, alpha float64) (AUC, error) {
	kept, index, g, _, err := stat.CompleteClustered(cluster, gold, score)
	if err != nil {
		return AUC{}, err
	}
	out, err := ROCAUC(kept[0], kept[1], alpha)
	if err != nil || !out.AUC.Valid {
		return out, err
	}
	out.SE, out.CI = stat.None(stat.TooFew), stat.NoInterval(stat.TooFew)
	if g < 2 || out.Pos < 2 || out.Neg < 2 {
		return out, nil
	}
	p := place(kept[0], kept[1])
	influence := make([]float64, len(index))
	for k, i := range p.posItem {
		influence[i] = (p.pos[k] - p.auc) / float64(out.Pos)
	}
	for k, i := range p.negItem {
		influence[i] = (p.neg[k] - p.auc) / float64(out.Neg)
	}
	out.SE = interval.InfluenceSE(influence, index, g)
	out.CI = stat.Around(out.AUC, out.SE.Times(stat.CriticalT(alpha, float64(g-1)))).Clip(0, 1)
	return out, nil
}
