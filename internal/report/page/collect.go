package page

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// The bounds of what a page holds: items, the bytes of their JSON, those of their
// conversations together, and those of one conversation.
const (
	maxItems             = 300
	itemBytes            = 1_600_000
	conversationBytes    = 2_400_000
	oneConversationBytes = 60_000
)

// Run holds what Collect needs to make a page in one file.
type Run struct {
	// Report must have been built from Scores, see NewReading.
	Report *report.Report
	Scores func() iter.Seq2[score.Score, error]
	// Conversations reads the logs once more. An error in it leaves the conversations out,
	// not the page.
	Conversations iter.Seq2[*transcript.Conversation, error]
}

// Collect reads scores and conversations once each. Its memory grows with what a page
// holds, not with the run.
func Collect(ctx context.Context, run Run) (*Data, error) {
	summary, chosen := NewSummary(run.Report), chosen{}
	for items, err := range NewReading(run.Report).Items(run.Scores()) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, fmt.Errorf("collect the page: %w", err)
		}
		for _, i := range items {
			i.Terms = summary.Add(i)
			chosen.add(i)
		}
	}
	d := summary.Data(run.Report)
	if err := chosen.fill(d, summary.list); err != nil {
		return nil, err
	}
	return d, d.converse(ctx, run.Conversations)
}

// chosen keeps the items that are worth reading first: the first fails and disagreements
// by turns, then the others in log order.
type chosen struct{ kept []*Item }

func (c *chosen) add(i *Item) {
	if c.kept = append(c.kept, i); len(c.kept) >= 2*maxItems {
		c.cut()
	}
}

func (c *chosen) cut() {
	slices.SortFunc(c.kept, func(x, y *Item) int {
		return cmp.Or(cmp.Compare(x.turn(), y.turn()), cmp.Compare(x.Order, y.Order))
	})
	c.kept = c.kept[:min(len(c.kept), maxItems)]
}

// turn is a number that is lower for an item that is read earlier.
func (i *Item) turn() int {
	turn := 1 << 30
	if i.Verdict == fail {
		turn--
	}
	if i.Failure > 0 {
		turn = min(turn, 2*i.Failure)
	}
	if i.Disagreement > 0 {
		turn = min(turn, 2*i.Disagreement+1)
	}
	return turn
}

// fill puts as many items into the page as there is room for, each call with its conversation, and
// numbers their terms anew: the page names only the terms of the items that it holds.
func (c *chosen) fill(d *Data, terms []string) error {
	c.cut()
	room, held, numbers := itemBytes, map[*Item]bool{}, map[uint32]uint32{}
	for _, kept := range c.kept {
		for _, i := range []*Item{kept, kept.whole} {
			if i == nil || held[i] {
				continue
			}
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
					d.Terms = append(d.Terms, terms[n])
				}
				i.Terms[k] = numbers[n]
			}
		}
	}
	return nil
}

// converse puts the conversations of the items into the page, those of the first items
// first, as many as there is room for.
func (d *Data) converse(ctx context.Context, all iter.Seq2[*transcript.Conversation, error]) error {
	found, err := d.find(ctx, all)
	if err != nil {
		return err
	}
	room := conversationBytes
	for _, i := range d.Items {
		f, ok := found[i.Conversation]
		if !ok {
			continue
		}
		delete(found, i.Conversation)
		if room -= f.bytes; room < 0 {
			return nil
		}
		d.Conversations = append(d.Conversations, f.Conversation)
	}
	return nil
}

// sized is a conversation with the bytes of its JSON.
type sized struct {
	*Conversation
	bytes int
}

// find reads the logs until all conversations of the items are found. If they cannot be
// read, the data says why.
func (d *Data) find(ctx context.Context, all iter.Seq2[*transcript.Conversation, error]) (map[string]sized, error) {
	wanted, found := map[string][]string{}, map[string]sized{}
	for _, i := range d.Items {
		list := wanted[i.Conversation]
		for _, s := range i.Scores {
			list = append(list, s.Quotes...)
		}
		wanted[i.Conversation] = list
	}
	for c, err := range all {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			d.LogProblem = "the logs could not be read again: " + line(err.Error(), maxReason)
			return nil, nil
		}
		quotes, ok := wanted[c.ID]
		if !ok {
			continue
		}
		small, err := fitted(c, quotes)
		if err != nil {
			return nil, err
		}
		if small.Conversation != nil {
			found[c.ID] = small
		}
		if delete(wanted, c.ID); len(wanted) == 0 {
			break
		}
	}
	return found, nil
}

// fitted is a conversation with its texts cut as far as it must be; none if that is not
// enough.
func fitted(c *transcript.Conversation, quotes []string) (sized, error) {
	size := smallSize
	for range 3 {
		out := newConversation(c, quotes, size)
		text, err := json.Marshal(out)
		if err != nil {
			return sized{}, fmt.Errorf("write conversation %s: %w", c.ID, err)
		}
		if len(text) <= oneConversationBytes {
			return sized{out, len(text)}, nil
		}
		size = textSizes{size.Text / 4, size.Argument / 4, size.Definition / 4}
	}
	return sized{}, nil
}
