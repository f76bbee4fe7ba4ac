package agreement

import (
	"github.com/judgekit/judge/internal/agreement/statistic"
)

// lanesSum adds in eight interleaved lanes that are joined pairwise at the end.
// It is the order in which the reference packages for kappa add the cells of a
// table; where a variance is a difference of equal sums the order decides the
// last digits, and so the standard error.
func lanesSum(v []float64) float64 {
	if len(v) < 8 {
		return statistic.Sum(v)
	}
	var lane [8]float64
	copy(lane[:], v[:8])
	i := 8
	for ; i+8 <= len(v); i += 8 {
		for k := range lane {
			lane[k] += v[i+k]
		}
	}
	s := ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]))
	for ; i < len(v); i++ {
		s += v[i]
	}
	return s
}
