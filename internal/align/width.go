package align

import (
	"math"
	"slices"

	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
)

// mayMeasure stores the held-out labels, which alone may measure the new rubric. With cross-fitting
// it stores nothing, because every label shaped the rubric.
func (r *alignment) mayMeasure(a *Aligned) {
	if r.held == nil || r.plan.crossed() {
		return
	}
	var ids []string
	for k, i := range r.plan.whole.test {
		if !math.IsNaN(r.held.after[k]) {
			a.gold, a.judged = append(a.gold, r.held.gold[k]), append(a.judged, r.held.after[k])
			ids = append(ids, r.items[i].Conversation)
		}
	}
	a.conversation = stat.ClusterIDs(ids)
}

// Width estimates how precisely the pass rate will be known when the new rubric has judged as many
// items as before, assuming that they are like the held-out ones.
func (a *Aligned) Width(judged int) *report.AlignmentWidth {
	w := &report.AlignmentWidth{LabelsAfter: len(a.gold)}
	if len(a.gold) == 0 {
		return w
	}
	clusters := slices.Max(a.conversation) + 1
	var others []float64
	var cluster []int
	for copies := 0; len(others) < judged-len(a.gold); copies++ {
		for k, v := range a.judged {
			others, cluster = append(others, v), append(cluster, copies*clusters+a.conversation[k])
		}
	}
	p, err := truth.PPIClustered(a.gold, a.judged, nil, a.conversation, others, cluster, truth.AutoLambda, a.Report.Alpha)
	if err == nil {
		w.After = report.Interval(p.Estimate, p.CI)
	}
	return w
}
