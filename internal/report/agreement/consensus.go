package agreement

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/report/series"
)

// consensus compares all judges of the run, and the members of each panel, that speak
// of one rubric.
func (b *matcher) consensus(r *report.Report) error {
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

func (b *matcher) consensusRow(g judgeGroup) (report.ConsensusRow, error) {
	first := g.members[0]
	row := report.ConsensusRow{Rubric: first.Title(), Level: first.Level, Panel: g.panel}
	for _, m := range g.members {
		row.Judges = append(row.Judges, m.Judge)
	}
	verdicts, err := raters.NewCountedRaters([]float64{0, 1})
	if err != nil {
		return row, err
	}
	scale, level := b.scoresOf(g.members)
	values, err := raters.NewCountedRaters(scale)
	if err != nil {
		return row, err
	}
	said := make([]float64, len(g.members))
	onScale := level != ""
	b.Table.Walk(first.Level, g.members, func(_ scoreset.Item, all []series.Observation) {
		verdicts.Add(each(said, all, series.Observation.Verdict))
		onScale = onScale && values.Add(each(said, all, valueOf))
	})
	row.N, row.Fleiss = verdicts.Pairable(), report.Point(verdicts.Fleiss())
	if row.Nominal, err = b.alpha(g.members, verdicts, raters.LevelNominal, series.Observation.Verdict); err != nil {
		return row, err
	}
	if !onScale {
		row.Values = report.Estimate{Reason: "off_scale"}
		return row, nil
	}
	row.Scale = level
	row.Values, err = b.alpha(g.members, values, level, valueOf)
	return row, err
}

// scoresOf are the values to compare and their level: the declared scale of a rubric
// with whole numbers, else the values that occur; "" where these are too many.
func (b *matcher) scoresOf(members []*series.Series) ([]float64, string) {
	if r, ok := b.Scale[members[0].Name]; ok && r.Integer && r.Max > r.Min && r.Max-r.Min <= maxScale {
		var scale []float64
		for v := r.Min; v <= r.Max; v++ {
			scale = append(scale, v)
		}
		return scale, raters.LevelOrdinal
	}
	seen := map[float64]bool{}
	for _, m := range members {
		b.Table.Each(m, func(o series.Observation) {
			if len(seen) <= maxValues && o.Has(scoreset.HasValue) {
				seen[o.Value] = true
			}
		})
	}
	if len(seen) > maxValues {
		return nil, ""
	}
	scale := make([]float64, 0, len(seen))
	for v := range seen {
		scale = append(scale, v)
	}
	slices.Sort(scale)
	return scale, raters.LevelInterval
}

func valueOf(o series.Observation) float64 { return series.NaNIf(!o.Has(scoreset.HasValue), o.Value) }

// each fills out with what is asked of each observation.
func each(out []float64, all []series.Observation, of func(series.Observation) float64) []float64 {
	for i, o := range all {
		out[i] = of(o)
	}
	return out
}

// alpha is Krippendorff's alpha with its interval by conversation.
func (b *matcher) alpha(members []*series.Series, counted *raters.CountedRaters, level string, of func(series.Observation) float64) (report.Estimate, error) {
	alpha, err := counted.Alpha(level)
	if err != nil {
		return report.Estimate{}, err
	}
	var totals uncertainty.ClusterTotals
	said := make([]float64, len(members))
	b.Table.Walk(members[0].Level, members, func(item scoreset.Item, all []series.Observation) {
		totals.Add(alpha.Influence(each(said, all, of)), int(item.Conversation))
	})
	return b.uncertain(alpha.Alpha, &totals)
}
