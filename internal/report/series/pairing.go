package series

import (
	"math"

	"github.com/judgekit/judge/internal/report/scoreset"
)

// Pairing are two instruments that speak of the same level, a judge and its reference,
// or two judges.
type Pairing struct {
	Table      *Table
	Level      string
	Judge, Ref *Series
}

// Each visits the items that one of the two met.
func (p Pairing) Each(visit func(judge, ref Observation)) {
	p.Table.Walk(p.Level, []*Series{p.Judge, p.Ref}, func(_ scoreset.Item, said []Observation) { visit(said[0], said[1]) })
}

// Both visits the items that both scored.
func (p Pairing) Both(visit func(judge, ref Observation)) {
	p.Each(func(judge, ref Observation) {
		if judge.Has(scoreset.HasValue) && ref.Has(scoreset.HasValue) {
			visit(judge, ref)
		}
	})
}

// Decided are the verdicts of an item, NaN both where one is missing.
func Decided(judge, ref Observation) (j, r float64) {
	j, r = judge.Verdict(), ref.Verdict()
	none := math.IsNaN(j) || math.IsNaN(r)
	return NaNIf(none, j), NaNIf(none, r)
}
