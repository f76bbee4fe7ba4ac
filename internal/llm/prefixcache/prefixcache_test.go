package prefixcache

import (
	"strings"
	"testing"
)

func TestCache(t *testing.T) {
	a, b := strings.Repeat("a", 4*blockBytes), strings.Repeat("b", 2*blockBytes)
	c := New(0)
	steps := []struct {
		parts    []string
		computed int64 // in all, a part block for each prompt
	}{
		{[]string{a, b}, 7},       // six blocks and a part one
		{[]string{a, b}, 8},       // all there
		{[]string{a + b}, 9},      // however it is cut
		{[]string{a, "x", b}, 12}, // another block behind the common four
		{[]string{b}, 15},         // the same text at another place is another prefix
		{[]string{"x" + a}, 20},
	}
	for i, s := range steps {
		c.End(c.Begin(s.parts...))
		if c.Computed != s.computed {
			t.Errorf("step %d: %d computed, want %d", i, c.Computed, s.computed)
		}
	}
	// What is under way is not shared yet.
	c = New(0)
	first, second := c.Begin(a), c.Begin(a)
	c.End(first)
	c.End(second)
	if c.Computed != 10 {
		t.Errorf("%d computed of two at once, want 10", c.Computed)
	}
	// A small cache keeps the beginnings of the latest prompts.
	c = New(4)
	c.End(c.Begin(a + b))
	c.End(c.Begin(a + b))
	if c.Computed != 7+3 {
		t.Errorf("%d computed with room for four blocks, want 10", c.Computed)
	}
}
