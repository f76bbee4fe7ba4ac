package deterministic

import (
	"strings"
	"sync"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// schemaCache keeps compiled schemas by their text, so that a tool is compiled once
// and not with every call. It is bounded: when it is full it starts anew.
type schemaCache struct {
	mu      sync.RWMutex
	entries map[string]cachedSchema
	bytes   int
}

type cachedSchema struct {
	compiled *schema.Schema
	err      error
}

// The bounds of a cache.
const (
	maxCachedSchemas = 2048
	maxCachedBytes   = 32 << 20
)

// get returns the compiled schema. All calls on one cache use one config.
func (c *schemaCache) get(source value.Value, config schema.Config) (*schema.Schema, error) {
	// The bytes as they were read cost nothing.
	key := source.Raw()
	c.mu.RLock()
	found, ok := c.entries[key]
	c.mu.RUnlock()
	if ok {
		return found.compiled, found.err
	}
	// A copy, so that the log's line is not kept with the schema.
	key = strings.Clone(key)
	if copied, err := value.ParseString(key); err == nil {
		source = copied
	}
	found.compiled, found.err = schema.Compile(source, config)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil || len(c.entries) >= maxCachedSchemas || c.bytes+len(key) > maxCachedBytes {
		c.entries, c.bytes = map[string]cachedSchema{}, 0
	}
	c.entries[key] = found
	c.bytes += len(key)
	return found.compiled, found.err
}
