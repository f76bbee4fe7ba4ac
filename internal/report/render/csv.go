package render

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/value"
)

// CSV writes one table with a row per number of the report: scores, scores by
// tool, agreement, noise, and the consensus of judges. The columns are the same for every row; a number that is
// undefined is empty. Cells that a spreadsheet would run as a formula get a quote
// before them.
func CSV(w io.Writer, r *report.Report) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"section", "source", "judge", "name", "level", "tool", "reference", "reduction", "measure", "n", "value", "low", "high", "reason"}}
	for _, s := range r.Scores {
		head := []string{"scores", s.Source, s.Judge, s.Title(), s.Level, "", "", ""}
		rows = append(rows, line(head, "mean", s.N, s.Mean), line(head, "pass_rate", s.Judged, s.PassRate),
			line(head, "coverage", s.N+s.Unscored+s.Errors, s.Coverage),
			line(head, "detectable_from_target", s.Judged, s.Detectable.FromTarget), line(head, "detectable_between_runs", s.Judged, s.Detectable.BetweenRuns))
	}
	for _, t := range r.ByTool {
		for _, s := range t.Scores {
			head := []string{"by_tool", s.Source, s.Judge, s.Title(), s.Level, t.Tool, "", ""}
			rows = append(rows, line(head, "mean", s.N, s.Mean), line(head, "pass_rate", s.N, s.PassRate))
		}
	}
	for _, a := range r.Agreement {
		head := []string{"agreement", "judge", a.Judge, a.Rubric, a.Level, "", a.Reference.Title(), a.Reduction}
		for _, m := range []struct {
			name string
			e    report.Estimate
		}{
			{"base_rate", a.BaseRate}, {"judge_rate", a.JudgeRate}, {"accuracy", a.Accuracy}, {"balanced_accuracy", a.Balanced},
			{"recall_wrong", a.RecallWrong}, {"specificity", a.Specificity}, {"mcc", a.MCC}, {"kappa", a.Kappa},
			{"ac1", a.AC1}, {"spearman", a.Spearman}, {"auc", a.AUC},
		} {
			rows = append(rows, line(head, m.name, a.Verdicts, m.e))
		}
		if g := a.Graded; g != nil {
			rows = append(rows, line(head, "bias", a.N, g.Bias), line(head, "mae", a.N, g.MAE), line(head, "rmse", a.N, g.RMSE), line(head, "ccc", a.N, g.CCC))
		}
		for _, t := range a.ByTool {
			head[5] = t.Tool
			rows = append(rows, line(head, "accuracy", t.N, t.Agreement), line(head, "kappa", t.N, t.Kappa))
		}
	}
	for _, n := range r.Noise {
		head := []string{"noise", "judge", n.Judge, n.Rubric, n.Level, "", "", ""}
		rows = append(rows, line(head, "repeated", n.N, n.Repeated), line(head, "flip_rate", n.N, n.Flips), line(head, "within_sd", n.N, n.WithinSD), line(head, "floor", n.N, n.Floor))
	}
	for _, c := range r.Consensus {
		head := []string{"consensus", "judge", c.Panel, c.Rubric, c.Level, "", "", ""}
		rows = append(rows, line(head, "fleiss_kappa", c.N, c.Fleiss), line(head, "alpha_verdicts", c.N, c.Nominal), line(head, "alpha_values", c.N, c.Values))
	}
	for _, row := range rows {
		for i := range row {
			row[i] = cell(row[i])
		}
		if err := out.Write(row); err != nil {
			return fmt.Errorf("write csv report: %w", err)
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("write csv report: %w", err)
	}
	return nil
}

func line(head []string, measure string, n int, e report.Estimate) []string {
	return append(append([]string{}, head...), measure, strconv.Itoa(n), plain(e.Value), plain(e.Low), plain(e.High), e.Reason)
}

func plain(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

// cell guards against spreadsheets that run what begins like a formula; numbers
// are left alone.
func cell(text string) string {
	text = value.Visible(text)
	start := strings.TrimLeft(text, " \u00a0\u2003\u3000")
	if start == "" || !strings.ContainsRune("=+-@＝＋－＠", []rune(start)[0]) {
		return text
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return text
	}
	return "'" + text
}
