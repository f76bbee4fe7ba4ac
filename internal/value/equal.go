package value

import (
	"cmp"
	"math"
)

const maxFloat = math.MaxFloat64

// Equality says when two values are the same. The zero Equality is the project's default: numbers by
// mathematical value (1 = 1.0, but a bool is no number), strings by code points, objects by key set whatever
// the order, a tuple equal to a list with the same elements.
type Equality struct {
	// BoolIsNumber makes true equal 1 and false equal 0, as Python does.
	BoolIsNumber bool
	// StrictKinds makes an integer differ from a float and a tuple from a list, at every level.
	StrictKinds bool
	// TupleIsOwnKind makes a tuple differ from a list, at every level.
	TupleIsOwnKind bool
	// IntsAsFloats compares two integers as doubles.
	IntsAsFloats bool
	// EmptyListIsEmptyObject makes [] equal {}, as some JavaScript comparers do.
	EmptyListIsEmptyObject bool
}

// Equal reports whether a and b are the same under the default Equality.
func Equal(a, b Value) bool { return Equality{}.Equal(a, b) }

// Equal reports whether a and b are the same under e.
func (e Equality) Equal(a, b Value) bool {
	if e.BoolIsNumber {
		a, b = boolNumber(a, b)
	}
	switch {
	case a.IsNumber() && b.IsNumber():
		if e.StrictKinds && a.kind != b.kind {
			return false
		}
		return e.numbers(a, b)
	case a.IsList() && b.IsList():
		if (e.StrictKinds || e.TupleIsOwnKind) && a.kind != b.kind {
			return false
		}
		return e.lists(a, b)
	case e.EmptyListIsEmptyObject && a.isEmptyContainer() && b.isEmptyContainer():
		return true
	case a.kind != b.kind:
		return false
	case a.kind == Object:
		return e.objects(a, b)
	default:
		return a.text == b.text
	}
}

func (v Value) isEmptyContainer() bool {
	return (v.IsList() || v.kind == Object) && v.Len() == 0
}

// boolNumber turns a bool into its number when the other side is a number.
func boolNumber(a, b Value) (Value, Value) {
	if a.kind == Bool && b.IsNumber() {
		a = boolAsInt(a)
	}
	if b.kind == Bool && a.IsNumber() {
		b = boolAsInt(b)
	}
	return a, b
}

func boolAsInt(v Value) Value {
	if v.text == "true" {
		return OfInt(1)
	}
	return OfInt(0)
}

func (e Equality) lists(a, b Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	for i := range a.Len() {
		if !e.Equal(a.At(i), b.At(i)) {
			return false
		}
	}
	return true
}

func (e Equality) objects(a, b Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	find := b.find
	indexed := b.Len() <= 32
	for i := range a.Len() {
		m, other := a.item(i), b.item(i) // the same key at the same place is the usual case
		if other.Key != m.Key {
			if !indexed {
				find, indexed = b.indexed(), true
			}
			j := find(m.Key)
			if j < 0 {
				return false
			}
			other = b.item(j)
		}
		if !e.Equal(m.Value, other.Value) {
			return false
		}
	}
	return true
}

// indexed returns a function that finds members as find does, but faster if called often.
func (v Value) indexed() func(key string) int {
	place := make(map[string]int, v.Len())
	for i := range v.Len() {
		place[v.KeyAt(i)] = i + 1
	}
	return func(key string) int { return place[key] - 1 }
}

func (e Equality) numbers(a, b Value) bool {
	if a.text == b.text {
		return true
	}
	if a.kind == Float && b.kind == Float || (e.IntsAsFloats && a.kind == b.kind) {
		return floatsEqual(a, b)
	}
	if a.kind == Int && b.kind == Int {
		return intText(a.text) == intText(b.text)
	}
	if a.kind == Float {
		a, b = b, a
	}
	// Here a is the Int and b the Float: they are equal if the double is exactly the integer.
	whole, ok := b.BigInt()
	return ok && whole.String() == intText(a.text)
}

// floatsEqual compares doubles, and beyond the range of doubles the numbers as they are
// written: 1e400 is not 1e401.
func floatsEqual(a, b Value) bool {
	x, y := parseFloat(a.text), parseFloat(b.text)
	return x == y && (!math.IsInf(x, 0) || decimal(a.text) == decimal(b.text))
}

// intText drops the sign of a negative zero. JSON has no leading zeros, so the
// digits of two equal integers are equal.
func intText(s string) string {
	if s == "-0" {
		return "0"
	}
	return s
}

// Compare orders two numbers by mathematical value: -1, 0 or 1, and false when one of them is no number.
func Compare(a, b Value) (int, bool) {
	if !a.IsNumber() || !b.IsNumber() {
		return 0, false
	}
	if x, y := ratOf(a), ratOf(b); x != nil && y != nil {
		return x.Cmp(y), true
	}
	return cmp.Compare(parseFloat(a.text), parseFloat(b.text)), true
}
