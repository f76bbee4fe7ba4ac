package bfcl

import (
	"strings"
	"testing"
)

// TestBrokenSource: source that no program can have is no call, and the message says where it
// breaks; what a program can have is a call. The leaderboard's grammars agree with each of these.
func TestBrokenSource(t *testing.T) {
	for name, source := range map[string]struct {
		valid  []string
		broken map[string]string
	}{
		"java":       {validJava, brokenJava},
		"javascript": {validScript, brokenScript},
	} {
		l := languages[name]
		for _, x := range source.valid {
			if call, err := l.readCall("[T.f(" + x + ")]"); err != nil || call.Name != "T.f" {
				t.Errorf("%s: %s: %v", name, x, err)
			}
		}
		for x, want := range source.broken {
			checkBroken(t, name, "[T.f("+x+")]", want)
		}
		for text, want := range map[string]string{
			"[T.f(x=1)":      "the list of calls is not closed",
			"T.f(x=1)]":      `text after the call: "]"`,
			"[T.f(x=1]":      "the call is not closed",
			"[T.f(x=1}]":     "byte 3 of the arguments: '}' closes nothing",
			"[T.f(x=1))]":    `text after the call: ")"`,
			"[T.f x=1)]":     "the text is not a call",
			"[T.f(x=1":       "the list of calls is not closed",
			"T.f(x=1 // y":   "the call is not closed",
			"[T.f(x=1) y]":   `text after the call: " y"`,
			"T.f(x=1, x=2)":  `argument "x" is repeated`,
			"T.f(x=1, y= )":  "byte 8 of the arguments: ')' follows an operator",
			"T.f(x=1, a, b)": `argument "" is repeated`,
		} {
			checkBroken(t, name, text, want)
		}
	}
}

func checkBroken(t *testing.T, language, text, want string) {
	t.Helper()
	if call, err := languages[language].readCall(text); err == nil {
		t.Errorf("%s: %s is read as %s", language, text, call.Arguments.JSON())
	} else if err.Error() != want {
		t.Errorf("%s: %s: %v, want %s", language, text, err, want)
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
		``,
		` `,
		`x=a /**/`,
		`x=i--`,
		`x=in, y=of`,
		`x=function * 2`,
		`x=void.class`,
		`async=true, await=1, delete=2, typeof=3, yield=4`,
		`x=1 == a, y=1 != a, z=1 <= a, w=1 >= a`,
		`x=a ? B::c : d`,
		`x=a instanceof B[] c && c.d`,
		`x=new R() { void f() { List<String>[] a; } }`,
		`x=(String a)->a`,
		`x=new R() { int f() { return i++ / 2 + "/".length(); } }`,
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
		"x=`${ {a: 1}, \"`\" }`",
		"x=``",
		"x=`a\\`b`",
		"x=`$a`",
		"x=`a { b`",
		"x=`a } b`",
		`x=function ({a = 1, b: {c}}, [d, , e] = []) { return a; }`,
		`x=function (a = function () { return 1; }) { return a; }`,
		`x=class extends f({a: 1}) { m() { } }`,
		``,
		` `,
		`x=1,`,
		`, y=1`,
		`x=f(1,)`,
		"x=`a\nb`",
		`x=i--`,
		`x=of`,
		`x=a.new`,
		`async=true`,
		`x=async, y=async * 2`,
		`x=[async, async.b]`,
		`x={async}`,
		`x={async: 1, async m() { }, async *g() { }}`,
		`x={*g() { }}`,
		`x={in: 1, instanceof: 2}`,
		`x=async function () { return 1; }`,
		`x={a: typeof /"/}`,
		`x={b: 2 * a, c: a * 2}`,
		`x={a: b && c, d: e => f}`,
		`x=[1 == a, 1 === a, 1 != a, 1 !== a, 1 <= a, 1 >= a]`,
		`x=a < b > c`,
		`x=function () { for (;; i++, j++) { } }`,
		`x=function () { return a.split(/[("]/g); }`,
		`x=function () { return /"/.test(a); }`,
		`x=function () { let r =/"/, s = !/"/.test(a) ? b : /'/; }`,
		`x=function () { return a / b + "/"; }`,
		`x=function () { return 10 / 2 + "/"; }`,
		`x=function () { return 9 / 2 + "/"; }`,
	}
	brokenJava = map[string]string{
		`x=new int[]{1, 2`:        `byte 16 of the arguments: ')' closes nothing`,
		`x="a`:                    `a quote is not closed`,
		`x=(1`:                    `the call is not closed`,
		`x="a" "b"`:               `byte 6 of the arguments: "\"b\"" follows "\"a\"" with nothing between them`,
		`x="a" y=1`:               `byte 6 of the arguments: "y" follows "\"a\"" with nothing between them`,
		`x=, y=1`:                 `byte 2 of the arguments: the comma has no place here`,
		`x=1,, y=2`:               `an argument is empty`,
		`x=a +`:                   `byte 5 of the arguments: ')' follows an operator`,
		`x=:"a"`:                  `byte 2 of the arguments: ":" has no place here`,
		`x=a.`:                    `byte 4 of the arguments: ')' follows an operator`,
		`x=[1, 2]`:                `byte 2 of the arguments: Java has no such list`,
		`x=a b`:                   `byte 4 of the arguments: "b" follows "a" with nothing between them`,
		"x='a\nb'":                `byte 2 of the arguments: a quote is not closed on its line`,
		`x=1a`:                    `byte 3 of the arguments: "a" follows "1" with nothing between them`,
		`x=5 = y`:                 `byte 4 of the arguments: "=" has no place here`,
		`x=f(1,)`:                 `byte 6 of the arguments: ')' follows an operator`,
		`x=new int[]{1, 2}}`:      `byte 17 of the arguments: '}' closes nothing`,
		`x=1;`:                    `byte 3 of the arguments: ";" has no place here`,
		`x=a[1, 2]`:               `byte 5 of the arguments: the comma has no place here`,
		"x=`a`":                   `byte 2 of the arguments: Java has no such quote`,
		`x==`:                     `byte 3 of the arguments: ')' follows an operator`,
		`x=(a b)`:                 `byte 5 of the arguments: a value follows a value with nothing between them`,
		`x=a ->`:                  `byte 6 of the arguments: ')' follows an operator`,
		`x=#a`:                    `byte 2 of the arguments: "#" has no place here`,
		"x=\"\"\"\n a\"\"":        `a text block is not closed`,
		`x=a instanceof B c d`:    `byte 19 of the arguments: "d" follows "c" with nothing between them`,
		`x=a instanceof B && c d`: `byte 22 of the arguments: "d" follows "c" with nothing between them`,
		`=1`:                      `byte 0 of the arguments: "=" has no place here`,
		`x=1,`:                    `an argument is empty`,
		`, y=1`:                   `an argument is empty`,
		`x=f(1,,2)`:               `byte 6 of the arguments: the comma has no place here`,
		`[1]`:                     `byte 0 of the arguments: Java has no such list`,
		`x=1, [1]`:                `byte 5 of the arguments: Java has no such list`,
		`x=f([1])`:                `byte 4 of the arguments: Java has no such list`,
		`x=new int[]{static a}`:   `byte 19 of the arguments: "a" follows "static" with nothing between them`,
		`x=new int[]{new: 1}`:     `byte 15 of the arguments: ":" has no place here`,
		`x=new int[]{a: 1}`:       `byte 13 of the arguments: ":" has no place here`,
		`x=new int[]{*a}`:         `byte 12 of the arguments: "*" has no place here`,
		`x=a { b }`:               `byte 4 of the arguments: a brace follows a value`,
		`x={1, 2}`:                `"{1, 2}" is no Java value`,
		`x=a in b`:                `byte 4 of the arguments: "in" follows "a" with nothing between them`,
		`x=(a in b)`:              `byte 5 of the arguments: a value follows a value with nothing between them`,
		`x=await a`:               `byte 8 of the arguments: "a" follows "await" with nothing between them`,
		`x=a.b c`:                 `byte 6 of the arguments: "c" follows "b" with nothing between them`,
		`x=a.5`:                   `byte 4 of the arguments: "5" follows "." with nothing between them`,
		`x=a => b`:                `byte 4 of the arguments: "=" has no place here`,
		`x=/a/`:                   `byte 2 of the arguments: "/" has no place here`,
		`x=<String>b`:             `byte 2 of the arguments: "<" has no place here`,
		`x=a instanceof B "c"`:    `byte 17 of the arguments: "\"c\"" follows "B" with nothing between them`,
		`x=(a "b") -> a`:          `byte 5 of the arguments: "\"b\"" follows "a" with nothing between them`,
	}
	brokenScript = map[string]string{
		`x=[1, 2`:                      `byte 7 of the arguments: ')' closes nothing`,
		`x='a`:                         `a quote is not closed`,
		`x="a`:                         `a quote is not closed`,
		`x={a: 1`:                      `byte 7 of the arguments: ')' closes nothing`,
		`x=(1`:                         `the call is not closed`,
		`x='a' 'b'`:                    `byte 6 of the arguments: "'b'" follows "'a'" with nothing between them`,
		`x='a' y=1`:                    `byte 6 of the arguments: "y" follows "'a'" with nothing between them`,
		`x=, y=1`:                      `byte 2 of the arguments: the comma has no place here`,
		`x=a +`:                        `byte 5 of the arguments: ')' follows an operator`,
		`x=:1`:                         `byte 2 of the arguments: ":" has no place here`,
		`x=a.`:                         `byte 4 of the arguments: ')' follows an operator`,
		"x=\"a\nb\"":                   `byte 2 of the arguments: a quote is not closed on its line`,
		`x=2a`:                         `byte 3 of the arguments: "a" follows "2" with nothing between them`,
		`x=5 = y`:                      `byte 4 of the arguments: "=" has no place here`,
		`x=[1, 2]]`:                    `byte 8 of the arguments: ']' closes nothing`,
		`x=[1 2]`:                      `byte 5 of the arguments: "2" follows "1" with nothing between them`,
		`x={a 1}`:                      `byte 5 of the arguments: "1" follows "a" with nothing between them`,
		`x=a => `:                      `byte 7 of the arguments: ')' follows an operator`,
		`x=a => { b(; }`:               `byte 13 of the arguments: '}' closes nothing`,
		`x=function () { return [1; }`: `byte 27 of the arguments: '}' closes nothing`,
		`x=/a`:                         `byte 2 of the arguments: "/" has no place here`,
		`x=(String) a`:                 `byte 11 of the arguments: "a" follows ")" with nothing between them`,
		`x=f() {}`:                     `byte 6 of the arguments: a brace follows a value`,
		"x=`a":                         `a quote is not closed`,
		`x=a ? b`:                      `byte 7 of the arguments: ')' ends a condition without its second value`,
		`x=a : b`:                      `byte 4 of the arguments: ":" has no place here`,
		"x=`a ${b`":                    `a quote is not closed`,
		"x=`a ${`b}`":                  `a quote is not closed`,
		"x=`a ${'b}`":                  `a quote is not closed`,
		`x=function ({a}) {`:           `byte 18 of the arguments: ')' closes nothing`,
		`x=function ({a}) { } { }`:     `byte 21 of the arguments: a brace follows a value`,
		`=1`:                           `byte 0 of the arguments: "=" has no place here`,
		`x="""a"""`:                    `byte 4 of the arguments: "\"a\"" follows "\"\"" with nothing between them`,
		"x=a.`b`":                      "byte 4 of the arguments: \"`b`\" follows \".\" with nothing between them",
		`x=a./b/`:                      `byte 4 of the arguments: "/b/" follows "." with nothing between them`,
		`x=a.5`:                        `byte 4 of the arguments: "5" follows "." with nothing between them`,
		`x=get a`:                      `byte 6 of the arguments: "a" follows "get" with nothing between them`,
		`x=a of b`:                     `byte 4 of the arguments: "of" follows "a" with nothing between them`,
		`x=a extends B`:                `byte 4 of the arguments: "extends" follows "a" with nothing between them`,
		`x=a await`:                    `byte 4 of the arguments: "await" follows "a" with nothing between them`,
		`x=a new B`:                    `byte 4 of the arguments: "new" follows "a" with nothing between them`,
		`x=a function () { }`:          `byte 4 of the arguments: "function" follows "a" with nothing between them`,
		`x=f(a, *b)`:                   `byte 7 of the arguments: "*" has no place here`,
		`x={a: *b}`:                    `byte 6 of the arguments: "*" has no place here`,
		`x=[new: 1]`:                   `byte 6 of the arguments: ":" has no place here`,
		`x=[1 +, 2]`:                   `byte 6 of the arguments: the comma has no place here`,
		`x=[a ? b, c : d]`:             `byte 8 of the arguments: the comma has no place here`,
		`x=a -> b`:                     `byte 4 of the arguments: "-" has no place here`,
		`x=a::b`:                       `byte 3 of the arguments: ":" has no place here`,
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
