package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/sorting"
)

// row is an item without its texts: what filters and sorting need. Its Order is its index in the
// snapshot's rows.
type row struct {
	page.SortKeys
	terms        []uint32
	conversation uint32
	level        string
	flags        int // number of different flags
	text         span
}

// add appends the items of the next conversation as rows; lines locates it in the score stream.
func (s *snapshot) add(items []*page.Item, lines span) error {
	c := conversationRows{id: items[0].Conversation, from: len(s.rows), to: len(s.rows) + len(items), lines: lines}
	for _, i := range items {
		r := row{SortKeys: i.SortKeys(), terms: s.summary.Add(i), conversation: uint32(len(s.convs)), level: i.Level()}
		r.Order = len(s.rows)
		if s.tools[r.Tool] == "" {
			s.tools[r.Tool] = r.Tool
		}
		r.Tool = s.tools[r.Tool] // share one copy in memory
		codes := map[string]bool{}
		for k := range i.Scores {
			for _, f := range i.Scores[k].Flags {
				codes[f.Code] = true
			}
		}
		r.flags = len(codes)
		var err error
		if r.text, err = s.text.add([]byte(i.Text())); err != nil {
			return err
		}
		s.rows = append(s.rows, r)
	}
	if _, twice := s.byID[c.id]; !twice {
		s.byID[c.id] = len(s.convs)
	}
	s.convs = append(s.convs, c)
	return nil
}

// blank removes everything that a labeller must not see yet.
func blank(i *page.Item) {
	*i = page.Item{Conversation: i.Conversation, Call: i.Call, Turn: i.Turn, Scope: i.Scope, Tool: i.Tool,
		Place: i.Place, Order: i.Order, Scores: []page.Score{}}
}

// maxPart limits how many items one response contains.
const maxPart = 5000

// list is the response to a query.
type list struct {
	Items []*page.Item `json:"items"`
	Total int          `json:"total"`
}

// query returns the requested part of the items. Of a blind item, only the tool is used for
// matching and sorting. Items of conversations for which only is false are left out.
func (s *snapshot) query(ctx context.Context, r *records, q page.Query, blind, only func(string) bool) (*list, error) {
	hits, err := s.search(ctx, r, strings.ToLower(q.Text))
	if err != nil {
		return nil, err
	}
	from, to := 0, len(s.rows)
	if at, ok := s.byID[q.Conversation]; ok {
		from, to = s.convs[at].from, s.convs[at].to
	} else if q.Conversation != "" {
		to = 0
	}
	var all []page.SortKeys
	wanted := s.summary.Wanted(&q)
	for n := from; n < to; n++ {
		row := &s.rows[n]
		if !only(s.convs[row.conversation].id) {
			continue
		}
		keys, hidden := row.SortKeys, blind(s.convs[row.conversation].id)
		found := page.HasAll(row.terms, wanted)
		if hidden {
			keys = page.SortKeys{Order: n, Tool: keys.Tool, Confidence: -1}
			found = !slices.ContainsFunc(q.Terms, func(t string) bool { return t != "verdict=none" && t != "tool="+keys.Tool })
		}
		if found && (q.Text == "" || hits.has(row.conversation, n, hidden)) {
			all = append(all, keys)
		}
	}
	if q.Limit <= 0 || q.Limit > maxPart {
		q.Limit = maxPart
	}
	items, err := s.fill(q.Part(all), blind)
	return &list{items, len(all)}, err
}

// fill reads the items of a part from the score stream.
func (s *snapshot) fill(part []page.SortKeys, blind func(string) bool) ([]*page.Item, error) {
	out := make([]*page.Item, 0, len(part))
	known := map[uint32][]*page.Item{}
	for _, k := range part {
		at := s.rows[k.Order].conversation
		c := &s.convs[at]
		items, ok := known[at]
		if !ok {
			var err error
			if items, err = s.items(c.id); err != nil {
				return nil, err
			}
			known[at] = items
		}
		if k.Order-c.from >= len(items) {
			return nil, fmt.Errorf("the scores of %q are being rewritten: look again", c.id)
		}
		i := items[k.Order-c.from]
		if blind(c.id) {
			blank(i)
		}
		out = append(out, i)
	}
	return out, nil
}

// hits is the result of a text search.
type hits struct {
	text          string
	conversations map[uint32]bool
	rows          map[int]bool
	whole         bool // all logs had been read
}

// has reports whether the text is in the conversation or, if that is not blind, in the row.
func (h *hits) has(conversation uint32, row int, blind bool) bool {
	return h.conversations[conversation] || !blind && h.rows[row]
}

// search finds a text in lower case in conversations, their ids and rows. It caches the last
// result, because the next request often asks for another part of the same list.
func (s *snapshot) search(ctx context.Context, r *records, text string) (*hits, error) {
	if last := s.last.Load(); text == "" || last != nil && last.text == text && last.whole {
		return last, nil
	}
	h := &hits{text: text, conversations: map[uint32]bool{}, rows: map[int]bool{}, whole: r.isDone()}
	for at := range s.convs {
		if strings.Contains(strings.ToLower(s.convs[at].id), text) {
			h.conversations[uint32(at)] = true
		}
	}
	err := r.search(ctx, text, func(id string) {
		if at, ok := s.byID[id]; ok {
			h.conversations[uint32(at)] = true
		}
	})
	if err != nil {
		return nil, err
	}
	err = s.text.scan(ctx, len(s.rows), func(n int) span { return s.rows[n].text }, text, func(n int) { h.rows[n] = true })
	if err != nil {
		return nil, err
	}
	s.last.Store(h)
	return h, nil
}

// picked returns the conversations of a queue that is not a random sample, those with the most
// interesting items of a level first.
func (s *snapshot) picked(frame, level string) []string {
	type weighed struct {
		row    *row
		weight float64
	}
	var all []weighed
	for n := range s.rows {
		r := &s.rows[n]
		switch {
		case r.level != level:
		case frame == labels.Disagreements && r.Disagreement > 0:
			all = append(all, weighed{r, float64(r.Disagreement)})
		case frame == labels.LowConfidence && r.Confidence >= 0:
			all = append(all, weighed{r, r.Confidence})
		case frame == labels.Flags && r.flags > 0:
			all = append(all, weighed{r, -float64(r.flags)})
		}
	}
	sorting.Stable(all, func(x, y weighed) int { return cmp.Compare(x.weight, y.weight) })
	var out []string
	for _, w := range all {
		out = append(out, s.convs[w.row.conversation].id)
	}
	return out
}
