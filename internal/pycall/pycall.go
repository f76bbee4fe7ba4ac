// Package pycall owns the reading of Python call strings such as
//
//	[get_weather(city='Rome', days=3), maps.route(points=[(1, 2), (3, 4)])]
//
// in the three dialects that scorers need (Parse, DecodeBFCL, ParseFutureAGI), and
// of Python literals (ParseLiteral).
//
// It promises that nothing is executed, that every number keeps its digits, and
// that any text at all ends in calls or in a *SyntaxError: nesting is bounded,
// arithmetic is bounded, and time grows with the length of the text.
package pycall

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/value"
)

// maxLength bounds the text, in bytes; more is no call that an agent wrote.
const maxLength = 8 << 20

// Call is one call of a call string.
type Call struct {
	// Name keeps all parts of a dotted name; under ParseFutureAGI only the last.
	Name string
	// Arguments is an object in the order written, positional arguments first:
	// argument number i (from 0) has the key "__positional_<i>".
	Arguments value.Value
	// Opaque names the arguments whose value equals nothing, not even itself. Only
	// ParseFutureAGI sets it; in Arguments such a value holds its source text where
	// it could not be read.
	Opaque []string
}

// SyntaxError says why a text is unreadable.
type SyntaxError struct {
	// Offset is the byte position near which reading stopped, in the trimmed text.
	Offset int
	// Message says in words what was wrong.
	Message string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("python call, byte %d: %s", e.Offset, e.Message)
}

// Parse reads one call, or a list, a tuple or a bare comma list of calls. Values
// are literals; a bare identifier is the string of its name. Anything else makes
// the whole text unreadable.
func Parse(s string) ([]Call, error) {
	root, err := parseTrimmed(trim(s))
	if err != nil {
		return nil, err
	}
	nodes, err := callNodes(root)
	if err != nil {
		return nil, err
	}
	calls := make([]Call, len(nodes))
	for i, n := range nodes {
		if calls[i].Name, err = dottedName(n.kids[0]); err != nil {
			return nil, err
		}
		if calls[i].Arguments, err = arguments(n, literalOrName, literalOrName); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// ParseLiteral reads one Python literal: None, True, False, numbers with at most
// one sign, strings, lists, tuples and dictionaries with string keys. Unlike in a
// call, a bare identifier is an error.
func ParseLiteral(s string) (value.Value, error) {
	root, err := parseTrimmed(trim(s))
	if err != nil {
		return value.Value{}, err
	}
	return literal(root)
}

func parseTrimmed(s string) (*node, error) {
	if len(s) > maxLength {
		return nil, refuse("text is longer than %d bytes", maxLength)
	}
	return parseExpression(s)
}

func refuse(format string, args ...any) error {
	return &SyntaxError{Message: fmt.Sprintf(format, args...)}
}

// trim drops what Python's str.strip drops.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
	})
}

// callNodes returns the calls of a call, a list or a tuple.
func callNodes(root *node) ([]*node, error) {
	nodes := []*node{root}
	if root.kind == nodeList || root.kind == nodeTuple {
		nodes = root.kids
	}
	for _, n := range nodes {
		if n.kind != nodeCall {
			return nil, refuse("%.60q is no call", shown(n))
		}
	}
	return nodes, nil
}

// dottedName returns the name of a call's function, a or a.b.c.
func dottedName(n *node) (string, error) {
	name, at := "", n
	for ; at.kind == nodeAttribute; at = at.kids[0] {
		name = "." + at.text + name
	}
	if at.kind != nodeName {
		return "", refuse("%.60q is no function name", shown(n))
	}
	return at.text + name, nil
}

type resolver func(*node) (value.Value, error)

// arguments resolves the arguments of a call: the positional ones by positional, where
// it is given, the named ones by named. Of a repeated name the last value counts.
func arguments(call *node, positional, named resolver) (value.Value, error) {
	members := make([]value.Member, 0, len(call.kids))
	for i, arg := range call.kids[1:] {
		resolve := positional
		switch arg.kind {
		case nodeSpread:
			return value.Value{}, refuse("%.60s cannot be read", shown(arg))
		case nodeKeyword:
			resolve = named
		}
		if resolve == nil {
			continue
		}
		key, expression := keyed(i, arg)
		v, err := resolve(expression)
		if err != nil {
			return value.Value{}, err
		}
		members = append(members, value.Member{Key: key, Value: v})
	}
	return value.OfObject(members...), nil
}

// keyed returns argument number i of a call with its key.
func keyed(i int, arg *node) (key string, expression *node) {
	if arg.kind == nodeKeyword {
		return arg.text, arg.kids[0]
	}
	return "__positional_" + strconv.Itoa(i), arg
}

// literalOrName reads a literal in which an identifier is the string of its name.
func literalOrName(n *node) (value.Value, error) {
	if n.kind == nodeName {
		return value.OfString(n.text), nil
	}
	return literalOf(n, literalOrName)
}

func literal(n *node) (value.Value, error) { return literalOf(n, literal) }

// literalOf turns a literal's tree into its value, its parts by inner.
func literalOf(n *node, inner resolver) (value.Value, error) {
	switch n.kind {
	case nodeConst:
		return n.val, nil
	case nodeList, nodeTuple:
		return sequenceOf(n, inner)
	case nodeDict:
		return dictOf(n, inner)
	case nodeUnary:
		operand := n.kids[0]
		switch {
		case operand.kind != nodeConst || !operand.val.IsNumber():
		case n.text == "+":
			return operand.val, nil
		case n.text == "-":
			return negate(operand.val), nil
		}
	}
	return value.Value{}, refuse("%.60q is no literal", shown(n))
}

// negate flips the sign of a number, keeping its digits. Integers have no negative
// zero.
func negate(v value.Value) value.Value {
	if positive, negative := strings.CutPrefix(v.Text(), "-"); negative {
		return value.OfNumber(positive)
	}
	if v.Kind() == value.Int && v.Text() == "0" {
		return v
	}
	return value.OfNumber("-" + v.Text())
}

func sequenceOf(n *node, resolve resolver) (value.Value, error) {
	elems := make([]value.Value, len(n.kids))
	for i, k := range n.kids {
		var err error
		if elems[i], err = resolve(k); err != nil {
			return value.Value{}, err
		}
	}
	if n.kind == nodeTuple {
		return value.OfTuple(elems...), nil
	}
	return value.OfList(elems...), nil
}

// dictOf builds an object; keys must resolve to strings.
func dictOf(n *node, resolve resolver) (value.Value, error) {
	members := make([]value.Member, len(n.kids))
	for i, pair := range n.kids {
		if pair.kind != nodePair {
			return value.Value{}, refuse("** cannot be read in a dictionary")
		}
		k, err := resolve(pair.kids[0])
		if err != nil {
			return value.Value{}, err
		}
		key, ok := k.Str()
		if !ok {
			return value.Value{}, refuse("key %.60q is no string", shown(pair.kids[0]))
		}
		v, err := resolve(pair.kids[1])
		if err != nil {
			return value.Value{}, err
		}
		members[i] = value.Member{Key: key, Value: v}
	}
	return value.OfObject(members...), nil
}
