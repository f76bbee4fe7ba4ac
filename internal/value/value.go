// Package value owns the one JSON value type of the project: it keeps the text of every number, the order of
// every object's keys, and the difference between integers, floats and (from Python call strings) tuples.
//
// It promises that nothing is rounded on the way through: a 20-digit order number, 1.50 and -0 leave as they
// came. Values are immutable once built and safe for concurrent use.
package value

import (
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds. A Tuple only comes out of a Python call string; everywhere else it is a list.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
	List
	Object
	Tuple
	// document is the kind of the value in the Member to which first points in a packed value.
	document
)

var kindNames = [...]string{"null", "boolean", "integer", "number", "string", "array", "object", "tuple"}

// String returns the JSON Schema name of the kind ("tuple" for a tuple).
func (k Kind) String() string { return kindNames[k] }

// WithArticle names the kind in a sentence: "an object", "a string", "null".
func (k Kind) WithArticle() string {
	switch k {
	case Null:
		return k.String()
	case Int, Object, List:
		return "an " + k.String()
	}
	return "a " + k.String()
}

// Value is one JSON value. The zero Value is null. It has four fields and 32 bytes because the compiler
// keeps no larger struct in registers: with a slice of members the program is 1.2 MB larger.
type Value struct {
	kind Kind
	// n is the number of the members; of a packed value the place of the record before them.
	n uint32
	// text holds the text of a string, the digits of a number, "true" or "false", and
	// of a parsed object or list the JSON that it was parsed from.
	text string
	// first points to the first member of an object, or to the first element of a list or tuple
	// (with an empty key); nil if none. In a packed value it points to the document.
	first *Member
}

// Member is one key of an object with its value.
type Member struct {
	Key   string
	Value Value
}

// OfString returns a string value.
func OfString(s string) Value { return Value{kind: String, text: s} }

// OfBool returns true or false as a value.
func OfBool(b bool) Value { return Value{kind: Bool, text: strconv.FormatBool(b)} }

// OfInt returns an integer value.
func OfInt(i int64) Value { return Value{kind: Int, text: strconv.FormatInt(i, 10)} }

// OfBigInt returns an integer value of any size.
func OfBigInt(i *big.Int) Value { return Value{kind: Int, text: i.String()} }

// OfFloat returns a float value in its shortest decimal that reads back as f.
// f must be finite; JSON has no other floats, so NaN and infinities become null.
func OfFloat(f float64) Value {
	if f != f || f > maxFloat || f < -maxFloat {
		return Value{}
	}
	return Value{kind: Float, text: pythonFloat(f)}
}

// OfNumber returns the number of a JSON number's text, unchanged: a Float when the text has a '.', 'e' or 'E',
// else an Int. The text must be valid JSON number syntax; other text gives null.
func OfNumber(text string) Value {
	switch {
	case !validNumber(text):
		return Value{}
	case strings.ContainsAny(text, ".eE"):
		return Value{kind: Float, text: text}
	}
	return Value{kind: Int, text: text}
}

// OfList returns a list of the given elements.
func OfList(elems ...Value) Value { return container(List, elements(elems)) }

// OfStrings returns a list of strings.
func OfStrings(list ...string) Value {
	elems := make([]Value, len(list))
	for i, s := range list {
		elems[i] = OfString(s)
	}
	return OfList(elems...)
}

// OfTuple returns a tuple of the given elements.
func OfTuple(elems ...Value) Value { return container(Tuple, elements(elems)) }

func elements(elems []Value) []Member {
	items := make([]Member, len(elems))
	for i, e := range elems {
		items[i].Value = e
	}
	return items
}

// OfObject returns an object with the members in the given order. Of a repeated
// key the last value counts, at the place of the first.
func OfObject(members ...Member) Value {
	return ObjectOf(append([]Member(nil), members...))
}

// ObjectOf does what OfObject does, but keeps the list itself: the caller may not use it any more.
func ObjectOf(members []Member) Value {
	return container(Object, dedupe(members))
}

// container returns a value that keeps items: the caller may not change them any more.
func container(kind Kind, items []Member) Value {
	if len(items) == 0 {
		return Value{kind: kind}
	}
	return Value{kind: kind, n: uint32(len(items)), first: &items[0]}
}

// packed reports whether v is packed: first then points to the document.
func (v *Value) packed() bool { return v.first != nil && v.first.Value.kind == document }

// items returns the members of a value that is not packed.
func (v *Value) items() []Member { return unsafe.Slice(v.first, v.n) }

// Kind returns the kind of v.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == Null }

// IsNumber reports whether v is an Int or a Float.
func (v Value) IsNumber() bool { return v.kind == Int || v.kind == Float }

// IsList reports whether v is a List or a Tuple.
func (v Value) IsList() bool { return v.kind == List || v.kind == Tuple }

// Text returns the text of a string, the digits of a number as they were
// written, "true" or "false" of a bool, and "" of every other kind.
func (v Value) Text() string {
	if v.kind > String {
		return ""
	}
	return v.text
}

// Raw returns the JSON that the object or list v was parsed from, byte by byte, and
// the compact JSON of every other value.
func (v Value) Raw() string {
	if v.kind > String && v.text != "" {
		return v.text
	}
	return v.JSON()
}

// Str returns the text of a string, and whether v is a string.
func (v Value) Str() (string, bool) { return v.text, v.kind == String }

// BoolVal returns the value of a bool, and whether v is a bool.
func (v Value) BoolVal() (b, ok bool) { return v.text == "true", v.kind == Bool }

// Int64 returns the integer that v is, or equals (5.0), and whether there is one in the range of an int64.
func (v Value) Int64() (int64, bool) {
	if v.kind == Int {
		i, err := strconv.ParseInt(v.text, 10, 64)
		return i, err == nil
	}
	if b, ok := v.BigInt(); ok && b.IsInt64() {
		return b.Int64(), true
	}
	return 0, false
}

// BigInt returns the integer that the number v equals exactly, and whether there
// is one. A Float counts by its double: 1e20 is 100000000000000000000.
func (v Value) BigInt() (*big.Int, bool) {
	switch v.kind {
	case Int:
		return new(big.Int).SetString(v.text, 10)
	case Float:
		f, ok := v.Float64()
		if !ok {
			return nil, false
		}
		i, acc := new(big.Float).SetFloat64(f).Int(nil)
		return i, acc == big.Exact
	}
	return nil, false
}

// Float64 returns the double nearest to the number v; false if v is not a number, or the double is
// infinite.
func (v Value) Float64() (float64, bool) {
	if !v.IsNumber() {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	return f, err == nil
}

// Len returns the number of elements of a list or tuple or of members of an object, and 0 for every other kind.
func (v Value) Len() int {
	if v.packed() {
		return v.packedLen()
	}
	return int(v.n)
}

// Length returns the number of code points of a string, and Len of any other value.
func (v Value) Length() int {
	if v.kind == String {
		return utf8.RuneCountInString(v.text)
	}
	return v.Len()
}

// At returns element i of a list or tuple, or the value of member i of an
// object. It panics when i is out of range, as a slice does.
func (v Value) At(i int) Value {
	if v.packed() {
		return v.packedItem(i).Value
	}
	return v.items()[i].Value
}

// KeyAt returns the key of member i of an object.
func (v Value) KeyAt(i int) string {
	if v.packed() {
		return ownText(v.packedKey(i))
	}
	return v.items()[i].Key
}

// Elements iterates over a list or tuple with the index of each element.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if !v.IsList() {
			return
		}
		for i := range v.Len() {
			if !yield(i, v.At(i)) {
				return
			}
		}
	}
}

// Members iterates over the members of an object in their order.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.kind != Object {
			return
		}
		for i := range v.Len() {
			if m := v.item(i); !yield(m.Key, m.Value) {
				return
			}
		}
	}
}

// Leaves iterates in order over all values inside v that are neither list nor object, each with its
// key in an object, "" in a list. If v itself is neither, it yields v alone.
func (v Value) Leaves() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) { v.leaves("", yield) }
}

func (v Value) leaves(key string, yield func(string, Value) bool) (more bool) {
	if v.kind <= String {
		return yield(key, v)
	}
	for i := range v.Len() {
		if m := v.item(i); !m.Value.leaves(m.Key, yield) {
			return false
		}
	}
	return true
}

// Get returns the value under key, and whether v is an object that has the key.
// A key whose value is null is present.
func (v Value) Get(key string) (Value, bool) {
	if i := v.find(key); i >= 0 {
		return v.At(i), true
	}
	return Value{}, false
}

// find returns the place of the member key of an object, or -1.
func (v *Value) find(key string) int {
	if v.kind != Object {
		return -1
	}
	if v.packed() {
		for i := range v.packedLen() {
			if v.packedKey(i) == key {
				return i
			}
		}
		return -1
	}
	items := v.items()
	for i := range items {
		if items[i].Key == key {
			return i
		}
	}
	return -1
}

// Field returns the value under key, or null.
func (v Value) Field(key string) Value {
	f, _ := v.Get(key)
	return f
}

// Has reports whether v is an object that has the key.
func (v Value) Has(key string) bool {
	return v.find(key) >= 0
}

// With returns a copy of the object v in which key has the given value: at its
// place when it was there, else at the end. v that is not an object counts as empty.
func (v Value) With(key string, val Value) Value {
	if i := v.find(key); i >= 0 {
		return v.WithAt(i, val)
	}
	return container(Object, append(slices.Clip(v.objectItems()), Member{key, val}))
}

// Without returns a copy of the object v without the given keys.
func (v Value) Without(keys ...string) Value {
	var items []Member
	for _, m := range v.objectItems() {
		if !slices.Contains(keys, m.Key) {
			items = append(items, m)
		}
	}
	return container(Object, items)
}

func (v Value) objectItems() []Member {
	if v.kind != Object {
		return nil
	}
	return v.members()
}

// dedupe merges repeated keys in place: the last value at the first place.
func dedupe(items []Member) []Member {
	if len(items) <= 12 && !repeated(items) {
		return items
	}
	place := make(map[string]int, len(items))
	out := items[:0]
	for _, m := range items {
		if at, ok := place[m.Key]; ok {
			out[at].Value = m.Value
			continue
		}
		place[m.Key] = len(out)
		out = append(out, m)
	}
	return out
}

func repeated(items []Member) bool {
	for i := range items {
		for j := range i {
			if items[i].Key == items[j].Key {
				return true
			}
		}
	}
	return false
}
