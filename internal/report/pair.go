package report

import (
	"math"

	"github.com/judgekit/judge/internal/agreement/classification"
	"github.com/judgekit/judge/internal/agreement/crosstab"
	"github.com/judgekit/judge/internal/agreement/raters"
	"github.com/judgekit/judge/internal/agreement/uncertainty"
	"github.com/judgekit/judge/internal/report/scoreset"
)

// pairing are two instruments that speak of the same level, a judge and its reference,
// or two judges.
type pairing struct {
	table      *table
	level      string
	judge, ref *series
}

// each visits the items that one of the two met.
func (p pairing) each(visit func(judge, ref observation)) {
	p.table.walk(p.level, []*series{p.judge, p.ref}, func(_ scoreset.Item, said []observation) { visit(said[0], said[1]) })
}

// both visits the items that both scored.
func (p pairing) both(visit func(judge, ref observation)) {
	p.each(func(judge, ref observation) {
		if judge.Has(scoreset.HasValue) && ref.Has(scoreset.HasValue) {
			visit(judge, ref)
		}
	})
}

// decided are the verdicts of an item, NaN both where one is missing.
func decided(judge, ref observation) (j, r float64) {
	j, r = judge.Verdict(), ref.Verdict()
	none := math.IsNaN(j) || math.IsNaN(r)
	return missingIf(none, j), missingIf(none, r)
}

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

func sumsOf(p pairing) *pairSums {
	s := &pairSums{last: -1, byTool: map[uint32]*classification.Confusion{}}
	p.each(s.add)
	return s
}

func (s *pairSums) add(judge, ref observation) {
	if judge.partial || ref.partial {
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
func countAbsent(o observation, notMet, missing *int) {
	if !o.Has(scoreset.Met) || o.Has(scoreset.NotApplicable) {
		*notMet++
		return
	}
	*missing++
}

func (s *pairSums) pair(judge, ref observation) {
	s.n++
	g := judge.cluster()
	if g != s.last {
		s.conversations, s.last = s.conversations+1, g
	}
	s.values.Add(judge.Value, ref.Value)
	s.ranked.Add(judge.Value, ref.Verdict())
	s.bias.Add(judge.Value-ref.Value, g)
	j, r := decided(judge, ref)
	s.base.Add(r, g)
	s.passed.Add(j, g)
	s.same.Add(missingIf(math.IsNaN(r), 1-math.Abs(j-r)), g)
	s.caught.Add(missingIf(r != 0, 1-j), g)
	s.kept.Add(missingIf(r != 1, j), g)
	if math.IsNaN(r) {
		return
	}
	s.sure.Add(judge.Confidence(), 1-math.Abs(j-r))
	if !judge.Has(scoreset.SecondLook) {
		s.sureSame.Add(1-math.Abs(j-r), g)
		s.sureCaught.Add(missingIf(r != 0, 1-j), g)
	}
	tallyVerdict(&s.verdicts, j, r)
	if judge.item.Whole() || ref.item.Whole() {
		return
	}
	c := s.byTool[judge.item.Tool]
	if c == nil {
		c = &classification.Confusion{}
		s.byTool[judge.item.Tool] = c
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
func clusteredOf(p pairing, kappa *raters.KappaTable, auc *crosstab.AUC, fold []int, rows []raters.KappaTable) *clustered {
	out := &clustered{rows: make([]toolSums, len(rows))}
	for i := range rows {
		out.rows[i].kappa = rows[i]
	}
	p.both(func(judge, ref observation) {
		g := judge.cluster()
		out.auc.Add(auc.Influence(judge.Value, ref.Verdict()), g)
		j, r := decided(judge, ref)
		if math.IsNaN(r) {
			return
		}
		out.kappa.Add(kappa.Influence(int(r), int(j)), g)
		if len(rows) > 0 {
			row := &out.rows[fold[judge.item.Tool]]
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
