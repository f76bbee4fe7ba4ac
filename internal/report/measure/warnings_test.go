package measure

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

func textsOf(all []report.Warning) string {
	var out []string
	for _, w := range all {
		out = append(out, w.Code+": "+w.Text)
	}
	return strings.Join(out, "\n")
}

// TestWarningsOfARow: what is said beside the numbers of a judge and a reference, each at its limit and beside it.
func TestWarningsOfARow(t *testing.T) {
	const few = "few_conversations: only 9 conversations: the interval is a guess"
	large := report.AgreementRow{Judge: "j", N: 100, Verdicts: 100, Conversations: report.FewConversations, Level: "call",
		Direction: report.BothDirection, Confusion: report.Confusion{BothPass: 50, BothFail: 50}}
	large.Reference.Name = "g"
	for _, tt := range []struct {
		name   string
		change func(r *report.AgreementRow)
		want   string
	}{
		{"nothing", func(*report.AgreementRow) {}, ""},
		{"shared rules, and no item", func(r *report.AgreementRow) { r.SharedRules, r.N = true, 0 },
			"shared_rules: j applies the rules of g itself: that they agree says nothing of its judgement\n" +
				"no_items: the two never scored the same call"},
		{"one item", func(r *report.AgreementRow) { r.N, r.Verdicts = 1, 0 },
			"no_verdicts: one side has no verdicts: only the values are compared\nfew_items: only 1 item"},
		{"29 items", func(r *report.AgreementRow) { r.N = 29 }, "few_items: only 29 items"},
		{"30 items", func(r *report.AgreementRow) { r.N = 30 }, ""},
		{"few conversations", func(r *report.AgreementRow) { r.Conversations-- }, few},
		{"2 % are missing", func(r *report.AgreementRow) { r.N, r.MissingJudge = 98, 2 }, ""},
		{"3 % are missing", func(r *report.AgreementRow) { r.N, r.MissingJudge = 97, 3 },
			"missing: the judge has no score for 3 of the 100 items that g scored"},
		{"one is partial", func(r *report.AgreementRow) { r.Partial = 1 },
			"partial: reduced from only some of its calls: 1 conversation"},
		{"ten fail", func(r *report.AgreementRow) { r.Confusion = report.Confusion{BothPass: 90, BothFail: 10} }, ""},
		{"nine fail", func(r *report.AgreementRow) { r.Confusion = report.Confusion{BothPass: 91, BothFail: 9} },
			"few_of_one_class: g fails only 9 of the items: the share of them that is found rests on these"},
		{"nine pass", func(r *report.AgreementRow) { r.Confusion = report.Confusion{BothPass: 9, BothFail: 91} },
			"few_of_one_class: g passes only 9 of the items: the share of them that is kept rests on these"},
		{"19 of 20 are of one class", func(r *report.AgreementRow) {
			r.Confusion = report.Confusion{BothPass: 380, BothFail: 20}
		}, "ceiling: 95 % of the items are of one class: kappa is small whatever the judge does, read AC1 and the " +
			"counts beside it"},
		{"fewer are", func(r *report.AgreementRow) { r.Confusion = report.Confusion{BothPass: 379, BothFail: 20} }, ""},
		{"a constant verdict agrees more often, half each", func(r *report.AgreementRow) {
			r.Confusion = report.Confusion{BothPass: 20, JudgeOnlyPass: 30, JudgeOnlyFail: 30, BothFail: 20}
		}, "below_constant: j agrees with g on 40 items, and a judge that always says pass on 50: read Youden's J, " +
			"not the share of equal verdicts"},
		{"a reference of one direction", func(r *report.AgreementRow) {
			r.Confusion = report.Confusion{BothPass: 20, JudgeOnlyPass: 30, JudgeOnlyFail: 30, BothFail: 20}
			r.Direction = report.PassDirection
		}, ""},
	} {
		row := large
		tt.change(&row)
		if diff := cmp.Diff(tt.want, textsOf(warnings(&row))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestWarningsOfARun: names that no judge was compared with, judges that often gave no score, what is damaged or
// recorded twice, and the baseline.
func TestWarningsOfARun(t *testing.T) {
	long := strings.Repeat("n", 61)
	unreliable := func(source score.Source, n, unscored, errors int) report.ScoreRow {
		row := report.ScoreRow{N: n, Unscored: unscored, Errors: errors, Unreliable: true}
		row.Source, row.Judge, row.Name = string(source), "j", "r"
		return row
	}
	compared := []report.AgreementRow{{}, {}, {}}
	for i, name := range []string{"human", "human", "exact"} {
		compared[i].Reference.Name = name
	}
	for _, tt := range []struct {
		name string
		r    report.Report
		want string
	}{
		{"nothing", report.Report{}, ""},
		{"a known gold", report.Report{GoldName: "human", Agreement: compared}, ""},
		{"an unknown gold", report.Report{GoldName: long, Agreement: compared}, "gold: no judge was compared with " +
			long[:59] + "…, which was named as gold; known are human, exact"},
		{"no judge was compared with anything", report.Report{GoldName: "other"}, ""},
		{"one reference", report.Report{GoldName: long[:60], Agreement: compared[2:]}, "gold: no judge was compared with " +
			long[:60] + ", which was named as gold; known are exact"},
		{"an unknown reference of a rubric", report.Report{Agreement: compared, Run: report.Run{Rubrics: []report.Rubric{
			{Name: long, CompareWith: []string{"human", long}}}}}, "compare_with: no judge was compared with " + long[:59] +
			"…, which rubric " + long[:59] + "… names in compare_with; known are human, exact"},
		{"missing judgements", report.Report{Scores: []report.ScoreRow{unreliable(score.Judge, 6, 3, 1),
			unreliable(score.Judge, 1, 0, 2), unreliable(score.Judge, 0, 3, 1), unreliable(score.Label, 6, 3, 1)}},
			"unreliable: r by j: 4 of 10 judgements are missing; what is missing is seldom random, so read its numbers " +
				"with care\nunreliable: r by j: 2 of 3 judgements are missing; what is missing is seldom random, so read " +
				"its numbers with care"},
		{"a damaged line and a score that is there twice", report.Report{Counts: report.Counts{BadLines: 1, Duplicates: 1}},
			"bad_lines: lines of the score stream that could not be read and are left out: 1\nduplicates: the same instrument scored items more than " +
				"once, and one score of each is kept; repeated scores: 1"},
		{"notes of the log", report.Report{Counts: report.Counts{Notes: []report.KindCount{
			{Kind: transcript.ReferenceConflict, Count: 2}, {Kind: transcript.CallInText, Count: 3}, {Kind: "other", Count: 4}}}},
			transcript.ReferenceConflict + ": " + words.ReferenceConflicts(2) + "\n" + transcript.CallInText + ": " +
				words.CallsInText(3)},
		{"the baseline and its retest", report.Report{Run: report.Run{Judges: []report.Judge{{Name: "b", Baseline: true},
			{Name: "b again", Baseline: true, RetestOf: "b"}, {Name: "j"}}}},
			"baseline: b is the built-in rule-based baseline, not a language model"},
	} {
		(&Builder{}).warn(&tt.r)
		if diff := cmp.Diff(tt.want, textsOf(tt.r.Warnings)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}
