package state

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Compare returns what turns before into after, as RFC 6902 operations in the
// order of sorted keys: Apply(before, Compare(before, after, e)) equals after under
// e. A list whose length changed is replaced whole.
func Compare(before, after value.Value, e value.Equality) []Op {
	return compareAt("", before, after, e)
}

// compareAt is Compare with the paths of both values prefixed by a pointer.
func compareAt(prefix string, before, after value.Value, e value.Equality) []Op {
	d := differ{options: Options{Equality: e}}
	d.walk(prefix, nil, &before, &after, "", 0)
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

// Apply returns v with the operations applied in order. What is not touched is
// shared with v. It fails on a path that leads nowhere.
func Apply(v value.Value, ops []Op) (value.Value, error) {
	for _, o := range ops {
		next, err := apply(v, o)
		if err != nil {
			return v, err
		}
		v = next
	}
	return v, nil
}

func apply(v value.Value, o Op) (value.Value, error) {
	if o.Path == "" {
		if o.Op == Remove {
			return value.Value{}, nil
		}
		return o.Value, nil
	}
	if o.Path[0] != '/' {
		return v, fmt.Errorf("patch %q: a JSON Pointer starts with a slash", o.Path)
	}
	return applyAt(v, strings.Split(o.Path[1:], "/"), o)
}

func applyAt(v value.Value, tokens []string, o Op) (value.Value, error) {
	token := unescape(tokens[0])
	if len(tokens) == 1 {
		return edit(v, token, o)
	}
	i, err := place(v, token, o)
	if err != nil {
		return v, err
	}
	inner, err := applyAt(v.At(i), tokens[1:], o)
	if err != nil {
		return v, err
	}
	return v.WithAt(i, inner), nil
}

// place returns where the token leads in v.
func place(v value.Value, token string, o Op) (int, error) {
	if v.Kind() == value.Object {
		if i := v.IndexOf(token); i >= 0 {
			return i, nil
		}
	} else if v.IsList() {
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < v.Len() {
			return i, nil
		}
	}
	return 0, fmt.Errorf("patch %q: there is no %q in %s", o.Path, token, v.Kind())
}

func edit(v value.Value, token string, o Op) (value.Value, error) {
	if v.IsList() {
		return editList(v, token, o)
	}
	if v.Kind() != value.Object {
		return v, fmt.Errorf("patch %q: %q cannot be set in %s", o.Path, token, v.Kind())
	}
	if o.Op == Add {
		return v.With(token, o.Value), nil
	}
	i, err := place(v, token, o)
	if err != nil {
		return v, err
	}
	if o.Op == Remove {
		return v.Without(token), nil
	}
	return v.WithAt(i, o.Value), nil
}

func editList(v value.Value, token string, o Op) (value.Value, error) {
	if o.Op == Replace {
		i, err := place(v, token, o)
		if err != nil {
			return v, err
		}
		return v.WithAt(i, o.Value), nil
	}
	elems := make([]value.Value, 0, v.Len()+1)
	for _, e := range v.Elements() {
		elems = append(elems, e)
	}
	if o.Op == Remove {
		i, err := place(v, token, o)
		if err != nil {
			return v, err
		}
		return value.OfList(append(elems[:i], elems[i+1:]...)...), nil
	}
	i := v.Len()
	if token != "-" {
		n, err := strconv.Atoi(token)
		if err != nil || n < 0 || n > v.Len() {
			return v, fmt.Errorf("patch %q: %q is no place in a list of %d", o.Path, token, v.Len())
		}
		i = n
	}
	elems = append(elems[:i], append([]value.Value{o.Value}, elems[i:]...)...)
	return value.OfList(elems...), nil
}

// Set returns v with the value at a path set to val, whether something stood there
// or not, and what it did as operations of a patch: none where a value that is
// equal under e was there already. A nil val removes what stands there, if anything does. In a list only
// places that exist can be set.
func Set(v value.Value, path string, val *value.Value, e value.Equality) (value.Value, []Op, error) {
	old, exists := v.Pointer(path)
	switch {
	case val == nil && !exists:
		return v, nil, nil
	case val == nil:
		o := Op{Op: Remove, Path: path, Old: old}
		next, err := apply(v, o)
		return next, []Op{o}, err
	case exists:
		ops := compareAt(path, old, *val, e)
		next, err := apply(v, Op{Op: Replace, Path: path, Value: *val})
		return next, ops, err
	}
	o := Op{Op: Add, Path: path, Value: *val}
	next, err := apply(v, o)
	return next, []Op{o}, err
}

// SortPaths puts pointers into v into the order in which Diff and Compare go
// through it: keys by code point, elements by index.
func SortPaths(v value.Value, paths []string) {
	slices.SortStableFunc(paths, func(a, b string) int {
		at := v
		for {
			x, restA, okA := cutToken(a)
			y, restB, okB := cutToken(b)
			switch {
			case !okA || !okB:
				return len(a) - len(b)
			case x == y:
				at, _ = at.Pointer("/" + x)
				a, b = restA, restB
				continue
			case at.IsList() && len(x) != len(y):
				return len(x) - len(y)
			}
			return strings.Compare(unescape(x), unescape(y))
		}
	})
}

func cutToken(pointer string) (token, rest string, ok bool) {
	if pointer == "" {
		return "", "", false
	}
	if i := strings.IndexByte(pointer[1:], '/'); i >= 0 {
		return pointer[1 : i+1], pointer[i+1:], true
	}
	return pointer[1:], "", true
}

func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}
