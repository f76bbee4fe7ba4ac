package calibration

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// maxMethods bounds the judges of a rubric that are compared with the best one.
const maxMethods = 50

// compareMethods compares, rubric by rubric, the judge that ranks the calls of the
// half that fits best with each of the others, on the calls that both scored.
func compareMethods(list []*judged, rows []report.CalibrationRow, cfg Config) ([]report.MethodComparison, error) {
	out := []report.MethodComparison{}
	for start := 0; start < len(list); {
		end := start
		for end < len(list) && list[end].rubric == list[start].rubric {
			end++
		}
		same, err := compareRubric(list[start:end], rows[start:end], cfg)
		if err != nil {
			return nil, err
		}
		out = append(out, same...)
		start = end
	}
	return out, nil
}

func compareRubric(list []*judged, rows []report.CalibrationRow, cfg Config) ([]report.MethodComparison, error) {
	if len(list) < 2 {
		return nil, nil
	}
	best, err := preferred(list)
	if err != nil {
		return nil, err
	}
	var out []report.MethodComparison
	var p []float64
	for i := range list {
		if i == best || len(out) == maxMethods {
			continue
		}
		one, err := compare(list[best], list[i], rows[best].Threshold, rows[i].Threshold, cfg)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
		p = append(p, orMissing(one.P))
	}
	adjusted, err := interval.AdjustP(p, cfg.Alpha)
	if err != nil {
		return nil, err
	}
	for i := range out {
		o := &out[i]
		o.P = point(adjusted.Holm[i])
		told := o.P.Defined() && *o.P.Value <= cfg.Alpha
		o.Noise = !told && !excludesZero(o.KappaGain)
	}
	return out, nil
}

func orMissing(e report.Estimate) float64 {
	if e.Value == nil {
		return math.NaN()
	}
	return *e.Value
}

func excludesZero(e report.Estimate) bool {
	return e.HasInterval() && (*e.Low > 0 || *e.High < 0)
}

// preferred is the judge with the best AUC on the half that fits, over the calls that
// all of them scored. Equal ones stand in the order of their names.
func preferred(list []*judged) (int, error) {
	times := map[itemKey]int{}
	for _, j := range list {
		for _, it := range j.items {
			if labelled(it) && !it.test {
				times[itemKey{it.conv, it.call}]++
			}
		}
	}
	best, high := 0, math.Inf(-1)
	for i, j := range list {
		c := columnsOf(j.items, func(it item) bool {
			return labelled(it) && !it.test && times[itemKey{it.conv, it.call}] == len(list)
		})
		auc, err := truth.ROCAUC(c.gold, c.value, 0.05)
		if err != nil {
			return 0, err
		}
		if auc.AUC.Valid && auc.AUC.Value > high {
			best, high = i, auc.AUC.Value
		}
	}
	return best, nil
}

// paired are two judges on the labelled calls that both scored.
type paired struct {
	gold, a, b, verdictA, verdictB []float64
	cluster                        []int
}

func pairs(a, b *judged, cutA, cutB report.FittedCut, keep func(item) bool) paired {
	at := map[itemKey]item{}
	for _, it := range b.items {
		if keep(it) {
			at[itemKey{it.conv, it.call}] = it
		}
	}
	var out paired
	var convs []string
	for _, it := range a.items {
		other, ok := at[itemKey{it.conv, it.call}]
		if !ok || !keep(it) {
			continue
		}
		out.gold, out.a, out.b = append(out.gold, it.gold), append(out.a, it.value), append(out.b, other.value)
		out.verdictA, out.verdictB = append(out.verdictA, inUse(cutA, it)), append(out.verdictB, inUse(cutB, other))
		convs = append(convs, it.conv)
	}
	out.cluster = stat.ClusterIDs(convs)
	return out
}

func compare(a, b *judged, cutA, cutB report.FittedCut, cfg Config) (report.MethodComparison, error) {
	out := report.MethodComparison{Rubric: a.rubric, Judge: a.judge, Method: a.method, Other: b.judge, OtherMethod: b.method}
	all := pairs(a, b, cutA, cutB, labelled)
	out.N = len(all.gold)
	d, err := truth.DeLongPaired(all.gold, all.a, all.b)
	if err != nil {
		return out, err
	}
	out.AUC, out.OtherAUC = point(d.AUCA), point(d.AUCB)
	half := stat.Opt{}
	if d.SE.Valid && d.SE.Value > 0 {
		half = stat.Some(stat.Critical(cfg.Alpha) * d.SE.Value)
	}
	out.AUCGain, out.P = between(d.Diff, stat.Around(d.Diff, half)), point(d.P)
	test := pairs(a, b, cutA, cutB, inHalf(true))
	gain, err := raters.KappaDifference(test.gold, test.verdictA, test.verdictB, test.cluster, verdicts, raters.NoWeights, cfg.bootstrap())
	out.KappaGain = between(gain.Estimate, gain.CI)
	return out, err
}
