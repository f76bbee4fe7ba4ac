package sandbox

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/judgekit/judge/internal/value"
)

// object is a JSON object of the state as a tool sees it: a dict with string keys. A call costs
// only what it reads, not the whole state: keys that are only looked up are converted one by one;
// any other use converts them all. Lists of the state are plain Starlark lists.
type object struct {
	base value.Value
	// reached holds the members that were looked up; dict holds all, nil until needed.
	reached starlark.Dict
	dict    *starlark.Dict
}

var (
	_ starlark.IterableMapping = &object{}
	_ starlark.HasSetKey       = &object{}
	_ starlark.HasAttrs        = &object{}
	_ starlark.Sequence        = &object{}
)

// wrap returns a value of the state as a tool sees it.
func wrap(v value.Value) starlark.Value {
	if v.Kind() == value.Object {
		return &object{base: v}
	}
	return convert(v, wrap)
}

func (o *object) open() *starlark.Dict {
	if o.dict == nil {
		o.dict = starlark.NewDict(o.base.Len())
		for k, v := range o.base.Members() {
			key := starlark.String(k)
			// Looking up and setting a string key in a dict that is not frozen cannot fail.
			x, ok, _ := o.reached.Get(key)
			if !ok {
				x = wrap(v)
			}
			_ = o.dict.SetKey(key, x)
		}
	}
	return o.dict
}

func (o *object) Type() string          { return "state_dict" }
func (o *object) Freeze()               {}
func (o *object) Truth() starlark.Bool  { return o.Len() > 0 }
func (o *object) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable type: dict") }
func (o *object) Len() int              { return o.open().Len() }

// String returns the text of the object as Python shows it.
func (o *object) String() string {
	v, err := o.value(0)
	if err != nil {
		return "{…}"
	}
	return v.Repr()
}

// Get implements starlark.Mapping.
func (o *object) Get(k starlark.Value) (starlark.Value, bool, error) {
	key, ok := k.(starlark.String)
	if !ok {
		return nil, false, nil
	}
	if o.dict != nil {
		return o.dict.Get(k)
	}
	if x, ok, _ := o.reached.Get(k); ok {
		return x, true, nil
	}
	v, ok := o.base.Get(string(key))
	if !ok {
		return nil, false, nil
	}
	x := wrap(v)
	return x, true, o.reached.SetKey(k, x)
}

// SetKey implements starlark.HasSetKey.
func (o *object) SetKey(k, v starlark.Value) error {
	if _, ok := k.(starlark.String); !ok {
		return fmt.Errorf("the state has string keys, not the %s %s", k.Type(), short(k))
	}
	return o.open().SetKey(k, v)
}

// Items implements starlark.IterableMapping.
func (o *object) Items() []starlark.Tuple { return o.open().Items() }

// Iterate goes over the keys that the object has now, so that a loop may change
// what it loops over.
func (o *object) Iterate() starlark.Iterator {
	return starlark.NewList(o.open().Keys()).Iterate()
}

// Attr implements starlark.HasAttrs: the methods are those of a dict.
func (o *object) Attr(name string) (starlark.Value, error) { return o.open().Attr(name) }

// AttrNames implements starlark.HasAttrs.
func (o *object) AttrNames() []string { return o.open().AttrNames() }

// value returns the object as a value. Unchanged parts are shared with the original value,
// including their digits.
func (o *object) value(depth int) (value.Value, error) {
	if o.dict == nil {
		return o.valueOfReached(depth)
	}
	members := make([]value.Member, 0, o.dict.Len())
	same, at := o.dict.Len() == o.base.Len(), 0
	for k, x := range o.dict.Entries() {
		key, ok := starlark.AsString(k)
		if !ok {
			return value.Value{}, fmt.Errorf("the state has string keys, not the %s %s", k.Type(), short(k))
		}
		// The remaining keys come first, in their old order.
		for at < o.base.Len() && o.base.KeyAt(at) != key {
			at++
		}
		var was value.Value
		if at < o.base.Len() {
			was = o.base.At(at)
		}
		v, err := toValue(x, was, depth+1)
		if err != nil {
			return value.Value{}, within(key, err, depth)
		}
		same = same && at == len(members) && value.Same(v, was)
		at++
		members = append(members, value.Member{Key: key, Value: v})
	}
	if same {
		return o.base, nil
	}
	return value.OfObject(members...), nil
}

// valueOfReached is like value, if only some members were looked up.
func (o *object) valueOfReached(depth int) (value.Value, error) {
	out := o.base
	for k, x := range o.reached.Entries() {
		key := string(k.(starlark.String))
		was := o.base.Field(key)
		v, err := toValue(x, was, depth+1)
		if err != nil {
			return value.Value{}, within(key, err, depth)
		}
		if !value.Same(v, was) {
			out = out.With(key, v)
		}
	}
	return out, nil
}

// within says where in the state an error is, if that is short.
func within(key string, err error, depth int) error {
	if depth > 3 {
		return err
	}
	return fmt.Errorf("%s: %w", key, err)
}
