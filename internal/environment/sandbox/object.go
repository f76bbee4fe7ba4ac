package sandbox

import (
	"fmt"

	"go.starlark.net/starlark"
)

// object is a JSON object of the state as a tool sees it: a dict with string keys.
type object struct{ n *node }

var (
	_ starlark.IterableMapping = object{}
	_ starlark.HasSetKey       = object{}
	_ starlark.HasAttrs        = object{}
	_ starlark.Sequence        = object{}
)

func (o object) String() string        { return o.n.text() }
func (o object) Type() string          { return "state_dict" }
func (o object) Freeze()               {}
func (o object) Truth() starlark.Bool  { return o.Len() > 0 }
func (o object) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable type: dict") }

func (o object) Len() int {
	o.n.unfold()
	return o.n.live
}

// Get implements starlark.Mapping.
func (o object) Get(k starlark.Value) (starlark.Value, bool, error) {
	key, ok := k.(starlark.String)
	if !ok {
		return nil, false, nil
	}
	o.n.unfold()
	i, ok := o.n.index[string(key)]
	if !ok {
		return nil, false, nil
	}
	return o.n.read(i), true, nil
}

// SetKey implements starlark.HasSetKey.
func (o object) SetKey(k, v starlark.Value) error {
	key, ok := k.(starlark.String)
	if !ok {
		return fmt.Errorf("the state has string keys, not the %s %s", k.Type(), short(k))
	}
	if err := o.n.writable(); err != nil {
		return err
	}
	o.n.unfold()
	i, exists := o.n.index[string(key)]
	if exists && o.n.holds(i, v) {
		return nil
	}
	s, err := o.n.tree.toSlot(v)
	if err != nil {
		return err
	}
	o.n.put(string(key), s)
	return nil
}

// holds reports whether the slot holds the very container v, so that storing it
// changes nothing.
func (n *node) holds(i int, v starlark.Value) bool {
	switch v := v.(type) {
	case object:
		return v.n == n.slots[i].node
	case list:
		return v.n == n.slots[i].node
	}
	return false
}

func (o object) keys() []starlark.Value {
	o.n.unfold()
	keys := make([]starlark.Value, 0, o.n.live)
	for i := range o.n.slots {
		if !o.n.slots[i].dead {
			keys = append(keys, starlark.String(o.n.slots[i].key))
		}
	}
	return keys
}

// Items implements starlark.IterableMapping.
func (o object) Items() []starlark.Tuple {
	o.n.unfold()
	items := make([]starlark.Tuple, 0, o.n.live)
	for i := range o.n.slots {
		if !o.n.slots[i].dead {
			items = append(items, starlark.Tuple{starlark.String(o.n.slots[i].key), o.n.read(i)})
		}
	}
	return items
}

// Iterate goes over the keys that the object has now.
func (o object) Iterate() starlark.Iterator { return &iterator{rest: o.keys()} }

// iterator goes over elements that were gathered before, so that a loop may change
// what it loops over.
type iterator struct{ rest []starlark.Value }

func (it *iterator) Next(p *starlark.Value) bool {
	if len(it.rest) == 0 {
		return false
	}
	*p, it.rest = it.rest[0], it.rest[1:]
	return true
}

func (it *iterator) Done() {}

type objectMethod func(o object, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

// objectMethods returns the method of that name, nil where there is none.
func (o object) method(name string) objectMethod {
	switch name {
	case "get":
		return object.get
	case "keys":
		return func(o object, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
			return starlark.NewList(o.keys()), starlark.UnpackArgs("keys", args, kwargs)
		}
	case "values":
		return object.valuesMethod
	case "items":
		return object.itemsMethod
	case "pop":
		return object.pop
	case "setdefault":
		return object.setdefault
	case "update":
		return object.update
	case "clear":
		return object.clear
	}
	return nil
}

// Attr implements starlark.HasAttrs.
func (o object) Attr(name string) (starlark.Value, error) {
	m := o.method(name)
	if m == nil {
		return nil, nil
	}
	return starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		return m(o, args, kwargs)
	}), nil
}

// AttrNames implements starlark.HasAttrs.
func (o object) AttrNames() []string {
	return []string{"clear", "get", "items", "keys", "pop", "setdefault", "update", "values"}
}

func (o object) get(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key, otherwise starlark.Value = nil, starlark.None
	if err := starlark.UnpackPositionalArgs("get", args, kwargs, 1, &key, &otherwise); err != nil {
		return nil, err
	}
	if v, ok, err := o.Get(key); ok || err != nil {
		return v, err
	}
	return otherwise, nil
}

func (o object) valuesMethod(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("values", args, kwargs); err != nil {
		return nil, err
	}
	o.n.unfold()
	vals := make([]starlark.Value, 0, o.n.live)
	for i := range o.n.slots {
		if !o.n.slots[i].dead {
			vals = append(vals, o.n.read(i))
		}
	}
	return starlark.NewList(vals), nil
}

func (o object) itemsMethod(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("items", args, kwargs); err != nil {
		return nil, err
	}
	items := o.Items()
	out := make([]starlark.Value, len(items))
	for i := range items {
		out[i] = items[i]
	}
	return starlark.NewList(out), nil
}

func (o object) pop(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key, otherwise starlark.Value
	if err := starlark.UnpackPositionalArgs("pop", args, kwargs, 1, &key, &otherwise); err != nil {
		return nil, err
	}
	if err := o.n.writable(); err != nil {
		return nil, err
	}
	o.n.unfold()
	if s, ok := key.(starlark.String); ok {
		if i, ok := o.n.index[string(s)]; ok {
			v := o.n.read(i)
			o.n.drop(i)
			return v, nil
		}
	}
	if otherwise == nil {
		return nil, fmt.Errorf("pop: missing key %s", short(key))
	}
	return otherwise, nil
}

func (o object) setdefault(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var key, otherwise starlark.Value = nil, starlark.None
	if err := starlark.UnpackPositionalArgs("setdefault", args, kwargs, 1, &key, &otherwise); err != nil {
		return nil, err
	}
	if v, ok, err := o.Get(key); ok || err != nil {
		return v, err
	}
	if err := o.SetKey(key, otherwise); err != nil {
		return nil, err
	}
	v, _, err := o.Get(key)
	return v, err
}

func (o object) update(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var other starlark.IterableMapping
	if err := starlark.UnpackPositionalArgs("update", args, nil, 0, &other); err != nil {
		return nil, err
	}
	var items []starlark.Tuple
	if other != nil {
		items = other.Items()
	}
	for _, kv := range append(items, kwargs...) {
		if err := o.SetKey(kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	return starlark.None, nil
}

func (o object) clear(args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs("clear", args, kwargs); err != nil {
		return nil, err
	}
	if err := o.n.writable(); err != nil {
		return nil, err
	}
	o.n.unfold()
	for i := range o.n.slots {
		if !o.n.slots[i].dead {
			o.n.drop(i)
		}
	}
	return starlark.None, nil
}
