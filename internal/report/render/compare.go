package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/judgekit/judge/internal/report"
)

// Comparison writes c to w as text, json, markdown or html.
func Comparison(w io.Writer, c *report.Comparison, f Format, cfg Config) error {
	switch f {
	case TextFormat:
		return compareText(w, c, cfg)
	case JSONFormat:
		return c.WriteJSON(w)
	case MarkdownFormat:
		return compareMarkdown(w, c, cfg)
	case HTMLFormat:
		return compareHTML(w, c)
	}
	return fmt.Errorf("format %q is none of text, json, markdown, html", f)
}

func compareText(w io.Writer, c *report.Comparison, cfg Config) error {
	p := &textPage{errWriter{w: w}, cfg.withDefaults()}
	for _, s := range c.Summary {
		p.note(0, s)
	}
	p.heading("All items (A to B; ~ is noise; p corrected by Holm)")
	header := table.Row{"", "n", "A", "B", "difference", "p", "", "lost", "won", "mde"}
	p.table(header, changeRows(c, true), 2, 3, 4, 6, 8, 9, 10)
	p.note(2, "lost, won = items that pass only in A, only in B; mde = the smallest true change that these items would have shown with 80 % power")
	if rows := changeRows(c, false); len(rows) > 0 {
		p.heading("%s", besides(c))
		p.table(header, rows, 2, 3, 4, 6, 8, 9, 10)
	}
	if rows, quiet := toolChanges(c); len(rows)+quiet > 0 {
		of := ""
		if byConversation(c) {
			of = " (mean of its calls in a conversation)"
		}
		p.heading("By tool%s, only what is more than noise (%d further rows show none)", of, quiet)
		if len(rows) > 0 {
			p.table(header, rows, 2, 3, 4, 6, 8, 9, 10)
		}
	}
	if rows, left := parameterRows(c); len(rows) > 0 {
		p.heading("Parameters against the expected calls, the largest drop first")
		p.table(parameterHeader, rows, 3, 4, 5, 6, 7)
		p.note(2, parameterNote)
		if left > 0 {
			p.note(2, fmt.Sprintf("%d more changed; all are in the JSON form", left))
		}
	}
	p.flips(c)
	if p.err != nil {
		return fmt.Errorf("write text comparison: %w", p.err)
	}
	return nil
}

// besides names the rows that do not decide.
func besides(c *report.Comparison) string {
	if byConversation(c) {
		return "Only the calls that both runs made (decides nothing)"
	}
	return "By conversation: the mean of its calls, and every call; only what is more than noise (decides nothing)"
}

// byConversation reports whether the scores of calls decide as reduced.
func byConversation(c *report.Comparison) bool {
	return slices.ContainsFunc(c.Rows, func(r report.ChangeRow) bool { return r.Decides && r.Reduced != "" })
}

// changeRows are the rows over all items, those that decide or the others.
func changeRows(c *report.Comparison, decides bool) (rows []table.Row) {
	group, title := "", ""
	for _, r := range c.Rows {
		if ch := r.Primary(); r.Tool != "" || r.Decides != decides || !decides && r.Reduced != "" && (ch.Words() == "~" || ch.Words() == "–") {
			continue
		}
		if g := changeGroup(r); g != group {
			group, title = g, ""
			rows = append(rows, table.Row{shorten(g, 60)})
		}
		if r.Reduced == "" {
			rows = append(rows, changeCells("  "+shorten(r.Title(), 34), r))
			continue
		}
		if r.Title() != title {
			title = r.Title()
			rows = append(rows, table.Row{"  " + shorten(title, 60)})
		}
		rows = append(rows, changeCells("    "+strings.TrimPrefix(r.Label(), r.Title()+", "), r))
	}
	return rows
}

func changeGroup(r report.ChangeRow) string {
	switch {
	case r.JudgeB != "":
		return "judge " + r.Judge + " and " + r.JudgeB
	case r.Judge != "":
		return "judge " + r.Judge
	}
	return r.Source
}

func changeCells(name string, r report.ChangeRow) table.Row {
	ch := r.Primary()
	return table.Row{name, ch.N, number(ch.A), number(ch.B), mean(r.Difference()), pText(ch.PHolm), ch.Words(), r.Broken, r.Fixed, number(ch.Detectable)}
}

func pText(p report.Estimate) string {
	if p.Defined() && *p.Value < 0.001 {
		return "<0.001"
	}
	if p.Defined() {
		return fmt.Sprintf("%.3f", *p.Value)
	}
	return "–"
}

// toolChanges are the rows by tool that show more than noise, and how many do not.
func toolChanges(c *report.Comparison) (rows []table.Row, quiet int) {
	group, shown := "", 0
	for _, r := range sortedByTool(c.Rows) {
		if r.Tool == "" || !r.Decides {
			continue
		}
		if ch := r.Primary(); ch.Words() == "~" || ch.Words() == "–" || shown >= maxAgreementRows {
			quiet++
			continue
		}
		name := r.Title()
		if r.Judge != "" {
			name += " by " + r.Judge
		}
		if r.Tool != group {
			group = r.Tool
			rows = append(rows, table.Row{shorten(group, 60)})
		}
		rows = append(rows, changeCells("  "+shorten(name, 40), r))
		shown++
	}
	return rows, quiet
}

// parameterRows are the parameters that changed at all, the largest drop first, and
// how many of them are left out.
func parameterRows(c *report.Comparison) (rows []table.Row, left int) {
	for _, p := range c.Parameters {
		if *p.Delta.Value == 0 {
			continue
		}
		if len(rows) == maxAgreementRows {
			left++
			continue
		}
		word := "~"
		if !p.Noise && *p.Delta.Value < 0 {
			word = "worse"
		} else if !p.Noise {
			word = "better"
		}
		rows = append(rows, table.Row{shorten(p.Tool, 40), shorten(p.Parameter, 40), p.NA, p.NB, percent(p.A), percent(p.B), pText(p.PHolm), word})
	}
	return rows, left
}

var parameterHeader = table.Row{"", "parameter", "n A", "n B", "right A", "right B", "p", ""}

const parameterNote = "right = has the expected value; p by Fisher, corrected by Holm, calls taken as independent"

func (p *page) parameterChanges(c *report.Comparison) {
	changed, left := parameterRows(c)
	var rows [][]string
	for _, row := range changed {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = fmt.Sprint(cell)
		}
		rows = append(rows, cells)
	}
	p.table("Parameters against the expected calls, the largest drop first", "llrrrrrl",
		[]string{"tool", "parameter", "n A", "n B", "right A", "right B", "p (Holm)", ""}, rows)
	if len(rows) > 0 {
		p.printf("\n%s; %d more changed.\n", parameterNote, left)
	}
}

// sortedByTool puts the rows of one tool together.
func sortedByTool(rows []report.ChangeRow) []report.ChangeRow {
	out := slices.Clone(rows)
	slices.SortStableFunc(out, func(x, y report.ChangeRow) int { return cmp.Compare(x.Tool, y.Tool) })
	return out
}

func (p *textPage) flips(c *report.Comparison) {
	if c.Verdicts.Total == 0 {
		return
	}
	shown := min(2*p.Disagreements, len(c.Verdicts.Items))
	p.heading("Changed verdicts, broken ones first (%d of %d)", shown, c.Verdicts.Total)
	for _, f := range c.Verdicts.Items[:shown] {
		p.note(1, flipWords(f))
	}
}

func flipWords(f report.Flip) string {
	word := "fixed "
	if f.Broken {
		word = "broken"
	}
	name := f.Title()
	if f.Reduced != "" {
		name += ", the lowest call"
	}
	if f.Judge != "" {
		name += " by " + f.Judge
	}
	return fmt.Sprintf("%s %s: %s %.4g to %.4g", word, whereabouts(report.Disagreement{ConversationID: f.ConversationID, CallIndex: f.CallIndex, Tool: f.Tool, Place: f.Place}), cut(name, 80), f.A, f.B)
}

func compareMarkdown(w io.Writer, c *report.Comparison, cfg Config) error {
	p := &page{errWriter{w: w}, cfg.withDefaults()}
	p.put("## Judge comparison\n\n")
	for _, s := range c.Summary {
		p.printf("- %s\n", escapeMarkdown(s))
	}
	var rows, others, tools [][]string
	for _, r := range c.Rows {
		ch := r.Primary()
		cells := changeLine(r)
		switch {
		case r.Tool == "" && r.Decides:
			rows = append(rows, cells)
		case r.Tool == "" && (r.Reduced == "" || ch.Words() != "~" && ch.Words() != "–"):
			others = append(others, cells)
		case r.Tool != "" && r.Decides && ch.Words() != "~" && ch.Words() != "–" && len(tools) < maxAgreementRows:
			tools = append(tools, append([]string{shorten(r.Tool, 60)}, cells...))
		}
	}
	header := changeHeader()
	p.table("All items", changeAlign, header, rows)
	p.table(besides(c), changeAlign, header, others)
	p.table("By tool, more than noise", "l"+changeAlign, append([]string{"tool"}, header...), tools)
	p.parameterChanges(c)
	if c.Verdicts.Total > 0 {
		shown := min(2*p.Disagreements, len(c.Verdicts.Items))
		p.printf("\n<details><summary>Changed verdicts, broken ones first (%d of %d)</summary>\n\n", shown, c.Verdicts.Total)
		for _, f := range c.Verdicts.Items[:shown] {
			p.printf("- %s\n", escapeMarkdown(flipWords(f)))
		}
		p.put("\n</details>\n")
	}
	if p.err != nil {
		return fmt.Errorf("write markdown comparison: %w", p.err)
	}
	return nil
}
