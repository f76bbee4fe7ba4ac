package render

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
)

// htmlDisagreement is one entry of the queue.
type htmlDisagreement struct {
	Rank         int
	Where, Words string
	Sides        []htmlSide
	Record       *htmlRecord
	// Late entries stay closed on paper.
	Late bool
}

type htmlSide struct {
	Who, Verdict, Class, Numbers      string
	Explanation, Evidence, Correction string
	// Same says that the reason is that of the side before.
	Same bool
}

// htmlRecord is the excerpt of the log.
type htmlRecord struct {
	Problem string
	Lines   []htmlLine
	Behind  int
}

type htmlLine struct {
	Skipped    int
	Class, Who string
	Text       []segment
	Cut        int
	Focus      bool
	// Unseen says that the judge was not shown the line, "" where it was.
	Unseen string
}

// segment is a piece of text; marked ones are quoted as evidence.
type segment struct {
	Text string
	Mark bool
}

const (
	// maxHTMLText bounds each text in characters, maxHTMLTexts all of them together in
	// bytes of the page. What does not fit is counted, not dropped in silence.
	maxHTMLText  = 1500
	maxHTMLTexts = 6 << 20
	// printed is how many disagreements are opened on paper.
	printed = 25
	// maxMarks bounds the marks of one text.
	maxMarks = 40
)

func htmlDisagreements(r *report.Report) (out []htmlDisagreement, unlisted int) {
	spent := 0
	for i := range r.Disagreements.Items {
		d := &r.Disagreements.Items[i]
		if spent > maxHTMLTexts {
			return out, r.Disagreements.Total - i
		}
		h := htmlDisagreement{Rank: d.Rank, Where: whereabouts(*d), Words: cut(verdictLine(*d), 300), Late: i >= printed}
		for _, s := range overallFirst(d.Judgements) {
			h.Sides = append(h.Sides, htmlSideOf(s, d.Judge))
		}
		for _, s := range conflictsFirst(d.References) {
			h.Sides = append(h.Sides, htmlSideOf(s, ""))
		}
		shareReasons(h.Sides)
		h.Record = htmlRecordOf(d)
		spent += h.size()
		out = append(out, h)
	}
	return out, r.Disagreements.Total - len(out)
}

// conflictsFirst puts the references that contradict the judge before the others.
func conflictsFirst(sides []report.Side) []report.Side {
	out := slices.Clone(sides)
	slices.SortStableFunc(out, func(x, y report.Side) int {
		switch {
		case x.Conflicts == y.Conflicts:
			return 0
		case x.Conflicts:
			return -1
		}
		return 1
	})
	return out
}

// shareReasons empties the reasons that only repeat those of the side before.
func shareReasons(sides []htmlSide) {
	explanation, evidence := "", ""
	for i := range sides {
		s := &sides[i]
		if s.Explanation != "" && s.Explanation == explanation && s.Evidence == evidence {
			s.Same, s.Explanation, s.Evidence = true, "", ""
			continue
		}
		explanation, evidence = s.Explanation, s.Evidence
	}
}

// size is about what the entry takes in the page.
func (h *htmlDisagreement) size() int {
	const markup = 200
	n := markup + escaped(h.Where) + escaped(h.Words)
	for _, s := range h.Sides {
		n += markup + escaped(s.Who) + escaped(s.Numbers) + escaped(s.Explanation) + escaped(s.Evidence) + escaped(s.Correction)
	}
	if h.Record == nil {
		return n
	}
	for _, l := range h.Record.Lines {
		n += markup + escaped(l.Who)
		for _, s := range l.Text {
			n += 13 + escaped(s.Text)
		}
	}
	return n
}

func escaped(text string) int { return len(html.EscapeString(text)) }

func htmlSideOf(s report.Side, judge string) htmlSide {
	h := htmlSide{
		Who: shorten(s.Name, 120), Numbers: sideValue(s) + confidenceWords(s),
		Explanation: visibleLines(cut(s.Explanation, maxHTMLText)), Evidence: visibleLines(cut(s.Evidence, maxHTMLText)),
	}
	if judge != "" {
		h.Who += " by " + shorten(judge, 80)
	}
	if s.CallIndex != nil {
		h.Numbers += fmt.Sprintf(", decided by call %d", *s.CallIndex)
	}
	if s.Passed != nil {
		h.Verdict, h.Class = "fails", "fail"
		if *s.Passed {
			h.Verdict, h.Class = "passes", "pass"
		}
	}
	if len(s.Flags) > 0 {
		h.Numbers += ", flags: " + shorten(strings.Join(s.Flags, ", "), 200)
	}
	if !s.Correction.IsNull() && s.Correction.Len() > 0 {
		h.Correction = shorten(s.Correction.JSON(), maxHTMLText)
	}
	return h
}

func htmlRecordOf(d *report.Disagreement) *htmlRecord {
	r := d.Record
	if r == nil {
		return nil
	}
	h := &htmlRecord{Problem: shorten(r.Problem, 300), Behind: r.SkippedAfter}
	quotes := d.Quotes()
	for _, l := range r.Lines {
		line := htmlLine{Skipped: l.Skipped, Class: "line", Who: lineWords(l), Cut: l.Cut, Focus: l.Focus}
		if l.Focus {
			line.Class += " focus"
		}
		if l.Unseen {
			line.Class += " unseen"
			line.Unseen = "not seen by the judge"
			if at := d.Focus(); d.CallIndex == nil && at != nil {
				line.Unseen += fmt.Sprintf(" of call %d", *at)
			}
		}
		marked := quotes
		if l.Unseen {
			marked = nil // a judge cannot quote what it was not shown
		}
		line.Text = segments(cut(l.Text, maxHTMLText), marked)
		h.Lines = append(h.Lines, line)
	}
	return h
}

// lineWords says what a line of a record is.
func lineWords(l report.RecordLine) string {
	tool := shorten(l.Tool, 100)
	switch {
	case l.Kind == report.DefinitionLine:
		return "definition of " + tool
	case l.Kind == report.CallLine && l.Call != nil:
		words := fmt.Sprintf("call %d: %s", *l.Call, tool)
		if l.Role != "" && l.Role != "assistant" {
			words += " by " + shorten(l.Role, 20)
		}
		return words
	case l.Kind == report.ResultLine && l.Call != nil:
		return fmt.Sprintf("result of call %d: %s", *l.Call, tool)
	case tool != "":
		return shorten(l.Role, 20) + ": " + tool
	}
	return shorten(l.Role, 20)
}

// segments cuts text where quotes stand in it, and makes each piece safe to show.
func segments(text string, quotes []string) []segment {
	type span struct{ start, end int }
	var spans []span
	for _, q := range quotes {
		for from := 0; len(spans) < maxMarks; {
			start, end, ok := report.FindQuote(text, q, from)
			if !ok {
				break
			}
			spans = append(spans, span{start, end})
			from = end
		}
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	var out []segment
	at := 0
	for _, s := range spans {
		if s.end <= at {
			continue
		}
		start := max(s.start, at)
		if start > at {
			out = append(out, segment{Text: visibleLines(text[at:start])})
		}
		out = append(out, segment{visibleLines(text[start:s.end]), true})
		at = s.end
	}
	if at < len(text) || len(out) == 0 {
		out = append(out, segment{Text: visibleLines(text[at:])})
	}
	return out
}
