package view

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"os"
	"slices"

	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/score"
)

// judged holds the calls of a run that a judge scored: those that can be labelled.
type judged struct {
	calls map[string][]judgedCall // by conversation, ascending
	total int
	// head is the beginning of the current line of the stream, last that of the last judged call.
	head, last []byte
}

type judgedCall struct {
	index int
	tool  string
}

// readJudged finds out which calls were judged. It skips the verdicts, so a gigabyte takes a
// second or two.
func readJudged(ctx context.Context, path string) (*judged, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	j := &judged{calls: map[string][]judgedCall{}}
	for s, err := range score.Good(score.ReadPart(f, path, j.pick)) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		j.add(&s)
	}
	for id, calls := range j.calls {
		slices.SortFunc(calls, func(a, b judgedCall) int { return a.index - b.index })
		j.calls[id] = slices.CompactFunc(calls, func(a, b judgedCall) bool { return a.index == b.index })
		j.total += len(j.calls[id])
	}
	return j, nil
}

// pick returns a judge's line about a new call, up to its source; the rest is not needed. Quotes
// inside texts are escaped, so these bytes can only be a key. The lines of a call are neighbours
// and begin alike.
func (j *judged) pick(line []byte) []byte {
	const source = `"source":"judge"`
	at := bytes.Index(line, []byte(`"source":"`))
	if at < 0 || !bytes.HasPrefix(line[at:], []byte(source)) {
		return nil
	}
	head, _, named := bytes.Cut(line[:at], []byte(`,"name":`))
	j.head = append(j.head[:0], head...)
	switch {
	case !named: // its keys are in another order
		return line
	case bytes.Equal(j.head, j.last):
		return nil
	}
	return append(line[:at+len(source)], `,"status":"unscored"}`...)
}

func (j *judged) add(s *score.Score) {
	if s.CallIndex == nil || s.Source != score.Judge {
		return
	}
	j.head, j.last = j.last, j.head
	calls := j.calls[s.ConversationID]
	if n := len(calls); n == 0 || calls[n-1].index != *s.CallIndex {
		j.calls[s.ConversationID] = append(calls, judgedCall{*s.CallIndex, s.Tool})
	}
}

// order returns the conversations in the random order of a seed, the same as in a label sheet.
func (j *judged) order(seed uint64) []string { return measure.LabelOrder(maps.Keys(j.calls), seed) }

// has reports whether a call can be labelled.
func (j *judged) has(conversation string, call int) bool {
	return slices.ContainsFunc(j.calls[conversation], func(c judgedCall) bool { return c.index == call })
}

// indexes returns the calls of a conversation that can be labelled, ascending.
func (j *judged) indexes(conversation string) []int {
	out := make([]int, len(j.calls[conversation]))
	for i, c := range j.calls[conversation] {
		out[i] = c.index
	}
	return out
}
