package directory

import (
	"github.com/judgekit/judge/internal/report"
)

// aligned says which call of conversation a each call of b is: the number of its
// partner, or for a call without one a number that no call of a has. Two calls are
// partners when they look the same to a judge; of what is left, when they are the same
// tool with the same arguments, the first with the first. Calls at one place of both
// conversations are none for that alone. sums counts what was found.
func aligned(a, b *itemLine, sums *report.CallPairs) []int32 {
	out := make([]int32, len(b.Calls))
	for k := range out {
		out[k] = int32(len(a.Calls) + k)
	}
	taken := make([]bool, len(a.Calls))
	paired := make([]bool, len(b.Calls))
	match := func(left, right []string) (n int) {
		if len(left) != len(a.Calls) || len(right) != len(b.Calls) {
			return 0 // written by a version that did not say
		}
		waiting := make(map[string][]int32, len(left))
		for i, hash := range left {
			if !taken[i] {
				waiting[hash] = append(waiting[hash], int32(i))
			}
		}
		for k, hash := range right {
			if list := waiting[hash]; !paired[k] && len(list) > 0 {
				waiting[hash] = list[1:]
				out[k], taken[list[0]], paired[k] = list[0], true, true
				n++
			}
		}
		return n
	}
	same := match(a.Calls, b.Calls)
	moved := match(a.Bare, b.Bare)
	sums.Same += same
	sums.Moved += moved
	sums.OnlyA += len(a.Calls) - same - moved
	sums.OnlyB += len(b.Calls) - same - moved
	return out
}

// inOrderOf reports whether every call of b is the call of a at its own place.
func inOrderOf(calls []int32) bool {
	for k, i := range calls {
		if int(i) != k {
			return false
		}
	}
	return true
}
