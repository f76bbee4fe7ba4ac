package value

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

// samePacked holds a packed text against the same text read as usual.
func samePacked(t *testing.T, src string) {
	t.Helper()
	var p, q Parser
	packed, ok := p.packAll(src, sizeOf(src))
	plain := q.prefix(src)
	if !ok {
		if q.err != nil || plain.kind > String && plain.Len() > 0 {
			t.Fatalf("%q is not packed", src)
		}
		return
	}
	if p.err != q.err || p.err != nil && p.pos != q.pos {
		t.Fatalf("%q: %v at %d, and %v at %d", src, p.err, p.pos, q.err, q.pos)
	}
	if p.err != nil {
		return
	}
	if p.repeats != q.repeats {
		t.Errorf("%q: %d keys are repeated, not %d", src, p.repeats, q.repeats)
	}
	for name, f := range map[string]func(Value) string{
		"JSON": Value.JSON, "Canonical": Value.Canonical, "Repr": Value.Repr, "Raw": Value.Raw,
		"Each": func(v Value) string { return v.Each(func(_ string, e Value) Value { return e }).JSON() },
		"Leaves": func(v Value) (all string) {
			for key, leaf := range v.Leaves() {
				all += key + "=" + leaf.JSON() + ";"
			}
			return all
		},
		"Field": func(v Value) string {
			return v.Field("a").JSON() + v.With("a", OfInt(1)).JSON() + v.Without("a").JSON()
		},
	} {
		if got, want := f(packed), f(plain); got != want {
			t.Fatalf("%s of %q: %s, not %s", name, src, got, want)
		}
	}
	if !Equal(packed, plain) || !Equal(plain, packed) || !Same(packed, packed) {
		t.Errorf("%q does not equal itself", src)
	}
	for i := range plain.Len() {
		if Same(packed.At(i), packed) || packed.At(i).Raw() != plain.At(i).Raw() || packed.KeyAt(i) != plain.KeyAt(i) {
			t.Errorf("%q: member %d is %q: %s", src, i, packed.KeyAt(i), packed.At(i).Raw())
		}
	}
}

// randomJSON writes a random value, sometimes with a mistake.
func randomJSON(r *rand.Rand, depth int) string {
	blank := []string{"", "", " ", "\n\t"}[r.IntN(4)]
	if r.IntN(200) == 0 {
		return []string{",", "]", "{", "01", `"\x"`, "\"\x01\"", "tru", ":"}[r.IntN(8)]
	}
	n := r.IntN(5)
	if r.IntN(20) == 0 {
		n = 20
	}
	var b strings.Builder
	switch kind := r.IntN(8); {
	case kind < 2 && depth > 0:
		for i := range n {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(randomJSON(r, depth-1))
		}
		return blank + "[" + blank + b.String() + "]" + blank
	case kind < 4 && depth > 0:
		for i := range n {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(blank + []string{`"a"`, `"b\n"`, "\"\xff\"", `"\u00e9"`, fmt.Sprintf(`"k%d"`, r.IntN(30))}[r.IntN(5)] + blank + ":" + randomJSON(r, depth-1))
		}
		return blank + "{" + blank + b.String() + "}" + blank
	}
	return blank + []string{"1", "-2.50", "1e400", "null", "true", "false", `"x,[{"`, `"a\"\\"`, "\"\xfe\"", `"` + strings.Repeat("y", 50) + `"`}[r.IntN(10)]
}

// TestPackedTexts: what a packed text reads as, how many of its keys are repeated, and the records that it takes.
func TestPackedTexts(t *testing.T) {
	for _, tt := range []struct {
		src, want string
		repeats   int
		room      size
	}{
		{`{"a":1,"b":[{},[],"x\n",{"c":[1,-2.50,null,true,"é"]}],"a":{"d":[[[]],[[1]]]}}`,
			`{"a":{"d":[[[]],[[1]]]},"b":[{},[],"x\n",{"c":[1,-2.50,null,true,"é"]}]}`, 1, size{29, 12}},
		{`{"k0":0,"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,"k9":9,"k10":10,"k11":11,"k12":12,"k1":[13],"k12":{"x":14}}`,
			`{"k0":0,"k1":[13],"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,"k9":9,"k10":10,"k11":11,"k12":{"x":14}}`,
			2, size{21, 16}},
		{` [ [ ] , { } , [ 1 ] ] `, `[[],{},[1]]`, 0, size{7, 4}},
		{"{\"\xff\":[\"\xfe\"]}", `{"�ff":["�fe"]}`, 0, size{5, 2}},
		{`["]","\"]",[7]]`, `["]","\"]",[7]]`, 0, size{7, 4}},
		{`[[1],2,[3,4]]`, `[[1],2,[3,4]]`, 0, size{10, 5}},
	} {
		samePacked(t, tt.src)
		var p Parser
		room := sizeOf(tt.src)
		v, ok := p.packAll(tt.src, room)
		if got := v.JSON(); got != tt.want || !ok || p.repeats != tt.repeats || room != tt.room {
			t.Errorf("%s: %s, packed %v, %d repeated keys, %+v; want %s, %d, %+v", tt.src, got, ok, p.repeats, room, tt.want,
				tt.repeats, tt.room)
		}
	}
	// The records of many containers have numbers of more than one byte.
	var many strings.Builder
	for i := range 400 {
		fmt.Fprintf(&many, `,[%d,{"a":%d}]`, i, i)
	}
	src := "[0" + many.String() + "]"
	samePacked(t, src)
	var p Parser
	v, ok := p.packAll(src, sizeOf(src))
	for _, i := range []int{0, 1, 85, 86, 255, 256, 399} {
		inner := v.At(i + 1)
		if want := fmt.Sprintf(`[%d,{"a":%d}]`, i, i); !ok || inner.JSON() != want || inner.Len() != 2 || !inner.packed() {
			t.Errorf("element %d: %s, packed %v; want %s", i, inner.JSON(), inner.packed(), want)
		}
	}
	// A text is packed if it is long, and has a member for 32 bytes.
	for _, tt := range []struct {
		src  string
		want bool
	}{
		{"[" + strings.Repeat("1,", minPacked/2-1) + "1]", true}, {"[" + strings.Repeat("1,", minPacked/2-2) + "1 ]", true},
		{"[" + strings.Repeat("1,", minPacked/2-2) + "1]", false},
		{`[` + strings.Repeat(`"`+strings.Repeat("x", 29)+`",`, minPacked/32) + `1]`, true},
		{`[` + strings.Repeat(`"`+strings.Repeat("x", 30)+`",`, minPacked/32) + `1]`, false},
	} {
		if v := parse(t, tt.src); v.packed() != tt.want {
			t.Errorf("%.20s of %d bytes and %d members: packed %v", tt.src, len(tt.src), v.Len(), v.packed())
		}
	}
}

// TestPackedIsTheSame: a packed text reads as the same value, or has the same mistake at the same
// place.
func TestPackedIsTheSame(t *testing.T) {
	for _, src := range []string{"1", "[]", "{}", "[ ]", " [1] ", "[1,2", `{"a":1,"a":2,"a":3}`, "[[],{}]", `{"a":{"a":{"a":[1]}}}`,
		strings.Repeat("[", 9999) + strings.Repeat("]", 9999), strings.Repeat("[", 10001) + strings.Repeat("]", 10001)} {
		samePacked(t, src)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		samePacked(t, randomJSON(r, 5))
	}
}

// TestPackedIndexOutOfRange: a place that a packed value does not have is a mistake of the caller.
func TestPackedIndexOutOfRange(t *testing.T) {
	for _, i := range []int{-1, 2} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("place %d of two was read", i)
				}
			}()
			parse(t, "[1,2]").At(i)
		}()
	}
}

// TestDenseTextsTakeLittleMemory: whatever a text holds, reading it takes at most eight times its
// bytes, beside the text itself, and so does what is kept of it.
func TestDenseTextsTakeLittleMemory(t *testing.T) {
	const size = 2 << 20
	for _, piece := range []string{"1,", "[],", "{},", `"",`, "[1],", `{"a":1},`, "[[[]]],", `{"":{}},`, "null,", "[0,0],", "12345678,", `"ab","c",`} {
		src := "[" + strings.Repeat(piece, size/len(piece)) + "1]"
		var p Parser
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		v, err := p.ParseString(src)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(piece, err)
		}
		if ratio := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(src)); ratio > 9 {
			t.Errorf("%q: %.1f times the bytes were allocated", piece, ratio)
		}
		runtime.KeepAlive(v)
	}
}

func BenchmarkDenseNumbers(b *testing.B) {
	src := "[" + strings.Repeat("1,", 1<<20) + "1]"
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		v, err := ParseString(src)
		if err != nil || v.Len() != 1<<20+1 {
			b.Fatal(err)
		}
	}
}
