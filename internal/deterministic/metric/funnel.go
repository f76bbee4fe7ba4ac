package metric

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Layers are the three verdicts of one case, nil where unknown.
type Layers struct{ Schema, AST, Execution *bool }

// Layer is one layer over a set.
type Layer struct {
	Name string
	// N counts the cases whose verdict is known, Passed those that pass: the three
	// rates side by side.
	N, Passed int
	// Through counts the cases that pass this layer and all before it, Lost those
	// that pass all before it and fail here. A case whose verdict here is unknown is
	// neither, and is not followed further.
	Through, Lost int
	// LostAt are the indexes of the lost cases.
	LostAt []int
}

// Rate is Passed/N, nil where no verdict is known.
func (l Layer) Rate() *float64 { return ratio(l.Passed, l.N) }

// Funnel computes the layers over a set, in the order schema, AST, execution.
func Funnel(cases []Layers) []Layer {
	out := []Layer{{Name: "schema"}, {Name: "ast"}, {Name: "execution"}}
	for i, c := range cases {
		alive := true
		for j, ok := range []*bool{c.Schema, c.AST, c.Execution} {
			l := &out[j]
			if ok == nil {
				alive = false
				continue
			}
			l.N++
			if *ok {
				l.Passed++
			}
			switch {
			case alive && *ok:
				l.Through++
			case alive:
				l.Lost++
				l.LostAt = append(l.LostAt, i)
				alive = false
			}
		}
	}
	return out
}

// FunnelLine says a funnel in one line: "100 % schema, 80 % ast, 55 % execution".
func FunnelLine(layers []Layer) string {
	parts := make([]string, len(layers))
	for i, l := range layers {
		rate := l.Rate()
		if rate == nil {
			parts[i] = l.Name + " unknown"
			continue
		}
		parts[i] = fmt.Sprintf("%s %% %s", strings.TrimSuffix(value.Percent(*rate), "%"), l.Name)
	}
	return strings.Join(parts, ", ")
}
