package gate_test

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/report/assembly"

	"github.com/judgekit/judge/internal/report/gate"
	"github.com/judgekit/judge/internal/report/reporttest"
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
		{"no change", base, base, 0, false, 0, "pass  no regression beyond noise"},
		{"worse", base, bad, 0, false, 100, "FAIL  overall_call_correctness by judge-a"},
		{"worse by less than asked", base, bad, 0.9, false, 0, "pass"},
		{"better", bad, base, 0, false, 0, "pass"},
		{"worse on a tool", base, bad, 0, true, 100, " on "},
		{"nothing in common", base, reporttest.Run{Manifest: base.Manifest}, 0, false, 100, "FAIL  nothing to compare"},
	}
	for _, tt := range tests {
		c, err := assembly.Compare(tt.a.Inputs(), tt.b.Inputs(), assembly.Config{})
		if err != nil {
			t.Fatal(err)
		}
		d := gate.Regressions(c, tt.least, tt.tools)
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
