package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/judgekit/judge/internal/report"
)

func (p *textPage) funnel(r *report.Report) {
	if r.Funnel == nil {
		return
	}
	p.heading("%s, side by side (%s)", funnelTitle(r.Funnel), counted(r.Funnel.Cases, "case", "cases"))
	var rows []table.Row
	for _, l := range r.Funnel.Layers {
		rows = append(rows, table.Row{"  " + l.Layer, l.N, l.Passed, rate(l.Rate), l.Lost, lossWords(l.ByTool, 3)})
	}
	p.table(table.Row{"", "n", "passed", "rate", "lost here", "of these"}, rows, 2, 3, 5)
	for _, line := range r.Funnel.Words() {
		p.note(2, visible(line))
	}
}

// funnelTitle names the layers that are there.
func funnelTitle(f *report.Funnel) string {
	var names []string
	for _, l := range f.Layers {
		name := l.Layer
		if name == "ast" {
			name = "AST"
		}
		names = append(names, shorten(name, 40))
	}
	return "Funnel: " + strings.Join(names, ", ")
}

// counted is a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// noTool is the report's name for cases that are no calls of one tool.
const noTool = "(no tool)"

func lossWords(losses []report.Loss, most int) string {
	var out []string
	for i, l := range losses {
		if i == most {
			out = append(out, "…")
			break
		}
		if l.Tool == noTool {
			out = append(out, counted(l.Count, "whole conversation", "whole conversations"))
			continue
		}
		out = append(out, fmt.Sprintf("%s %d", shorten(l.Tool, 20), l.Count))
	}
	return cut(strings.Join(out, ", "), 40)
}

// metrics are the figures that the configuration of scorers asked for.
func (p *textPage) metrics(r *report.Report) {
	if len(r.Metrics) == 0 {
		return
	}
	p.heading("Metrics of the configuration")
	var rows []table.Row
	for _, m := range r.Metrics {
		rows = append(rows, table.Row{"  " + visible(m.Scorer), visible(m.Name), m.N, metricValue(m), visible(m.Note)})
	}
	p.table(table.Row{"", "metric", "n", "value", ""}, rows, 3, 4)
}

// metricValue prints a metric's number, or its table as JSON.
func metricValue(m report.Metric) string {
	switch {
	case m.Value != nil:
		return fmt.Sprintf("%.4g", *m.Value)
	case !m.Table.IsNull():
		return shorten(m.Table.JSON(), 60)
	}
	return "–"
}

func (p *textPage) checks(r *report.Report) {
	var rows []table.Row
	for _, c := range r.JudgeChecks {
		if c.N == 0 {
			continue
		}
		repaired := "–"
		if c.Repaired.N > 0 {
			repaired = fmt.Sprintf("%d (%s, clean %s)", c.Repaired.N, number(c.Repaired.Mean), number(c.Clean.Mean))
		}
		rows = append(rows, table.Row{"  " + shorten(c.Rubric+" by "+c.Judge, 38), c.N, percent(c.Severe), repaired, flagWords(c.Flags, 2)})
	}
	if len(rows) == 0 {
		return
	}
	p.heading("The judge itself: flags found without a model")
	p.table(table.Row{"", "n", "severe", "repaired (mean)", "most frequent"}, rows, 2, 3)
}

func flagWords(flags []report.FlagRate, most int) string {
	var out []string
	for i, f := range flags {
		if i == most {
			out = append(out, "…")
			break
		}
		out = append(out, fmt.Sprintf("%s %d", shorten(f.Code, 24), f.Count))
	}
	if len(out) == 0 {
		return "none"
	}
	return cut(strings.Join(out, ", "), 36)
}

func (p *textPage) disagreements(r *report.Report) {
	d := r.Disagreements
	if d.Total == 0 {
		return
	}
	shown := min(p.Disagreements, len(d.Items))
	p.heading("Disagreements, the most telling first (%d of %d)", shown, d.Total)
	for _, item := range d.Items[:shown] {
		p.note(1, fmt.Sprintf("%d. %s", item.Rank, whereabouts(item)))
		p.note(5, verdictLine(item))
		for _, s := range reasons(item) {
			p.note(5, s)
		}
	}
	if d.Total > shown {
		p.note(1, "More in report.json; see one in full with: judge show RUN CONVERSATION:CALL")
	}
}

func whereabouts(d report.Disagreement) string {
	out := cut(d.ConversationID, 80)
	if d.CallIndex != nil {
		out += fmt.Sprintf(":%d %s", *d.CallIndex, cut(d.Tool, 60))
	}
	if d.Place != "" {
		out += "  (" + cut(d.Place, 160) + ")"
	}
	return out
}

// verdictLine says who decided what.
func verdictLine(d report.Disagreement) string {
	var judges, refs []string
	for _, s := range overallFirst(d.Judgements) {
		if s.Conflicts {
			judges = append(judges, fmt.Sprintf("%s %s%s", cut(s.Name, 60), sideValue(s), confidenceWords(s)))
		}
	}
	for _, s := range d.References {
		if s.Conflicts {
			refs = append(refs, fmt.Sprintf("%s %s", cut(s.Name, 60), sideValue(s)))
		}
	}
	word, other := "fails", "passed"
	if d.Direction == report.JudgePasses {
		word, other = "passes", "failed"
	}
	text := fmt.Sprintf("%s %s it: %s; %s by %s", d.Judge, word, some(judges, 2), other, some(refs, 3))
	if with := labelsWith(d); len(with) > 0 {
		text += "; with the judge: " + some(with, 3)
	}
	return text
}

// labelsWith names the labels that decide as the judge does: they, not the references
// that contradict it, have the last word.
func labelsWith(d report.Disagreement) []string {
	var out []string
	for _, s := range d.References {
		if s.Source == "label" && slices.Contains(d.SidesWithJudge, s.Name) {
			out = append(out, cut(s.Name, 60))
		}
	}
	return out
}

// overallFirst puts the overall verdict before those on single aspects.
func overallFirst(sides []report.Side) []report.Side {
	out := slices.Clone(sides)
	slices.SortStableFunc(out, func(x, y report.Side) int {
		return strings.Compare(overallKey(x.Name), overallKey(y.Name))
	})
	return out
}

func overallKey(name string) string {
	if strings.HasPrefix(name, "overall") {
		return "0"
	}
	return "1"
}

// some lists the first few and counts the rest.
func some(list []string, most int) string {
	if len(list) > most {
		list = append(list[:most:most], fmt.Sprintf("%d more", len(list)-most))
	}
	return strings.Join(list, ", ")
}

func sideValue(s report.Side) string {
	if s.Value == nil {
		return "–"
	}
	return fmt.Sprintf("%.4g", *s.Value)
}

func confidenceWords(s report.Side) string {
	if s.Confidence == nil {
		return ""
	}
	return fmt.Sprintf(" (confidence %.2f)", *s.Confidence)
}

// reasons are the two sides' words, shortened.
func reasons(d report.Disagreement) []string {
	const most = 240
	var out []string
	for _, side := range [][]report.Side{overallFirst(d.Judgements), d.References} {
		for _, s := range side {
			if s.Conflicts && s.Explanation != "" {
				out = append(out, fmt.Sprintf("%s: %s", cut(s.Name, 60), shorten(s.Explanation, most)))
				break
			}
		}
	}
	return out
}

func (p *textPage) gates(gates []report.GateResult) {
	if len(gates) == 0 {
		return
	}
	p.heading("Gates")
	for _, g := range gates {
		p.note(1, g.Line)
	}
}
