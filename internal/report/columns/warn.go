package columns

import (
	"fmt"
	"math"
)

const (
	fewItems    = 30
	fewOfClass  = 10
	fewClusters = 10
	ceiling     = 0.95
	muchMissing = 0.02
)

// warn says what a reader must know before using the numbers of a pair.
func (w *work) warn(p *Pair, a, b *side) {
	add := func(code, format string, args ...any) {
		p.Warnings = append(p.Warnings, Warning{code, fmt.Sprintf(format, args...)})
	}
	if p.N == 0 {
		add("no_items", "no row has both %s and %s", a.name, b.name)
		return
	}
	if p.Confusion != nil {
		w.warnVerdicts(p.Confusion, a, b, add)
	} else if a.verdict != nil {
		if constant(a.verdict) {
			add("one_class", "%s has one class only: it cannot show whether %s tells right from wrong", a.name, b.name)
		}
		add("no_threshold", "%s holds numbers and no threshold says which pass: there are no verdicts to compare", b.name)
	}
	if p.N < fewItems {
		add("few_items", "only %d items", p.N)
	}
	if w.clustered && p.Clusters < fewClusters {
		add("few_clusters", "only %d clusters: intervals rest on the t distribution alone, and percentile intervals are too short", p.Clusters)
	}
	if lost := w.tab.Rows - p.N; float64(lost) > muchMissing*float64(w.tab.Rows) {
		add("missing", "%d of %d rows lack %s (%d) or %s (%d) and are left out", lost, w.tab.Rows, a.name, a.missing, b.name, b.missing)
	}
	for _, s := range []*side{a, b} {
		if s.verdict == nil && constant(anyOf(s)) {
			add("constant", "%s is the same everywhere", s.name)
		}
	}
}

func (w *work) warnVerdicts(c *Confusion, a, b *side, add func(code, format string, args ...any)) {
	right, wrong := c.BothPass+c.JudgeOnlyFail, c.JudgeOnlyPass+c.BothFail
	n := right + wrong
	switch {
	case right == 0 || wrong == 0:
		add("one_class", "%s has one class only: it cannot show whether %s tells right from wrong", a.name, b.name)
	case min(right, wrong) < fewOfClass:
		add("few_of_one_class", "only %d items are %s by %s: their recall rests on these", min(right, wrong), map[bool]string{true: "passed", false: "failed"}[right < wrong], a.name)
	}
	if c.BothPass+c.JudgeOnlyPass == 0 || c.BothFail+c.JudgeOnlyFail == 0 {
		add("judge_one_class", "%s gives every item the same verdict", b.name)
	}
	if share := float64(max(right, wrong)) / float64(n); share >= ceiling && share < 1 {
		add("ceiling", "%.0f %% of the items are of one class: kappa is small whatever the judge does, read AC1 and the counts beside it", 100*share)
	}
}

func constant(v []float64) bool {
	first := math.NaN()
	for _, f := range v {
		switch {
		case math.IsNaN(f):
		case math.IsNaN(first):
			first = f
		case f != first:
			return false
		}
	}
	return true
}

// warnAll says what concerns the whole table.
func (w *work) warnAll(r *Report) {
	add := func(code, format string, args ...any) {
		r.Warnings = append(r.Warnings, Warning{code, fmt.Sprintf(format, args...)})
	}
	if !w.clustered {
		add("no_clusters", "no cluster column: the intervals take every row as independent; calls of one conversation are not, and then these are too short")
	}
	if w.unplaced > 0 {
		add("no_cluster", "%d rows name no %s and are left out", w.unplaced, w.cfg.Cluster)
	}
	if w.tab.Unreadable > 0 {
		add("unreadable", "%d rows could not be read and are left out", w.tab.Unreadable)
	}
	if w.skipped {
		add("no_bootstrap", "some bootstrap intervals were left out for their cost; ask for fewer resamples, or name a cluster column")
	}
	for _, p := range r.Pairs {
		if p.N < w.tab.Rows && len(w.judges) > 1 && p.N != r.Pairs[0].N {
			add("different_items", "the judges answered different items: compare them by the differences on common items, not by their rows")
			break
		}
	}
}
