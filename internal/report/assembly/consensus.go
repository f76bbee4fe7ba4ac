package assembly

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
)

// consensus compares all judges of the run, and the members of each panel, that speak
// of one rubric.
func (b *Builder) consensus(r *report.Report) error {
	r.Consensus = []report.ConsensusRow{}
	for rubrics := b.judges(); len(rubrics) > 0; {
		first := rubrics[0]
		other := func(sr *series) bool { return sr.Level != first.Level || sr.Title() != first.Title() }
		all := without(rubrics, other)
		rubrics = without(rubrics, func(sr *series) bool { return !other(sr) })
		alone := without(all, func(sr *series) bool { return len(b.manifest.Judge(sr.Judge).Members) > 0 })
		if err := b.consensusRow(r, "", alone); err != nil {
			return err
		}
		for _, sr := range all {
			members := b.manifest.Judge(sr.Judge).Members
			of := without(alone, func(m *series) bool { return !slices.Contains(members, m.Judge) })
			if len(of) == len(alone) {
				continue
			}
			if err := b.consensusRow(r, sr.Judge, of); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxValues bounds the different scores that are compared as they are.
const maxValues = 1000

// consensusRow adds the row of judges, none where they are fewer than two.
func (b *Builder) consensusRow(r *report.Report, panel string, members []*series) error {
	if len(members) < 2 {
		return nil
	}
	first := members[0]
	row := report.ConsensusRow{Rubric: first.Title(), Level: first.Level, Panel: panel}
	for _, m := range members {
		row.Judges = append(row.Judges, m.Judge)
	}
	verdicts, values := make([][]float64, len(members)), make([][]float64, len(members))
	var clusters []int
	b.walk(first.Level, members, func(i item, said []observation) {
		clusters = append(clusters, int(i.conversation))
		for k, o := range said {
			verdicts[k], values[k] = append(verdicts[k], o.verdict()), append(values[k], o.number())
		}
	})
	fleiss, err := raters.FleissKappa(verdicts, verdictScale, b.Alpha)
	if err != nil {
		return fmt.Errorf("consensus on %s: %w", row.Rubric, err)
	}
	row.N, row.Fleiss = fleiss.Pairable, report.Point(fleiss.Coef)
	nominal, err := raters.ClusteredAlpha(verdicts, clusters, raters.LevelNominal, b.Alpha)
	if err != nil {
		return fmt.Errorf("consensus on %s: %w", row.Rubric, err)
	}
	row.Nominal = uncertain(nominal.Alpha.Alpha, nominal.SE, nominal.CI)
	row.Values = report.Estimate{Reason: "off_scale"}
	if row.Scale = b.levelOf(first, values); row.Scale != "" {
		alpha, err := raters.ClusteredAlpha(values, clusters, row.Scale, b.Alpha)
		if err != nil {
			return fmt.Errorf("consensus on %s: %w", row.Rubric, err)
		}
		row.Values = uncertain(alpha.Alpha.Alpha, alpha.SE, alpha.CI)
	}
	r.Consensus = append(r.Consensus, row)
	return nil
}

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
