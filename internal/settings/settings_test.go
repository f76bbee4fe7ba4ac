package settings

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBombs: what nests too deep is refused before it costs memory.
func TestBombs(t *testing.T) {
	for _, text := range []string{
		"logs: " + strings.Repeat("[", 200_000), strings.Repeat("- ", 50_000), strings.Repeat("{a: ", 100_000),
		strings.Repeat("? ", 50_000), strings.Repeat("x", 17<<20),
		strings.Repeat(" - "+strings.Repeat("[", 140)+strings.Repeat("]", 140)+"\n", 3000),
	} {
		if _, problem := Parse("judge.yaml", []byte(text)); problem == nil || !strings.Contains(problem.Error(), "too deep or too large") {
			t.Errorf("%.20q: %v", text, problem)
		}
	}
}

// A merge key gives what the mapping does not have itself, wherever it stands.
func TestMerge(t *testing.T) {
	v, err := Parse("f", []byte("base: &b {a: 1, b: 2}\nown: {b: 3, <<: *b}\nlate: {<<: *b, b: 4}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(`{"base":{"a":1,"b":2},"own":{"b":3,"a":1},"late":{"b":4,"a":1}}`, v.JSON()); d != "" {
		t.Error(d)
	}
}

// Numbers keep their digits; other notations are converted.
func TestNumbers(t *testing.T) {
	v, err := Parse("f", []byte("[12345678901234567890, 1.50, 0x1F, 1_000, 0o17, +7, -1e3, 1e999, \"1e3\", 007]"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(`[12345678901234567890,1.50,31,1000,15,7,-1e3,1e999,"1e3",7]`, v.JSON()); d != "" {
		t.Error(d)
	}
}
