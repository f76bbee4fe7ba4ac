package words_test

import (
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

func probeCases() []written {
	one, two := probed(1), probed(2)
	sure := &report.Report{Probe: &report.Probe{
		Bases: report.ProbeBases{Calls: 1, Conversations: 1, Matched: 1},
		Judges: []report.ProbeJudge{{Judge: "judge-c", Rubric: "overall",
			Invariance: []report.ProbeChange{{Change: "rename", Changed: sampled(0.1, 9), Net: sampled(0, 9, -0.1, 0.1)}}}},
		Operators: []report.ProbeOperator{{Judge: "judge-c", Rubric: "overall", Operator: "mine", Mutants: 1,
			Found: sampled(1, 1)}},
	}}
	return []written{
		{"Probe of one judge", words.Card(one, "runs/probe")},
		{"Probe without findings", words.Card(sure, "")},
		{"Probe of several judges", words.Card(two, "")},
		{"The tables of a probe", words.SectionNamed(two, words.ProbeName)},
	}
}

func sampled(value float64, n int, ends ...float64) report.Sampled {
	return report.Sampled{Estimate: est(value, ends...), N: n}
}

// probed returns the report of a probe of so many judges; judge-a and judge-b are told apart from neither each other
// nor, judge-b alone, from judge-x.
func probed(judges int) *report.Report {
	p := &report.Probe{
		Bases:   report.ProbeBases{Calls: 40, Conversations: 20, Matched: 30, Rewarded: 6, Assumed: 4},
		Weights: report.ProbeWeights{Failures: 1, Share: map[string]float64{"wrong_value": 0.6, "wrong_tool": 0.4}},
		Judges: []report.ProbeJudge{{
			Judge: "judge-a", Rubric: "overall", Found: sampled(0.83, 40, 0.74, 0.9), FalseAlarms: sampled(0.05, 40, 0.01, 0.12),
			UpperBound: true, J: sampled(0.78, 40, 0.7, 0.85),
			Invariance: []report.ProbeChange{
				{Change: "key_order", Changed: sampled(0.2, 38, 0.1, 0.3), Net: sampled(0.15, 38, 0.01, 0.3)},
				{Change: "new_ids", Changed: sampled(0.2, 37), Net: sampled(0.15, 37, 0, 0.3)},
				{Change: "spaces", Changed: sampled(0.2, 36), Net: sampled(0.15, 36)}},
			Attacks: []report.ProbeAttack{
				{Kind: "attack", Success: sampled(0.3, 35), Net: sampled(0.12, 35, -0.03, 0.27)},
				{Kind: "attack", Place: "result", Success: sampled(0.4, 20), Net: sampled(0.2, 20)},
				{Kind: "mirror", Payload: "authority", Success: sampled(0.1, 20), Net: sampled(-0.1, 20)},
				{Kind: "mirror", Success: sampled(0.1, 20)}},
			ContentFree: sampled(0.02, 10), Retest: sampled(0.04, 40, 0, 0.1), ICC: est(0.9), Reversed: sampled(0.06, 40),
			Order: sampled(0.02, 40, -0.01, 0.05), Alone: sampled(0.03, 40), AloneICC: est(0.95), Load: sampled(0.01, 39),
			MissedTotal: 2, Missed: []report.ProbeMiss{
				{CaseRef: caseOf("c1", 2, "refund", "logs/a.jsonl:7"), Parameter: "amount", Was: "5", Is: "50"},
				{CaseRef: caseOf("c2", 0, "refund", ""), Parameter: "note", Was: "x"},
				{CaseRef: caseOf("c3", 0, "refund", ""), Parameter: "note", Is: "y"},
				{CaseRef: caseOf("c4", 0, "refund", "")}},
		}, {
			Judge: "judge-b", Rubric: "overall", Found: sampled(0.5, 40), FalseAlarms: sampled(0.5, 40), MissedTotal: 1,
		}}[:judges],
		Operators: []report.ProbeOperator{
			{Judge: "judge-a", Rubric: "overall", Operator: "wrong_value", Mutants: 40, Bases: 30, Found: sampled(0.9, 40,
				0.8, 1),
				FalseAlarms: sampled(0.1, 30), J: sampled(0.8, 30), Below: sampled(0.95, 30), RightReason: sampled(0.7, 36),
				Discarded: 3, Holm: new(0.0002), Doses: []report.ProbeOperator{{Dose: "near", Bases: 10, Unscored: 2}}},
			{Judge: "judge-a", Rubric: "overall", Operator: "wrong_tool", Mutants: 1, Bases: 1, Found: sampled(0, 1),
				Blind:    true,
				Unscored: 1},
			{Judge: "judge-a", Rubric: "overall", Operator: "missing_call"},
			{Judge: "judge-a", Rubric: "other", Operator: "wrong_tool", Mutants: 5, Blind: true},
			{Judge: "judge-b", Rubric: "overall", Operator: "wrong_value", Mutants: 5, Found: sampled(0.5, 5)},
		},
		Pairs: []report.ProbePair{
			{Rubric: "overall", First: "judge-a", Second: "judge-b", Difference: sampled(0.1, 40, -0.1, 0.3), Holm: new(0.06)},
			{Rubric: "overall", First: "judge-x", Second: "judge-b"},
			{Rubric: "overall", First: "judge-y", Second: "judge-a", Holm: new(0.05)},
			{Rubric: "other", First: "judge-z", Second: "judge-a", Holm: new(0.5)}},
		Since: []report.ProbeSince{
			{Judge: "judge-a", Changed: sampled(0.3, 40, 0.2, 0.4), Net: sampled(0.2, 40, 0.1, 0.3),
				Difference: sampled(-0.1, 40, -0.2, -0.04), P: new(0.02)},
			{Judge: "judge-a", Changed: sampled(0.05, 40), Net: sampled(0.01, 40, 0, 0.1)}},
	}
	return &report.Report{Probe: p, Run: report.Run{Judges: []report.Judge{{Name: "judge-a", Baseline: true}}}}
}
