package index

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"slices"
	"sort"
	"sync"
)

// A run is a file of records in ascending order of their keys: 16 bytes of key and
// 8 bytes of number, big-endian. Only this process writes and reads it.
type run struct {
	file    *file
	level   int
	entries int
	filter  filter
	fences  []Key // the first key of each block
}

type record struct {
	key   Key
	value uint64
}

const (
	recordSize   = 24
	blockRecords = 256
	blockSize    = blockRecords * recordSize
	// bufferSize is a multiple of the record, so that no record is split.
	bufferSize = 1024 * recordSize
)

func (k Key) halves() (high, low uint64) {
	return binary.BigEndian.Uint64(k[:8]), binary.BigEndian.Uint64(k[8:])
}

func (r record) appendTo(b []byte) []byte {
	return binary.BigEndian.AppendUint64(append(b, r.key[:]...), r.value)
}

// write makes a run of records that come in ascending order, at most so many.
func (x *Index) write(level, most int, records iter.Seq2[record, error]) (*run, error) {
	f, err := x.create()
	if err != nil {
		return nil, err
	}
	r := &run{file: f, level: level, filter: newFilter(most), fences: make([]Key, 0, most/blockRecords+1)}
	if err := r.fill(records); err != nil {
		_ = f.Close()
		return nil, err
	}
	return r, nil
}

func (r *run) fill(records iter.Seq2[record, error]) error {
	w := bufio.NewWriterSize(r.file, bufferSize)
	for rec, err := range records {
		if err != nil {
			return err
		}
		if r.entries%blockRecords == 0 {
			r.fences = append(r.fences, rec.key)
		}
		r.filter.add(rec.key)
		r.entries++
		if _, err := w.Write(rec.appendTo(w.AvailableBuffer())); err != nil {
			return fmt.Errorf("index: write %s: %w", r.file.Name(), err)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("index: write %s: %w", r.file.Name(), err)
	}
	return nil
}

// block is the buffer of a lookup.
type block [blockSize]byte

// get looks a key up with one read at most. The pool holds blocks.
func (r *run) get(key Key, buffers *sync.Pool) (value uint64, ok bool, err error) {
	if !r.filter.has(key) {
		return 0, false, nil
	}
	// The block whose first key is the last one not above the key.
	at := sort.Search(len(r.fences), func(i int) bool { return compare(r.fences[i], key) > 0 }) - 1
	if at < 0 {
		return 0, false, nil
	}
	buffer := buffers.Get().(*block)
	defer buffers.Put(buffer)
	part := buffer[:min(blockRecords, r.entries-at*blockRecords)*recordSize]
	if _, err := r.file.ReadAt(part, int64(at)*blockSize); err != nil {
		return 0, false, fmt.Errorf("index: read %s: %w", r.file.Name(), err)
	}
	value, ok = find(part, key)
	return value, ok, nil
}

// find looks a key up in whole records in ascending order. On anything else it finds
// nothing or the wrong thing, and never reads outside.
func find(block []byte, key Key) (value uint64, ok bool) {
	n := len(block) / recordSize
	i := sort.Search(n, func(i int) bool { return compare(Key(block[i*recordSize:]), key) >= 0 })
	if i == n || Key(block[i*recordSize:]) != key {
		return 0, false
	}
	return binary.BigEndian.Uint64(block[i*recordSize+len(key):]), true
}

// source reads a run from its beginning.
type source struct {
	run  *run
	in   *bufio.Reader
	left int    // records behind head
	head record // valid after a next that returned true
}

func (r *run) source() *source {
	all := io.NewSectionReader(r.file, 0, int64(r.entries)*recordSize)
	return &source{run: r, in: bufio.NewReaderSize(all, bufferSize), left: r.entries}
}

// next moves on to the next record; false is the end.
func (s *source) next() (bool, error) {
	if s.left == 0 {
		return false, nil
	}
	b, err := s.in.Peek(recordSize)
	if err != nil {
		return false, fmt.Errorf("index: read %s: %w", s.run.file.Name(), err)
	}
	s.head = record{Key(b), binary.BigEndian.Uint64(b[len(Key{}):])}
	s.left--
	_, err = s.in.Discard(recordSize)
	return err == nil, err
}

// merged yields the records of runs in order, each key once: of equal keys that of
// the last run. It ends at the first error.
func merged(runs []*run) iter.Seq2[record, error] {
	return func(yield func(record, error) bool) {
		var sources []*source // oldest first, each at a record
		for _, r := range runs {
			s := r.source()
			ok, err := s.next()
			if err != nil {
				yield(record{}, err)
				return
			}
			if ok {
				sources = append(sources, s)
			}
		}
		for len(sources) > 0 {
			least := sources[0].head
			for _, s := range sources[1:] {
				if compare(s.head.key, least.key) <= 0 { // a later run wins
					least = s.head
				}
			}
			if !yield(least, nil) {
				return
			}
			for i := len(sources) - 1; i >= 0; i-- {
				if sources[i].head.key != least.key {
					continue
				}
				ok, err := sources[i].next()
				if err != nil {
					yield(record{}, err)
					return
				}
				if !ok {
					sources = slices.Delete(sources, i, i+1)
				}
			}
		}
	}
}
