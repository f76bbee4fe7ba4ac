package assembly

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

// peers compares judges with each other.
func (b *builder) peers(r *report.Report) error {
	r.JudgeVsJudge = []report.PeerRow{}
	all := b.Main(series.IsJudge)
	for i, x := range all {
		for _, y := range all[i+1:] {
			if x.Name != y.Name || x.Metric != y.Metric || x.Level != y.Level || x.Judge == y.Judge || b.partOf(x.Judge, y.Judge) {
				continue
			}
			row, err := b.peerRow(x, y)
			if err != nil {
				return fmt.Errorf("judges %s and %s on %s: %w", x.Judge, y.Judge, x.Title(), err)
			}
			r.JudgeVsJudge = append(r.JudgeVsJudge, row)
		}
	}
	return nil
}

// partOf reports whether one of two judges is made of the other: that they agree says
// nothing.
func (b *builder) partOf(x, y string) bool {
	return slices.Contains(b.Manifest.Judge(x).Members, y) || slices.Contains(b.Manifest.Judge(y).Members, x)
}

func (b *builder) peerRow(x, y *series.Series) (report.PeerRow, error) {
	s := pairsOf(series.Pairing{Items: b.Table.Items, Level: x.Level, Judge: x, Ref: y})
	row := report.PeerRow{Rubric: x.Title(), Level: x.Level, A: x.Judge, B: y.Judge, N: len(s.both), Conversations: s.conversations, MissingA: s.missingJudge + s.onlyRef, MissingB: s.missingRef + s.onlyJudge}
	var shared report.AgreementRow
	if err := b.rates(&shared, s); err != nil {
		return row, err
	}
	if err := b.coefficients(&shared, s); err != nil {
		return row, err
	}
	row.RateA, row.RateB, row.Agreement = shared.JudgeRate, shared.BaseRate, shared.Accuracy
	row.Kappa, row.AC1, row.Spearman = shared.Kappa, shared.AC1, shared.Spearman
	row.OnlyAPasses, row.OnlyBPasses = shared.Confusion.JudgeOnlyPass, shared.Confusion.JudgeOnlyFail
	ranks, err := raters.Correlate(column(s.both, judgeValue), column(s.both, refValue), b.Alpha)
	if err != nil {
		return row, err
	}
	row.KendallB = report.Point(ranks.KendallB)
	row.WeightedKappa, err = b.weighted(x, s)
	if row.N > 0 && row.Conversations < report.FewConversations {
		row.Warnings = append(row.Warnings, report.FewConversationsWarning(row.Conversations))
	}
	return row, err
}

const maxScale = 100

// weighted is quadratic kappa over the rubric's declared scale.
func (b *builder) weighted(judge *series.Series, s *pairs) (report.Estimate, error) {
	r, ok := b.Scale[judge.Name]
	if !ok || !r.Integer || r.Max-r.Min < 2 || r.Max-r.Min > maxScale {
		return report.Undefined(stat.NotApplicable), nil
	}
	scale := scaleOf(r)
	for _, v := range append(column(s.both, judgeValue), column(s.both, refValue)...) {
		if !slices.Contains(scale, v) {
			return report.Estimate{Reason: "off_scale"}, nil
		}
	}
	return b.kappa(s.both, judgeValue, refValue, scale, raters.Quadratic)
}

// scaleOf are the whole numbers of a rubric's scale.
func scaleOf(r report.Rubric) (scale []float64) {
	for v := r.Min; v <= r.Max; v++ {
		scale = append(scale, v)
	}
	return scale
}
