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
