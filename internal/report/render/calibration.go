package render

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/judgekit/judge/internal/report"
)

// Calibration writes c to w as text or json.
func Calibration(w io.Writer, c *report.Calibration, f Format, cfg Config) error {
	switch f {
	case TextFormat:
		return calibrationText(w, c, cfg)
	case JSONFormat:
		return c.WriteJSON(w)
	}
	return fmt.Errorf("format %q is none of text, json", f)
}

func calibrationText(w io.Writer, c *report.Calibration, cfg Config) error {
	p := &textPage{errWriter{w: w}, cfg.withDefaults()}
	p.note(0, fmt.Sprintf("%d labels in %d randomly drawn conversations, and %d of picked items, which enter no estimate.", c.Random, c.Conversations, c.Queue))
	for _, w := range c.Warnings {
		p.note(0, "Note: "+w.Text+".")
	}
	var trust, rates, cuts []table.Row
	rubric := ""
	for _, r := range c.Rows {
		if r.Rubric != rubric {
			rubric = r.Rubric
			head := table.Row{shorten(rubric, 44)}
			trust, rates, cuts = append(trust, head), append(rates, head), append(cuts, head)
		}
		name := "  " + shorten(r.Judge, 30)
		trust = append(trust, table.Row{name, r.N, mean(r.Kappa.Clipped(-1, 1)), percent(r.RecallWrong), percent(r.Specificity), mean(r.AUC)})
		further := "–"
		if n := r.PassRate.FurtherConversations; n != nil {
			further = fmt.Sprint(*n)
		}
		rates = append(rates, table.Row{name, rate(r.PassRate.Corrected.Clipped(0, 1)), rate(r.PassRate.LabelsOnly), rate(r.PassRate.Naive), further})
		advice := "keep the declared one"
		if r.Threshold.Change {
			advice = "change"
		}
		use := "no"
		if r.Confidence.Use {
			use = "yes"
		}
		cuts = append(cuts, table.Row{name, number(r.Threshold.Best), number(r.Threshold.AtDeclared), number(r.Threshold.AtBest), advice, use})
	}
	p.heading("Judge against the labels, the best judge of a rubric first")
	p.table(table.Row{"", "n", "kappa", "found", "kept", "AUC"}, trust, 2, 4, 5)
	p.heading("The agent's pass rate")
	p.table(table.Row{"", "corrected", "labels only", "judge alone", "label more"}, rates, 5)
	if len(c.Rows) > 0 {
		p.note(2, fmt.Sprintf("corrected = the judge's rate minus its errors as the labels show them; label more = about how many further conversations until its interval is %g points wide", 100*c.Rows[0].PassRate.WantedWidth))
	}
	p.heading("Thresholds and confidence, fitted on one half, tried on the other")
	p.table(table.Row{"", "best cut", "kappa now", "kappa then", "threshold", "map confidence"}, cuts, 2, 3, 4)
	if p.err != nil {
		return fmt.Errorf("write text calibration: %w", p.err)
	}
	return nil
}
