package assembly

import (
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
)

// consensus compares all judges of the run, and the members of each panel, on one
// rubric.
func (b *Builder) consensus(r *report.Report) {
	r.Consensus = []report.ConsensusRow{}
	for rubrics := b.judges(); len(rubrics) > 0; {
		first := rubrics[0]
		other := func(sr *series) bool { return sr.Level != first.Level || sr.Title() != first.Title() }
		all := without(rubrics, other)
		rubrics = without(rubrics, func(sr *series) bool { return !other(sr) })
		alone := without(all, func(sr *series) bool { return len(b.manifest.Judge(sr.Judge).Members) > 0 })
		if len(alone) > 1 {
			r.Consensus = append(r.Consensus, b.consensusRow("", alone))
		}
		for _, sr := range all {
			members := b.manifest.Judge(sr.Judge).Members
			of := without(alone, func(m *series) bool { return !slices.Contains(members, m.Judge) })
			if len(of) > 1 && len(of) < len(alone) {
				r.Consensus = append(r.Consensus, b.consensusRow(sr.Judge, of))
			}
		}
	}
}

func (b *Builder) consensusRow(panel string, members []*series) report.ConsensusRow {
	first := members[0]
	verdicts, values := make([][]float64, len(members)), make([][]float64, len(members))
	var clusters []int
	b.eachItem(first.Level, members, func(i item, observed []observation) {
		clusters = append(clusters, int(i.conversation))
		for k, o := range observed {
			verdicts[k], values[k] = append(verdicts[k], o.verdict()), append(values[k], o.number())
		}
	})
	fleiss := b.Fleiss(verdicts, clusters, measure.VerdictScale)
	row := report.ConsensusRow{
		Rubric: first.Title(), Level: first.Level, Panel: panel, N: fleiss.Pairable, Fleiss: report.Interval(fleiss.Value, fleiss.CI),
		Nominal: b.Krippendorff(verdicts, clusters, raters.LevelNominal),
		Values:  report.Estimate{Reason: "off_scale"}, Scale: b.levelOf(first, values),
	}
	for _, m := range members {
		row.Judges = append(row.Judges, m.Judge)
	}
	if row.Scale != "" {
		row.Values = b.Krippendorff(values, clusters, row.Scale)
	}
	return row
}

// maxValues bounds the different scores that are compared as they are.
const maxValues = 1000

// levelOf is ordinal on the declared scale of a rubric with whole numbers, interval
// without one; "" where values are off the scale, or too many different ones.
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
