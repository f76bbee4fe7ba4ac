// Package template renders the small templates that name required calls, such as
// "{{ sample.tools | map(attribute='name') | list }}", over the one variable
// sample.
//
// It promises that rendering reads nothing but the sample, is bounded in size and
// work, and prints values as the templates' Python origin does: a string as itself,
// everything else in Python text, with all digits of a number and the keys of an
// object in document order; a missing field as empty text. Paths and a dozen filters are
// known; everything else, control structures too, is an error that says so.
package template

import (
	"fmt"

	"github.com/judgekit/judge/internal/value"
)

// The bounds of a template and its text.
const (
	maxSource = 64 << 10
	maxOutput = 4 << 20
)

// Template is a compiled template. It is safe for concurrent use.
type Template struct{ parts []part }

// part is literal text, or an expression.
type part struct {
	text string
	expr *expression
}

// Compile reads a template. The error says where it is not understood.
func Compile(source string) (*Template, error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("template is longer than %d bytes", maxSource)
	}
	parts, err := parse(source)
	if err != nil {
		return nil, err
	}
	return &Template{parts}, nil
}

// Render renders the template over the sample, null where there is none.
func (t *Template) Render(sample value.Value) (string, error) {
	var out []byte
	for _, p := range t.parts {
		if p.expr == nil {
			out = append(out, p.text...)
		} else {
			v, err := p.expr.eval(sample)
			if err != nil {
				return "", err
			}
			out = append(out, v.text()...)
		}
		if len(out) > maxOutput {
			return "", fmt.Errorf("rendered text is longer than %d bytes", maxOutput)
		}
	}
	return string(out), nil
}
