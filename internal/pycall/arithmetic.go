package pycall

import (
	"math"
	"math/big"

	"github.com/judgekit/judge/internal/value"
)

// maxBits bounds the integers in arithmetic, and maxComputed the digits that one text may make us
// compute, so that a short text cannot claim a large memory.
const (
	maxBits     = 1 << 15
	maxComputed = 1 << 20
)

// compute evaluates arithmetic on numbers with Python's semantics: integers of any size
// up to maxBits, / always a float, // and % rounding down, bools as 0 and 1. A result
// that is not a finite number is an error, and so is division by zero.
func (r *resolver) compute(n *node) (value.Value, error) {
	if n.kind == nodeConst {
		if v := boolAsInt(n.val); v.IsNumber() && len(v.Text()) <= maxBits/3 {
			return v, nil
		}
	}
	var operands [2]value.Value
	if n.kind == nodeUnary || n.kind == nodeBinary {
		for i, k := range n.kids {
			var err error
			if operands[i], err = r.compute(k); err != nil {
				return value.Value{}, err
			}
		}
	}
	var v value.Value
	ok := false
	switch {
	case n.kind == nodeBinary:
		v, ok = operate(n.text, operands[0], operands[1])
	case n.kind == nodeUnary && n.text == "-":
		v, ok = negate(operands[0]), true
	case n.kind == nodeUnary && n.text == "+":
		v, ok = operands[0], true
	}
	if r.computed += len(v.Text()); !ok || r.computed > maxComputed {
		return v, syntaxError(n.pos, "this cannot be computed")
	}
	return v, nil
}

func boolAsInt(v value.Value) value.Value {
	switch b, ok := v.BoolVal(); {
	case !ok:
		return v
	case b:
		return value.OfInt(1)
	}
	return value.OfInt(0)
}

func operate(op string, a, b value.Value) (value.Value, bool) {
	if a.Kind() == value.Int && b.Kind() == value.Int {
		x, _ := a.BigInt()
		y, _ := b.BigInt()
		if r := intOp(op, x, y); r != nil {
			return value.OfBigInt(r), r.BitLen() <= maxBits
		}
		if op != "/" && (op != "**" || y.Sign() > 0) {
			return value.Value{}, false
		}
	}
	x, _ := a.Float64()
	y, _ := b.Float64()
	r := floatOp(op, x, y)
	return value.OfFloat(r), !math.IsNaN(r) && !math.IsInf(r, 0)
}

// intOp computes an operation whose result stays an integer; nil for any other.
func intOp(op string, x, y *big.Int) *big.Int {
	r := new(big.Int)
	switch op {
	case "+":
		return r.Add(x, y)
	case "-":
		return r.Sub(x, y)
	case "*":
		return r.Mul(x, y)
	case "**":
		if y.Sign() >= 0 && y.IsInt64() && (y.Sign() == 0 || int64(x.BitLen()) <= maxBits/y.Int64()) {
			return r.Exp(x, y, nil)
		}
	case "//", "%":
		if y.Sign() == 0 {
			return nil
		}
		quotient, rest := r.QuoRem(x, y, new(big.Int))
		if rest.Sign() != 0 && rest.Sign() != y.Sign() {
			quotient.Sub(quotient, big.NewInt(1))
			rest.Add(rest, y)
		}
		if op == "%" {
			return rest
		}
		return quotient
	}
	return nil
}

// floatOp computes an operation on doubles; NaN or infinite if it cannot.
func floatOp(op string, x, y float64) float64 {
	switch {
	case op == "+":
		return x + y
	case op == "-":
		return x - y
	case op == "*":
		return x * y
	case op == "**":
		return math.Pow(x, y)
	case op == "/":
		return x / y
	case op == "//":
		quotient, _ := floorDivide(x, y)
		return quotient
	case op == "%":
		_, rest := floorDivide(x, y)
		return rest
	}
	return math.NaN()
}

// floorDivide is Python's divmod on doubles: the remainder has the divisor's sign.
func floorDivide(x, y float64) (quotient, rest float64) {
	rest = math.Mod(x, y)
	if rest != 0 && (y < 0) != (rest < 0) {
		rest += y
	}
	if quotient = math.Round((x - rest) / y); quotient == 0 {
		quotient = math.Copysign(0, x/y)
	}
	return quotient, math.Copysign(rest, y)
}
