package baseline

import (
	"fmt"
	"strings"
	"testing"
)

// TestCacheIsBounded: blocks of any number and size are read alike, and what is kept
// of them stays within bounds.
func TestCacheIsBounded(t *testing.T) {
	var c cache
	for i := range 300 {
		size := []int{10, maxToolBytes / 20, maxToolBytes / 3, maxToolBytes + 1}[i%4]
		block := fmt.Sprintf(`{"name":"f%d","description":%q}`, i, strings.Repeat("x", size)) + "\n"
		for range 2 {
			set := c.toolSet(block)
			if tool := set[fmt.Sprint("f", i)]; len(set) != 1 || tool == nil || len(tool.description) != size {
				t.Fatalf("block %d: %d tools", i, len(set))
			}
		}
		held := 0
		for key := range c.sets {
			held += len(key)
		}
		if held != c.bytes || held > maxToolBytes || len(c.sets) > maxToolSets {
			t.Fatalf("block %d: %d bytes in %d sets, %d counted", i, held, len(c.sets), c.bytes)
		}
	}
}
