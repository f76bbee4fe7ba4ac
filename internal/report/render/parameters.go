package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/judgekit/judge/internal/report"
)

// maxParameterRows bounds the table of parameters for people; JSON has them all.
const maxParameterRows = 25

// parameterLine is one parameter that is not always there and right.
type parameterLine struct {
	Tool, Parameter    string
	N, Invented, wrong int
	Presence, Value    string
}

// parameterLines are the parameters that go wrong, those with the most wrong calls
// first; more is how many are left out.
func parameterLines(r *report.Report, most int) (lines []parameterLine, more int) {
	for _, t := range r.ByParameter {
		for i := range t.Parameters {
			p := &t.Parameters[i]
			if p.Faultless() {
				continue
			}
			lines = append(lines, parameterLine{
				Tool: t.Tool, Parameter: p.Parameter, N: p.N, Invented: p.Invented, wrong: p.N - p.Equal + p.Invented,
				Presence: percent(report.Estimate{Value: p.PresenceRate}), Value: percent(report.Estimate{Value: p.ValueRate}),
			})
		}
	}
	slices.SortStableFunc(lines, func(x, y parameterLine) int { return cmp.Compare(y.wrong, x.wrong) })
	shown := min(most, len(lines))
	return lines[:shown], len(lines) - shown
}

const parameterWords = "n = calls to the expected tool in which the parameter was expected; present and right = share of them that have it, and with the expected value; invented = calls that have it though it was not expected; parameters that are always right are left out"

func (p *textPage) parameters(r *report.Report) {
	lines, more := parameterLines(r, maxParameterRows)
	if len(lines) == 0 {
		return
	}
	p.heading("Parameters against the expected calls, the most wrong first")
	rows := make([]table.Row, len(lines))
	for i, l := range lines {
		rows[i] = table.Row{"  " + shorten(l.Tool, 28), shorten(l.Parameter, 24), l.N, l.Presence, l.Value, l.Invented}
	}
	p.table(table.Row{"", "parameter", "n", "present", "right", "invented"}, rows, 3, 4, 5, 6)
	note := parameterWords
	if more > 0 {
		note += fmt.Sprintf("; %d more are in report.json", more)
	}
	p.note(2, note)
}

func (p *page) parameters(r *report.Report) {
	lines, more := parameterLines(r, maxParameterRows)
	rows := make([][]string, len(lines))
	for i, l := range lines {
		rows[i] = []string{shorten(l.Tool, 60), shorten(l.Parameter, 60), fmt.Sprint(l.N), l.Presence, l.Value, fmt.Sprint(l.Invented)}
	}
	p.table("Parameters against the expected calls", "llrrrr", []string{"tool", "parameter", "n", "present", "right", "invented"}, rows)
	if more > 0 {
		p.printf("\n%d more rows are in report.json.\n", more)
	}
}

// htmlParameters is the section of the page.
type htmlParameters struct {
	Lines []parameterLine
	More  int
	Words string
}

func parametersOf(r *report.Report) *htmlParameters {
	const most = 200
	lines, more := parameterLines(r, most)
	if len(lines) == 0 {
		return nil
	}
	return &htmlParameters{Lines: lines, More: more, Words: parameterWords}
}

// shownMean is a row's mean with its interval clipped to what the score can be.
func shownMean(r *report.Report, s *report.ScoreRow) report.Estimate {
	if low, high, ok := r.Bounds(s); ok {
		return s.Mean.Clipped(low, high)
	}
	return s.Mean
}
