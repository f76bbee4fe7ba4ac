package bfcl

import (
	"strings"
	"testing"
)

// TestBrokenSource: source that no program can have is no call, and what a program can have is
// one. The leaderboard's grammars agree with each of these.
func TestBrokenSource(t *testing.T) {
	for name, source := range map[string]struct{ valid, broken []string }{
		"java":       {validJava, brokenJava},
		"javascript": {validScript, brokenScript},
	} {
		l := languages[name]
		for _, x := range source.valid {
			if call, err := l.readCall("[T.f(" + x + ")]"); err != nil || call.Name != "T.f" {
				t.Errorf("%s: %s: %v", name, x, err)
			}
		}
		for _, x := range source.broken {
			if call, err := l.readCall("[T.f(" + x + ")]"); err == nil {
				t.Errorf("%s: %s is read as %s", name, x, call.Arguments.JSON())
			}
		}
		for _, text := range []string{"[T.f(x=1)", "T.f(x=1)]", "[T.f(x=1]", "[T.f(x=1))]", "[T.f x=1)]", "[T.f(x=1", "[T.f(x=1) y]"} {
			if call, err := l.readCall(text); err == nil {
				t.Errorf("%s: %s is read as %s", name, text, call.Arguments.JSON())
			}
		}
	}
}

// TestHostileSource: text of a hostile model costs time in proportion to its length.
func TestHostileSource(t *testing.T) {
	for _, piece := range []string{"(", "a<", "[", "'", "{a:", "/", "x=1,", "- ", "a ? "} {
		for _, l := range languages {
			if l.argument != nil {
				_, _ = l.readCall("f(" + strings.Repeat(piece, 100_000))
			}
		}
	}
}

var (
	validJava = []string{
		`x=new int[]{1, 2}`,
		`x=new int[]{1, 2,}`,
		`x=new int[][]{{1}, {2, 3}}`,
		`x=(String) y`,
		`x=(List<String>) y, z=1`,
		`x=(a, b) -> a + b`,
		`x=(String a, int b) -> { return a; }`,
		`x=() -> { run(); }`,
		`x=a -> a`,
		`x=String::valueOf`,
		`x=ArrayList::new`,
		`x=int[]::new`,
		`x=String.class`,
		`x=new HashMap<String, List<Integer>>() {{ put("a", 1L); put("b", Arrays.asList(1, 2)); }}`,
		`x=new Runnable() { public void run() { for (int i = 0; i < 3; i++) { a(i); } } }`,
		`x=a ? b : c`,
		`x=a < b`,
		`x=a > b && c < d`,
		`x=!a`,
		`x=-1`,
		`x=-1.5e-3f`,
		`x=1_000L`,
		`x=0xFF`,
		`x=.5`,
		`x=5.`,
		`x=a[0]`,
		`x=a[0][1].b(c)`,
		`x="a\"b, c"`,
		`x='c'`,
		`x='\''`,
		`x=new Foo(1, new Bar())`,
		`x=a.<String>b()`,
		`x=a instanceof B`,
		`x=this`,
		`x=super.a()`,
		`x=i++`,
		`x=++i`,
		`x=a = 5`,
		`x=(a)`,
		`x=((a))`,
		`x=new Foo[3]`,
		`x=Map.of("k", 1)`,
		`x=a /* c, ( */`,
		"x=a // c\n",
		`x=null, y=true`,
		`x=switch (a) { case 1 -> 2; default -> 3; }`,
		`x=Collections.<A, B>map()`,
		`x=new Foo.Bar(1)`,
		`x=a.new B()`,
		`x=1 << 2`,
		`x=a >>> 3`,
		`x=~a`,
		`x="a" + 'b' + c`,
		`x=List.of()`,
		`x=(int) 5`,
		`x=(int) -5`,
		`x=(a) - 5`,
		`x=new ArrayList<>(Arrays.asList(1, "b"))`,
		`x=a.b.C.D`,
		`x=(final String a) -> a`,
		`x=new String[0]`,
		`x=a ? (b) : -c`,
		`x=a ? b ? c : d : e`,
		"x=\"\"\"\n a \"quoted\" \\\"\"\" text,\n\"\"\", y=1",
		`x=a instanceof String s`,
		`x=a instanceof java.util.List<String> s && s.isEmpty()`,
	}
	validScript = []string{
		`x={a: 1, "b": 2, [c]: 3, d, ...e}`,
		`x={}`,
		`x=[]`,
		`x=[1,,2]`,
		`x=[1, 2,]`,
		`x={a: 1,}`,
		`x=function () { return 1; }`,
		`x=function* g() { yield 1; }`,
		`x=async function f(a, b = 2) { await a; }`,
		`x=async () => 1`,
		`x=async (a) => { await a; }`,
		`x=a => a`,
		`x=(a, b) => ({a, b})`,
		`x=({a}) => a`,
		`x=class A extends B { m() { return 1; } }`,
		`x=class { }`,
		`x={m() { return 1; }, get a() { return 1; }, set a(v) { }, async n() { }, *g() { }}`,
		`x=/a[/]b,"/g`,
		`x=a / b / c`,
		"x=`t ${a + b} \"`",
		`x=a ? b : c`,
		`x=a?.b`,
		`x=a?.[0]`,
		`x=a ?? b`,
		`x=a || b && c`,
		`x=typeof a`,
		`x=void 0`,
		`x=new Foo`,
		`x=new Foo(1)`,
		`x=a in b`,
		`x=a instanceof B`,
		`x=-1`,
		`x=!a`,
		`x=1e-5`,
		`x=10n`,
		`x=0x1f`,
		`x=.5`,
		`x=5.`,
		`x=a[0].b(c)`,
		`x=a++`,
		`x=--a`,
		`x=(a, b)`,
		`x="a\"b"`,
		`x='it\'s'`,
		"x=a // c\n",
		`x=/* ( */ a`,
		`x=a < b, y=c > d`,
		`x=a => { if (a) { return "}"; } else { for (let i = 0; i < 3; i++) { b(i, c); } } }`,
		`x=null, y=undefined`,
		`x=a === b`,
		`x=a ** b`,
		`x=function(a){ return a / 2 }, y=1`,
		`x=() => {}`,
		`x=new Date()`,
		`x=new Map([[1, 2]])`,
		`x=a.class`,
		`x=a ? {b: 1} : [c]`,
		`x=a ? b ? c : d : e`,
		`x=await a`,
		`x=/x/.test(y)`,
		`x=await fetch("u")`,
		"x=`a`",
		"x=tag`a`",
		"x=a.b`c`",
		`x=import("a")`,
		`x={"a": function() { return 1; }}`,
		`x={if: 1, new: 2}`,
		`x=(function(){ return 1; })()`,
		`x=(() => 1)()`,
		`x=delete a.b`,
		`x=a ? -b : +c`,
		`x={a: b ? c : d, e: 1}`,
		`x=[a ? b : c, d]`,
		`x=yield_`,
		`x=offset`,
		`x=index.of`,
		`x=newValue`,
		`x=inner`,
		"x=`a ${`b ${c}`} d`",
		"x=`a ${ {b: \"`\"}.b } d`",
		`x=function ({a = 1, b: {c}}, [d, , e] = []) { return a; }`,
		`x=function (a = function () { return 1; }) { return a; }`,
		`x=class extends f({a: 1}) { m() { } }`,
	}
	brokenJava = []string{
		`x=new int[]{1, 2`,
		`x="a`,
		`x=(1`,
		`x="a" "b"`,
		`x="a" y=1`,
		`x=, y=1`,
		`x=1,, y=2`,
		`x=a +`,
		`x=:"a"`,
		`x=a.`,
		`x=[1, 2]`,
		`x=a b`,
		"x='a\nb'",
		`x=1a`,
		`x=5 = y`,
		`x=f(1,)`,
		`x=new int[]{1, 2}}`,
		`x=1;`,
		`x=a[1, 2]`,
		"x=`a`",
		`x==`,
		`x=(a b)`,
		`x=a ->`,
		`x=#a`,
		"x=\"\"\"\n a\"\"",
		`x=a instanceof B c d`,
		`x=a instanceof B && c d`,
	}
	brokenScript = []string{
		`x=[1, 2`,
		`x='a`,
		`x="a`,
		`x={a: 1`,
		`x=(1`,
		`x='a' 'b'`,
		`x='a' y=1`,
		`x=, y=1`,
		`x=a +`,
		`x=:1`,
		`x=a.`,
		"x=\"a\nb\"",
		`x=2a`,
		`x=5 = y`,
		`x=[1, 2]]`,
		`x=[1 2]`,
		`x={a 1}`,
		`x=a => `,
		`x=a => { b(; }`,
		`x=function () { return [1; }`,
		`x=/a`,
		`x=(String) a`,
		`x=f() {}`,
		"x=`a",
		`x=a ? b`,
		`x=a : b`,
		"x=`a ${b`",
		"x=`a ${`b}`",
		"x=`a ${'b}`",
		`x=function ({a}) {`,
		`x=function ({a}) { } { }`,
	}
)

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
			if call, err := l.readCall(text); err == nil && call.Name == "" {
				t.Errorf("%s is read as %+v", text, call)
			}
		}
	})
}
