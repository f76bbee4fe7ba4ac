package transcript

import (
	"sort"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// The bounds of what flattened keys unfold to.
const (
	maxFlatKeys  = 200_000
	maxFlatDepth = 24
)

// tree is an object or list while its flattened keys are put together.
type tree struct {
	leaf  value.Value
	set   bool
	keys  []string
	below map[string]*tree
}

// unflatten puts together the attributes whose keys begin with the prefix: "a.0.b" under
// "a" is a list of objects with b. Indexes are sorted as numbers. Null where there are none.
func unflatten(attrs value.Value, prefix string) value.Value {
	var root tree
	n := 0
	for key, v := range attrs.Members() {
		rest, ok := strings.CutPrefix(key, prefix+".")
		if !ok || n >= maxFlatKeys {
			continue
		}
		n++
		root.add(strings.SplitN(rest, ".", maxFlatDepth), v)
	}
	if n == 0 {
		return attrs.Field(prefix) // or it was not flattened
	}
	return root.value()
}

func (t *tree) add(path []string, v value.Value) {
	for _, key := range path {
		if t.below == nil {
			t.below = map[string]*tree{}
		}
		next := t.below[key]
		if next == nil {
			next = &tree{}
			t.below[key] = next
			t.keys = append(t.keys, key)
		}
		t = next
	}
	t.leaf, t.set = v, true
}

func (t *tree) value() value.Value {
	if len(t.keys) == 0 {
		return t.leaf
	}
	if list := t.indexes(); list != nil {
		sort.Ints(list)
		out := make([]value.Value, len(list))
		for i, n := range list {
			out[i] = t.below[strconv.Itoa(n)].value()
		}
		return value.OfList(out...)
	}
	members := make([]value.Member, len(t.keys))
	for i, key := range t.keys {
		members[i] = value.Member{Key: key, Value: t.below[key].value()}
	}
	return value.OfObject(members...)
}

// indexes are the keys as numbers; nil where one of them is none.
func (t *tree) indexes() []int {
	list := make([]int, len(t.keys))
	for i, key := range t.keys {
		n, err := strconv.Atoi(key)
		if err != nil || n < 0 || strconv.Itoa(n) != key {
			return nil
		}
		list[i] = n
	}
	return list
}
