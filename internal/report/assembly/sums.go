package assembly

import (
	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/report/series"
)

// sums add up some scores of one instrument, in a memory that does not grow with
// them.
type sums struct {
	n, missing, judged int
	values, verdicts   uncertainty.ClusterStream
}

func (s *sums) add(o series.Observation, cluster int) {
	switch {
	case o.Has(scoreset.HasValue):
		s.n++
		s.values.Add(o.Value, cluster)
	case !o.Has(scoreset.NotApplicable):
		s.missing++
	}
	if o.Has(scoreset.HasVerdict) {
		s.judged++
		s.verdicts.Add(o.Verdict(), cluster)
	}
}

// estimates are the mean and the pass rate.
func (s *sums) estimates(alpha float64) (mean, rate report.Estimate, err error) {
	if mean, err = report.MeanOf(&s.values, alpha); err != nil {
		return mean, rate, err
	}
	rate, err = report.RateOf(&s.verdicts, alpha)
	if s.n > 0 && s.judged == 0 {
		rate = report.Estimate{Reason: "no_threshold"}
	}
	return mean, rate, err
}

func meanPoint(total float64, n int) report.Estimate {
	if n == 0 {
		return report.Undefined(statistic.NoItems)
	}
	return report.Estimate{Value: report.Rounded(total / float64(n))}
}
