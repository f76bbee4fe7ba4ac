package measure

import (
	"testing"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/report"
)

// TestWhatARubricIsComparedWith: a rubric of one's own with labels and with what it names,
// and with nothing else.
func TestWhatARubricIsComparedWith(t *testing.T) {
	var all []report.Scorer
	for _, row := range deterministic.All {
		all = append(all, report.Scorer{Name: row.Name, Type: row.Name, Facts: row.Facts})
	}
	r := &report.Report{Run: report.Run{Scorers: all, Rubrics: []report.Rubric{
		{Name: "mine"}, {Name: "overall_tone"},
		{Name: "names", CompareWith: []string{"schema_check", "call_relevance", "three_layer.ast_ok"}},
	}}}
	const compared = ""
	for _, tt := range []struct {
		rubric, source, name, metric, want string
	}{
		{"mine", "label", "human", "", compared},
		{"mine", "deterministic", "schema_check", "", report.AnotherConstruct},
		{"mine", "deterministic", "execution_check", "", report.AnotherConstruct},
		{"mine", "deterministic", "ast_equivalence", "", report.AnotherConstruct},
		{"overall_tone", "deterministic", "ast_equivalence", "", report.AnotherConstruct},
		{"unheard_of", "deterministic", "schema_check", "", report.AnotherConstruct},
		{"names", "deterministic", "schema_check", "", compared},
		{"names", "deterministic", "call_relevance", "", compared}, // weak by itself
		{"names", "deterministic", "three_layer", "ast_ok", compared},
		{"names", "deterministic", "three_layer", "schema_ok", report.AnotherConstruct},
		{"names", "deterministic", "parameter_validation", "", report.AnotherConstruct},
		{"overall_call_correctness", "deterministic", "ast_equivalence", "", compared},
		{"overall_call_correctness", "deterministic", "schema_check", "", report.AnotherConstruct},
		{"parameter_completeness_consistency", "deterministic", "schema_check", "", compared},
		{"goal_reached", "deterministic", "execution_check", "", compared},
		{"goal_reached", "label", "gold_reward", "", compared},
		{"goal_reached", "deterministic", "ast_equivalence", "", report.AnotherConstruct},
		{"wasted_steps", "deterministic", "execution_check", "", report.AnotherConstruct},
	} {
		row := report.AgreementRow{Rubric: tt.rubric, Verdicts: 4, Confusion: report.Confusion{
			BothPass: 1, BothFail: 1, JudgeOnlyPass: 1, JudgeOnlyFail: 1}}
		row.Reference = report.Instrument{Source: tt.source, Name: tt.name, Metric: tt.metric}
		if setDirection(r, &row); row.Unprinted != tt.want {
			t.Errorf("%s with %s: %q, want %q", tt.rubric, row.Reference.Title(), row.Unprinted, tt.want)
		}
	}
	r.GoldName = "schema_check"
	if !sameConstruct(r, "mine", report.Instrument{Source: "deterministic", Name: "schema_check"}) {
		t.Error("what the user named as gold is not compared with")
	}
}
