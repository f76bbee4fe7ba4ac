// Package template renders the small templates that name required calls, such as "{{ sample.tools |
// map(attribute='name') | list }}". Their only variable is sample.
//
// It promises that rendering reads only the sample, that its size and work are limited, and that it
// prints values like the templates' Python origin: a string as itself, everything else as Python
// text, with all digits of a number and the keys of an object in document order; a missing field as
// empty text. It supports paths and the filters map, list, unique and tojson; everything else,
// including control structures, is an error that says so.
package template

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// The limits of a template and its text.
const (
	maxSource = 64 << 10
	maxOutput = 4 << 20
)

// Template is a compiled template. It is safe for concurrent use.
type Template struct{ parts []part }

// part is literal text, and the expression after it.
type part struct {
	text    string
	path    []string
	filters []filter
	// last is the text after the last expression.
	last bool
}

// filter is map(attribute='a.b'), or a filter without an argument.
type filter struct{ name, attribute string }

const quotedText = `(?:'([^'\\]*)'|"([^"\\]*)")`

var (
	// A }} inside quotes does not close the expression.
	expression = regexp.MustCompile(`\{\{((?:[^'"}]|'[^']*'|"[^"]*"|\}[^}])*)\}\}`)
	start      = regexp.MustCompile(`^\s*sample`)
	step       = regexp.MustCompile(`^\s*(?:\.\s*(\w+)|\[\s*(?:` + quotedText + `|(-?\d+))\s*\])`)
	pipe       = regexp.MustCompile(`^\s*\|\s*(?:(map)\(\s*attribute\s*=\s*` + quotedText +
		`\s*\)|(list|unique|tojson)(?:\(\s*\))?)`)
	other = regexp.MustCompile(`\{[{%#].{0,80}`)
)

// Compile compiles a template. Its error says where the template is wrong.
func Compile(source string) (*Template, error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("template is longer than %d bytes", maxSource)
	}
	source = strings.TrimSuffix(source, "\n")
	t := &Template{}
	from := 0
	for _, at := range append(expression.FindAllStringSubmatchIndex(source, -1), nil) {
		p := part{last: at == nil}
		if p.last {
			p.text = source[from:]
		} else {
			p.text, from = source[from:at[0]], at[1]
			if err := p.parse(source[at[2]:at[3]]); err != nil {
				return nil, err
			}
		}
		if unknown := other.FindString(p.text); unknown != "" {
			return nil, beyond(unknown)
		}
		t.parts = append(t.parts, p)
	}
	return t, nil
}

// beyond returns the error for a feature that is not supported.
func beyond(text string) error {
	return fmt.Errorf("template: %.80s: only {{ sample.a['b'] }} with the filters map(attribute='name'), list, unique "+
		"and tojson is known; give the names as a list", text)
}

// parse parses the inside of an expression.
func (p *part) parse(inner string) error {
	rest := inner[len(start.FindString(inner)):]
	if rest == inner {
		return beyond("{{" + inner + "}}")
	}
	for m := step.FindStringSubmatch(rest); m != nil; m = step.FindStringSubmatch(rest) {
		p.path = append(p.path, m[1]+m[2]+m[3]+m[4])
		rest = rest[len(m[0]):]
	}
	for m := pipe.FindStringSubmatch(rest); m != nil; m = pipe.FindStringSubmatch(rest) {
		p.filters = append(p.filters, filter{m[1] + m[4], m[2] + m[3]})
		rest = rest[len(m[0]):]
	}
	if strings.TrimSpace(rest) != "" {
		return beyond("{{" + inner + "}}")
	}
	return nil
}

// Render renders the template over the sample, which may be null.
func (t *Template) Render(sample value.Value) (string, error) {
	var out []byte
	for _, p := range t.parts {
		out = append(out, p.text...)
		if !p.last {
			text, err := p.render(sample)
			if err != nil {
				return "", err
			}
			out = append(out, text...)
		}
		if len(out) > maxOutput {
			return "", fmt.Errorf("rendered text is longer than %d bytes", maxOutput)
		}
	}
	return string(out), nil
}

func (p *part) render(sample value.Value) (string, error) {
	v, found := follow(sample, p.path)
	found = found && !sample.IsNull()
	for _, f := range p.filters {
		if f.name == "tojson" && !found {
			return "", errors.New("template: tojson cannot write a missing field")
		}
		var err error
		if v, err = f.apply(v); err != nil {
			return "", err
		}
		found = true
	}
	if !found {
		return "", nil
	}
	return v.Python(), nil
}

// follow follows a path: into objects by key, into lists by index.
func follow(v value.Value, path []string) (value.Value, bool) {
	for _, key := range path {
		next, ok := v.Get(key)
		if i, err := strconv.Atoi(key); err == nil && v.IsList() {
			if i < 0 {
				i += v.Len()
			}
			if ok = i >= 0 && i < v.Len(); ok {
				next = v.At(i)
			}
		}
		if !ok {
			return value.Value{}, false
		}
		v = next
	}
	return v, true
}

func (f filter) apply(v value.Value) (value.Value, error) {
	if f.name == "tojson" {
		return value.OfString(string(value.AppendJSON(nil, v, value.Format{SortKeys: true}))), nil
	}
	if !v.IsList() && !v.IsNull() {
		return v, fmt.Errorf("template: %s cannot go over %s", f.name, v.Kind().WithArticle())
	}
	var out []value.Value
	seen := map[string]bool{}
	for i, e := range v.Elements() {
		if f.name == "map" {
			var found bool
			if e, found = follow(e, strings.Split(f.attribute, ".")); !found {
				return v, fmt.Errorf("template: element %d has no %s", i, f.attribute)
			}
		}
		// Case does not matter, as in the origin.
		key := strings.ToLower(e.Canonical())
		if f.name != "unique" || !seen[key] {
			out = append(out, e)
		}
		seen[key] = true
	}
	return value.OfList(out...), nil
}
