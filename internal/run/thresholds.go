package run

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/rubrics"
)

// takeThresholds makes the thresholds that were given for the run part of its
// instruments, before anything is scored: a rubric's take the place of its own pass
// band, a scorer's decide its scores as they are made. So whatever reads the run
// later finds verdicts, bands and identity that agree. A threshold of nothing that
// the run has is told to note.
func (p *Plan) takeThresholds(scorers []string, note func(string)) error {
	p.thresholds, p.Report.Thresholds = lastOfEach(p.Report.Thresholds), nil
	if len(p.thresholds) == 0 {
		return nil
	}
	p.Rubrics = slices.Clone(p.Rubrics)
	for _, t := range p.thresholds {
		known := slices.Contains(scorers, t.Name) || t.Name == ExecutionCheck
		for i, r := range p.Rubrics {
			if r.Name != t.Name {
				continue
			}
			decided, err := withBand(r, t)
			if err != nil {
				return &PlanError{err}
			}
			p.Rubrics[i], known = decided, true
		}
		if !known && len(p.Judges) > 0 {
			note(fmt.Sprintf("threshold %s: no rubric and no scorer of this run has that name", t))
		}
	}
	return nil
}

// lastOfEach keeps the last threshold of each name: a flag stands behind what the
// configuration says.
func lastOfEach(list []report.Threshold) []report.Threshold {
	var out []report.Threshold
	for i, t := range list {
		if !slices.ContainsFunc(list[i+1:], func(later report.Threshold) bool { return later.Name == t.Name }) {
			out = append(out, t)
		}
	}
	return out
}

// withBand is the rubric with another pass band. What a judge is sent does not change:
// it never sees the band.
func withBand(r *rubrics.Rubric, t report.Threshold) (*rubrics.Rubric, error) {
	out := *r
	o := &out.Output
	o.Low, o.High = t.Low, o.Max
	if t.High != nil {
		o.High = *t.High
	}
	if o.Low < o.Min || o.High > o.Max || o.Low > o.High {
		return nil, fmt.Errorf("threshold %s: the scale of the rubric is %g..%g; a band beyond it decides nothing", t, o.Min, o.Max)
	}
	return &out, nil
}

// redecide decides the verdicts of deterministic scores by the thresholds of the run.
func (p *Plan) redecide(scores []score.Score) {
	if len(p.thresholds) == 0 {
		return
	}
	for i := range scores {
		scores[i] = report.Redecide(scores[i], p.thresholds)
	}
}

// bandOf is the threshold of a scorer; both are nil where the run was given none.
func (p *Plan) bandOf(scorer string) (low, high *float64) {
	for _, t := range p.thresholds {
		if t.Name == scorer {
			l := t.Low
			low, high = &l, t.High
		}
	}
	return low, high
}

// thresholdTexts are the thresholds as the identity of a run names them.
func (p *Plan) thresholdTexts() []string {
	var out []string
	for _, t := range p.thresholds {
		out = append(out, "threshold "+t.String())
	}
	return out
}
