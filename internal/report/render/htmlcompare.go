package render

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"

	"github.com/judgekit/judge/internal/report"
)

//go:embed compare.html.tmpl
var comparisonTemplate string

// comparisonPage is what the template of a comparison shows.
type comparisonPage struct {
	CSS        template.CSS
	Policy     string
	Name, A, B string
	Summary    []string
	Sections   []gridSection
}

// compareHTML writes a comparison as a page with the promises of HTML.
func compareHTML(w io.Writer, c *report.Comparison) error {
	t, err := pageParts()
	if err == nil {
		t, err = t.New("comparison").Parse(comparisonTemplate)
	}
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	return writePage(w, t, comparisonPage{
		CSS: template.CSS(styleSheet), Policy: policy(), Name: shorten(c.Name, 120), A: c.A.ID, B: c.B.ID,
		Summary: c.Summary, Sections: gridSections(changeGrids(c)),
	})
}

// changeGrids are the tables of a comparison.
func changeGrids(c *report.Comparison) []grid {
	all := changeGrid("all", "All items", c, func(r report.ChangeRow) bool { return r.Decides && r.Tool == "" })
	all.After = []string{"~ is noise; p corrected by Holm; lost, won = items that pass only in A, only in B; mde = the smallest true change that these items would have shown with 80 % power"}
	out := []grid{all, changeGrid("besides", besides(c), c, func(r report.ChangeRow) bool {
		word := r.Primary().Words()
		return !r.Decides && r.Tool == "" && (r.Reduced == "" || word != "~" && word != "–")
	})}
	tools := changeGrid("tools", "By tool, more than noise", c, func(r report.ChangeRow) bool {
		word := r.Primary().Words()
		return r.Decides && r.Tool != "" && word != "~" && word != "–"
	})
	out = append(out, tools, parameterGrid(c), flipGrid(c))
	kept := out[:0]
	for _, g := range out {
		if len(g.Rows) > 0 {
			kept = append(kept, g)
		}
	}
	return kept
}

func changeGrid(id, title string, c *report.Comparison, keep func(report.ChangeRow) bool) grid {
	g := grid{ID: id, Title: title, Heads: []string{"score", "n", "A", "B", "difference", "p", "", "lost", "won", "mde"}, Align: "lrrrerlrrr"}
	for _, r := range sortedByTool(c.Rows) {
		if !keep(r) {
			continue
		}
		group := changeGroup(r)
		if r.Tool != "" {
			group = r.Tool + " · " + group
		}
		g.group(shorten(group, 120))
		ch := r.Primary()
		g.add(r.Label(), fmt.Sprint(ch.N), number(ch.A), number(ch.B), mean(r.Difference()), pText(ch.PHolm), ch.Words(), fmt.Sprint(r.Broken), fmt.Sprint(r.Fixed), number(ch.Detectable))
	}
	return g
}

func parameterGrid(c *report.Comparison) grid {
	g := grid{ID: "parameters", Title: "Parameters against the expected calls, the largest drop first",
		Heads: []string{"parameter", "n A", "n B", "right A", "right B", "p", ""}, Align: "lrrrrrl"}
	rows, left := parameterRows(c)
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = fmt.Sprint(cell)
		}
		g.add(append([]string{cells[0] + "." + cells[1]}, cells[2:]...)...)
	}
	g.After = []string{fmt.Sprintf("%s; %d more changed", parameterNote, left)}
	return g
}

func flipGrid(c *report.Comparison) grid {
	g := grid{ID: "verdicts", Title: fmt.Sprintf("Changed verdicts, broken ones first (%d of %d)", len(c.Verdicts.Items), c.Verdicts.Total),
		Heads: []string{"conversation", "call", "tool", "score", "by", "", "A", "B"}, Align: "lrllllrr"}
	for _, f := range c.Verdicts.Items {
		word, call, name := "fixed", "", f.Title()
		if f.Broken {
			word = "broken"
		}
		if f.CallIndex != nil {
			call = fmt.Sprint(*f.CallIndex)
		}
		if f.Reduced != "" {
			name += ", the lowest call"
		}
		g.add(f.ConversationID, call, f.Tool, name, f.Judge, word, fmt.Sprintf("%.4g", f.A), fmt.Sprintf("%.4g", f.B))
	}
	return g
}
