package value

import (
	"slices"
	"strconv"
	"strings"
)

// First returns the value of the first of the keys that v has.
func (v Value) First(keys ...string) (found Value, given bool) {
	found, key := v.FirstKey(keys...)
	return found, key != ""
}

// FirstKey returns the value of the first of the keys that v has, and that key.
func (v Value) FirstKey(keys ...string) (found Value, key string) {
	for _, key := range keys {
		if i := v.find(key); i >= 0 {
			return v.At(i), key
		}
	}
	return Value{}, ""
}

// FirstText returns the value of the first of the keys that has a text or a number, "" if none has.
func (v Value) FirstText(keys ...string) string {
	for _, key := range keys {
		i := v.find(key)
		if i < 0 {
			continue
		}
		if f := v.At(i); f.Kind() == String && f.Text() != "" || f.IsNumber() {
			return f.Text()
		}
	}
	return ""
}

// Inside returns the value of the first of the keys that has an object, v if none has.
func (v Value) Inside(keys ...string) Value {
	for _, key := range keys {
		i := v.find(key)
		if i < 0 {
			continue
		}
		if inner := v.At(i); inner.Kind() == Object {
			return inner
		}
	}
	return v
}

// HasAll reports whether v has all the keys, HasAny whether it has one of them.
func (v Value) HasAll(keys ...string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { return v.find(k) < 0 })
}

// HasAny reports whether v has one of the keys.
func (v Value) HasAny(keys ...string) bool {
	return slices.ContainsFunc(keys, func(k string) bool { return v.find(k) >= 0 })
}

// Head returns the first element of a list, null if v is no list or is empty.
func (v Value) Head() Value {
	if !v.IsList() || v.Len() == 0 {
		return Value{}
	}
	return v.At(0)
}

// Slice returns the elements of a list.
func (v Value) Slice() []Value {
	var out []Value
	for _, e := range v.Elements() {
		out = append(out, e)
	}
	return out
}

// Decoded returns the list or object that a string contains as JSON, and any other value as it is.
func (v Value) Decoded() Value {
	s, ok := v.Str()
	if !ok || len(s) < 2 || s[0] != '{' && s[0] != '[' {
		return v
	}
	if inner, err := ParseString(s); err == nil {
		return inner
	}
	return v
}

// KeyList returns the first six keys of an object for a message, quoted.
func (v Value) KeyList() string {
	var keys []string
	for key := range v.Members() {
		if len(keys) == 6 {
			keys = append(keys, "…")
			break
		}
		keys = append(keys, Quote(key))
	}
	if len(keys) == 0 {
		return "(none)"
	}
	return strings.Join(keys, ", ")
}

// Quote returns the beginning of s for a message: on one line and in quotes.
func Quote(s string) string { return strconv.Quote(Excerpt(s, 120)) }

// Fields collects the members of an object, leaving out what is empty.
type Fields []Member

// Set adds a member unless its value is null.
func (f *Fields) Set(key string, v Value) {
	if !v.IsNull() {
		*f = append(*f, Member{Key: key, Value: v})
	}
}

// Text adds a member unless its text is empty.
func (f *Fields) Text(key, s string) {
	if s != "" {
		f.Set(key, OfString(s))
	}
}

// Add adds all members of an object.
func (f *Fields) Add(v Value) {
	for key, val := range v.Members() {
		*f = append(*f, Member{Key: key, Value: val})
	}
}

// Object returns the object, null if it has no members.
func (f Fields) Object() Value {
	if len(f) == 0 {
		return Value{}
	}
	return OfObject(f...)
}
