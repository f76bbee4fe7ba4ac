package quality

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
)

// RoganGladenCounts are judged items with judge passes among them, and the
// calibration counts: gold passes with judge passes among them, gold fails with
// judge fails among them.
type RoganGladenCounts struct {
	N, K   int
	M1, TP int
	M0, TN int
}

// RoganGladen is a pass rate corrected for the judge's known error rates.
type RoganGladen struct {
	Naive                    statistic.Opt // k/n, the judge's raw rate
	Sensitivity, Specificity statistic.Opt
	Estimate                 statistic.Opt // clipped to [0,1]
	Unclipped                statistic.Opt
	SEDelta                  statistic.Opt
	Delta                    statistic.Interval // delta method, clipped to [0,1]
	LR                       statistic.Interval // Lang and Reiczigel 2014, clipped; the one to report
	Warnings                 []statistic.Warning
}

// CorrectRate estimates the true pass rate (p̂+sp-1)/(se+sp-1). It is undefined
// when the judge is not better than chance, and warns when the lower bound of
// se+sp-1 is below 0.2: then it must not be a headline.
func CorrectRate(c RoganGladenCounts, alpha float64) (RoganGladen, error) {
	if err := statistic.CheckAlpha(alpha); err != nil {
		return RoganGladen{}, err
	}
	for _, p := range [][2]int{{c.K, c.N}, {c.TP, c.M1}, {c.TN, c.M0}} {
		if p[0] < 0 || p[0] > p[1] || p[1] > uncertainty.MaxCount {
			return RoganGladen{}, fmt.Errorf("need 0 <= part <= whole <= %g, got %d of %d", uncertainty.MaxCount, p[0], p[1])
		}
	}
	n, m0, m1 := float64(c.N), float64(c.M0), float64(c.M1)
	out := RoganGladen{
		Naive:       statistic.Ratio(float64(c.K), n, statistic.NoItems),
		Sensitivity: statistic.Ratio(float64(c.TP), m1, statistic.OneClass),
		Specificity: statistic.Ratio(float64(c.TN), m0, statistic.OneClass),
	}
	reason := statistic.Reason("")
	switch {
	case c.N == 0:
		reason = statistic.NoItems
	case c.M0 == 0 || c.M1 == 0:
		reason = statistic.OneClass
	case int64(c.TP)*int64(c.M0)+int64(c.TN)*int64(c.M1) <= int64(c.M0)*int64(c.M1):
		reason = statistic.NotBetterThanChance
	}
	if reason != "" {
		u, none := statistic.None(reason), statistic.NoInterval(reason)
		out.Estimate, out.Unclipped, out.SEDelta, out.Delta, out.LR = u, u, u, none, none
		return out, nil
	}
	z := statistic.Critical(alpha)
	p, q1, q0 := out.Naive.Value, out.Sensitivity.Value, out.Specificity.Value
	theta, se := corrected(p, q0, q1, n, m0, m1)
	out.Unclipped, out.SEDelta = statistic.Some(theta), statistic.Some(se)
	out.Estimate = statistic.Some(math.Min(1, math.Max(0, theta)))
	out.Delta = clipBoth(statistic.Around(statistic.Some(theta), statistic.Some(z*se)))
	out.LR = langReiczigel(c, z)
	bound := math.Sqrt(q1*(1-q1)/m1 + q0*(1-q0)/m0)
	if q1+q0-1-z*bound < 0.2 {
		out.Warnings = append(out.Warnings, statistic.Warning{Code: "weak_judge", Detail: "the lower bound of sensitivity + specificity - 1 is below 0.2: do not headline this estimate"})
	}
	return out, nil
}

// clipBoth moves both ends into [0,1].
func clipBoth(iv statistic.Interval) statistic.Interval {
	if !iv.Low.Valid || !iv.High.Valid {
		return iv
	}
	clip := func(v float64) statistic.Opt { return statistic.Some(math.Min(1, math.Max(0, v))) }
	return statistic.Interval{Low: clip(iv.Low.Value), High: clip(iv.High.Value)}
}

// corrected is the estimate and its delta-method standard error.
func corrected(p, q0, q1, n, m0, m1 float64) (theta, se float64) {
	j := q0 + q1 - 1
	theta = (p + q0 - 1) / j
	v := p*(1-p)/n + (1-theta)*(1-theta)*q0*(1-q0)/m0 + theta*theta*q1*(1-q1)/m1
	return theta, math.Sqrt(v) / j
}

// langReiczigel is the adjusted interval as given for judges by Lee et al. 2025.
func langReiczigel(c RoganGladenCounts, z float64) statistic.Interval {
	n, m0, m1 := float64(c.N)+z*z, float64(c.M0)+2, float64(c.M1)+2
	p := (float64(c.K) + z*z/2) / n
	q0, q1 := (float64(c.TN)+1)/m0, (float64(c.TP)+1)/m1
	if q0+q1-1 <= 0 {
		return statistic.NoInterval(statistic.NotBetterThanChance)
	}
	theta, se := corrected(p, q0, q1, n, m0, m1)
	shift := 2 * z * z * (-(1-theta)*q0*(1-q0)/m0 + theta*q1*(1-q1)/m1)
	return clipBoth(statistic.Around(statistic.Some(theta+shift), statistic.Some(z*se)))
}

// CalibrationSplit is how many of m calibration labels to spend on gold passes
// when about p of the items pass: m/(1+(1/p-1)√κ'), κ' = (1-sp)/(1-se) (Lee et
// al. 2025). se and sp are the judge's expected sensitivity and specificity.
func CalibrationSplit(m, p, sensitivity, specificity float64) statistic.Opt {
	if !(p > 0 && p < 1 && sensitivity < 1 && specificity <= 1 && m >= 0) {
		return statistic.None(statistic.NotApplicable)
	}
	return statistic.Some(m / (1 + (1/p-1)*math.Sqrt((1-specificity)/(1-sensitivity))))
}
