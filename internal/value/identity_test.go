package value

import "testing"

func TestSame(t *testing.T) {
	a := parse(t, `{"x":[1,2],"y":"s"}`)
	b := parse(t, `{"x":[1,2],"y":"s"}`)
	if !Same(a, a) || !Same(a.Field("x"), a.With("y", OfInt(1)).Field("x")) {
		t.Error("shared memory is not seen")
	}
	if Same(a, b) {
		t.Error("two readings of one text share no memory")
	}
	if !Same(OfInt(7), OfInt(7)) || Same(OfInt(7), OfInt(8)) || Same(OfInt(1), OfFloat(1)) || Same(Value{}, OfString("")) {
		t.Error("scalars are compared by kind and text")
	}
}

func TestWithAt(t *testing.T) {
	list, object := parse(t, `[1,2,3]`), parse(t, `{"a":1,"b":2}`)
	if got := list.WithAt(1, OfString("x")).JSON(); got != `[1,"x",3]` {
		t.Error(got)
	}
	if got := object.WithAt(1, OfInt(9)).JSON(); got != `{"a":1,"b":9}` {
		t.Error(got)
	}
	if list.JSON() != `[1,2,3]` || object.JSON() != `{"a":1,"b":2}` {
		t.Error("an edit changed the original")
	}
}
