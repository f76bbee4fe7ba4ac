package words_test

import (
	"fmt"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
)

func agreementCases() []written {
	r := agreed()
	out := []written{{"What is gold", golds()}, {"What a table shows", tableRows()}}
	for _, name := range []string{"Agreement", "Graded", "Confidence", "Judges", "Noise", "Disagreements"} {
		s := words.SectionNamed(r, name)
		if name == "Disagreements" {
			s = words.Run(r, true, "").Sections[2]
		}
		out = append(out, written{"Section: " + name, s})
	}
	return append(out, written{"Who can be trusted, of several judges", words.Card(ranked(), "")[1:]})
}

// agreed has rows of agreement of all kinds, of which some are not shown.
func agreed() *report.Report {
	human := report.Instrument{Source: "label", Name: "human", Level: "call"}
	solved := report.Instrument{Source: "label", Name: "solved", Level: "conversation"}
	match := report.Instrument{Source: "deterministic", Name: "ast_equivalence", Level: "call"}
	form := report.Instrument{Source: "deterministic", Name: "schema_check", Level: "call"}
	row := func(judge, rubric string, ref report.Instrument, direction string, marks ...string) report.AgreementRow {
		a := report.AgreementRow{Judge: judge, Rubric: rubric, Reference: ref, Level: ref.Level, Direction: direction,
			N: 40, Verdicts: 40,
			Kappa: est(0.5, 0.3, 1.1), BaseRate: est(0.75, 0.6, 0.9), RecallWrong: est(0.8, 0.6, 0.9), Specificity: est(0.9,
				0.8, 1),
			AUC: est(0.85), Confusion: report.Confusion{BothPass: 27, JudgeOnlyPass: 2, JudgeOnlyFail: 3, BothFail: 8}}
		for _, code := range marks {
			a.Warnings = append(a.Warnings, report.Warning{Code: code})
		}
		return a
	}
	intent := row("judge-a", "intent", human, "both", "one_class", "judge_one_class", "few_of_one_class",
		"few_conversations",
		"ceiling", "missing", "shared_rules")
	overall := row("judge-a", "overall", human, "both", "few_items", "below_constant", "other")
	overall.AUC, overall.Confidence = point(0.9, "too_few"), &report.Confidence{N: 40, Overconfidence: est(0.1),
		Brier: est(0.2)}
	overall.Graded = &report.Graded{Bias: est(-0.001), MAE: est(0.1), RMSE: est(0.2), CCC: est(0.9)}
	reduced, mean := row("judge-a", "overall", solved, "both"), row("judge-a", "overall", solved, "both")
	reduced.Reduction, mean.Reduction, reduced.SharedRules = "min", "mean", true
	reduced.Confidence = &report.Confidence{N: 1, Overconfidence: est(-0.1), Brier: est(0.2)}
	refused, hidden, empty := row("judge-b", "overall", match, "pass"), intent, intent
	refused.Refused, refused.N, refused.Verdicts, hidden.Unprinted, empty.N = "circular", 0, 0, "constant", 0
	onlyRatings, values := row("judge-b", "tone", human, "both"), row("judge-b", "tone", solved, "both")
	onlyRatings.Verdicts, onlyRatings.Ratings, values.Verdicts, values.Kappa = 0, &report.Ratings{}, 0, none("no_verdicts")
	r := &report.Report{Run: report.Run{Scorers: []report.Scorer{reporttest.Scorer("ast_equivalence"),
		reporttest.Scorer("schema_check")}},
		Agreement: []report.AgreementRow{intent, row("judge-b", "overall", form, "fail"), row("judge-b", "intent", match,
			"pass"), overall,
			reduced, mean, refused, hidden, empty, onlyRatings, values}}
	for _, judge := range []string{"judge-a", "judge-b"} {
		r.Scores = append(r.Scores, judged(judge, "overall", "call", 40))
	}
	addPeers(r)
	return r
}

func addPeers(r *report.Report) {
	human := report.Instrument{Source: "label", Name: "human"}
	r.Rankings = []report.JudgeRanking{{Rubric: "overall", Reference: human,
		Judges: []report.RankedJudge{{Judge: "judge-a", N: 9,
			Youden: est(0.5)}, {Judge: "judge-b", N: 8, Youden: est(0.4), Behind: est(-0.1, -0.3, 0.1), Holm: new(0.3)}}}}
	r.JudgeVsJudge = []report.PeerRow{{Rubric: "overall", A: "judge-a", B: "judge-b", N: 9, Agreement: est(0.9),
		Kappa:         est(0.5, 0, 1.2),
		WeightedKappa: est(0.6), Spearman: est(0.7), KendallB: est(0.8), OnlyAPasses: 1, OnlyBPasses: 2}}
	r.Consensus = []report.ConsensusRow{{Rubric: "overall", Judges: []string{"a", "b"}, N: 9, Same: est(0.9),
		Fleiss: est(0.4),
		Gwet:   est(0.5, 0.1, 0.8), Nominal: est(0.4, 0, 1.2), Values: none("off_scale"), Scale: "ordinal"},
		{Rubric: "tone", Panel: "jury"}}
	r.Noise = []report.NoiseRow{{Judge: "judge-a", Rubric: "overall", N: 9, Repeated: est(0.9), Flips: est(0.1),
		WithinSD: est(0.2), ICC: est(0.8),
		Kappa: est(0.9, 0.7, 1.1), Floor: est(0.0123, 0.01, 0.02)}, {Judge: "judge-a", Rubric: "tone", Together: true}}
	r.Halo = []report.HaloRow{{Judge: "judge-a", A: "overall", B: "tone", N: 9, Alone: est(0.5), Together: est(0.7),
		More: est(0.2, 0.1, 0.3)}}
	r.Disagreements = report.Disagreements{Total: 9, Items: disagreed()}
}

// disagreed has a conversation whose call fails, one with several labels, and one without values.
func disagreed() []report.Disagreement {
	long := fmt.Sprintf("%0250d", 7)
	return []report.Disagreement{
		{Rank: 1, Level: "conversation", CaseRef: caseOf("c1", -1, "", "a.jsonl:4"), Judge: "judge-a",
			Direction: report.JudgePasses,
			Judgements: []report.Side{{Name: "intent", Explanation: "unused"}, {Name: "overall", Conflicts: true,
				Value:      new(4.5),
				Confidence: new(0.9), Explanation: long}},
			References: []report.Side{{Name: "solved", Source: "label", Conflicts: true, Value: new(0.0)},
				{Name: "ast_equivalence", Source: "deterministic", CallIndex: new(2), Explanation: "id is 9"}},
			SidesWithJudge: []string{"solved"}},
		{Rank: 2, Level: "call", CaseRef: caseOf("c2", 1, "refund", ""), Judge: "judge-a", Direction: report.JudgeFails,
			Judgements: []report.Side{{Name: "overall", Conflicts: true}},
			References: []report.Side{{Name: "human", Source: "label", Value: new(1.0)}, {Name: "ann", Source: "label"},
				{Name: "ast_equivalence", Source: "deterministic", CallIndex: new(1), Conflicts: true, Explanation: "the call"}},
			SidesWithJudge: []string{"human", "ast_equivalence"}},
	}
}

// golds are of runs with a named reference, a label, and a match with the expected calls.
func golds() (out []string) {
	match := report.Instrument{Source: "deterministic", Name: "ast_equivalence", Level: "call"}
	label, part := labelled("human", "call", 9), labelled("db_match", "conversation", 9)
	for _, of := range []struct {
		gold string
		rows []report.ScoreRow
	}{{"", []report.ScoreRow{label, part}}, {"human", []report.ScoreRow{label}}, {"",
		[]report.ScoreRow{{Instrument: match, PassRate: est(1)}}}} {
		r := &report.Report{GoldName: of.gold, Scores: of.rows,
			Run: report.Run{Scorers: []report.Scorer{reporttest.Scorer("ast_equivalence")}}}
		out = append(out, words.GoldWords(r)...)
	}
	for _, kind := range []string{"ast_equivalence", "execution_check", "schema_check", "function_call_accuracy",
		"function_call_coverage"} {
		in := report.Instrument{Source: "deterministic", Name: kind}
		r := &report.Report{Run: report.Run{Scorers: []report.Scorer{reporttest.Scorer(kind)}}}
		out = append(out, kind+": "+words.Evidence(r.Evidence(in)))
	}
	return out
}

// tableRows says what is shown of a table with groups, whatever the limit.
func tableRows() (out []string) {
	t := words.NewTable("lr", "name", "n")
	for _, group := range []string{"a", "a", "b", "a", "", "c"} {
		if t.Group(group); group != "b" {
			t.Add(group, words.Cell{Text: "1", Ends: "[0, 2]"})
		}
	}
	for _, limit := range []int{0, 1, 2, 3, 9} {
		rows, more := t.Shown(limit)
		text := fmt.Sprint(limit, ":")
		for _, row := range rows {
			if row.Group != "" {
				text += " [" + row.Group + "]"
			} else {
				text += " " + row.Cells[0].String() + "=" + row.Cells[1].String()
			}
		}
		out = append(out, text+" "+more)
	}
	return append(out, words.Section{Name: "Second Looks At"}.Anchor())
}

// ranked has four judges that labels measure, three of them in a ranking, and people who agree.
func ranked() *report.Report {
	human := report.Instrument{Source: "label", Name: "human", Level: "call"}
	r := &report.Report{Run: report.Run{Rubrics: []report.Rubric{{Name: "polite"}}}}
	for i, found := range []int{1, 9, 5, 7, 6} {
		judge := fmt.Sprint("j", i)
		r.Scores = append(r.Scores, judged(judge, "polite", "call", 40))
		r.Headline.Trust = append(r.Headline.Trust, report.HeadlineTrust{Judge: judge, Rubric: "overall", Level: "call",
			Reference: human,
			Direction: "both", Found: &report.Counted{Count: found, Of: 10, Rate: est(float64(found) / 10)},
			Kept: &report.Counted{Count: 3, Of: 3, Rate: est(1)}})
	}
	r.Rankings = []report.JudgeRanking{{Judges: []report.RankedJudge{{Judge: "j3"}, {Judge: "j0", Behind: est(-0.2,
		-0.4, 0), Holm: new(0.04)}}}}
	r.JudgeVsJudge = []report.PeerRow{{Rubric: "polite", Level: "call", A: "j0", B: "j1"},
		{Rubric: "polite", Level: "call", A: "j0", B: "j1", N: 1, OnlyAPasses: 1},
		{Rubric: "polite", Level: "call", A: "j0", B: "j2", N: 9}}
	r.PeoplePairs = []report.PeoplePair{{A: "ann", B: "bob", N: 9, Agreed: 9, Kappa: none("no_chance_disagreement")}}
	return r
}
