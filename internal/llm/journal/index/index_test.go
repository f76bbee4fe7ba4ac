package index

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// keyOf spreads numbers as fingerprints are spread.
func keyOf(n uint64) Key {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	sum := sha256.Sum256(b[:])
	return Key(sum[:16])
}

// quick spreads numbers too, in a few nanoseconds.
func quick(n uint64) Key {
	mix := func(z uint64) uint64 { // the finisher of splitmix64
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	var k Key
	binary.BigEndian.PutUint64(k[:8], mix(2*n*0x9e3779b97f4a7c15))
	binary.BigEndian.PutUint64(k[8:], mix((2*n+1)*0x9e3779b97f4a7c15))
	return k
}

func open(t testing.TB, cfg Config) *Index {
	t.Helper()
	if cfg.Dirs == nil {
		cfg.Dirs = []string{t.TempDir()}
	}
	x := New(cfg)
	t.Cleanup(func() {
		if err := x.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

// same checks an index against a plain map, and keys that are in neither.
func same(t testing.TB, x *Index, want map[Key]uint64, others ...Key) {
	t.Helper()
	for key, value := range want {
		if got, ok, err := x.Get(key); err != nil || !ok || got != value {
			t.Fatalf("Get(%x) = %d, %v, %v; want %d", key, got, ok, err, value)
		}
	}
	for _, key := range others {
		got, ok, err := x.Get(key)
		if value, in := want[key]; err != nil || ok != in || got != value {
			t.Fatalf("Get(%x) = %d, %v, %v; want %d, %v", key, got, ok, err, value, in)
		}
	}
	if n, err := x.Len(); err != nil || n != len(want) {
		t.Fatalf("Len() = %d, %v; want %d", n, err, len(want))
	}
}

// TestLikeAMap: whatever is put, overwritten and compacted in whatever order, the
// index answers as a map does. Small tables make many files.
func TestLikeAMap(t *testing.T) {
	for seed := range uint64(12) {
		rng := rand.New(rand.NewPCG(seed, 1))
		recent := []int{1, 2, 3, 7, 64, 1000}[seed%6] // entries in the table
		space := []uint64{5, 300, 1 << 40}[seed%3]
		beside := 0
		if seed%2 == 1 {
			beside = 1 // every merge goes on beside
		}
		x, want := open(t, Config{Recent: recent, Beside: beside}), map[Key]uint64{}
		var asked []Key
		for step := range min(6000, 1000*recent) {
			key := keyOf(rng.Uint64N(space))
			if seed >= 6 { // keys in which only a few bytes differ
				key = Key{}
				key[rng.IntN(16)] = byte(rng.IntN(3))
			}
			switch rng.IntN(10) {
			case 0, 1, 2, 3, 4, 5:
				value := rng.Uint64()
				if err := x.Put(key, value); err != nil {
					t.Fatal(err)
				}
				want[key] = value
			case 6, 7, 8:
				asked = append(asked, key)
				got, ok, err := x.Get(key)
				if value, in := want[key]; err != nil || ok != in || got != value {
					t.Fatalf("seed %d, step %d: Get = %d, %v, %v; want %d, %v", seed, step, got, ok, err, value, in)
				}
			default:
				if rng.IntN(100) > 0 {
					continue
				}
				if err := x.Compact(); err != nil {
					t.Fatal(err)
				}
			}
		}
		same(t, x, want, asked...)
		if err := x.Compact(); err != nil {
			t.Fatal(err)
		}
		if len(x.runs) > 1 {
			t.Errorf("%d files after Compact", len(x.runs))
		}
		same(t, x, want, asked...)
	}
}

// FuzzOperations reads operations out of bytes, and compares with a map.
func FuzzOperations(f *testing.F) {
	f.Add([]byte("\x01abcabcabc"), uint8(2))
	f.Add(bytes.Repeat([]byte{0, 1, 2, 3, 255}, 40), uint8(1))
	f.Fuzz(func(t *testing.T, ops []byte, recent uint8) {
		x, want := open(t, Config{Recent: int(recent)%9 + 1, Beside: int(recent)/9 + 1}), map[Key]uint64{}
		for i, op := range ops[:min(len(ops), 400)] {
			key := Key{15: op & 31}
			if op&32 != 0 {
				key[0] = 0xff
			}
			switch op >> 6 {
			case 0, 1:
				if err := x.Put(key, uint64(i)); err != nil {
					t.Fatal(err)
				}
				want[key] = uint64(i)
			case 2:
				got, ok, err := x.Get(key)
				if value, in := want[key]; err != nil || ok != in || got != value {
					t.Fatalf("Get(%x) = %d, %v, %v; want %d, %v", key, got, ok, err, value, in)
				}
			default:
				if err := x.Compact(); err != nil {
					t.Fatal(err)
				}
			}
		}
		same(t, x, want)
	})
}

// FuzzFind: in sorted records find does what a search from end to end does; in any
// bytes it stays inside.
func FuzzFind(f *testing.F) {
	f.Add([]byte("0123456789abcdefVALUEVAL"), []byte("0123456789abcdef"))
	f.Add(make([]byte, 3*recordSize+5), make([]byte, 16))
	f.Fuzz(func(t *testing.T, block, wanted []byte) {
		var key Key
		copy(key[:], wanted)
		find(block, key)
		var list []record
		for rest := block; len(rest) >= recordSize; rest = rest[recordSize:] {
			list = append(list, record{Key(rest), binary.BigEndian.Uint64(rest[16:])})
		}
		slices.SortFunc(list, func(a, b record) int { return bytes.Compare(a.key[:], b.key[:]) })
		list = slices.CompactFunc(list, func(a, b record) bool { return a.key == b.key })
		var sorted []byte
		for _, r := range list {
			sorted = r.appendTo(sorted)
		}
		i := slices.IndexFunc(list, func(r record) bool { return r.key == key })
		value, ok := find(sorted, key)
		if ok != (i >= 0) || ok && value != list[i].value {
			t.Fatalf("find = %d, %v; %d of %d records", value, ok, i, len(list))
		}
		for _, r := range list {
			if value, ok := find(sorted, r.key); !ok || value != r.value {
				t.Fatalf("record %x is not found", r.key)
			}
		}
	})
}

// TestConcurrent: readers see what was put before they asked, while files are written
// and merged.
func TestConcurrent(t *testing.T) {
	for _, beside := range []int{1, 100, 0} {
		concurrent(t, open(t, Config{Recent: 16, Beside: beside}))
	}
}

func concurrent(t *testing.T, x *Index) {
	const n = 3000
	var all sync.WaitGroup
	for w := range uint64(4) {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(w, 2))
			for i := range uint64(n) {
				if err := x.Put(keyOf(w<<32|i), i); err != nil {
					t.Error(err)
					return
				}
				back := rng.Uint64N(i + 1)
				if got, ok, err := x.Get(keyOf(w<<32 | back)); err != nil || !ok || got != back {
					t.Errorf("Get(%d) = %d, %v, %v", back, got, ok, err)
					return
				}
			}
		})
	}
	all.Wait()
	if n0, err := x.Len(); err != nil || n0 != 4*n {
		t.Errorf("Len() = %d, %v", n0, err)
	}
}

// TestFewFiles: the number of files grows with the logarithm of the entries, and none
// of them has a name.
func TestFewFiles(t *testing.T) {
	dir := t.TempDir()
	x := open(t, Config{Recent: 4, Dirs: []string{dir}})
	most := 0
	for i := range uint64(4 * 1024) { // 4^5 tables
		if err := x.Put(keyOf(i), i); err != nil {
			t.Fatal(err)
		}
		most = max(most, len(x.runs))
	}
	if most > 3*5+1 {
		t.Errorf("%d files for 1024 tables", most)
	}
	if names, _ := os.ReadDir(dir); runtime.GOOS != "windows" && len(names) != 0 {
		t.Errorf("%d names of files in use", len(names))
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 0 {
		t.Errorf("%d files are left", len(names))
	}
	if _, _, err := x.Get(keyOf(1)); err == nil {
		t.Error("a closed index answers")
	}
	if err := x.Put(keyOf(1), 1); err == nil {
		t.Error("a closed index takes entries")
	}
}

// TestNoPlace: where no file can be made the error says where it was tried, nothing
// that was put is lost, and the index goes on once there is a place.
func TestNoPlace(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	x, want := open(t, Config{Recent: 10, Dirs: []string{missing}}), map[Key]uint64{}
	for i := range uint64(12) {
		err := x.Put(keyOf(i), i)
		want[keyOf(i)] = i
		if (err != nil) != (i >= 9) {
			t.Fatalf("entry %d: %v", i, err)
		}
		if err != nil && (!errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), missing)) {
			t.Errorf("error %v", err)
		}
	}
	same(t, x, want)
	if err := os.Mkdir(missing, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := x.Put(keyOf(12), 12); err != nil {
		t.Fatal(err)
	}
	want[keyOf(12)] = 12
	same(t, x, want)

	second := t.TempDir()
	y := open(t, Config{Recent: 1, Dirs: []string{filepath.Join(missing, "not"), second}})
	if err := y.Put(keyOf(1), 1); err != nil || filepath.Dir(y.runs[0].file.Name()) != second {
		t.Errorf("the second directory was not used: %v", err)
	}
}

// TestDamagedFile: a file that fails is an error, not an answer.
func TestDamagedFile(t *testing.T) {
	x := New(Config{Recent: 100, Dirs: []string{t.TempDir()}})
	for i := range uint64(250) {
		if err := x.Put(keyOf(i), i); err != nil {
			t.Fatal(err)
		}
	}
	if err := x.runs[0].file.Truncate(50 * recordSize); err != nil {
		t.Fatal(err)
	}
	failed := 0
	for i := range uint64(250) {
		got, ok, err := x.Get(keyOf(i))
		switch {
		case err != nil:
			failed++
		case !ok || got != i:
			t.Errorf("Get(%d) = %d, %v", i, got, ok)
		}
	}
	if failed < 90 || failed > 110 {
		t.Errorf("%d lookups failed, want about the 100 of the file", failed)
	}
	if _, err := x.Len(); err == nil {
		t.Error("Len counted a damaged file")
	}
	if err := x.Compact(); err == nil {
		t.Error("a damaged file was merged")
	}
	if got, ok, err := x.Get(keyOf(249)); err != nil || !ok || got != 249 {
		t.Errorf("after the failure: %d, %v, %v", got, ok, err)
	}
	if err := x.Close(); err != nil {
		t.Error(err)
	}
}

func TestRemoveLeft(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a[1].index-77.tmp", "a[1].index-x.tmp", "a1.index-77.tmp", "a[1].index", "a[1].index-77"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	RemoveLeft(dir, "a[1].index")
	RemoveLeft(filepath.Join(dir, "missing"), "a")
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestFilter: what was added is always there, and what was not is there one time in
// 40 at most; beyond the largest filter it is still right.
func TestFilter(t *testing.T) {
	const n = 20_000
	f := newFilter(n)
	hits := 0
	for i := range uint64(n) {
		f.add(keyOf(i))
	}
	for i := range uint64(n) {
		if !f.has(keyOf(i)) {
			t.Fatalf("entry %d is denied", i)
		}
		if f.has(keyOf(i + n)) {
			hits++
		}
	}
	if hits > n/40 {
		t.Errorf("%d false hits of %d", hits, n)
	}
	large := newFilter(1 << 30)
	if large.probes != 1 || len(large.words)*8 > 4<<20 {
		t.Errorf("%d probes, %d words", large.probes, len(large.words))
	}
	if one := newFilter(0); one.probes < 1 || len(one.words) != 1 {
		t.Errorf("%d probes, %d words", one.probes, len(one.words))
	}
}

// heap is what is in use after a collection, in bytes.
func heap() float64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// TestMemory: half a million entries take 3 MB and 1.2 bytes each, at the end and
// after compaction.
func TestMemory(t *testing.T) {
	const n = 500_000
	before := heap()
	x := open(t, Config{})
	for i := range uint64(n) {
		if err := x.Put(quick(i), i); err != nil {
			t.Fatal(err)
		}
	}
	check := func(when string) {
		held := heap() - before
		t.Logf("%s: %.2f MB in memory, %d files", when, held/1e6, len(x.runs))
		if held > 3e6+1.2*n {
			t.Errorf("%s: %.2f MB in memory", when, held/1e6)
		}
	}
	check("filled")
	if err := x.Compact(); err != nil {
		t.Fatal(err)
	}
	check("compacted")
	runtime.KeepAlive(x)
}

func filled(b *testing.B, n uint64) *Index {
	x := open(b, Config{})
	for i := range n {
		if err := x.Put(quick(i), i); err != nil {
			b.Fatal(err)
		}
	}
	return x
}

// BenchmarkGet looks up among a million entries, with the files of a running program
// and with the one file that is left by Compact.
func BenchmarkGet(b *testing.B) {
	const n = 1_000_000
	x := filled(b, n)
	for _, compacted := range []bool{false, true} {
		if compacted {
			if err := x.Compact(); err != nil {
				b.Fatal(err)
			}
		}
		for _, hit := range []bool{false, true} {
			b.Run(fmt.Sprintf("compacted=%v/hit=%v", compacted, hit), func(b *testing.B) {
				i := uint64(0)
				for b.Loop() {
					i++
					at := i * 7919 % n
					if !hit {
						at += n
					}
					if _, ok, err := x.Get(quick(at)); err != nil || ok != hit {
						b.Fatal(ok, err)
					}
				}
				b.ReportMetric(float64(len(x.runs)), "files")
			})
		}
	}
}

// BenchmarkFill puts four million entries, and states the memory that they take.
func BenchmarkFill(b *testing.B) {
	const n = 4_000_000
	for b.Loop() {
		before := heap()
		x := filled(b, n)
		held := heap() - before
		b.ReportMetric(held/1e6, "MB-held")
		b.ReportMetric(held/n, "B/entry")
		b.ReportMetric(float64(len(x.runs)), "files")
		runtime.KeepAlive(x)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/entry")
}
