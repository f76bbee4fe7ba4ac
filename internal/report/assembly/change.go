package assembly

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// compared is what two runs say of the same items, run A in the place of the judge: their
// values, and what passes, as verdicts or as shares of the calls of a conversation.
type compared struct {
	values, passes []pair
	shares         bool
}

// verdictsOf compares both the values and the verdicts of items.
func verdictsOf(all []pair) compared { return compared{values: all, passes: all} }

// change is what both runs say of an item.
type change struct {
	a, b    float64
	cluster int
}

// Cluster is the number of the conversation.
func (x change) Cluster() int   { return x.cluster }
func (x change) inA() float64   { return x.a }
func (x change) inB() float64   { return x.b }
func (x change) delta() float64 { return x.b - x.a }

// row is the change of an instrument over some items.
func (c *comparer) row(p seriesPair, of compared) (row report.ChangeRow) {
	row.Instrument = p.a.Instrument
	if p.b.Judge != p.a.Judge {
		row.JudgeB = p.b.Judge
	}
	var values, passes []change
	last := -1
	for _, x := range of.values {
		switch a, b := x.judge.has(isScored), x.ref.has(isScored); {
		case a && !b:
			row.LostInB++
		case b && !a:
			row.GainedInB++
		case a:
			if x.Cluster() != last {
				row.Conversations, last = row.Conversations+1, x.Cluster()
			}
			values = append(values, change{x.judge.value, x.ref.value, x.Cluster()})
		}
	}
	for _, x := range of.passes {
		va, vb := x.verdicts()
		if of.shares {
			va, vb = x.judge.number(), x.ref.number()
		}
		if !x.scored() || math.IsNaN(va-vb) {
			continue
		}
		passes = append(passes, change{va, vb, x.Cluster()})
		row.Broken += int(oneIf(va > vb))
		row.Fixed += int(oneIf(va < vb))
	}
	row.Mean, row.PassRate = c.change(values, false), c.change(passes, true)
	return row
}

// change is the paired difference b - a with its clustered t interval and test. rates says
// that the values are shares or verdicts, from 0 to 1.
func (c *comparer) change(all []change, rates bool) report.Change {
	m := spreadOf(&c.statistics, all, change.delta)
	return report.Change{
		N: len(all), A: c.side(all, change.inA, rates), B: c.side(all, change.inB, rates),
		Delta: c.delta(m, rates), P: report.Point(c.pairedP(m)), Detectable: report.Point(c.smallestChange(m)),
	}
}

// side is the mean in one run; where nothing varies it has no interval of no width.
func (c *comparer) side(all []change, of func(change) float64, rates bool) report.Estimate {
	m := spreadOf(&c.statistics, all, of)
	out := asMean(m)
	if rates {
		out = asRate(m)
	}
	if flat(m) && out.HasInterval() && *out.Low == *out.High {
		return constant(out)
	}
	return out
}

// delta is the mean difference with its interval. Where no item differs from another
// in how it changed, there is no variance to make an interval of, and the t interval
// would have no width: that is no certainty. A share then gets what can be said of
// conversations that were not seen to change, the exact bound for none of so many; other
// scores, whose scale is not known here, get no interval.
func (c *comparer) delta(m interval.ClusterSE, rates bool) report.Estimate {
	out := asMean(m)
	if !flat(m) {
		return out
	}
	out = constant(out)
	if m.Mean.Value == 0 && rates {
		none, err := interval.ClopperPearson(0, float64(m.Clusters), c.alpha)
		c.keep(err)
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
		c.keep(err)
		return stat.Some(p)
	}
	return stat.Some(stat.StudentTwoSided(m.Mean.Value/m.SECR1.Value, float64(m.Clusters-1)))
}

// correct adjusts the p-values of all rows of one kind by Holm's method. Rows that do
// not decide say the same again, and cost those that do nothing.
func (c *comparer) correct() {
	type kind struct{ tools, decides, rate bool }
	families := map[kind][]*report.Change{}
	for i := range c.out.Rows {
		row := &c.out.Rows[i]
		k := kind{tools: row.Tool != "", decides: row.Decides}
		families[k] = append(families[k], &row.Mean)
		k.rate = true
		families[k] = append(families[k], &row.PassRate)
	}
	for _, changes := range families {
		p := make([]*float64, len(changes))
		for i, ch := range changes {
			p[i] = ch.P.Value
		}
		for i, adjusted := range c.holm(p) {
			ch := changes[i]
			ch.PHolm = report.Point(adjusted)
			ch.Noise = ch.PHolm.Value == nil || *ch.PHolm.Value > c.alpha
		}
	}
}
