package words_test

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/value"
)

func scoreCases() []written {
	r := scored()
	one := &report.Report{Scores: r.Scores[:1], Headline: r.Headline}
	out := []written{{"Answers of one judge", words.Answers(categorized(1))}, {"Answers of two judges",
		words.Answers(categorized(2))},
		{"Answers that the headline has", append(words.Answers(one), "none")},
		{"A row of scores in a line", []string{words.ScoreSummary(r, &r.Scores[2]), words.NoScores(&r.Scores[2])}},
		{"Costs", costs()}, {"Measured figures", estimates()}}
	for _, name := range []string{"Scores", "Size", "Tools", "Parameters", "Funnel", "Metrics", "Categories",
		"Second looks", "Flags",
		"Quotes", "Counts", "Instruments", "Gates", "Doubts"} {
		s := words.SectionNamed(r, name)
		switch name {
		case "Gates":
			s = words.Page(r).Sections[0]
		case "Categories":
			s = words.SectionNamed(categorized(1), name)
		}
		out = append(out, written{"Section: " + name, s})
	}
	return out
}

// scored has scores of every kind of instrument, and what belongs beside them.
func scored() *report.Report {
	of := func(source, name, judge, level string) report.Instrument {
		return report.Instrument{Source: source, Name: name, Judge: judge, Level: level}
	}
	size := report.Detectable{FromTarget: est(0.05), BetweenRuns: est(0.0712)}
	r := &report.Report{Alpha: 0.05,
		Run: report.Run{Version: "1.2",
			Judges: []report.Judge{{Name: "judge-a", Model: "model-a", Prompt: "p7"}, {Name: "rules", Baseline: true}},
			Rubrics: []report.Rubric{{Name: "overall", Min: 1, Max: 5, Low: new(3.0), High: new(5.0), SeesExpected: true,
				SHA: "0123456789abcdef0123"}, {Name: "polite", Max: 1}},
			Scorers:    []report.Scorer{reporttest.Scorer("ast_equivalence"), reporttest.Scorer("schema_check")},
			Thresholds: []string{"overall=4:", "polite=1:"},
			Inputs: []report.Input{{Path: "a.jsonl", Format: "openai", Conversations: 3, Calls: 9}, {Path: "b.jsonl",
				Conversations: 1, Calls: 1}}},
		Scores: []report.ScoreRow{
			{Instrument: of("judge", "overall", "judge-a", "call"), N: 40, Judged: 40, Mean: est(4.5, 3.9, 5.1), Min: new(1.0),
				Max: new(5.0), PassRate: est(0.775, 0.6, 0.9), Detectable: size},
			{Instrument: of("judge", "solved", "judge-a", "conversation"), N: 12, Judged: 12, PassRate: point(0.5,
				"one_cluster"),
				Mean: none("no_items"), Unscored: 1, Errors: 2, ErrorRate: est(0.2), Unreliable: true, Detectable: size},
			{Instrument: of("judge", "kind", "judge-a", "turn"), N: 9, Unscored: 2, Errors: 1, NotApplicable: 4,
				ErrorRate: est(0.01)},
			{Instrument: of("judge", "worked", "judge-a", "result"), N: 9, Judged: 1, PassRate: est(1), Detectable: size},
			{Instrument: of("deterministic", "ast_equivalence", "", "call"), N: 40, Judged: 40, PassRate: est(0.85),
				Detectable: size},
			{Instrument: of("deterministic", "schema_check", "", "call"), N: 40, Judged: 40, PassRate: est(0.9),
				Detectable: size},
			{Instrument: of("label", "human", "", "conversation"), N: 9, Judged: 9, PassRate: est(0.5)},
			{Instrument: report.Instrument{Source: "judge", Name: "form", Judge: "judge-a", Level: "call", Purpose: "qa"}, N: 4,
				Judged: 4, PassRate: est(0.5), Detectable: size},
			{Instrument: report.Instrument{Source: "judge", Name: "overall", Judge: "judge-a", Metric: "depth",
				Level: "call"}, N: 4,
				Judged: 4, PassRate: est(0.5), Detectable: size},
		},
		Headline: report.Headline{Rates: []report.HeadlineRate{{Kind: "raw", Judge: "judge-a", Name: "overall",
			Level: "call", N: 40}}},
	}
	r.Run.Scorers[0].DisplayName, r.Run.Scorers[1].DisplayName = "the same call", ""
	addTools(r)
	addChecks(r)
	addCounts(r)
	return r
}

func addTools(r *report.Report) {
	gold := report.Instrument{Source: "label", Name: "human", Level: "call"}
	row := report.AgreementRow{Judge: "judge-a", Rubric: "overall", Reference: gold, Level: "call", Direction: "both",
		N: 70, Verdicts: 70,
		Accuracy: est(0.8), Kappa: est(0.5), Confusion: report.Confusion{BothPass: 40, JudgeOnlyPass: 5, JudgeOnlyFail: 5,
			BothFail: 20},
		ByTool: []report.ToolPair{
			{Tool: "refund", N: 40, BaseRate: est(0.6), JudgeRate: est(0.7, 0.5, 0.8), Agreement: est(0.7, 0.6, 0.8),
				Kappa:     est(0.4, 0.1, 1.2),
				Confusion: report.Confusion{BothPass: 20, JudgeOnlyPass: 5, JudgeOnlyFail: 3, BothFail: 12}, P: new(0.03)},
			{Tool: "search", N: 29, Small: true, BaseRate: est(0.9), Agreement: est(0.95), P: new(0.2)}}}
	pass, fail := row, row
	pass.Judge, pass.Reference.Source, pass.Reference.Name, pass.Direction = "judge-b", "deterministic",
		"ast_equivalence", "pass"
	fail.Judge, fail.Reference.Source, fail.Reference.Name, fail.Direction = "judge-c", "deterministic",
		"schema_check", "fail"
	alone := row
	alone.Judge, alone.ByTool = "judge-d", row.ByTool[:1]
	r.Agreement = []report.AgreementRow{row, pass, fail, alone}
	for _, judge := range []string{"judge-b", "judge-c", "judge-d"} {
		r.Scores = append(r.Scores, report.ScoreRow{Instrument: report.Instrument{Source: "judge", Name: "overall",
			Judge: judge, Level: "call"}})
	}
	half := new(0.5)
	r.ByParameter = []report.ToolParameters{{Tool: "refund", Parameters: []report.Parameter{
		{Parameter: "id", N: 9, Present: 9, Equal: 9}, {Parameter: "amount", N: 4, Present: 3, Equal: 2,
			PresenceRate: new(0.75), ValueRate: half},
		{Parameter: "note", Invented: 3}}}}
	r.Funnel = &report.Funnel{Cases: 1, Layers: []report.Layer{
		{Layer: "schema", N: 20, Passed: 18, Rate: est(0.9, 0.7, 1), Lost: 2, ByTool: []report.Loss{{Tool: "refund",
			Count: 2}}},
		{Layer: "ast", N: 20, Passed: 18, Rate: est(0.9), Lost: 12, ByTool: []report.Loss{{Tool: "(no tool)", Count: 1},
			{Tool: "a", Count: 1},
			{Tool: "b", Count: 1}, {Tool: "c", Count: 1}, {Tool: "d", Count: 1}, {Tool: "e", Count: 7}}}},
		Alternatives: &report.Crossing{Count: 7}, Misleading: &report.Crossing{Count: 1,
			Cases: []report.CaseRef{caseOf("c9", -1, "", "")}}}
	for i := range 6 {
		r.Funnel.Alternatives.Cases = append(r.Funnel.Alternatives.Cases, caseOf(fmt.Sprint("c", i), -1, "", ""))
	}
	r.Metrics = []report.Metric{{Scorer: "f1", Name: "macro", N: 9, Value: new(0.12345)}, {Scorer: "f1", Name: "none",
		Note: "no labels"},
		{Scorer: "f1", Name: "table", N: 9, Table: value.OfInt(7)}}
}

func addChecks(r *report.Report) {
	r.JudgeChecks = []report.CheckRow{
		{Judge: "judge-a", Rubric: "overall", N: 40, Severe: est(0.1, 0.05, 0.2), Repaired: report.Part{N: 2, Mean: est(3)},
			Clean: report.Part{N: 38, Mean: est(4)}, Flags: []report.FlagRate{{Code: "ungrounded", Count: 4}, {Code: "vague",
				Count: 1}},
			Shortened: report.Part{N: 1, Mean: est(2), PassRate: est(0.5, 0.1, 0.9)}, Quotes: report.Quotes{N: 9,
				Invented: est(0.125)},
			Corrections: report.Corrections{Effects: []report.KindCount{{Kind: "repaired", Count: 3}, {Kind: "worse",
				Count: 1}}, Known: 2,
				MatchesExpected: est(0.5), N: 4, Gain: est(0.25)},
			Policies: report.Policies{Answers: 40, Escalated: 9, Borderline: 4, LowConfidence: 3, SevereFlag: 2, Missing: 1,
				AsIs:    est(0.775),
				Abstain: est(0.8), Lowest: est(0.6), Highest: est(0.9)}},
		{Judge: "judge-a", Rubric: "polite", N: 1, Shortened: report.Part{N: 2}, Corrections: report.Corrections{Known: 1},
			Policies: report.Policies{Answers: 1, Escalated: 1, Lowest: none("no_items")}},
		{Judge: "judge-a", Rubric: "idle", Quotes: report.Quotes{}, Policies: report.Policies{Lowest: est(0.5)}},
		{Judge: "judge-a", Rubric: "fixes", N: 3,
			Corrections: report.Corrections{Effects: []report.KindCount{{Kind: "worse", Count: 1}}}, Flags: nineFlags(),
			Policies: report.Policies{Answers: 3, Escalated: 1, Missing: 1, Lowest: est(0.5)}}}
	r.Agreement[0].Abstain = &report.Abstention{N: 31, Coverage: est(0.775), Accuracy: est(0.9, 0.8, 1),
		RecallWrong: est(1)}
	r.Agreement[0].RecallWrong = est(0.8)
	r.Agreement = append(r.Agreement, report.AgreementRow{Judge: "judge-a", Rubric: "polite", Level: "call",
		Direction: "both", N: 9, Verdicts: 9,
		Reference: r.Agreement[0].Reference, Abstain: &report.Abstention{N: 3}}) // a second rubric does not lead
}

func addCounts(r *report.Report) {
	r.Counts = report.Counts{Conversations: 12, Calls: 4, Scores: 90, Requests: 30, Cached: 7, Repaired: 2,
		PromptTokens:     1000,
		CompletionTokens: 101, ReasoningTokens: 50, Costs: []report.Cost{{Judge: "judge-a", Cost: new(1.239),
			PromptTokens: 10}, {Judge: "rules"}},
		Unscored: []report.KindCount{{Kind: "truncated", Source: "judge", Count: 3}},
		Notes:    []report.KindCount{{Kind: "odd_role", Count: 2}}}
	r.Gates = []report.GateResult{{Line: "pass  a", Passed: true}, {Line: "FAIL  b"}, {Line: "pass  c", Passed: true}}
	r.Warnings = []report.Warning{{Code: "a", Text: "the judge is small"}}
}

func costs() []string {
	return []string{
		words.Cost(&report.Cost{}),
		words.Cost(&report.Cost{Cost: new(1.239), PromptTokens: 1000, CachedTokens: 400, CompletionTokens: 20}),
		words.Cost(&report.Cost{Cost: new(0.5), PromptTokens: 10, Uncounted: 1}),
	}
}

// categorized has questions without verdicts, by so many judges.
func categorized(judges int) *report.Report {
	r := &report.Report{Agreement: []report.AgreementRow{
		{Judge: "judge-x", Rubric: "tone", Ratings: ratings([][]int{{9}})}, {Judge: "judge-0", Rubric: "tone"},
		{Judge: "judge-0", Rubric: "tone", Ratings: ratings([][]int{{4, 1}, {1, 3}})},
		{Judge: "judge-0", Rubric: "mood", Ratings: &report.Ratings{}}}}
	for j := range judges {
		of := func(name, level string) report.Instrument {
			return report.Instrument{Source: "judge", Name: name, Judge: fmt.Sprint("judge-", j), Level: level}
		}
		qa := of("form", "call")
		qa.Purpose = "qa"
		r.Scores = append(r.Scores,
			report.ScoreRow{Instrument: of("tone", "turn"), N: 9, Categories: []report.CategoryShare{
				{Category: "kind", N: 5, Share: est(5./9, 0.2, 0.8)}, {Category: "rude", N: 4, Share: point(4./9, "too_few")}}},
			report.ScoreRow{Instrument: of("mood", "turn"), N: 1, Categories: []report.CategoryShare{{Category: "good", N: 1,
				Share: est(1)}}},
			report.ScoreRow{Instrument: of("asked", "conversation"), N: 24, Judged: 24, PassRate: est(0.58, 0.4, 0.7),
				Applies: &report.Counted{Count: 24, Of: 30, Rate: est(0.8, 0.6, 0.9)}},
			report.ScoreRow{Instrument: of("idle", "call"), Applies: &report.Counted{Of: 1, Rate: est(0)}},
			report.ScoreRow{Instrument: of("nothing", "call")}, report.ScoreRow{Instrument: qa, N: 3},
			report.ScoreRow{Instrument: of("length", "call"), N: 64, Mean: est(2.7, 2.3, 3)},
			report.ScoreRow{Instrument: of("intent", "call"), N: 9, Judged: 9, PassRate: est(1)},
			report.ScoreRow{Instrument: of("overall", "call"), N: 9, Judged: 9, PassRate: est(0.5)},
			report.ScoreRow{Instrument: of("whole", "conversation"), N: 9, Judged: 9, PassRate: est(0.5)})
	}
	r.Headline.Rates = []report.HeadlineRate{{Judge: "judge-0", Name: "whole", Level: "conversation"},
		{Judge: "judge-0", Name: "x", Level: "turn"}}
	return r
}

// reasons has every reason why a number is undefined, in words.
func reasons() (out []string) {
	for _, reason := range []string{"no_items", "one_class", "zero_variance", "no_chance_disagreement", "too_few",
		"not_applicable", "not_finite", "no_verdicts", "no_threshold", "categories", "off_scale", "no_sample", "small_j",
		"circular", "one_cluster", "one_cluster_decides", "no_disagreement", "few_rare", "few_varied", "no_gold",
		"too_many_values"} {
		out = append(out, words.Why(none(reason)))
	}
	return out
}

// ratings has a matrix of categories k0, k1, …
func ratings(matrix [][]int) *report.Ratings {
	r := &report.Ratings{Matrix: matrix}
	for i := range matrix {
		r.Categories, r.Recall = append(r.Categories, fmt.Sprint("k", i)), append(r.Recall, est(0.8))
	}
	return r
}

func estimates() []string {
	return []string{
		words.PercentEstimate(est(0.61, 0.52, 0.7)), words.PercentEstimate(point(0.61, "too_few")),
		words.PercentEstimate(none("no_items")),
		words.Estimate(point(0.61, "too_few")), words.Estimate(none("something")),
		"these have no value: " + strings.Join(reasons(), "; "),
		words.P(nil), words.P(new(0.0009)), words.P(new(0.001)), words.P(new(0.25)),
		words.Fixed(-0.001, 2), words.Fixed(-0.5, 1), words.Count(1, "ox", "oxen"), words.Count(0, "ox", "oxen"),
		words.Some([]string{"a", "b", "c"}, 3), words.Some([]string{"a", "b", "c", "d"}, 3),
		words.Shorten(strings.Repeat("x", 5), 5),
		words.Shorten(strings.Repeat("x", 6), 5), words.Shorten("a\u202eb", 5),
		words.CSVCell("=1+1"), words.CSVCell("-3.5"), words.CSVCell("  @x"), words.CSVCell("a=b"), words.CSVCell(" "),
		words.UnlikeRates("judge-a", "", 0.9, 0.75, 0.0004), words.UnlikeRates("judge-a", "human", 0.9, 0.75, 0.005),
		words.CallsInText(1), words.CallsInText(2), words.ReferenceConflicts(1), words.ReferenceConflicts(3),
	}
}

func nineFlags() (out []report.FlagRate) {
	for i := range 9 {
		out = append(out, report.FlagRate{Code: fmt.Sprint("f", i), Count: 1})
	}
	return out
}
