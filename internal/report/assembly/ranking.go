package assembly

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

// rankings order the judges of each overall rubric by Youden's J against the reference that
// the report takes as gold, where two or more were compared with it.
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
			alike := sr.Name == first.Name && sr.Metric == "" && sr.Level == first.Level
			if alike && !b.circular(sr, ref) && !b.sharesRules(sr, ref) {
				all = append(all, sr)
			}
		}
		if len(all) > 1 {
			r.Rankings = append(r.Rankings, b.rank(all, ref))
		}
	}
}

// goldFor is the reference that is gold for a judge's overall rubric at its own level, else
// for conversations; nil where there is none.
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

// rank compares judges on the items of a reference; calls are reduced to conversations where
// the reference is of these.
func (b *Builder) rank(judges []*series, ref *series) report.JudgeRanking {
	out := report.JudgeRanking{Rubric: judges[0].Name, Level: ref.Level, Reference: ref.Instrument,
		Judges: []report.RankedJudge{}}
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
	verdicts, cluster := make([][]float64, len(all)), []int{}
	b.eachItem(ref.Level, all, func(i item, observed []observation) {
		cluster = append(cluster, int(i.conversation))
		for k, o := range observed {
			verdicts[k] = append(verdicts[k], o.verdict())
		}
	})
	gold := verdicts[0]
	said := map[string][]float64{}
	for k, sr := range judges {
		said[sr.Judge] = verdicts[k+1]
		both := measure.Columns{Statistics: &b.Statistics, Gold: gold, Judge: verdicts[k+1], Cluster: cluster}.BothRates()
		out.Judges = append(out.Judges, report.RankedJudge{
			Judge: sr.Judge, N: both.Sensitivity.N + both.Specificity.N,
			Youden: report.Interval(both.Youden, both.YoudenInterval),
		})
	}
	slices.SortStableFunc(out.Judges, func(x, y report.RankedJudge) int {
		return cmp.Compare(orLow(y.Youden), orLow(x.Youden))
	})
	gaps := b.FromBest(len(out.Judges), func(i int) (interval.Difference, bool) {
		if i == 0 {
			return interval.Difference{}, false
		}
		return b.YoudenDifference(gold, said[out.Judges[i].Judge], said[out.Judges[0].Judge], cluster), true
	})
	for i := range gaps {
		out.Judges[i].FromBest = gaps[i]
	}
	return out
}

// orLow is a number for sorting, an undefined one behind all others.
func orLow(e report.Estimate) float64 {
	if e.Value == nil {
		return math.Inf(-1)
	}
	return *e.Value
}
