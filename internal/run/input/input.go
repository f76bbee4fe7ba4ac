// Package input reads the logs of a run: their bytes, their conversations in order, the sample
// drawn from them, and what was odd about them.
//
// It promises that conversations come in log order, even if many are processed at once, that a log
// can be read again any number of times, and that memory does not grow with the log: a sample keeps
// only indexes.
package input

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"runtime"
	"sort"
	"sync"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
)

// maxNamed limits how many problems keep their text; the others are only counted.
const maxNamed = 1000

// Reading counts what the log reader found.
type Reading struct {
	Conversations, Calls int
	// Inputs has one entry for each log, in the order given.
	Inputs []report.Input
	// Empty names the logs without any record.
	Empty []string
	// Problems describes the first thousand records that could not be read; Unreadable counts all
	// of them.
	Problems   []string
	Unreadable int
	// Notes counts the oddities by kind; NotePlaces holds the first place of each kind.
	Notes      map[string]int
	NotePlaces map[string]string
}

// count adds a conversation of a log.
func (r *Reading) count(c *transcript.Conversation, in *report.Input) {
	in.Conversations++
	in.Calls += len(c.Calls)
	r.Conversations++
	r.Calls += len(c.Calls)
	if r.Notes == nil {
		r.Notes, r.NotePlaces = map[string]int{}, map[string]string{}
	}
	for _, n := range c.Notes {
		if r.Notes[n.Kind] == 0 {
			r.NotePlaces[n.Kind] = n.Place + ": " + n.Detail
		}
		r.Notes[n.Kind]++
	}
}

// NoteCounts returns the oddities, sorted by kind.
func (r *Reading) NoteCounts() []report.KindCount {
	out := make([]report.KindCount, 0, len(r.Notes))
	for kind, n := range r.Notes {
		out = append(out, report.KindCount{Kind: kind, Source: "log", Count: n})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Kind < out[j].Kind })
	return out
}

// Source reads logs.
type Source struct {
	Logs []Log
	// Hashes holds the logs' hashes in order, for the Reading; nil checks nothing.
	Hashes []string
	// Options say how the logs are read; IDs, Gold and Parallel are set here.
	Options format.Options
	// Limit limits the conversations that are read; 0 means all.
	Limit int
	// Shard is the part of the conversations that is read, after Limit and sample.
	Shard Shard
	// Problem is called for each record that cannot be read; it may be nil.
	Problem func(error)
	// Readable is called once by Survey, as soon as it is clear that all logs can be read and
	// contain calls; it may be nil.
	Readable func()
	// picked holds the indexes of the sampled conversations in ascending order; nil means all.
	picked []int
}

// Again returns a source of the same conversations that reports no problems.
func (s *Source) Again() *Source {
	return &Source{Logs: s.Logs, Options: s.Options, Limit: s.Limit, Shard: s.Shard, picked: s.picked}
}

// Conversations iterates over the logs in order and fills the reading. It stops at an error that
// affects more than one record.
func (s *Source) Conversations(ctx context.Context, reading *Reading) iter.Seq2[*transcript.Conversation, error] {
	return func(yield func(*transcript.Conversation, error) bool) {
		ids := &format.IDs{}
		index, chosen, picked, enough := -1, 0, s.picked, false
		for i, log := range s.Logs {
			input := report.Input{Path: log.Name}
			if i < len(s.Hashes) {
				input.SHA = s.Hashes[i]
			}
			empty := true
			for c, err := range s.read(ctx, &log, ids, &input, &enough) {
				empty = false
				if err != nil {
					if !s.recoverable(reading, err) {
						yield(nil, err)
						return
					}
					continue
				}
				index++
				if picked != nil {
					if len(picked) == 0 || index != picked[0] {
						continue
					}
					picked = picked[1:]
				}
				chosen++
				enough = s.Limit > 0 && chosen >= s.Limit || picked != nil && len(picked) == 0
				if !s.Shard.Holds(c.ID) {
					continue
				}
				if reading.count(c, &input); !yield(c, nil) {
					return
				}
			}
			reading.Inputs = append(reading.Inputs, input)
			if empty {
				reading.Empty = append(reading.Empty, log.Name)
			}
			if enough {
				return
			}
		}
	}
}

// recoverable counts a record that could not be read. It reports false for an error that ends the
// log.
func (s *Source) recoverable(reading *Reading, err error) bool {
	problem, ok := errors.AsType[*transcript.Problem](err)
	if !ok {
		return false
	}
	reading.Unreadable++
	if len(reading.Problems) < maxNamed {
		reading.Problems = append(reading.Problems, problem.Error())
	}
	if s.Problem != nil {
		s.Problem(err)
	}
	return true
}

// read reads one log. If its hash is known and differs, it ends with an error. It stops when enough
// is set.
func (s *Source) read(
	ctx context.Context, log *Log, ids *format.IDs, input *report.Input, enough *bool,
) iter.Seq2[*transcript.Conversation, error] {
	return func(yield func(*transcript.Conversation, error) bool) {
		b, err := log.open(input.SHA != "")
		if err != nil {
			yield(nil, err)
			return
		}
		defer b.Close()
		for c, err := range s.parse(ctx, b, ids, func(r *format.Reader) { input.Format = r.Format() }) {
			if !yield(c, err) {
				return
			}
			if *enough {
				break
			}
		}
		if input.SHA == "" || ctx.Err() != nil {
			return
		}
		if err := b.check(input.SHA); err != nil {
			yield(nil, err)
		}
	}
}

// parse iterates over the conversations in the bytes of a log. seen is called with the reader after
// each conversation.
func (s *Source) parse(
	ctx context.Context, b *bytes, ids *format.IDs, seen func(*format.Reader),
) iter.Seq2[*transcript.Conversation, error] {
	return func(yield func(*transcript.Conversation, error) bool) {
		opts := s.Options
		opts.IDs, opts.Parallel = ids, runtime.GOMAXPROCS(0)
		if b.log.Gold != nil {
			gold, err := b.log.Gold()
			if err != nil {
				yield(nil, fmt.Errorf("open the gold labels of %s: %w", b.log.Name, err))
				return
			}
			defer gold.Close()
			opts.Gold = gold
		}
		r := format.Open(ctx, b.log.Name, b, opts)
		for c, err := range r.All() {
			if seen(r); !yield(c, err) {
				return
			}
		}
	}
}

// Reservoir keeps n of the offered items; every subset is equally likely.
type Reservoir[T any] struct {
	Kept []T
	// Seen counts the offered items.
	Seen, n int
	rng     *rand.Rand
}

// NewReservoir returns a reservoir that draws from one random stream of a seed.
func NewReservoir[T any](n int, seed, stream uint64) *Reservoir[T] {
	return &Reservoir[T]{Kept: make([]T, 0, min(n, 1024)), n: n, rng: rand.New(rand.NewPCG(seed, stream))}
}

// Offer offers an item, which may replace another.
func (r *Reservoir[T]) Offer(item T) {
	r.Seen++
	if len(r.Kept) < r.n {
		r.Kept = append(r.Kept, item)
	} else if at := r.rng.IntN(r.Seen); at < r.n {
		r.Kept[at] = item
	}
}

// InOrder calls f for up to parallel conversations at a time and yields the results in the order of
// the conversations. It holds at most twice as many at a time. An error of the sequence ends it.
func InOrder[T any](
	ctx context.Context, conversations iter.Seq2[*transcript.Conversation, error], parallel int,
	f func(*transcript.Conversation) T,
) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var workers sync.WaitGroup
		defer workers.Wait()
		defer cancel()
		type result struct {
			value T
			err   error
		}
		jobs := make(chan func())
		slots := make(chan chan result, parallel)
		for range parallel {
			// Workers are reused, and with them the stacks that validation makes grow.
			workers.Go(func() {
				for job := range jobs {
					job()
				}
			})
		}
		workers.Go(func() {
			defer close(slots)
			defer close(jobs)
			for c, err := range conversations {
				slot := make(chan result, 1)
				select {
				case slots <- slot:
				case <-ctx.Done():
					return
				}
				if err != nil {
					slot <- result{err: err}
					return
				}
				jobs <- func() { slot <- result{value: f(c)} }
			}
		})
		for slot := range slots {
			r := <-slot
			if !yield(r.value, r.err) || r.err != nil {
				return
			}
		}
	}
}
