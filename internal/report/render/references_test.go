package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
)

func TestReferencesByRank(t *testing.T) {
	r := built(t, reporttest.New(1, 60))
	want := []string{
		"reward overall_call_correctness", "ast_equivalence overall_call_correctness", "function_call_accuracy overall_call_correctness",
		"reward function_intent_alignment", "ast_equivalence function_intent_alignment",
	}
	var got []string
	for _, c := range comparedRows(r)[:len(want)] {
		got = append(got, c.Reference.Title()+" "+c.Rubric)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels come first (-want +got):\n%s", diff)
	}
}

func TestHeatHasReferencesByRubrics(t *testing.T) {
	r := built(t, reporttest.New(1, 60))
	h := heat(r, goldRows(r))
	if diff := cmp.Diff(5, len(h.Heads)); diff != "" || h.Heads[1] != "overall_call_correctness by judge-a" {
		t.Errorf("heads are %q", h.Heads)
	}
	var names []string
	for _, row := range h.Rows {
		names = append(names, row.Cells[0].Text)
	}
	if diff := cmp.Diff([]string{"reward §"}, names); diff != "" {
		t.Errorf("references (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gold"}, h.Rows[0].Cells[0].Small); diff != "" {
		t.Errorf("what stands under the label (-want +got):\n%s", diff)
	}
}

func TestFaintKappas(t *testing.T) {
	of := func(k float64, ends ...float64) report.Estimate {
		e := report.Estimate{Value: &k}
		if len(ends) == 2 {
			e.Low, e.High = &ends[0], &ends[1]
		}
		return e
	}
	for name, c := range map[string]struct {
		row  report.AgreementRow
		want bool
	}{
		"enough, away from chance": {report.AgreementRow{Verdicts: 30, Kappa: of(0.5, 0.2, 0.8)}, false},
		"few":                      {report.AgreementRow{Verdicts: 29, Kappa: of(0.5, 0.2, 0.8)}, true},
		"chance inside":            {report.AgreementRow{Verdicts: 300, Kappa: of(0.1, -0.1, 0.3)}, true},
		"one verdict":              {report.AgreementRow{Verdicts: 300, Kappa: of(0)}, true},
		"no disagreement":          {report.AgreementRow{Verdicts: 300, Kappa: of(1)}, false},
	} {
		if got := faint(&c.row); got != c.want {
			t.Errorf("%s: faint %t", name, got)
		}
	}
}

func TestIntervalsAreClippedInJUnit(t *testing.T) {
	r := built(t, reporttest.New(1, 60))
	for i := range r.Scores {
		if s := &r.Scores[i]; s.Name == "schema_check" {
			beyond := 1.04
			s.Mean.High = &beyond
		}
	}
	var out bytes.Buffer
	if err := writeJUnit(&out, r, nil); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "1.04") || !strings.Contains(out.String(), "0.96 [0.93, 1.00]") {
		t.Error("a mean of 0 to 1 is shown with an interval beyond 1")
	}
}
