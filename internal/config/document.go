package config

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"github.com/judgekit/judge/internal/value"
)

// node is one YAML value with its place.
type node struct {
	line, col int
	// kind is Null, Bool, Int, Float, String, List or Object.
	kind   value.Kind
	scalar value.Value
	keys   []key
	items  []*node
}

// key is a mapping key with its place; items holds the value at the same index.
type key struct {
	name      string
	line, col int
}

func (n *node) value() value.Value {
	switch n.kind {
	case value.List:
		elems := make([]value.Value, len(n.items))
		for i, item := range n.items {
			elems[i] = item.value()
		}
		return value.OfList(elems...)
	case value.Object:
		members := make([]value.Member, len(n.items))
		for i, item := range n.items {
			members[i] = value.Member{Key: n.keys[i].name, Value: item.value()}
		}
		return value.OfObject(members...)
	}
	return n.scalar
}

// maxNodes bounds what anchors may unfold to.
const maxNodes = 200_000

// builder turns the YAML tree into nodes.
type builder struct {
	file    string
	anchors map[string]ast.Node
	count   int
	problem *Problem
}

// parseDocument reads the single document of a file; an empty file is an empty
// object.
func parseDocument(file string, data []byte) (*node, *Problem) {
	if line := tooDeep(data); line > 0 {
		return nil, &Problem{File: file, Line: line, Col: 1, Message: "too deep or too large for a configuration"}
	}
	tree, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, yamlProblem(file, err)
	}
	var bodies []ast.Node
	for _, doc := range tree.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			bodies = append(bodies, doc.Body)
		}
	}
	switch {
	case len(bodies) == 0:
		return &node{line: 1, col: 1, kind: value.Object}, nil
	case len(bodies) > 1:
		pos := bodies[1].GetToken().Position
		return nil, &Problem{File: file, Line: pos.Line, Col: pos.Column, Message: "a second document starts here; a file holds one"}
	}
	b := &builder{file: file, anchors: map[string]ast.Node{}}
	root := b.build(bodies[0], 0)
	return root, b.problem
}

// YAML reads the one document of a file.
func YAML(file string, data []byte) (value.Value, error) {
	root, problem := parseDocument(file, data)
	if problem != nil {
		return value.Value{}, problem
	}
	return root.value(), nil
}

// The bounds of a file before it is parsed: the parser's memory grows with the square of
// the depth.
const (
	maxFile    = 16 << 20
	maxNesting = 150
	// maxDepths bounds the sum of the depths of all brackets.
	maxDepths = 8_000_000
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

// yamlProblem takes the place out of the library's error and keeps its first line.
func yamlProblem(file string, err error) *Problem {
	p := &Problem{File: file, Line: 1, Col: 1, Message: "not valid YAML"}
	var syntax *yaml.SyntaxError
	if errors.As(err, &syntax) {
		p.Message = "not valid YAML: " + strings.ToLower(syntax.Message)
		if syntax.Token != nil && syntax.Token.Position != nil {
			p.Line, p.Col = syntax.Token.Position.Line, syntax.Token.Position.Column
		}
	}
	return p
}

func (b *builder) fail(n ast.Node, format string, args ...any) *node {
	pos := n.GetToken().Position
	if b.problem == nil {
		b.problem = &Problem{File: b.file, Line: pos.Line, Col: pos.Column, Message: fmt.Sprintf(format, args...)}
	}
	return &node{line: pos.Line, col: pos.Column}
}

func (b *builder) build(n ast.Node, depth int) *node {
	b.count++
	if depth > 100 || b.count > maxNodes {
		return b.fail(n, "too deep or too large")
	}
	pos := n.GetToken().Position
	out := &node{line: pos.Line, col: pos.Column}
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.mapping(out, n.Values, depth)
	case *ast.MappingValueNode:
		return b.mapping(out, []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		out.kind = value.List
		for _, item := range n.Values {
			out.items = append(out.items, b.build(item, depth+1))
		}
		return out
	case *ast.AnchorNode:
		b.anchors[n.Name.GetToken().Value] = n.Value
		return b.build(n.Value, depth+1)
	case *ast.AliasNode:
		target, ok := b.anchors[n.Value.GetToken().Value]
		if !ok {
			return b.fail(n, "no anchor of that name stands above")
		}
		return b.build(target, depth+1)
	case *ast.TagNode:
		return b.build(n.Value, depth+1)
	}
	return b.scalar(out, n)
}

func (b *builder) mapping(out *node, pairs []*ast.MappingValueNode, depth int) *node {
	out.kind = value.Object
	for _, pair := range pairs {
		if pair.Key.Type() == ast.MergeKeyType {
			b.merge(out, b.build(pair.Value, depth+1))
			continue
		}
		tok := pair.Key.GetToken()
		name := tok.Value
		for _, k := range out.keys {
			if k.name == name {
				b.fail(pair.Key, "%s stands twice; first in line %d", name, k.line)
			}
		}
		out.keys = append(out.keys, key{name, tok.Position.Line, tok.Position.Column})
		out.items = append(out.items, b.build(pair.Value, depth+1))
	}
	if len(out.keys) > 0 {
		out.line, out.col = out.keys[0].line, out.keys[0].col
	}
	return out
}

// merge adds the keys of a "<<" mapping that are not there yet.
func (b *builder) merge(out, from *node) {
	for i, k := range from.keys {
		known := false
		for _, have := range out.keys {
			known = known || have.name == k.name
		}
		if !known {
			out.keys = append(out.keys, k)
			out.items = append(out.items, from.items[i])
		}
	}
}

func (b *builder) scalar(out *node, n ast.Node) *node {
	text := n.GetToken().Value
	switch n := n.(type) {
	case *ast.NullNode:
		out.kind = value.Null
	case *ast.BoolNode:
		out.kind, out.scalar = value.Bool, value.OfBool(n.Value)
	case *ast.IntegerNode:
		out.scalar = integer(text)
		out.kind = value.Int
	case *ast.FloatNode:
		out.kind, out.scalar = value.Float, float(text, n.Value)
	case *ast.StringNode:
		out.kind, out.scalar = value.String, value.OfString(n.Value)
	case *ast.LiteralNode:
		out.kind, out.scalar = value.String, value.OfString(n.Value.Value)
	case *ast.InfinityNode, *ast.NanNode:
		return b.fail(n, "%s is not a number that can be used here", text)
	default:
		return b.fail(n, "%s cannot stand in a configuration", n.Type())
	}
	return out
}

// integer keeps the digits of a plain decimal; other notations are converted.
func integer(text string) value.Value {
	if v := value.OfNumber(text); v.Kind() == value.Int {
		return v
	}
	clean := strings.ReplaceAll(strings.TrimPrefix(text, "+"), "_", "")
	if i, err := strconv.ParseInt(clean, 0, 64); err == nil {
		return value.OfInt(i)
	}
	return value.OfString(text)
}

func float(text string, f float64) value.Value {
	if v := value.OfNumber(text); !v.IsNull() {
		return v
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return value.OfString(text)
	}
	return value.OfFloat(f)
}
