package state

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Compare returns what turns before into after, as RFC 6902 operations in the
// order of sorted keys: Apply(before, Compare(before, after, e)) equals after under
// e. A list whose length changed is replaced whole.
func Compare(before, after value.Value, e value.Equality) []Op {
	d := differ{options: Options{Equality: e}}
	d.walk("", nil, &before, &after, "", 0)
	ops := make([]Op, len(d.out))
	for i, c := range d.out {
		ops[i] = c.Operation()
	}
	return ops
}

// Operation returns the change as what turns the expected into the final state.
func (c Change) Operation() Op {
	switch c.Op {
	case Added:
		return Op{Op: Add, Path: c.Path, Value: *c.Final}
	case Removed:
		return Op{Op: Remove, Path: c.Path, Old: *c.Expected}
	}
	return Op{Op: Replace, Path: c.Path, Value: *c.Final, Old: *c.Expected}
}

// Apply returns v with the operations applied that Compare returned, in their order;
// of each, Path, Value and whether it removes count. What is not touched is shared
// with v. It fails on a path that leads nowhere.
func Apply(v value.Value, ops []Op) (value.Value, error) {
	if len(ops) == 0 {
		return v, nil
	}
	return apply(v, ops, 0)
}

// apply applies operations whose paths have led to v after from bytes. Each container
// is copied once, however many operations lead into it.
func apply(v value.Value, ops []Op, from int) (value.Value, error) {
	if len(ops[0].Path) == from {
		return ops[0].Value, nil
	}
	if !v.IsList() && v.Kind() != value.Object {
		return v, fmt.Errorf("patch %q: nothing can be set in %s", ops[0].Path, v.Kind())
	}
	c := opened(v)
	for len(ops) > 0 {
		if path := ops[0].Path; len(path) <= from || path[from] != '/' {
			return v, fmt.Errorf("patch %q: leads nowhere", path)
		}
		end, n := sameToken(ops, from)
		if err := c.edit(ops[0].Path[from+1:end], ops[:n], end); err != nil {
			return v, err
		}
		ops = ops[n:]
	}
	return c.value(), nil
}

// sameToken returns where the first token after from ends, and how many operations
// share it.
func sameToken(ops []Op, from int) (end, n int) {
	path := ops[0].Path
	end = len(path)
	if i := strings.IndexByte(path[from+1:], '/'); i >= 0 {
		end = from + 1 + i
	}
	for n < len(ops) && strings.HasPrefix(ops[n].Path, path[:end]) &&
		(len(ops[n].Path) == end || ops[n].Path[end] == '/') {
		n++
	}
	return end, n
}

// container is an object or a list that is being changed.
type container struct {
	isList  bool
	members []value.Member
	// index finds the members of an object.
	index   map[string]int
	removed map[int]bool
}

func opened(v value.Value) *container {
	c := &container{isList: v.IsList(), members: make([]value.Member, 0, v.Len()), removed: map[int]bool{}}
	if c.isList {
		for _, e := range v.Elements() {
			c.members = append(c.members, value.Member{Value: e})
		}
		return c
	}
	c.index = make(map[string]int, v.Len())
	for k, e := range v.Members() {
		c.index[k] = len(c.members)
		c.members = append(c.members, value.Member{Key: k, Value: e})
	}
	return c
}

// edit applies operations that lead to or into the member under token.
func (c *container) edit(token string, ops []Op, end int) error {
	key := value.UnescapePointer(token)
	i, found := c.index[key]
	if c.isList {
		n, err := strconv.Atoi(key)
		i, found = n, err == nil && n >= 0 && n < len(c.members)
	}
	whole := len(ops[0].Path) == end
	switch {
	case !found && whole && !c.isList && ops[0].Op != Remove:
		c.members = append(c.members, value.Member{Key: key, Value: ops[0].Value})
		return nil
	case !found:
		return fmt.Errorf("patch %q: there is no %q", ops[0].Path, key)
	case whole && ops[0].Op == Remove:
		c.removed[i] = true
		return nil
	}
	inner, err := apply(c.members[i].Value, ops, end)
	c.members[i].Value = inner
	return err
}

func (c *container) value() value.Value {
	kept := c.members[:0]
	for i, m := range c.members {
		if !c.removed[i] {
			kept = append(kept, m)
		}
	}
	if !c.isList {
		return value.OfObject(kept...)
	}
	elems := make([]value.Value, len(kept))
	for i, m := range kept {
		elems[i] = m.Value
	}
	return value.OfList(elems...)
}
