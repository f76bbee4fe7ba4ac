package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/transcript"
)

// The limits of a page: items, the bytes of their JSON, the bytes of all conversations, and of one
// conversation.
const (
	maxItems             = 300
	itemBytes            = 1_600_000
	conversationBytes    = 2_400_000
	oneConversationBytes = 60_000
)

// Run holds the scores and the logs of a saved run.
type Run struct {
	// Report must have been built from Scores, see NewReading.
	Report *report.Report
	// Scores reads all scores, ScoresOf those of some conversations; if that is nil, Scores is used.
	Scores   func() iter.Seq2[score.Score, error]
	ScoresOf func(conversations ...string) iter.Seq2[score.Score, error]
	// Conversations reads the logs again. After an error the page has no conversations.
	Conversations iter.Seq2[*transcript.Conversation, error]
}

// Collect returns the data of the page for a saved run. Its memory grows with what a page holds,
// not with the run.
func Collect(ctx context.Context, run Run) (*Data, error) {
	c, last := NewCollector(run.Report.Run.Rubrics, measure.Redecider(run.Report), nil), ""
	for s, err := range score.Good(run.Scores()) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("collect the page: %w", err)
		}
		if s.ConversationID != last {
			_ = c.End(nil, nil) // cannot fail: without a spool nothing is written
			last = s.ConversationID
		}
		c.Add(&s)
	}
	_ = c.End(nil, nil)
	if run.ScoresOf == nil {
		run.ScoresOf = func(...string) iter.Seq2[score.Score, error] { return run.Scores() }
	}
	return c.data(ctx, run.Report, run.ScoresOf, run.conversations)
}

// scoresOf reads the scores of some conversations, conversations what the page shows of them.
type (
	scoresOf      func(conversations ...string) iter.Seq2[score.Score, error]
	conversations func(ctx context.Context, quotes map[string][]string) (map[string]json.RawMessage, error)
)

// Collector receives the scores of a run while it is judged, and chooses what the page shows after
// the report is built.
type Collector struct {
	*Summary
	decided func(score.Score) score.Score
	spool   *Spool
	// first holds the run's first items, fails the items that each instrument fails.
	first []found
	// differ holds the first items on which judges differ.
	differ []found
	fails  map[report.Instrument]*fails
	// group holds the items of the current conversation, failing those that fail, evidence what
	// judges quote from it.
	group    group
	failing  []failing
	evidence []string
}

// found is an item with its position in log order.
type found struct {
	itemKey
	order int
}

// fails counts the items that an instrument fails, and holds the first of them.
type fails struct {
	n     int
	first []found
}

type failing struct {
	by report.Instrument
	of *Item
}

// NewCollector returns an empty collector. decided gives a score the report's verdict; nil means
// that scores have it already. What the page may show is written to the spool, which may be nil.
func NewCollector(rubrics []report.Rubric, decided func(score.Score) score.Score, spool *Spool) *Collector {
	if decided == nil {
		decided = func(s score.Score) score.Score { return s }
	}
	return &Collector{Summary: NewSummary(rubrics), decided: decided, spool: spool,
		fails: map[report.Instrument]*fails{}, group: group{reading: &Reading{brief: true}}}
}

// Add adds a score of the current conversation.
func (c *Collector) Add(s *score.Score) {
	decided := c.decided(*s)
	i := c.group.add(&decided)
	if passed := measure.VerdictOf(&decided); passed != nil && !*passed {
		c.failing = append(c.failing, failing{instrumentOf(&decided), i})
	}
	if s.Evidence != "" && c.spool != nil {
		c.evidence = append(c.evidence, s.Evidence)
	}
}

// End ends the current conversation. lines are the lines of its scores. If the page may show the conversation,
// because it is one of the first or something in it fails, both are written to the spool.
func (c *Collector) End(conversation *transcript.Conversation, lines []byte) error {
	if len(c.group.items) == 0 {
		return nil
	}
	wanted := len(c.failing) > 0 || len(c.first) < maxItems
	for _, i := range c.group.finish() {
		c.Summary.Add(i)
		if len(c.first) < maxItems {
			c.first = append(c.first, i.found())
		}
		if len(c.differ) < maxItems && i.judgesDiffer(c.single) {
			c.differ = append(c.differ, i.found())
		}
	}
	for _, f := range c.failing {
		by := c.fails[f.by]
		if by == nil {
			by = &fails{}
			c.fails[f.by] = by
		}
		if by.n++; by.n <= maxItems {
			by.first = append(by.first, f.of.found())
		}
	}
	var err error
	if wanted && c.spool != nil {
		err = c.spool.add(conversation, c.evidence, lines)
	}
	clear(c.failing)
	clear(c.evidence)
	c.failing, c.evidence = c.failing[:0], c.evidence[:0]
	return err
}

func (i *Item) key() itemKey { return itemKey{i.Conversation, i.place()} }

// found returns the item's position, without keeping the log's text in memory.
func (i *Item) found() found {
	return found{itemKey{strings.Clone(i.Conversation), i.place()}, i.Order}
}

// Data builds the page's data from the spool, after the report was built.
func (c *Collector) Data(ctx context.Context, r *report.Report) (*Data, error) {
	return c.data(ctx, r, c.spool.Scores, c.spool.conversations)
}

// data builds the page's data from the items that it chooses. conversations returns the conversations with the
// given ids, as the page can hold them; quotes are the texts that judges quote from each.
func (c *Collector) data(ctx context.Context, r *report.Report, scoresOf scoresOf, conversations conversations,
) (*Data, error) {
	reading, d := NewReading(r), c.Summary.Data(r)
	d.Totals.Failing = c.failsOf(r, report.CallLevel).n
	d.Totals.FailingConversations = c.failsOf(r, report.ConversationLevel).n
	d.Totals.Disagreements = reading.disagreements()
	order := c.choose(r)
	items, quotes, place := map[itemKey]*Item{}, map[string][]string{}, 0
	for _, key := range order {
		items[key], quotes[key.conversation] = nil, nil
	}
	for list, err := range reading.Items(scoresOf(slices.Collect(maps.Keys(quotes))...)) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("collect the page: %w", err)
		}
		of, ok := quotes[list[0].Conversation]
		if !ok {
			continue
		}
		for _, i := range list {
			i.Order, place = place, place+1
			if _, chosen := items[i.key()]; chosen {
				items[i.key()] = i
			}
			of = append(of, i.quotes()...)
		}
		quotes[list[0].Conversation] = of
	}
	if err := c.fill(d, order, items); err != nil {
		return nil, err
	}
	found, err := conversations(ctx, quotes)
	if problem, ok := errors.AsType[*logError](err); ok {
		d.LogProblem = "the logs could not be read again: " + line(problem.Error(), maxReason)
		return d, nil
	}
	d.converse(found)
	return d, err
}

// failsOf returns the items of a level that the leading instrument fails.
func (c *Collector) failsOf(r *report.Report, level string) fails {
	if row := r.Leading(level); row != nil && c.fails[row.Instrument] != nil {
		return *c.fails[row.Instrument]
	}
	return fails{}
}

// choose returns the items that are worth reading first: the first fails, disagreements, items on which judges
// differ and examples of groups, in turn; then other fails, then other items in log order.
func (c *Collector) choose(r *report.Report) (out []itemKey) {
	known := map[itemKey]bool{}
	add := func(key itemKey) {
		if !known[key] && len(out) < maxItems {
			known[key], out = true, append(out, key)
		}
	}
	listed, opposed := r.Failing.Items, r.Disagreements.All
	for i := range min(max(len(listed), len(opposed), len(c.differ)), maxItems) {
		if i < len(listed) {
			add(keyOf(listed[i].CaseRef))
		}
		if i < len(opposed) {
			add(keyOf(opposed[i].CaseRef))
		}
		if i < len(c.differ) {
			add(c.differ[i].itemKey)
		}
		if i < len(r.FailureGroups) {
			add(keyOf(r.FailureGroups[i].Example.CaseRef))
		}
	}
	rest := slices.Concat(c.failsOf(r, report.CallLevel).first, c.failsOf(r, report.ConversationLevel).first)
	sorting.Stable(rest, func(x, y found) int { return cmp.Compare(x.order, y.order) })
	for _, f := range append(rest, c.first...) {
		add(f.itemKey)
	}
	return out
}

// fill adds as many items as fit into the page, each call with its conversation. It renumbers their
// terms, so that the page contains only the terms of its own items.
func (c *Collector) fill(d *Data, order []itemKey, items map[itemKey]*Item) error {
	room, held, numbers := itemBytes, map[*Item]bool{}, map[uint32]uint32{}
	for _, key := range order {
		kept := items[key]
		if kept == nil {
			continue
		}
		for _, i := range []*Item{kept, kept.whole} {
			if i == nil || held[i] {
				continue
			}
			i.Terms = c.of(i)
			text, err := json.Marshal(i)
			if err != nil {
				return fmt.Errorf("write item %s: %w", i.Conversation, err)
			}
			if room -= len(text); room < 0 {
				return nil
			}
			held[i], d.Items = true, append(d.Items, i)
			for k, n := range i.Terms {
				if _, known := numbers[n]; !known {
					numbers[n] = uint32(len(d.Terms))
					d.Terms = append(d.Terms, c.list[n])
				}
				i.Terms[k] = numbers[n]
			}
		}
	}
	return nil
}

// converse adds the conversations of the items to the page, in the order of the items, until the page is full.
func (d *Data) converse(found map[string]json.RawMessage) {
	room := conversationBytes
	for _, i := range d.Items {
		text := found[i.Conversation]
		if text == nil {
			continue
		}
		delete(found, i.Conversation)
		if room -= len(text); room < 0 {
			return
		}
		d.Conversations = append(d.Conversations, text)
	}
}

// logError says why the logs cannot be read.
type logError struct{ error }

// conversations reads the logs until all wanted conversations are found.
func (r *Run) conversations(ctx context.Context, quotes map[string][]string) (map[string]json.RawMessage, error) {
	found := map[string]json.RawMessage{}
	for c, err := range r.Conversations {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, &logError{err}
		}
		of, ok := quotes[c.ID]
		if !ok {
			continue
		}
		if found[c.ID], err = fitted(c, of); err != nil {
			return nil, err
		}
		if delete(quotes, c.ID); len(quotes) == 0 {
			break
		}
	}
	return found, nil
}

// fitted returns the JSON of a conversation, with texts cut as far as necessary; nil if it still does not fit.
func fitted(c *transcript.Conversation, quotes []string) (json.RawMessage, error) {
	slices.Sort(quotes)
	quotes, size := slices.Compact(quotes), smallSize
	for range 3 {
		text, err := json.Marshal(newConversation(c, quotes, size))
		if err != nil {
			return nil, fmt.Errorf("write conversation %s: %w", c.ID, err)
		}
		if len(text) <= oneConversationBytes {
			return text, nil
		}
		size = textSizes{size.Text / 4, size.Argument / 4, size.Definition / 4}
	}
	return nil, nil
}
