package input

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
)

// Shard selects one of several parts of the conversations; the zero value means all. The hash of
// its id decides the part of a conversation, in whatever log it is.
type Shard struct {
	// Index counts from 0 and is below Of.
	Index, Of int
}

// ParseShard parses "i/n". n/n means 0/n, so that parts may be counted from 0 or from 1. "auto/n"
// takes i from the scheduler's variables: JOB_COMPLETION_INDEX of Kubernetes, or
// SLURM_ARRAY_TASK_ID; "auto" takes n from Slurm as well. "" means no shard.
func ParseShard(text string, getenv func(string) string) (Shard, error) {
	if text == "" {
		return Shard{}, nil
	}
	index, of, parted := strings.Cut(text, "/")
	first, auto := "0", index == "auto"
	if auto {
		if index = getenv("JOB_COMPLETION_INDEX"); index == "" {
			index, first = getenv("SLURM_ARRAY_TASK_ID"), getenv("SLURM_ARRAY_TASK_MIN")
		}
		if !parted {
			of = getenv("SLURM_ARRAY_TASK_COUNT")
		}
		if index == "" || of == "" {
			return Shard{}, fmt.Errorf("%s: neither JOB_COMPLETION_INDEX nor Slurm's array variables say which "+
				"shard this is, or of how many; give i/n, or auto/n", text)
		}
	}
	i, err := strconv.Atoi(index)
	n, errOf := strconv.Atoi(of)
	least, errFirst := strconv.Atoi(first)
	if first == "" {
		least, errFirst = 0, nil
	}
	if i -= least; err != nil || errOf != nil || errFirst != nil || n < 1 || i < 0 || i > n || auto && i == n {
		return Shard{}, fmt.Errorf("%s: want i/n with i from 0 to n, or auto/n", text)
	}
	return Shard{Index: i % n, Of: n}, nil
}

// String returns "i/n" with i from 0; "" for no shard.
func (s Shard) String() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Of)
}

// Holds reports whether a conversation belongs to the shard.
func (s Shard) Holds(id string) bool {
	if s.Of <= 1 {
		return true
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(id))
	// The low bits of FNV are mixed badly.
	sum := h.Sum64()
	return (sum^sum>>32)%uint64(s.Of) == uint64(s.Index)
}
