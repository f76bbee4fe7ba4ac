package value

import "slices"

// Same reports whether a and b are the same value because they share their memory:
// true means equal, false says nothing. It looks at no element, so that comparing
// two states that share most of their structure costs only what differs.
func Same(a, b Value) bool {
	return a == b
}

// WithAt returns a copy of v in which element i of a list or tuple, or the value of member i of an object, is
// val. It panics when i is out of range, as a slice does.
func (v Value) WithAt(i int, val Value) Value {
	items := slices.Clone(v.members())
	items[i].Value = val
	return container(v.kind, items)
}

// Each returns a copy of v in which change has replaced every element or member; a value that is
// neither list nor object is returned as it is. For elements of a list the key is ""; a tuple
// becomes a list.
func (v Value) Each(change func(key string, e Value) Value) Value {
	if !v.IsList() && v.kind != Object {
		return v
	}
	items := make([]Member, v.Len())
	for i := range items {
		m := v.item(i)
		items[i] = Member{m.Key, change(m.Key, m.Value)}
	}
	if v.kind == Tuple {
		return container(List, items)
	}
	return container(v.kind, items)
}
