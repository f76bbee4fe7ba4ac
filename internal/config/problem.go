package config

import (
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake of a configuration file.
type Problem struct {
	File      string
	Line, Col int
	// Path is the key, such as judges[0].concurrency; "" for the file as a whole.
	Path    string
	Message string
}

// Error implements error: "judge.yaml:3:5: judges[0].concurency: unknown key".
func (p *Problem) Error() string {
	place := fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Col)
	if p.Path == "" {
		return place + p.Message
	}
	return place + p.Path + ": " + p.Message
}

// Problems are all mistakes of a file, in its order.
type Problems []*Problem

// Error implements error: one line a problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Nearest returns the known word that a misspelled one most likely means, "" when
// none is near: at most a third of its letters differ.
func Nearest(word string, known []string) string {
	best, distance := "", len(word)/3+1
	for _, k := range known {
		if d := editDistance(strings.ToLower(word), strings.ToLower(k)); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours (optimal string alignment).
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return max(len(x), len(y))
	}
	before, prev := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(y)]
}

// unknown words the message for a word that is not known.
func unknown(what, word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf("unknown %s %q; did you mean %s?", what, word, near)
	}
	sorted := slices.Clone(known)
	slices.Sort(sorted)
	return fmt.Sprintf("unknown %s %q; known are %s", what, word, strings.Join(sorted, ", "))
}
