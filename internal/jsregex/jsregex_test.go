package jsregex

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// TestHostile shows that nothing stalls: what blows up elsewhere is linear here, or
// ends in errTimeout within seconds.
func TestHostile(t *testing.T) {
	long := strings.Repeat("a", 200_000)
	for _, tc := range []struct {
		pattern, text string
		want          bool
		timeout       bool
	}{
		{`(a+)+$`, long + "!", false, false},
		{`^(([a-z])+.)+[A-Z]([a-z])+$`, long, false, false},
		{`(x+x+)+y`, strings.Repeat("x", 5000), false, false},
		{`(.*)*$`, long + "\n", true, false},
		{`(a+)+$`, strings.Repeat("a", 60) + "😀!", false, true},
		{`(?=(a+)+$)a`, strings.Repeat("a", 60) + "!", false, true},
		{`^(a+)+\1$`, strings.Repeat("a", 61) + "!", false, true},
		{`^(?!.*secret)`, long, true, false},
		{`^(?=.*b)`, long + "b", true, false},
		{`(?:(?=(a))a)*b`, strings.Repeat("a", 1000) + "b", true, false},
	} {
		re, err := Compile(tc.pattern)
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		got, err := re.MatchString(tc.text)
		if took := time.Since(start); took > 20*matchTimeout {
			t.Errorf("%q took %v", tc.pattern, took)
		}
		if tc.timeout != errors.Is(err, errTimeout) || err == nil && got != tc.want {
			t.Errorf("%q on %.20q = %v, %v; want %v, timeout %v", tc.pattern, tc.text, got, err, tc.want, tc.timeout)
		}
	}
}

func TestCompileBounds(t *testing.T) {
	for _, pattern := range []string{
		strings.Repeat("(", 5000) + strings.Repeat(")", 5000),
		strings.Repeat("a", maxPattern+1),
		strings.Repeat("(?:", 600) + strings.Repeat(")", 600),
	} {
		if _, err := Compile(pattern); err == nil {
			t.Errorf("%.20q... of %d bytes compiles", pattern, len(pattern))
		}
	}
	re, err := Compile(`(?:(?:(?:a{1000}){1000}){1000}){1000}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := re.MatchString(strings.Repeat("a", 5000)); got || err != nil && !errors.Is(err, errTimeout) {
		t.Errorf("nested counts = %v, %v", got, err)
	}
}

func TestPrefix(t *testing.T) {
	for pattern, want := range map[string]string{
		`(?i)a`: "(?i)", `(?ism)a`: "(?ism)", `(?m)`: "(?m)", `(?ii)a`: "", `(?)a`: "", `(?x)a`: "", `a(?i)`: "", `(?i`: "",
	} {
		if got := flags.FindString(pattern); got != want {
			t.Errorf("the flags of %q are %q, want %q", pattern, got, want)
		}
	}
}

func TestError(t *testing.T) {
	for pattern, want := range map[string]string{
		`(?i)a[b`:         `pattern "(?i)a[b": `,
		`a(?>b)`:          "at byte 1: JavaScript has no such group",
		`(?<n>a)|(?<n>b)`: `two groups are named "n"`,
	} {
		if _, err := Compile(pattern); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Compile(%q) = %v, want an error with %q", pattern, err, want)
		}
	}
	const want = `pattern "a(?>b)": at byte 1: JavaScript has no such group`
	if _, err := CompileSchema(`a(?>b)`); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := CompileSchema(`(?>b)`); err == nil {
		t.Error("a group at the very start of a schema's pattern is not read")
	}
	if re, err := CompileSchema(""); err != nil || re.full.MatchTimeout != 500*time.Millisecond {
		t.Errorf("an empty pattern: %v", err)
	}
}

// TestConcurrent runs one pattern in many goroutines; the race detector and the
// answers watch.
func TestConcurrent(t *testing.T) {
	re, err := Compile(`^(\w+)-\1(?=!)`)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			text := strings.Repeat("x", i+1)
			for range 200 {
				if ok, err := re.MatchString(text + "-" + text + "!"); !ok || err != nil {
					t.Errorf("%q: %v, %v", text, ok, err)
				}
				if ok, err := re.MatchString(text + "-y!"); ok || err != nil {
					t.Errorf("%q: %v, %v", text, ok, err)
				}
			}
		})
	}
	wg.Wait()
}

// TestEngines says which patterns are matched in linear time: that must not be lost
// unnoticed.
func TestEngines(t *testing.T) {
	for pattern, want := range map[string]bool{
		"npm test": true, "^bash$": true, `\.env$`: true, "^(bash|powershell)$": true, `src/.*\.ts$`: true,
		"(?i)select": true, `\bx\b`: true, "a{,2}b*": true, "(a)(?:b)?": true, "(?m)^a": true,
		"😀": false, `\u0041`: false, "(?=a)": false, `(a)\1`: false, "a{1001}": false, "(?<!a)b": false,
		`\pL`: false, "[]a]": false, "[^]": false, `\07`: false,
	} {
		re, err := Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := re.linear != nil; got != want {
			t.Errorf("%q linear: %v, want %v", pattern, got, want)
		}
	}
}

// FuzzMatch checks that no pattern and no text panics, and that the engines agree.
func FuzzMatch(f *testing.F) {
	for _, s := range [][2]string{
		{`(a+)+$`, "aab"}, {`(?<=(\w)\1)x|\k`, "aax"}, {`(?i)[^\W_-é]{2,}?`, "ÉÉ"},
		{`(?m)^(?:a|(b)*?)\1.$`, "a\nb"}, {`[😀\cJ-\x41]\u{2}`, "😀"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		if len(pattern) > 200 || len(text) > 200 || !utf8.ValidString(text) || !utf8.ValidString(pattern) {
			return
		}
		re, err := Compile(pattern)
		if err != nil {
			return
		}
		re.full.MatchTimeout = 10 * time.Millisecond
		got, err := re.MatchString(text)
		if err != nil || re.linear == nil || !isPlain(text) {
			return
		}
		if slow, err := (&Regexp{full: re.full, units: units}).MatchString(text); err == nil && slow != got {
			t.Fatalf("%q on %q: %v, backtracking %v", pattern, text, got, slow)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	text := strings.Repeat("cd /srv/app && npm run build -- --quiet; ", 20) + "npm test"
	for _, pattern := range []string{`npm test`, `npm (test|ci)$`, `(?<!run )npm test`, `^(?!.*rm -rf)`} {
		b.Run(pattern, func(b *testing.B) {
			re, err := Compile(pattern)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := re.MatchString(text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestBudget: slow matches are charged, fast ones are not, and of a spent budget only linear
// matches are left.
func TestBudget(t *testing.T) {
	slow, err := CompileSchema(`(?=(a+)+$)a`)
	if err != nil {
		t.Fatal(err)
	}
	linear, err := CompileSchema(`^a+$`)
	if err != nil {
		t.Fatal(err)
	}
	var b Budget
	for range 10_000 {
		if ok, err := slow.MatchWithin(&b, "aa"); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	if b.spent.Load() > int64(budgetTime/10) {
		t.Errorf("fast matches have spent %d ns", b.spent.Load())
	}
	// JavaScript's . is no carriage return, so that the linear engine is asked only about texts without one.
	if dot, err := CompileSchema("^a.b$"); err != nil || dot.linear == nil {
		t.Fatal(err)
	} else if ok, err := dot.MatchWithin(&b, "a\rb"); ok || err != nil {
		t.Errorf("a carriage return: %v, %v", ok, err)
	}
	// A match may take longer the longer its text is: two megabytes take some milliseconds and cost nothing.
	var long Budget
	text := strings.Repeat("a", 1<<21)
	for pattern, want := range map[string]bool{`(?=a)a`: true, `(?=b)b`: false} {
		re, err := CompileSchema(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := re.MatchWithin(&long, text); ok != want || err != nil || long.spent.Load() != 0 {
			t.Errorf("%s: %v, %v, spent %d ns", pattern, ok, err, long.spent.Load())
		}
	}
	// Each further letter doubles the time. The first match that costs something is not stopped yet.
	var charged Budget
	for n := 4; charged.spent.Load() == 0; n++ {
		if ok, err := slow.MatchWithin(&charged, strings.Repeat("a", n)+"!"); ok || err != nil {
			t.Fatalf("%d letters: %v, %v", n, ok, err)
		}
	}
	if spent := time.Duration(charged.spent.Load()); spent < slowTime {
		t.Errorf("a slow match costs %v", spent)
	}
	if _, err := slow.MatchWithin(&b, strings.Repeat("a", 60)+"!"); !errors.Is(err, errTimeout) {
		t.Errorf("a slow match: %v", err)
	}
	if _, err := slow.MatchWithin(&b, "aa"); !errors.Is(err, errSpent) {
		t.Errorf("after a slow match: %v", err)
	}
	if ok, err := linear.MatchWithin(&b, "aa"); !ok || err != nil {
		t.Errorf("a linear match: %v %v", ok, err)
	}
}
