package comparison

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

// changeSums add up what two runs say of the same items.
type changeSums struct {
	conversations, last int
	lostInB, gainedInB  int
	broken, fixed       int
	mean, rate          paired
}

// paired are the values of both runs.
type paired struct {
	items []pairedItem
	// shares says that the values are shares or verdicts, from 0 to 1.
	shares bool
}

// pairedItem is what both runs say of an item, NaN both where one of them says nothing.
type pairedItem struct {
	a, b    float64
	cluster int
}

func (i pairedItem) Cluster() int   { return i.cluster }
func (i pairedItem) inA() float64   { return i.a }
func (i pairedItem) inB() float64   { return i.b }
func (i pairedItem) delta() float64 { return i.b - i.a }

func (s *paired) add(a, b float64, cluster int) {
	if !math.IsNaN(b - a) {
		s.items = append(s.items, pairedItem{a, b, cluster})
	}
}

func newChangeSums() *changeSums { return &changeSums{last: -1, rate: paired{shares: true}} }

func (s *changeSums) add(a, b series.Observation) {
	hasA, hasB := a.Has(series.HasValue), b.Has(series.HasValue)
	switch {
	case hasA && !hasB:
		s.lostInB++
		return
	case hasB && !hasA:
		s.gainedInB++
		return
	case !hasA:
		return
	}
	g := a.Cluster()
	if g != s.last {
		s.conversations, s.last = s.conversations+1, g
	}
	s.mean.add(a.Value, b.Value, g)
	va, vb := series.Pair{Judge: a, Ref: b}.Decided()
	s.rate.add(va, vb, g)
	s.turned(va, vb)
}

// turned counts an item whose verdict, or share of passes, changed.
func (s *changeSums) turned(a, b float64) {
	switch {
	case a > b:
		s.broken++
	case a < b:
		s.fixed++
	}
}

func (c *comparer) row(p seriesPair, s *changeSums) (report.ChangeRow, error) {
	row := report.ChangeRow{
		Instrument: p.a.Instrument, Conversations: s.conversations, LostInB: s.lostInB, GainedInB: s.gainedInB,
		Broken: s.broken, Fixed: s.fixed,
	}
	if p.b.Judge != p.a.Judge {
		row.JudgeB = p.b.Judge
	}
	var err error
	if row.Mean, err = c.change(&s.mean); err != nil {
		return row, err
	}
	row.PassRate, err = c.change(&s.rate)
	return row, err
}

// change is the paired difference b - a with its clustered t interval and test.
func (c *comparer) change(s *paired) (report.Change, error) {
	out := report.Change{N: len(s.items)}
	var err error
	if out.A, err = c.side(s, pairedItem.inA); err != nil {
		return out, err
	}
	if out.B, err = c.side(s, pairedItem.inB); err != nil {
		return out, err
	}
	m, err := report.SpreadOf(s.items, pairedItem.delta, c.Alpha)
	if err != nil {
		return out, err
	}
	p, err := pairedP(m)
	if err != nil {
		return out, err
	}
	out.P = report.Point(p)
	if out.Delta, err = c.delta(s, m); err != nil {
		return out, err
	}
	d, err := report.SmallestChange(m, c.Alpha)
	out.Detectable = report.Point(d)
	return out, err
}

// side is the mean in one run; where nothing varies it has no interval of no width.
func (c *comparer) side(s *paired, of func(pairedItem) float64) (report.Estimate, error) {
	m, err := report.SpreadOf(s.items, of, c.Alpha)
	if err != nil {
		return report.Estimate{}, err
	}
	out := report.Interval(m.Mean, m.CI)
	if s.shares {
		out = report.Interval(m.Mean, m.Wilson)
	}
	if flat(m) && out.HasInterval() && *out.Low == *out.High {
		return withoutInterval(out), nil
	}
	return out, nil
}

// delta is the mean difference with its interval. Where no item differs from another
// in how it changed, there is no variance to make an interval of, and the t interval
// would have no width: that is no certainty. A share then gets what can be said of
// conversations that were not seen to change, the exact bound for none of so many; other
// scores, whose scale is not known here, get no interval.
func (c *comparer) delta(s *paired, m interval.ClusterSE) (report.Estimate, error) {
	out := report.Interval(m.Mean, m.CI)
	if !flat(m) {
		return out, nil
	}
	out = withoutInterval(out)
	if m.Mean.Value != 0 || !s.shares {
		return out, nil
	}
	none, err := interval.ProportionCI(0, float64(m.Clusters), c.Alpha)
	if err != nil || !none.ClopperPearson.High.Valid {
		return out, err
	}
	most := none.ClopperPearson.High.Value
	out.Low, out.High = report.Rounded(-most), report.Rounded(most)
	return out, nil
}

// flat reports whether the values do not vary, up to what sums round off.
func flat(m interval.ClusterSE) bool {
	return m.SECR1.Valid && m.SECR1.Value <= 1e-12*(1+math.Abs(m.Mean.Value))
}

func withoutInterval(e report.Estimate) report.Estimate {
	return report.Estimate{Value: e.Value, Reason: string(stat.ZeroVariance)}
}

// pairedP is the two-sided p-value of the clustered t statistic; without any
// difference it is 1. Where all items changed alike there is no variance to divide
// by: then each conversation is one trial of the exact sign test.
func pairedP(m interval.ClusterSE) (stat.Opt, error) {
	switch {
	case !m.SECR1.Valid:
		return stat.None(stat.TooFew), nil
	case flat(m) && m.Mean.Value == 0:
		return stat.Some(1), nil
	case flat(m):
		signs, err := interval.McNemarCounts(m.Clusters, 0, m.Clusters)
		return signs.PExact, err
	}
	return stat.Some(stat.StudentTwoSided(m.Mean.Value/m.SECR1.Value, float64(m.Clusters-1))), nil
}

// correct adjusts the p-values of all rows of one kind by Holm's method. Rows that do
// not decide tell the same story again, and cost those that do nothing.
func (c *comparer) correct(tools, decides bool) error {
	for _, of := range []func(*report.ChangeRow) *report.Change{
		func(r *report.ChangeRow) *report.Change { return &r.Mean },
		func(r *report.ChangeRow) *report.Change { return &r.PassRate },
	} {
		var changes []*report.Change
		var p []float64
		for i := range c.out.Rows {
			if row := &c.out.Rows[i]; (row.Tool != "") == tools && row.Decides == decides {
				ch := of(row)
				changes = append(changes, ch)
				p = append(p, numberOf(ch.P))
			}
		}
		adjusted, err := interval.AdjustP(p, c.Alpha)
		if err != nil {
			return err
		}
		for i, ch := range changes {
			ch.PHolm = report.Point(adjusted.Holm[i])
			ch.Noise = ch.PHolm.Value == nil || *ch.PHolm.Value > c.Alpha
		}
	}
	return nil
}

// numberOf is the value, NaN where it is undefined.
func numberOf(e report.Estimate) float64 {
	if e.Value == nil {
		return math.NaN()
	}
	return *e.Value
}
