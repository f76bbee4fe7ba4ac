package assembly

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

// peers compares judges with each other.
func (b *Builder) peers(r *report.Report) {
	r.JudgeVsJudge = []report.PeerRow{}
	all := b.judges()
	for i, x := range all {
		for _, y := range all[i+1:] {
			alike := x.Name == y.Name && x.Metric == y.Metric && x.Level == y.Level
			if alike && x.Judge != y.Judge && !b.partOf(x.Judge, y.Judge) {
				r.JudgeVsJudge = append(r.JudgeVsJudge, b.peerRow(x, y))
			}
		}
	}
}

// partOf reports whether one of two judges is a member of the other, so that agreement
// is no evidence.
func (b *Builder) partOf(x, y string) bool {
	return slices.Contains(b.manifest.Judge(x).Members, y) || slices.Contains(b.manifest.Judge(y).Members, x)
}

func (b *Builder) peerRow(x, y *series) report.PeerRow {
	m := match(b.pairs(x, y))
	var shared report.AgreementRow
	b.rates(&shared, m)
	ranks := b.values(m.both).Correlation()
	row := report.PeerRow{
		Rubric: x.Title(), Level: x.Level, A: x.Judge, B: y.Judge, N: len(m.both), Conversations: m.conversations,
		MissingA: m.missingJudge + m.onlyRef, MissingB: m.missingRef + m.onlyJudge,
		RateA: shared.JudgeRate, RateB: shared.BaseRate, Agreement: shared.Accuracy,
		Kappa: shared.Kappa, AC1: shared.AC1, Spearman: report.Point(ranks.Spearman),
		KendallB: report.Point(ranks.KendallB), WeightedKappa: b.weightedKappa(x, m),
		OnlyAPasses: shared.Confusion.JudgeOnlyPass, OnlyBPasses: shared.Confusion.JudgeOnlyFail,
	}
	if row.N > 0 && row.Conversations < report.FewConversations {
		row.Warnings = append(row.Warnings, report.FewConversationsWarning(row.Conversations))
	}
	return row
}

// weightedKappa is quadratic kappa over the rubric's declared scale.
func (b *Builder) weightedKappa(judge *series, m *matched) report.Estimate {
	scale := b.wholeScale(judge)
	if len(scale) < 3 {
		return report.Undefined(stat.NotApplicable)
	}
	for _, p := range m.both {
		if !slices.Contains(scale, p.judge.value) || !slices.Contains(scale, p.ref.value) {
			return report.Estimate{Reason: "off_scale"}
		}
	}
	return b.values(m.both).Kappa(scale, raters.Quadratic)
}

// wholeScale are the values of a rubric with whole numbers, nil where the scale is
// unknown, longer than maxScale, or not of whole numbers.
func (b *Builder) wholeScale(sr *series) (scale []float64) {
	r, ok := b.scale[sr.Name]
	if !ok || !r.Integer || r.Max <= r.Min || r.Max-r.Min > maxScale {
		return nil
	}
	for v := r.Min; v <= r.Max; v++ {
		scale = append(scale, v)
	}
	return scale
}

const maxScale = 100

// noise compares each judge with its retest.
func (b *Builder) noise(r *report.Report) {
	r.Noise = []report.NoiseRow{}
	for _, again := range b.series {
		key := again.Instrument
		key.Judge = b.manifest.Judge(again.Judge).RetestOf
		if first := b.byKey[key]; key.Judge != "" && first != nil && isJudge(again) {
			r.Noise = append(r.Noise, b.noiseRow(first, again))
		}
	}
}

func (b *Builder) noiseRow(first, again *series) report.NoiseRow {
	m := match(b.pairs(first, again))
	values := b.values(m.both)
	runs := [][]float64{values.Judge, values.Gold}
	sd := raters.WithinSD(runs)
	return report.NoiseRow{
		Judge: first.Judge, Rubric: first.Title(), Level: first.Level, N: len(m.both), Conversations: m.conversations,
		Repeated: rateOf(&b.statistics, m.both, func(p pair) float64 { return measure.One(p.judge.value == p.ref.value) }),
		Flips:    rateOf(&b.statistics, m.both, func(p pair) float64 { return 1 - same(p) }),
		WithinSD: report.Point(sd), ICC: report.Point(b.ICC(runs, values.Cluster).ICC1),
		Kappa: b.verdicts(m.decided).VerdictKappa(),
		Floor: report.Point(sd.Times(2 / math.Sqrt(float64(len(m.both))))),
	}
}
