package page

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
)

// maxRates limits how many pass rates the page opens with.
const maxRates = 4

// headline holds what the page opens with.
type headline struct {
	*report.Report
	// Rates holds the report's first rates.
	Rates []report.HeadlineRate
	// Answers says what the answers to the other questions are.
	Answers []string
	// NoTrust says why nothing is known about a judge.
	NoTrust string
	// People says how people who labelled agree; "" if no two people labelled the same items.
	People string
	// First is the disagreement to read first, "" if none; FirstLink is its address.
	First, FirstLink string
	// Groups holds the groups of failing calls; nil if the calls were made to fail.
	Groups []report.FailureGroup
	// Planted holds the short answers about a probe, which replace those about the agent; nil for other runs.
	Planted words.Facts
}

func newHeadline(r *report.Report) *headline {
	h := &headline{Report: r, Rates: leadingRates(r.Headline.Rates), Answers: words.Answers(r), NoTrust: words.NoTrust(r),
		People: words.PeopleAgree(r), Groups: r.FailureGroups}
	if r.Probe != nil {
		h.Groups, h.Planted = nil, words.Card(r, "")
	}
	if len(r.Disagreements.Items) > 0 {
		c := r.Disagreements.Items[0].CaseRef
		h.First, h.FirstLink = c.ConversationID, address(c)
		if c.CallIndex != nil {
			h.First += fmt.Sprintf(":%d %s", *c.CallIndex, c.Tool)
		}
	}
	return h
}

// leadingRates returns the rates to draw. Labels on too few items are left out.
func leadingRates(list []report.HeadlineRate) (out []report.HeadlineRate) {
	for _, rate := range list {
		if rate.Kind != report.LabelRateKind || rate.N >= report.FewLabels {
			out = append(out, rate)
		}
	}
	return out[:min(len(out), maxRates)]
}

// address returns the URL fragment that opens an item, without #.
func address(c report.CaseRef) string {
	call := ""
	if c.CallIndex != nil {
		call = fmt.Sprint(*c.CallIndex)
	}
	return strings.ReplaceAll(url.QueryEscape(c.ConversationID), "+", "%20") + ":" + call
}

// squareCell is a count of the judge's decisions, with its share of the reference's.
type squareCell struct {
	N           int
	Word, Class string
	Share       float64
}

func newSquareCell(n, of int, word, class string) squareCell {
	return squareCell{n, word, class, float64(n) / float64(max(1, of))}
}

// points returns a share in hundredths.
func points(f *float64) string { return words.Fixed(100**f, 0) }
