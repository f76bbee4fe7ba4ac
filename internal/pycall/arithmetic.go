package pycall

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Bounds of computed values: the bits of an integer, and the parts of a repeated or
// joined sequence, so that a short text cannot claim a large memory. maxComputed
// bounds all that one text computes, in the units of weight.
const (
	maxBits     = 1 << 15
	maxRepeat   = 1 << 16
	maxComputed = 1 << 20
)

// calculator evaluates arithmetic under one budget.
type calculator struct{ spent int }

// compute evaluates arithmetic on literals with Python's semantics: integers of
// any size (bounded by maxBits), / always a float, // and % rounding down, bools
// as 0 and 1, strings and lists under + and *. A result that is no finite number
// is an error, and so is division by zero.
func (c *calculator) compute(n *node) (value.Value, error) {
	switch n.kind {
	case nodeConst:
		return n.val, nil
	case nodeList, nodeTuple:
		return sequenceOf(n, c.compute)
	case nodeDict:
		return dictOf(n, c.compute)
	case nodeUnary, nodeBinary:
	default:
		return value.Value{}, refuse("%.60q cannot be computed", shown(n))
	}
	operands := make([]value.Value, len(n.kids))
	for i, k := range n.kids {
		var err error
		if operands[i], err = c.compute(k); err != nil {
			return value.Value{}, err
		}
	}
	v, ok := operate(n.text, operands)
	if !ok {
		return v, refuse("%.60q cannot be computed", shown(n))
	}
	if c.spent += weight(v); c.spent > maxComputed {
		return v, refuse("arithmetic produces too much")
	}
	return v, nil
}

func operate(op string, operands []value.Value) (value.Value, bool) {
	a := operands[0]
	if len(operands) == 1 {
		return unaryOp(op, a)
	}
	b := operands[1]
	if v, ok := sequenceOp(op, a, b); ok {
		return v, true
	}
	x, y := boolAsInt(a), boolAsInt(b)
	if x.Kind() != value.Int || y.Kind() != value.Int {
		return floatOp(op, x, y)
	}
	i, ok1 := integer(x)
	j, ok2 := integer(y)
	if !ok1 || !ok2 {
		return value.Value{}, false
	}
	r, ok := intOp(op, i, j)
	switch {
	case !ok && (op == "/" || op == "**" && j.Sign() < 0):
		return floatOp(op, x, y)
	case !ok || r.BitLen() > maxBits:
		return value.Value{}, false
	case a.Kind() == value.Bool && b.Kind() == value.Bool && strings.Contains("&|^", op):
		return value.OfBool(r.Sign() != 0), true
	}
	return value.OfBigInt(r), true
}

// integer reads an Int that is short enough to compute with.
func integer(v value.Value) (*big.Int, bool) {
	if len(v.Text()) > maxBits/3 {
		return nil, false
	}
	return v.BigInt()
}

func unaryOp(op string, v value.Value) (value.Value, bool) {
	v = boolAsInt(v)
	i, isInt := integer(v)
	switch {
	case !v.IsNumber() || v.Kind() == value.Int && !isInt:
	case op == "+":
		return v, true
	case op == "-":
		return negate(v), true
	case op == "~" && v.Kind() == value.Int:
		return value.OfBigInt(i.Not(i)), true
	}
	return value.Value{}, false
}

// intOp computes what stays an integer; / and negative powers do not.
func intOp(op string, x, y *big.Int) (*big.Int, bool) {
	r := new(big.Int)
	switch op {
	case "+":
		return r.Add(x, y), true
	case "-":
		return r.Sub(x, y), true
	case "*":
		return r.Mul(x, y), true
	case "&":
		return r.And(x, y), true
	case "|":
		return r.Or(x, y), true
	case "^":
		return r.Xor(x, y), true
	case "//", "%":
		return floorInt(op, x, y)
	case "<<", ">>":
		return shift(op, x, y)
	case "**":
		return power(x, y)
	}
	return nil, false
}

func shift(op string, x, y *big.Int) (*big.Int, bool) {
	bits := uint(maxBits + 1)
	if y.IsUint64() {
		bits = uint(min(y.Uint64(), maxBits+1))
	}
	if op == ">>" {
		return new(big.Int).Rsh(x, bits), y.Sign() >= 0
	}
	return new(big.Int).Lsh(x, bits), y.Sign() >= 0
}

// floorInt divides integers, rounding down and not to zero.
func floorInt(op string, x, y *big.Int) (*big.Int, bool) {
	if y.Sign() == 0 {
		return nil, false
	}
	quotient, rest := new(big.Int).QuoRem(x, y, new(big.Int))
	if rest.Sign() != 0 && rest.Sign() != y.Sign() {
		quotient.Sub(quotient, big.NewInt(1))
		rest.Add(rest, y)
	}
	if op == "%" {
		return rest, true
	}
	return quotient, true
}

func power(x, y *big.Int) (*big.Int, bool) {
	if y.Sign() < 0 {
		return nil, false
	}
	if x.BitLen() <= 1 { // -1, 0, 1: only the parity counts
		if y.Sign() > 0 {
			y = big.NewInt(2 - int64(y.Bit(0)))
		}
	} else if !y.IsInt64() || y.Int64() > maxBits || int64(x.BitLen())*y.Int64() > maxBits {
		return nil, false
	}
	return new(big.Int).Exp(x, y, nil), true
}

func floatOp(op string, a, b value.Value) (value.Value, bool) {
	x, ok1 := a.Float64()
	y, ok2 := b.Float64()
	if !ok1 || !ok2 || y == 0 && strings.Contains("/ // %", op) || op == "**" && x == 0 && y < 0 {
		return value.Value{}, false
	}
	var r float64
	switch op {
	case "+":
		r = x + y
	case "-":
		r = x - y
	case "*":
		r = x * y
	case "/":
		r = x / y
	case "//":
		r, _ = floorDivide(x, y)
	case "%":
		_, r = floorDivide(x, y)
	case "**":
		r = math.Pow(x, y)
	default:
		return value.Value{}, false
	}
	return value.OfFloat(r), !math.IsNaN(r) && !math.IsInf(r, 0)
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

// sequenceOp computes + on two strings, lists or tuples, and * with an integer.
func sequenceOp(op string, a, b value.Value) (value.Value, bool) {
	switch {
	case op == "+" && a.Kind() == b.Kind():
		return join(a.Kind(), a, b)
	case op == "*" && boolAsInt(b).Kind() == value.Int:
		return repeat(a, boolAsInt(b))
	case op == "*":
		return repeat(b, boolAsInt(a))
	}
	return value.Value{}, false
}

func repeat(v, times value.Value) (value.Value, bool) {
	n, ok := times.Int64()
	if !ok || times.Kind() != value.Int || n > maxRepeat {
		return value.Value{}, false
	}
	return join(v.Kind(), slices.Repeat([]value.Value{v}, int(max(n, 0)))...)
}

// join puts strings, lists or tuples of one kind together.
func join(kind value.Kind, parts ...value.Value) (value.Value, bool) {
	total := 0
	var text strings.Builder
	var elems []value.Value
	for _, part := range parts {
		if total += weight(part) - 1; total > maxRepeat {
			return value.Value{}, false
		}
		text.WriteString(part.Text())
		for _, e := range part.Elements() {
			elems = append(elems, e)
		}
	}
	switch kind {
	case value.String:
		return value.OfString(text.String()), true
	case value.List:
		return value.OfList(elems...), true
	case value.Tuple:
		return value.OfTuple(elems...), true
	}
	return value.Value{}, false
}

// weight counts the parts of a value and the bytes of its texts.
func weight(v value.Value) int {
	n := 1 + len(v.Text())
	for i := range v.Len() {
		n += weight(v.At(i))
	}
	return n
}
