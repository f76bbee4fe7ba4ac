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
	"strconv"
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
		"visible": value.Visible, "breaks": breaks, "bar": drawBar, "plot": drawPlot, "verdict": verdictClass,
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

// headClass breaks the heads over numbers.
func headClass(t *Table, column int) string {
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
	Dots           []drawnPoint
	Cells          []drawnPoint
	Level          float64
	HasLevel       bool
}

type tick struct {
	At    float64
	Label string
}

// drawnPoint is the centre of a dot of radius R, or the corner of a cell with side R.
type drawnPoint struct {
	X, Y, R float64
	Class   string
}

func drawPlot(p Plot) drawnPlot {
	const left, bottom, side = 52.0, 266.0, 240.0
	round := func(f float64) float64 { return math.Round(10*f) / 10 }
	x := func(v float64) float64 { return round(left + side*within(v, p.X)) }
	y := func(v float64) float64 { return round(bottom - side*within(v, p.Y)) }
	d := drawnPlot{Plot: p, XTicks: ticks(p.X, x), YTicks: ticks(p.Y, y)}
	if v := p.Level; v != nil && *v >= p.Y[0] && *v <= p.Y[1] {
		d.Level, d.HasLevel = y(*v), true
	}
	all, largest := 0, 0
	for _, at := range p.Points {
		all, largest = all+at.N, max(largest, at.N)
	}
	for _, at := range p.Points {
		if p.Grid == 0 {
			radius := round(2.5 + 9*math.Sqrt(float64(at.N)/float64(all)))
			d.Dots = append(d.Dots, drawnPoint{x(at.X), y(at.Y), radius, "soft-dot"})
			continue
		}
		cell := side / float64(p.Grid)
		d.Cells = append(d.Cells, drawnPoint{round(x(at.X) - cell/2), round(y(at.Y) - cell/2), round(cell), density(at.N, largest)})
	}
	return d
}

// within is where v lies between the ends of an axis, 0 to 1.
func within(v float64, ends [2]float64) float64 {
	if ends[1] <= ends[0] {
		return 0.5
	}
	return min(1, max(0, (v-ends[0])/(ends[1]-ends[0])))
}

func ticks(ends [2]float64, at func(float64) float64) []tick {
	var out []tick
	for i := range 5 {
		v := ends[0] + float64(i)/4*(ends[1]-ends[0])
		out = append(out, tick{at(v), Short(v)})
	}
	return out
}

// density is the class of a cell: counts are set apart by their logarithm, since a
// few cells hold most.
func density(n, largest int) string {
	if largest <= 1 {
		return "d3"
	}
	return "d" + strconv.Itoa(1+int(4*math.Log(float64(n))/math.Log(float64(largest))))
}

// breaks cuts a name behind the signs at which it may be broken into lines, and what is
// longer than a column at any place.
func breaks(name string) []string {
	const longest = 24
	var out []string
	at, runes := 0, 0
	name = Shorten(name, maxCell)
	for i, r := range name {
		if runes == longest {
			out = append(out, name[at:i])
			at, runes = i, 0
		}
		runes++
		switch {
		case r == ' ':
			runes = 0
		case strings.ContainsRune("_./-", r):
			out = append(out, name[at:i+1])
			at, runes = i+1, 0
		}
	}
	return append(out, name[at:])
}
