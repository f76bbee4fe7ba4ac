package view

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"os"
	"slices"

	"github.com/judgekit/judge/internal/labels"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/sorting"
)

// judged lists the items of a run that can be labelled: those that a judge scored. They are calls or, if there
// is a rubric, the items that it asks about. In a run without a judge they are the calls that scorers scored.
type judged struct {
	source score.Source
	items  map[string][]judgedItem // by conversation, in order
	total  int
	// rubric is the rubric; name is the text after the key name in a line with its score.
	rubric string
	name   []byte
	// head is the beginning of the current line of the stream, last that of the last judged item.
	head, last []byte
}

// judgedItem is an item of a conversation, with its tool if it is a call.
type judgedItem struct {
	labels.Item
	tool string
}

// index returns an item's index in its conversation: its turn, its call, or -1.
func index(i labels.Item) int {
	if i.Scope == labels.Turn {
		return i.Turn
	}
	return i.Call
}

// readJudged finds out which items were judged, or scored by another source. It skips the verdicts,
// so a gigabyte takes a second or two.
func readJudged(ctx context.Context, path, rubric string, source score.Source) (*judged, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	name, err := json.Marshal(rubric)
	if err != nil {
		return nil, err
	}
	j := &judged{source: source, items: map[string][]judgedItem{}, rubric: rubric, name: name}
	for s, err := range score.Good(score.ReadPart(f, path, j.pick)) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		j.add(&s)
	}
	for id, items := range j.items {
		sorting.Stable(items, func(a, b judgedItem) int { return index(a.Item) - index(b.Item) })
		j.items[id] = slices.CompactFunc(items, func(a, b judgedItem) bool { return a.Item == b.Item })
		j.total += len(j.items[id])
	}
	return j, nil
}

// pick returns, of a line of the source about a new item, the part up to its source; the rest is
// not needed. Quotes inside texts are escaped, so these bytes can only be a key. The lines of an
// item are adjacent and begin alike.
func (j *judged) pick(line []byte) []byte {
	const key = `"source":"`
	at := bytes.Index(line, []byte(key))
	end := at + len(key) + len(j.source) + 1
	if at < 0 || !bytes.HasPrefix(line[at+len(key):], []byte(j.source+`"`)) {
		return nil
	}
	head, rest, named := bytes.Cut(line[:at], []byte(`,"name":`))
	if named && j.rubric != "" && !bytes.HasPrefix(rest, j.name) {
		return nil
	}
	j.head = append(j.head[:0], head...)
	switch {
	case !named: // its keys are in another order
		return line
	case bytes.Equal(j.head, j.last):
		return nil
	}
	return append(line[:end], `,"status":"unscored"}`...)
}

func (j *judged) add(s *score.Score) {
	isCall := s.CallIndex != nil && s.Scope == ""
	if s.Source != j.source || j.rubric == "" && !isCall || j.rubric != "" && s.Name != j.rubric {
		return
	}
	j.head, j.last = j.last, j.head
	item := judgedItem{labels.Item{Conversation: s.ConversationID, Call: -1, Turn: s.Turn}, s.Tool}
	if s.CallIndex != nil {
		item.Call = *s.CallIndex
	}
	if s.Scope == labels.Result || s.Scope == labels.Turn {
		item.Scope = s.Scope
	}
	items := j.items[s.ConversationID]
	if n := len(items); n == 0 || items[n-1].Item != item.Item {
		j.items[s.ConversationID] = append(items, item)
	}
}

// level returns the level of the items.
func (j *judged) level() string {
	for _, items := range j.items {
		switch i := items[0]; {
		case i.Scope != "":
			return i.Scope
		case i.Call < 0:
			return report.ConversationLevel
		}
	}
	return report.CallLevel
}

// order returns the conversations in the random order of a seed, the same as on a label sheet.
func (j *judged) order(seed uint64) []string { return measure.LabelOrder(maps.Keys(j.items), seed) }

// has reports whether an item can be labelled.
func (j *judged) has(item labels.Item) bool {
	return slices.ContainsFunc(j.items[item.Conversation], func(i judgedItem) bool { return i.Item == item })
}

// drawn yields the number of drawn items of each conversation; each is the maximum, 0 means all.
func (j *judged) drawn(each int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, list := range j.items {
			if !yield(min(len(list), cmp.Or(each, len(list)))) {
				return
			}
		}
	}
}

// indexes returns the items of a conversation that can be labelled, in ascending order.
func (j *judged) indexes(conversation string) []int {
	out := make([]int, len(j.items[conversation]))
	for i, item := range j.items[conversation] {
		out[i] = index(item.Item)
	}
	return out
}
