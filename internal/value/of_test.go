package value

import "testing"

func TestOf(t *testing.T) {
	half := 0.5
	var none *float64
	list := []any{"a", true, 3, int64(4), 1.5, &half, none, (*Value)(nil), []string{"b"}, []Value{OfInt(1)}, Pairs("k", 1, "l", none)}
	var got []Value
	for _, v := range list {
		got = append(got, Of(v))
	}
	if text, want := Of(got).JSON(), `["a",true,3,4,1.5,0.5,null,null,["b"],[1],{"k":1,"l":null}]`; text != want {
		t.Errorf("%s, want %s", text, want)
	}
	defer func() {
		if got := recover(); got != "a value of struct {}" {
			t.Errorf("%v", got)
		}
	}()
	Of(struct{}{})
}
