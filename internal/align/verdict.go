package align

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// scale holds the two values of a label: fail and pass.
var scale = []float64{0, 1}

// columns holds labels and two rubrics' verdicts on the same items; NaN means no verdict.
type columns struct {
	gold, before, after []float64
	cluster             []int // of the item's task
}

// take appends an item to the columns.
func (c *columns) take(pass bool, before, after float64) {
	gold := 0.0
	if pass {
		gold = 1
	}
	c.gold, c.before, c.after = append(c.gold, gold), append(c.before, before), append(c.after, after)
}

// columnsOf returns the columns of some items.
func columnsOf(items []Item, of []int, before, after []float64) *columns {
	c, tasks := &columns{}, make([]string, len(of))
	for k, i := range of {
		c.take(items[i].Pass, before[k], after[k])
		tasks[k] = items[i].Task
	}
	c.cluster = stat.ClusterIDs(tasks)
	return c
}

// answered counts the verdicts of a column.
func answered(verdicts []float64) int {
	n := 0
	for _, v := range verdicts {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n
}

// both returns the columns of the items on which both rubrics have a verdict.
func (c *columns) both() (*columns, error) {
	kept, cluster, _, _, err := stat.CompleteClustered(c.cluster, c.gold, c.before, c.after)
	if err != nil {
		return nil, err
	}
	return &columns{kept[0], kept[1], kept[2], cluster}, nil
}

// ratesOf compares one column of verdicts with the labels.
func (c *columns) ratesOf(verdicts []float64, alpha float64) (*report.AlignmentRates, error) {
	r, err := truth.BothRates(c.gold, verdicts, nil, c.cluster, alpha)
	if err != nil {
		return nil, err
	}
	k, err := raters.CohenKappa(c.gold, verdicts, nil, c.cluster, scale, raters.NoWeights, alpha)
	if err != nil {
		return nil, err
	}
	return &report.AlignmentRates{
		N: len(c.gold), Answered: answered(verdicts),
		Found:  report.Interval(r.Specificity.Mean, r.Specificity.Wilson),
		Kept:   report.Interval(r.Sensitivity.Mean, r.Sensitivity.Wilson),
		Youden: report.Interval(r.Youden, r.YoudenInterval), Kappa: report.Interval(k.Value, k.CI),
	}, nil
}

// change compares the two rubrics, paired and by task, on the items on which both have a verdict.
func (c *columns) change(alpha float64) (*report.AlignmentRates, error) {
	b, err := c.both()
	if err != nil {
		return nil, err
	}
	j, err := truth.YoudenDifference(b.gold, b.after, b.before, b.cluster, alpha)
	if err != nil {
		return nil, err
	}
	k, err := raters.KappaDifference(b.gold, b.after, b.before, nil, b.cluster, scale, raters.NoWeights, alpha)
	if err != nil {
		return nil, err
	}
	out := &report.AlignmentRates{N: len(b.gold), Answered: len(b.gold),
		Youden: report.Interval(j.Value, j.CI), Kappa: report.Interval(k.Value, k.CI)}
	if out.Found, err = b.rightMore(0, alpha); err == nil {
		out.Kept, err = b.rightMore(1, alpha)
	}
	return out, err
}

// rightMore returns how the share of correct verdicts changed, on the items with one label.
func (c *columns) rightMore(label float64, alpha float64) (report.Estimate, error) {
	right := func(verdict float64) float64 { return 1 - math.Abs(verdict-label) }
	gained := make([]float64, len(c.gold))
	for i, g := range c.gold {
		if gained[i] = math.NaN(); g == label {
			gained[i] = right(c.after[i]) - right(c.before[i])
		}
	}
	only, cluster, _, _, err := stat.CompleteClustered(c.cluster, gained)
	if err != nil || len(only[0]) == 0 {
		return report.Undefined(stat.OneClass), err
	}
	m, err := interval.ClusterMean(only[0], cluster, alpha)
	if m.SE.Valid && m.SE.Value == 0 {
		m.CI = stat.NoInterval(stat.ZeroVariance) // [0, 0] would claim certainty
	}
	return report.Interval(m.Mean, m.CI), err
}

// gain returns the change of the target on the choosing labels, and the smallest gain that counts.
// The gain is NaN if one of the labels is missing there.
func (l *learner) gain(c *columns) (gain, margin float64) {
	value, se := stat.Opt{}, stat.Opt{}
	if l.cfg.Target == report.KappaTarget {
		d, err := raters.KappaDifference(c.gold, c.after, c.before, nil, c.cluster, scale, raters.NoWeights, l.cfg.Alpha)
		if err == nil {
			value, se = d.Value, d.SE
		}
	} else if d, err := truth.YoudenDifference(c.gold, c.after, c.before, c.cluster, l.cfg.Alpha); err == nil {
		value, se = d.Value, d.SE
	}
	if !value.Valid {
		return math.NaN(), minMargin
	}
	if !se.Valid {
		return value.Value, minMargin
	}
	return value.Value, max(minMargin, se.Value/2)
}
