package columns

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
	"github.com/judgekit/judge/internal/report/measure"
)

// What judges are ranked by.
const (
	byYouden = "youden"
	byKappa  = "kappa"
)

// rank orders the judges and, of verdicts, the panels of them by how well they tell right
// from wrong: verdicts by Youden's J, categories by kappa; never by the share of equal
// verdicts, which a judge that always passes wins where most is right. It is nil for one
// judge, and where they have neither.
func (w *work) rank(r *Report) *Ranking {
	all := slices.Concat([]*side{w.gold}, w.judges)
	has := func(kind func(*side) []float64) bool {
		return !slices.ContainsFunc(all, func(s *side) bool { return kind(s) == nil })
	}
	out := &Ranking{By: byYouden}
	switch {
	case len(w.judges) < 2:
		return nil
	case has(func(s *side) []float64 { return s.verdict }):
		for _, s := range append(w.panels(), w.constant()) {
			r.Panels = append(r.Panels, w.verdictPair(s))
		}
	case has(func(s *side) []float64 { return s.category }):
		out.By = byKappa
	default:
		return nil
	}
	w.order(r, out)
	w.behind(out)
	return out
}

// order names pairs and panels, the best first.
func (w *work) order(r *Report, out *Ranking) {
	names := []string{byYouden}
	if out.By == byKappa {
		names = kappas
	}
	quality := func(p *Pair) float64 {
		if m := p.Measures.get(names...); m != nil && m.Defined() {
			return *m.Value
		}
		return math.Inf(-1)
	}
	all := slices.Concat(r.Pairs, r.Panels)
	slices.SortStableFunc(all, func(a, b Pair) int { return cmp.Compare(quality(&b), quality(&a)) })
	for _, p := range all {
		out.Judges = append(out.Judges, Ranked{Judge: p.B})
	}
}

// behind fills in the paired difference of each judge from the best, by cluster, on the
// items that both judged; p-values are corrected over the judges by Holm's method. What
// always gives one verdict is no hypothesis: its J is 0.
func (w *work) behind(out *Ranking) {
	sides := map[string]*side{}
	for _, s := range slices.Concat(w.judges, w.panels()) {
		sides[s.name] = s
	}
	best := sides[out.Judges[0].Judge]
	gaps := w.FromBest(len(out.Judges), func(i int) (d interval.Difference, ok bool) {
		s := sides[out.Judges[i].Judge]
		if i == 0 || s == nil || best == nil {
			return d, false
		}
		d, out.Judges[i].N = w.difference(out.By, s, best)
		return d, true
	})
	for i := range gaps {
		out.Judges[i].FromBest = gaps[i]
	}
}

// difference is how much better s is than best, and the number of items that both judged.
func (w *work) difference(by string, s, best *side) (d interval.Difference, n int) {
	if by == byYouden {
		judged := w.both(s.verdict, best.verdict)
		return w.YoudenDifference(w.gold.verdict, s.verdict, best.verdict, w.cluster),
			sizeOf(w.both(w.gold.verdict, judged.Gold)).N
	}
	weights := raters.NoWeights
	if w.cfg.categoryScale() == Ordinal {
		weights = raters.Quadratic
	}
	d, err := raters.KappaDifference(w.gold.category, s.category, best.category, w.cluster, w.labels, weights, w.Alpha)
	w.Keep(err)
	judged := w.both(s.category, best.category)
	return d, sizeOf(w.both(w.gold.category, judged.Gold)).N
}

// verdictPair compares a made-up judge with gold.
func (w *work) verdictPair(s *side) Pair {
	p := Pair{A: w.gold.name, B: s.name, MissingA: w.gold.missing, MissingB: s.missing}
	p.size = sizeOf(w.both(w.gold.verdict, s.verdict))
	w.verdictMeasures(&p, w.gold, s)
	p.Warnings = []report.Warning{}
	return p
}

// tally counts the verdicts of each row, and the passes among them.
func tally(sides []*side, rows int) (passes, votes []float64) {
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
		s.missing += int(measure.One(math.IsNaN(s.verdict[i])))
	}
	return s
}

// unlike is a name that no judge has.
func (w *work) unlike(name string) string {
	for slices.ContainsFunc(w.judges, func(s *side) bool { return s.name == name }) {
		name += " (computed)"
	}
	return name
}

// panels are the two panels of all judges, where there are three or more: the verdict of
// most of them (a tie fails), and a fail where any of them fails. At least half of them must
// have answered.
func (w *work) panels() []*side {
	n := len(w.judges)
	if n < 3 {
		return nil
	}
	passes, votes := tally(w.judges, w.rows)
	panel := func(name string, pass func(i int) bool) *side {
		return computed(w.unlike(name), w.rows, func(i int) float64 {
			return measure.When(votes[i] > 0 && 2*votes[i] >= float64(n), measure.One(pass(i)))
		})
	}
	return []*side{
		panel(fmt.Sprintf("majority of %d", n), func(i int) bool { return 2*passes[i] > votes[i] }),
		panel(fmt.Sprintf("any of %d fails", n), func(i int) bool { return passes[i] == votes[i] }),
	}
}

// constant is the judge that always gives gold's commoner verdict.
func (w *work) constant() *side {
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
func (w *work) blind() *BlindRanking {
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
	out := &BlindRanking{Judges: []BlindRank{}, Family: family(w.judges)}
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
	slices.SortStableFunc(out.Judges, func(a, b BlindRank) int { return cmp.Compare(j[b.Judge], j[a.Judge]) })
	return out
}

// votes are the different rows of verdicts, of those with two at least, and how often each
// occurs.
func (w *work) votes() (rows [][][]int, weights []float64) {
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
func (w *work) beside(s *side) BlindRank {
	var kappas []float64
	others := slices.DeleteFunc(slices.Clone(w.judges), func(other *side) bool { return other == s })
	for _, other := range others {
		k, err := raters.CohenKappa(s.verdict, other.verdict, w.cluster, measure.VerdictScale, raters.NoWeights, w.Alpha)
		w.Keep(err)
		if k.Value.Valid {
			kappas = append(kappas, k.Value.Value)
		}
	}
	passes, votes := tally(others, w.rows)
	agrees := computed("", w.rows, func(i int) float64 {
		said := s.verdict[i]
		return measure.When(2*passes[i] != votes[i] && !math.IsNaN(said), measure.One((2*passes[i] > votes[i]) == (said == 1)))
	})
	return BlindRank{
		Judge: s.name, PassRate: w.Rate(s.verdict, w.cluster), Majority: w.Rate(agrees.verdict, w.cluster),
		MeanKappa: report.Point(stat.Ratio(stat.Sum(kappas), float64(len(kappas)), stat.NoItems)),
	}
}

// family is the model family that the names of all judges say, "" where they say none or
// several.
func family(judges []*side) string {
	common := llm.Family(judges[0].name)
	for _, s := range judges {
		if llm.Family(s.name) != common {
			return ""
		}
	}
	return common
}
