package words_test

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

func columnCases() []written {
	return []written{
		{"Columns against gold", words.Columns(tabled(), true)},
		{"Many columns against each other, in short", words.Columns(manyColumns(), false)},
		{"Columns of categories", words.Columns(withoutVerdicts(true), true)},
		{"Columns of numbers", words.Columns(withoutVerdicts(false), true)},
		{"Plan for two judges", words.Plan(planned())},
		{"Plan for one judge, nothing varies", words.Plan(&report.Plan{Judges: []report.JudgePlan{{Why: "all pass",
			Conversations: 1,
			Rate: report.HeadlineRate{Kind: "raw", Judge: "judge-a", Name: "overall", Level: "call", N: 1,
				Rate: est(1)}}}})},
	}
}

func pairOf(reference, judge string, n int) report.ColumnPair {
	return report.ColumnPair{AgreementRow: report.AgreementRow{Judge: judge, Rubric: judge, Direction: "both", N: n,
		Verdicts:  n,
		Reference: report.Instrument{Source: "label", Name: reference}, Conversations: 4, Level: "row"}}
}

// tabled compares two judges with gold: one below a constant verdict, one with categories and numbers.
func tabled() *report.TableAgreement {
	good, bad := pairOf("human", "run.good.verdict", 40), pairOf("human", "run.bad.verdict", 40)
	good.Kappa, good.BaseRate, good.Youden = est(0.6, 0.4, 1.2), est(0.75), est(0.5)
	good.Confusion = report.Confusion{BothPass: 28, JudgeOnlyPass: 2, JudgeOnlyFail: 2, BothFail: 8}
	bad.Confusion, bad.Kappa = report.Confusion{BothPass: 10, JudgeOnlyPass: 5, JudgeOnlyFail: 20, BothFail: 5},
		point(-0.2, "one_cluster")
	bad.Warnings = []report.Warning{{Code: "x", Text: "it is below"}}
	good.Ratings = &report.Ratings{Categories: []string{"kind", "rude"}, Matrix: [][]int{{2, 1}, {0, 1}},
		Same:  est(0.75, 0.5, 0.9),
		Kappa: est(0.5, 0.1, 1.2), AC: est(0.6), Recall: []report.Estimate{est(2. / 3), est(1)}}
	good.Graded = &report.Graded{Bias: est(0.001), MAE: est(0.1), RMSE: est(0.2), CCC: est(0.9)}
	good.Numbers = &report.Numbers{MeanReference: est(3), MeanJudge: est(3.001), SD: est(0.5), LimitLow: est(-1),
		LimitHigh: est(1),
		Pearson:   est(0.9), KendallB: est(0.8), ICC: est(0.85, 0.7, 0.9), Alpha: est(0.9, 0.8, 1.3)}
	good.Score = &report.ScoreQuality{AveragePrecision: est(0.7), Best: est(3.5), BestYouden: est(0.6),
		Probability: &report.Confidence{N: 40, AUC: est(0.8, 0.7, 0.9), Brier: est(0.2), Overconfidence: est(0.05)}}
	bad.Confidence = &report.Confidence{N: 9, AUC: est(0.5), Brier: est(0.3), Overconfidence: est(-0.05)}
	always := pairOf("human", "always pass", 40)
	bad.Ratings, always.Ratings = &report.Ratings{Matrix: ratings(make([][]int, 13)).Matrix}, &report.Ratings{}
	always.Accuracy = est(0.75)
	for i, p := range []*report.ColumnPair{&good, &bad} {
		all := *p
		small := report.Stratum{Name: "refund", Small: true, ColumnPair: all}
		p.Splits = []report.Split{{By: "tool", Strata: []report.Stratum{{Name: "search", ColumnPair: all}, small},
			Macro: report.ColumnPair{AgreementRow: report.AgreementRow{Kappa: est(0.3), Direction: "both",
				Ratings: &report.Ratings{}}}}}
		for k := range 40 * i {
			p.Splits[0].Strata = append(p.Splits[0].Strata, report.Stratum{Name: fmt.Sprint("t", k), Small: k < 1,
				ColumnPair: all})
		}
	}
	return &report.TableAgreement{
		Table: report.TableSource{Name: "v.csv", Rows: 41, Problems: []string{"line 7"}}, Gold: "human", Alpha: 0.1,
		By:     []string{"tool"},
		Judges: []string{good.Judge, bad.Judge}, Cluster: "conversation", Clusters: 12,
		Reading: report.TableReading{Kinds: []string{"verdicts", "categories"}, Scale: "ordinal",
			Categories: []string{"kind", "rude"},
			Threshold:  "from 3", GoldCut: "from 4"},
		Columns: []report.TableColumn{{Name: "human", Role: "gold", Numbers: 3, Pass: []report.WordCount{{Word: "yes",
			Count: 9}, {Count: 2}},
			Fail: []report.WordCount{{Word: "no", Count: 1}}, Unknown: []report.WordCount{{Word: "?", Count: 1}},
			NoValues: []report.WordCount{{Word: "NA", Count: 4}}}},
		Pairs: []report.ColumnPair{good, bad}, Panels: []report.ColumnPair{always},
		Ranking: &report.JudgeRanking{Judges: []report.RankedJudge{{Judge: bad.Judge, N: 40, Youden: est(-0.2)},
			{Judge: good.Judge, N: 40, Youden: est(0.5), Behind: point(-0.1, "one_cluster"), Holm: new(0.04)},
			{Judge: "always pass", N: 40}}},
		People: []report.JudgeLikeness{{Judge: good.Judge, N: 9, HumanLikeness: report.HumanLikeness{Judge: est(0.8),
			People:     est(0.9),
			Difference: est(-0.1, -0.2, -0.01)}}},
		Warnings: []report.Warning{{Code: "y", Text: "rows are missing"}},
	}
}

// manyColumns compares four judges without gold, so that each pair has a short name.
func manyColumns() *report.TableAgreement {
	t := &report.TableAgreement{Table: report.TableSource{Name: "v.csv", Rows: 1}, Alpha: 0.05,
		Reading: report.TableReading{
			Kinds: []string{"verdicts"}, Scale: "nominal"}}
	for i := range 4 {
		t.Judges = append(t.Judges, fmt.Sprintf("run.j.%d.x.verdict", i))
		for k := range i {
			p := pairOf(t.Judges[k], t.Judges[i], 30)
			p.Kappa = est(0.1 * float64(i+k))
			p.Warnings = []report.Warning{{Code: "few", Text: "only 30 rows"}}
			if i == 3 {
				p.Warnings = append(p.Warnings, report.Warning{Code: "odd", Text: "odd"})
			}
			if k == 2 {
				p.Warnings = append(p.Warnings, report.Warning{Code: "once", Text: "once"})
			}
			t.Pairs = append(t.Pairs, p)
		}
	}
	t.Blind = &report.BlindRanking{Judges: []report.BlindRank{{Judge: t.Judges[2], ByFails: 2, PassRate: est(0.5),
		MeanKappa: est(0.4),
		Majority:  est(0.9)}, {Judge: t.Judges[0], ByFails: 1}}}
	t.Panel = &report.ConsensusRow{Judges: t.Judges, N: 30, Same: est(0.8), Fleiss: point(0.5, "one_cluster"),
		Gwet:    est(0.6, 0.5, 0.7),
		Nominal: est(0.5, 0.2, 1.2)}
	return t
}

// withoutVerdicts has columns of categories, or of numbers.
func withoutVerdicts(categories bool) *report.TableAgreement {
	ordinal, nominal, plain := pairOf("human", "a", 9), pairOf("human", "b", 9), pairOf("human", "c", 9)
	ordinal.Ratings = &report.Ratings{Quadratic: est(0.7, 0.5, 1.1), Kappa: est(0.5), WithinOne: est(0.9)}
	nominal.Ratings = &report.Ratings{Kappa: est(0.4, 0.2, 1.1)}
	plain.Graded = &report.Graded{Bias: est(0.001)}
	plain.Numbers = &report.Numbers{MeanReference: est(3)}
	t := &report.TableAgreement{Gold: "human", Judges: []string{"a", "b"}, Pairs: []report.ColumnPair{ordinal, nominal}}
	if !categories {
		t.Judges, t.Pairs = []string{"c"}, []report.ColumnPair{plain}
	}
	for i := range t.Pairs {
		t.Pairs[i].Verdicts = 0
	}
	return t
}

func planned() *report.Plan {
	rate := report.HeadlineRate{Kind: "raw", Judge: "judge-a", Name: "overall", Level: "call", N: 64, Rate: est(0.8,
		0.7, 0.9)}
	whole := rate
	whole.Level, whole.Judge = "conversation", "judge-b"
	labels := []report.LabelPlan{{PerConversation: 1, Conversations: new(400), Labels: new(400),
		JudgedConversations: new(250),
		JudgedLabels:        new(250)}, {PerConversation: 2}, {Conversations: new(300), Labels: new(900)}}
	return &report.Plan{RunID: "r1", Drop: 0.05, Power: 0.8, HalfWidth: 0.025, Judges: []report.JudgePlan{
		{Rate: rate, Conversations: 20, ICC: 0.25, Youden: est(0.5, 0.3, 0.7), Reference: "human", OtherTasks: new(900),
			SameTasks:  new(300),
			DropLabels: labels, WidthLabels: labels[1:]},
		{Rate: whole, Conversations: 20, Youden: est(0), Reference: report.PeopleLabel, OtherTasks: new(1),
			WidthLabels: labels[:1]},
		{Rate: whole, Conversations: 20, Youden: none("no_items"), OtherTasks: new(1), SameTasks: new(1)},
	}}
}
