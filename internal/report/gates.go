package report

import (
	"fmt"
	"math"
)

// GateResult is what one condition came to.
type GateResult struct {
	Score string `json:"score"`
	Judge string `json:"judge,omitempty"`
	Level string `json:"level,omitempty"`
	Tool  string `json:"tool,omitempty"`
	// Reduced says how calls became conversations, as in ChangeRow.
	Reduced string `json:"reduced,omitempty"`
	// Reference is what kappa was measured against.
	Reference string `json:"reference,omitempty"`
	Against   string `json:"against,omitempty"`
	// Measure is min_pass_rate, min_mean, min_kappa, min_coverage or max_drop.
	Measure string   `json:"measure"`
	Bound   float64  `json:"bound"`
	Got     Estimate `json:"got"`
	N       int      `json:"n"`
	Strict  bool     `json:"strict"`
	Passed  bool     `json:"passed"`
	// P is the p-value that decided a change against the baseline run, or a tool's rate
	// whose interval misses the bound; corrected by Holm's method for as many Tools. It
	// is nil where the point or the interval decided.
	P     *float64 `json:"p_holm,omitempty"`
	Tools int      `json:"corrected_for,omitempty"`
	// Reason is set where the numbers did not decide: not_measured, baseline_judge and
	// no_baseline fail; undecided passes, since no interval says that the bound is missed.
	Reason string `json:"reason,omitempty"`
	// Line is what is printed.
	Line string `json:"line"`
}

// Name names the condition, as "overall pass rate, tool x".
func (g GateResult) Name() string {
	name := g.Score + " " + g.Measure
	for _, part := range []string{g.Judge, g.Reference, reducedWords(g.Reduced), g.Tool} {
		if part != "" {
			name += " · " + part
		}
	}
	return name
}

// Words names the instrument for a sentence, with its judge.
func (i Instrument) Words() string {
	if i.Judge == "" {
		return i.Title()
	}
	return i.Title() + " by " + i.Judge
}

func short(f float64) string { return fmt.Sprintf("%g", math.Round(f*1e4)/1e4) }
