package pycall

import (
	"math"
	"math/big"
)

// powerBits is the working precision of floatPower, and powerRoots how many binary
// places of a fractional exponent it looks at; what lies beyond cannot change the
// 53 bits of the result.
const (
	powerBits  = 320
	powerRoots = 130
)

// floatPower is x**y, correctly rounded, as C's pow nearly always is. math.Pow can be
// off in the last place, and then the decoded value would not be the recorded one.
func floatPower(x, y float64) float64 {
	rough := math.Pow(x, y)
	if rough == 0 || math.IsInf(rough, 0) || math.IsNaN(rough) || x == 0 {
		return rough
	}
	whole, fraction := math.Modf(math.Abs(y))
	base := newFloat(math.Abs(x))
	result := newFloat(1)
	for n, square := uint64(whole), newFloat(0).Set(base); n > 0; n >>= 1 {
		if n&1 == 1 {
			result.Mul(result, square)
		}
		square.Mul(square, square)
	}
	root := base
	for place := 0; place < powerRoots && fraction > 0; place++ {
		root = newFloat(0).Sqrt(root)
		if fraction *= 2; fraction >= 1 {
			result.Mul(result, root)
			fraction--
		}
	}
	if y < 0 {
		result.Quo(newFloat(1), result)
	}
	exact, _ := result.Float64()
	return math.Copysign(exact, rough)
}

func newFloat(f float64) *big.Float { return new(big.Float).SetPrec(powerBits).SetFloat64(f) }
