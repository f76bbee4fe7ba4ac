package measure

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
)

// TestDropBeyondABound: the p-value of a drop above a bound.
func TestDropBeyondABound(t *testing.T) {
	of := func(value, low, high float64) report.Estimate {
		return report.Estimate{Value: &value, Low: &low, High: &high}
	}
	point := func(value float64) report.Estimate { return report.Estimate{Value: &value} }
	for _, tt := range []struct {
		name          string
		drop          report.Estimate
		conversations int
		constant      bool
		p             *float64
		bound         float64
		want          string
	}{
		{"at the bound", of(5, 1, 9), 2, false, new(0.2), 5, "1.0000"},
		{"below the bound", of(4, 1, 9), 2, false, new(0.2), 5, "1.0000"},
		{"the interval ends at the bound", of(9, 5, 13), 2, false, new(0.2), 5, "0.0500"},
		{"far above", of(29, 25, 33), 2, false, new(0.2), 5, "0.0000"},
		{"a little above", of(7, 3, 11), 2, false, new(0.2), 5, "0.3094"},
		{"no width", of(7, 7, 7), 2, false, new(0.2), 5, "0.2000"},
		{"no interval", point(7), 2, false, new(0.25), 5, "0.2500"},
		{"no interval, at the bound", point(5), 2, false, new(0.25), 5, "1.0000"},
		{"neither", point(7), 2, false, nil, 5, "NaN"},
		{"one conversation", of(9, 5, 13), 1, false, new(0.2), 5, "NaN"},
		{"always the same", of(9, 5, 13), 2, true, new(0.2), 5, "NaN"},
		{"no drop", report.Estimate{Reason: "no_items"}, 2, false, new(0.2), 5, "NaN"},
	} {
		row := &report.ChangeRow{Conversations: tt.conversations, PassRate: report.Change{N: 9, Constant: tt.constant,
			Freedom: 20, P: report.Estimate{Value: tt.p}}}
		if got := fmt.Sprintf("%.4f", exceeds(row, tt.drop, tt.bound, 0.05)); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestRatesOfToolsTogether: a tool whose rate misses the bound passes if chance explains it, after a correction for the
// tools of the same judge and level.
func TestRatesOfToolsTogether(t *testing.T) {
	const n = 10.
	result := func(judge string, rate float64) report.GateResult {
		return report.GateResult{Judge: judge, Level: report.CallLevel, Bound: 0.9, Got: report.Estimate{Value: &rate}}
	}
	all := []report.GateResult{result("j", 0.7), result("j", 0.4), result("j", 1), result("k", 0.7), result("j", 0.7),
		result("j", 0.7), result("j", 0), result("j", 0)}
	all[4].Strict, all[5].Reason, all[2].Passed = true, "a reason", true
	all[6].Got.Value = nil
	effective := make([]report.Estimate, len(all))
	for i := range effective {
		effective[i] = report.Estimate{Value: new(n)}
	}
	effective[7].Value = nil
	d := &gateDecider{statistics: statistics{Alpha: 0.05}, r: &report.Report{Alpha: 0.05}}
	d.correctRates(all, effective)
	var got []string
	for _, r := range all {
		p := math.NaN()
		if r.P != nil {
			p = *r.P
		}
		got = append(got, fmt.Sprintf("%v %d %.4f", r.Passed, r.Tools, p))
	}
	// Of ten calls that pass with 0.9, seven or fewer do with probability 0.0702, four or fewer with 0.000147; both
	// are doubled. Five tools of j are tested together.
	want := []string{"true 5 0.5615", "false 5 0.0015", "true 0 NaN", "true 1 0.1404", "false 0 NaN", "false 0 NaN",
		"false 0 NaN", "false 0 NaN"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
