package deterministic

import (
	"strings"
	"sync"
)

// cache keeps what was made of texts, so that a tool or a configuration is read once and
// not with every call. It is bounded: when it is full it is emptied. The zero cache is
// ready and safe for concurrent use.
type cache[V any] struct {
	mu      sync.RWMutex
	entries map[string]V
	bytes   int
}

// The bounds of a cache.
const (
	maxCached      = 2048
	maxCachedBytes = 32 << 20
)

// get returns what read makes of a key. The key that read is given is a copy, so that
// nothing that is kept holds the line of a log.
func (c *cache[V]) get(key string, read func(key string) V) V {
	c.mu.RLock()
	found, ok := c.entries[key]
	c.mu.RUnlock()
	if ok {
		return found
	}
	key = strings.Clone(key)
	found = read(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= maxCached || c.bytes+len(key) > maxCachedBytes {
		c.entries, c.bytes = map[string]V{}, 0
	}
	c.entries[key] = found
	c.bytes += len(key)
	return found
}
