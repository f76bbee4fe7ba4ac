package view

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/judgekit/judge/internal/report/calibration"
	"github.com/judgekit/judge/internal/score"
)

// judged are the calls of a run that a judge scored, which can be labelled.
type judged struct {
	calls map[string][]judgedCall // by conversation, ascending
	total int
	last  []byte // how the last line began
}

type judgedCall struct {
	index int
	tool  string
}

// readJudged reads the score stream at path for who was judged, not for the verdicts: a
// gigabyte takes a second or two.
func readJudged(ctx context.Context, path string) (*judged, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	j := &judged{calls: map[string][]judgedCall{}}
	in := bufio.NewReaderSize(f, 1<<20)
	var line []byte
	for n := 0; ; n++ {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		j.add(line)
		line = line[:0]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	for id, calls := range j.calls {
		slices.SortFunc(calls, func(a, b judgedCall) int { return a.index - b.index })
		j.calls[id] = slices.CompactFunc(calls, func(a, b judgedCall) bool { return a.index == b.index })
		j.total += len(j.calls[id])
	}
	return j, nil
}

var (
	nameKey     = []byte(`,"name":`)
	sourceKey   = []byte(`"source":"`)
	judgeSource = []byte(`"source":"judge"`)
)

// add takes a line of the stream. A line of a judge is cut off behind its source, and only
// that part is parsed: a quote inside a text is escaped, so the bytes of a key stand nowhere
// before it. The lines of one call come one after the other and begin alike.
func (j *judged) add(line []byte) {
	at := bytes.Index(line, sourceKey)
	if at < 0 || !bytes.HasPrefix(line[at:], judgeSource) {
		return
	}
	head, _, named := bytes.Cut(line[:at], nameKey)
	if named && bytes.Equal(head, j.last) {
		return
	}
	short := slices.Concat(line[:at+len(judgeSource)], []byte(`,"status":"unscored"}`))
	s, err := score.Parse(short)
	if err != nil {
		s, err = score.Parse(line) // its keys are in another order
	}
	if err != nil || s.CallIndex == nil || s.Source != score.Judge {
		return
	}
	j.last = append(j.last[:0], head...)
	calls := j.calls[s.ConversationID]
	if n := len(calls); n == 0 || calls[n-1].index != *s.CallIndex {
		j.calls[s.ConversationID] = append(calls, judgedCall{*s.CallIndex, s.Tool})
	}
}

// order are the conversations in the random order of a seed, as of a label sheet.
func (j *judged) order(seed uint64) []string { return calibration.Order(maps.Keys(j.calls), seed) }

// planned is how many conversations have about so many calls.
func (j *judged) planned(calls int) int {
	if j.total == 0 {
		return 0
	}
	return min(len(j.calls), max(1, (calls*len(j.calls)+j.total-1)/j.total))
}

// has reports whether a call can be labelled.
func (j *judged) has(conversation string, call int) bool {
	return slices.ContainsFunc(j.calls[conversation], func(c judgedCall) bool { return c.index == call })
}
