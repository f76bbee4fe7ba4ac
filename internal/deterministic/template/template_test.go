package template

import (
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/bounded"
	"github.com/judgekit/judge/internal/value"
)

const sample = `{"calls":["search","calculator"],"name":"it's","n":5,"f":1.50,"big":123456789012345678901234567890,
 "t":true,"none":null,"a":{"b":["x"],"z":1,"k":"v"},
 "tools":[{"name":"s","kind":"x","function":{"name":"fs"}},{"name":"c","kind":"y","function":{"name":"fc"}}],"odd":[{"name":"s"},{"x":1}],"empty":[],"keys":{"x":"first","0":"zero"},"again":["a","A","b","a"]}`

func render(t testing.TB, source string) string {
	t.Helper()
	tmpl, err := Compile(source)
	if err != nil {
		return "compile: " + err.Error()
	}
	v, err := value.ParseString(sample)
	if err != nil {
		t.Fatal(err)
	}
	out, err := tmpl.Render(v)
	if err != nil {
		return "error: " + err.Error()
	}
	return out
}

func TestRender(t *testing.T) {
	for _, tt := range []struct{ source, want string }{
		{`["a"]`, `["a"]`},
		{`{{ sample.calls }}`, `['search', 'calculator']`},
		{`{{sample['calls']}}`, `['search', 'calculator']`},
		{`{{ sample["a"]['b'] }}`, `['x']`},
		{`{{ sample.a.b }}`, `['x']`},
		{`{{ sample.a }}`, `{'b': ['x'], 'z': 1, 'k': 'v'}`},
		{`["{{ sample.name }}"]`, `["it's"]`},
		{`{{ sample.n }} {{ sample.f }} {{ sample.big }} {{ sample.t }} {{ sample.none }}`, `5 1.5 123456789012345678901234567890 True None`},
		{`{{ sample.calls | tojson }}`, `["search","calculator"]`},
		{`{{ sample.a | tojson }}`, `{"b":["x"],"k":"v","z":1}`},
		{`{{ sample.tools | map(attribute='name') | list }}`, `['s', 'c']`},
		{`{{ sample.tools|map(attribute="function.name")|list|tojson }}`, `["fs","fc"]`},
		{`{{ sample.tools | map(attribute='name') }}`, `['s', 'c']`},
		{`{{ sample.tools | map(attribute='name') | tojson }}`, `["s","c"]`},
		{`{{ sample.odd | map(attribute='name') | list }}`, `error: template: element 1 has no name`},
		{`{{ sample.missing }}`, ``},
		{`{{ sample.missing.deeper }}`, ``},
		{`["x", "{{ sample.none.deeper }}"]`, `["x", ""]`},
		{`{{ sample.missing | list }}`, `[]`},
		// map goes over nothing where its input is null, as Jinja's does.
		{`{{ sample.none | map(attribute='name') | list }}`, `[]`},
		{`{{ sample.n | map(attribute='name') | list }}`, `error: template: map cannot go over an integer`},
		{`{{ sample.missing | tojson }}`, `error: template: tojson cannot write a missing field`},
		{`{{ sample.calls[0] }}{{ sample.calls[-1] }}{{ sample.calls.1 }}{{ sample.calls[7] }}`, `searchcalculatorcalculator`},
		{`{{ sample.calls[-2] }}|{{ sample.calls[-3] }}|{{ sample.calls[2] }}|`, `search|||`},
		// A number is the key of an object, and the index of a list only.
		{`{{ sample.keys['0'] }}|{{ sample.keys[0] }}|{{ sample.keys[1] }}|{{ sample.name[0] }}|`, `zero|zero|||`},
		{`{{ sample.keys | map(attribute='x') }}`, `error: template: map cannot go over an object`},
		{`{{ sample.calls | unique | tojson }}`, `["search","calculator"]`},
		{`{{ sample.missing | unique }}`, `[]`},
		{`{{ sample.n | list }}`, `error: template: list cannot go over an integer`},
		{`{{ sample.again | unique | list }}`, `['a', 'b']`},
		{`{{ sample.again | list }}`, `['a', 'A', 'b', 'a']`},
		{`{{ sample.tools | map(attribute='kind') | unique | list }}`, `['x', 'y']`},
		{`{{ sample['}}'] }}|`, `|`},
		{`{ "a": [ {{ sample.n }} ] }`, `{ "a": [ 5 ] }`},
		{"[\"a\"]\n", `["a"]`},
	} {
		t.Run(tt.source, func(t *testing.T) {
			if got := render(t, tt.source); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestRefused: what is not known is refused with its text; a control structure before the expression in it.
func TestRefused(t *testing.T) {
	const known = `: only {{ sample.a['b'] }} with the filters map(attribute='name'), list, unique and tojson is known; ` +
		`give the names as a list`
	for _, tt := range []struct{ source, text string }{
		{`[{% for c in sample.calls %}"{{ c }}"{% endfor %}]`, `{{ c }}`},
		{`{% for c in sample.calls %}{{ sample.n }}{% endfor %}`, `{% for c in sample.calls %}`},
		{`{{ sample.tools | selectattr('name', 'equalto', 's') | list }}`,
			`{{ sample.tools | selectattr('name', 'equalto', 's') | list }}`},
		{`{% include "/etc/passwd" %}`, `{% include "/etc/passwd" %}`}, {`x {% set x = 1 %} y`, `{% set x = 1 %} y`},
		{`{# note #}`, `{# note #}`}, {`{{ range(10) }}`, `{{ range(10) }}`}, {`{{ "a" * 1000 }}`, `{{ "a" * 1000 }}`},
		{`{{ samples }}`, `{{ samples }}`}, {`{{ sample.calls `, `{{ sample.calls `}, {`{{ sample. }}`, `{{ sample. }}`},
		{`{{ sample['}}'] }}{{`, `{{`}, {`{{ sample.calls | format }}`, `{{ sample.calls | format }}`},
		{`{{ sample | map(attribute=name) }}`, `{{ sample | map(attribute=name) }}`}, {`{{}}`, `{{}}`},
		{`{{ sample }}{% ` + strings.Repeat("x", 100), `{% ` + strings.Repeat("x", 77)},
	} {
		if got, want := render(t, tt.source), "compile: template: "+tt.text+known; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for length, want := range map[int]string{maxSource: strings.Repeat("x", maxSource),
		maxSource + 1: "compile: template is longer than 65536 bytes"} {
		if got := render(t, strings.Repeat("x", length)); got != want {
			t.Errorf("%d bytes: %.80q", length, got)
		}
	}
}

func TestNoSample(t *testing.T) {
	for source, want := range map[string]string{`[{{ sample.calls }}]`: "[]", `{{ sample }}x`: "x", `{{ sample | list }}`: "[]", `{{ sample | tojson }}`: ""} {
		tmpl, err := Compile(source)
		if err != nil {
			t.Fatal(err)
		}
		if out, err := tmpl.Render(value.Value{}); out != want || (err != nil) != strings.Contains(source, "tojson") {
			t.Errorf("%s: %q %v, want %q", source, out, err, want)
		}
	}
}

// TestLongOutput: a template that writes a large field many times ends with an error, before it fills the memory.
func TestLongOutput(t *testing.T) {
	large := value.OfObject(value.Member{Key: "x", Value: value.OfString(strings.Repeat("x", maxOutput/4))})
	for times, ok := range map[int]bool{4: true, 5: false, 1000: false} {
		tmpl, err := Compile(strings.Repeat("{{ sample.x }}", times))
		if err != nil {
			t.Fatal(err)
		}
		out, err := tmpl.Render(large)
		if ok && (err != nil || len(out) != maxOutput) {
			t.Errorf("%d times: %d bytes, %v", times, len(out), err)
		} else if !ok && (err == nil || out != "" || err.Error() != "rendered text is longer than 4194304 bytes") {
			t.Errorf("%d times: %d bytes, %v", times, len(out), err)
		}
	}
}

func FuzzTemplate(f *testing.F) {
	for _, s := range []string{`{{ sample.calls }}`, `{{ sample.tools | map(attribute='name') | list }}`, `{% for c in sample.calls %}{{ c }}{% endfor %}`, `{{ sample['a"]`, `{#`, `{{ sample.a | join("}}") }}`} {
		f.Add(s)
	}
	v, err := value.ParseString(sample)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, source string) {
		bounded.Within(t, 2*time.Second, source, func() {
			tmpl, err := Compile(source)
			if err != nil {
				return
			}
			out, err := tmpl.Render(v)
			if again, errAgain := tmpl.Render(v); again != out || (err == nil) != (errAgain == nil) {
				t.Fatalf("%q renders %q, then %q", source, out, again)
			}
		})
	})
}

func BenchmarkRender(b *testing.B) {
	tmpl, err := Compile(`{{ sample.tools | map(attribute='name') | list }}`)
	if err != nil {
		b.Fatal(err)
	}
	v, err := value.ParseString(sample)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tmpl.Render(v); err != nil {
			b.Fatal(err)
		}
	}
}
