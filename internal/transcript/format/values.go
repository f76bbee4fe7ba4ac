package format

import (
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// eachOf returns the list of f's results for the elements of a list.
func eachOf(list value.Value, f func(v value.Value) value.Value) value.Value {
	out := make([]value.Value, 0, list.Len())
	for _, e := range list.Elements() {
		out = append(out, f(e))
	}
	return value.OfList(out...)
}

// flatLines returns the elements of a list. An element that is a list, or has one under one of the
// keys, is replaced by the elements of that list.
func flatLines(list value.Value, keys ...string) value.Value {
	var out []value.Value
	for _, e := range list.Elements() {
		inner, _ := e.First(keys...)
		switch {
		case e.IsList():
			out = append(out, flatLines(e, keys...).Slice()...)
		case inner.IsList():
			out = append(out, flatLines(inner, keys...).Slice()...)
		default:
			out = append(out, e)
		}
	}
	return value.OfList(out...)
}

// latest keeps records in order. A record with a known id replaces the earlier one: logs write a
// message again when it changes.
type latest struct {
	list []value.Value
	at   map[string]int
}

func (l *latest) put(id string, v value.Value) {
	if i, known := l.at[id]; known && id != "" {
		l.list[i] = v
		return
	}
	if l.at == nil {
		l.at = map[string]int{}
	}
	l.at[id] = len(l.list)
	l.list = append(l.list, v)
}

// valueAt follows a path of keys separated by dots; key[0] is the first element of a list. It
// parses texts on the way that are JSON.
func valueAt(v value.Value, path string) value.Value {
	for path != "" {
		var key string
		key, path, _ = strings.Cut(path, ".")
		key, isFirst := strings.CutSuffix(key, "[0]")
		if v = v.Field(key).Decoded(); isFirst {
			v = v.Head()
		}
	}
	return v
}

// findList returns the first non-empty list at one of the paths, and its path.
func findList(v value.Value, paths ...string) (value.Value, string) {
	for _, path := range paths {
		if at := valueAt(v, path); at.IsList() && at.Len() > 0 {
			return at, path
		}
	}
	return value.Value{}, ""
}

// listAt returns the first non-empty list at one of the paths, else null.
func listAt(v value.Value, paths ...string) value.Value {
	list, _ := findList(v, paths...)
	return list
}

// found returns the first non-null value at one of the paths, and its path.
func found(v value.Value, paths ...string) (value.Value, string) {
	for _, path := range paths {
		if at := valueAt(v, path); !at.IsNull() {
			return at, path
		}
	}
	return value.Value{}, ""
}

// rest returns v without the known keys and nulls; null if nothing is left.
func rest(v value.Value, known ...string) value.Value {
	var members value.Fields
	for key, val := range v.Members() {
		if !slices.Contains(known, key) {
			members.Set(key, val)
		}
	}
	return members.Object()
}

// members returns the members of v with these keys.
func members(v value.Value, keys ...string) value.Fields {
	var out value.Fields
	for key, val := range v.Members() {
		if slices.Contains(keys, key) {
			out = append(out, value.Member{Key: key, Value: val})
		}
	}
	return out
}

// foreign returns the unknown keys of a record as keys for Extra. Keys with a meaning in native
// records get a prefix, so that a converted record does not say more than the log.
func foreign(v value.Value, known ...string) value.Value {
	var members value.Fields
	for key, val := range v.Members() {
		if slices.Contains(known, key) {
			continue
		}
		if slices.Contains(nativeKeys, key) {
			key = "log_" + key
		}
		members = append(members, value.Member{Key: key, Value: val})
	}
	return members.Object()
}

// merged returns an object with the non-empty members of another one added.
func merged(v, more value.Value) value.Value {
	for key, e := range more.Members() {
		if e.Len() > 0 || e.Text() != "" {
			v = v.With(key, e)
		}
	}
	return v
}

// under puts a text or a list into an object under the key; other values are returned unchanged.
func under(key string, v value.Value) value.Value {
	if v.IsList() || v.Kind() == value.String {
		return value.Pairs(key, v)
	}
	return v
}

// textOf returns a text part of a message.
func textOf(s string) value.Value { return value.Pairs("type", "text", "text", s) }

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
