package assembly

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/report"
)

// peers compares judges with each other.
func (b *Builder) peers(r *report.Report) error {
	r.JudgeVsJudge = []report.PeerRow{}
	all := b.judges()
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
func (b *Builder) partOf(x, y string) bool {
	return slices.Contains(b.manifest.Judge(x).Members, y) || slices.Contains(b.manifest.Judge(y).Members, x)
}

func (b *Builder) peerRow(x, y *series) (row report.PeerRow, err error) {
	m := match(b.pairs(x, y))
	c := confusion(m.decided)
	row = report.PeerRow{
		Rubric: x.Title(), Level: x.Level, A: x.Judge, B: y.Judge, N: len(m.both), Conversations: m.conversations,
		MissingA: m.missingJudge + m.onlyRef, MissingB: m.missingRef + m.onlyJudge,
		OnlyAPasses: c.FP, OnlyBPasses: c.FN,
	}
	err = fillRates(m.decided, b.Alpha, rate[pair]{&row.RateA, judgePasses}, rate[pair]{&row.RateB, refPasses},
		rate[pair]{&row.Agreement, same})
	if err != nil {
		return row, err
	}
	var shared report.AgreementRow
	if err := b.coefficients(&shared, m); err != nil {
		return row, err
	}
	row.Kappa, row.AC1, row.Spearman = shared.Kappa, shared.AC1, shared.Spearman
	ranks, err := raters.Correlate(asked(m.both, judgeValue), asked(m.both, refValue), b.Alpha)
	if err != nil {
		return row, err
	}
	row.KendallB = report.Point(ranks.KendallB)
	row.WeightedKappa, err = b.weightedKappa(x, m)
	if row.N > 0 && row.Conversations < report.FewConversations {
		row.Warnings = append(row.Warnings, report.FewConversationsWarning(row.Conversations))
	}
	return row, err
}

// weightedKappa is quadratic kappa over the rubric's declared scale.
func (b *Builder) weightedKappa(judge *series, m *matched) (report.Estimate, error) {
	scale := b.wholeScale(judge)
	if len(scale) < 3 {
		return report.Estimate{Reason: "not_applicable"}, nil
	}
	for _, p := range m.both {
		if !slices.Contains(scale, p.judge.value) || !slices.Contains(scale, p.ref.value) {
			return report.Estimate{Reason: "off_scale"}, nil
		}
	}
	return b.kappa(m.both, judgeValue, refValue, scale, raters.Quadratic)
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
func (b *Builder) noise(r *report.Report) error {
	r.Noise = []report.NoiseRow{}
	for _, again := range b.series {
		key := again.Instrument
		key.Judge = b.manifest.Judge(again.Judge).RetestOf
		first := b.byKey[key]
		if key.Judge == "" || first == nil || !isJudge(again) {
			continue
		}
		row, err := b.noiseRow(first, again)
		if err != nil {
			return fmt.Errorf("noise of %s on %s: %w", key.Judge, again.Title(), err)
		}
		r.Noise = append(r.Noise, row)
	}
	return nil
}

func (b *Builder) noiseRow(first, again *series) (row report.NoiseRow, err error) {
	m := match(b.pairs(first, again))
	row = report.NoiseRow{
		Judge: first.Judge, Rubric: first.Title(), Level: first.Level, N: len(m.both), Conversations: m.conversations,
	}
	if row.Kappa, err = b.verdictKappa(m.decided); err != nil {
		return row, err
	}
	repeated := func(p pair) float64 { return oneIf(p.judge.value == p.ref.value) }
	flipped := func(p pair) float64 { return 1 - same(p) }
	if err = fillRates(m.both, b.Alpha, rate[pair]{&row.Repeated, repeated}, rate[pair]{&row.Flips, flipped}); err != nil {
		return row, err
	}
	runs := make([][]float64, len(m.both))
	for i, p := range m.both {
		runs[i] = []float64{p.judge.value, p.ref.value}
	}
	icc, err := raters.IntraclassCorrelation(runs, b.Alpha)
	if err != nil {
		return row, err
	}
	sd := raters.WithinSD(runs)
	row.WithinSD, row.ICC = report.Point(sd), report.Point(icc.ICC1)
	row.Floor = report.Point(sd.Times(2 / math.Sqrt(float64(row.N))))
	return row, nil
}
