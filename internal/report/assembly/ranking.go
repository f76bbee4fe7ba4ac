package assembly

import (
	"cmp"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
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
	columns, cluster := make([][]float64, len(all)), []int{}
	b.eachItem(ref.Level, all, func(i item, observed []observation) {
		cluster = append(cluster, int(i.conversation))
		for k, o := range observed {
			columns[k] = append(columns[k], o.verdict())
		}
	})
	for k, sr := range judges {
		both, err := truth.BothRates(columns[0], columns[k+1], cluster, b.alpha)
		b.keep(err)
		out.Judges = append(out.Judges, report.RankedJudge{
			Judge: sr.Judge, N: both.Sensitivity.N + both.Specificity.N,
			Youden: report.Interval(both.Youden, both.YoudenInterval),
		})
	}
	b.behind(&out, columns, cluster)
	return out
}

// behind sorts the judges, the best first, and adds each one's paired difference from it.
func (b *Builder) behind(out *report.JudgeRanking, columns [][]float64, cluster []int) {
	value := func(k int) float64 {
		if v := out.Judges[k].Youden.Value; v != nil {
			return *v
		}
		return math.Inf(-1)
	}
	order := make([]int, len(out.Judges))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(value(y), value(x)) })
	sorted, p := make([]report.RankedJudge, len(order)), make([]*float64, len(order))
	for i, k := range order {
		sorted[i] = out.Judges[k]
		if i == 0 {
			continue
		}
		d, err := truth.YoudenDifference(columns[0], columns[k+1], columns[order[0]+1], cluster, b.alpha)
		b.keep(err)
		sorted[i].Behind = report.Interval(d.Value, d.CI)
		sorted[i].P = report.Point(d.P).Value
		p[i] = sorted[i].P
	}
	for i, adjusted := range b.holm(p) {
		sorted[i].Holm = report.Point(adjusted).Value
	}
	out.Judges = sorted
}
