package render

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/report"
)

// page writes Markdown that GitHub renders, small enough for a step summary.
type page struct {
	errWriter
	Config
}

// Markdown writes the report for a pull request or $GITHUB_STEP_SUMMARY.
func Markdown(w io.Writer, r *report.Report, cfg Config) error {
	p := &page{errWriter{w: w}, cfg.withDefaults()}
	p.put("## Judge report\n\n")
	p.gates(r.Gates)
	for _, s := range r.Summary {
		p.printf("- %s\n", escapeMarkdown(s))
	}
	p.grids(comparisonGrids(r))
	p.grids(appliedGrids(r.Calibration))
	p.scores(r)
	p.grids(sizeGrids(r))
	p.grids(policyGrids(r))
	p.agreement(r)
	p.grids(gradedGrids(r))
	p.tools(r)
	p.grids(toolConversationGrids(r))
	p.parameters(r)
	p.funnel(r)
	p.metrics(r)
	p.grids(peerGrids(r))
	p.grids(noiseGrids(r))
	p.checks(r)
	p.grids(answerGrids(r))
	p.disagreements(r)
	p.printf("\n<sub>Intervals: %s, clustered by conversation. Verdicts as they are, whatever the judge's confidence.</sub>\n", level(r))
	if p.err != nil {
		return fmt.Errorf("write markdown report: %w", p.err)
	}
	return nil
}

// table writes a table; align has one of l and r a column.
func (p *page) table(title, align string, header []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	if title != "" {
		p.printf("\n### %s\n", escapeMarkdown(title))
	}
	p.printf("\n| %s |\n|", strings.Join(header, " | "))
	for _, a := range align {
		p.put(map[rune]string{'l': ":--|", 'r': "--:|"}[a])
	}
	p.put("\n")
	for _, row := range rows {
		for i, cell := range row {
			row[i] = escapeMarkdown(cell)
		}
		p.printf("| %s |\n", strings.Join(row, " | "))
	}
}

func (p *page) gates(gates []report.GateResult) {
	for _, g := range gates {
		p.printf("- %s\n", escapeMarkdown(g.Line))
	}
	if len(gates) > 0 {
		p.put("\n")
	}
}

func (p *page) scores(r *report.Report) {
	var rows [][]string
	for _, s := range r.Scores {
		missing := ""
		if n := s.Unscored + s.Errors; n > 0 {
			missing = fmt.Sprintf("%d (%s)", n, s.ErrorRate.Percent(false))
		}
		if s.Unreliable {
			missing += " ⚠"
		}
		rows = append(rows, []string{shorten(shown(r, s.Instrument), 60), shorten(groupOf(s), 40), s.Level, fmt.Sprint(s.N), mean(shownMean(r, &s)), rate(s.PassRate), missing})
	}
	p.table("Scores", "lllrrrr", []string{"score", "by", "of", "n", "mean", "pass rate", "missing"}, rows)
}

func (p *page) agreement(r *report.Report) {
	shown, left := shownAgreement(r)
	var rows [][]string
	for _, a := range shown {
		ref := shorten(a.Reference.Title(), 60)
		for _, name := range a.Same {
			ref += " = " + shorten(name, 60)
		}
		if a.Reduction != "" {
			ref += " (conversations: all calls pass)"
		}
		if a.Refused != "" {
			rows = append(rows, []string{shorten(a.Rubric, 60), shorten(a.Judge, 40), ref, "", "", "refused: " + a.Refused, "", "", "", "", "", ""})
			continue
		}
		c := a.Confusion
		rows = append(rows, []string{
			shorten(a.Rubric, 60), shorten(a.Judge, 40), ref, fmt.Sprint(a.N), percent(a.BaseRate), kappaWords(&a.AgreementRow),
			percent(a.RecallWrong), percent(a.Specificity), number(a.AC1), mean(a.AUC), number(a.Spearman),
			fmt.Sprintf("%d / %d / %d / %d", c.BothPass, c.JudgeOnlyPass, c.JudgeOnlyFail, c.BothFail),
		})
	}
	if len(rows) > 0 {
		p.put("\n### Judge against deterministic scores and labels\n")
	}
	for _, line := range r.GoldWords() {
		if len(rows) > 0 {
			p.printf("\n%s\n", escapeMarkdown(line))
		}
	}
	p.table("", "lllrrrrrrrrr",
		[]string{"rubric", "judge", "reference", "n", "base rate", "kappa", "wrong found", "right kept", "AC1", "AUC", "rho", "both pass / only judge / only reference / both fail"}, rows)
	if left > 0 {
		p.printf("\n%d more rows are in report.json.\n", left)
	}
}

// kappaWords is a kappa for a cell, with the doubt where it has no interval.
func kappaWords(row *report.AgreementRow) string {
	if !row.Kappa.Defined() {
		return "–"
	}
	return row.KappaWords()
}

func (p *page) tools(r *report.Report) {
	for _, judge := range r.Judges() {
		row, ok := r.Headline(judge, report.CallLevel)
		if !ok || len(row.ByTool) < 2 {
			continue
		}
		var rows [][]string
		for _, t := range row.ByTool[:min(maxToolRows, len(row.ByTool))] {
			n := fmt.Sprint(t.N)
			if t.Small {
				n += " (few)"
			}
			rows = append(rows, []string{shorten(t.Tool, 60), n, percent(t.BaseRate), percent(t.JudgeRate), rate(t.Agreement), mean(t.Kappa.Clipped(-1, 1)), fmt.Sprint(t.JudgeOnlyPass), fmt.Sprint(t.JudgeOnlyFail)})
		}
		p.printf("\n### By tool: %s\n\nReference: %s, %s.\n", escapeMarkdown(by(row.Rubric, judge)+" against "+shorten(row.Reference.Title(), 60)),
			escapeMarkdown(shorten(row.Reference.Title(), 60)), escapeMarkdown(r.Standing(row.Reference).Words()))
		p.table("", "lrrrrrrr",
			[]string{"tool", "n", "base rate", "judge", "agree", "kappa", "only judge passes", "only judge fails"}, rows)
	}
}

func (p *page) funnel(r *report.Report) {
	if r.Funnel == nil {
		return
	}
	var rows [][]string
	for _, l := range r.Funnel.Layers {
		rows = append(rows, []string{l.Layer, fmt.Sprint(l.N), fmt.Sprint(l.Passed), rate(l.Rate), fmt.Sprint(l.Lost), lossWords(l.ByTool, 3)})
	}
	p.table(fmt.Sprintf("%s (%s)", funnelTitle(r.Funnel), counted(r.Funnel.Cases, "case", "cases")), "lrrrrl", []string{"layer", "n", "passed", "rate", "lost here", "of these"}, rows)
	for _, line := range r.Funnel.Words() {
		p.printf("\n%s\n", escapeMarkdown(visible(line)))
	}
}

func (p *page) metrics(r *report.Report) {
	var rows [][]string
	for _, m := range r.Metrics {
		rows = append(rows, []string{m.Scorer, m.Name, fmt.Sprint(m.N), metricValue(m), m.Note})
	}
	p.table("Metrics of the configuration", "llrrl", []string{"scorer", "metric", "n", "value", ""}, rows)
}

func (p *page) checks(r *report.Report) {
	var rows [][]string
	for _, c := range r.JudgeChecks {
		rows = append(rows, []string{shorten(c.Rubric, 60), shorten(c.Judge, 40), fmt.Sprint(c.N), percent(c.Severe), flagWords(c.Flags, 3),
			fmt.Sprintf("%d", c.Repaired.N), number(c.Repaired.Mean), number(c.Clean.Mean)})
	}
	p.table("The judge itself", "llrrlrrr", []string{"rubric", "judge", "n", "severe flags", "most frequent", "repaired", "mean repaired", "mean clean"}, rows)
}

func (p *page) disagreements(r *report.Report) {
	d := r.Disagreements
	if d.Total == 0 {
		return
	}
	shown := min(p.Disagreements, len(d.Items))
	p.printf("\n### Disagreements, the most telling first (%d of %d)\n\n", shown, d.Total)
	for _, item := range d.Items[:shown] {
		p.printf("<details><summary>%d. %s</summary>\n\n%s\n", item.Rank, escapeMarkdown(visible(whereabouts(item))), escapeMarkdown(visible(verdictLine(item))))
		for _, s := range reasons(item) {
			p.printf("\n> %s\n", escapeMarkdown(s))
		}
		p.put("\n</details>\n")
	}
}

var markdownEscapes = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;", "|", "\\|", "\\", "\\\\", "`", "\\`", "*", "\\*",
	"[", "\\[", "]", "\\]", "~", "\\~", "#", "\\#", "!", "\\!", "$", "\\$", "://", "&#58;//", "@", "&#64;",
	"www.", "www&#46;",
)

// escapeMarkdown makes text that GitHub shows as it is: no markup, links, mentions
// or table cells come out of it.
func escapeMarkdown(text string) string {
	text = markdownEscapes.Replace(visible(text))
	if !strings.Contains(text, "_") {
		return text
	}
	// An underscore inside a word is no markup, and names are full of them.
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		if r == '_' && (i == 0 || i == len(runes)-1 || !word(runes[i-1]) || !word(runes[i+1])) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

func word(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
