package bfcl

import "testing"

// FuzzSourceText: no text of a call and no text of a value panics or takes long, and what
// is read as a call has a name.
func FuzzSourceText(f *testing.F) {
	f.Add(`[f(x=new HashMap<String, Object>() {{ put("a", 1L); }}, y='a')]`, "HashMap", "String")
	f.Add(`f(x={a: [1, 'x'], "b": http://x}, [[1], [2]])`, "dict", "integer")
	f.Add(`new ArrayList<>(Arrays.asList(1, "b"))`, "ArrayList", "")
	f.Fuzz(func(t *testing.T, text, typeName, inner string) {
		for _, name := range []string{"java", "javascript"} {
			l := languages[name]
			l.value(text, typeName, inner)
			if call, err := readCall(text, l.argument); err == nil && call.Name == "" {
				t.Errorf("%s is read as %+v", text, call)
			}
		}
	})
}
