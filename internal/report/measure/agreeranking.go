package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/sorting"
)

// rank sorts the judges and, for verdicts, their panels by how well they tell right from wrong:
// verdicts by Youden's J, categories by kappa. It does not use the share of equal verdicts: if most
// items are right, a judge that always passes would win. It returns nil for one judge, and if there
// are neither verdicts nor categories.
func (w *agreeWork) rank(r *report.TableAgreement) *report.JudgeRanking {
	has := func(kind int) bool {
		return !slices.ContainsFunc(append([]*side{w.gold}, w.judges...), func(s *side) bool { return !s.kinds[kind] })
	}
	out := &report.JudgeRanking{Level: itemLevel, Reference: report.Instrument{Name: w.gold.Name, Level: itemLevel}}
	switch {
	case len(w.judges) < 2:
		return nil
	case has(verdictKind):
		computed := append(w.panels(), w.constant())
		gold, all, cluster := w.raters(slices.Concat(w.judges, computed), observation.verdict)
		all[len(all)-1].Constant = true
		out.Judges, r.Panels = w.Rank(gold, all, cluster), w.panelPairs(computed)
	case has(categoryKind):
		out.Judges = w.rankByKappa(w.raters(w.judges, observation.number))
	default:
		return nil
	}
	return out
}

// raters returns the ratings of gold and of the sides.
func (w *agreeWork) raters(sides []*side, of func(observation) float64) (gold []float64, all []rater, cluster []int) {
	numbers, cluster := w.matrix(append([]*side{w.gold}, sides...), of)
	for i, s := range sides {
		all = append(all, rater{Name: s.Name, Ratings: numbers[i+1]})
	}
	return numbers[0], all, cluster
}

func (w *agreeWork) rankByKappa(gold []float64, all []rater, cluster []int) []report.RankedJudge {
	weights := raters.NoWeights
	if w.cfg.categoryScale() == Ordinal {
		weights = raters.Quadratic
	}
	return w.RankBy(all, func(r rater) report.RankedJudge {
		c := columns{statistics: &w.statistics, Gold: gold, Judge: r.Ratings, Cluster: cluster}
		kappa := c.Kappa(w.labels, weights)
		return report.RankedJudge{N: c.Len(), Youden: report.Undefined(stat.NotApplicable), Kappa: &kappa}
	}, func(r, best rater) (interval.Difference, error) {
		return raters.KappaDifference(gold, r.Ratings, best.Ratings, nil, cluster, w.labels, weights, w.Alpha)
	})
}

// panelPairs compares the panels with gold and, last, the constant judge, whose numbers are known
// and have no intervals.
func (w *agreeWork) panelPairs(computed []*side) []report.ColumnPair {
	var out []report.ColumnPair
	for _, s := range computed {
		p := w.pairNumbers(match(w.pairs(s.series, w.gold.series)), w.gold, s, nil)
		p.Warnings = []report.Warning{}
		out = append(out, p)
	}
	for _, e := range numbersOf(&out[len(out)-1]) {
		if e.Low, e.High = nil, nil; e.Defined() {
			e.Reason = ""
		}
	}
	return out
}

// unlike returns a name that no judge has.
func (w *agreeWork) unlike(name string) string {
	for slices.ContainsFunc(w.judges, func(s *side) bool { return s.Name == name }) {
		name += " (computed)"
	}
	return name
}

// panels returns two panels of all judges, if there are at least three: one takes the majority's verdict (a tie
// fails), one fails if any judge fails. At least half of the judges must have answered.
func (w *agreeWork) panels() []*side {
	n := len(w.judges)
	if n < 3 {
		return nil
	}
	panel := func(name string, pass func(passes, votes float64) bool) *side {
		return w.computed(w.unlike(name), w.judges, func(passes, votes float64) float64 {
			return onlyIf(votes > 0 && 2*votes >= float64(n), asNumber(pass(passes, votes)))
		})
	}
	return []*side{
		panel(fmt.Sprintf("majority of %d", n), func(passes, votes float64) bool { return 2*passes > votes }),
		panel(fmt.Sprintf("any of %d fails", n), func(passes, votes float64) bool { return passes == votes }),
	}
}

// constant returns a judge that always gives gold's more frequent verdict.
func (w *agreeWork) constant() *side {
	verdicts, _ := w.matrix([]*side{w.gold}, observation.verdict)
	all := stat.Present(verdicts[0])
	name, verdict := "always pass", 1.0
	if 2*stat.Sum(all) < float64(len(all)) {
		name, verdict = "always fail", 0
	}
	return w.computed(w.unlike(name), nil, func(float64, float64) float64 { return verdict })
}

// blind sorts judges without gold: by Youden's J, estimated from the votes alone with Dawid and
// Skene's model, and by how much they fail. The estimates are too high, so only the order is kept.
// It returns nil unless all judges have verdicts.
func (w *agreeWork) blind(pairs []report.ColumnPair) *report.BlindRanking {
	if len(w.judges) < 2 || slices.ContainsFunc(w.judges, func(s *side) bool { return !s.kinds[verdictKind] }) {
		return nil
	}
	votes, weights := w.votes()
	if len(votes) == 0 {
		return nil
	}
	const iterations, tolerance, smoothing = 500, 1e-7, 0.01
	model, err := raters.DawidSkene(votes, 2, raters.ConsensusConfig{
		MaxIter: iterations, Tol: tolerance, Smoothing: smoothing, Weights: weights,
	})
	w.Keep(err)
	if err != nil {
		return nil
	}
	out := &report.BlindRanking{Judges: []report.BlindRank{}, Family: commonFamily(w.judges)}
	j := map[string]float64{}
	for k, s := range w.judges {
		if m := model.Confusion[k]; m[0] != nil && m[1] != nil {
			j[s.Name] = m[0][0] + m[1][1] - 1
		}
		if j[s.Name] < 0 {
			out.Opposed = append(out.Opposed, s.Name)
		}
		out.Judges = append(out.Judges, w.beside(s, pairs))
	}
	passes := func(r report.BlindRank) float64 {
		if !r.PassRate.Defined() {
			return 1
		}
		return *r.PassRate.Value
	}
	sorting.Stable(out.Judges, func(a, b report.BlindRank) int { return cmp.Compare(passes(a), passes(b)) })
	for i := range out.Judges {
		out.Judges[i].ByFails = i + 1
	}
	sorting.Stable(out.Judges, func(a, b report.BlindRank) int { return cmp.Compare(j[b.Judge], j[a.Judge]) })
	return out
}

// votes returns the different rows with at least two verdicts, and how often each occurs.
func (w *agreeWork) votes() (rows [][][]int, weights []float64) {
	vote := [2][]int{{0}, {1}}
	at := map[string]int{}
	key := make([]byte, len(w.judges))
	for _, item := range w.calls {
		row, n := make([][]int, len(w.judges)), 0
		for k, s := range w.judges {
			key[k] = '-'
			if v := s.at(item).verdict(); !math.IsNaN(v) {
				row[k], key[k] = vote[int(v)], byte('0'+int(v))
				n++
			}
		}
		if n < 2 {
			continue
		}
		if k, known := at[string(key)]; known {
			weights[k]++
			continue
		}
		at[string(key)] = len(rows)
		rows, weights = append(rows, row), append(weights, 1)
	}
	return rows, weights
}

// beside says how a judge agrees with the others: its mean kappa with each, and how often it has
// the majority's verdict. Items on which the others tie do not count.
func (w *agreeWork) beside(s *side, pairs []report.ColumnPair) report.BlindRank {
	var kappas []float64
	for i := range pairs {
		p := &pairs[i]
		if (p.Judge == s.Name || p.Reference.Name == s.Name) && p.Kappa.Defined() {
			kappas = append(kappas, *p.Kappa.Value)
		}
	}
	others := dropped(w.judges, func(other *side) bool { return other == s })
	most := w.computed("", others, func(passes, votes float64) float64 {
		return onlyIf(2*passes != votes, asNumber(2*passes > votes))
	})
	said, cluster := w.matrix([]*side{s, most}, observation.verdict)
	beside := columns{statistics: &w.statistics, Gold: said[1], Judge: said[0], Cluster: cluster}
	return report.BlindRank{
		Judge: s.Name, PassRate: w.Rate(said[0], cluster), Majority: rateEstimate(beside.Share(bothAgree)),
		MeanKappa: report.Point(stat.Ratio(stat.Sum(kappas), float64(len(kappas)), stat.NoItems)),
	}
}

// commonFamily returns the model family that all judges' names name; "" if they name none or several.
func commonFamily(judges []*side) string {
	common := llm.Family(judges[0].Name)
	for _, s := range judges {
		if llm.Family(s.Name) != common {
			return ""
		}
	}
	return common
}
