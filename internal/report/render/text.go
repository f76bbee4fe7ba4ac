package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// textPage writes the parts of the text report.
type textPage struct {
	errWriter
	Config
}

// Text writes the report for a terminal: the summary in words, then the tables.
func Text(w io.Writer, r *report.Report, cfg Config) error {
	p := &textPage{errWriter{w: w}, cfg.withDefaults()}
	p.summary(r)
	p.grids(comparisonGrids(r))
	p.grids(appliedGrids(r.Calibration))
	p.scores(r)
	p.grids(sizeGrids(r))
	p.grids(policyGrids(r))
	p.agreement(r)
	p.grids(gradedGrids(r))
	p.headlineTools(r)
	p.grids(toolConversationGrids(r))
	p.parameters(r)
	p.funnel(r)
	p.metrics(r)
	p.grids(peerGrids(r))
	p.grids(noiseGrids(r))
	p.checks(r)
	p.grids(answerGrids(r))
	p.disagreements(r)
	p.gates(r.Gates)
	if p.err != nil {
		return fmt.Errorf("write text report: %w", p.err)
	}
	return nil
}

func (p *textPage) heading(format string, args ...any) {
	h := fmt.Sprintf(format, args...)
	if p.Color {
		h = text.Bold.Sprint(h)
	}
	p.printf("\n%s\n", h)
}

// note writes a paragraph, wrapped and indented.
func (p *textPage) note(indent int, words string) {
	pad := strings.Repeat(" ", indent)
	for _, line := range wrap(visible(words), p.Width-indent-1) {
		p.put(pad + line + "\n")
	}
}

// wrap breaks words into lines of at most width columns; a longer word is broken.
func wrap(words string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(words) {
		for text.StringWidth(word) > width {
			head := text.Trim(word, width)
			if head == "" || line != "" {
				lines = append(lines, line)
				line = ""
				continue
			}
			lines = append(lines, head)
			word = word[len(head):]
		}
		switch {
		case line == "":
			line = word
		case text.StringWidth(line)+1+text.StringWidth(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// table prints rows under a header, the columns in right aligned to the right. A
// row of one cell is a heading over those that follow. Where a line would be wider
// than the page, the cells of the first column are shortened.
func (p *textPage) table(header table.Row, rows []table.Row, right ...int) {
	lines := layOut(header, rows, right)
	excess, first := 0, 0
	for _, line := range lines {
		excess = max(excess, text.StringWidth(line)+2-p.Width)
	}
	for _, row := range rows {
		if len(row) > 1 {
			first = max(first, text.StringWidth(fmt.Sprint(row[0])))
		}
	}
	if excess > 0 {
		const least = 16
		limit := max(least, first-excess)
		for _, row := range rows {
			if len(row) > 1 {
				row[0] = cut(fmt.Sprint(row[0]), limit)
			}
		}
		lines = layOut(header, rows, right)
	}
	next := 2 // behind the header and its rule
	for _, line := range lines[:next] {
		p.put("  " + line + "\n")
	}
	for _, row := range rows {
		if len(row) == 1 {
			p.printf("  %s\n", row[0])
			continue
		}
		p.put("  " + lines[next] + "\n")
		next++
	}
}

// layOut renders the rows that are no headings, one line each.
func layOut(header table.Row, rows []table.Row, right []int) []string {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Format.Header = text.FormatDefault
	style.Box.MiddleHorizontal, style.Box.PaddingLeft, style.Box.PaddingRight = "-", "", "  "
	style.Options = table.Options{SeparateHeader: true}
	t.SetStyle(style)
	var columns []table.ColumnConfig
	for _, n := range right {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	t.AppendHeader(header)
	for _, row := range rows {
		if len(row) > 1 {
			t.AppendRow(row)
		}
	}
	lines := strings.Split(t.Render(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

func (p *textPage) summary(r *report.Report) {
	for _, sentence := range r.Summary {
		p.note(0, sentence)
	}
}

func (p *textPage) scores(r *report.Report) {
	if len(r.Scores) == 0 {
		return
	}
	p.heading("Scores (%s intervals, clustered by conversation; verdicts as they are)", level(r))
	var rows []table.Row
	group := "\x00"
	for _, s := range r.Scores {
		if g := groupOf(s); g != group {
			group = g
			rows = append(rows, table.Row{shorten(g, 60)})
		}
		missing := ""
		if n := s.Unscored + s.Errors; n > 0 {
			missing = fmt.Sprintf("%d (%s)", n, s.ErrorRate.Percent(false))
		}
		if s.Unreliable {
			missing += " !"
		}
		name := shown(r, s.Instrument)
		if s.Level == report.ConversationLevel {
			name += " (conv.)"
		}
		rows = append(rows, table.Row{"  " + shorten(name, 36), s.N, mean(shownMean(r, &s)), rate(s.PassRate), missing})
	}
	p.table(table.Row{"", "n", "mean", "pass rate", "missing"}, rows, 2)
	if hasUnreliable(r) {
		p.note(2, "! more than 2 % are missing: unreliable, since what is missing is seldom random")
	}
}

// shown is an instrument with the name that its scorer's configuration gives it.
func shown(r *report.Report, in report.Instrument) string {
	for _, s := range r.Run.Scorers {
		if s.Name == in.Name && s.DisplayName != "" && in.Source == string(score.Deterministic) {
			return s.DisplayName + " (" + in.Title() + ")"
		}
	}
	return in.Title()
}

func hasUnreliable(r *report.Report) bool {
	for _, s := range r.Scores {
		if s.Unreliable {
			return true
		}
	}
	return false
}

func groupOf(s report.ScoreRow) string {
	switch {
	case s.Purpose == "qa":
		return "quality assurance, in no mean"
	case s.Judge != "":
		return "judge " + s.Judge
	case s.Source == "label":
		return "labels"
	}
	return s.Source
}

func level(r *report.Report) string { return fmt.Sprintf("%.4g %%", 100*(1-r.Alpha)) }

// mean and rate print an estimate in a table; "–" where there is none.
func mean(e report.Estimate) string {
	if !e.Defined() {
		return "–"
	}
	return e.String()
}

func rate(e report.Estimate) string {
	if !e.Defined() {
		return "–"
	}
	return e.Percent(true)
}

func percent(e report.Estimate) string {
	if !e.Defined() {
		return "–"
	}
	return e.Percent(false)
}

// wholePercent is a rate without decimals and interval.
func wholePercent(e report.Estimate) string {
	return wholeRate(report.Estimate{Value: e.Value})
}

// wholeRate is a rate without decimals, for tables with many columns.
func wholeRate(e report.Estimate) string {
	if !e.Defined() {
		return "–"
	}
	text := fmt.Sprintf("%.0f %%", 100**e.Value)
	if e.HasInterval() {
		text += fmt.Sprintf(" [%.0f, %.0f]", 100**e.Low, 100**e.High)
	}
	return text
}

func number(e report.Estimate) string {
	if !e.Defined() {
		return "–"
	}
	return fmt.Sprintf("%.2f", *e.Value)
}

// maxToolRows bounds the tool table in text and Markdown.
const maxToolRows = 15

func (p *textPage) headlineTools(r *report.Report) {
	for _, judge := range r.Judges() {
		row, ok := r.Headline(judge, report.CallLevel)
		if !ok || len(row.ByTool) < 2 {
			continue
		}
		p.heading("By tool: %s by %s against %s", shorten(row.Rubric, 40), shorten(judge, 30), shorten(row.Reference.Title(), 40))
		p.note(2, "Reference: "+shorten(row.Reference.Title(), 60)+", "+r.Standing(row.Reference).Words()+".")
		var rows []table.Row
		for i, t := range row.ByTool {
			if i == maxToolRows {
				break
			}
			name := "  " + shorten(t.Tool, 34)
			if t.Small {
				name += " ·"
			}
			rows = append(rows, table.Row{name, t.N, wholeRate(t.BaseRate), wholeRate(t.JudgeRate), wholeRate(t.Agreement), mean(t.Kappa.Clipped(-1, 1)), t.JudgeOnlyPass, t.JudgeOnlyFail})
		}
		p.table(table.Row{"", "n", "base", "judge", "agree", "kappa", "lax", "strict"}, rows, 2, 3, 4, 7, 8)
		note := "lax = the judge alone passes, strict = the judge alone fails; · fewer than 30 calls: the point alone"
		if more := len(row.ByTool) - maxToolRows; more > 0 {
			note += fmt.Sprintf("; %d more tools are in report.json", more)
		}
		p.note(2, note)
	}
}
