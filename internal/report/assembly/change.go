package assembly

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

// row is the change of an instrument over some items, run A in the place of the judge.
// passes is the verdict of an item, or the share of its calls that pass; NaN for none.
func (c *comparer) row(p seriesPair, all []pair, passes func(observation) float64) report.ChangeRow {
	row := report.ChangeRow{Instrument: p.a.Instrument}
	if p.b.Judge != p.a.Judge {
		row.JudgeB = p.b.Judge
	}
	last := -1
	for _, x := range all {
		switch a, b := x.judge.has(isScored), x.ref.has(isScored); {
		case a && !b:
			row.LostInB++
		case b && !a:
			row.GainedInB++
		case a && x.Cluster() != last:
			row.Conversations, last = row.Conversations+1, x.Cluster()
		}
		row.Broken += int(measure.One(passes(x.judge) > passes(x.ref)))
		row.Fixed += int(measure.One(passes(x.judge) < passes(x.ref)))
	}
	row.Mean, row.PassRate = c.change(all, observation.number, false), c.change(all, passes, true)
	return row
}

// change is the paired difference b - a of a number per item, with its clustered
// t interval and test, over the items that have a number in both runs. rates means that
// the values are shares or verdicts, from 0 to 1.
func (c *comparer) change(all []pair, of func(observation) float64, rates bool) report.Change {
	delta := func(x pair) float64 { return of(x.ref) - of(x.judge) }
	inA := func(x pair) float64 { return nanIf(math.IsNaN(delta(x)), of(x.judge)) }
	inB := func(x pair) float64 { return nanIf(math.IsNaN(delta(x)), of(x.ref)) }
	m := spreadOf(&c.statistics, all, delta)
	out := report.Change{
		N: m.N, A: c.side(all, inA, rates), B: c.side(all, inB, rates),
		Delta: c.delta(m, rates), P: report.Point(c.pairedP(m)), Detectable: report.Point(c.smallestChange(m)),
	}
	if a := spreadOf(&c.statistics, all, inA); flat(m) && flat(a) && m.Mean.Value == 0 {
		out.Constant, out.P = true, report.Undefined(stat.ZeroVariance) // nothing could have been found
	}
	return out
}

// side is the mean in one run; where nothing varies it has no interval.
func (c *comparer) side(all []pair, of func(pair) float64, rates bool) report.Estimate {
	m := spreadOf(&c.statistics, all, of)
	out := measure.Mean(m)
	if rates {
		out = measure.Rate(m)
	}
	if flat(m) && out.HasInterval() && *out.Low == *out.High {
		return constant(out)
	}
	return out
}

// delta is the mean difference with its interval. Where no item differs from another
// in how it changed, there is no variance to make an interval of: the t interval
// would have width 0, which is not certainty. A share then gets the exact
// bound for conversations of which none was seen to change; other
// scores, whose scale is not known here, get no interval.
func (c *comparer) delta(m interval.ClusterSE, rates bool) report.Estimate {
	out := measure.Gap(m) // a difference is as often above 0 as below
	if !flat(m) {
		return out
	}
	out = constant(out)
	if m.Mean.Value == 0 && rates {
		none, err := interval.ClopperPearson(0, float64(m.Clusters), c.Alpha)
		c.Keep(err)
		out.Low, out.High = report.Rounded(-none.CI.High.Value), report.Rounded(none.CI.High.Value)
	}
	return out
}

// flat reports whether the values do not vary, up to what sums round off.
func flat(m interval.ClusterSE) bool {
	return m.SECR1.Valid && m.SECR1.Value <= 1e-12*(1+math.Abs(m.Mean.Value))
}

// constant is the estimate of values that do not vary: it has no interval.
func constant(e report.Estimate) report.Estimate {
	return report.Estimate{Value: e.Value, Reason: string(stat.ZeroVariance)}
}

// pairedP is the two-sided p-value of the clustered t statistic; without any
// difference it is 1. Where all items changed alike there is no variance to divide
// by: then each conversation is one trial of the exact sign test.
func (c *comparer) pairedP(m interval.ClusterSE) stat.Opt {
	switch {
	case !m.SECR1.Valid:
		return stat.None(stat.TooFew)
	case flat(m) && m.Mean.Value == 0:
		return stat.Some(1)
	case flat(m):
		p, err := interval.McNemar(m.Clusters, 0)
		c.Keep(err)
		return stat.Some(p)
	}
	return stat.Some(stat.StudentTwoSided(m.Mean.Value/m.SECR1.Value, float64(m.Clusters-1)))
}
