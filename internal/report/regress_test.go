package report_test

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
)

// worse fails every third passing score of a run.
func worse(r reporttest.Run, name string) reporttest.Run {
	n := 0
	scores := append([]score.Score{}, r.Scores...)
	for i := range scores {
		s := &scores[i]
		if s.Name != name || s.Passed == nil || !*s.Passed {
			continue
		}
		if n++; n%3 == 0 {
			s.Passed, s.Value = new(false), new(0.0)
		}
	}
	r.Scores = scores
	return r
}

func TestDecideRegressions(t *testing.T) {
	base := reporttest.New(5, 60)
	bad := worse(base, "overall_call_correctness")
	tests := []struct {
		name  string
		a, b  reporttest.Run
		least float64
		tools bool
		code  int
		line  string
	}{
		{"no change", base, base, 0, false, 0, "pass  no regression beyond noise"},
		{"worse", base, bad, 0, false, 100, "FAIL  overall_call_correctness by judge-a"},
		{"worse by less than asked", base, bad, 0.9, false, 0, "pass"},
		{"better", bad, base, 0, false, 0, "pass"},
		{"worse on a tool", base, bad, 0, true, 100, " on "},
		{"nothing in common", base, reporttest.Run{Manifest: base.Manifest}, 0, false, 100, "FAIL  nothing to compare"},
	}
	for _, tt := range tests {
		c, err := report.Compare(tt.a.Inputs(), tt.b.Inputs(), report.CompareConfig{})
		if err != nil {
			t.Fatal(err)
		}
		d := c.DecideRegressions(tt.least, tt.tools)
		var lines []string
		for _, g := range d.Results {
			lines = append(lines, g.Line)
			if g.Passed != (d.ExitCode == 0) {
				t.Errorf("%s: result %q and exit code %d disagree", tt.name, g.Line, d.ExitCode)
			}
		}
		if d.ExitCode != tt.code || d.Passed != (tt.code == 0) || !strings.Contains(strings.Join(lines, "\n"), tt.line) {
			t.Errorf("%s: exit %d, lines %q", tt.name, d.ExitCode, lines)
		}
	}
}

func TestComparisonSaysWhatItCouldSee(t *testing.T) {
	base := reporttest.New(5, 60)
	for name, tt := range map[string]struct {
		b    reporttest.Run
		want string
	}{
		"the same":  {base, "cannot be said"},
		"different": {worse(base, "overall_call_correctness"), "would have shown a true drop"},
	} {
		c, err := report.Compare(base.Inputs(), tt.b.Inputs(), report.CompareConfig{Notes: []report.Warning{{Code: "own", Text: "a note of the caller"}}})
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
	r, err := report.Build(run.Inputs(), report.Config{})
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
	if row, ok := r.Headline("baseline-rules", report.CallLevel); !ok || row.SharedRules {
		t.Errorf("the headline is %s", row.Reference.Title())
	}
	least := 0.0
	for _, g := range report.Decide([]report.Gate{{Score: "overall_call_correctness", MinKappa: &least}}, r, nil).Results {
		if g.Judge == "baseline-rules" && g.Reference == "schema_check" {
			t.Error("a gate on kappa counts a reference whose rules the judge applies")
		}
	}
}
