package calibration

import (
	"fmt"
	"math"

	"github.com/judgekit/judge/internal/report/measure"
)

// deferred is the share of the conversations, or of their calls, that may be left undecided
// without making the others a choice.
const deferred = 0.05

// labelOf is what a row says of a rubric; whole says that the label of the whole call
// counts where the rubric's own is missing.
func (r Row) labelOf(rubric string, whole bool) (passed, ok bool) {
	passed, ok = r.ByRubric[rubric]
	if !ok && whole && r.Passed != nil {
		return *r.Passed, true
	}
	return passed, ok
}

// progress is how far the labelling of the random sample has come, for one rubric.
type progress struct {
	// rank of each labelled conversation, 0 where it is not known, and the number of
	// conversations in the rows.
	rank  map[string]int
	all   map[string]bool
	seeds map[uint64]bool
	last  int // the highest rank of a labelled conversation
}

func progressOf(rows []Row, rubric string, whole bool) progress {
	p := progress{rank: map[string]int{}, all: map[string]bool{}, seeds: map[uint64]bool{}}
	for _, r := range rows {
		if r.Sample != Random {
			continue
		}
		p.all[r.ConversationID] = true
		if _, ok := r.labelOf(rubric, whole); ok {
			p.rank[r.ConversationID] = r.Rank
			p.seeds[r.Seed] = true
			p.last = max(p.last, r.Rank)
		}
	}
	return p
}

// chosen says why the labelled conversations are a choice and no random sample, "" where
// they are the beginning of the random order but for what was deferred.
func (j *judged) chosen(p progress) string {
	const noRate = "; no corrected rate is given"
	labelled := len(p.rank)
	for _, rank := range p.rank {
		if rank == 0 { // an older sheet: only one that is filled in wholly is a sample
			if missing := len(p.all) - labelled; float64(missing) > deferred*float64(len(p.all)) {
				return fmt.Sprintf("%d of the %d conversations of the sheet have no label, and it does not say in which "+
					"random order they stand: those that have one may be a choice", missing, len(p.all)) + noRate
			}
			return ""
		}
	}
	if len(p.seeds) > 1 {
		return "the labels are of several random orders: together they are no random sample" + noRate
	}
	if missing := p.last - labelled; float64(missing) > deferred*float64(p.last) {
		return fmt.Sprintf("of the first %d conversations of the random order %d have no label: those that have one are "+
			"a choice and no random sample", p.last, missing) + noRate
	}
	calls, open := 0, 0
	for _, it := range j.items {
		if rank := p.rank[it.conv]; rank > 0 && rank < p.last {
			calls, open = calls+1, open+int(measure.One(math.IsNaN(it.gold)))
		}
	}
	if float64(open) > deferred*float64(calls) {
		return fmt.Sprintf("%d of the %d calls of the labelled conversations have no label: those that have one are "+
			"a choice and no random sample", open, calls) + noRate
	}
	return ""
}
