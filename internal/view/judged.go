package view

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/score"
)

// judgedCalls are the calls of a run that a judge scored, which can be labelled: by
// conversation, ascending. It reads the score stream at path for who was judged, not for the
// verdicts: a gigabyte takes a few seconds.
func judgedCalls(ctx context.Context, path string) (map[string][]task, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	// head is how the line that is being read begins, last how that of the last judged call did.
	var head, last []byte
	// pick is a line of a judge on a further call. A quote inside a text is escaped, so the
	// bytes of a member stand nowhere else; the lines of one call come one after the other and
	// begin alike.
	pick := func(line []byte) []byte {
		begin, _, _ := bytes.Cut(line, []byte(`,"name":`))
		head = append(head[:0], begin...)
		if bytes.Equal(head, last) || !bytes.Contains(line, []byte(`"source":"judge"`)) {
			return nil
		}
		return line
	}
	out := map[string][]task{}
	for s, err := range score.Good(score.ReadPart(f, path, pick)) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		if s.CallIndex == nil || s.Source != score.Judge {
			continue
		}
		head, last = last, head
		// Strings of a score share the memory of its line.
		id := strings.Clone(s.ConversationID)
		out[id] = append(out[id], task{Conversation: id, Call: *s.CallIndex, Tool: strings.Clone(s.Tool)})
	}
	for id, calls := range out {
		slices.SortStableFunc(calls, func(a, b task) int { return a.Call - b.Call })
		out[id] = slices.CompactFunc(calls, func(a, b task) bool { return a.Call == b.Call })
	}
	return out, nil
}
