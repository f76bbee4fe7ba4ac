package series

import (
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/scoreset"
)

// Walk visits every item of a level that one of the series met, by conversation and
// call, with what each of them says of it. The slice is used again for the next.
func (t *Table) Walk(level string, all []*Series, visit func(item scoreset.Item, said []Observation)) {
	said := make([]Observation, len(all))
	if level == report.CallLevel {
		t.Set.EachCall(func(item scoreset.Item) {
			met := false
			for i, sr := range all {
				said[i] = Observation{Cell: sr.Column.At(item), Item: item}
				met = met || said[i].Has(scoreset.Met)
			}
			if met {
				visit(item, said)
			}
		})
		return
	}
	t.Set.EachConversation(func(item scoreset.Item, calls []scoreset.Item) {
		met := false
		for i, sr := range all {
			if sr.How == "" {
				said[i] = Observation{Cell: sr.Column.At(item), Item: item}
			} else {
				said[i] = sr.reduceCalls(item, calls)
			}
			met = met || said[i].Has(scoreset.Met)
		}
		if met {
			visit(item, said)
		}
	})
}

// Each visits everything that one series says, in order.
func (t *Table) Each(sr *Series, visit func(Observation)) {
	one := []*Series{sr}
	t.Walk(sr.Level, one, func(_ scoreset.Item, said []Observation) { visit(said[0]) })
}
