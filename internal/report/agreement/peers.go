package agreement

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/crosstab"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/statistic"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/report/series"
)

// peers compares judges with each other, and each judge's rubrics.
func (b *matcher) peers(r *report.Report) error {
	r.JudgeVsJudge, r.Halo = []report.PeerRow{}, []report.Halo{}
	all := b.Main(series.IsJudge)
	var judges []string
	byJudge := map[string][]*series.Series{}
	for i, x := range all {
		if byJudge[x.Judge] == nil {
			judges = append(judges, x.Judge)
		}
		byJudge[x.Judge] = append(byJudge[x.Judge], x)
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
	for _, name := range judges {
		for _, level := range []string{report.CallLevel, report.ConversationLevel} {
			if err := b.halo(r, name, series.AtLevel(byJudge[name], level)); err != nil {
				return fmt.Errorf("rubrics of %s: %w", name, err)
			}
		}
	}
	return nil
}

// partOf reports whether one of two judges is made of the other: that they agree says
// nothing.
func (b *matcher) partOf(x, y string) bool {
	return slices.Contains(b.Manifest.Judge(x).Members, y) || slices.Contains(b.Manifest.Judge(y).Members, x)
}

func (b *matcher) peerRow(x, y *series.Series) (report.PeerRow, error) {
	p := series.Pairing{Table: b.Table, Level: x.Level, Judge: x, Ref: y}
	s := sumsOf(p)
	row := report.PeerRow{Rubric: x.Title(), Level: x.Level, A: x.Judge, B: y.Judge, N: s.n, Conversations: s.conversations, MissingA: s.missingJudge + s.onlyRef, MissingB: s.missingRef + s.onlyJudge}
	shared := report.AgreementRow{Level: report.ConversationLevel} // there is no table by tool
	if err := b.rates(&shared, s); err != nil {
		return row, err
	}
	if err := b.coefficients(&shared, p, s); err != nil {
		return row, err
	}
	row.RateA, row.RateB, row.Agreement = shared.JudgeRate, shared.BaseRate, shared.Accuracy
	row.Kappa, row.AC1, row.Spearman, row.KendallB = shared.Kappa, shared.AC1, shared.Spearman, report.Point(s.values.KendallB())
	row.OnlyAPasses, row.OnlyBPasses = shared.Confusion.JudgeOnlyPass, shared.Confusion.JudgeOnlyFail
	var err error
	row.WeightedKappa, err = b.weighted(p, s)
	if row.N > 0 && row.Conversations < report.FewConversations {
		row.Warnings = append(row.Warnings, report.FewConversationsWarning(row.Conversations))
	}
	return row, err
}

const maxScale = 100

// weighted is quadratic kappa over the rubric's declared scale.
func (b *matcher) weighted(p series.Pairing, s *pairSums) (report.Estimate, error) {
	r, ok := b.Scale[p.Judge.Name]
	if !ok || !r.Integer || r.Max-r.Min < 2 || r.Max-r.Min > maxScale {
		return report.Undefined(statistic.NotApplicable), nil
	}
	q := int(r.Max-r.Min) + 1
	counts := make([]float64, q*q)
	place := func(v float64) int { return int(v - r.Min) }
	for _, c := range s.values.Cells() {
		for _, v := range []float64{c.X, c.Y} {
			if v < r.Min || v > r.Max || v != math.Trunc(v) {
				return report.Estimate{Reason: "off_scale"}, nil
			}
		}
		counts[place(c.X)*q+place(c.Y)] += float64(c.N)
	}
	kappa, err := raters.CountedKappa(counts, q, raters.Quadratic, b.Alpha)
	if err != nil {
		return report.Estimate{}, err
	}
	var totals uncertainty.ClusterTotals
	p.Both(func(x, y series.Observation) {
		totals.Add(kappa.Influence(place(x.Value), place(y.Value)), x.Cluster())
	})
	return b.uncertain(kappa.Kappa.Kappa, &totals)
}

const haloAbove = 0.95

func (b *matcher) halo(r *report.Report, judge string, rubrics []*series.Series) error {
	if len(rubrics) < 2 {
		return nil
	}
	h := report.Halo{Judge: judge, Pairs: []report.HaloPair{}}
	var pairs, whole []*crosstab.Table // of each two rubrics; of the items that all scored
	for i, x := range rubrics {
		h.Rubrics = append(h.Rubrics, x.Title())
		for range rubrics[i+1:] {
			pairs, whole = append(pairs, &crosstab.Table{}), append(whole, &crosstab.Table{})
		}
	}
	b.Table.Walk(rubrics[0].Level, rubrics, func(_ scoreset.Item, said []series.Observation) {
		complete := !slices.ContainsFunc(said, func(o series.Observation) bool { return !o.Has(scoreset.HasValue) })
		at := 0
		for i, x := range said {
			for _, y := range said[i+1:] {
				if x.Has(scoreset.HasValue) && y.Has(scoreset.HasValue) {
					pairs[at].Add(x.Value, y.Value)
				}
				if complete {
					whole[at].Add(x.Value, y.Value)
				}
				at++
			}
		}
	})
	at := 0
	for i, x := range rubrics {
		for _, y := range rubrics[i+1:] {
			h.Pairs = append(h.Pairs, report.HaloPair{A: x.Title(), B: y.Title(), N: pairs[at].N(), Spearman: report.Point(pairs[at].Spearman())})
			at++
		}
	}
	h.N, h.Alpha = whole[0].N(), report.Point(crosstab.StandardizedAlpha(whole))
	if v := h.Alpha.Value; v != nil && *v > haloAbove {
		h.Warnings = append(h.Warnings, report.Warning{Code: "halo", Text: fmt.Sprintf("Cronbach's alpha %.2f: the %d rubrics measure nearly one thing", *v, len(rubrics))})
	}
	r.Halo = append(r.Halo, h)
	return nil
}
