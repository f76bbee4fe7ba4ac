package config

import (
	"fmt"

	"github.com/judgekit/judge/internal/value"
)

// decoder collects the problems of one file.
type decoder struct {
	file     string
	problems Problems
}

func (d *decoder) fail(line, col int, path, format string, args ...any) {
	d.problems = append(d.problems, &Problem{File: d.file, Line: line, Col: col, Path: path, Message: fmt.Sprintf(format, args...)})
}

// object reads one mapping; it remembers which keys it was asked for, so that done
// can name the others.
type object struct {
	d    *decoder
	n    *node
	path string
	// known are the keys in the order asked for, seen the same as a set.
	known []string
	seen  map[string]bool
}

func (d *decoder) object(n *node, path string) *object {
	if n.kind != value.Object {
		d.fail(n.line, n.col, path, "want a mapping of keys to values")
		n = &node{line: n.line, col: n.col, kind: value.Object}
	}
	return &object{d: d, n: n, path: path, seen: map[string]bool{}}
}

func (o *object) join(name string) string {
	if o.path == "" {
		return name
	}
	return o.path + "." + name
}

// key returns the place of a key without marking it as known.
func (o *object) key(name string) *key {
	for i := range o.n.keys {
		if o.n.keys[i].name == name {
			return &o.n.keys[i]
		}
	}
	return nil
}

// get returns the value under a key, nil where it is absent or null, and marks the
// key as known.
func (o *object) get(name string) *node {
	if !o.seen[name] {
		o.seen[name] = true
		o.known = append(o.known, name)
	}
	for i := range o.n.keys {
		if o.n.keys[i].name == name && o.n.items[i].kind != value.Null {
			return o.n.items[i]
		}
	}
	return nil
}

// done reports every key that nobody asked for.
func (o *object) done() {
	for _, k := range o.n.keys {
		if !o.seen[k.name] {
			o.d.fail(k.line, k.col, o.join(k.name), "%s", unknown("key", k.name, o.known))
		}
	}
}

func (o *object) string(name string, dst *string) {
	n := o.get(name)
	if n == nil {
		return
	}
	text, ok := n.scalar.Str()
	if !ok {
		o.d.fail(n.line, n.col, o.join(name), "want text, got %s", n.kind)
		return
	}
	*dst = text
}

func (o *object) required(name string, dst *string) {
	o.string(name, dst)
	if *dst == "" && o.key(name) == nil {
		o.d.fail(o.n.line, o.n.col, o.join(name), "is missing")
	}
}

func (o *object) oneOf(name string, words []string, dst *string) {
	before := *dst
	o.string(name, dst)
	if *dst == before {
		return
	}
	for _, w := range words {
		if *dst == w {
			return
		}
	}
	n := o.get(name)
	o.d.fail(n.line, n.col, o.join(name), "%s", unknown("value", *dst, words))
}

// strings reads a list of texts; a single text counts as a list of one.
func (o *object) strings(name string) []string {
	n := o.get(name)
	if n == nil {
		return nil
	}
	if text, ok := n.scalar.Str(); ok {
		return []string{text}
	}
	if n.kind != value.List {
		o.d.fail(n.line, n.col, o.join(name), "want a list of texts, got %s", n.kind)
		return nil
	}
	var out []string
	for i, item := range n.items {
		text, ok := item.scalar.Str()
		if !ok {
			o.d.fail(item.line, item.col, fmt.Sprintf("%s[%d]", o.join(name), i), "want text, got %s", item.kind)
			continue
		}
		out = append(out, text)
	}
	return out
}

// each reads every element of a list.
func each[T any](o *object, name string, dst *[]T, read func(path string, n *node) T) {
	n := o.get(name)
	if n == nil {
		return
	}
	if n.kind != value.List {
		o.d.fail(n.line, n.col, o.join(name), "want a list, got %s; start each entry with a dash", n.kind)
		return
	}
	for i, item := range n.items {
		*dst = append(*dst, read(fmt.Sprintf("%s[%d]", o.join(name), i), item))
	}
}

func (o *object) number(name string, low, high float64) *float64 {
	n := o.get(name)
	if n == nil {
		return nil
	}
	f, ok := n.scalar.Float64()
	if !ok || f < low || f > high {
		o.d.fail(n.line, n.col, o.join(name), "want a number from %g to %g", low, high)
		return nil
	}
	return &f
}

func (o *object) int64(name string) *int64 {
	n := o.get(name)
	if n == nil {
		return nil
	}
	i, ok := n.scalar.Int64()
	if !ok {
		o.d.fail(n.line, n.col, o.join(name), "want a whole number")
		return nil
	}
	return &i
}

func (o *object) int(name string, low int, dst *int) {
	i := o.int64(name)
	if i == nil {
		return
	}
	if *i < int64(low) || *i > 1<<40 {
		n := o.get(name)
		o.d.fail(n.line, n.col, o.join(name), "want a whole number from %d on", low)
		return
	}
	*dst = int(*i)
}

func (o *object) bool(name string, dst *bool) {
	n := o.get(name)
	if n == nil {
		return
	}
	b, ok := n.scalar.BoolVal()
	if !ok {
		o.d.fail(n.line, n.col, o.join(name), "want true or false, got %s", n.kind)
		return
	}
	*dst = b
}
