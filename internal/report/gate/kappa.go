package gate

import (
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// onKappa decides on the reference that the gate names; without one on the labels where
// there are any, else on every scorer that gives a kappa. Of reduced rows only the
// strictest reduction counts.
func (g Gate) onKappa(r *report.Report) []report.GateResult {
	var labels, all []report.GateResult
	why := ""
	for i := range r.Agreement {
		a := &r.Agreement[i]
		if !g.concerns(a.Rubric, a.Judge, "") || a.Reduction != "" && a.Reduction != report.ReduceMin ||
			g.Reference != "" && a.Reference.Title() != g.Reference {
			continue
		}
		found, whyNot := g.kappas(a, r)
		if whyNot != "" {
			why = whyNot
		}
		if a.Reference.Source == string(score.Label) {
			labels = append(labels, found...)
		}
		all = append(all, slices.DeleteFunc(found, func(res report.GateResult) bool {
			return g.Reference == "" && a.Reference.Source != string(score.Label) && !res.Got.Defined() && g.By != ByTool
		})...)
	}
	switch {
	case len(labels) > 0:
		return labels
	case len(all) > 0:
		return all
	case why == "":
		why = g.whyNoKappa(r)
	}
	return g.nothing("min_kappa", *g.MinKappa, why)
}

// kappas are the results of one comparison, and why there is none.
func (g Gate) kappas(a *report.AgreementRow, r *report.Report) (found []report.GateResult, why string) {
	switch {
	case a.Refused != "":
		return nil, circular
	case a.SharedRules:
		return nil, sharedRules
	}
	res := g.result("min_kappa", *g.MinKappa)
	res.Judge, res.Level, res.Reference = a.Judge, a.Level, a.Reference.Title()
	if g.By != ByTool {
		res.Got, res.N = a.Kappa, a.Verdicts
		return []report.GateResult{g.floor(res, r, constant(a.Kappa, a.JudgeRate) && !fewConversations(a))}, ""
	}
	if a.Level != report.CallLevel {
		return nil, byWhole
	}
	measured := false
	for _, t := range a.ByTool {
		if !g.onTool(t.Tool) {
			continue
		}
		one := res
		one.Tool, one.Got, one.N = t.Tool, t.Kappa, t.N
		measured = measured || t.Kappa.Defined()
		one = g.floor(one, r, constant(t.Kappa, t.JudgeRate) && !t.Small && !fewConversations(a))
		if one.Reason == notMeasured && !g.Strict {
			// Of a tool whose calls are all right there is no kappa; the others decide.
			one.Passed, one.Reason = true, undecided
		}
		found = append(found, one)
	}
	if !measured {
		return nil, noItems
	}
	return found, ""
}

// constant reports whether a judge gives one verdict alone. Its kappa is 0 whatever the
// number of items: that is no estimate, and has no interval.
func constant(kappa, rate report.Estimate) bool {
	return kappa.Defined() && !kappa.HasInterval() && rate.Defined() && (*rate.Value == 0 || *rate.Value == 1)
}

func fewConversations(a *report.AgreementRow) bool {
	return slices.ContainsFunc(a.Warnings, func(w report.Warning) bool { return w.Code == "few_conversations" })
}

func (g Gate) whyNoKappa(r *report.Report) string {
	if why := g.whyNothing(r); why != noItems && why != noCalls {
		return why
	}
	if g.Reference == "" || slices.ContainsFunc(r.Scores, func(s report.ScoreRow) bool { return s.Title() == g.Reference }) {
		return noItems
	}
	return noReference
}
