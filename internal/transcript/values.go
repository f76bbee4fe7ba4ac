package transcript

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// What readers of all formats ask of values, and how they put values together.

// first is the value under the first of the keys that v has.
func first(v value.Value, keys ...string) (found value.Value, given bool) {
	found, key := firstOf(v, keys)
	return found, key != ""
}

// firstOf is the value under the first of the keys that v has, and the key.
func firstOf(v value.Value, keys []string) (value.Value, string) {
	for _, key := range keys {
		if found, given := v.Get(key); given {
			return found, key
		}
	}
	return value.Value{}, ""
}

// firstText is the text under the first of the keys that holds a text or a number.
func firstText(v value.Value, keys ...string) string {
	for _, key := range keys {
		if f := v.Field(key); f.Kind() == value.String && f.Text() != "" || f.IsNumber() {
			return f.Text()
		}
	}
	return ""
}

// inside is the object under the first of the keys that holds one, else v.
func inside(v value.Value, keys ...string) value.Value {
	for _, key := range keys {
		if inner := v.Field(key); inner.Kind() == value.Object {
			return inner
		}
	}
	return v
}

// element is the first element of a list; null where there is none.
func element(list value.Value) value.Value {
	if !list.IsList() || list.Len() == 0 {
		return value.Value{}
	}
	return list.At(0)
}

func elements(list value.Value) []value.Value {
	var out []value.Value
	for _, e := range list.Elements() {
		out = append(out, e)
	}
	return out
}

// eachOf is the list of what f makes of the elements of a list.
func eachOf(list value.Value, f func(v value.Value) value.Value) value.Value {
	out := make([]value.Value, 0, list.Len())
	for _, e := range list.Elements() {
		out = append(out, f(e))
	}
	return value.OfList(out...)
}

func hasAll(v value.Value, keys ...string) bool {
	return !slices.ContainsFunc(keys, func(k string) bool { return !v.Has(k) })
}

func hasAny(v value.Value, keys ...string) bool { return slices.ContainsFunc(keys, v.Has) }

func valueAt(v value.Value, path string) value.Value {
	for _, key := range strings.Split(path, ".") {
		key, isFirst := strings.CutSuffix(key, "[0]")
		if v = unquoted(v.Field(key)); isFirst {
			v = element(v)
		}
	}
	return v
}

// findList is listAt with the path. The steps of a path are keys; key[0] is the first
// element of a list.
func findList(v value.Value, paths ...string) (value.Value, string) {
	for _, path := range paths {
		if at := valueAt(v, path); at.IsList() && at.Len() > 0 {
			return at, path
		}
	}
	return value.Value{}, ""
}

// listAt is the list at the first of the paths that holds one; null where none does.
func listAt(v value.Value, paths ...string) value.Value {
	list, _ := findList(v, paths...)
	return list
}

// found is the value at the first of the paths where one is, with the path.
func found(v value.Value, paths ...string) (value.Value, string) {
	for _, path := range paths {
		if at := valueAt(v, path); !at.IsNull() {
			return at, path
		}
	}
	return value.Value{}, ""
}

// unquoted is the list or object that a text is the JSON of; every other value as it is.
func unquoted(v value.Value) value.Value {
	s, ok := v.Str()
	if !ok || len(s) < 2 || s[0] != '{' && s[0] != '[' {
		return v
	}
	if inner, err := value.ParseString(s); err == nil {
		return inner
	}
	return v
}

// rest is what v holds beside the known keys and beside nulls; null where nothing is
// left.
func rest(v value.Value, known ...string) value.Value {
	var members []value.Member
	for key, val := range v.Members() {
		if !val.IsNull() && !slices.Contains(known, key) {
			members = append(members, value.Member{Key: key, Value: val})
		}
	}
	return objectOf(members)
}

// members are those of v under the keys.
func members(v value.Value, keys ...string) []value.Member {
	var out []value.Member
	for key, val := range v.Members() {
		if slices.Contains(keys, key) {
			out = append(out, value.Member{Key: key, Value: val})
		}
	}
	return out
}

// foreign returns the keys of a record that are not in known, as keys of Extra. Keys that
// mean something in native records get a prefix, so that a converted record does not mean
// what the log did not say.
func foreign(v value.Value, known ...string) value.Value {
	var members []value.Member
	for key, val := range v.Members() {
		if slices.Contains(known, key) {
			continue
		}
		if slices.Contains(nativeKeys, key) {
			key = "log_" + key
		}
		members = append(members, value.Member{Key: key, Value: val})
	}
	return objectOf(members)
}

// merged is an object with the members of another one that are not empty.
func merged(v, more value.Value) value.Value {
	for key, e := range more.Members() {
		if e.Len() > 0 || e.Text() != "" {
			v = v.With(key, e)
		}
	}
	return v
}

func object(key string, v value.Value) value.Value {
	return value.OfObject(value.Member{Key: key, Value: v})
}

// under is an object with a text or a list under the key; any other value as it is.
func under(key string, v value.Value) value.Value {
	if v.IsList() || v.Kind() == value.String {
		return object(key, v)
	}
	return v
}

// objectOf is an object, null where it has no members.
func objectOf(members []value.Member) value.Value {
	if len(members) == 0 {
		return value.Value{}
	}
	return value.OfObject(members...)
}

func typed(key, text string) value.Value { return object(key, value.OfString(text)) }

func textOf(s string) value.Value {
	return object("type", value.OfString("text")).With("text", value.OfString(s))
}

func listOf[T any](list []T, f func(*T) value.Value) value.Value {
	out := make([]value.Value, len(list))
	for i := range list {
		out[i] = f(&list[i])
	}
	return value.OfList(out...)
}

func firstKeys(v value.Value) string {
	var keys []string
	for key := range v.Members() {
		if len(keys) == 6 {
			keys = append(keys, "…")
			break
		}
		keys = append(keys, quote(key))
	}
	if len(keys) == 0 {
		return "(none)"
	}
	return strings.Join(keys, ", ")
}

func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n" + b
}

func indexed(i int) string { return place("", i) }

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fields are the members of an object that is written.
type fields []value.Member

// set adds a member that is not null, text one that is not empty.
func (o *fields) set(key string, v value.Value) {
	if !v.IsNull() {
		*o = append(*o, value.Member{Key: key, Value: v})
	}
}

func (o *fields) text(key, s string) {
	if s != "" {
		o.set(key, value.OfString(s))
	}
}

func (o *fields) extra(v value.Value) {
	for key, val := range v.Members() {
		*o = append(*o, value.Member{Key: key, Value: val})
	}
}
