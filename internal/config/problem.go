package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/spelling"
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

// unknown words the message for a word that is not known.
func unknown(what, word string, known []string) string {
	if near := spelling.Nearest(word, known); near != "" {
		return fmt.Sprintf("unknown %s %q; did you mean %s?", what, word, near)
	}
	sorted := slices.Clone(known)
	slices.Sort(sorted)
	return fmt.Sprintf("unknown %s %q; known are %s", what, word, strings.Join(sorted, ", "))
}
