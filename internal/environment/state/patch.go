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
		return Op{Op: add, Path: c.Path, Value: *c.Final}
	case Removed:
		return Op{Op: Remove, Path: c.Path, Old: *c.Expected}
	}
	return Op{Op: Replace, Path: c.Path, Value: *c.Final, Old: *c.Expected}
}

// Apply returns v with the operations of Compare applied. What is not touched is shared
// with v. It fails on a path that leads nowhere.
func Apply(v value.Value, ops []Op) (value.Value, error) {
	out := v
	for _, o := range ops {
		var ok bool
		if out, ok = set(out, o.Path, o); !ok {
			return v, fmt.Errorf("patch %q: leads nowhere", o.Path)
		}
	}
	return out, nil
}

// set applies o to the value in v at path, the rest of the path of o.
func set(v value.Value, path string, o Op) (value.Value, bool) {
	if path == "" {
		return o.Value, true
	}
	if path[0] != '/' {
		return v, false
	}
	token, rest := path[1:], ""
	if i := strings.IndexByte(token, '/'); i >= 0 {
		token, rest = token[:i], token[i:]
	}
	key := value.UnescapePointer(token)
	if v.IsList() {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= v.Len() || rest == "" && o.Op == Remove {
			return v, false
		}
		inner, ok := set(v.At(i), rest, o)
		return v.WithAt(i, inner), ok
	}
	inner, found := v.Get(key)
	switch {
	case v.Kind() != value.Object || !found && (rest != "" || o.Op == Remove):
		return v, false
	case rest == "" && o.Op == Remove:
		return v.Without(key), true
	}
	inner, ok := set(inner, rest, o)
	return v.With(key, inner), ok
}
