package calibration

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// trust looks for the confidence from which on the judge may be trusted alone. Calls
// of one conversation are not exchangeable, so one is drawn from each. Where the
// confidence had to be chosen among several, or the cut of the score was moved, the
// half that chose is left out: the guarantee is not for what was picked on the same
// labels.
func trust(res *report.CalibrationRow, j *judged, cfg Config) error {
	t := &res.Trust
	t.Risk, t.Delta, t.Source = cfg.Risk, cfg.Delta, res.Confidence.Source
	t.Cut, t.RiskBound, t.Coverage = tooFew, tooFew, tooFew
	if len(res.Confidence.Sources) == 0 {
		t.Note = "never trust this judge alone: it states no confidence"
		return nil
	}
	keep := labelled
	if len(res.Confidence.Sources) > 1 || res.Threshold.Change {
		keep = inHalf(true)
	}
	tried := certainOf(res.Threshold, oneEach(j.items, cfg.Seed, func(it item) bool {
		return keep(it) && !math.IsNaN(inUse(res.Threshold, it)) && it.hasAll([]string{t.Source})
	}), labelled, t.Source)
	s, err := truth.SelectiveThreshold(tried.by[t.Source], tried.right, cfg.Risk, cfg.Delta)
	if err != nil {
		return err
	}
	t.N, t.MinN, t.Cut = len(tried.right), s.MinN, exact(s.Threshold)
	if !s.Threshold.Valid {
		t.Note = fmt.Sprintf("never trust this judge alone: of %d conversations, one call each, no confidence keeps its errors to %g %% with %g %% certainty", t.N, percent(cfg.Risk), percent(1-cfg.Delta))
		if t.N < t.MinN {
			t.Note = fmt.Sprintf("never trust this judge alone: %d conversations, one call each, cannot show errors of at most %g %%; it takes %d without any error", t.N, percent(cfg.Risk), t.MinN)
		}
		return nil
	}
	t.Trusted, t.Errors, t.RiskBound = int(s.N.Value), int(s.Errors.Value), point(s.RiskUCB)
	if t.Coverage, err = coverage(j.items, t.Source, s.Threshold.Value, cfg.Alpha); err != nil {
		return err
	}
	t.Note = fmt.Sprintf("from a confidence of %g on its verdicts may be taken alone (%s of all): at most %g %% of them wrong with %g %% certainty",
		s.Threshold.Value, t.Coverage.Percent(false), percent(cfg.Risk), percent(1-cfg.Delta))
	return nil
}

func percent(share float64) float64 { return math.Round(share*1e4) / 100 }

// coverage is the share of all the judge's verdicts at or above a cut.
func coverage(list []item, source string, cut, alpha float64) (report.Estimate, error) {
	var above []float64
	var convs []string
	for _, it := range list {
		if math.IsNaN(it.verdict) {
			continue
		}
		p, ok := it.confidence(source)
		above = append(above, indicator(ok && p >= cut))
		convs = append(convs, it.conv)
	}
	return report.Rate(above, stat.ClusterIDs(convs), alpha)
}

// oneEach draws one of the items kept from each conversation. The list is sorted by
// conversation.
func oneEach(list []item, seed uint64, keep func(item) bool) []item {
	var out []item
	for start := 0; start < len(list); {
		end := start
		var have []item
		for ; end < len(list) && list[end].conv == list[start].conv; end++ {
			if keep(list[end]) {
				have = append(have, list[end])
			}
		}
		if len(have) > 0 {
			out = append(out, have[hash(seed^0x6f6e652065616368, list[start].conv)%uint64(len(have))])
		}
		start = end
	}
	return out
}
