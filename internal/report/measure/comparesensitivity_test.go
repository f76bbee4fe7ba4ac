package measure_test

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
)

func TestComparisonSaysWhatItCouldSee(t *testing.T) {
	base := reporttest.New(5, 60)
	for name, tt := range map[string]struct {
		b    reporttest.Run
		want string
	}{
		"the same":  {base, "Nobody can say which drop"},
		"different": {base.Worse("overall_call_correctness", 1.0/3, 1), "can only show drops of "},
	} {
		c, err := measure.Compare(base.Inputs(), tt.b.Inputs(), measure.Config{Notes: []report.Warning{{Code: "own", Text: "a note of the caller"}}})
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(c.Summary, "\n"); !strings.Contains(text, tt.want) || !strings.Contains(text, "a note of the caller") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestSharedRulesStayVisible(t *testing.T) {
	run := reporttest.New(3, 40)
	for i := range run.Manifest.Judges {
		run.Manifest.Judges[i].CircularWith, run.Manifest.Judges[i].SharesRules = nil, nil
	}
	run.Manifest.Judges[1].SharesRules = []string{"schema_check", "three_layer.schema_ok"}
	r, err := measure.Build(run.Inputs(), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	shared := 0
	for _, a := range r.Agreement {
		mark := false
		for _, w := range a.Warnings {
			mark = mark || w.Code == "shared_rules"
		}
		want := a.Judge == "baseline-rules" && (a.Reference.Title() == "schema_check" || a.Reference.Title() == "three_layer.schema_ok")
		if a.SharedRules != want || mark != want {
			t.Errorf("%s against %s: shared %v, warned %v, want %v", a.Judge, a.Reference.Title(), a.SharedRules, mark, want)
		}
		if want {
			shared++
			if a.Refused != "" || a.N == 0 {
				t.Errorf("the row of %s has no numbers", a.Reference.Title())
			}
		}
	}
	if shared == 0 {
		t.Fatal("no row shares rules: the test does not test")
	}
	if row, ok := r.Best("baseline-rules", report.CallLevel); !ok || row.SharedRules {
		t.Errorf("the headline is %s", row.Reference.Title())
	}
}
