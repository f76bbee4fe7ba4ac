package judges

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/judges/internal/judgetest"
	"github.com/judgekit/judge/rubrics"
)

// Case 14: the examples of a rubric, replayed as if they were answers.
func TestExamplesReplayed(t *testing.T) {
	want := map[string][]string{
		rubrics.Intent:       {Pass, Fail, Pass},
		rubrics.Completeness: {Pass, Fail, Pass},
		rubrics.Prerequisite: {Pass, Fail, Fail},
		rubrics.Overall:      {Pass, Fail, Fail},
	}
	for _, r := range judgetest.Rubrics(t) {
		var verdicts []string
		for i := range r.Examples {
			j, err := New(judgetest.Replies(r.Examples[i].Answer.JSON()), Config{Model: "m", Rubrics: []*rubrics.Rubric{r}})
			if err != nil {
				t.Fatal(err)
			}
			conv := r.Examples[i].Log
			conv.ID = "example"
			got, err := j.Call(t.Context(), conv, len(conv.Calls)-1, Facts{})
			if err != nil {
				t.Fatal(err)
			}
			res := got[0]
			verdicts = append(verdicts, res.Verdict)
			if res.Checks.Grounding != "grounded" && !strings.HasPrefix(res.Evidence, "NONE:") {
				t.Errorf("%s example %d: evidence is %s", r.Name, i, res.Checks.Grounding)
			}
			for _, f := range res.Flags {
				if f.Severity >= 2 || f.Code != "fail_without_correction" {
					t.Errorf("%s example %d: flag %+v", r.Name, i, f)
				}
			}
		}
		if d := cmp.Diff(want[r.Name], verdicts); d != "" {
			t.Errorf("%s: %s", r.Name, d)
		}
	}
}
