package render

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/reporttest"
)

// heatNames are the heads of the side of a heat map that lists references.
func heatNames(h *heat) []string {
	var out []string
	for _, row := range h.Rows {
		out = append(out, row.Head.Name)
	}
	return out
}

func TestReferencesByRankAndOnce(t *testing.T) {
	r := built(t, reporttest.New(1, 60))
	rows := comparedRows(r)
	want := []string{"reward overall_call_correctness", "three_layer overall_call_correctness", "schema_check overall_call_correctness", "reward function_intent_alignment"}
	var got []string
	for _, c := range rows[:4] {
		got = append(got, c.Reference.Title()+" "+c.Rubric)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels come first and equals once (-want +got):\n%s", diff)
	}
	if same := rows[1].Same; !slices.Equal(same, []string{"function_call_accuracy"}) {
		t.Errorf("three_layer has the same numbers as %v", same)
	}
	// One differing number for one rubric of one judge keeps the two apart.
	for i, a := range r.Agreement {
		if a.Reference.Name == "function_call_accuracy" && a.Refused == "" {
			r.Agreement[i].Confusion.BothPass++
			break
		}
	}
	for _, c := range comparedRows(r) {
		if len(c.Same) > 0 {
			t.Errorf("%s is merged with %v although they differ", c.Reference.Title(), c.Same)
		}
	}
}

func TestHeatPutsTheShorterSideAcross(t *testing.T) {
	r := built(t, reporttest.New(1, 60))
	h := heatOf(r, comparedRows(r))
	if len(h.Heads) != 3 || h.Heads[0].Name != "reward §" || len(h.Rows) != 4 {
		t.Errorf("3 references against 4 rubrics: %d across, %d down", len(h.Heads), len(h.Rows))
	}
	r.Agreement = slices.DeleteFunc(r.Agreement, func(a report.AgreementRow) bool { return a.Judge != "judge-a" })
	h = heatOf(r, comparedRows(r))
	if diff := cmp.Diff([]string{"reward §", "three_layer", "schema_check"}, heatNames(h)); diff != "" {
		t.Errorf("2 rubrics against 3 references (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"= function_call_accuracy", "strong pass, weak fail"}, h.Rows[1].Head.Small); diff != "" {
		t.Errorf("what stands under three_layer (-want +got):\n%s", diff)
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
		if got := faint(c.row); got != c.want {
			t.Errorf("%s: faint %t", name, got)
		}
	}
}

func TestUnseenTextIsNotMarkedAsEvidence(t *testing.T) {
	d := &report.Disagreement{
		Judgements: []report.Side{{Evidence: `"cancel order 987"`}},
		Record:     &report.Record{Lines: []report.RecordLine{{Text: "please cancel order 987"}, {Text: "then cancel order 987 again", Unseen: true}}},
	}
	lines := htmlRecordOf(d).Lines
	marked := func(l htmlLine) bool { return slices.ContainsFunc(l.Text, func(s segment) bool { return s.Mark }) }
	if !marked(lines[0]) || marked(lines[1]) {
		t.Errorf("marked: seen %t, unseen %t", marked(lines[0]), marked(lines[1]))
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
	if err := JUnit(&out, r); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "1.04") || !strings.Contains(out.String(), "0.96 [0.93, 1.00]") {
		t.Error("a mean of 0 to 1 is shown with an interval beyond 1")
	}
}
