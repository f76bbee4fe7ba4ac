package index

import (
	"math"
	"math/bits"
)

const (
	// bitsPerEntry gives one false hit in about 50.
	bitsPerEntry  = 8
	maxFilterBits = 8 * (4 << 20)
)

// filter is a Bloom filter: it says of a key that it is not there, or that it may be.
// (B. H. Bloom, Space/time trade-offs in hash coding with allowable errors, 1970; the
// probes are derived from two halves of the key, after Kirsch and Mitzenmacher, 2006.)
type filter struct {
	words  []uint64
	probes int
}

// newFilter makes a filter for so many entries.
func newFilter(entries int) filter {
	size := min(max(entries, 1)*bitsPerEntry, maxFilterBits)
	probes := math.Round(math.Ln2 * float64(size) / float64(max(entries, 1)))
	return filter{words: make([]uint64, (size+63)/64), probes: max(1, int(probes))}
}

func (f filter) add(key Key) {
	h, step := key.halves()
	for range f.probes {
		at := f.bit(h)
		f.words[at/64] |= 1 << (at % 64)
		h += step | 1
	}
}

func (f filter) has(key Key) bool {
	h, step := key.halves()
	for range f.probes {
		if at := f.bit(h); f.words[at/64]&(1<<(at%64)) == 0 {
			return false
		}
		h += step | 1
	}
	return true
}

// bit maps a number evenly to the bits of the filter.
func (f filter) bit(h uint64) uint64 {
	at, _ := bits.Mul64(h, uint64(len(f.words))*64)
	return at
}
