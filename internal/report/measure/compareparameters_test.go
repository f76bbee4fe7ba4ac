package measure

import (
	"fmt"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

func TestCompareParameters(t *testing.T) {
	one := 1.0
	scores := func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for i := range 4 {
				passed := true
				if !yield(score.Score{ConversationID: fmt.Sprint(i), Name: "x", Source: score.Deterministic, Status: score.Scored, Value: &one, Passed: &passed}, nil) {
					return
				}
			}
		}
	}
	tool := func(rows ...report.Parameter) report.Inputs {
		return report.Inputs{Scores: scores, Manifest: report.Manifest{ByParameter: []report.ToolParameters{{Tool: "refund", Parameters: rows}}}}
	}
	a := tool(report.Parameter{Parameter: "amount", N: 100, Equal: 95}, report.Parameter{Parameter: "note", N: 100, Equal: 50}, report.Parameter{Parameter: "old", N: 3, Equal: 3},
		report.Parameter{Parameter: "gone", N: 4, Equal: 4}, report.Parameter{Parameter: "once", N: 1, Equal: 0},
		report.Parameter{Parameter: "none", N: 0})
	b := tool(report.Parameter{Parameter: "note", N: 100, Equal: 53}, report.Parameter{Parameter: "amount", N: 100, Equal: 70}, report.Parameter{Parameter: "never", N: 0},
		report.Parameter{Parameter: "gone", N: 0}, report.Parameter{Parameter: "once", N: 1, Equal: 1},
		report.Parameter{Parameter: "none", N: 5, Equal: 5}, report.Parameter{Parameter: "new", N: 5, Equal: 5})
	c, err := Compare(a, b, Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range c.Parameters {
		got = append(got, fmt.Sprintf("%s.%s %.2f to %.2f: %+.2f", p.Tool, p.Parameter, *p.A.Value, *p.B.Value, *p.Delta.Value))
		if p.A.HasInterval() || p.B.HasInterval() || p.Delta.HasInterval() {
			t.Errorf("%s has an interval of calls that are not independent", p.Parameter)
		}
	}
	want := []string{"refund.amount 0.95 to 0.70: -0.25", "refund.note 0.50 to 0.53: +0.03",
		"refund.once 0.00 to 1.00: +1.00"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
