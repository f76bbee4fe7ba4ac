package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// table collects the rows of the CSV form.
type table [][]string

// add adds a row per measure; the first eight columns are head. n counts the items of the
// measures; names holds the name of each.
func (t *table) add(head [8]string, n int, names string, numbers ...report.Estimate) {
	for i, name := range strings.Fields(names) {
		e := numbers[i]
		row := append(head[:], name, strconv.Itoa(n), digits(e.Value), digits(e.Low), digits(e.High), e.Reason)
		for k := range row {
			row[k] = words.CSVCell(row[k])
		}
		*t = append(*t, row)
	}
}

// writeCSV writes one table with a row per number of the report: scores, scores by tool, agreement,
// noise, and the consensus of judges. All rows have the same columns; an undefined number is empty.
// A cell that a spreadsheet would run as a formula gets a leading quote.
func writeCSV(w io.Writer, r *report.Report) error {
	t := table{{"section", "source", "judge", "name", "level", "tool", "reference", "reduction",
		"measure", "n", "value", "low", "high", "reason"}}
	for _, s := range r.Scores {
		head := [8]string{"scores", s.Source, s.Judge, s.Title(), s.Level}
		t.add(head, s.N, "mean", s.Mean)
		t.add(head, s.Judged, "pass_rate", s.PassRate)
		t.add(head, s.N+s.Unscored+s.Errors, "coverage", s.Coverage)
		t.add(head, s.Judged, "detectable_from_target detectable_between_runs",
			s.Detectable.FromTarget, s.Detectable.BetweenRuns)
		for _, c := range s.Categories {
			t.add(head, s.N, "category:"+strings.Join(strings.Fields(c.Category), "_"), c.Share)
		}
		if s.Applies != nil {
			t.add(head, s.Applies.Of, "applies", s.Applies.Rate)
		}
	}
	for _, tool := range r.ByTool {
		for _, s := range tool.Scores {
			head := [8]string{"by_tool", s.Source, s.Judge, s.Title(), s.Level, tool.Tool}
			t.add(head, s.N, "mean pass_rate", s.Mean, s.PassRate)
		}
	}
	for _, a := range r.Agreement {
		head := [8]string{"agreement", "judge", a.Judge, a.Rubric, a.Level, "", a.Reference.Title(), a.Reduction}
		t.add(head, a.Verdicts, "base_rate judge_rate accuracy balanced_accuracy recall_wrong specificity",
			a.BaseRate, a.JudgeRate, a.Accuracy, a.Balanced, a.RecallWrong, a.Specificity)
		t.add(head, a.Verdicts, "mcc kappa ac1 spearman auc", a.MCC, a.Kappa, a.AC1, a.Spearman, a.AUC)
		if g := a.Graded; g != nil {
			t.add(head, a.N, "bias mae rmse ccc", g.Bias, g.MAE, g.RMSE, g.CCC)
		}
		for _, of := range a.ByTool {
			head[5] = of.Tool
			t.add(head, of.N, "accuracy kappa", of.Agreement, of.Kappa)
		}
	}
	for _, n := range r.Noise {
		head := [8]string{"noise", "judge", n.Judge, n.Rubric, n.Level}
		t.add(head, n.N, "repeated flip_rate within_sd floor", n.Repeated, n.Flips, n.WithinSD, n.Floor)
	}
	for _, c := range r.Consensus {
		head := [8]string{"consensus", "judge", c.Panel, c.Rubric, c.Level}
		t.add(head, c.N, "pairwise_agreement fleiss_kappa ac1 alpha_verdicts alpha_values",
			c.Same, c.Fleiss, c.Gwet, c.Nominal, c.Values)
	}
	if err := csv.NewWriter(w).WriteAll(t); err != nil {
		return fmt.Errorf("write csv report: %w", err)
	}
	return nil
}

// digits returns a number with all its digits, for programs.
func digits(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}
