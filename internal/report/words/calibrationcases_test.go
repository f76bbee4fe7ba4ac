package words_test

import (
	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

func calibrationCases() []written {
	applied := &report.Applied{Calibration: *twoJudges()}
	here := &report.Applied{Calibration: *twoJudges(), OfThisRun: true}
	here.Rows[0].CutInUse = new(0.75)
	r := &report.Report{Calibration: here}
	other := &report.Report{Calibration: applied}
	var doubts []string
	for _, a := range []*report.Applied{applied, here} {
		for _, w := range words.CalibrationDoubts(a) {
			doubts = append(doubts, w.Code+": "+w.Text)
		}
	}
	return []written{
		{"Calibration: one judge, corrected", words.Calibration(oneCorrected(40, 12, 30), false)},
		{"Calibration: one judge, no more labels needed", words.Calibration(oneCorrected(0, 0, 0), false)},
		{"Calibration: a choice of labels, and too few", words.Calibration(twoJudges(), true)},
		{"Calibration of this run in a report", words.SectionNamed(r, "Calibration")},
		{"Calibration of another run in a report", words.SectionNamed(other, "Calibration")},
		{"What a calibration makes doubtful", doubts},
		{"How many more labels correct a rate", labelsToCorrect()},
		{"Fitted thresholds", cutNotes()},
		{"People beside the judges", peopleAgree()},
	}
}

// oneCorrected has one judge with a corrected rate that about so many further conversations make precise.
func oneCorrected(about, least, most int) *report.Calibration {
	return &report.Calibration{RunID: "r1", Random: 60, Queue: 4, Conversations: 30, Rows: []report.CalibrationRow{{
		Judge: "judge-a", Rubric: "overall", N: 60, Conversations: 30, Kappa: est(0.6, 0.4, 1.2),
		RecallWrong: est(0.8, 0.6, 0.9), Specificity: est(0.9, 0.8, 1), BalancedAccuracy: est(0.85, 0.7, 0.95),
		AUC: point(0.9, "few_rare"),
		PassRate: &report.CorrectedRate{Corrected: est(0.62, 0.52, 1.04), Naive: est(0.7, 0.65, 0.75),
			LabelsOnly: est(0.6, 0.5, 0.7), Bias: est(0.08), LabelledFails: 24, WantedWidth: 0.1,
			OneCall:              about == 0,
			FurtherConversations: &truth.More{About: about, Least: least, Most: most}},
		Confidence: &report.Confidence{N: 1, Overconfidence: est(0.1234), Brier: est(0.2)},
		Threshold:  report.FittedCut{Best: est(0.8), AtDeclared: est(0.5), AtBest: est(0.6), Gain: est(0.1), Change: true},
	}}}
}

// twoJudges has a judge whose labels are a choice, and one with too few labels to correct its rate.
func twoJudges() *report.Calibration {
	return &report.Calibration{
		RunID: "r2", Random: 1, Queue: 0, Conversations: 1, Rows: []report.CalibrationRow{
			{Judge: "judge-a", Rubric: "overall", Level: "turn", N: 20, Conversations: 10, Kappa: none("one_class"),
				NoSample: "picked", RecallWrong: est(0.5), Specificity: est(0.5), BalancedAccuracy: est(0.5, 0.3, 0.5),
				PassRate:   &report.CorrectedRate{Corrected: none("no_sample"), Naive: est(0.9), LabelsOnly: est(0.55)},
				Confidence: &report.Confidence{N: 20, Overconfidence: est(-0.05), Brier: none("too_few")},
				People:     &report.HumanLikeness{Judge: est(0.8), People: est(0.9), Difference: est(-0.1, -0.2, -0.05)},
				Threshold: report.FittedCut{Best: est(0.75), AtDeclared: est(0.5), AtBest: est(0.4), Gain: est(-0.1, -0.3, 0.1),
					Note: "passing from 0.75 is no better"}},
			{Judge: "judge-b", Rubric: "overall", N: 20, Conversations: 10, RecallWrong: none("no_items"), Specificity: est(1),
				PassRate: &report.CorrectedRate{Corrected: point(0.8, "too_few"), Naive: est(0.9), LabelsOnly: est(0.95, 0.8, 1),
					Bias: est(-0.05), LabelledFails: 1, WantedWidth: 0.1},
				Confidence: &report.Confidence{N: 20, Overconfidence: est(0.0004), Brier: est(0.1)},
				People: &report.HumanLikeness{Judge: est(0.9), People: est(0.9), Difference: est(0, -0.04, 0.05),
					Within: true}},
			{Judge: "judge-c", Rubric: "tone", N: 4, Threshold: report.FittedCut{Best: none("not_applicable")},
				Ratings: &report.Ratings{Categories: []string{"kind", "rude"}, Matrix: [][]int{{2, 1}, {0, 1}},
					Same: est(0.75, 0.3, 0.9), Kappa: est(0.5, -0.2, 1.3), AC: est(0.6), Recall: []report.Estimate{est(2. / 3),
						est(1)}},
				Applies: &report.Applicability{N: 9, Both: 4, OnlyJudge: 1, OnlyReference: 2, Neither: 2, Kappa: none("one_class")},
				People:  &report.HumanLikeness{Judge: est(0.9), People: est(0.9), Difference: point(0, "one_cluster")}},
			{Judge: "judge-d", Rubric: "tone", N: 4, Threshold: report.FittedCut{Best: none("not_applicable")},
				Confidence: &report.Confidence{},
				People:     &report.HumanLikeness{Judge: est(0.9), People: est(0.9), Difference: est(-0.02, -0.1, 0)}},
		},
		People: []report.Labeller{{Name: "ann", Random: 1, Picked: 2, Deferred: 3, Revealed: 4}, {Name: "bob", Random: 30}},
		Pairs: []report.PeoplePair{{A: "ann", B: "bob"},
			{A: "ann", B: "cem", N: 10, Agreed: 9, Kappa: est(0.8, 0.5, 1.4), NotApplicable: 3, BothNotApplicable: 1}},
		Unlabelled: []report.UnlabelledRubric{{Rubric: "grounded", Note: "label it"}, {Rubric: "safe", Note: "label it"}},
		Warnings:   []report.Warning{{Code: "w", Text: "labels are missing"}},
	}
}

// labelsToCorrect has, of 20 labels in 10 conversations, this many fails.
func labelsToCorrect() (out []string) {
	for _, fails := range []int{0, 4, 10, 16, 20} {
		c := oneCorrected(0, 0, 0)
		p := c.Rows[0].PassRate
		p.Corrected, p.FurtherConversations, p.LabelledFails = none("too_few"), nil, fails
		c.Rows[0].N, c.Rows[0].Conversations = 20, 10
		c.Rows[0].RecallWrong = report.Estimate{}
		for _, part := range words.Calibration(c, false).Sections[0].Parts {
			out = append(out, part.(words.Sentence).Text)
		}
	}
	return out
}

func cutNotes() []string {
	fit := func(gain, se report.Estimate, change bool) *report.FittedCut {
		return &report.FittedCut{Best: est(3.5), Gain: gain, GainSE: se, Change: change}
	}
	return []string{
		words.CutNote(fit(est(0.2), est(0.1), true), true),
		words.CutNote(fit(none("one_class"), est(0.1), false), false),
		words.CutNote(fit(est(0.2), none("one_class"), false), false),
		words.CutNote(fit(est(0.2), est(0.1), true), false),
		words.CutNote(fit(est(0.05), est(0.1), false), false),
	}
}

func peopleAgree() []string {
	label := report.Instrument{Source: "label", Name: report.PeopleLabel, Level: "call"}
	r := &report.Report{PeoplePairs: []report.PeoplePair{{A: "ann", B: "bob"}}}
	out := []string{"none: " + words.PeopleAgree(r)}
	r.PeoplePairs = append(r.PeoplePairs, report.PeoplePair{A: "ann", B: "cem", N: 10, Agreed: 9, Kappa: est(0.8)},
		report.PeoplePair{A: "bob", B: "dan", N: 10, Agreed: 5, Kappa: est(0)},
		report.PeoplePair{A: "bob", B: "cem", N: 12, Agreed: 9, Kappa: est(0.5, 0.2, 1.1)})
	out = append(out, words.PeopleAgree(r))
	for _, j := range []struct {
		judge string
		ref   report.Instrument
		kappa report.Estimate
	}{
		{"judge-a", label, est(0.7, 0.4, 1.1)}, {"judge-b", report.Instrument{Source: "label", Name: "gold"}, est(0.7)},
		{"judge-c", label, none("one_class")}, {"judge-d", label, est(0.9)},
	} {
		r.Scores = append(r.Scores, report.ScoreRow{Instrument: report.Instrument{Source: "judge", Judge: j.judge,
			Name: "overall"}})
		r.Agreement = append(r.Agreement, report.AgreementRow{Judge: j.judge, Rubric: "overall", Reference: j.ref,
			Verdicts: 20,
			Kappa:    j.kappa})
	}
	return append(out, words.PeopleAgree(r))
}
