package page

import (
	"cmp"
	"slices"
)

// maxAligned limits the pairs of calls that Align compares; beyond it calls are paired by position.
const maxAligned = 1_000_000

// Align returns, for each call of b, the number of the corresponding call of a, -1 if there is
// none. Corresponding calls have the same tool and stay in order; as few as possible are left over,
// and similar calls are preferred.
func Align(a, b []Call) []int {
	out := slices.Repeat([]int{-1}, len(b))
	if len(a)*len(b) > maxAligned {
		for k := range min(len(a), len(b)) {
			if a[k].Tool == b[k].Tool {
				out[k] = k
			}
		}
		return out
	}
	// cost[i][k] is the cost of turning the calls of a from i on into those of b from k on.
	cost := make([][]float64, len(a)+1)
	for i := range cost {
		cost[i] = make([]float64, len(b)+1)
	}
	for i := len(a); i >= 0; i-- {
		for k := len(b); k >= 0; k-- {
			switch {
			case i == len(a):
				cost[i][k] = float64(len(b) - k)
			case k == len(b):
				cost[i][k] = float64(len(a) - i)
			default:
				cost[i][k] = min(1+cost[i+1][k], 1+cost[i][k+1], unlike(&a[i], &b[k])+cost[i+1][k+1])
			}
		}
	}
	for i, k := 0, 0; i < len(a) && k < len(b); {
		switch cost[i][k] {
		case unlike(&a[i], &b[k]) + cost[i+1][k+1]:
			if a[i].Tool == b[k].Tool {
				out[k] = i
			}
			i, k = i+1, k+1
		case 1 + cost[i+1][k]:
			i++
		default:
			k++
		}
	}
	return out
}

// unlike returns 0 for equal calls, up to 1 for two calls of the same tool, and 2 for different tools.
func unlike(a, b *Call) float64 {
	if a.Tool != b.Tool {
		return 2
	}
	if len(a.Arguments)+len(b.Arguments) == 0 {
		return 0
	}
	equal := 0
	for i := range a.Arguments {
		if slices.ContainsFunc(b.Arguments, a.Arguments[i].equals) {
			equal += 2
		}
	}
	return 1 - float64(equal)/float64(len(a.Arguments)+len(b.Arguments))
}

// equals reports whether two arguments have the same name and value.
func (a *Argument) equals(b Argument) bool {
	return a.Name == b.Name && cmp.Or(a.Same, a.Text) == cmp.Or(b.Same, b.Text)
}

// Differing returns the arguments of c that the other call does not have.
func (c *Call) Differing(other *Call) []Argument {
	return slices.DeleteFunc(slices.Clone(c.Arguments), func(a Argument) bool {
		return slices.ContainsFunc(other.Arguments, a.equals)
	})
}
