package input

import (
	"cmp"
	"context"
	"slices"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
)

// surveyed limits the conversations of large logs that a survey parses.
const surveyed = 1000

// plausible is how many conversations of the last log show that all can be read.
const plausible = 100

// Survey reads the logs before a run: it calls each for the conversations up to Limit, with
// their index, and returns the hash of every log, whose Bytes are set. Of logs after the limit it
// reads as much as shows that their form can be read, and of large logs, whose parsing would hold
// up the first request, the first conversations; whole reports that it parsed all of them. The
// reading counts everything parsed.
func (s *Source) Survey(ctx context.Context, r *Reading, sampled bool,
	each func(index int, c *transcript.Conversation),
) (hashes []string, whole bool, err error) {
	most := s.Limit
	if whole = sampled || !Large(s.Logs); !whole && (most == 0 || most > surveyed) {
		most = surveyed
	}
	ids, index := &format.IDs{}, 0
	for i := range s.Logs {
		in := report.Input{Path: s.Logs[i].Name}
		hash, err := s.survey(ctx, &s.Logs[i], ids, &in.Format, r, func(c *transcript.Conversation) (more bool) {
			if more = most == 0 || index < most; more {
				r.count(c, &in)
				each(index, c)
				index++
			}
			return more
		})
		if err != nil {
			return nil, false, err
		}
		in.SHA, r.Inputs = hash, append(r.Inputs, in)
		hashes = append(hashes, hash)
	}
	return hashes, whole || index < most, nil
}

// survey reads one log and returns its hash. It parses as long as take wants more or the log
// has shown no call.
func (s *Source) survey(ctx context.Context, l *Log, ids *format.IDs, name *string, r *Reading,
	take func(*transcript.Conversation) bool,
) (string, error) {
	l.state = l.stat()
	b, err := l.open(true)
	if err != nil {
		return "", err
	}
	defer b.Close()
	called, suspect, read := false, error(nil), 0
	seen := func(r *format.Reader) { *name, suspect = r.Format(), r.Suspect() }
	for c, err := range s.parse(ctx, b, ids, seen) {
		if err != nil {
			if !s.recoverable(r, err) {
				return "", err
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
		return "", err
	}
	hash, err := b.sum()
	if n := b.n; l.Bytes == nil {
		l.Bytes = &n
	}
	return hash, err
}

// Pick has the source read only the conversations with these indexes.
func (s *Source) Pick(indexes []int) {
	s.picked = slices.Clone(indexes)
	slices.Sort(s.picked)
}
