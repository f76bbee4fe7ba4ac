package measure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
)

func TestRegressions(t *testing.T) {
	base := reporttest.New(5, 150)
	bad := base.Worse("overall_call_correctness", 1.0/3, 1)
	tests := []struct {
		name  string
		a, b  reporttest.Run
		least float64
		tools bool
		code  int
		line  string
	}{
		{"no change", base, base, 0, false, 0, "pass  no clear regression"},
		{"worse", base, bad, 0, false, 100, "FAIL  overall_call_correctness by judge-a"},
		{"worse by less than asked", base, bad, 0.9, false, 0, "pass"},
		{"better", bad, base, 0, false, 0, "pass"},
		{"worse on a tool", base, bad, 0, true, 100, " on "},
		{"worse on a tool by more than asked", base, bad, 0.05, true, 100, "judge-a on "},
		{"nothing in common", base, reporttest.Run{Manifest: base.Manifest}, 0, false, 100, "FAIL  nothing to compare"},
	}
	for _, tt := range tests {
		c, err := measure.Compare(tt.a.Inputs(), tt.b.Inputs(), measure.Config{})
		if err != nil {
			t.Fatal(err)
		}
		d := measure.Regressions(c, tt.least, tt.tools)
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

// TestLeastEffectIsTheAgents: the least effect is held against the judge's difference divided
// by its J, of the primary endpoint alone, and the whole interval must lie beyond it.
func TestLeastEffectIsTheAgents(t *testing.T) {
	a, b := gateWorld{300, 0.15, 1}.runs(1)
	c := gateCompare(t, a, b)
	row := c.Endpoint()
	seen, real := row.PassRate.Delta, *row.ByYouden
	if !(*real.High < *seen.High && *seen.Value < 0) {
		t.Fatalf("the judge sees %s of %s", words.Estimate(seen), words.Estimate(real))
	}
	between := -(*seen.High + *real.High) / 2 // beyond what the judge sees for sure, not beyond what is so
	for least, want := range map[float64]bool{between: false, -*real.High + 1e-6: true, -*real.High - 1e-6: false, 0.9: true} {
		d := measure.Regressions(c, least, false)
		if d.Passed != want || words.GateName(d.Results[0]) == "" || d.Results[0].Judge != "j" && !d.Passed {
			t.Errorf("beyond %v passes: %v, want %v (%s)", least, d.Passed, want, d.Results[0].Line)
		}
	}
	d := measure.Regressions(c, between, false)
	if line := d.Results[0].Line; len(d.Results) != 1 || !strings.Contains(line, "divided by the judge's J: -0.") || !strings.Contains(line, " as a whole, p 0.0") {
		t.Errorf("%q", line)
	}
	d = measure.Regressions(c, 0.9, false)
	if line := d.Results[0].Line; !strings.Contains(line, "; a drop from 0.9") || !strings.Contains(line, "would fail 4 jobs in 5") {
		t.Errorf("%q", line)
	}
	if len(d.Results) < 3 || !strings.Contains(d.Results[1].Line, "decides nothing") {
		t.Errorf("other scores are not named: %+v", d.Results)
	}
	// The detectable drop is on the same scale.
	if e := row.TrueDetectable(); *e.Value < *row.PassRate.Detectable.Value*1.3 || *row.DetectableByYouden != *e.Value {
		t.Errorf("detectable %s, as the judge sees it %s", words.Estimate(e), words.Estimate(row.PassRate.Detectable))
	}
	text := strings.Join(c.Summary, "\n")
	if !strings.Contains(text, "can only show true drops of ") || !strings.Contains(text, " by its J) in overall_call_correctness by j, ") || strings.Contains(text, "the least") {
		t.Errorf("the summary: %s", text)
	}
	// Without labels it is as the judge sees it, and that is said.
	a, b = gateWorld{300, 0.15, 0}.runs(1)
	d = measure.Regressions(gateCompare(t, a, b), 0.03, false)
	if line := d.Results[0].Line; d.Passed || !strings.Contains(line, "as the judge sees it, beyond 0.03 as a whole") {
		t.Errorf("%q", line)
	}
}

// TestLeastEffectIsNotOfEveryCall: a drop of few calls breaks many conversations.
func TestLeastEffectIsNotOfEveryCall(t *testing.T) {
	lines := func(broken int) (out []string) {
		for i := range 60 {
			out = append(out, strings.Repeat("p", 10-min(broken, i%2))+strings.Repeat("f", min(broken, i%2)))
		}
		return out
	}
	for _, judge := range []string{"j", ""} {
		c := reducedComparison(t, judge, lines(0), lines(1))
		if every := c.Rows[slices.IndexFunc(c.Rows, func(r report.ChangeRow) bool { return r.Reduced == report.ReduceMin })]; *every.PassRate.Delta.High > -0.3 {
			t.Fatalf("every call: %s", words.Estimate(every.PassRate.Delta))
		}
		if d := measure.Regressions(c, 0.2, false); !d.Passed {
			t.Errorf("judge %q: 5 points of the calls fail at 20: %s", judge, d.Results[0].Line)
		}
		if d := measure.Regressions(c, 0.03, false); d.Passed || d.Results[0].Reduced != report.ReduceMean || len(d.Results) != 1 {
			t.Errorf("judge %q: 5 points of the calls pass at 3: %+v", judge, d.Results)
		}
	}
}

// reducedComparison compares runs whose calls are all others: a line a conversation, a
// verdict a call, by a judge's overall rubric or by a scorer.
func reducedComparison(t *testing.T, judge string, a, b []string) *report.Comparison {
	t.Helper()
	inputs := func(lines []string) report.Inputs {
		var out []score.Score
		for i, line := range lines {
			for call, v := range line {
				s := score.Score{ConversationID: fmt.Sprintf("c%03d", i), CallIndex: ptrGate(call), Tool: "t", Name: "overall", Source: score.Deterministic,
					Status: score.Scored, Value: ptrGate(map[rune]float64{'p': 1}[v]), Passed: ptrGate(v == 'p')}
				if judge != "" {
					s.Source, s.Judge = score.Judge, judge
				}
				out = append(out, s)
			}
		}
		return report.Inputs{Scores: reporttest.Each(out), Manifest: report.Manifest{Judges: []report.Judge{{Name: judge}}}}
	}
	later := inputs(b)
	later.Earlier = func(id string, call int) (string, int) { return id, 100 + call }
	later.Calls = report.CallPairs{Known: true, OnlyA: 600, OnlyB: 600, Unpaired: 1}
	return gateCompare(t, inputs(a), later)
}
