package sandbox

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// list is a JSON array of the state as a tool sees it.
type list struct{ n *node }

var (
	_ starlark.HasSetIndex = list{}
	_ starlark.Sliceable   = list{}
	_ starlark.Sequence    = list{}
	_ starlark.HasAttrs    = list{}
	_ starlark.HasBinary   = list{}
	_ starlark.Container   = list{}
)

func (l list) String() string        { return l.n.text() }
func (l list) Type() string          { return "state_list" }
func (l list) Freeze()               {}
func (l list) Truth() starlark.Bool  { return l.Len() > 0 }
func (l list) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable type: list") }

func (l list) Len() int {
	if !l.n.open {
		return l.n.base.Len()
	}
	return len(l.n.slots)
}

// Index implements starlark.Indexable.
func (l list) Index(i int) starlark.Value {
	l.n.unfold()
	return l.n.read(i)
}

// SetIndex implements starlark.HasSetIndex.
func (l list) SetIndex(i int, v starlark.Value) error {
	if err := l.n.writable(); err != nil {
		return err
	}
	l.n.unfold()
	if l.n.holds(i, v) {
		return nil
	}
	s, err := l.n.tree.toSlot(v)
	if err != nil {
		return err
	}
	l.n.replace(i, s)
	return nil
}

// Slice returns a plain list, as a copy.
func (l list) Slice(start, end, step int) starlark.Value {
	var out []starlark.Value
	for i := start; step > 0 && i < end || step < 0 && i > end; i += step {
		out = append(out, l.Index(i))
	}
	return starlark.NewList(out)
}

func (l list) elements() []starlark.Value {
	l.n.unfold()
	out := make([]starlark.Value, len(l.n.slots))
	for i := range out {
		out[i] = l.n.read(i)
	}
	return out
}

// Iterate goes over the elements that the list has now.
func (l list) Iterate() starlark.Iterator { return &iterator{rest: l.elements()} }

// Has implements starlark.Container.
func (l list) Has(x starlark.Value) (bool, error) {
	for _, e := range l.elements() {
		if eq, err := equal(e, x, 0); eq || err != nil {
			return eq, err
		}
	}
	return false, nil
}

// Binary implements l + x and x + l: a plain list.
func (l list) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	other, ok := y.(starlark.Sequence)
	if op != syntax.PLUS || !ok {
		return nil, nil
	}
	a, b := l.elements(), gather(other)
	if side == starlark.Right {
		a, b = b, a
	}
	return starlark.NewList(slices.Concat(a, b)), nil
}

func gather(x starlark.Iterable) []starlark.Value {
	var out []starlark.Value
	it := x.Iterate()
	defer it.Done()
	var e starlark.Value
	for it.Next(&e) {
		out = append(out, e)
	}
	return out
}

type listMethod func(l list, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

func (l list) method(name string) listMethod {
	switch name {
	case "append":
		return list.append
	case "extend":
		return list.extend
	case "insert":
		return list.insert
	case "pop":
		return list.pop
	case "remove":
		return list.remove
	case "clear":
		return list.clear
	case "index":
		return list.index
	}
	return nil
}

// Attr implements starlark.HasAttrs.
func (l list) Attr(name string) (starlark.Value, error) {
	m := l.method(name)
	if m == nil {
		return nil, nil
	}
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if name != "index" {
			if err := l.n.writable(); err != nil {
				return nil, err
			}
		}
		l.n.unfold()
		return m(l, args, kwargs)
	}), nil
}

// AttrNames implements starlark.HasAttrs.
func (l list) AttrNames() []string {
	return []string{"append", "clear", "extend", "index", "insert", "pop", "remove"}
}

func (l list) append(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Value
	if err := starlark.UnpackPositionalArgs("append", args, kwargs, 1, &x); err != nil {
		return nil, err
	}
	s, err := l.n.tree.toSlot(x)
	if err != nil {
		return nil, err
	}
	l.n.push(s)
	return starlark.None, nil
}

func (l list) extend(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x starlark.Iterable
	if err := starlark.UnpackPositionalArgs("extend", args, kwargs, 1, &x); err != nil {
		return nil, err
	}
	var slots []slot
	for _, e := range gather(x) {
		s, err := l.n.tree.toSlot(e)
		if err != nil {
			return nil, err
		}
		slots = append(slots, s)
	}
	for _, s := range slots {
		l.n.push(s)
	}
	return starlark.None, nil
}

func (l list) insert(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var at int
	var x starlark.Value
	if err := starlark.UnpackPositionalArgs("insert", args, kwargs, 2, &at, &x); err != nil {
		return nil, err
	}
	s, err := l.n.tree.toSlot(x)
	if err != nil {
		return nil, err
	}
	n := len(l.n.slots)
	if at < 0 {
		at += n
	}
	l.n.restructure(slices.Insert(slices.Clone(l.n.slots), min(max(at, 0), n), s))
	return starlark.None, nil
}

func (l list) pop(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	at := -1
	if err := starlark.UnpackPositionalArgs("pop", args, kwargs, 0, &at); err != nil {
		return nil, err
	}
	n := len(l.n.slots)
	if at < 0 {
		at += n
	}
	if at < 0 || at >= n {
		return nil, fmt.Errorf("pop: index %d out of range: the list has %d elements", at, n)
	}
	v := l.n.read(at)
	l.n.restructure(slices.Delete(slices.Clone(l.n.slots), at, at+1))
	return v, nil
}

func (l list) remove(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	at, err := l.position("remove", args, kwargs)
	if err != nil {
		return nil, err
	}
	l.n.restructure(slices.Delete(slices.Clone(l.n.slots), at, at+1))
	return starlark.None, nil
}

func (l list) index(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	at, err := l.position("index", args, kwargs)
	if err != nil {
		return nil, err
	}
	return starlark.MakeInt(at), nil
}

func (l list) position(name string, args starlark.Tuple, kwargs []starlark.Tuple) (int, error) {
	var x starlark.Value
	if err := starlark.UnpackPositionalArgs(name, args, kwargs, 1, &x); err != nil {
		return 0, err
	}
	for i, e := range l.elements() {
		if eq, err := equal(e, x, 0); err != nil {
			return 0, err
		} else if eq {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s: %s is not in the list", name, short(x))
}

func (l list) clear(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("clear", args, kwargs); err != nil {
		return nil, err
	}
	if len(l.n.slots) > 0 {
		l.n.restructure(nil)
	}
	return starlark.None, nil
}
