package stattest

import "math/bits"

const golden = 0x9E3779B97F4A7C15

// Stream is the SplitMix64 generator; its value is its state. The state after k
// draws is the seed plus k times the golden increment, so any resample can be
// drawn without drawing those before it.
type Stream uint64

// StreamAt returns the stream after k draws from seed.
func StreamAt(seed uint64, k uint64) Stream { return Stream(seed + k*golden) }

// Next draws 64 bits.
func (s *Stream) Next() uint64 {
	*s += golden
	z := uint64(*s)
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Index draws from [0,n): the high word of the 128-bit product with n.
func (s *Stream) Index(n uint64) int {
	hi, _ := bits.Mul64(s.Next(), n)
	return int(hi)
}
