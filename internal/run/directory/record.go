package directory

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// The bounds of one record, an excerpt of a conversation: its lines, and the characters of
// each.
const (
	recordLines = 12
	recordText  = 600
	// nameBytes bounds the name of a tool.
	nameBytes = 100
)

// AttachRecords goes through the conversations of a log once more and puts an excerpt of the
// conversation beside each disagreement that the report lists. A log that cannot be read any
// more leaves the excerpts out, not the report: each says why it is missing.
func AttachRecords(ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error], r *report.Report) {
	wanted := map[string][]*report.Disagreement{}
	for i := range r.Disagreements.Items {
		d := &r.Disagreements.Items[i]
		wanted[d.ConversationID] = append(wanted[d.ConversationID], d)
	}
	missing := "the logs hold no such conversation any more"
	if len(wanted) > 0 {
		for c, err := range conversations {
			if err = cmp.Or(err, ctx.Err()); err != nil {
				missing = "the logs could not be read again: " + err.Error()
				break
			}
			for _, d := range wanted[c.ID] {
				d.Record = recordOf(c, d)
			}
			if delete(wanted, c.ID); len(wanted) == 0 {
				break
			}
		}
	}
	for _, left := range wanted {
		for _, d := range left {
			d.Record = &report.Record{Problem: missing}
		}
	}
	r.Disagreements.BoundRecords(report.MaxRecords)
}

// recallRecords takes the records from the report at path, which the run itself wrote, so
// that a report can be made again without the logs.
func recallRecords(path string, r *report.Report) {
	if len(r.Disagreements.Items) == 0 {
		return
	}
	key := func(d *report.Disagreement) string {
		if at := d.Focus(); at != nil {
			return fmt.Sprintf("%s#%d", d.ConversationID, *at)
		}
		return d.ConversationID
	}
	name := filepath.Base(path)
	kept := map[string]*report.Record{}
	missing := "the run has no " + name + " to take the record from"
	if f, err := os.Open(path); err == nil {
		old, err := report.ReadJSON(f, name)
		_ = f.Close() // it was only read
		if err == nil && old.Run.ID == r.Run.ID {
			missing = "the run's own report does not list this item, so its record was not kept"
			for i := range old.Disagreements.Items {
				d := &old.Disagreements.Items[i]
				if known := kept[key(d)]; d.Record != nil && (known == nil || known.Problem != "") {
					kept[key(d)] = d.Record
				}
			}
		}
	}
	for i := range r.Disagreements.Items {
		d := &r.Disagreements.Items[i]
		if d.Record = kept[key(d)]; d.Record == nil {
			d.Record = &report.Record{Problem: missing}
		}
	}
	r.Disagreements.BoundRecords(report.MaxRecords)
}

// candidate is a line of a record before it is known whether there is room for it.
type candidate struct {
	report.RecordLine
	text string
	// at is its place among all lines; rank is lower for lines that are wanted more.
	at, rank int
}

// recordOf cuts out what a reader needs to decide who is right: the call, its result,
// the definition of its tool, what is quoted, how the conversation began, and what
// is nearest. What the judge was not shown is marked.
func recordOf(c *transcript.Conversation, d *report.Disagreement) *report.Record {
	focus := d.Focus()
	if focus != nil && (*focus < 0 || *focus >= len(c.Calls)) {
		return &report.Record{Problem: fmt.Sprintf("the logs hold no call %d in this conversation any more", *focus)}
	}
	lines, quotes := linesOf(c, focus), d.Quotes()
	middle := rankLines(lines, focus, d.CallIndex == nil, quotes)
	chosen := slices.Clone(lines)
	slices.SortStableFunc(chosen, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(distance(x.at, middle), distance(y.at, middle)))
	})
	chosen = chosen[:min(len(chosen), recordLines)]
	slices.SortFunc(chosen, func(x, y candidate) int { return cmp.Compare(x.at, y.at) })
	out := &report.Record{Messages: len(c.Messages)}
	next := 0
	for _, line := range chosen {
		line.Text, line.Cut = report.CutText(line.text, quotes, recordText)
		line.Skipped = line.at - next
		next = line.at + 1
		out.Lines = append(out.Lines, line.RecordLine)
	}
	out.SkippedAfter = len(lines) - next
	return out
}

// distance prefers what comes before to what comes as far behind.
func distance(i, at int) int {
	if i > at {
		return 2*(i-at) - 1
	}
	return 2 * (at - i)
}

// rankLines decides which lines are wanted most and returns the index of the line
// that everything else is near to. whole says that the disagreement is about the
// conversation, so that its other calls matter too.
func rankLines(lines []candidate, focus *int, whole bool, quotes []string) (middle int) {
	middle = len(lines) - 1
	if i := slices.IndexFunc(lines, func(l candidate) bool { return l.Focus }); i >= 0 {
		middle = i
	}
	quoted, user := 0, false
	for i := range lines {
		l := &lines[i]
		first := l.Role == string(transcript.User) && l.Kind == report.MessageLine && !user
		user = user || first
		switch {
		case l.Focus, l.Kind == report.DefinitionLine:
		case focus != nil && l.Kind == report.ResultLine && l.Call != nil && *l.Call == *focus:
		case first:
			l.rank = 1
		case quoted < recordLines/3 && holdsAny(l.text, quotes):
			l.rank = 1
			quoted++
		case whole && l.Kind == report.CallLine:
			l.rank = 2
		case whole || i < middle:
			l.rank = 3
		default:
			l.rank = 4
		}
	}
	return middle
}

func holdsAny(text string, quotes []string) bool {
	return slices.ContainsFunc(quotes, func(q string) bool {
		_, _, ok := report.FindQuote(text, q, 0)
		return ok
	})
}

// linesOf turns a conversation into lines: the definition of the tool in question,
// then each message's text and its calls.
func linesOf(c *transcript.Conversation, focus *int) []candidate {
	var out []candidate
	add := func(line report.RecordLine, text string) {
		line.Tool = strings.Clone(value.Excerpt(line.Tool, nameBytes))
		out = append(out, candidate{RecordLine: line, text: text, at: len(out)})
	}
	found := focus == nil
	call := func(line report.RecordLine, i int) {
		line.Kind, line.Tool, line.Call = report.CallLine, c.Calls[i].Name, indexOf(i)
		line.Focus = focus != nil && i == *focus
		found = found || line.Focus
		add(line, c.Calls[i].RawArguments)
	}
	lastSeen := len(c.Messages)
	if focus != nil {
		name := c.Calls[*focus].Name
		lastSeen = c.Calls[*focus].Message
		if i := slices.IndexFunc(c.Tools, func(t transcript.Tool) bool { return t.Name == name }); i >= 0 {
			add(report.RecordLine{Kind: report.DefinitionLine, Message: -1, Tool: name}, c.Tools[i].Raw.JSON())
		}
	}
	for m := range c.Messages {
		msg := &c.Messages[m]
		line := report.RecordLine{Kind: report.MessageLine, Message: m, Role: string(msg.Role), Unseen: m > lastSeen}
		if msg.Role == transcript.ToolRole {
			line.Kind, line.Tool = report.ResultLine, msg.ToolName
			if msg.Result >= 0 && msg.Result < len(c.Calls) {
				line.Call, line.Tool = indexOf(msg.Result), c.Calls[msg.Result].Name
			}
		}
		if msg.Content != "" || len(msg.Calls) == 0 {
			add(line, msg.Content)
		}
		for _, i := range msg.Calls {
			if i >= 0 && i < len(c.Calls) {
				call(line, i)
			}
		}
	}
	if !found {
		// A call that no message names: the log gives it beside its conversation.
		call(report.RecordLine{Message: lastSeen, Role: string(transcript.Assistant)}, *focus)
	}
	return out
}

// indexOf copies the index: a pointer into the conversation would keep all of it.
func indexOf(i int) *int { return &i }
