package measure_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// TestKappaOfLabelAndScorer: if a label and scorers are references of a judge, the label
// decides alone unless the gate names another one. Without a label all references count that
// are evidence in both directions and give a kappa.
func TestKappaOfLabelAndScorer(t *testing.T) {
	row := func(source score.Source, name string, kappa *float64) report.AgreementRow {
		return report.AgreementRow{
			Judge: "j", Rubric: "overall", Level: report.CallLevel, Direction: report.BothDirection, Kappa: report.Estimate{Value: kappa},
			Reference: report.Instrument{Name: name, Source: string(source), Level: report.CallLevel}, Verdicts: 40,
		}
	}
	human := row(score.Label, "human", ptrGate(0.1))
	replay := row(score.Deterministic, "replay", ptrGate(0.9))
	other := row(score.Deterministic, "accuracy", ptrGate(0.7))
	schema := row(score.Deterministic, "schema_check", ptrGate(0.2))
	schema.Direction = "fail"
	unmeasured := row(score.Deterministic, "empty", nil)
	silent := row(score.Label, "human", nil)
	mean := row(score.Label, "staff", ptrGate(1.0))
	mean.Reduction = "mean"
	strictest := row(score.Label, "staff", ptrGate(0.3))
	strictest.Reduction = report.ReduceMin
	for name, tt := range map[string]struct {
		rows      []report.AgreementRow
		reference string
		want      []string
		passed    bool
	}{
		"label and scorer":         {[]report.AgreementRow{replay, human, schema}, "", []string{"human"}, false},
		"two labels":               {[]report.AgreementRow{human, strictest, replay}, "", []string{"human", "staff"}, false},
		"the scorer is named":      {[]report.AgreementRow{human, replay, schema}, "replay", []string{"replay"}, true},
		"named, without a kappa":   {[]report.AgreementRow{unmeasured}, "empty", []string{"empty"}, false},
		"one direction, named":     {[]report.AgreementRow{human, schema}, "schema_check", []string{"schema_check"}, false},
		"scorers alone":            {[]report.AgreementRow{replay, schema, other, unmeasured}, "", []string{"replay", "accuracy"}, true},
		"a label without a kappa":  {[]report.AgreementRow{silent, replay}, "", []string{"human"}, false},
		"another reduction":        {[]report.AgreementRow{mean, replay}, "", []string{"replay"}, true},
		"only in one direction":    {[]report.AgreementRow{schema}, "", []string{""}, false},
		"only a kappa that is not": {[]report.AgreementRow{unmeasured}, "", []string{""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := &report.Report{Agreement: tt.rows}
			d := measure.DecideGates([]measure.Gate{{Score: "overall", MinKappa: ptrGate(0.5), Reference: tt.reference, Strict: true}}, r, nil)
			var got, lines []string
			for _, res := range d.Results {
				got, lines = append(got, res.Reference), append(lines, res.Line)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("references that decide: %s", d)
			}
			if d.Passed != tt.passed {
				t.Errorf("passed %v, want %v:\n%s", d.Passed, tt.passed, strings.Join(lines, "\n"))
			}
		})
	}
}
