package page

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
)

// maxRates bounds the pass rates that the page opens with.
const maxRates = 4

// headline is what the page opens with.
type headline struct {
	Rates     []rateBar
	MoreRates string
	Trust     []square
	// NoTrust says why there is no square.
	NoTrust string
	Read    reading
}

// rateBar is a pass rate in words and as a bar.
type rateBar struct {
	report.HeadlineRate
	Big, Of, Words string
}

// square is the picture of found, missed, kept and false alarms.
type square struct {
	Words string
	// Wrong and Right are the rows by the reference; nil where it shows nothing of them.
	Wrong, Right *squareRow
}

// squareRow has what the judge fails and what it passes.
type squareRow struct {
	Head          string
	Fails, Passes squareCell
}

// squareCell is a count with its share of the row.
type squareCell struct {
	N           int
	Word, Class string
	Share       float64
}

// reading is how much there is to read, with the first of it.
type reading struct {
	Disagreements    int
	Fails            string
	First, FirstLink string
}

func newHeadline(r *report.Report) *headline {
	h := &headline{Read: reading{Disagreements: r.Headline.Disagreements}}
	shown := leadingRates(r.Headline.Rates)
	if len(shown) < len(r.Headline.Rates) {
		h.MoreRates = "Further rates are below, under Scores."
	}
	for _, rate := range shown {
		h.Rates = append(h.Rates, newRateBar(r, rate))
	}
	for _, t := range r.Headline.Trust {
		h.Trust = append(h.Trust, newSquare(t))
	}
	switch {
	case len(h.Trust) > 0:
	case len(r.Judges()) == 0:
		h.NoTrust = "No judge was asked in this run."
	default:
		h.NoTrust = "Nothing in the logs says which calls are right, so nobody can say. " +
			"Label some calls: judge calibrate RUN --sheet labels.csv"
	}
	h.Read.Fails = document.Count(r.Failing.Total, r.Failing.By.Level+" fails", r.Failing.By.Level+"s fail")
	if len(r.Disagreements.Items) > 0 {
		c := r.Disagreements.Items[0].CaseRef
		h.Read.First, h.Read.FirstLink = c.ConversationID, address(c)
		if c.CallIndex != nil {
			h.Read.First += fmt.Sprintf(":%d %s", *c.CallIndex, c.Tool)
		}
	}
	return h
}

// leadingRates are the rates that are drawn: no label of fewer items than say anything.
func leadingRates(list []report.HeadlineRate) (out []report.HeadlineRate) {
	for _, rate := range list {
		if rate.Kind != report.LabelRateKind || rate.N >= report.FewLabels {
			out = append(out, rate)
		}
	}
	return out[:min(len(out), maxRates)]
}

// address is the fragment that opens an item, without #.
func address(c report.CaseRef) string {
	call := ""
	if c.CallIndex != nil {
		call = fmt.Sprint(*c.CallIndex)
	}
	return strings.ReplaceAll(url.QueryEscape(c.ConversationID), "+", "%20") + ":" + call
}

func newRateBar(r *report.Report, h report.HeadlineRate) rateBar {
	b := rateBar{HeadlineRate: h, Big: document.Percent(h.Rate.Value, nil, nil, 0).Text,
		Of: "of " + document.Count(h.N, h.Level, h.Level+"s"), Words: "by " + h.By()}
	if h.Rate.HasInterval() {
		b.Words += fmt.Sprintf("; %s to %s with %s confidence", document.Fixed(100**h.Rate.Low, 0),
			document.Percent(h.Rate.High, nil, nil, 0).Text, document.Short(100*(1-r.Alpha))+" %")
	}
	return b
}

func newSquare(t report.HeadlineTrust) square {
	s := square{Words: document.Shorten(t.Judge, 60) + " " + t.Words() + "."}
	by := t.By()
	if c := t.Found; c != nil {
		s.Wrong = &squareRow{fmt.Sprintf("%d that %s fails", c.Of, by),
			newSquareCell(c.Count, c.Of, "found", "good"), newSquareCell(c.Of-c.Count, c.Of, "missed", "bad")}
	}
	if c := t.Kept; c != nil {
		alarms := "false alarms"
		if c.Of-c.Count == 1 {
			alarms = "false alarm"
		}
		s.Right = &squareRow{fmt.Sprintf("%d that %s passes", c.Of, by),
			newSquareCell(c.Of-c.Count, c.Of, alarms, "bad"), newSquareCell(c.Count, c.Of, "kept", "good")}
	}
	return s
}

func newSquareCell(n, of int, word, class string) squareCell {
	return squareCell{n, word, class, float64(n) / float64(max(1, of))}
}
