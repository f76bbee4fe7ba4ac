package report

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report/scoreset"
)

// ConsensusRow says how far several judges say the same of one rubric, whoever is
// right.
type ConsensusRow struct {
	Rubric string `json:"rubric"`
	Level  string `json:"level"`
	// Panel is the panel whose members they are, "" for all judges of the run.
	Panel  string   `json:"panel,omitempty"`
	Judges []string `json:"judges"`
	// N items have at least two verdicts.
	N int `json:"n"`
	// Fleiss is the generalised kappa of the verdicts, Nominal their Krippendorff's
	// alpha; Values is the alpha of the scores on the level Scale (ordinal or
	// interval), undefined where scores lie outside the rubric's scale.
	Fleiss  Estimate `json:"fleiss_kappa"`
	Nominal Estimate `json:"alpha_verdicts"`
	Values  Estimate `json:"alpha_values"`
	Scale   string   `json:"scale,omitempty"`
}

// consensus compares all judges of the run, and the members of each panel, that speak
// of one rubric.
func (b *matcher) consensus(r *Report) error {
	r.Consensus = []ConsensusRow{}
	byRubric := map[string][]*series{}
	var order []string
	for _, sr := range b.mainSeries(isJudge) {
		key := sr.Level + "/" + sr.Title()
		if byRubric[key] == nil {
			order = append(order, key)
		}
		byRubric[key] = append(byRubric[key], sr)
	}
	for _, key := range order {
		alone := without(byRubric[key], func(sr *series) bool { return len(b.manifest.Judge(sr.Judge).Members) > 0 })
		groups := []judgeGroup{{members: alone}}
		for _, sr := range byRubric[key] {
			members := b.manifest.Judge(sr.Judge).Members
			of := without(alone, func(m *series) bool { return !slices.Contains(members, m.Judge) })
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
	members []*series
}

func without(all []*series, drop func(*series) bool) []*series {
	return slices.DeleteFunc(slices.Clone(all), drop)
}

// maxValues bounds the different scores that are compared as they are.
const maxValues = 1000

func (b *matcher) consensusRow(g judgeGroup) (ConsensusRow, error) {
	first := g.members[0]
	row := ConsensusRow{Rubric: first.Title(), Level: first.Level, Panel: g.panel}
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
	b.table.walk(first.Level, g.members, func(_ scoreset.Item, all []observation) {
		verdicts.Add(each(said, all, observation.Verdict))
		onScale = onScale && values.Add(each(said, all, valueOf))
	})
	row.N, row.Fleiss = verdicts.Pairable(), point(verdicts.Fleiss())
	if row.Nominal, err = b.alpha(g.members, verdicts, raters.LevelNominal, observation.Verdict); err != nil {
		return row, err
	}
	if !onScale {
		row.Values = Estimate{Reason: "off_scale"}
		return row, nil
	}
	row.Scale = level
	row.Values, err = b.alpha(g.members, values, level, valueOf)
	return row, err
}

// scoresOf are the values to compare and their level: the declared scale of a rubric
// with whole numbers, else the values that occur; "" where these are too many.
func (b *matcher) scoresOf(members []*series) ([]float64, string) {
	if r, ok := b.scale[members[0].Name]; ok && r.Integer && r.Max > r.Min && r.Max-r.Min <= maxScale {
		var scale []float64
		for v := r.Min; v <= r.Max; v++ {
			scale = append(scale, v)
		}
		return scale, raters.LevelOrdinal
	}
	seen := map[float64]bool{}
	for _, m := range members {
		b.table.each(m, func(o observation) {
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

func valueOf(o observation) float64 { return missingIf(!o.Has(scoreset.HasValue), o.Value) }

// each fills out with what is asked of each observation.
func each(out []float64, all []observation, of func(observation) float64) []float64 {
	for i, o := range all {
		out[i] = of(o)
	}
	return out
}

// alpha is Krippendorff's alpha with its interval by conversation.
func (b *matcher) alpha(members []*series, counted *raters.CountedRaters, level string, of func(observation) float64) (Estimate, error) {
	alpha, err := counted.Alpha(level)
	if err != nil {
		return Estimate{}, err
	}
	var totals uncertainty.ClusterTotals
	said := make([]float64, len(members))
	b.table.walk(members[0].Level, members, func(item scoreset.Item, all []observation) {
		totals.Add(alpha.Influence(each(said, all, of)), int(item.Conversation))
	})
	return b.uncertain(alpha.Alpha, &totals)
}
