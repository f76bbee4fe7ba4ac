package measure

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// rankings ranks the judges of each overall rubric by Youden's J against the report's gold
// reference, if at least two were compared with it.
func (b *Builder) rankings(r *report.Report) {
	done := map[report.Instrument]bool{}
	for _, first := range b.judges() {
		ref, key := b.goldFor(r, first), first.Instrument
		if key.Judge = ""; ref == nil || done[key] {
			continue
		}
		done[key] = true
		var all []*series
		for _, sr := range b.judges() {
			comparable := sr.Name == first.Name && sr.Metric == "" && sr.Level == first.Level
			if comparable && !b.circular(sr, ref) && !b.sharesRules(sr, ref) {
				all = append(all, sr)
			}
		}
		if len(all) > 1 {
			r.Rankings = append(r.Rankings, b.rank(all, ref))
		}
	}
}

// goldFor returns the gold reference for a judge's overall rubric at its own level, else for
// conversations; nil if none.
func (b *Builder) goldFor(r *report.Report, judge *series) *series {
	if judge.Metric != "" || !r.IsWhole(judge.Name) {
		return nil
	}
	for _, level := range []string{judge.Level, report.ConversationLevel} {
		if row, ok := r.Best(judge.Judge, level); ok && row.Rubric == judge.Name &&
			row.Direction == report.BothDirection {
			return b.byKey[row.Reference]
		}
	}
	return nil
}

// rank compares judges on the items of a reference. If the reference is about conversations, calls are reduced.
func (b *Builder) rank(judges []*series, ref *series) report.JudgeRanking {
	out := report.JudgeRanking{Rubric: judges[0].Name, Level: ref.Level, Reference: ref.Instrument}
	all := []*series{ref}
	for _, sr := range judges {
		if sr.Level != ref.Level && sr.Level == report.CallLevel {
			sr = b.reduced(sr, report.ReduceMin)
		}
		all = append(all, sr)
	}
	if judges[0].Level != all[1].Level {
		out.Reduced = true
	}
	verdicts, cluster := b.matrix(ref.Level, all, observation.verdict)
	raters := make([]rater, len(judges))
	for k, sr := range judges {
		raters[k] = rater{Name: sr.Judge, Ratings: verdicts[k+1]}
	}
	out.Judges = b.Rank(verdicts[0], raters, cluster)
	return out
}

// peers compares judges with each other.
func (b *Builder) peers(r *report.Report) {
	r.JudgeVsJudge = []report.PeerRow{}
	all := b.judges()
	for i, x := range all {
		for _, y := range all[i+1:] {
			comparable := x.Name == y.Name && x.Metric == y.Metric && x.Level == y.Level
			if comparable && x.Judge != y.Judge && !b.partOf(x.Judge, y.Judge) {
				r.JudgeVsJudge = append(r.JudgeVsJudge, b.peerRow(x, y))
			}
		}
	}
}

// partOf reports whether one of two judges is a member of the other, so that agreement proves nothing.
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
		row.Warnings = append(row.Warnings, words.Warning(words.FewConversations,
			words.Counted(row.Conversations, "conversation")))
	}
	return row
}

// weightedKappa returns quadratic kappa over the rubric's declared scale.
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

// wholeScale returns the values of a rubric with whole numbers; nil if the scale is unknown, longer
// than maxScale, or has other numbers.
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

// noise compares each judge with its retest. For a planted log, the probe does that.
func (b *Builder) noise(r *report.Report) {
	r.Noise = []report.NoiseRow{}
	for i, retest := range b.series {
		first := b.firstOf(retest)
		if first == nil || len(b.planted.list) > 0 {
			continue
		}
		row := b.noiseRow(first, retest)
		row.Together = b.together(first) != b.together(retest)
		if r.Noise = append(r.Noise, row); row.Together {
			r.Halo = append(r.Halo, b.halo(first, retest, b.series[i+1:])...)
		}
	}
}

// firstOf returns the series that a retest repeats; nil if this is not a retest.
func (b *Builder) firstOf(retest *series) *series {
	key := retest.Instrument
	if key.Judge = b.manifest.Judge(retest.Judge).RetestOf; key.Judge == "" || !isJudge(retest) {
		return nil
	}
	return b.byKey[key]
}

func (b *Builder) together(sr *series) bool { return b.manifest.Judge(sr.Judge).Together }

// halo compares a rubric with each other rubric that a judge was asked both alone and together.
// Rubrics whose categories have no pass are left out, because they have no order.
func (b *Builder) halo(first, retest *series, others []*series) (rows []report.HaloRow) {
	ordered := func(sr *series) bool { return b.scale[sr.Name].Categories == nil || b.scale[sr.Name].Pass != nil }
	for _, other := range others {
		firstOther := b.firstOf(other)
		comparable := other.Judge == retest.Judge && other.Level == retest.Level && other.Metric == retest.Metric
		if firstOther == nil || !comparable || !ordered(retest) || !ordered(other) {
			continue
		}
		joint, alone := []*series{retest, other}, []*series{first, firstOther}
		if b.together(first) {
			joint, alone = alone, joint
		}
		pull := b.pulled(joint, alone)
		rows = append(rows, report.HaloRow{
			Judge: first.Judge, Level: first.Level, A: first.Title(), B: other.Title(), N: pull.N,
			Alone: report.Point(pull.Alone), Together: report.Point(pull.Joint),
			More: report.Interval(pull.Difference.Value, pull.Difference.CI),
		})
	}
	return rows
}

// pulled compares the correlation of two series with that of two others, on the items that all four scored.
func (b *Builder) pulled(joint, alone []*series) raters.Pull {
	var values [4][]float64
	var cluster []int
	b.eachItem(joint[0].Level, slices.Concat(joint, alone), func(of item, observed []observation) {
		cluster = append(cluster, int(of.conversation))
		for i, o := range observed {
			values[i] = append(values[i], o.number())
		}
	})
	pull, err := raters.Pulled([2][]float64(values[:2]), [2][]float64(values[2:]), cluster, b.Alpha)
	b.Keep(err)
	return pull
}

func (b *Builder) noiseRow(first, retest *series) report.NoiseRow {
	m := match(b.pairs(first, retest))
	values := b.values(m.both)
	runs := [][]float64{values.Judge, values.Gold}
	sd := raters.WithinSD(runs)
	return report.NoiseRow{
		Judge: first.Judge, Rubric: first.Title(), Level: first.Level, N: len(m.both), Conversations: m.conversations,
		Repeated: rateOf(&b.statistics, m.both, func(p pair) float64 { return asNumber(p.judge.value == p.ref.value) }),
		Flips:    rateOf(&b.statistics, m.both, func(p pair) float64 { return 1 - same(p) }),
		WithinSD: report.Point(sd), ICC: report.Point(b.ICC(runs, values.Cluster).ICC1),
		Kappa: b.verdicts(m.decided).VerdictKappa(),
		Floor: report.Point(sd.Times(2 / math.Sqrt(float64(len(m.both))))),
	}
}

// consensus compares all judges of the run, and the members of each panel, on one rubric.
func (b *Builder) consensus(r *report.Report) {
	r.Consensus = []report.ConsensusRow{}
	for rubrics := b.judges(); len(rubrics) > 0; {
		first := rubrics[0]
		other := func(sr *series) bool { return sr.Level != first.Level || sr.Title() != first.Title() }
		all := dropped(rubrics, other)
		rubrics = dropped(rubrics, func(sr *series) bool { return !other(sr) })
		alone := dropped(all, func(sr *series) bool { return len(b.manifest.Judge(sr.Judge).Members) > 0 })
		if len(alone) > 1 {
			r.Consensus = append(r.Consensus, b.consensusRow("", alone))
		}
		for _, sr := range all {
			members := b.manifest.Judge(sr.Judge).Members
			of := dropped(alone, func(m *series) bool { return !slices.Contains(members, m.Judge) })
			if len(of) > 1 && len(of) < len(alone) {
				r.Consensus = append(r.Consensus, b.consensusRow(sr.Judge, of))
			}
		}
	}
}

func (b *Builder) consensusRow(panel string, members []*series) report.ConsensusRow {
	first := members[0]
	verdicts, clusters := b.matrix(first.Level, members, observation.verdict)
	values, _ := b.matrix(first.Level, members, observation.number)
	row := report.ConsensusRow{
		Rubric: first.Title(), Level: first.Level, Panel: panel,
		Values: report.Estimate{Reason: "off_scale"}, Scale: b.levelOf(first, values),
	}
	b.Consensus(&row, verdicts, clusters, verdictScale)
	for _, m := range members {
		row.Judges = append(row.Judges, m.Judge)
	}
	if row.Scale != "" {
		row.Values = b.Krippendorff(values, clusters, row.Scale)
	}
	return row
}

// maxValues limits how many different scores are compared exactly.
const maxValues = 1000

// levelOf returns ordinal for the declared scale of a rubric with whole numbers, interval without one;
// "" if values are off the scale or too many of them differ.
func (b *Builder) levelOf(sr *series, values [][]float64) string {
	different := stat.Distinct(stat.Present(slices.Concat(values...)))
	if scale := b.wholeScale(sr); scale != nil {
		if slices.ContainsFunc(different, func(v float64) bool { return !slices.Contains(scale, v) }) {
			return ""
		}
		return raters.LevelOrdinal
	}
	if len(different) > maxValues {
		return ""
	}
	return raters.LevelInterval
}
