package agreement

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/classification"
	"github.com/judgekit/judge/internal/agreement/crosstab"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/report/series"
)

// pairSums is what one pass over a pairing adds up.
type pairSums struct {
	n, conversations, partial, last int
	// missingJudge counts items that the reference scored and for which the judge
	// has an error or no usable answer; missingRef the other way round. onlyRef and
	// onlyJudge count items that the other side never met.
	missingJudge, missingRef int
	onlyRef, onlyJudge       int

	verdicts                         classification.Confusion
	base, passed, same, caught, kept uncertainty.ClusterStream
	bias                             uncertainty.ClusterStream // of the values
	// values pairs the judge's values with the reference's, ranked with its verdicts,
	// sure the judge's confidence with its being right.
	values, ranked, sure crosstab.Table
	// sureSame and sureCaught leave out the answers that call for a second look.
	sureSame, sureCaught uncertainty.ClusterStream
	byTool               map[uint32]*classification.Confusion
}

func sumsOf(p series.Pairing) *pairSums {
	s := &pairSums{last: -1, byTool: map[uint32]*classification.Confusion{}}
	p.Each(s.add)
	return s
}

func (s *pairSums) add(judge, ref series.Observation) {
	if judge.Partial || ref.Partial {
		s.partial++
	}
	hasJudge, hasRef := judge.Has(scoreset.HasValue), ref.Has(scoreset.HasValue)
	switch {
	case hasJudge && hasRef:
		s.pair(judge, ref)
	case hasRef:
		countAbsent(judge, &s.onlyRef, &s.missingJudge)
	case hasJudge:
		countAbsent(ref, &s.onlyJudge, &s.missingRef)
	}
}

// countAbsent adds an observation without a value: to notMet where the instrument had
// nothing to say or never met the item, else to missing.
func countAbsent(o series.Observation, notMet, missing *int) {
	if !o.Has(scoreset.Met) || o.Has(scoreset.NotApplicable) {
		*notMet++
		return
	}
	*missing++
}

func (s *pairSums) pair(judge, ref series.Observation) {
	s.n++
	g := judge.Cluster()
	if g != s.last {
		s.conversations, s.last = s.conversations+1, g
	}
	s.values.Add(judge.Value, ref.Value)
	s.ranked.Add(judge.Value, ref.Verdict())
	s.bias.Add(judge.Value-ref.Value, g)
	j, r := series.Decided(judge, ref)
	s.base.Add(r, g)
	s.passed.Add(j, g)
	s.same.Add(series.NaNIf(math.IsNaN(r), 1-math.Abs(j-r)), g)
	s.caught.Add(series.NaNIf(r != 0, 1-j), g)
	s.kept.Add(series.NaNIf(r != 1, j), g)
	if math.IsNaN(r) {
		return
	}
	s.sure.Add(judge.Confidence(), 1-math.Abs(j-r))
	if !judge.Has(scoreset.SecondLook) {
		s.sureSame.Add(1-math.Abs(j-r), g)
		s.sureCaught.Add(series.NaNIf(r != 0, 1-j), g)
	}
	tallyVerdict(&s.verdicts, j, r)
	if judge.Item.Whole() || ref.Item.Whole() {
		return
	}
	c := s.byTool[judge.Item.Tool]
	if c == nil {
		c = &classification.Confusion{}
		s.byTool[judge.Item.Tool] = c
	}
	tallyVerdict(c, j, r)
}

// tallyVerdict adds a pair of verdicts; the reference is gold.
func tallyVerdict(c *classification.Confusion, judge, ref float64) {
	switch {
	case ref == 1 && judge == 1:
		c.TP++
	case ref == 1:
		c.FN++
	case judge == 1:
		c.FP++
	default:
		c.TN++
	}
}

// clustered is what a second pass adds up: the influences of each item on the
// coefficients, over all items and over the tools of each row.
type clustered struct {
	kappa, auc uncertainty.ClusterTotals
	rows       []toolSums
}

// toolSums are the items of one row of tools.
type toolSums struct {
	kappa     raters.KappaTable
	influence uncertainty.ClusterTotals
	same      uncertainty.ClusterStream
}

// clusteredOf goes over the pairing again. rows are the tables of the tools' rows, by
// the number that fold gives each tool.
func clusteredOf(p series.Pairing, kappa *raters.KappaTable, auc *crosstab.AUC, fold []int, rows []raters.KappaTable) *clustered {
	out := &clustered{rows: make([]toolSums, len(rows))}
	for i := range rows {
		out.rows[i].kappa = rows[i]
	}
	p.Both(func(judge, ref series.Observation) {
		g := judge.Cluster()
		out.auc.Add(auc.Influence(judge.Value, ref.Verdict()), g)
		j, r := series.Decided(judge, ref)
		if math.IsNaN(r) {
			return
		}
		out.kappa.Add(kappa.Influence(int(r), int(j)), g)
		if len(rows) > 0 {
			row := &out.rows[fold[judge.Item.Tool]]
			row.influence.Add(row.kappa.Influence(int(r), int(j)), g)
			row.same.Add(1-math.Abs(j-r), g)
		}
	})
	return out
}

// verdictTable are the counts of a confusion as a table: the reference's verdicts by
// row, the judge's by column, fails first.
func verdictTable(c classification.Confusion) []float64 {
	return []float64{float64(c.TN), float64(c.FP), float64(c.FN), float64(c.TP)}
}
