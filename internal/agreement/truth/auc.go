package truth

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
)

// AUC is the area under the ROC curve, P(s⁺>s⁻)+½P(=), with DeLong's interval.
type AUC struct {
	Pos, Neg, Dropped int
	AUC               stat.Opt // undefined for one class
	SE                stat.Opt // undefined for a class of one item; 0 at AUC 1
	CI                stat.Interval
	Warnings          []stat.Warning
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
	kept, dropped, err := stat.Complete(gold, score)
	if err != nil {
		return AUC{}, err
	}
	p := place(kept[0], kept[1])
	out := AUC{Pos: len(p.posItem), Neg: len(p.negItem), Dropped: dropped}
	if reason := needBoth(out.Pos, out.Neg); reason != "" {
		out.AUC, out.SE, out.CI = stat.None(reason), stat.None(reason), stat.NoInterval(reason)
		return out, nil
	}
	out.AUC, out.SE = stat.Some(p.auc), stat.None(stat.TooFew)
	if out.Pos > 1 && out.Neg > 1 {
		out.SE = stat.Some(math.Sqrt(stat.Variance(p.pos)/float64(out.Pos) + stat.Variance(p.neg)/float64(out.Neg)))
	}
	out.CI = stat.Around(out.AUC, out.SE.Times(stat.Critical(alpha))).Clip(0, 1)
	if p.auc == 1 {
		out.Warnings = append(out.Warnings, stat.Warning{Code: "no_inversions", Detail: "no pass scores at or below a fail; the standard error of 0 is not certainty"})
	}
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

// AUCDifference is the paired comparison of two scores on the same items.
type AUCDifference struct {
	AUCA, AUCB, Diff stat.Opt
	SE, Z, P         stat.Opt // Z and P are undefined when the difference never varies
	Dropped          int
}

// DeLongPaired tests whether two scores rank the same items equally well. Both
// classes need at least two items.
func DeLongPaired(gold, a, b []float64) (AUCDifference, error) {
	kept, dropped, err := stat.Complete(gold, a, b)
	if err != nil {
		return AUCDifference{}, err
	}
	pa, pb := place(kept[0], kept[1]), place(kept[0], kept[2])
	out := AUCDifference{Dropped: dropped}
	reason := needBoth(len(pa.posItem), len(pa.negItem))
	if reason == "" && (len(pa.posItem) < 2 || len(pa.negItem) < 2) {
		reason = stat.TooFew
	}
	if reason != "" {
		u := stat.None(reason)
		out.AUCA, out.AUCB, out.Diff, out.SE, out.Z, out.P = u, u, u, u, u, u
		return out, nil
	}
	diff := pa.auc - pb.auc
	se := math.Sqrt(varianceOfDifference(pa.pos, pb.pos) + varianceOfDifference(pa.neg, pb.neg))
	out.AUCA, out.AUCB, out.Diff, out.SE = stat.Some(pa.auc), stat.Some(pb.auc), stat.Some(diff), stat.Some(se)
	if se < 1e-12 {
		out.Z, out.P = stat.None(stat.ZeroVariance), stat.None(stat.ZeroVariance)
		return out, nil
	}
	out.Z = stat.Some(diff / se)
	out.P = stat.Some(2 * stat.NormalCDF(-math.Abs(diff/se)))
	return out, nil
}

// varianceOfDifference is the variance of the mean of a-b.
func varianceOfDifference(a, b []float64) float64 {
	d := make([]float64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	if stat.Constant(d) {
		return 0
	}
	return stat.Variance(d) / float64(len(d))
}

// PRAUC summarises the precision-recall curve; the baseline is Prevalence.
type PRAUC struct {
	N, Pos, Dropped  int
	AveragePrecision stat.Opt // Σ (R_i - R_{i-1}) P_i, ties as one step
	Trapezoid        stat.Opt // optimistic, for comparison only
	Prevalence       stat.Opt
}

// PrecisionRecall computes both areas; without positives they are undefined.
func PrecisionRecall(gold, score []float64) (PRAUC, error) {
	kept, dropped, err := stat.Complete(gold, score)
	if err != nil {
		return PRAUC{}, err
	}
	gold, score = kept[0], kept[1]
	out := PRAUC{N: len(gold), Dropped: dropped}
	for _, g := range gold {
		if stat.IsPass(g) {
			out.Pos++
		}
	}
	out.Prevalence = stat.Ratio(float64(out.Pos), float64(out.N), stat.NoItems)
	if out.Pos == 0 {
		r := stat.OneClass
		if out.N == 0 {
			r = stat.NoItems
		}
		out.AveragePrecision, out.Trapezoid = stat.None(r), stat.None(r)
		return out, nil
	}
	order := stat.SortedOrder(score)
	tp, seen := 0, 0
	ap, area, lastRecall, lastPrecision := 0.0, 0.0, 0.0, 1.0
	for i := len(order) - 1; i >= 0; {
		s := score[order[i]]
		for ; i >= 0 && score[order[i]] == s; i-- {
			seen++
			if stat.IsPass(gold[order[i]]) {
				tp++
			}
		}
		recall, precision := float64(tp)/float64(out.Pos), float64(tp)/float64(seen)
		ap += (recall - lastRecall) * precision
		area += (recall - lastRecall) * (precision + lastPrecision) / 2
		lastRecall, lastPrecision = recall, precision
	}
	out.AveragePrecision, out.Trapezoid = stat.Some(ap), stat.Some(area)
	return out, nil
}

// ClusteredAUC is the AUC with a standard error by cluster: the placement
// values, centred and scaled to influence on the AUC, are summed over clusters
// (after Obuchowski 1997), CR1 is taken of the sums. A class of one item shows nothing
// of its spread: then there is no interval.
func ClusteredAUC(gold, score []float64, cluster []int, alpha float64) (AUC, error) {
	kept, index, g, dropped, err := stat.CompleteClustered(cluster, gold, score)
	if err != nil {
		return AUC{}, err
	}
	out, err := ROCAUC(kept[0], kept[1], alpha)
	if err != nil || !out.AUC.Valid {
		return out, err
	}
	out.Dropped = dropped
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
