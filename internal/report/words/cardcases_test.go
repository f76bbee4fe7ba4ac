package words_test

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/agreement/truth"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
)

func cardCases() []written {
	return []written{
		{"First screen: much is wrong", words.Card(manyDoubts(), "runs/a b")},
		{"First screen: one of each", words.Card(oneOfEach(), "runs/x")},
		{"First screen: gates pass, nothing fails", words.Card(passing(), "")},
		{"Names of rubrics", rubricNames()},
		{"Next steps", nextSteps()},
		{"Disagreements, by who they contradict", betweens()},
		{"Missing scores", missing()},
		{"Benchmarks that count crashed runs as 0", zeros()},
		{"Groups of failing calls", groupNames()},
		{"The section of groups", words.SectionNamed(manyDoubts(), "Why calls fail")},
		{"Logs by name", []string{words.LogNames([]report.Input{{Path: "logs/a.jsonl"}, {Path: "-"}, {Path: "c"}}),
			words.LogNames([]report.Input{{Path: "logs/a.jsonl"}, {Path: "b.jsonl"}})}},
	}
}

func judged(judge, rubric, level string, n int) report.ScoreRow {
	return report.ScoreRow{Instrument: report.Instrument{Source: "judge", Name: rubric, Judge: judge, Level: level}, N: n,
		Mean: est(2.5)}
}

// labelled is the row of a label, whose verdicts are n.
func labelled(name, level string, n int) report.ScoreRow {
	return report.ScoreRow{Instrument: report.Instrument{Source: "label", Name: name, Level: level}, N: n, Judged: n,
		PassRate: est(0.5)}
}

func manyDoubts() *report.Report {
	r := &report.Report{
		Counts: report.Counts{Calls: 1, Conversations: 1, Unscored: []report.KindCount{
			{Kind: "truncated", Source: "judge", Count: 1, First: "c1 call 0: cut off."}}},
		Run: report.Run{ID: "r", Judges: []report.Judge{{Name: "judge-b", Baseline: true}},
			Rubrics: []report.Rubric{{Name: "overall"}, {Name: "polite"}, {Name: "safe"}, {Name: "short"}, {Name: "true"}}},
		Stopped: []report.Stop{{Judge: "judge-a", Rubric: "overall", Judgements: 5, Kind: "refusal", Error: "no.",
			Place: "c1"},
			{Judge: "judge-b", Rubric: "overall", Judgements: 5, Kind: "odd", Error: "what", Place: "c1",
				Reply: "I  am\nsorry."}},
		Gates: []report.GateResult{{Score: "a", Measure: "min_mean"}, {Score: "b", Measure: "min_mean", Passed: true},
			{Score: "c", Measure: "min_mean"}, {Score: "d", Measure: "min_mean"}, {Score: "e", Measure: "min_mean"}},
		Failing: report.Failing{By: report.Instrument{Source: "judge", Judge: "judge-a", Name: "overall", Level: "call"},
			N: 40, Total: 9, Groups: 4},
		FailureGroups: []report.FailureGroup{
			{ID: "g1", Name: "refund: amount is missing", Count: 5, Share: 5. / 9, First: caseOf("c1", 0, "refund", "a.jsonl:1"),
				Example: report.FailingItem{CaseRef: caseOf("c2", 3, "refund", "")}},
			{ID: "g2", Name: "fails polite", Count: 3, Share: 3. / 9, Given: &report.GivenName{Name: "too short",
				Sentence: "It says one word.", Model: "model-x"}, First: caseOf("c1", 1, "say", ""),
				Example: report.FailingItem{CaseRef: caseOf("c1", 1, "say", "")}},
		},
		Disagreements: report.Disagreements{Total: 3, Calls: 1, Items: []report.Disagreement{
			{CaseRef: caseOf("c1", 2, "", "logs/a.jsonl:1"), Judge: "judge-a", Direction: report.JudgePasses},
			{CaseRef: report.CaseRef{ConversationID: "c1", Turn: 2}, Judge: "judge-a"},
			{CaseRef: caseOf("c1", -1, "", ""), Judge: "judge-a"}, {CaseRef: caseOf("c9", -1, "", ""), Judge: "judge-a"}}},
		Noise: []report.NoiseRow{
			{Judge: "judge-a", Rubric: "overall", Level: "call", N: 1, Flips: est(0)},
			{Judge: "judge-a", Rubric: "overall", Level: "call", N: 30, Flips: est(0.1, 0.02, 0.2), Together: true},
			{Judge: "judge-a", Rubric: "polite", Level: "call", N: 30, Flips: est(0.1)},
			{Judge: "judge-b", Rubric: "overall", Level: "call", N: 30, Flips: none("no_items")}},
		Calibration: &report.Applied{Calibration: report.Calibration{RunID: "r7", Rows: []report.CalibrationRow{
			{Judge: "judge-a", Rubric: "overall", CutInUse: new(0.75)}, {Judge: "judge-b", Rubric: "overall"},
			{Judge: "judge-b", Rubric: "polite", CutInUse: new(3.0)}}}},
		Warnings: []report.Warning{{Code: "baseline", Text: "not shown"}, {Code: "a", Text: "one"}, {Code: "b", Text: "two"},
			{Code: "c", Text: "three"}, {Code: "d", Text: "four"}},
		Comparisons: []*report.Comparison{{Name: "runs/a"}, {A: report.Run{ID: "r2"}}, {Name: "runs/c"}},
	}
	for _, judge := range []string{"judge-a", "judge-b", "judge-c", "judge-d"} {
		r.Scores = append(r.Scores, judged(judge, "overall", "call", 40))
		r.Headline.Rates = append(r.Headline.Rates, report.HeadlineRate{Kind: report.RawRateKind, Judge: judge,
			Name:  "overall",
			Level: "call", N: 40, Rate: est(0.775, 0.6, 0.9)})
		r.Headline.Trust = append(r.Headline.Trust, report.HeadlineTrust{Judge: judge, Rubric: "overall", Level: "call",
			Reference: report.Instrument{Source: "label", Name: "gold"}, Direction: "both",
			Found: &report.Counted{Count: 5, Of: 9, Rate: est(0.556)}, Kept: &report.Counted{Count: 4, Of: 4, Rate: est(1)}})
	}
	return r
}

// oneOfEach has one item, one label of a person and one further group.
func oneOfEach() *report.Report {
	r := &report.Report{
		Counts: report.Counts{Calls: 2, Conversations: 2},
		Run:    report.Run{ID: "r", Rubrics: []report.Rubric{{Name: "overall"}}},
		Gates:  []report.GateResult{{Score: "a", Measure: "min_mean", Passed: true}},
		Failing: report.Failing{By: report.Instrument{Source: "judge", Judge: "judge-a", Name: "overall", Level: "call"},
			N: 40, Total: 1, Groups: 1, Items: []report.FailingItem{{CaseRef: caseOf("it's", 1, "", "")}}},
		Disagreements: report.Disagreements{Total: 1, Calls: 1, Items: []report.Disagreement{
			{CaseRef: caseOf("c1", 2, "", ""), Judge: "judge-a", References: []report.Side{{Name: "gold", Conflicts: true}}}}},
	}
	r.Scores = []report.ScoreRow{judged("judge-a", "overall", "call", 40), labelled("gold", "call", 1),
		labelled(report.PeopleLabel, "call", 1)}
	return r
}

// passing is a run in which nothing fails: neither a gate nor a call.
func passing() *report.Report {
	r := &report.Report{
		Counts: report.Counts{Calls: 40, Conversations: 12},
		Run:    report.Run{Rubrics: []report.Rubric{{Name: "overall"}}},
		Gates:  []report.GateResult{{Score: "a", Passed: true}, {Score: "b", Passed: true}},
		Failing: report.Failing{By: report.Instrument{Source: "deterministic", Name: "ast_equivalence", Level: "call"},
			N: 40},
	}
	r.Scores = []report.ScoreRow{labelled("reward", "conversation", 3), labelled("db_match", "conversation", 3),
		{Instrument: r.Failing.By, N: 40, Judged: 40, PassRate: est(1, 0.9, 1)},
		{Instrument: report.Instrument{Source: "label", Name: report.PeopleLabel, Level: "call"}, N: 2, NotApplicable: 1}}
	return r
}

// rubricNames has what a first screen says about rubrics whose names are short, long and unknown.
func rubricNames() (out []string) {
	long := strings.Repeat("r", 28)
	for _, list := range [][]string{{long + "1", long + "2"}, {long + "1", long + "22"}, {"a", "b?"}, {"a", "", "b"}} {
		r := &report.Report{}
		for _, name := range list {
			if known, unknown := strings.CutSuffix(name, "?"); !unknown && name != "" {
				r.Run.Rubrics = append(r.Run.Rubrics, report.Rubric{Name: known})
			}
			if name != "" {
				r.Scores = append(r.Scores, judged("j", strings.TrimSuffix(name, "?"), "call", 1))
			}
		}
		out = append(out, words.Card(r, "")[0].Lines[0])
	}
	return out
}

// nextSteps lists the commands of runs that have cases of several kinds, and no calls.
func nextSteps() (out []string) {
	for _, of := range []struct {
		run, level string
		c          report.CaseRef
	}{
		{"runs/x", "turn", report.CaseRef{ConversationID: "c1", Turn: 2}}, {"runs/x", "conversation", caseOf("c1", -1, "",
			"")},
		{"runs/x", "result", caseOf("c1", 0, "", "")}, {"runs/x", "other", report.CaseRef{}},
		{strings.Repeat("x", 80), "call", caseOf(strings.Repeat("c", 60), 0, "", "")},
		{strings.Repeat("x", 81), "call", caseOf(strings.Repeat("c", 61), 0, "", "")},
	} {
		r := &report.Report{Failing: report.Failing{Items: []report.FailingItem{{CaseRef: of.c}}}}
		r.Scores = []report.ScoreRow{judged("j", "overall", of.level, 3)}
		facts := words.Card(r, of.run)
		out = append(append(out, facts[len(facts)-1].Lines...), "")
	}
	return out
}

func betweens() []string {
	gold := []report.Side{{Name: "seen"}, {Name: "gold", Conflicts: true}}
	yours := []report.Side{{Name: report.PeopleLabelOf("overall"), Conflicts: true}}
	return []string{
		words.Between(&report.Disagreement{Judge: "a", Direction: report.JudgePasses, References: gold}),
		words.Between(&report.Disagreement{Judge: "a", Direction: report.JudgeFails, References: yours}),
		words.Between(&report.Disagreement{Judge: "a", Direction: report.JudgeFails}),
		words.Between(&report.Disagreement{Judge: "a", OtherJudges: []string{"b"}, Direction: report.JudgePasses,
			References: yours}),
		words.Between(&report.Disagreement{Judge: "a", OtherJudges: []string{"b", "c", "d"}, References: gold}),
	}
}

func missing() []string {
	r := &report.Report{Counts: report.Counts{Unscored: []report.KindCount{
		{Kind: "stopped", Source: "judge", Count: 3, First: "not shown"}, {Kind: "no_rule", Source: "judge", Count: 2,
			First: "not shown"},
		{Kind: "refusal", Source: "judge", Count: 1}, {Kind: "no_cases", Source: "deterministic", Count: 1, First: "c2: no."},
		{Kind: "nothing", Source: "label", Count: 9}}}}
	for i := range 6 {
		r.Counts.Unscored = append(r.Counts.Unscored, report.KindCount{Kind: fmt.Sprint("k", i), Source: "judge",
			Count: 1, First: "c1"})
	}
	for _, kind := range []string{"invalid_json", "schema_violation", "truncated", "whitespace_loop", "truncated_in_thought",
		"context_cut", "context", "canary"} {
		r.Stopped = append(r.Stopped, report.Stop{Judge: "j", Rubric: "overall", Judgements: 5, Kind: kind, Place: "c1",
			Error: "it failed", Reply: "a reply."})
	}
	out := words.Missing(r)
	r.Stopped = nil
	r.Counts.Unscored = []report.KindCount{{Kind: "x", Source: "deterministic", Count: 2}, {Kind: "y", Source: "judge",
		Count: 1}}
	return append(out, words.Missing(r)...)
}

func zeros() []string {
	row := func(n, crashed, unscored, failed int, mean report.Estimate) *report.ScoreRow {
		return &report.ScoreRow{Instrument: report.Instrument{Name: "reward"}, N: n, CountedZero: crashed, Unscored: unscored,
			Errors: failed, Mean: mean, MeanWithZeros: new(0.4)}
	}
	return []string{
		"none: " + words.Zeros(&report.ScoreRow{}),
		words.Zeros(row(8, 2, 0, 0, est(0.5))), words.Zeros(row(8, 1, 2, 3, est(0.5))), words.Zeros(row(0, 1, 0, 0,
			none("no_items"))),
	}
}

func groupNames() []string {
	var out []string
	for _, g := range []report.FailureGroup{
		{Kind: "args: required", Parameter: "amount", Tool: "refund"}, {Kind: "args: required", Tool: "refund"},
		{Kind: "args: type", Parameter: "amount", Message: "is a string, must be number", Tool: "refund"},
		{Kind: "args: type", Parameter: "amount", Tool: "refund"}, {Kind: "args: enum", Parameter: "size", Message: "unused"},
		{Kind: "args: enum"}, {Kind: "args: odd", Parameter: "size"}, {Kind: "overall", Message: "the order is wrong"},
		{Kind: "required", Parameter: "size"}, {Kind: "overall", Tools: []string{"a", "b", "c"}}, {Kind: "overall",
			Tools: []string{"a"}},
	} {
		out = append(out, words.GroupName(&g, ""))
	}
	for _, keyword := range []string{"const", "additionalProperties", "format", "pattern", "arguments", "name"} {
		out = append(out, words.GroupName(&report.FailureGroup{Kind: "args: " + keyword, Parameter: "size"}, "unused"))
	}
	return append(out, words.GroupName(&report.FailureGroup{Kind: "order"}, "in the wrong order"))
}

func rateCases() []written {
	people := report.Instrument{Source: "label", Name: report.PeopleLabel}
	few := &truth.More{About: 1, Least: 1, Most: 1}
	some := &truth.More{About: 70, Least: 55, Most: 123}
	raw := est(0.9)
	rates := []report.HeadlineRate{
		{Kind: "raw", Judge: "judge-a", Name: "overall", Level: "call", N: 1, Rate: est(0.004)},
		{Kind: "raw", Judge: "judge-a", Name: "overall", Level: "call", N: 64, Rate: est(0.9951, 0.9, 1)},
		{Kind: "corrected", Judge: "judge-a", Name: "overall", Level: "call", N: 64, Labels: 1, Rate: est(0.7, 0.6, 0.8),
			Raw:           &raw,
			FurtherLabels: some},
		{Kind: "corrected", Judge: "judge-a", Name: "overall", Level: "call", N: 64, Labelled: 30, Rate: est(0.7), Raw: &raw,
			FurtherLabels: few},
		{Kind: "corrected", Judge: "judge-a", Name: "overall", Level: "call", N: 64, Labels: 40, Rate: est(0.7, 0.6, 0.8),
			Raw:           &raw,
			FurtherLabels: &truth.More{}},
		{Kind: "label", Name: people.Name, Level: "call", N: 40, Labels: 40, Rate: est(0.7, 0.6, 0.8), Raw: &raw,
			FurtherLabels: few},
		{Kind: "label", Name: report.PeopleLabelOf("polite"), Level: "turn", N: 40, Labels: 40, Rate: point(0.7, "no_sample"),
			FurtherLabels: &truth.More{}},
		{Kind: "label", Name: "human", Level: "conversation", N: 40, Rate: est(0.5, 0.4, 0.6)},
	}
	var page []string
	for i := range rates {
		page = append(page, words.RateOf(&rates[i])+": "+words.RateLine(&rates[i], 0.05))
	}
	return []written{
		{"Rates on the page", page},
		{"Rates that a first screen shows", shownRates(rates)},
		{"Shares near 0 and 1", sharesNearEnds()},
		{"How far a judge can be trusted", trusts()},
		{"What is not known of a judge", untrusteds()},
		{"Rates without a judge", noRates()},
	}
}

// shownRates has one line for each first screen: what it lists under the agent's rate.
func shownRates(rates []report.HeadlineRate) (out []string) {
	few, enough := rates[5], rates[5]
	few.Labels, enough.Labels = 9, 10
	raw, ofLog := rates[1], rates[7]
	recorded, small, large := ofLog, ofLog, ofLog
	recorded.Name, recorded.N, small.N, large.N, large.Name = "recorded.reward", 9, 9, 41, "larger"
	other := raw
	other.Judge = "judge-b"
	for _, list := range [][]report.HeadlineRate{
		{rates[0]}, {few, raw}, {enough, raw}, {enough, raw, other}, {enough, rates[6], raw}, {rates[2], enough}, {raw,
			recorded}, {raw, small},
		{ofLog, large}, {large, ofLog}, {raw, other, rates[2], rates[3]},
	} {
		r := &report.Report{Headline: report.Headline{Rates: list}}
		for _, h := range list {
			if h.Judge != "" {
				r.Scores = append(r.Scores, judged(h.Judge, h.Name, h.Level, h.N))
			}
		}
		for _, f := range words.Card(r, "") {
			if f.Name == "How often is the agent right?" {
				out = append(append(out, f.Lines...), "")
			}
		}
	}
	return out
}

func sharesNearEnds() (out []string) {
	for _, f := range []float64{0, 0.0004, 0.005, 0.0051, 0.994, 0.995, 0.9996, 1} {
		r := &report.Report{Headline: report.Headline{Rates: []report.HeadlineRate{
			{Kind: "label", Name: "human", Level: "call", N: 40, Rate: est(f)}}}}
		out = append(out, words.Card(r, "")[1].Lines...)
	}
	return out
}

func trusts() (out []string) {
	counted := func(n, of int, rate ...float64) *report.Counted {
		return &report.Counted{Count: n, Of: of, Rate: est(float64(n)/float64(of), rate...)}
	}
	label, people := report.Instrument{Source: "label", Name: "human"}, report.Instrument{Source: "label",
		Name: report.PeopleLabel}
	scorer := report.Instrument{Source: "deterministic", Name: "ast_equivalence"}
	for _, t := range []report.HeadlineTrust{
		{Reference: people, Level: "call", Direction: "both", Found: counted(1, 1), Kept: counted(8, 9, 0.6, 1),
			Rubric: "polite"},
		{Reference: people, Level: "call", Direction: "both", Kept: counted(8, 9), BelowConstant: true, Rubric: "overall"},
		{Reference: label, Level: "call", Direction: "both", Found: counted(1, 9), Kept: counted(1, 8), BelowConstant: true},
		{Reference: label, Level: "call", Direction: "both", Found: counted(1, 8), Kept: counted(1, 8), BelowConstant: true},
		{Reference: scorer, Level: "call", Direction: "pass", Kept: counted(8, 9), Found: &report.Counted{}},
		{Reference: scorer, Level: "conversation", Direction: "fail", Found: counted(8, 9), Reduced: true},
	} {
		out = append(out, words.Trust(&t))
	}
	return out
}

// untrusteds has what runs of several sizes and labels say.
func untrusteds() (out []string) {
	for _, of := range []struct{ items, labels int }{{0, 0}, {1, 0}, {9, 1}, {10, 0}, {10, 1}, {29, 2}, {31, 9}} {
		r := &report.Report{Scores: []report.ScoreRow{judged("judge-a", "overall", "call", of.items),
			judged("judge-a", "whole", "conversation", 99), labelled(report.PeopleLabel, "call", of.labels)}}
		out = append(out, words.NoTrust(r))
	}
	return out
}

// noRates has runs without a judge: no scorer, one of calls, one of conversations, one that labels outweigh.
func noRates() (out []string) {
	row := func(name, level string, n int, rate ...float64) report.ScoreRow {
		return report.ScoreRow{Instrument: report.Instrument{Source: "deterministic", Name: name, Level: level}, N: n,
			Judged:   n,
			PassRate: est(0.88, rate...)}
	}
	for _, rows := range [][]report.ScoreRow{
		nil, {row("ast_equivalence", "call", 1)}, {row("execution_check", "conversation", 20, 0.7, 1)},
		{row("mine", "call", 20)}, {row("ast_equivalence", "call", 20), labelled(report.PeopleLabel, "call", 10)},
		{row("ast_equivalence", "call", 20), labelled(report.PeopleLabel, "call", 9)}, {labelled("human", "call", 9)},
		{row("mine", "call", 20), judged("judge-a", "overall", "call", 20)},
	} {
		r := &report.Report{Scores: rows, Run: report.Run{ID: "r", Scorers: []report.Scorer{
			reporttest.Scorer("ast_equivalence"), reporttest.Scorer("execution_check")}}}
		if rows != nil {
			r.Failing.By = rows[0].Instrument
		}
		out = append(out, words.NoRates(r), words.TrustQuestion(r), words.NoTrust(r), "")
	}
	return out
}
