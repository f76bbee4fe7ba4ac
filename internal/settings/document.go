// Package settings reads a settings file, YAML or JSON, into a tagged struct.
//
// It promises that nothing in the file is ignored: an unknown key, a wrong type and a value out of
// range are problems with line, column, the path of the key and, for a misspelling, the most
// similar known key. All problems of a file are reported at once. A file with too deep nesting is
// refused before it uses much memory.
package settings

import (
	"bytes"
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

// Problem is one mistake in a file.
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

// Problems holds all mistakes in a file, in order.
type Problems []*Problem

// Error implements error: one line a problem.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// Node is one value of a file, with its position.
type Node struct {
	value.Value
	path  string
	found *findings
}

// findings are shared by all nodes of a file.
type findings struct {
	file string
	// values and keys hold the positions of the value and the key for each path. A value from no
	// file has no positions.
	values, keys map[string]place
	problems     Problems
}

type place struct{ line, col int }

func placeOf(t *token.Token) place { return place{t.Position.Line, t.Position.Column} }

func (f *findings) fail(at place, path, message string) {
	f.problems = append(f.problems, &Problem{File: f.file, Line: at.line, Col: at.col, Path: path, Message: message})
}

// note stores the position of a path, unless it has one: keys of a mapping come before merged ones.
func note(places map[string]place, path string, at place) {
	if _, known := places[path]; !known {
		places[path] = at
	}
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
	return root.Value, nil
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
		if doc.Body == nil && doc.Start != nil {
			// The library reads nothing after an empty document.
			if line := contentAfter(data, doc.Start.Position.Line); line > 0 {
				return fail(line, 1, "an empty document stands before this; take out its line of ---")
			}
		}
		if doc.Body != nil && doc.Body.Type() != ast.DirectiveType {
			bodies = append(bodies, doc.Body)
		}
	}
	found := &findings{file: file, values: map[string]place{}, keys: map[string]place{}}
	switch {
	case len(bodies) == 0:
		found.values[""] = place{1, 1}
		return &Node{Value: value.OfObject(), found: found}, nil
	case len(bodies) > 1:
		at := bodies[1].GetToken().Position
		return fail(at.Line, at.Column, "a second document starts here; a file holds one")
	}
	b := &builder{anchors: map[string]ast.Node{}, found: found}
	root := b.build(bodies[0], "", 0)
	if len(found.problems) > 0 {
		return nil, found.problems[:1]
	}
	return &Node{Value: root, found: found}, nil
}

// contentAfter returns the first line after a line that is more than a comment or a separator; 0 if none is.
func contentAfter(data []byte, line int) int {
	for i, text := range bytes.Split(data, []byte("\n")) {
		text = bytes.TrimSpace(text)
		if i >= line && len(text) > 0 && text[0] != '#' && string(text) != "---" && string(text) != "..." {
			return i + 1
		}
	}
	return 0
}

// The limits of a file before it is parsed: the parser's memory grows with the square of the depth.
const (
	maxFile    = 16 << 20
	maxNesting = 150
	// maxDepths limits the sum of the depths of all brackets.
	maxDepths = 8_000_000
	// maxNodes limits what anchors may unfold to.
	maxNodes = 200_000
)

// tooDeep returns the line at which a file is deeper or longer than any real configuration; 0 if
// there is none. Brackets in texts count too.
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

// builder converts the YAML tree to a value with positions. It unfolds anchors and merge keys,
// which the library's decoder can do only without positions.
type builder struct {
	anchors map[string]ast.Node
	count   int
	found   *findings
}

func (b *builder) build(n ast.Node, path string, depth int) value.Value {
	at := placeOf(n.GetToken())
	b.count++
	if depth > 100 || b.count > maxNodes {
		b.found.fail(at, path, "too deep or too large")
		return value.Value{}
	}
	switch n := n.(type) {
	case *ast.AnchorNode:
		b.anchors[n.Name.GetToken().Value] = n.Value
		return b.build(n.Value, path, depth+1)
	case *ast.AliasNode:
		if target, ok := b.anchors[n.Value.GetToken().Value]; ok {
			return b.build(target, path, depth+1)
		}
		b.found.fail(at, path, "no anchor of that name is defined above")
		return value.Value{}
	case *ast.TagNode:
		return b.build(n.Value, path, depth+1)
	case *ast.MappingNode:
		return b.mapping(n.Values, path, at, depth)
	case *ast.MappingValueNode:
		return b.mapping([]*ast.MappingValueNode{n}, path, at, depth)
	}
	note(b.found.values, path, at)
	list, ok := n.(*ast.SequenceNode)
	if !ok {
		return b.scalar(n, at, path)
	}
	elems := make([]value.Value, len(list.Values))
	for i, item := range list.Values {
		elems[i] = b.build(item, fmt.Sprintf("%s[%d]", path, i), depth+1)
	}
	return value.OfList(elems...)
}

// mapping reads the pairs; keys of a merge ("<<") come after the mapping's own. The position of a
// mapping is that of its first key.
func (b *builder) mapping(pairs []*ast.MappingValueNode, path string, at place, depth int) value.Value {
	if len(pairs) > 0 {
		at = placeOf(pairs[0].Key.GetToken())
	}
	note(b.found.values, path, at)
	var members []value.Member
	has := map[string]bool{}
	add := func(key string, v value.Value) {
		members = append(members, value.Member{Key: key, Value: v})
		has[key] = true
	}
	for _, pair := range pairs {
		if pair.Key.Type() == ast.MergeKeyType {
			continue
		}
		tok := pair.Key.GetToken()
		name := join(path, tok.Value)
		note(b.found.keys, name, placeOf(tok))
		add(tok.Value, b.build(pair.Value, name, depth+1))
	}
	for _, pair := range pairs {
		if pair.Key.Type() != ast.MergeKeyType {
			continue
		}
		for key, v := range b.build(pair.Value, path, depth+1).Members() {
			if !has[key] {
				add(key, v)
			}
		}
	}
	return value.OfObject(members...)
}

// scalar keeps the digits of plain decimal numbers; other notations are converted.
func (b *builder) scalar(n ast.Node, at place, path string) value.Value {
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
		case float64:
			return value.OfFloat(x)
		}
	case *ast.StringNode:
		// The library reads 1e3 as a text.
		if v := value.OfNumber(n.Value); n.Token.Type == token.StringType && !v.IsNull() {
			return v
		}
		return value.OfString(n.Value)
	case *ast.LiteralNode:
		return value.OfString(n.Value.Value)
	case *ast.InfinityNode, *ast.NanNode:
		b.found.fail(at, path, text+" is not a number that can be used here")
	default:
		b.found.fail(at, path, n.Type().String()+" is not allowed in a configuration")
	}
	return value.Value{}
}

// unknown returns the message for an unknown word.
func unknown(what, word string, known []string) string {
	if near := spelling.Nearest(word, known); near != "" {
		return fmt.Sprintf("unknown %s %q; did you mean %s?", what, word, near)
	}
	sorted := slices.Sorted(slices.Values(known))
	return fmt.Sprintf("unknown %s %q; known are %s", what, word, strings.Join(sorted, ", "))
}
