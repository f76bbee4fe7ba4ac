package input

import (
	"cmp"
	"context"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
)

// surveyed limits how many conversations of large logs a survey parses.
const surveyed = 1000

// plausible is the number of readable conversations in the last log after which Readable is called.
const plausible = 100

// Survey reads the logs before a run. It calls each with the conversations up to Limit and their
// indexes, and returns the hash of every log, whose Bytes are set. Of logs beyond the limit it
// reads only enough to see that their format is readable. Of large logs, which would delay the
// first request, it reads only the first conversations, unless all are wanted. share is the part of
// the bytes that was parsed; 1 means everything. The reading counts everything parsed.
func (s *Source) Survey(ctx context.Context, r *Reading, all bool,
	each func(index int, c *transcript.Conversation),
) (hashes []string, share float64, err error) {
	most := s.Limit
	if all = all || !Large(s.Logs); !all && (most == 0 || most > surveyed) {
		most = surveyed
	}
	ids, index, parsed, size := &format.IDs{}, 0, int64(0), int64(0)
	for i := range s.Logs {
		in := report.Input{Path: s.Logs[i].Name}
		before := index
		hash, n, err := s.survey(ctx, &s.Logs[i], ids, &in.Format, r, func(c *transcript.Conversation) (more bool) {
			if more = most == 0 || index < most; more {
				r.count(c, &in)
				each(index, c)
				index++
			}
			return more
		})
		if err != nil {
			return nil, 0, err
		}
		if size += *s.Logs[i].Bytes; index > before {
			parsed += n
		}
		r.Inputs = append(r.Inputs, in)
		hashes = append(hashes, hash)
	}
	share = min(float64(parsed)/float64(max(size, 1)), 1)
	if s.Limit > 0 { // conversations after the limit do not count
		share = max(share, float64(index)/float64(s.Limit))
	}
	if all || index < most {
		share = 1
	}
	return hashes, share, nil
}

// survey reads one log and returns its hash, and how many bytes it parsed. It stops parsing when
// take has enough and the log has shown a call.
func (s *Source) survey(ctx context.Context, l *Log, ids *format.IDs, name *string, r *Reading,
	take func(*transcript.Conversation) bool,
) (hash string, parsed int64, err error) {
	l.state = l.stat()
	b, err := l.open(true)
	if err != nil {
		return "", 0, err
	}
	defer b.Close()
	called, suspect, read := false, error(nil), 0
	seen := func(r *format.Reader) { *name, suspect = r.Format(), r.Suspect() }
	for c, err := range s.parse(ctx, b, ids, seen) {
		if err != nil {
			if !s.recoverable(r, err) {
				return "", 0, err
			}
			continue
		}
		if called = called || len(c.Calls) > 0; !take(c) && called {
			break
		}
		if read++; read == plausible && called && suspect == nil && s.Readable != nil && l == &s.Logs[len(s.Logs)-1] {
			s.Readable()
		}
	}
	if err := cmp.Or(context.Cause(ctx), suspect); err != nil {
		return "", 0, err
	}
	parsed = b.position()
	hash, err = b.sum()
	if n := b.position(); l.Bytes == nil {
		l.Bytes = &n
	}
	return hash, parsed, err
}

// Pick makes the source read only the conversations with these indexes.
func (s *Source) Pick(indexes []int) {
	s.picked = slices.Clone(indexes)
	slices.Sort(s.picked)
}
