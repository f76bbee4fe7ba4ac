package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/value"
)

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

// disagreementSection lists the conflicts, each with the two sides' reasons; the page has
// every side and the record too.
func disagreementSection(r *report.Report, f *figures) document.Section {
	d := &r.Disagreements
	l := document.List{Most: 10, More: "are in report.json; see one in full with: judge show RUN CONVERSATION:CALL"}
	spent := 0
	for i := range d.Items {
		item := disagreementItem(&d.Items[i])
		if f.page {
			item.Late = i >= printed
			item.Page = f.draw("disagreement", disagreementPage(&d.Items[i])).HTML
			spent += len(item.Page) + len(item.Title) + len(item.Words)
		}
		if spent > maxHTMLTexts {
			break
		}
		l.Items = append(l.Items, item)
	}
	s := document.Section{ID: "disagreements", Name: "Disagreements", Title: fmt.Sprintf("Disagreements, the most telling first (%d)", d.Total), Parts: list(l)}
	if len(s.Parts) == 0 {
		return document.Section{}
	}
	s.Note("Confident conflicts come first: they are errors of the judge, errors of the reference, or valid alternatives. Do not estimate quality from this list.")
	if left := d.Total - len(l.Items); left > 0 {
		s.Note(fmt.Sprintf("%d are not listed; report.json has as many as its own limit allows, and the whole run is in scores.jsonl.", left))
	}
	return s
}

func disagreementItem(d *report.Disagreement) document.Item {
	return document.Item{Title: fmt.Sprintf("%d. %s", d.Rank, whereabouts(*d)), Words: verdictLine(*d), Lines: reasons(*d)}
}

// htmlDisagreement is what unfolds on the page.
type htmlDisagreement struct {
	Sides  []htmlSide
	Record *htmlRecord
}

func disagreementPage(d *report.Disagreement) htmlDisagreement {
	h := htmlDisagreement{Record: htmlRecordOf(d)}
	for _, s := range overallFirst(d.Judgements) {
		h.Sides = append(h.Sides, htmlSideOf(s, d.Judge))
	}
	for _, s := range conflictsFirst(d.References) {
		h.Sides = append(h.Sides, htmlSideOf(s, ""))
	}
	shareReasons(h.Sides)
	return h
}

func whereabouts(d report.Disagreement) string {
	out := document.Cut(d.ConversationID, 80)
	if d.CallIndex != nil {
		out += fmt.Sprintf(":%d %s", *d.CallIndex, document.Cut(d.Tool, 60))
	}
	if d.Place != "" {
		out += "  (" + document.Cut(d.Place, 160) + ")"
	}
	return out
}

// verdictLine says who decided what.
func verdictLine(d report.Disagreement) string {
	var judges, refs []string
	for _, s := range overallFirst(d.Judgements) {
		if s.Conflicts {
			judges = append(judges, fmt.Sprintf("%s %s%s", document.Cut(s.Name, 60), sideValue(s), confidenceWords(s)))
		}
	}
	for _, s := range d.References {
		if s.Conflicts {
			refs = append(refs, fmt.Sprintf("%s %s", document.Cut(s.Name, 60), sideValue(s)))
		}
	}
	word, other := "fails", "passed"
	if d.Direction == report.JudgePasses {
		word, other = "passes", "failed"
	}
	text := fmt.Sprintf("%s %s it: %s; %s by %s", d.Judge, word, document.Some(judges, 2), other, document.Some(refs, 3))
	if with := labelsWith(d); len(with) > 0 {
		text += "; with the judge: " + document.Some(with, 3)
	}
	return text
}

// labelsWith names the labels that decide as the judge does: they, not the references
// that contradict it, have the last word.
func labelsWith(d report.Disagreement) []string {
	var out []string
	for _, s := range d.References {
		if s.Source == "label" && slices.Contains(d.SidesWithJudge, s.Name) {
			out = append(out, document.Cut(s.Name, 60))
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
				out = append(out, fmt.Sprintf("%s: %s", document.Cut(s.Name, 60), shorten(s.Explanation, most)))
				break
			}
		}
	}
	return out
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

func htmlSideOf(s report.Side, judge string) htmlSide {
	h := htmlSide{
		Who: shorten(s.Name, 120), Numbers: sideValue(s) + confidenceWords(s),
		Explanation: value.VisibleLines(document.Cut(s.Explanation, maxHTMLText)), Evidence: value.VisibleLines(document.Cut(s.Evidence, maxHTMLText)),
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
		line.Text = segments(document.Cut(l.Text, maxHTMLText), marked)
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
			out = append(out, segment{Text: value.VisibleLines(text[at:start])})
		}
		out = append(out, segment{value.VisibleLines(text[start:s.end]), true})
		at = s.end
	}
	if at < len(text) || len(out) == 0 {
		out = append(out, segment{Text: value.VisibleLines(text[at:])})
	}
	return out
}
