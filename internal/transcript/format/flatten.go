package format

import (
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// The limits for unfolding flattened keys.
const (
	maxFlatKeys  = 200_000
	maxFlatDepth = 24
)

// flat is a value with the keys that lead to it.
type flat struct {
	path []string
	leaf value.Value
}

// unflatten rebuilds a value from the attributes whose keys begin with the prefix: "a.0.b" under "a" is a list
// of objects with b. Indexes are sorted as numbers. It returns null without such keys.
func unflatten(attrs value.Value, prefix string) value.Value {
	var all []flat
	for key, v := range attrs.Members() {
		if rest, ok := strings.CutPrefix(key, prefix+"."); ok && len(all) < maxFlatKeys {
			all = append(all, flat{strings.SplitN(rest, ".", maxFlatDepth), v})
		}
	}
	if len(all) == 0 {
		return attrs.Field(prefix) // it was not flattened
	}
	return nest(all)
}

func nest(all []flat) (v value.Value) {
	var keys []string
	below := map[string][]flat{}
	for _, f := range all {
		if len(f.path) == 0 {
			v = f.leaf
			continue
		}
		key := f.path[0]
		if below[key] == nil {
			keys = append(keys, key)
		}
		below[key] = append(below[key], flat{f.path[1:], f.leaf})
	}
	if len(keys) == 0 {
		return v
	}
	out := make([]value.Value, len(keys))
	areIndexes := !slices.ContainsFunc(keys, func(key string) bool {
		n, err := strconv.Atoi(key)
		return err != nil || strconv.Itoa(n) != key || n < 0
	})
	if areIndexes {
		slices.SortFunc(keys, compareTimes)
	}
	members := make([]value.Member, len(keys))
	for i, key := range keys {
		out[i] = nest(below[key])
		members[i] = value.Member{Key: key, Value: out[i]}
	}
	if areIndexes {
		return value.OfList(out...)
	}
	return value.OfObject(members...)
}

// flatten adds a value under a key: each element of a list and member of an object under a key of its own.
func flatten(to *value.Fields, key string, v value.Value, depth int) {
	switch {
	case depth > maxFlatDepth || len(*to) > maxFlatKeys:
	case v.IsList():
		for i, e := range v.Elements() {
			flatten(to, key+"."+strconv.Itoa(i), e, depth+1)
		}
	case v.Kind() == value.Object:
		for name, e := range v.Members() {
			flatten(to, key+"."+name, e, depth+1)
		}
	default:
		to.Set(key, v)
	}
}
