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
)

// rank orders the judges and, of verdicts, the panels of them by how well they tell right
// from wrong: verdicts by Youden's J, categories by kappa; never by the share of equal
// verdicts, which a judge that always passes wins where most is right. It is nil for one
// judge, and where they have neither.
func (w *agreeWork) rank(r *report.TableAgreement) *report.JudgeRanking {
	verdict, category := func(s *side) []float64 { return s.verdict }, func(s *side) []float64 { return s.category }
	has := func(kind func(*side) []float64) bool {
		return !slices.ContainsFunc(slices.Concat(w.judges, []*side{w.gold}), func(s *side) bool { return kind(s) == nil })
	}
	out := &report.JudgeRanking{Level: itemLevel, Reference: report.Instrument{Name: w.gold.name, Level: itemLevel}}
	switch {
	case len(w.judges) < 2:
		return nil
	case has(verdict):
		always := w.constant()
		all := ratersOf(slices.Concat(w.judges, w.panels(), []*side{always}), verdict)
		all[len(all)-1].Constant = true
		out.Judges, r.Panels = w.Rank(w.gold.verdict, all, w.cluster), w.panelPairs(always)
	case has(category):
		out.Judges = w.rankByKappa(ratersOf(w.judges, category))
	default:
		return nil
	}
	return out
}

func ratersOf(sides []*side, ratings func(*side) []float64) (out []rater) {
	for _, s := range sides {
		out = append(out, rater{Name: s.name, Ratings: ratings(s)})
	}
	return out
}

func (w *agreeWork) rankByKappa(all []rater) []report.RankedJudge {
	weights := raters.NoWeights
	if w.cfg.categoryScale() == Ordinal {
		weights = raters.Quadratic
	}
	return w.RankBy(all, func(r rater) report.RankedJudge {
		c := w.both(w.gold.category, r.Ratings)
		n, _ := w.size(c)
		return report.RankedJudge{N: n, Youden: report.Undefined(stat.NotApplicable), Kappa: new(c.Kappa(w.labels, weights))}
	}, func(r, best rater) (interval.Difference, error) {
		return raters.KappaDifference(w.gold.category, r.Ratings, best.Ratings, w.cluster, w.labels, weights, w.Alpha)
	})
}

// panelPairs compares the panels with gold, and last the constant answer, whose numbers are
// known and have no intervals.
func (w *agreeWork) panelPairs(always *side) []report.ColumnPair {
	var out []report.ColumnPair
	for _, s := range append(w.panels(), always) {
		p := w.numbers(w.gold, s, nil)
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

// countVotes counts the verdicts of each row, and the passes among them.
func countVotes(sides []*side, rows int) (passes, votes []float64) {
	passes, votes = make([]float64, rows), make([]float64, rows)
	for _, s := range sides {
		for i, v := range s.verdict {
			if !math.IsNaN(v) {
				passes[i], votes[i] = passes[i]+v, votes[i]+1
			}
		}
	}
	return passes, votes
}

// computed is a side with the verdict of each row.
func computed(name string, rows int, of func(i int) float64) *side {
	s := &side{name: name, verdict: make([]float64, rows)}
	for i := range rows {
		s.verdict[i] = of(i)
		s.missing += int(asNumber(math.IsNaN(s.verdict[i])))
	}
	return s
}

// unlike is a name that no judge has.
func (w *agreeWork) unlike(name string) string {
	for slices.ContainsFunc(w.judges, func(s *side) bool { return s.name == name }) {
		name += " (computed)"
	}
	return name
}

// panels are the two panels of all judges, where there are three or more: the verdict of
// most of them (a tie fails), and a fail where any of them fails. At least half of them must
// have answered.
func (w *agreeWork) panels() []*side {
	n := len(w.judges)
	if n < 3 {
		return nil
	}
	passes, votes := countVotes(w.judges, w.rows)
	panel := func(name string, pass func(i int) bool) *side {
		return computed(w.unlike(name), w.rows, func(i int) float64 {
			return onlyIf(votes[i] > 0 && 2*votes[i] >= float64(n), asNumber(pass(i)))
		})
	}
	return []*side{
		panel(fmt.Sprintf("majority of %d", n), func(i int) bool { return 2*passes[i] > votes[i] }),
		panel(fmt.Sprintf("any of %d fails", n), func(i int) bool { return passes[i] == votes[i] }),
	}
}

// constant is the judge that always gives gold's commoner verdict.
func (w *agreeWork) constant() *side {
	all := stat.Present(w.gold.verdict)
	name, verdict := "always pass", 1.0
	if 2*stat.Sum(all) < float64(len(all)) {
		name, verdict = "always fail", 0
	}
	return computed(w.unlike(name), w.rows, func(int) float64 { return verdict })
}

// blind ranks judges without gold: by Youden's J as Dawid and Skene's model estimates it
// from the votes alone. The estimate orders judges well and is no measure of how good they
// are, so that only the order is kept. It is nil unless all have verdicts.
func (w *agreeWork) blind() *report.BlindRanking {
	if len(w.judges) < 2 || slices.ContainsFunc(w.judges, func(s *side) bool { return s.verdict == nil }) {
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
			j[s.name] = m[0][0] + m[1][1] - 1
		}
		if j[s.name] < 0 {
			out.Opposed = append(out.Opposed, s.name)
		}
		out.Judges = append(out.Judges, w.beside(s))
	}
	slices.SortStableFunc(out.Judges, func(a, b report.BlindRank) int { return cmp.Compare(j[b.Judge], j[a.Judge]) })
	return out
}

// votes are the different rows of verdicts, of those with two at least, and how often each
// occurs.
func (w *agreeWork) votes() (rows [][][]int, weights []float64) {
	vote := [2][]int{{0}, {1}}
	at := map[string]int{}
	key := make([]byte, len(w.judges))
	for i := range w.rows {
		row, n := make([][]int, len(w.judges)), 0
		for k, s := range w.judges {
			key[k] = '-'
			if v := s.verdict[i]; !math.IsNaN(v) {
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

// beside is how a judge agrees with the others: its mean kappa with each, and how often it
// has the verdict of most of them (a tie is none).
func (w *agreeWork) beside(s *side) report.BlindRank {
	var kappas []float64
	others := slices.DeleteFunc(slices.Clone(w.judges), func(other *side) bool { return other == s })
	for _, other := range others {
		k, err := raters.CohenKappa(s.verdict, other.verdict, w.cluster, verdictScale, raters.NoWeights, w.Alpha)
		w.Keep(err)
		if k.Value.Valid {
			kappas = append(kappas, k.Value.Value)
		}
	}
	passes, votes := countVotes(others, w.rows)
	agrees := computed("", w.rows, func(i int) float64 {
		said, most := s.verdict[i], 2*passes[i] > votes[i]
		return onlyIf(2*passes[i] != votes[i] && !math.IsNaN(said), asNumber(most == (said == 1)))
	})
	return report.BlindRank{
		Judge: s.name, PassRate: w.Rate(s.verdict, w.cluster), Majority: w.Rate(agrees.verdict, w.cluster),
		MeanKappa: report.Point(stat.Ratio(stat.Sum(kappas), float64(len(kappas)), stat.NoItems)),
	}
}

// commonFamily is the model family that the names of all judges say, "" if they say none or
// several.
func commonFamily(judges []*side) string {
	common := llm.Family(judges[0].name)
	for _, s := range judges {
		if llm.Family(s.name) != common {
			return ""
		}
	}
	return common
}
