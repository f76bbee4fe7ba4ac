package classification

import "github.com/judgekit/judge/internal/agreement/statistic"

// AC1 is Gwet's coefficient of two raters on one binary verdict, from the counts of the
// pairs; it needs no chance disagreement to be defined.
func (c Confusion) AC1() statistic.Opt {
	n := float64(c.N())
	if n == 0 {
		return statistic.None(statistic.NoItems)
	}
	pass := float64(2*c.TP+c.FP+c.FN) / (2 * n)
	chance := 2 * pass * (1 - pass)
	return statistic.Ratio(float64(c.TP+c.TN)/n-chance, 1-chance, statistic.NoChanceDisagreement)
}
