package literal

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\u00e9\ud83d\ude00",null,true]}`, `"\\`, `{"a":1,"a":2}`, `[[[`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		ParsePython(s)
		n, ok := Parse(s)
		if valid := json.Valid([]byte(s)); valid && !ok && strings.Count(s, "[")+strings.Count(s, "{") <= maxDepth && len(s) < 300 {
			t.Fatalf("%q is JSON and was not read", s)
		}
		if !ok || !json.Valid([]byte(s)) || !utf8.ValidString(s) {
			return
		}
		var want any
		dec := json.NewDecoder(strings.NewReader(s))
		dec.UseNumber()
		if err := dec.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(n.plain())); diff != "" {
			t.Fatalf("%q: %s", s, diff)
		}
	})
}

func (n *Node) plain() any {
	switch n.Kind {
	case Null:
		return nil
	case Boolean:
		return n.Text == "true"
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case Array:
		out := []any{}
		for i := range n.List {
			out = append(out, n.List[i].plain())
		}
		return out
	}
	out := map[string]any{}
	for i, k := range n.Keys {
		out[k] = n.List[i].plain()
	}
	return out
}
