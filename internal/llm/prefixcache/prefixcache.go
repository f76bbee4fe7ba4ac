// Package prefixcache simulates how inference engines reuse the work on a common prefix of
// prompts: by whole blocks of tokens, found by the hash of everything up to their end, the
// least recently used dropped first. It forecasts what a run lets a server compute, and
// tests that requests come in an order that keeps caches warm.
package prefixcache

import (
	"container/list"
	"hash/maphash"
)

// blockBytes is the text of a block: 16 tokens of four bytes.
const blockBytes = 64

// Cache is the cache of one server. It is not safe for concurrent use.
type Cache struct {
	seed     maphash.Seed
	capacity int // in blocks, 0 for no bound
	blocks   map[uint64]*list.Element
	used     *list.List // of hashes, the latest in front
	// Computed and Asked count blocks over all prompts.
	Computed, Asked int64
}

// New makes a cache of so many blocks; 0 is without bound, in which Computed is the number
// of different prefixes: the nodes of the trie of all prompts, less than which no cache
// computes.
func New(capacity int) *Cache {
	return &Cache{seed: maphash.MakeSeed(), capacity: capacity, blocks: map[uint64]*list.Element{}, used: list.New()}
}

// Prompt is a prompt that is being computed.
type Prompt struct{ blocks []uint64 }

// Begin asks for a prompt, given as its parts, and counts what of it is not in the cache. A
// part block at the end is always computed and counts as one.
func (c *Cache) Begin(parts ...string) Prompt {
	var h maphash.Hash
	h.SetSeed(c.seed)
	var p Prompt
	left := blockBytes
	for _, part := range parts {
		for len(part) > 0 {
			n := min(left, len(part))
			_, _ = h.WriteString(part[:n])
			part = part[n:]
			if left -= n; left == 0 {
				p.blocks, left = append(p.blocks, h.Sum64()), blockBytes
			}
		}
	}
	hits := 0
	for hits < len(p.blocks) && c.touch(p.blocks[hits]) {
		hits++
	}
	c.Asked += int64(len(p.blocks)) + 1
	c.Computed += int64(len(p.blocks)-hits) + 1
	return p
}

// touch reports whether a block is there, and makes it the latest.
func (c *Cache) touch(hash uint64) bool {
	at, ok := c.blocks[hash]
	if ok {
		c.used.MoveToFront(at)
	}
	return ok
}

// End keeps the blocks of a prompt, now that it is computed. An engine that shares what is
// still being computed ends a prompt as it begins. The end of a prompt is dropped before
// its beginning.
func (c *Cache) End(p Prompt) {
	for i := len(p.blocks) - 1; i >= 0; i-- {
		if hash := p.blocks[i]; !c.touch(hash) {
			c.blocks[hash] = c.used.PushFront(hash)
		}
	}
	for c.capacity > 0 && len(c.blocks) > c.capacity {
		oldest := c.used.Back()
		delete(c.blocks, c.used.Remove(oldest).(uint64))
	}
}
