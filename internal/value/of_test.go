package value

import "testing"

func TestOf(t *testing.T) {
	half := 0.5
	var none *float64
	list := []any{"a", true, 3, int64(4), 1.5, &half, none, []string{"b"}, []Value{OfInt(1)}, OfObject()}
	var got []Value
	for _, v := range list {
		got = append(got, Of(v))
	}
	if text, want := Of(got).JSON(), `["a",true,3,4,1.5,0.5,null,["b"],[1],{}]`; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}
