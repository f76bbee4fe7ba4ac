package measure

import (
	"cmp"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// onKappa decides against the reference that the gate names; without one, against the labels if
// there are any, else against every reference that is evidence in both directions and has a kappa.
// Of reduced rows only the strictest reduction counts.
func (d *gateDecider) onKappa(like report.GateResult) []report.GateResult {
	var labels, all []report.GateResult
	why := ""
	for i := range d.r.Agreement {
		a := &d.r.Agreement[i]
		judged := report.Instrument{Name: a.Rubric, Judge: a.Judge}
		if !d.concerns(judged) || a.Reduction != "" && a.Reduction != report.ReduceMin ||
			d.Reference != "" && a.Reference.Title() != d.Reference {
			continue
		}
		if d.Reference == "" && a.Direction != report.BothDirection {
			why = cmp.Or(why, report.GateNoGold)
			continue
		}
		found, whyNot := d.kappas(a, like)
		if whyNot != "" {
			why = whyNot
		}
		isLabel := a.Reference.Source == string(score.Label)
		if isLabel {
			labels = append(labels, found...)
		}
		if d.Reference == "" && d.By != ByTool && !isLabel {
			found = slices.DeleteFunc(found, func(res report.GateResult) bool { return !res.Got.Defined() })
		}
		all = append(all, found...)
	}
	switch {
	case len(labels) > 0:
		return labels
	case len(all) > 0:
		return all
	case why == "":
		why = d.whyNoKappa()
	}
	return nothingMeasured(like, why)
}

// kappas returns the results of one comparison, or the reason why there are none.
func (d *gateDecider) kappas(a *report.AgreementRow, res report.GateResult) (found []report.GateResult, why string) {
	switch {
	case a.Refused != "":
		return nil, report.GateCircular
	case a.SharedRules:
		return nil, report.GateSharedRules
	case d.By == ByTool && a.Level != report.CallLevel:
		return nil, report.GateByWhole
	}
	few := slices.ContainsFunc(a.Warnings, func(w report.Warning) bool { return w.Code == "few_conversations" })
	res.Judge, res.Level, res.Reference = a.Judge, a.Level, a.Reference.Title()
	if d.By != ByTool {
		res.Got, res.N = a.Kappa, a.Verdicts
		return []report.GateResult{d.hold(res, oneVerdict(a.Kappa, a.JudgeRate) && !few)}, ""
	}
	measured := false
	for _, t := range a.ByTool {
		if !d.onTool(t.Tool) {
			continue
		}
		res.Tool, res.Got, res.N = t.Tool, t.Kappa, t.N
		measured = measured || t.Kappa.Defined()
		one := d.hold(res, oneVerdict(t.Kappa, t.JudgeRate) && !t.Small && !few)
		if one.Reason == report.GateNotMeasured && !d.Strict {
			// A tool whose calls are all right has no kappa; the other tools decide.
			one.Passed, one.Reason = true, report.GateUndecided
		}
		found = append(found, one)
	}
	if !measured {
		return nil, report.GateNoItems
	}
	return found, ""
}

// oneVerdict reports whether a judge gives only one verdict. Its kappa is 0 whatever the number of
// items: it is a count, not an estimate, and has no interval.
func oneVerdict(kappa, rate report.Estimate) bool {
	return kappa.Defined() && !kappa.HasInterval() && rate.Defined() && (*rate.Value == 0 || *rate.Value == 1)
}

func (d *gateDecider) whyNoKappa() string {
	if why := d.whyNothing(); why != report.GateNoItems && why != report.GateNoToolCalls {
		return why
	}
	isReference := func(s report.ScoreRow) bool { return s.Title() == d.Reference }
	if d.Reference == "" || slices.ContainsFunc(d.r.Scores, isReference) {
		return report.GateNoItems
	}
	return report.GateNoReference
}
