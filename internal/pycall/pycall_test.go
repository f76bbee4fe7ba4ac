package pycall

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/value"
)

// show writes calls as compact text; a tuple keeps its round brackets.
func show(calls []Call) string {
	var parts []string
	for _, c := range calls {
		parts = append(parts, c.Name+" "+c.Arguments.Repr())
	}
	return strings.Join(parts, " | ")
}

func TestParse(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		// One call and several.
		{`f()`, `f {}`},
		{` f(a=1) `, `f {'a': 1}`},
		{"\u00a0f(a=1)\u2003", `f {'a': 1}`},
		{`a.b.c(x=1)`, `a.b.c {'x': 1}`},
		{`[f(a=1), g(b=2)]`, `f {'a': 1} | g {'b': 2}`},
		{`[f(a=1),]`, `f {'a': 1}`},
		{`(f(a=1), g())`, `f {'a': 1} | g {}`},
		{`f(), g()`, `f {} | g {}`},
		{`f(),`, `f {}`},
		{`(f())`, `f {}`},
		{`[]`, ``},
		{`()`, ``},
		// Arguments.
		{`f(1, 'x', a=2)`, `f {'__positional_0': 1, '__positional_1': 'x', 'a': 2}`},
		{`f(a=1,)`, `f {'a': 1}`},
		{`f(1,)`, `f {'__positional_0': 1}`},
		{`f(a=1, b=2, a=3)`, `f {'a': 3, 'b': 2}`},
		{`f(match=1, type=2, print=3)`, `f {'match': 1, 'type': 2, 'print': 3}`},
		// Blanks and comments.
		{"f(\n  a=1, # one\n  b=2\n)", `f {'a': 1, 'b': 2}`},
		{"[\n# first\nf(),\n]", `f {}`},
		{"f(a=\\\n1)", `f {'a': 1}`},
		{"f(a=1) # why", `f {'a': 1}`},
		{"# why\nf(a=1)", `f {'a': 1}`},
		{"f(a=1,\r\n b=2)", `f {'a': 1, 'b': 2}`},
		{"f(\ta = 1\f)", `f {'a': 1}`},
		{"f(a=1\\\n)", `f {'a': 1}`},
		{"\x1c\x1df(a=1)\x1e\x1f", `f {'a': 1}`},
		// Constants.
		{`f(a=None, b=True, c=False)`, `f {'a': None, 'b': True, 'c': False}`},
		{`f(a=true, b=null, c=foo, d=NONE)`, `f {'a': 'true', 'b': 'null', 'c': 'foo', 'd': 'NONE'}`},
		{`f(ä=ß)`, `f {'ä': 'ß'}`},
		{`f(l·l=℘)`, `f {'l·l': '℘'}`},
		{`_f(_a=_b)`, `_f {'_a': '_b'}`},
		// Numbers.
		{`f(a=12, b=1_000, c=0x1F, d=0o17, e=0b101)`, `f {'a': 12, 'b': 1000, 'c': 31, 'd': 15, 'e': 5}`},
		{`f(a=0X_ff, b=0O7, c=0B1_0, d=0_0, e=000)`, `f {'a': 255, 'b': 7, 'c': 2, 'd': 0, 'e': 0}`},
		{`f(a=1.5, b=.5, c=5., d=1e3, e=1_0.5)`, `f {'a': 1.5, 'b': 0.5, 'c': 5.0, 'd': 1000.0, 'e': 10.5}`},
		{`f(a=1E+05, b=1e-3, c=00.5, d=09e1, e=1_0e1_0, f=.5_5)`, `f {'a': 100000.0, 'b': 0.001, 'c': 0.5, 'd': 90.0, 'e': 100000000000.0, 'f': 0.55}`},
		{`f(a=0xa, b=0XaF)`, `f {'a': 10, 'b': 175}`},
		{`f(a=123456789012345678901234567890)`, `f {'a': 123456789012345678901234567890}`},
		{`f(a=0xFFFFFFFFFFFFFFFFFFFF)`, `f {'a': 1208925819614629174706175}`},
		{`f(a=-1, b=+2, c=-1.5, d=- 3, e=-0, f=-0.0)`, `f {'a': -1, 'b': 2, 'c': -1.5, 'd': -3, 'e': 0, 'f': -0.0}`},
		{`f(a=(1))`, `f {'a': 1}`},
		{`f(a=1e999)`, `f {'a': 1e999}`},
		// Strings.
		{`f(a='x', b="y", c='''z''', d="""w""")`, `f {'a': 'x', 'b': 'y', 'c': 'z', 'd': 'w'}`},
		{"f(a='''x\n'y' \"z\"''')", `f {'a': 'x\n\'y\' "z"'}`},
		{`f(a='''''', b="", c='')`, `f {'a': '', 'b': '', 'c': ''}`},
		{`f(a=u'x', b=U"y", c=r'\n', d=R"\t\"")`, `f {'a': 'x', 'b': 'y', 'c': '\\n', 'd': '\\t\\"'}`},
		{`f(a='\\ \' \" \a \b \f \n \r \t \v')`, `f {'a': '\\ \' " \x07 \x08 \x0c \n \r \t \x0b'}`},
		{`f(a='\101\7\0', b='\x41', c='\u00e9', d='\U0001F600', e='\1011')`, `f {'a': 'A\x07\x00', 'b': 'A', 'c': 'é', 'd': '😀', 'e': 'A1'}`},
		{`f(a='\400')`, `f {'a': 'Ā'}`},
		{`f(a='\U0010ffff')`, `f {'a': '\U0010ffff'}`},
		{"f(a='x\\\ny')", `f {'a': 'xy'}`},
		{`f(a='\d\.\/\8')`, `f {'a': '\\d\\.\\/\\8'}`},
		{`f(a='x' "y" r'\z')`, `f {'a': 'xy\\z'}`},
		{"f(a=('x'\n 'y'))", `f {'a': 'xy'}`},
		{"f(a='#no comment')", `f {'a': '#no comment'}`},
		// Containers.
		{`f(a=[1, [2, [3]]], b=(1, 'x'), c=(1,), d=(), e=[])`, `f {'a': [1, [2, [3]]], 'b': (1, 'x'), 'c': (1,), 'd': (), 'e': []}`},
		{`f(a={'k': {'l': [None]}}, b={}, c={'k': 1,})`, `f {'a': {'k': {'l': [None]}}, 'b': {}, 'c': {'k': 1}}`},
		{`f(a={'k': 1, 'j': 2, 'k': 3})`, `f {'a': {'k': 3, 'j': 2}}`},
		{`f(a={k: 1})`, `f {'a': {'k': 1}}`},
		// Deep and long ones.
		{"f(a=" + strings.Repeat("[", 900) + "7" + strings.Repeat("]", 900) + ")",
			"f {'a': " + strings.Repeat("[", 900) + "7" + strings.Repeat("]", 900) + "}"},
		{"f(a=[1" + strings.Repeat(",1", 2000) + "])", "f {'a': [1" + strings.Repeat(", 1", 2000) + "]}"},
	} {
		calls, err := Parse(tc.in, Plain)
		if err != nil {
			t.Errorf("Parse(%q): %v", tc.in, err)
			continue
		}
		if diff := cmp.Diff(tc.want, show(calls)); diff != "" {
			t.Errorf("Parse(%q) (-want +got):\n%s", tc.in, diff)
		}
	}
}

func TestParseUnreadable(t *testing.T) {
	deep := "f(a=" + strings.Repeat("[", 3000) + strings.Repeat("]", 3000) + ")"
	for _, in := range []string{
		"", " ", "f", "f(", "f)", "f())", "f(a", "f(a=)", "f(=1)", "f(,)", "f(a=1,,)", "f(a=1 b=2)",
		"f.", "f(a[", "f(a=b[1)", "f(a=lambda x)", "f(),\ng()", "f\n(a=1)", "\x00f(a=1)", "f(a={'k': 1+2})",
		"I would call f(a=1).", "f(a=1) and more", "f(a=1); g()", "f()\ng()", "f()g()", "1", "'f()'", "[1]",
		"[f(), 1]", "[[f()]]", "f()()", "f()(a=1)", "f[0](a=1)", "'x'.join(a=1)", "(f)(a=1)x",
		"f(a=1, 2)", "f(a.b=1)", "f((a)=1)", "f('a'=1)", "f(None=1)", "f(if=1)", "class(a=1)", "from.x(a=1)",
		"f(a=g())", "f(a=b.c)", "f(a=b[0])", "f(a=1+2)", "f(a=2**3)", "f(a=1<2)", "f(a=not 1)", "f(a=~1)",
		"f(a=--1)", "f(a=-True)", "f(a=-x)", "f(a=-'x')", "f(a=x or y)", "f(a=1 if b else 2)", "f(a=lambda: 1)",
		"f(a=f'x')", "f(a=F\"x\" 'y')", "f(a=b'x')", "f(a='x' b'y')", "f(a=rb'x')", "f(a=1j)", "f(a=1+2j)",
		"f(a={1, 2})", "f(a={1: 2})", "f(a={True: 2})", "f(a={None: 1})", "f(a={'a': 1, **b})", "f(*a)", "f(**a)",
		"f(a=[*b])", "f(a=...)", "f(a=[x for x in y])", "f(x for x in y)", "f(a:=1)", "f(a=(b:=1))",
		"f(a=012)", "f(a=1__0)", "f(a=1_)", "f(a=0x)", "f(a=0xg)", "f(a=1e)", "f(a=1.5.5)", "f(a=1_.5)", "f(a=0b2)", "f(a=0x-1)", "f(a=1é)",
		"f(a='x)", "f(a='x\ny')", "f(a='''x'')", `f(a='\x4')`, `f(a='\u12')`, `f(a='\U00110000')`,
		`f(a='\xzz')`, `f(a='\u12zz')`, `f(a='\`, `f(a=ur'x')`,
		"f(a=1)\\", "f(a=$)", "f(a=\x00)", "f(a=\u00a01)", "\\\n", deep, "f(a=" + strings.Repeat("1+", 5000) + "1)",
		"f(a=0x" + strings.Repeat("f", maxRadixDigits) + ")", "f(a=" + strings.Repeat("(", maxLength-4),
		"f(a=" + strings.Repeat("(", 100000), strings.Repeat("not ", 5000) + "x", strings.Repeat("a.", 5000) + "b()",
		strings.Repeat("x if y else ", 5000) + "z", "2" + strings.Repeat("**2", 5000), strings.Repeat("lambda: ", 5000) + "x", strings.Repeat("-", 5000) + "x",
	} {
		calls, err := Parse(in, Plain)
		if err == nil {
			t.Errorf("Parse(%.60q) = %v, want an error", in, calls)
		}
	}
}

// TestErrors holds what is said of a text that is no call, and near which byte.
func TestErrors(t *testing.T) {
	for in, want := range map[string]string{
		"f()\ng()":                "python call, byte 4: text after the end of the expression",
		"f(a='x":                  "python call, byte 4: string is not closed",
		"f(a='x\ny')":             "python call, byte 4: string is not closed before the end of the line",
		"f(a=$)":                  "python call, byte 4: unexpected character '$'",
		"f(a=1":                   "python call, byte 5: text ends early",
		"f(a=1 b)":                `python call, byte 7: unexpected "b"`,
		"f(a={1: 2})":             "python call, byte 5: the key is not a string",
		"f(a=012)":                `python call, byte 7: "012" is not a number`,
		"f(a=b.c)":                "python call, byte 4: this is not a literal",
		strings.Repeat("[", 9999): "python call, byte 1001: expression is nested more than 1000 deep",
	} {
		if _, err := Parse(in, Plain); err == nil || err.Error() != want {
			t.Errorf("Parse(%.20q): %v, want %s", in, err, want)
		}
	}
	if _, err := Parse("' f(a=1)'", BFCL); err == nil || err.Error() != "python call, byte 1: unexpected indent" {
		t.Errorf("an indented call: %v", err)
	}
}

func TestParseLiteral(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{`{'order_id': '#W1', 'item_ids': "['1', '2']"}`, `{'order_id': '#W1', 'item_ids': "['1', '2']"}`},
		{` {'a': None, 'b': True, 'c': False, 'd': -1.5, 'e': (1,)} `, `{'a': None, 'b': True, 'c': False, 'd': -1.5, 'e': (1,)}`},
		{`['1', '2']`, `['1', '2']`},
		{`1, 2`, `(1, 2)`},
		{`{}`, `{}`},
		{`.5`, `0.5`},
	} {
		got, err := ParseLiteral(tc.in)
		if err != nil || got.Repr() != tc.want {
			t.Errorf("ParseLiteral(%q) = %s, %v; want %s", tc.in, got.Repr(), err, tc.want)
		}
	}
	for _, in := range []string{"", "foo", "{'a': true}", "{'a': b}", "f(1)", "{1: 2}", "{1}", "1+2", "--1", "{'a': 1", "[1]]"} {
		if got, err := ParseLiteral(in); err == nil {
			t.Errorf("ParseLiteral(%q) = %s, want an error", in, got.Repr())
		}
	}
}

// decode reads a text in the dialect BFCL, as a list of {name: arguments}.
func decode(s string) (value.Value, error) {
	calls, err := Parse(s, BFCL)
	list := make([]value.Value, len(calls))
	for i, c := range calls {
		list[i] = value.OfObject(value.Member{Key: c.Name, Value: c.Arguments})
	}
	return value.OfList(list...), err
}

func TestDecodeBFCL(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{`f(a=1)`, `[{'f': {'a': 1}}]`},
		{`'[f(a=1), a.b(c="x")]'`, `[{'f': {'a': 1}}, {'a.b': {'c': 'x'}}]`},
		{`''f(a=1)''`, `[{'f': {'a': 1}}]`},
		{`()`, `[]`},
		{`f(1, g.h, x > 1, *z, a=2)`, `[{'f': {'a': 2}}]`}, {`f(a=2, *z)`, `[{'f': {'a': 2}}]`}, {`f(a=2, *z, 1)`, ``},
		{`q.f(lambda x, y=(1, 2): x**2, [x for x in y if z], 1 if b else {k: v for k, v in z}, not a in b, a is not c, (x for x in y), b=3)`, `[{'q.f': {'b': 3}}]`},
		{`f(lambda x={'k': 1}: x, [x for x, in y], a=1)`, `[{'f': {'a': 1}}]`},
		{`f([x for x in y or z if u or v], 1 if x or y else 2, a=1)`, `[{'f': {'a': 1}}]`},
		{`f(1, x for x in y, a=1)`, ``}, {"'f(a=1)\\\n'", ``},
		{`f(x for x in y)`, `[{'f': {}}]`}, {`f({a for a in b}, c not in d, a=1)`, `[{'f': {'a': 1}}]`},
		// Any unary operator negates a number.
		{`f(a=+5, b=-5, c=~5, d=not 5, e=-True, f=-0, g=-1.50)`, `[{'f': {'a': -5, 'b': -5, 'c': -5, 'd': -5, 'e': -1, 'f': 0, 'g': -1.5}}]`},
		// Arithmetic.
		{`f(a=1+2, b=7/2, c=4/2, d=7//2, e=-7//2, f=-7%3, g=7%-3)`, `[{'f': {'a': 3, 'b': 3.5, 'c': 2.0, 'd': 3, 'e': -4, 'f': 2, 'g': -2}}]`},
		{`f(a=2**10, b=2**-1, c=2**0.5, d=10**20, e=0**0)`, `[{'f': {'a': 1024, 'b': 0.5, 'c': 1.4142135623730951, 'd': 100000000000000000000, 'e': 1}}]`},
		{`f(a=1.5+1, b=5.5//2, c=-5.5//2, d=-5.5%2, e=1e308*2.0-1)`, ``},
		{`f(a=1.5+1, b=5.5//2, c=-5.5//2, d=-5.5%2, e=7.0%-3)`, `[{'f': {'a': 2.5, 'b': 2.0, 'c': -3.0, 'd': 0.5, 'e': -2.0}}]`},
		{`f(a=1.5-1, b=5.0/1, c=1.5//1)`, `[{'f': {'a': 0.5, 'b': 5.0, 'c': 1.0}}]`},
		{`f(d=1.0//2, e=-0.0//2.0)`, `[{'f': {'d': 0.0, 'e': -0.0}}]`},
		{`f(a=6.0//-3, b=0.75%0.5, c=2.5%2, d=-6//2, e=6%-3)`, `[{'f': {'a': -2.0, 'b': 0.25, 'c': 0.5, 'd': -3, 'e': 0}}]`},
		{`f(a=1+2*3, b=2*3+1, c=10-4-3, d=2**3**2, e=-2**2+1)`, `[{'f': {'a': 7, 'b': 7, 'c': 3, 'd': 512, 'e': -3}}]`},
		{`f(a=0x1e+1, b=0X1E-1, c=False+2, d=-False)`, `[{'f': {'a': 31, 'b': 29, 'c': 2, 'd': 0}}]`},
		{`f(a=1+ ~5)`, ``}, {`f(a=-1e308*10.0)`, ``}, {`f(a=0**-40000)`, ``}, {`f(a=0.0**-1)`, ``},
		{`f(a=2**1180591620717411303424)`, ``}, // 2**70
		{`f(a=True+True, b=2*(3+4))`, `[{'f': {'a': 2, 'b': 14}}]`},
		{`f(a=2**0.5, b=(-2.0)**-3, c=1.5**2)`, `[{'f': {'a': 1.4142135623730951, 'b': -0.125, 'c': 2.25}}]`},
		{`f(a=3 - -2, b=1 - +1)`, `[{'f': {'a': 5, 'b': 0}}]`},
		{`f(a=1/0)`, ``}, {`f(a=1//0)`, ``}, {`f(a=1%0)`, ``}, {`f(a=0**-1)`, ``}, {`f(a=1.0/0)`, ``}, {`f(a=1.0//0)`, ``},
		{`f(a='x'-'y')`, ``}, {`f(a='x'+1)`, ``}, {`f(a=x+1)`, ``}, {`f(a=1@2)`, ``}, {`f(a=1.5&1)`, ``}, {`f(a=1<<-1)`, ``},
		{`f(a=(-8)**0.5)`, ``}, {`f(a=9**9**9)`, ``}, {`f(a=1<<999999999)`, ``}, {`f(a='x'*999999999)`, ``}, {`f(a=[[0]*60000]*60000)`, ``},
		// Ellipsis, calls, subscripts.
		{`f(a=..., b=[...])`, `[{'f': {'a': '...', 'b': ['...']}}]`},
		{`f(a=g(), b=g( 1,"x" ), c=h.i(j[0]))`, `[{'f': {'a': 'g()', 'b': "g(1, 'x')", 'c': 'h.i(j[0])'}}]`},
		{`f(a=g(b=1), c=[h.i(9, x=k(y=2))])`, `[{'f': {'a': {'g': {'b': 1}}, 'c': [{'h.i': {'x': {'k': {'y': 2}}}}]}}]`},
		{`f(a=b[0], c=d['k'][1:2], e=b[1, 2], g=(x+y)[0])`, `[{'f': {'a': 'b[0]', 'c': "d['k'][1:2]", 'e': 'b[1, 2]', 'g': '(x + y)[0]'}}]`},
		// What still fails.
		{``, ``}, {`x`, ``}, {`1`, ``}, {`[x]`, ``}, {`[f(), 1]`, ``}, {`' f(a=1)'`, ``}, {"f(a=b.c)", ``}, {`f(a=1<2)`, ``}, {`f(a=--1)`, ``},
		{`f(a=-x)`, ``}, {`f(a=-'x')`, ``}, {`f(a={1, 2})`, ``}, {`f(a=f'x')`, ``}, {`f(a=1 if x else 2)`, ``}, {`f(a=lambda: 1)`, ``},
		{`f(a=[x for x in y])`, ``}, {`f(**a)`, ``}, {`f(a=x and y)`, ``}, {`g()(a=1)`, ``}, {`f(a=g()(b=1))`, ``}, {`f(a=1, b=2, a=3)`, `[{'f': {'a': 3, 'b': 2}}]`},
	} {
		got, err := decode(tc.in)
		text := got.Repr()
		if err != nil {
			text = ""
		}
		if text != tc.want {
			t.Errorf("DecodeBFCL(%q) = %s, %v; want %s", tc.in, got.Repr(), err, tc.want)
		}
	}
}

// TestSource holds against what Python 3.11's ast.unparse prints, but for redundant
// brackets, and for numbers beyond the range of a float, which it prints as 1e309.
func TestSource(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"-2**2", "-2 ** 2"}, {"f(a[1,2])", "f(a[1, 2])"}, {"f(a[1:2,::3])", "f(a[1:2, ::3])"}, {"f(a[()])", "f(a[()])"},
		{"f(u'x' 'y', U'z')", "f('xy', 'z')"}, {"f(not a)", "f(not a)"}, {"f(a or b or (c or d))", "f(a or b or (c or d))"},
		{"f({'a':1,**b})", "f({'a': 1, **b})"}, {"f({*a})", "f({*a})"}, {"f(())", "f(())"}, {"f(1e400)", "f(1e400)"}, {"f(1e5)", "f(100000.0)"},
		{"f(0x10)", "f(16)"}, {`f('it\'s')`, `f("it's")`}, {"f(b'x')", "f(b'x')"}, {"f(a<b<c)", "f(a < b < c)"}, {"f(a-(b-c))", "f(a - (b - c))"},
		{"f(*a)", "f(*a)"}, {"f(x, 'a' 'b')", "f(x, 'ab')"}, {"(a+b)[0]", "(a + b)[0]"}, {"f()(1)", "f()(1)"}, {"f(-(1+2))", "f(-(1 + 2))"},
		{"{'a':1}['a']", "{'a': 1}['a']"}, {"a[{'b':1}:2]", "a[{'b': 1}:2]"},
		{"f(b[1:2],lambda x:0)", "f(b[1:2], lambda x: 0)"}, {"f((a+b)*c,d[0]-1)", "f((a + b) * c, d[0] - 1)"},
		{"f({'a':(1,2),'b':[3],'c':d})", "f({'a': (1, 2), 'b': [3], 'c': d})"},
		{"f(a if b else c,[x for x in y])", "f(a if b else c, [x for x in y])"},
		{"f(a not in b,c is not d)", "f(a not in b, c is not d)"},
		{"f( 1.50,k=[ ],\n**z, )", "f(1.5, k=[], **z)"}, {"f({})", "f({})"}, {"f(-a, 1-a)", "f(-a, 1 - a)"},
	} {
		n, err := parseExpression(tc.in)
		if err != nil {
			t.Errorf("parseExpression(%q): %v", tc.in, err)
			continue
		}
		if got := normalised(n.source); got != tc.want {
			t.Errorf("normalised(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestParseFutureAGI(t *testing.T) {
	for _, tc := range []struct {
		in, want string
		opaque   []string
	}{
		{`a.b.f(x=1, y='z')`, `f {'x': 1, 'y': 'z'}`, nil},
		{`f(1, x=(1,), y={'k': foo})`, `f {'__positional_0': 1, 'x': (1,), 'y': {'k': 'foo'}}`, nil},
		{`f(x=-5, y=2)`, `f {'x': '-5', 'y': 2}`, []string{"x"}},
		{`f(x=[1, -2], y={'k': g()})`, `f {'x': [1, '-2'], 'y': {'k': 'g()'}}`, []string{"x", "y"}},
		{`f(*a, x=a.b, y=1+2, z={1, 2}, s=f'q', **rest)`, `f {'__positional_0': '*a', 'x': 'a.b', 'y': '1+2', 'z': '{1, 2}', 's': "f'q'"}`, []string{"__positional_0", "x", "y", "z", "s"}},
		{`f(x={**a, 'k': 1})`, `f {'x': {'k': 1}}`, nil},
		{`f()(x=1)`, ` {'x': 1}`, nil},
		{`f(x=g(), y=h(), x=1)`, `f {'x': 1, 'y': 'h()'}`, []string{"y"}},
		{`f(x={1: 2})`, `f {'x': '{1: 2}'}`, []string{"x"}},
		{`f(x=(a for a in b), y=[c for c in d])`, `f {'x': 'a for a in b', 'y': ['c for c in d']}`, []string{"x", "y"}},
	} {
		got, err := Parse(tc.in, FutureAGI)
		if err != nil || show(got) != tc.want || !cmp.Equal(tc.opaque, got[0].Opaque) {
			t.Errorf("Parse(%q, FutureAGI) = %s, %v; want %s, %v", tc.in, show(got), err, tc.want, tc.opaque)
		}
	}
	for _, in := range []string{"", "f", "[f()]", "f(), g()", "f("} {
		if got, err := Parse(in, FutureAGI); err == nil {
			t.Errorf("ParseFutureAGI(%q) = %v, want an error", in, got)
		}
	}
}

// TestBudgets shows that a short text cannot claim a large memory.
func TestBudgets(t *testing.T) {
	in := "f(a=[" + strings.Repeat("'a'*60000,", 1000) + "])"
	if _, err := decode(in); err == nil {
		t.Error("60 MB of repeated strings were computed")
	}
	if _, err := decode("f(a=[" + strings.Repeat("2**.1,", 100000) + "])"); err == nil {
		t.Error("100000 powers were computed")
	}
	if _, err := decode("f(a=1+" + strings.Repeat("9", 4_000_000) + ")"); err == nil {
		t.Error("an integer of 4 million digits was computed with")
	}
	if _, err := Parse("f(a='"+strings.Repeat("x", maxLength)+"')", Plain); err == nil {
		t.Error("a text beyond maxLength was read")
	}
	if _, err := Parse("f(a=["+strings.Repeat("1,", maxNodes)+"])", Plain); err == nil {
		t.Error("a tree beyond maxNodes was built")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`f(a=1)`, `[a.b(x=-1.5e3, y='\x41' r"\d"), g(z={'k': (1,)})]`, "f(a='''x\n''' # c\n)", `f(1, a=b[1:2, ::3](c)**-2)`, `f(x for x in y if z)`, `f(a=1<<4|2, b={**c}, *d)`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		calls, err := Parse(s, Plain)
		if err == nil {
			for _, c := range calls {
				if c.Name == "" || c.Arguments.Kind() != value.Object {
					t.Fatalf("call %+v of %q", c, s)
				}
				if _, err := value.ParseString(c.Arguments.JSON()); err != nil {
					t.Fatalf("arguments of %q are no JSON: %v", s, err)
				}
			}
			// What Parse reads, the wider dialect reads too (its quotes apart).
			if _, err := decode(s); err != nil && !strings.Contains(s, "'") && !strings.Contains(s, "-") && !strings.Contains(s, "+") {
				t.Fatalf("DecodeBFCL(%q): %v", s, err)
			}
		}
		_, _ = ParseLiteral(s)
		_, _ = decode(s)
		_, _ = Parse(s, FutureAGI)
		if n, err := parseExpression(s); err == nil {
			_ = normalised(n.source)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	const in = `[get_weather(city='San Francisco', units="metric", days=3), maps.route(points=[(1.5, 2), (3, 4)], options={'avoid': ['tolls'], 'fast': True})]`
	b.ReportAllocs()
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		if _, err := Parse(in, Plain); err != nil {
			b.Fatal(err)
		}
	}
}
