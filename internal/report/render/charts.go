package render

import (
	"bytes"
	_ "embed" // the figures
	"fmt"
	"html/template"
	"math"
	"strconv"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

// figures draws the figures of the page.
type figures struct {
	page bool
	// templates are read with the first figure; err is the first that went wrong.
	templates *template.Template
	err       error
}

//go:embed figures.html.tmpl
var figureTemplates string

// draw is the template of that name with data.
func (f *figures) draw(name string, data any) document.Figure {
	if f.templates == nil && f.err == nil {
		f.templates, f.err = template.New("figures").Funcs(document.Funcs()).Parse(figureTemplates)
	}
	var out bytes.Buffer
	if f.err == nil {
		f.err = f.templates.ExecuteTemplate(&out, name, data)
	}
	return document.Figure{HTML: template.HTML(out.String())}
}

func scatterSection(r *report.Report, f *figures) document.Section {
	s := document.Section{ID: "values", Name: "Values", Title: "The judge's values against the references' values", PageOnly: true}
	if f.page && len(r.Scatters) > 0 {
		s.Note("One conversation counts once; calls are reduced to their mean. A larger dot, or a fuller cell, holds more conversations. Above the dashed line the judge's mean is in the pass band.")
		s.Add(f.draw("scatters", scattersOf(r)))
	}
	return s
}

func confidenceSection(r *report.Report, f *figures) document.Section {
	s := document.Section{ID: "confidence", Name: "Confidence", Title: "How well the judge's confidence tells right verdicts from wrong ones", PageOnly: true}
	if diagrams := reliabilityOf(r); f.page && len(diagrams) > 0 {
		s.Add(f.draw("reliability", diagrams))
		s.Note("On the dashed line the judge is right as often as it claims. The number beside a dot, and the bar below it, is how many verdicts it stands for.")
	}
	return s
}

// scatter is the drawing of one report.Scatter: the reference's value to the right,
// the judge's upwards.
type scatter struct {
	Title, XName, YName, Words string
	XTicks, YTicks             []axisTick
	Dots                       []dot
	Cells                      []gridCell
	// Pass is the height of the line where the judge's pass band begins.
	Pass    float64
	HasPass bool
}

type axisTick struct {
	At    float64
	Label string
}

type dot struct{ X, Y, R float64 }

// gridCell is a cell of a density grid; Class d1 to d5 says how full it is.
type gridCell struct {
	X, Y, W, H float64
	Class      string
}

// The frame of a scatter: its plot is plotSide units wide and high.
const (
	plotLeft   = 52.0
	plotTop    = 26.0
	plotSide   = 240.0
	plotBottom = plotTop + plotSide
)

func scattersOf(r *report.Report) []scatter {
	var out []scatter
	for _, s := range r.Scatters {
		d := scatter{
			Title: shorten(s.Reference.Title(), 60), XName: shorten(s.Reference.Title(), 40), YName: shorten(s.Rubric, 36),
			Words: fmt.Sprintf("%s by %s, n = %s, rank correlation %s", shorten(s.Rubric, 60), shorten(s.Judge, 40), document.Count(s.N, "conversation", "conversations"), mean(s.Spearman).Text),
		}
		x := func(v float64) float64 { return round1(plotLeft + share(v, s.XMin, s.XMax)*plotSide) }
		y := func(v float64) float64 { return round1(plotBottom - share(v, s.YMin, s.YMax)*plotSide) }
		d.XTicks, d.YTicks = ticks(s.XMin, s.XMax, x), ticks(s.YMin, s.YMax, y)
		if s.Pass != nil && *s.Pass >= s.YMin && *s.Pass <= s.YMax {
			d.Pass, d.HasPass = y(*s.Pass), true
		}
		most := 0
		for _, p := range s.Points {
			most = max(most, p.N)
		}
		for _, p := range s.Points {
			if s.Grid == 0 {
				d.Dots = append(d.Dots, dot{x(p.X), y(p.Y), round1(2.5 + 9*math.Sqrt(float64(p.N)/float64(s.N)))})
				continue
			}
			side := plotSide / float64(s.Grid)
			d.Cells = append(d.Cells, gridCell{round1(x(p.X) - side/2), round1(y(p.Y) - side/2), round1(side), round1(side), density(p.N, most)})
		}
		out = append(out, d)
	}
	return out
}

// share is where v lies between low and high, 0 to 1.
func share(v, low, high float64) float64 {
	if high <= low {
		return 0.5
	}
	return min(1, max(0, (v-low)/(high-low)))
}

// density is the class of a cell: counts are set apart by their logarithm, since a
// few cells hold most conversations.
func density(n, most int) string {
	if most <= 1 {
		return "d3"
	}
	return "d" + strconv.Itoa(1+int(4*math.Log(float64(n))/math.Log(float64(most))))
}

func ticks(low, high float64, at func(float64) float64) []axisTick {
	var out []axisTick
	for i := range 5 {
		v := low + float64(i)/4*(high-low)
		out = append(out, axisTick{at(v), strconv.FormatFloat(v, 'g', 3, 64)})
	}
	return out
}

// reliability is the diagram of one judge's confidence.
type reliability struct {
	Title  string
	Points []binDot
	Lines  []string
	Bins   []report.Bin
	Ticks  []axisTick
}

// confidenceRows are, for each judge, the headline and the headline for calls, where
// they are not the same.
func confidenceRows(r *report.Report) []report.AgreementRow {
	const most = 12
	var out []report.AgreementRow
	for _, judge := range r.Judges() {
		var last *report.AgreementRow
		for _, level := range []string{"", report.CallLevel} {
			row, ok := r.Headline(judge, level)
			if !ok || row.Confidence == nil || len(out) == most || last != nil && keyOf(*last) == keyOf(row) {
				continue
			}
			out = append(out, row)
			last = &row
		}
	}
	return out
}

// binDot is one bin: a dot, its count beside it, and a bar of the count below.
type binDot struct {
	dot
	Words           string
	TextX, TextY    float64
	BarX, BarY, Bar float64
}

const histogram = 36.0

func reliabilityOf(r *report.Report) []reliability {
	var out []reliability
	for _, row := range confidenceRows(r) {
		judge := row.Judge
		c := row.Confidence
		x := func(v float64) float64 { return round1(plotLeft + share(v, 0, 1)*plotSide) }
		y := func(v float64) float64 { return round1(plotBottom - share(v, 0, 1)*plotSide) }
		d := reliability{Title: fmt.Sprintf("%s by %s against %s", shorten(row.Rubric, 60), shorten(judge, 40), referenceName(row, 60)),
			Bins: c.Bins, Ticks: ticks(0, 1, x)}
		most := 1
		for _, b := range c.Bins {
			most = max(most, b.N)
		}
		for _, b := range c.Bins {
			p := binDot{dot: dot{x(b.Confidence), y(b.Accuracy), 4.5}, Words: strconv.Itoa(b.N)}
			p.TextX, p.TextY = p.X+7, p.Y+16
			if p.TextY > plotBottom-4 {
				p.TextY = p.Y - 8
			}
			p.Bar = round1(max(1, histogram*float64(b.N)/float64(most)))
			p.BarX, p.BarY = round1(p.X-8), round1(plotBottom+24+histogram-p.Bar)
			d.Points = append(d.Points, p)
		}
		d.Lines = []string{
			"n = " + document.Count(c.N, "verdict", "verdicts") + unitWords(row), "AUC " + mean(c.AUC).String() + " (0.5: confidence says nothing)",
			"ECE " + mean(c.ECE).Text, "Brier " + mean(c.Brier).Text, "overconfidence " + mean(c.Overconfidence).Text,
		}
		out = append(out, d)
	}
	return out
}

// unitWords says what the verdicts of a row are about.
func unitWords(row report.AgreementRow) string {
	if row.Reduction != "" {
		return " on conversations, each with the confidence of the call that decided it"
	}
	return " on " + row.Level + "s"
}
