package document

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

//go:embed page.css
var styleSheet string

//go:embed page.html.tmpl
var pageTemplate string

const (
	// maxCell bounds the cells of a table and maxBlock each text that unfolds, both in
	// characters; maxBodies bounds all that unfolds together, in bytes of the page.
	maxCell   = 300
	maxBlock  = 1500
	maxBodies = 6 << 20
)

// page is what the template is given.
type page struct {
	*Document
	CSS    template.CSS
	Policy string
	t      *template.Template
	// bodies is how many bytes of what unfolds were written, full that some was left out.
	bodies int
	full   bool
}

// WritePage writes the document as one file that loads nothing: no script at all, the
// one style sheet named by its hash in the content security policy, and every text
// escaped by html/template with direction characters made visible.
func (d *Document) WritePage(w io.Writer) error {
	p := &page{Document: d, CSS: template.CSS(styleSheet), Policy: policy()}
	var err error
	p.t, err = template.New("page").Funcs(template.FuncMap{
		"kind": kindOf, "visible": value.Visible, "bar": drawBar, "plot": drawPlot, "verdict": verdictClass,
		"rows": pageRows, "headClass": headClass, "cellClass": cellClass,
		"excerpt": func(s string) string { return Shorten(s, maxCell) }, "item": p.item,
		"lines": func(s string) string { return value.VisibleLines(value.Excerpt(s, maxBlock)) },
	}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("read page template: %w", err)
	}
	var out bytes.Buffer
	if err := p.t.Execute(&out, p); err != nil {
		return fmt.Errorf("render html page: %w", err)
	}
	if _, err := w.Write(out.Bytes()); err != nil {
		return fmt.Errorf("write html page: %w", err)
	}
	return nil
}

// item is an entry that unfolds; those that come when the page is full are left out.
func (p *page) item(i Item) (template.HTML, error) {
	if p.bodies > maxBodies {
		if p.full {
			return "", nil
		}
		p.full = true
		return `<p class="note">The entries behind this one are in the JSON form.</p>`, nil
	}
	var out bytes.Buffer
	err := p.t.ExecuteTemplate(&out, "item", struct {
		Item
		Body Body
	}{i, i.Body()})
	p.bodies += out.Len()
	return template.HTML(out.String()), err
}

// kindOf is the type of a part, as document.Heading.
func kindOf(p Part) string { return fmt.Sprintf("%T", p) }

// policy allows the one style sheet and nothing else.
func policy() string {
	sum := sha256.Sum256([]byte(styleSheet))
	hash := base64.StdEncoding.EncodeToString(sum[:])
	return "default-src 'none'; style-src 'sha256-" + hash + "'; base-uri 'none'; form-action 'none'"
}

// pageRows are the rows that the page shows; More says how many it does not.
func pageRows(t *Table) (shown struct {
	Rows []Row
	More string
}) {
	shown.Rows = t.Rows
	if left := len(t.Rows) - mostPage; left > 0 {
		shown.Rows, shown.More = t.Rows[:mostPage], moreRows(left)
	}
	return shown
}

// cellClass is the class of the cells of a column.
func cellClass(t *Table, column int) string {
	switch t.Kinds[column] {
	case 'r', 'R':
		return "n"
	case 'e', 'i':
		return "e"
	case 'b':
		return "drawn"
	case 'h':
		return "heat"
	}
	return "t"
}

// headClass is the class of the head of a column: heads over numbers may break, and the
// first column is names whatever its kind.
func headClass(t *Table, column int) string {
	if column == 0 {
		return "t"
	}
	if class := cellClass(t, column); class != "n" {
		return class
	}
	return "n r"
}

// verdictClass colours a line that begins with its verdict.
func verdictClass(line string) string {
	word, _, _ := strings.Cut(line, " ")
	return map[string]string{"pass": "pass", "passes": "pass", "FAIL": "fail", "fails": "fail"}[word]
}

// drawnBar is a bar of 120 units.
type drawnBar struct {
	Bar
	Width, From, To float64
	Interval        bool
}

func drawBar(b *Bar) drawnBar {
	units := func(f float64) float64 { return math.Round(1200*min(1, max(0, f))) / 10 }
	d := drawnBar{Bar: *b, Width: units(b.Value), Interval: b.Low != nil && b.High != nil}
	if d.Interval {
		d.From, d.To = units(*b.Low), units(*b.High)
	}
	return d
}

// drawnPlot is a plot whose square begins at 52, 26 and is 240 units wide and high.
type drawnPlot struct {
	Plot
	XTicks, YTicks []tick
	Dots           []dot
}

type tick struct {
	At    float64
	Label string
}

type dot struct{ X, Y, R float64 }

func drawPlot(p Plot) drawnPlot {
	const left, bottom, side = 52.0, 266.0, 240.0
	round := func(f float64) float64 { return math.Round(10*f) / 10 }
	d := drawnPlot{Plot: p}
	for _, v := range []float64{0, 0.25, 0.5, 0.75, 1} {
		d.XTicks = append(d.XTicks, tick{left + side*v, Short(v)})
		d.YTicks = append(d.YTicks, tick{bottom - side*v, Short(v)})
	}
	all := 0
	for _, at := range p.Points {
		all += at.N
	}
	for _, at := range p.Points {
		radius := 2.5 + 9*math.Sqrt(float64(at.N)/float64(all))
		d.Dots = append(d.Dots, dot{round(left + side*at.X), round(bottom - side*at.Y), round(radius)})
	}
	return d
}
