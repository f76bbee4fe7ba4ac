// Package settings reads a settings file, YAML or JSON, into a tagged struct.
//
// It promises that nothing in the file is ignored: an unknown key, a wrong type and a
// value out of range are problems with line, column, the path of the key and, for a
// misspelling, the nearest known key. All problems of a file are reported at once. A
// file that nests too deep is refused before it costs memory.
package settings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/value"
)

// Problem is one mistake of a file.
type Problem struct {
	// File is "" for a value that came from no file; Line and Col are then 0.
	File      string
	Line, Col int
	// Path is the key, such as judges[0].concurrency; "" for the file as a whole.
	Path    string
	Message string
}

// Error implements error: "judge.yaml:3:5: judges[0].concurency: unknown key".
func (p *Problem) Error() string {
	text := p.Message
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	if p.File == "" {
		return text
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Col, text)
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

// Node is one value of a file, with its place.
type Node struct {
	line, col int
	path      string
	kind      value.Kind
	scalar    value.Value
	keys      []key
	items     []*Node
	found     *findings
}

// key is a key of a mapping with its place; items holds the value at the same index.
type key struct {
	name      string
	line, col int
}

// findings are shared by all nodes of a file.
type findings struct {
	file     string
	problems Problems
}

// Value returns the node without its place.
func (n *Node) Value() value.Value {
	switch n.kind {
	case value.List:
		elems := make([]value.Value, len(n.items))
		for i, item := range n.items {
			elems[i] = item.Value()
		}
		return value.OfList(elems...)
	case value.Object:
		members := make([]value.Member, len(n.items))
		for i, item := range n.items {
			members[i] = value.Member{Key: n.keys[i].name, Value: item.Value()}
		}
		return value.OfObject(members...)
	}
	return n.scalar
}

// of is a value as a node without a place.
func of(v value.Value, path string, found *findings) *Node {
	n := &Node{path: path, kind: v.Kind(), scalar: v, found: found}
	for i, e := range v.Elements() {
		n.items = append(n.items, of(e, fmt.Sprintf("%s[%d]", path, i), found))
	}
	for name, e := range v.Members() {
		n.keys = append(n.keys, key{name: name})
		n.items = append(n.items, of(e, join(path, name), found))
	}
	return n
}

func join(path, name string) string {
	if path == "" || strings.HasPrefix(name, "[") {
		return path + name
	}
	return path + "." + name
}

// Parse reads the one document of a file. The error is of type Problems.
func Parse(file string, data []byte) (value.Value, error) {
	root, err := parse(file, data)
	if err != nil {
		return value.Value{}, err
	}
	return root.Value(), nil
}

// parse reads the single document of a file; an empty file is an empty object.
func parse(file string, data []byte) (*Node, error) {
	fail := func(line, col int, message string) (*Node, error) {
		return nil, Problems{{File: file, Line: line, Col: col, Message: message}}
	}
	if line := tooDeep(data); line > 0 {
		return fail(line, 1, "too deep or too large for a configuration")
	}
	tree, err := parser.ParseBytes(data, 0)
	var syntax *yaml.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Token != nil && syntax.Token.Position != nil:
		at := syntax.Token.Position
		return fail(at.Line, at.Column, "not valid YAML: "+strings.ToLower(syntax.Message))
	case err != nil:
		return fail(1, 1, "not valid YAML")
	}
	var bodies []ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	b := &builder{anchors: map[string]ast.Node{}, found: &findings{file: file}}
	switch {
	case len(bodies) == 0:
		return &Node{line: 1, col: 1, kind: value.Object, found: b.found}, nil
	case len(bodies) > 1:
		at := bodies[1].GetToken().Position
		return fail(at.Line, at.Column, "a second document starts here; a file holds one")
	}
	root := b.build(bodies[0], "", 0)
	if len(b.found.problems) > 0 {
		return nil, b.found.problems[:1]
	}
	return root, nil
}

// The bounds of a file before it is parsed: the parser's memory grows with the square of
// the depth.
const (
	maxFile    = 16 << 20
	maxNesting = 150
	// maxDepths bounds the sum of the depths of all brackets.
	maxDepths = 8_000_000
	// maxNodes bounds what anchors may unfold to.
	maxNodes = 200_000
)

// tooDeep returns the line at which a file is deeper or longer than any configuration, 0
// for none. Brackets in texts count too.
func tooDeep(data []byte) int {
	if len(data) > maxFile {
		return 1
	}
	line, depth, depths, dashes := 1, 0, 0, 0
	for _, c := range data {
		switch c {
		case '[', '{':
			depth++
			depths += depth
		case ']', '}':
			depth = max(0, depth-1)
		case '-', '?', ':':
			dashes++
		case '\n':
			line++
			dashes = 0
		case ' ', '\t':
		default:
			dashes = 0
		}
		if depth > maxNesting || depths > maxDepths || dashes > maxNesting {
			return line
		}
	}
	return 0
}

// builder turns the YAML tree into nodes. It unfolds anchors and merge keys, which the
// library's decoder does only where it gives up the places.
type builder struct {
	anchors map[string]ast.Node
	count   int
	found   *findings
}

func (b *builder) build(n ast.Node, path string, depth int) *Node {
	at := n.GetToken().Position
	out := &Node{line: at.Line, col: at.Column, path: path, found: b.found}
	b.count++
	if depth > 100 || b.count > maxNodes {
		out.Failf("", "too deep or too large")
		return out
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		b.mapping(out, n.Values, depth)
	case *ast.MappingValueNode:
		b.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = value.List
		for i, item := range n.Values {
			out.items = append(out.items, b.build(item, fmt.Sprintf("%s[%d]", path, i), depth+1))
		}
	case *ast.AnchorNode:
		b.anchors[n.Name.GetToken().Value] = n.Value
		return b.build(n.Value, path, depth+1)
	case *ast.AliasNode:
		if target, ok := b.anchors[n.Value.GetToken().Value]; ok {
			return b.build(target, path, depth+1)
		}
		out.Failf("", "no anchor of that name is defined above")
	case *ast.TagNode:
		return b.build(n.Value, path, depth+1)
	default:
		out.scalar = b.scalar(out, n)
		out.kind = out.scalar.Kind()
	}
	return out
}

// mapping reads the pairs; keys of a merge ("<<") follow the mapping's own.
func (b *builder) mapping(out *Node, pairs []*ast.MappingValueNode, depth int) {
	out.kind = value.Object
	var merged []*Node
	for _, pair := range pairs {
		if pair.Key.Type() == ast.MergeKeyType {
			merged = append(merged, b.build(pair.Value, out.path, depth+1))
			continue
		}
		tok := pair.Key.GetToken()
		k := key{tok.Value, tok.Position.Line, tok.Position.Column}
		if i := out.index(k.name); i >= 0 {
			out.fail(k.line, k.col, k.name, fmt.Sprintf("occurs twice; first in line %d", out.keys[i].line))
		}
		out.keys = append(out.keys, k)
		out.items = append(out.items, b.build(pair.Value, join(out.path, k.name), depth+1))
	}
	for _, from := range merged {
		for i, k := range from.keys {
			if out.index(k.name) < 0 {
				out.keys, out.items = append(out.keys, k), append(out.items, from.items[i])
			}
		}
	}
	if len(out.keys) > 0 {
		out.line, out.col = out.keys[0].line, out.keys[0].col
	}
}

func (n *Node) index(name string) int {
	return slices.IndexFunc(n.keys, func(k key) bool { return k.name == name })
}

// scalar keeps the digits of plain decimal numbers; other notations are converted.
func (b *builder) scalar(out *Node, n ast.Node) value.Value {
	text := n.GetToken().Value
	switch n := n.(type) {
	case *ast.NullNode:
	case *ast.BoolNode:
		return value.OfBool(n.Value)
	case *ast.IntegerNode, *ast.FloatNode:
		if v := value.OfNumber(text); !v.IsNull() {
			return v
		}
		switch x := n.(ast.ScalarNode).GetValue().(type) {
		case int64:
			return value.OfInt(x)
		case uint64:
			return value.OfNumber(strconv.FormatUint(x, 10))
		}
		return value.OfString(text)
	case *ast.StringNode:
		// The library takes 1e3 for a text.
		if v := value.OfNumber(n.Value); n.Token.Type == token.StringType && !v.IsNull() {
			return v
		}
		return value.OfString(n.Value)
	case *ast.LiteralNode:
		return value.OfString(n.Value.Value)
	case *ast.InfinityNode, *ast.NanNode:
		out.Failf("", "%s is not a number that can be used here", text)
	default:
		out.Failf("", "%s is not allowed in a configuration", n.Type())
	}
	return value.Value{}
}

// unknown words the message for a word that is not known.
func unknown(what, word string, known []string) string {
	if near := spelling.Nearest(word, known); near != "" {
		return fmt.Sprintf("unknown %s %q; did you mean %s?", what, word, near)
	}
	sorted := slices.Sorted(slices.Values(known))
	return fmt.Sprintf("unknown %s %q; known are %s", what, word, strings.Join(sorted, ", "))
}
