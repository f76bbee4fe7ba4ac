package words_test

import (
	"fmt"

	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// edgeCases have one of something, none of it, or just as much as a limit allows.
func edgeCases() []written {
	return []written{
		{"Kappas by colour", kappaColours()},
		{"One row of agreement", words.SectionNamed(oneAgreement(), "Agreement")},
		{"Judges without a common item", words.SectionNamed(&report.Report{Rankings: agreed().Rankings}, "Judges")},
		{"Alignment without what was learned", words.Alignment(alignedBarely(), true)},
		{"Calibration of one of each", words.Calibration(oneLabelled(), true)},
		{"Calibration of nothing in a report", words.SectionNamed(&report.Report{Calibration: &report.Applied{OfThisRun: true}},
			"Calibration")},
		{"First screen of two judges", words.Card(twoOfEach(), "runs/x")},
		{"First screen of nothing", words.Card(&report.Report{}, "")},
		{"Answers just within the limit", words.Answers(manyAnswers(7))},
		{"Answers beyond the limit", words.Answers(manyAnswers(8))},
		{"Comparison without details", words.Comparison(compared(), false, "")},
		{"Comparison without a name", words.Comparison(unnamed(), false, "runs/b")},
		{"Comparison with details and nothing else", words.Comparison(flipped(), true, "")},
		{"The only group", words.SectionNamed(twoOfEach(), "Why calls fail")},
		{"One small stratum", words.Columns(oneSmall(), true)},
		{"Three columns", words.Columns(threeColumns(), false)},
		{"Headline of a change in both directions", words.ComparisonSentences(bothWays())[:1]},
		{"Comparisons led by a scorer, and by numbers", append(words.ComparisonSentences(led("", true)),
			words.ComparisonSentences(led("judge-a", false))...)},
		{"One disagreement", words.Run(oneDisagreement(), true, "").Sections[2]},
		{"Small differences", words.SectionNamed(smallDifferences(), "Graded")},
		{"Ranking by kappa", words.Columns(rankedByKappa(), true)},
	}
}

func kappaColours() (out []string) {
	row := func(n int, e report.Estimate) {
		c := words.KappaColour(&report.AgreementRow{Verdicts: n, Kappa: e})
		out = append(out, fmt.Sprintf("%s of %d: %s", words.Estimate(e), n, cellText(c)))
	}
	for _, k := range []float64{-0.01, 0, 0.01, 0.2, 0.4, 0.59, 0.6, 0.79, 0.8, 1} {
		row(30, est(k))
	}
	row(29, est(0.5))
	for _, ends := range [][]float64{{0, 0.6}, {0.01, 0.6}, {-0.6, 0}, {-0.6, -0.01}} {
		row(30, est((ends[0]+ends[1])/2, ends...))
	}
	refused := report.AgreementRow{Verdicts: 30, Kappa: est(0.5), Refused: "circular"}
	return append(out, "refused: "+cellText(words.KappaColour(&refused)))
}

// oneAgreement has a single item, judged by category and by verdict, that people labelled.
func oneAgreement() *report.Report {
	yours := report.Instrument{Source: "label", Name: report.PeopleLabel, Level: "call"}
	return &report.Report{Scores: []report.ScoreRow{judged("judge-a", "overall", "call", 1)},
		Agreement: []report.AgreementRow{{Judge: "judge-a", Rubric: "overall", Reference: yours, Level: "call",
			Direction: "both",
			N:         1, Verdicts: 1, Ratings: &report.Ratings{}}}}
}

// alignedBarely is proven with few numbers, and was looked at once before.
func alignedBarely() *report.Alignment {
	a := alignedOnce()
	a.Seen, a.Width, a.Examples, a.Retrieve, a.Guidelines[0].From = 1, nil, []string{"c1:0"}, 1, []string{"c1:0"}
	a.Change = rates(60, none("one_class"), est(0.76, 0.1, 0.9), est(0), est(0.15, 0.05, 0.25))
	return a
}

// oneLabelled has judges with one label of each kind, and rates at the limits of what is said.
func oneLabelled() *report.Calibration {
	c := oneCorrected(40, 12, 30)
	first := c.Rows[0]
	unknown, helps, even, most := first, first, first, first
	unknown.PassRate = &report.CorrectedRate{}
	unknown.Confidence = &report.Confidence{N: 1, Overconfidence: est(0.0005), Brier: est(0.1)}
	helps.BalancedAccuracy, helps.Specificity = est(0.7, 0.5, 0.9), none("one_class")
	helps.Confidence = &report.Confidence{N: 1, Overconfidence: est(-0.0005), Brier: est(0.1)}
	even.BalancedAccuracy, even.N, even.Conversations = est(0.7, 0.51, 0.9), 18, 1
	even.PassRate = &report.CorrectedRate{Naive: est(0.5), LabelsOnly: est(0.5), LabelledFails: 9,
		WantedWidth: 0.1, Corrected: point(0.5, "too_few")}
	most.BalancedAccuracy, most.N, most.Conversations = est(0.4), 20, 10
	most.PassRate = &report.CorrectedRate{Naive: est(0.5), LabelsOnly: est(0.65), LabelledFails: 7,
		FurtherConversations: &truth.More{About: 9, Least: 9, Most: 9}, WantedWidth: 0.1,
		Corrected: none("too_few")}
	c.Rows = append(c.Rows, unknown, helps, even, most)
	c.People = []report.Labeller{{Name: "ann", Random: 1, Picked: 1, Deferred: 1, Revealed: 1}}
	c.Pairs = []report.PeoplePair{{A: "ann", B: "bob", N: 1, Agreed: 1, Kappa: none("too_few")},
		{A: "ann", B: "cem", N: 2, NotApplicable: 1, Kappa: none("too_few")}}
	c.Unlabelled = []report.UnlabelledRubric{{Rubric: "grounded", Note: "label it"}}
	return c
}

// twoOfEach has two judges, one group, turns, and three notes about asking twice.
func twoOfEach() *report.Report {
	r := &report.Report{
		Calibration: &report.Applied{}, Counts: report.Counts{Calls: 3, Conversations: 2},
		Failing: report.Failing{By: report.Instrument{Source: "judge", Judge: "judge-a", Name: "overall", Level: "turn"},
			N: 9, Total: 2, Groups: 1},
		FailureGroups: []report.FailureGroup{{Name: "rude", Count: 2,
			Example: report.FailingItem{CaseRef: report.CaseRef{ConversationID: "c1", Turn: 1}}}},
		Disagreements: report.Disagreements{Total: 1, Items: []report.Disagreement{
			{CaseRef: report.CaseRef{ConversationID: "c1", Turn: 1}, Judge: "judge-a"}}},
	}
	for range 3 {
		r.Noise = append(r.Noise, report.NoiseRow{Judge: "judge-a", Rubric: "overall", Level: "turn", N: 2, Flips: est(0.5)})
	}
	r.Scores = []report.ScoreRow{judged("judge-a", "overall", "turn", 9), judged("judge-b", "overall", "turn", 9),
		labelled("human", "call", 9)}
	return r
}

// manyAnswers has so many rubrics of one judge, with more categories than are listed and one label.
func manyAnswers(n int) *report.Report {
	r := &report.Report{Agreement: []report.AgreementRow{{Judge: "judge-a", Rubric: "tone0",
		Ratings: ratings([][]int{{1}})}}}
	for i := range n {
		row := judged("judge-a", fmt.Sprint("tone", i), "call", 1)
		if i == 1 {
			row.Judged, row.PassRate = 1, est(1)
		}
		for k := range 6 * ((n - i) / n) {
			row.Categories = append(row.Categories, report.CategoryShare{Category: fmt.Sprint("k", k), N: 1, Share: est(0.1)})
		}
		r.Scores = append(r.Scores, row)
	}
	r.Headline.Rates = []report.HeadlineRate{{Judge: "judge-a", Name: "tone1", Level: "turn"}}
	r.Scores = append(r.Scores, judged("judge-b", "overall", "call", 0))
	r.Scores[n].Source = "deterministic"
	return r
}

func unnamed() *report.Comparison {
	c := compared()
	c.Name = ""
	return c
}

// rankedByKappa ranks judges of categories, of which none has a verdict.
func rankedByKappa() *report.TableAgreement {
	t := withoutVerdicts(true)
	t.Ranking = &report.JudgeRanking{Judges: []report.RankedJudge{{Judge: "a", N: 9, Kappa: new(est(0.7))},
		{Judge: "b", N: 9, Kappa: new(est(0.4)), Behind: est(-0.3, -0.5, -0.1), Holm: new(0.01)}}}
	return t
}

// oneSmall splits one judge's rows by tools, of which one is small.
func oneSmall() *report.TableAgreement {
	t := tabled()
	t.Pairs, t.Panels, t.Ranking, t.People = t.Pairs[:1], nil, nil, nil
	return t
}

func threeColumns() *report.TableAgreement {
	t := manyColumns()
	t.Judges, t.Pairs, t.Panel, t.Blind = t.Judges[:3], t.Pairs[:3], nil, nil
	return t
}

// bothWays has a score that got worse, one that got better and one without a clear change.
func bothWays() *report.Comparison {
	c := &report.Comparison{Name: "runs/a", Shared: 2}
	for i, ch := range []report.Change{change(0.8, 0.6, false, 0.01), change(0.6, 0.8, false, 0.01), change(0.5, 0.6,
		true, 0.5)} {
		r := changeRow("judge-a", fmt.Sprint("s", i), report.Change{})
		r.Mean = ch
		c.Rows = append(c.Rows, r)
	}
	return c
}

// led is led by a score with verdicts or without, for which about 100 conversations more are needed.
func led(judge string, verdicts bool) *report.Comparison {
	r := changeRow(judge, "overall", change(0.8, 0.6, false, 0.01))
	r.IsPrimary, r.Conversations = true, 25
	if !verdicts {
		r.PassRate = report.Change{}
	}
	return &report.Comparison{Name: "a", Shared: 25, Rows: []report.ChangeRow{r}}
}

// oneDisagreement has explanations of a call, and of a score that contradicts nothing.
func oneDisagreement() *report.Report {
	d := disagreed()[0]
	d.Judgements = []report.Side{{Name: "intent", Explanation: "not shown"}, {Name: "call", CallIndex: new(0),
		Explanation: "of a call"},
		{Name: "overall", Conflicts: true, Explanation: "of the conflict"}}
	d.References = []report.Side{{Name: "solved", Conflicts: true}, {Name: "ast", CallIndex: new(1),
		Explanation: "of its call"}}
	return &report.Report{Disagreements: report.Disagreements{Total: 2, Items: []report.Disagreement{d}}}
}

// smallDifferences are as small as two decimals show, smaller, and none.
func smallDifferences() *report.Report {
	r := agreed()
	r.Agreement[0].Graded = &report.Graded{Bias: est(0), MAE: est(0.005), RMSE: est(0.0049), CCC: est(0)}
	return r
}
