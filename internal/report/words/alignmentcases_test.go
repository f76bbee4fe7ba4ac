package words_test

import (
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

func alignmentCases() []written {
	better, worse := alignedByFolds(), notAligned()
	chosen := alignedOnce()
	kept := notAligned()
	kept.Before, kept.After, kept.Change = chosen.Before, chosen.After, chosen.Change
	kept.Learned, kept.File, kept.Seen, kept.Picked, kept.Notes = &report.AlignmentRates{N: 40, Youden: est(-0.01)},
		"", 0, 0, nil
	kept.Width, kept.Why = chosen.Width, words.AlignedWorse
	return []written{
		{"Alignment: better, in parts, with details", words.Alignment(better, true)},
		{"Alignment: better, by one held-out part", words.Alignment(chosen, false)},
		{"Alignment: nothing was worth a test", words.Alignment(worse, false)},
		{"Alignment: tested, and not better", words.Alignment(kept, true)},
	}
}

func rates(answered int, found, kept, youden, kappa report.Estimate) *report.AlignmentRates {
	return &report.AlignmentRates{N: 60, Answered: answered, Found: found, Kept: kept, Youden: youden, Kappa: kappa}
}

func alignedByFolds() *report.Alignment {
	return &report.Alignment{
		ID: "a1b2", Rubric: "overall", Judge: "judge-a", With: "model-b", Target: "J", Labels: 60, Fails: 20, Tasks: 30,
		Picked: 1, Folds: 5, Learn: 30, Select: 18, Seen: 2, Proven: true, File: "runs/x/overall.yaml", Requests: 1,
		Before: rates(60, est(0.5, 0.3, 0.7), est(0.9, 0.8, 0.95), est(0.4, 0.2, 0.6), est(0.4, 0.2, 0.6)),
		After:  rates(59, est(0.75, 0.6, 0.9), est(0.85, 0.7, 0.9), est(0.6, 0.4, 0.8), est(0.55, 0.4, 0.7)),
		Change: rates(59, est(0.25, 0.05, 0.45), est(-0.05, -0.1, 0), est(0.2, 0.05, 0.35), point(0.15, "one_cluster")),
		Steps: []report.AlignmentStep{
			{Round: 1, Name: "guidelines", Answered: 18, N: 18, Before: est(0.4), After: est(0.5), Kept: true, Note: "unused"},
			{Round: 2, Name: "examples", Answered: 17, N: 18, Before: est(0.5), After: none("no_items"), Note: "fewer answers"},
		},
		Guidelines: []report.AlignmentGuideline{
			{Rule: "An amount is a number.", From: []string{"c1:0", "c2:1", "c3:0", "c4:0", "c5:0", "c6:0", "c7:0"}},
			{Rule: "A second search is no error."},
		},
		Examples: []string{"c1:0"},
		Width: &report.AlignmentWidth{Before: est(0.5, 0.1, 0.9), LabelsBefore: 60, After: est(0.7, 0.68, 0.72),
			LabelsAfter: 1},
		Notes: []report.Warning{{Code: "x", Text: "the labels are old."}, {Code: "y", Text: "the model is small"}},
	}
}

// alignedOnce is tested by one held-out part, with kappa.
func alignedOnce() *report.Alignment {
	a := alignedByFolds()
	a.Target, a.Folds, a.Seen, a.Picked, a.Test, a.Notes = "kappa", 0, 0, 0, 12, nil
	a.Change.Kappa = est(0.15, 0.05, 0.25)
	a.Retrieve, a.Examples = 2, []string{"c1:0", "c2:0", "c3:0"}
	a.Width = &report.AlignmentWidth{Before: point(0.7, "too_few"), LabelsBefore: 12}
	return a
}

func notAligned() *report.Alignment {
	return &report.Alignment{
		ID: "c3d4", Rubric: "overall", Judge: "judge-a", With: "model-b", Target: "J", Labels: 1, Fails: 1, Tasks: 1,
		Picked: 3, Learn: 30, Select: 18, Seen: 1, Why: words.NothingToTest, File: "runs/x/overall.yaml", Requests: 210,
		Learned: &report.AlignmentRates{N: 40, Youden: est(0.12), Kappa: est(-0.5)},
	}
}
