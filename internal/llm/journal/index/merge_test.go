package index

import (
	"os"
	"testing"
	"time"
)

// TestMergeBeside: while large files are merged lookups and entries go on; a Put waits
// only when the next large merge is due.
func TestMergeBeside(t *testing.T) {
	x, want := open(t, Config{Recent: 1, Beside: 1 << 30}), map[Key]uint64{}
	put := func(i uint64) {
		t.Helper()
		want[keyOf(i)] = i
		if err := x.Put(keyOf(i), i); err != nil {
			t.Fatal(err)
		}
	}
	for i := range uint64(3) {
		put(i)
	}
	// A merge that takes as long as the test wants.
	m := &merging{old: x.runs[:3:3], done: make(chan struct{})}
	x.cfg.Beside, x.beside = 1, m
	for i := range uint64(3) {
		put(3 + i)
	}
	same(t, x, want)
	last := make(chan error, 1)
	go func() { last <- x.Put(keyOf(6), 6) }()
	want[keyOf(6)] = 6
	for len(last) == 0 { // it is in the index before the Put returns
		if _, ok, err := x.Get(keyOf(6)); err != nil {
			t.Fatal(err)
		} else if ok {
			break
		}
	}
	same(t, x, want)
	select {
	case err := <-last:
		t.Fatalf("a second large merge was begun, or left: %v", err)
	case <-time.After(20 * time.Millisecond):
	}
	x.mu.Lock()
	x.beside = nil
	x.mu.Unlock()
	close(m.done)
	if err := <-last; err != nil {
		t.Fatal(err)
	}
	same(t, x, want)
	x.lockIdle()
	defer x.mu.Unlock()
	if len(x.runs) != 1 || x.runs[0].entries != 7 {
		t.Errorf("%d files", len(x.runs))
	}
}

// TestMergeBesideFails: a file that cannot be merged is an error of the next Put, once,
// and nothing is lost.
func TestMergeBesideFails(t *testing.T) {
	x := New(Config{Recent: 10, Beside: 1, Dirs: []string{t.TempDir()}})
	fail := func(from, to uint64) (failures int) {
		for i := from; i < to; i++ {
			if err := x.Put(keyOf(i), i); err != nil {
				failures++
			}
			x.lockIdle()
			x.mu.Unlock()
		}
		return failures
	}
	if n := fail(0, 30); n != 0 {
		t.Errorf("%d failures", n)
	}
	if err := x.runs[0].file.Truncate(recordSize); err != nil {
		t.Fatal(err)
	}
	if n := fail(30, 45); n != 1 {
		t.Errorf("%d failures, want 1: that of the merge", n)
	}
	for i := uint64(10); i < 45; i++ {
		if got, ok, err := x.Get(keyOf(i)); err == nil && (!ok || got != i) {
			t.Errorf("Get(%d) = %d, %v", i, got, ok)
		}
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

// TestCloseWhileMerging: nothing is left of a merge that is broken off.
func TestCloseWhileMerging(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		x := New(Config{Recent: 2000, Beside: 1, Dirs: []string{dir}})
		for i := range uint64(8000) {
			if err := x.Put(quick(i), i); err != nil {
				t.Fatal(err)
			}
		}
		if err := x.Close(); err != nil {
			t.Fatal(err)
		}
		if x.beside != nil || x.failed != nil {
			t.Errorf("%v, %v", x.beside, x.failed)
		}
		if names, _ := os.ReadDir(dir); len(names) != 0 {
			t.Errorf("%d files are left", len(names))
		}
		if err := x.Put(quick(1), 1); err == nil {
			t.Error("a closed index takes entries")
		}
	}
}
