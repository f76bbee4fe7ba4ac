package assembly

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
)

// consensus compares all judges of the run, and the members of each panel, that speak
// of one rubric.
func (b *builder) consensus(r *report.Report) error {
	r.Consensus = []report.ConsensusRow{}
	byRubric := map[string][]*series.Series{}
	var order []string
	for _, sr := range b.Main(series.IsJudge) {
		key := sr.Level + "/" + sr.Title()
		if byRubric[key] == nil {
			order = append(order, key)
		}
		byRubric[key] = append(byRubric[key], sr)
	}
	for _, key := range order {
		alone := without(byRubric[key], func(sr *series.Series) bool { return len(b.Manifest.Judge(sr.Judge).Members) > 0 })
		groups := []judgeGroup{{members: alone}}
		for _, sr := range byRubric[key] {
			members := b.Manifest.Judge(sr.Judge).Members
			of := without(alone, func(m *series.Series) bool { return !slices.Contains(members, m.Judge) })
			if len(of) > 0 && len(of) < len(alone) {
				groups = append(groups, judgeGroup{sr.Judge, of})
			}
		}
		for _, g := range groups {
			if len(g.members) < 2 {
				continue
			}
			row, err := b.consensusRow(g)
			if err != nil {
				return fmt.Errorf("consensus on %s: %w", key, err)
			}
			r.Consensus = append(r.Consensus, row)
		}
	}
	return nil
}

type judgeGroup struct {
	panel   string
	members []*series.Series
}

func without(all []*series.Series, drop func(*series.Series) bool) []*series.Series {
	return slices.DeleteFunc(slices.Clone(all), drop)
}

// maxValues bounds the different scores that are compared as they are.
const maxValues = 1000

func (b *builder) consensusRow(g judgeGroup) (report.ConsensusRow, error) {
	first := g.members[0]
	row := report.ConsensusRow{Rubric: first.Title(), Level: first.Level, Panel: g.panel}
	for _, m := range g.members {
		row.Judges = append(row.Judges, m.Judge)
	}
	said := b.columns(g.members, series.Observation.Verdict)
	fleiss, err := raters.FleissKappa(said, verdicts, b.Alpha)
	if err != nil {
		return row, err
	}
	row.N, row.Fleiss = fleiss.Pairable, report.Point(fleiss.Coef)
	nominal, err := raters.ClusteredAlpha(said, b.conversationsOf(g.members), raters.LevelNominal, b.Alpha)
	if err != nil {
		return row, err
	}
	row.Nominal = uncertain(nominal.Alpha.Alpha, nominal.SE, nominal.CI)
	err = b.values(&row, g.members)
	return row, err
}

// values compares the scores of the members as they are.
func (b *builder) values(row *report.ConsensusRow, members []*series.Series) error {
	values := b.columns(members, series.Observation.Number)
	level := b.levelOf(members[0], values)
	if level == "" {
		row.Values = report.Estimate{Reason: "off_scale"}
		return nil
	}
	row.Scale = level
	alpha, err := raters.ClusteredAlpha(values, b.conversationsOf(members), level, b.Alpha)
	row.Values = uncertain(alpha.Alpha.Alpha, alpha.SE, alpha.CI)
	return err
}

// levelOf is ordinal on the declared scale of a rubric with whole numbers, interval
// without one; "" where values are off the scale, or too many different ones.
func (b *builder) levelOf(sr *series.Series, values [][]float64) string {
	different := stat.Distinct(stat.Present(slices.Concat(values...)))
	if r, ok := b.Scale[sr.Name]; ok && r.Integer && r.Max > r.Min && r.Max-r.Min <= maxScale {
		scale := scaleOf(r)
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

// columns are what is asked of each series over the items that one of them met.
func (b *builder) columns(all []*series.Series, of func(series.Observation) float64) [][]float64 {
	out := make([][]float64, len(all))
	b.Table.Items.Walk(all[0].Level, all, func(_ series.Item, said []series.Observation) {
		for i, o := range said {
			out[i] = append(out[i], of(o))
		}
	})
	return out
}

// conversationsOf are the conversations of the items that one of the series met.
func (b *builder) conversationsOf(all []*series.Series) (out []int) {
	b.Table.Items.Walk(all[0].Level, all, func(item series.Item, _ []series.Observation) {
		out = append(out, int(item.Conversation))
	})
	return out
}
