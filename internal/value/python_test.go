package value

import "testing"

func TestSamePythonJSON(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`1`, `1.0`, false}, {`0`, `-0.0`, false}, {`0.0`, `-0.0`, false}, {`100`, `1e2`, false}, {`1.50`, `1.5`, true},
		{`-0`, `0`, true}, {`true`, `1`, false}, {`"a"`, `"a"`, true}, {`null`, `"None"`, false}, {`[]`, `{}`, false},
		{`{"a":1,"b":[1.0]}`, `{"b":[1.0],"a":1}`, true}, {`{"a":1}`, `{"a":1,"b":null}`, false}, {`[1,2]`, `[2,1]`, false},
	} {
		a, b := parse(t, tt.a), parse(t, tt.b)
		if SamePythonJSON(a, b) != tt.want || SamePythonJSON(b, a) != tt.want {
			t.Errorf("%s and %s: want %v", tt.a, tt.b, tt.want)
		}
	}
}
