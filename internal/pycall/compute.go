package pycall

import (
	"math"
	"math/big"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Bounds on computed values: an integer's bits, and the bytes of a repeated string
// or the leaves of a repeated list.
const (
	maxBits   = 1 << 15
	maxRepeat = 1 << 16
)

// maxComputed bounds what all the arithmetic of one text may produce together, in
// the units of weight: a short text must not claim a large memory.
const maxComputed = 1 << 20

// powerCost is what one power costs beyond its weight; it is the slow operation.
const powerCost = 1000

// calculator evaluates arithmetic under one budget.
type calculator struct {
	spent int
}

// number is an operand of Python arithmetic: an integer, or a double when i is nil.
type number struct {
	i *big.Int
	f float64
}

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
	case nodeUnary:
		v, err := c.compute(n.kids[0])
		if err != nil {
			return v, err
		}
		return unaryOp(n.text, v)
	case nodeBinary:
		a, err := c.compute(n.kids[0])
		if err != nil {
			return a, err
		}
		b, err := c.compute(n.kids[1])
		if err != nil {
			return b, err
		}
		return c.binaryOp(n.text, a, b)
	}
	return value.Value{}, refuse("%.60q cannot be computed", unparseBounded(n))
}

func (c *calculator) binaryOp(op string, a, b value.Value) (value.Value, error) {
	if op == "**" {
		c.spent += powerCost
	}
	v, ok := sequenceOp(op, a, b)
	if !ok {
		var err error
		if v, err = numberOp(op, a, b); err != nil {
			return v, err
		}
	}
	if c.spent += weight(v); c.spent > maxComputed {
		return value.Value{}, refuse("arithmetic produces too much")
	}
	return v, nil
}

func numberFrom(v value.Value) (number, bool) {
	v = boolAsInt(v)
	switch v.Kind() {
	case value.Int:
		if len(v.Text()) > maxBits/3 { // reading so many digits would already be slow
			return number{}, false
		}
		i, ok := v.BigInt()
		return number{i: i}, ok && i.BitLen() <= maxBits
	case value.Float:
		f, ok := v.Float64()
		return number{f: f}, ok
	}
	return number{}, false
}

// float converts to a double; an integer beyond the range is an error in Python.
func (x number) float() (float64, bool) {
	if x.i == nil {
		return x.f, true
	}
	f, _ := new(big.Rat).SetInt(x.i).Float64()
	return f, !math.IsInf(f, 0)
}

func unaryOp(op string, v value.Value) (value.Value, error) {
	x, ok := numberFrom(v)
	switch {
	case !ok:
	case op == "+" && x.i != nil:
		return value.OfBigInt(x.i), nil
	case op == "+":
		return v, nil
	case op == "-" && x.i != nil:
		return value.OfBigInt(new(big.Int).Neg(x.i)), nil
	case op == "-":
		return value.OfFloat(-x.f), nil
	case op == "~" && x.i != nil:
		return value.OfBigInt(new(big.Int).Not(x.i)), nil
	}
	return value.Value{}, refuse("%s cannot be computed on %.60s", op, v.Repr())
}

func numberOp(op string, a, b value.Value) (value.Value, error) {
	failed := refuse("%.60s %s %.60s cannot be computed", a.Repr(), op, b.Repr())
	x, ok1 := numberFrom(a)
	y, ok2 := numberFrom(b)
	if !ok1 || !ok2 {
		return value.Value{}, failed
	}
	if a.Kind() == value.Bool && b.Kind() == value.Bool {
		if v, ok := boolOp(op, x.i.Sign() != 0, y.i.Sign() != 0); ok {
			return v, nil
		}
	}
	if x.i != nil && y.i != nil {
		if v, ok := intOp(op, x.i, y.i); ok {
			return v, nil
		}
		switch op {
		case "/":
			return quotient(x.i, y.i, failed)
		case "**": // a negative power is a float
		default:
			return value.Value{}, failed
		}
	}
	f, ok1 := x.float()
	g, ok2 := y.float()
	if !ok1 || !ok2 {
		return value.Value{}, failed
	}
	r, ok := floatOp(op, f, g)
	if !ok || math.IsNaN(r) || math.IsInf(r, 0) {
		return value.Value{}, failed
	}
	return value.OfFloat(r), nil
}

func boolOp(op string, x, y bool) (value.Value, bool) {
	switch op {
	case "&":
		return value.OfBool(x && y), true
	case "|":
		return value.OfBool(x || y), true
	case "^":
		return value.OfBool(x != y), true
	}
	return value.Value{}, false
}

// intOp computes what stays an integer; / and negative powers do not.
func intOp(op string, x, y *big.Int) (value.Value, bool) {
	r := new(big.Int)
	switch op {
	case "+":
		r.Add(x, y)
	case "-":
		r.Sub(x, y)
	case "*":
		if x.BitLen()+y.BitLen() > maxBits {
			return value.Value{}, false
		}
		r.Mul(x, y)
	case "//", "%":
		if y.Sign() == 0 {
			return value.Value{}, false
		}
		rest := new(big.Int)
		r.QuoRem(x, y, rest)
		if rest.Sign() != 0 && rest.Sign() != y.Sign() { // round down, not to zero
			r.Sub(r, big.NewInt(1))
			rest.Add(rest, y)
		}
		if op == "%" {
			r = rest
		}
	case "&":
		r.And(x, y)
	case "|":
		r.Or(x, y)
	case "^":
		r.Xor(x, y)
	case "<<", ">>":
		return shift(op, x, y)
	case "**":
		return power(x, y)
	default:
		return value.Value{}, false
	}
	return value.OfBigInt(r), true
}

func shift(op string, x, y *big.Int) (value.Value, bool) {
	if y.Sign() < 0 || !y.IsInt64() && op == "<<" {
		return value.Value{}, false
	}
	n := uint(maxBits + 1)
	if y.IsInt64() && y.Int64() <= maxBits {
		n = uint(y.Int64())
	}
	if op == ">>" {
		return value.OfBigInt(new(big.Int).Rsh(x, n)), true
	}
	if x.Sign() != 0 && x.BitLen()+int(n) > maxBits {
		return value.Value{}, false
	}
	return value.OfBigInt(new(big.Int).Lsh(x, n)), true
}

func power(x, y *big.Int) (value.Value, bool) {
	if y.Sign() < 0 {
		return value.Value{}, false
	}
	if x.CmpAbs(big.NewInt(1)) > 0 && (!y.IsInt64() || y.Int64() > maxBits || int64(x.BitLen())*y.Int64() > maxBits) {
		return value.Value{}, false
	}
	if x.CmpAbs(big.NewInt(1)) <= 0 && y.Sign() > 0 { // -1, 0, 1: only the parity counts
		y = big.NewInt(2 - int64(y.Bit(0)))
	}
	return value.OfBigInt(new(big.Int).Exp(x, y, nil)), true
}

// quotient divides integers, correctly rounded to a double.
func quotient(x, y *big.Int, failed error) (value.Value, error) {
	if y.Sign() == 0 {
		return value.Value{}, failed
	}
	f, _ := new(big.Rat).SetFrac(x, y).Float64()
	if math.IsInf(f, 0) {
		return value.Value{}, failed
	}
	if f == 0 && y.Sign() < 0 && x.Sign() == 0 {
		f = math.Copysign(0, -1)
	}
	return value.OfFloat(f), nil
}

func floatOp(op string, x, y float64) (float64, bool) {
	switch op {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		return x * y, true
	case "/":
		return x / y, y != 0
	case "//":
		q, _ := floorDivide(x, y)
		return q, y != 0
	case "%":
		_, rest := floorDivide(x, y)
		return rest, y != 0
	case "**":
		if x == 0 && y < 0 {
			return 0, false
		}
		return floatPower(x, y), true
	}
	return 0, false
}

// floorDivide is Python's divmod on doubles: the remainder has the divisor's sign,
// and the quotient is the integer nearest to what that remainder leaves.
func floorDivide(x, y float64) (q, rest float64) {
	if y == 0 {
		return 0, 0
	}
	rest = math.Mod(x, y)
	div := (x - rest) / y
	if rest == 0 {
		rest = math.Copysign(0, y)
	} else if (y < 0) != (rest < 0) {
		rest += y
		div--
	}
	if div == 0 {
		return math.Copysign(0, x/y), rest
	}
	q = math.Floor(div)
	if div-q > 0.5 {
		q++
	}
	return q, rest
}

// sequenceOp computes + on two strings, lists or tuples, and * with an integer.
func sequenceOp(op string, a, b value.Value) (value.Value, bool) {
	if op == "+" && a.Kind() == b.Kind() {
		return concat(a, b)
	}
	if op != "*" {
		return value.Value{}, false
	}
	if a.Kind() == value.Int || a.Kind() == value.Bool {
		a, b = b, a
	}
	times, ok := boolAsInt(b).Int64()
	if !ok || b.Kind() == value.Float {
		return value.Value{}, false
	}
	return repeat(a, max(times, 0))
}

func concat(a, b value.Value) (value.Value, bool) {
	if s, ok := a.Str(); ok {
		return value.OfString(s + b.Text()), len(s)+len(b.Text()) <= maxRepeat
	}
	if !a.IsList() || weight(a)+weight(b) > maxRepeat {
		return value.Value{}, false
	}
	elems := make([]value.Value, 0, a.Len()+b.Len())
	for _, v := range []value.Value{a, b} {
		for _, e := range v.Elements() {
			elems = append(elems, e)
		}
	}
	return sequenceLike(a, elems), true
}

func repeat(a value.Value, times int64) (value.Value, bool) {
	if s, ok := a.Str(); ok {
		if times > maxRepeat || len(s)*int(times) > maxRepeat {
			return value.Value{}, false
		}
		return value.OfString(strings.Repeat(s, int(times))), true
	}
	if !a.IsList() || times > maxRepeat || weight(a)*int(times) > maxRepeat {
		return value.Value{}, false
	}
	var elems []value.Value
	for range times {
		for _, e := range a.Elements() {
			elems = append(elems, e)
		}
	}
	return sequenceLike(a, elems), true
}

func sequenceLike(v value.Value, elems []value.Value) value.Value {
	if v.Kind() == value.Tuple {
		return value.OfTuple(elems...)
	}
	return value.OfList(elems...)
}

// weight counts the parts of a value and the bytes of its texts.
func weight(v value.Value) int {
	n := 1 + len(v.Text())
	for i := range v.Len() {
		n += weight(v.At(i))
	}
	return n
}
