package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/document"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// printed is how many disagreements are opened on paper.
const printed = 25

// disagreementSection lists the conflicts, each with the two sides' reasons; the page has
// every side and the record too.
func disagreementSection(r *report.Report) document.Section {
	const most = 10
	all := &r.Disagreements
	title := fmt.Sprintf("Disagreements, the strongest first (%d)", all.Total)
	s := document.Section{Name: "Disagreements", Title: title}
	l := document.List{Most: most, More: "are in report.json; see one in full with: judge show RUN CONVERSATION:CALL"}
	for i := range all.Items {
		d := &all.Items[i]
		l.Items = append(l.Items, document.Item{
			Title: fmt.Sprintf("%d. %s", d.Rank, whereabouts(d.CaseRef)), Words: verdictLine(d), Lines: reasons(d),
			Late: i >= printed, Body: func() document.Body { return bodyOf(d) },
		})
	}
	if len(l.Items) == 0 {
		return s
	}
	s.List(l)
	s.Note("Confident conflicts come first: they are errors of the judge, errors of the reference, " +
		"or valid alternatives. Do not estimate quality from this list.")
	if left := all.Total - len(l.Items); left > 0 {
		s.Note(fmt.Sprintf("%d are not listed; the whole run is in scores.jsonl.", left))
	}
	return s
}

func whereabouts(c report.CaseRef) string {
	out := value.Excerpt(c.ConversationID, 80)
	if c.CallIndex != nil {
		out += fmt.Sprintf(":%d %s", *c.CallIndex, value.Excerpt(c.Tool, 60))
	}
	if c.Place != "" {
		out += "  (" + value.Excerpt(c.Place, 160) + ")"
	}
	return out
}

// verdictLine says who decided what.
func verdictLine(d *report.Disagreement) string {
	var judges, refs, with []string
	for _, s := range d.Judgements {
		if s.Conflicts {
			judges = append(judges, shorten(s.Name, 60)+" "+sideValue(s))
		}
	}
	for _, s := range d.References {
		if s.Conflicts {
			refs = append(refs, shorten(s.Name, 60)+" "+sideValue(s))
		}
		// Labels have the last word, not the references that contradict the judge.
		if s.Source == string(score.Label) && slices.Contains(d.SidesWithJudge, s.Name) {
			with = append(with, shorten(s.Name, 60))
		}
	}
	word, other := "fails", "passed"
	if d.Direction == report.JudgePasses {
		word, other = "passes", "failed"
	}
	text := fmt.Sprintf("%s %s it: %s; %s by %s",
		d.Judge, word, document.Some(judges, 2), other, document.Some(refs, 3))
	if len(with) > 0 {
		text += "; with the judge: " + document.Some(with, 3)
	}
	return text
}

func sideValue(s report.Side) string {
	text := document.None
	if s.Value != nil {
		text = document.Short(*s.Value)
	}
	if s.Confidence != nil {
		text += " (confidence " + document.Fixed(*s.Confidence, 2) + ")"
	}
	return text
}

// reasons are the two sides' words, shortened.
func reasons(d *report.Disagreement) []string {
	const most = 240
	var out []string
	for _, side := range [][]report.Side{d.Judgements, d.References} {
		i := slices.IndexFunc(side, func(s report.Side) bool { return s.Conflicts && s.Explanation != "" })
		if i >= 0 {
			out = append(out, shorten(side[i].Name, 60)+": "+shorten(side[i].Explanation, most))
		}
	}
	return out
}

// bodyOf has every side and the record.
func bodyOf(d *report.Disagreement) document.Body {
	sides := slices.Concat(d.Judgements, d.References)
	var b document.Body
	for i, s := range sides {
		same := i > 0 && s.Explanation == sides[i-1].Explanation && s.Evidence == sides[i-1].Evidence
		b.Left = append(b.Left, sideBlocks(s, same)...)
	}
	b.Right = recordBlocks(d)
	return b
}

// sideBlocks are the words of one side; same says that they repeat those of the side before.
func sideBlocks(s report.Side, same bool) []document.Block {
	head := document.Block{Who: s.Name, Remark: sideValue(s)}
	if s.CallIndex != nil {
		head.Remark += fmt.Sprintf(", decided by call %d", *s.CallIndex)
	}
	if len(s.Flags) > 0 {
		head.Remark += ", flags: " + shorten(strings.Join(s.Flags, ", "), 200)
	}
	if s.Passed != nil {
		head.Verdict = map[bool]string{true: "passes", false: "fails"}[*s.Passed]
	}
	blocks := []document.Block{head}
	switch {
	case same && s.Explanation != "":
		blocks[0].Note = "the same reason as above"
	default:
		blocks[0].Text = plainText(s.Explanation)
		if s.Evidence != "" {
			blocks = append(blocks, document.Block{Who: "Evidence", Text: plainText(s.Evidence)})
		}
	}
	if !s.Correction.IsNull() && s.Correction.Len() > 0 {
		blocks = append(blocks, document.Block{Who: "Correction", Text: plainText(s.Correction.JSON())})
	}
	return blocks
}

func plainText(text string) []document.Span {
	if text == "" {
		return nil
	}
	return []document.Span{{Text: text}}
}

// recordBlocks are the lines of the record, in which the quoted evidence is marked.
func recordBlocks(d *report.Disagreement) []document.Block {
	const longest = 1500
	r := d.Record
	switch {
	case r == nil:
		return nil
	case r.Problem != "":
		return []document.Block{{Who: "The record", Note: shorten(r.Problem, 300)}}
	}
	blocks := []document.Block{{Who: "The record", Remark: "evidence that is here word for word is marked"}}
	skip := func(n int) {
		if n > 0 {
			blocks = append(blocks, document.Block{Note: fmt.Sprintf("%d more not shown", n)})
		}
	}
	quotes := d.Quotes()
	for _, l := range r.Lines {
		skip(l.Skipped)
		b := document.Block{Who: lineWords(l), Focus: l.Focus, Faint: l.Unseen}
		marked := quotes
		switch {
		case l.Focus:
			b.Remark = "the call in question"
		case l.Unseen:
			b.Remark = "not seen by the judge"
			if at := d.Focus(); d.CallIndex == nil && at != nil {
				b.Remark += fmt.Sprintf(" of call %d", *at)
			}
			marked = nil // a judge cannot quote what it was not shown
		}
		if l.Cut > 0 {
			b.Note = fmt.Sprintf("%d characters left out", l.Cut)
		}
		b.Text = spans(value.Excerpt(l.Text, longest), marked)
		blocks = append(blocks, b)
	}
	skip(r.SkippedAfter)
	return blocks
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

// spans cuts text at the quotes in it.
func spans(text string, quotes []string) []document.Span {
	const maxMarks = 40
	type place struct{ start, end int }
	var places []place
	for _, q := range quotes {
		for from := 0; len(places) < maxMarks; {
			start, end, ok := report.FindQuote(text, q, from)
			if !ok {
				break
			}
			places = append(places, place{start, end})
			from = end
		}
	}
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var out []document.Span
	at := 0
	for _, p := range places {
		if p.end <= at {
			continue
		}
		start := max(p.start, at)
		out = append(out, plainText(text[at:start])...)
		out = append(out, document.Span{Text: text[start:p.end], Mark: true})
		at = p.end
	}
	return append(out, plainText(text[at:])...)
}
