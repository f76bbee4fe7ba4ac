package llmtest

import "sync"

// counter counts per body how often it came.
type counter struct {
	mu sync.Mutex
	n  map[[32]byte]int
}

func newCounter() *counter { return &counter{n: map[[32]byte]int{}} }

func (c *counter) next(k [32]byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n[k]++
	return c.n[k] - 1
}
