package format

import (
	"hash/fnv"
	"path"
	"strconv"
	"strings"
	"sync"
)

// IDs makes the ids of conversations unique within a run. Readers of several files share one. It
// stores 64-bit hashes and not ids: two million conversations take about 40 MB. The zero IDs is
// usable. It is safe for concurrent use, but the ids depend on the order of the files.
type IDs struct {
	mu sync.Mutex
	// last is the last suffix by the hash of an id; 1 means no suffix.
	last map[uint64]int32
}

// Unique returns id on the first call, then id#2, id#3 and so on.
func (ids *IDs) Unique(id string) string {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	if ids.last == nil {
		ids.last = map[uint64]int32{}
	}
	first := hashID(id)
	for next, h := id, first; ; h = hashID(next) {
		if ids.last[h] == 0 {
			ids.last[h] = 1
			return next
		}
		ids.last[first]++
		next = id + "#" + strconv.Itoa(int(ids.last[first]))
	}
}

func hashID(id string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(id))
	return h.Sum64()
}

// baseName returns a file's name without folder and endings. Conversations without an id are named after it.
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
