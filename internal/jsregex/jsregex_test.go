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
// ends in ErrTimeout within seconds.
func TestHostile(t *testing.T) {
	long := strings.Repeat("a", 200_000)
	for _, tc := range []struct {
		pattern, text string
		want          bool
		timeout       bool
	}{
		{`(a+)+$`, long + "!", false, false},
		{`(a+)+$`, long + "😀!", false, false},
		{`^(([a-z])+.)+[A-Z]([a-z])+$`, long, false, false},
		{`(x+x+)+y`, strings.Repeat("x", 5000), false, false},
		{`(.*)*$`, long + "\n", true, false},
		{`(?=(a+)+$)a`, strings.Repeat("a", 40) + "!", false, true},
		{`^(a+)+\1$`, strings.Repeat("a", 41) + "!", false, true},
		{`(?<!x(a|aa)+)b`, strings.Repeat("a", 60) + "b", true, true},
		{`(?=.*x)(?=.*y)z`, long, false, true},
		{`(?:(a)|b)*\1!`, long, false, true},
		{`(?=)(?:){2000000000}`, "", false, true},
		{`(?m)^(a+)+$`, strings.Repeat("a", 60) + "!", false, true},
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
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q took %v", tc.pattern, took)
		}
		if tc.timeout != errors.Is(err, ErrTimeout) || err == nil && got != tc.want {
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
	// Counted loops nest without growing: the machine counts, it does not unroll.
	re, err := Compile(`(?:(?:(?:a{1000}){1000}){1000}){1000}`)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := re.MatchString(strings.Repeat("a", 5000)); got || err != nil && !errors.Is(err, ErrTimeout) {
		t.Errorf("nested counts = %v, %v", got, err)
	}
}

func TestPrefix(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		flags   flags
		rest    int
	}{
		{`(?i)a`, flags{ignoreCase: true}, 4},
		{`(?ism)a`, flags{true, true, true}, 6},
		{`(?m)`, flags{multiline: true}, 4},
		{`(?ii)a`, flags{}, 0},
		{`(?)a`, flags{}, 0},
		{`(?x)a`, flags{}, 0},
		{`a(?i)`, flags{}, 0},
		{`(?i`, flags{}, 0},
	} {
		f, rest := cutFlags(tc.pattern)
		if f != tc.flags || rest != tc.rest {
			t.Errorf("cutFlags(%q) = %+v, %d; want %+v, %d", tc.pattern, f, rest, tc.flags, tc.rest)
		}
	}
}

func TestError(t *testing.T) {
	_, err := Compile(`(?i)a[b`)
	var bad *PatternError
	if !errors.As(err, &bad) || bad.Pattern != `(?i)a[b` || bad.Offset != 7 {
		t.Errorf("error %+v does not lead to the place", bad)
	}
}

// TestConcurrent runs one pattern in many goroutines; the race detector and the
// answers watch.
func TestConcurrent(t *testing.T) {
	var cache Cache
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 200 {
				re, err := cache.Compile(`^(\w+)-\1(?=!)`)
				if err != nil {
					t.Error(err)
					return
				}
				text := strings.Repeat("x", i+1)
				if ok, err := re.MatchString(text + "-" + text + "!"); !ok || err != nil {
					t.Errorf("%q: %v, %v", text, ok, err)
				}
				if ok, err := re.MatchString(text + "-y!"); ok || err != nil {
					t.Errorf("%q: %v, %v", text, ok, err)
				}
				if _, err := cache.Compile("("); err == nil {
					t.Error("( compiles")
				}
			}
		})
	}
	wg.Wait()
	if len(cache.compiled) != 2 {
		t.Errorf("the cache holds %d patterns, want 2", len(cache.compiled))
	}
}

// TestEngines says which patterns are matched how: the fast ways must not be lost
// unnoticed.
func TestEngines(t *testing.T) {
	for pattern, want := range map[string]string{
		"npm test": "literal", "^bash$": "literal", `\.env$`: "literal", `\u0041`: "literal",
		"^(bash|powershell)$": "linear", `src/.*\.ts$`: "linear", "(?i)select": "linear", `\bx\b`: "linear", "a{,2}b*": "linear", "😀": "linear", "(a)(?:b)?": "linear",
		"(?=a)": "backtracking", `(a)\1`: "backtracking", "(?m)^a": "backtracking", "a{1001}": "backtracking", "(?<!a)b": "backtracking",
	} {
		re, err := Compile(pattern)
		if err != nil {
			t.Fatal(err)
		}
		got := "backtracking"
		switch {
		case re.literal != nil:
			got = "literal"
		case re.linear != nil:
			got = "linear"
		}
		if got != want {
			t.Errorf("%q is matched by the %s engine, want %s", pattern, got, want)
		}
	}
}

// FuzzMatch checks that no pattern and no text panics, and that the engines agree.
func FuzzMatch(f *testing.F) {
	for _, s := range [][2]string{{`(a+)+$`, "aab"}, {`(?<=(\w)\1)x|\k`, "aax"}, {`(?i)[^\W_-é]{2,}?`, "ÉÉ"}, {`(?m)^(?:a|(b)*?)\1.$`, "a\nb"}, {`[😀\cJ-\x41]\u{2}`, "😀"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := Compile(pattern)
		if err != nil || !utf8.ValidString(text) || !utf8.ValidString(pattern) {
			return
		}
		got, err := re.MatchString(text)
		if err != nil || re.program != nil {
			return
		}
		if slow, err := backtracking(t, pattern).match(text); err == nil && slow != got {
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

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(`(?i)^(bash|powershell)\s+-c\b.*[^a-f]$`); err != nil {
			b.Fatal(err)
		}
	}
}
