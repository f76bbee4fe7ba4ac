package transcript

import (
	"hash/fnv"
	"path"
	"strconv"
	"strings"
	"sync"
)

// IDs makes the ids of conversations unique within a run. Readers of several files
// share one. It remembers 64-bit hashes, not ids: two million conversations take
// about 40 MB. The zero IDs is ready; it is safe for concurrent use, but only a
// fixed order of files gives fixed ids.
type IDs struct {
	mu   sync.Mutex
	seen map[uint64]struct{}
	// again holds the last suffix of the ids that were met more than once.
	again map[uint64]int
}

// Unique returns id at the first call, and then id#2, id#3 and so on.
func (ids *IDs) Unique(id string) string {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	if ids.seen == nil {
		ids.seen, ids.again = map[uint64]struct{}{}, map[uint64]int{}
	}
	h := hashID(id)
	if ids.add(h) {
		return id
	}
	n := max(ids.again[h], 1)
	for {
		n++
		next := id + "#" + strconv.Itoa(n)
		if ids.add(hashID(next)) {
			ids.again[h] = n
			return next
		}
	}
}

func (ids *IDs) add(h uint64) bool {
	if _, ok := ids.seen[h]; ok {
		return false
	}
	ids.seen[h] = struct{}{}
	return true
}

func hashID(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}

// baseName returns the name of a file without its folder and endings: the stem of
// the ids of conversations that bring none.
func baseName(file string) string {
	if file == "" || file == "-" {
		return "stdin"
	}
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	for _, ending := range []string{".gz", ".json", ".jsonl", ".ndjson"} {
		base = strings.TrimSuffix(base, ending)
	}
	return base
}
