package index

import (
	"errors"
	"iter"
	"slices"
	"sync/atomic"
)

// merging is a merge that goes on beside reads and writes. Its files stay where they
// are in the list of runs until it is done.
type merging struct {
	old  []*run
	stop atomic.Bool
	done chan struct{} // closed when the list of runs has its outcome
}

// tidy merges what there is to merge: small files at once, large ones beside. It is
// called under the lock, and gives it up while it waits.
func (x *Index) tidy() error {
	for {
		from, n := x.mergeable()
		if n == 0 {
			return nil
		}
		if entriesOf(x.runs[from:from+n]) <= x.cfg.Beside {
			if err := x.merge(from, n); err != nil {
				return err
			}
			continue
		}
		if x.beside == nil {
			x.mergeBeside(from, n)
			continue
		}
		done := x.beside.done
		x.mu.Unlock()
		<-done
		x.mu.Lock()
		if x.closed {
			return errClosed
		}
	}
}

// lockIdle takes the lock in a moment when nothing is merged beside.
func (x *Index) lockIdle() {
	x.mu.Lock()
	for x.beside != nil {
		done := x.beside.done
		x.mu.Unlock()
		<-done
		x.mu.Lock()
	}
}

// mergeable finds the oldest files of one level that are enough to merge, apart from
// those that are being merged. n is 0 when there are none.
func (x *Index) mergeable() (from, n int) {
	if x.beside != nil {
		from = slices.Index(x.runs, x.beside.old[0]) + len(x.beside.old)
	}
	for ; from < len(x.runs); from += n {
		n = 1
		for from+n < len(x.runs) && x.runs[from+n].level == x.runs[from].level {
			n++
		}
		if n >= fanout {
			return from, n
		}
	}
	return 0, 0
}

// merge puts one file in the place of n.
func (x *Index) merge(from, n int) error {
	old := slices.Clone(x.runs[from : from+n])
	r, err := x.write(levelOf(old)+1, entriesOf(old), merged(old))
	if err != nil {
		return err
	}
	x.runs = slices.Replace(x.runs, from, from+n, r)
	return closeAll(old)
}

// mergeBeside starts a merge that does not keep the lock. Files do not change once they
// are written, and none that is being merged is closed by anybody else.
func (x *Index) mergeBeside(from, n int) {
	m := &merging{old: slices.Clone(x.runs[from : from+n]), done: make(chan struct{})}
	x.beside = m
	go func() {
		defer close(m.done)
		r, err := x.write(levelOf(m.old)+1, entriesOf(m.old), m.unlessStopped(merged(m.old)))
		x.mu.Lock()
		defer x.mu.Unlock()
		x.beside = nil
		if err == nil {
			at := slices.Index(x.runs, m.old[0])
			x.runs = slices.Replace(x.runs, at, at+len(m.old), r)
			err = closeAll(m.old) // nobody reads them: that would take the lock
		}
		if !errors.Is(err, errClosed) {
			x.failed = err
		}
	}()
}

func (m *merging) unlessStopped(records iter.Seq2[record, error]) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		for rec, err := range records {
			if m.stop.Load() {
				rec, err = record{}, errClosed
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

func levelOf(runs []*run) int {
	level := 0
	for _, r := range runs {
		level = max(level, r.level)
	}
	return level
}

func entriesOf(runs []*run) int {
	n := 0
	for _, r := range runs {
		n += r.entries
	}
	return n
}
