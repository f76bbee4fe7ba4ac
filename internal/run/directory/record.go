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
	"unicode/utf8"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
)

// The bounds of one record: its lines, and the characters of each.
const (
	recordLines = 12
	recordText  = 600
	// quoteContext is what stays on each side of a quote in a text that is cut.
	quoteContext = 120
)

// AttachRecords goes through the conversations of a log once more and puts an excerpt of the conversation
// beside each disagreement that the report lists. A log that cannot be read any more
// costs the excerpts, not the report: each says why it is missing.
func AttachRecords(ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error], r *report.Report) {
	wanted := map[string][]*report.Disagreement{}
	for i := range r.Disagreements.Items {
		d := &r.Disagreements.Items[i]
		wanted[d.ConversationID] = append(wanted[d.ConversationID], d)
	}
	missing := "the logs hold no such conversation any more"
	if len(wanted) > 0 {
		for c, err := range conversations {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
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

// recallRecords takes the records from the report at path, which the run itself wrote, so that
// a report can be made again without the logs.
func recallRecords(path string, r *report.Report) {
	if len(r.Disagreements.Items) == 0 {
		return
	}
	type key struct {
		conversation string
		call         int
	}
	of := func(d *report.Disagreement) key {
		if at := d.Focus(); at != nil {
			return key{d.ConversationID, *at}
		}
		return key{d.ConversationID, -1}
	}
	name := filepath.Base(path)
	kept := map[key]*report.Record{}
	missing := "the run has no " + name + " to take the record from"
	if f, err := os.Open(path); err == nil {
		old, err := report.ReadJSON(f, name)
		_ = f.Close() // it was only read
		if err == nil && old.Run.ID == r.Run.ID {
			missing = "the run's own report does not list this item, so its record was not kept"
			for i := range old.Disagreements.Items {
				d := &old.Disagreements.Items[i]
				if known := kept[of(d)]; d.Record != nil && (known == nil || known.Problem != "") {
					kept[of(d)] = d.Record
				}
			}
		}
	}
	for i := range r.Disagreements.Items {
		d := &r.Disagreements.Items[i]
		if d.Record = kept[of(d)]; d.Record == nil {
			d.Record = &report.Record{Problem: missing}
		}
	}
	r.Disagreements.BoundRecords(report.MaxRecords)
}

// candidate is a line of a record before it is known whether there is room for it.
type candidate struct {
	report.RecordLine
	text   string
	quoted bool
	// rank is lower for lines that are wanted more.
	rank int
}

// recordOf cuts out what a reader needs to decide who is right: the call, its result,
// the definition of its tool, what is quoted, how the conversation began, and what
// stands nearest. What the judge was not shown is marked.
func recordOf(c *transcript.Conversation, d *report.Disagreement) *report.Record {
	focus := d.Focus()
	if focus != nil && (*focus < 0 || *focus >= len(c.Calls)) {
		return &report.Record{Problem: fmt.Sprintf("the logs hold no call %d in this conversation any more", *focus)}
	}
	lines := linesOf(c, focus)
	quotes := d.Quotes()
	for i := range lines {
		lines[i].quoted = holdsAny(lines[i].text, quotes)
	}
	at := rankLines(lines, focus, d.CallIndex == nil)
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Or(cmp.Compare(lines[x].rank, lines[y].rank), cmp.Compare(distance(x, at), distance(y, at)), cmp.Compare(x, y))
	})
	order = order[:min(len(order), recordLines)]
	slices.Sort(order)
	out := &report.Record{Messages: len(c.Messages)}
	next := 0
	for _, i := range order {
		line := lines[i].RecordLine
		line.Text, line.Cut = excerpt(lines[i].text, quotes, recordText)
		line.Skipped = i - next
		next = i + 1
		out.Lines = append(out.Lines, line)
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
func rankLines(lines []candidate, focus *int, whole bool) (at int) {
	at = len(lines) - 1
	for i := range lines {
		if lines[i].Focus {
			at = i
		}
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
		case l.quoted && quoted < recordLines/3:
			l.rank = 1
			quoted++
		case whole && l.Kind == report.CallLine:
			l.rank = 2
		case whole || i < at:
			l.rank = 3
		default:
			l.rank = 4
		}
	}
	return at
}

// linesOf turns a conversation into lines: the definition of the tool in question,
// then each message's text and its calls.
func linesOf(c *transcript.Conversation, focus *int) []candidate {
	var out []candidate
	found := false
	seenTo := len(c.Messages)
	if focus != nil {
		call := &c.Calls[*focus]
		seenTo = call.Message
		for i := range c.Tools {
			if c.Tools[i].Name == call.Name {
				line := report.RecordLine{Kind: report.DefinitionLine, Message: -1, Tool: bounded(call.Name)}
				out = append(out, candidate{RecordLine: line, text: c.Tools[i].Raw.JSON()})
				break
			}
		}
	}
	for m := range c.Messages {
		msg := &c.Messages[m]
		line := report.RecordLine{Kind: report.MessageLine, Message: m, Role: string(msg.Role), Unseen: m > seenTo}
		if msg.Role == transcript.ToolRole {
			line.Kind, line.Tool = report.ResultLine, bounded(msg.ToolName)
			if msg.Result >= 0 && msg.Result < len(c.Calls) {
				line.Call, line.Tool = indexOf(msg.Result), bounded(c.Calls[msg.Result].Name)
			}
		}
		if msg.Content != "" || len(msg.Calls) == 0 {
			out = append(out, candidate{RecordLine: line, text: msg.Content})
		}
		for _, i := range msg.Calls {
			if i < 0 || i >= len(c.Calls) {
				continue
			}
			call := &c.Calls[i]
			line.Kind, line.Tool, line.Call = report.CallLine, bounded(call.Name), indexOf(i)
			line.Focus = focus != nil && i == *focus
			found = found || line.Focus
			out = append(out, candidate{RecordLine: line, text: call.RawArguments})
		}
	}
	if focus != nil && !found {
		// A call that no message names: the log gives it beside its conversation.
		call := &c.Calls[*focus]
		line := report.RecordLine{Kind: report.CallLine, Message: call.Message, Role: string(transcript.Assistant), Tool: bounded(call.Name), Call: indexOf(*focus), Focus: true}
		out = append(out, candidate{RecordLine: line, text: call.RawArguments})
	}
	return out
}

// indexOf is an index of its own: one inside a conversation would keep all of it.
func indexOf(i int) *int { return &i }

// bounded is a name as far as a record shows it.
func bounded(name string) string {
	text, _ := excerpt(name, nil, 100)
	return text
}

func holdsAny(text string, quotes []string) bool {
	return slices.ContainsFunc(quotes, func(q string) bool {
		_, _, ok := report.FindQuote(text, q, 0)
		return ok
	})
}

// excerpt shortens text to about most characters and returns how many it left out. The
// beginning stays, and the first quote that lies beyond it with what surrounds it.
func excerpt(text string, quotes []string, most int) (string, int) {
	if len(text) <= most {
		return strings.ToValidUTF8(strings.Clone(text), "\uFFFD"), 0
	}
	total := utf8.RuneCountInString(text)
	if total <= most {
		return strings.ToValidUTF8(strings.Clone(text), "\uFFFD"), 0
	}
	head := forward(text, 0, most)
	from, to := len(text), len(text)
	for _, q := range quotes {
		if _, _, ok := report.FindQuote(text[:head], q, 0); ok || len(q) > most {
			continue
		}
		if start, end, ok := report.FindQuote(text, q, 0); ok && start < from {
			from, to = backward(text, start, quoteContext), forward(text, end, quoteContext)
		}
	}
	tail := ""
	if from < len(text) {
		head = forward(text, 0, most/2)
		from = max(from, head)
		tail = text[from:to]
	}
	kept := strings.ToValidUTF8(text[:head], "\uFFFD") + "…"
	if tail != "" {
		kept += strings.ToValidUTF8(tail, "\uFFFD")
		if to < len(text) {
			kept += "…"
		}
	}
	return kept, total - utf8.RuneCountInString(text[:head]) - utf8.RuneCountInString(tail)
}

// forward is the byte offset n characters behind at.
func forward(text string, at, n int) int {
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// backward is the byte offset n characters before at.
func backward(text string, at, n int) int {
	for ; n > 0 && at > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}
