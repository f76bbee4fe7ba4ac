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
		if calls[i], err = strictCall(n); err != nil {
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
	return literal(root, false)
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
			return nil, refuse("%.60q is no call", unparseBounded(n))
		}
	}
	return nodes, nil
}

// unparseBounded is unparse for messages: large trees are not worth printing.
func unparseBounded(n *node) string {
	if n.depth > 20 || len(n.kids) > 20 {
		return "..."
	}
	return unparse(n)
}

// dottedName returns the name that a call's function spells.
func dottedName(n *node) (string, bool) {
	var parts []string
	for ; n.kind == nodeAttribute; n = n.kids[0] {
		parts = append(parts, n.text)
	}
	if n.kind != nodeName {
		return "", false
	}
	if len(parts) == 0 {
		return n.text, true
	}
	var name strings.Builder
	name.WriteString(n.text)
	for i := len(parts) - 1; i >= 0; i-- {
		name.WriteString("." + parts[i])
	}
	return name.String(), true
}

func positional(i int) string { return "__positional_" + strconv.Itoa(i) }

func strictCall(n *node) (Call, error) {
	name, ok := dottedName(n.kids[0])
	if !ok {
		return Call{}, refuse("%.60q is no function name", unparseBounded(n.kids[0]))
	}
	members := make([]value.Member, 0, len(n.kids)-1+len(n.keywords))
	for i, arg := range n.kids[1:] {
		v, err := literal(arg, true)
		if err != nil {
			return Call{}, err
		}
		members = append(members, value.Member{Key: positional(i), Value: v})
	}
	if err := checkKeywords(n.keywords); err != nil {
		return Call{}, err
	}
	for _, k := range n.keywords {
		v, err := literal(k.value, true)
		if err != nil {
			return Call{}, err
		}
		members = append(members, value.Member{Key: k.name, Value: v})
	}
	return Call{Name: name, Arguments: value.OfObject(members...)}, nil
}

// checkKeywords refuses **x. Of a repeated name the last value counts.
func checkKeywords(keywords []keyword) error {
	for _, k := range keywords {
		if k.name == "" {
			return refuse("**%.60s cannot be read", unparseBounded(k.value))
		}
	}
	return nil
}

// literal turns a literal's tree into its value. names says that an identifier is
// the string of its name.
func literal(n *node, names bool) (value.Value, error) {
	switch n.kind {
	case nodeConst:
		return n.val, nil
	case nodeName:
		if names {
			return value.OfString(n.text), nil
		}
	case nodeUnary:
		if v, ok := signed(n); ok {
			return v, nil
		}
	case nodeList, nodeTuple:
		return sequenceOf(n, func(k *node) (value.Value, error) { return literal(k, names) })
	case nodeDict:
		return dictOf(n, func(k *node) (value.Value, error) { return literal(k, names) })
	}
	return value.Value{}, refuse("%.60q is no literal", unparseBounded(n))
}

// signed reads one + or - before a number.
func signed(n *node) (value.Value, bool) {
	operand := n.kids[0]
	if operand.kind != nodeConst || !operand.val.IsNumber() {
		return value.Value{}, false
	}
	switch n.text {
	case "+":
		return operand.val, true
	case "-":
		return negate(operand.val), true
	}
	return value.Value{}, false
}

// negate flips the sign of an unsigned number, keeping its digits. Integers have
// no negative zero.
func negate(v value.Value) value.Value {
	if v.Kind() == value.Int && v.Text() == "0" {
		return v
	}
	return value.OfNumber("-" + v.Text())
}

type resolver func(*node) (value.Value, error)

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
	members := make([]value.Member, 0, len(n.kids)/2)
	for i := 0; i < len(n.kids); i += 2 {
		if n.kids[i] == nil {
			return value.Value{}, refuse("** cannot be read in a dictionary")
		}
		k, err := resolve(n.kids[i])
		if err != nil {
			return value.Value{}, err
		}
		key, ok := k.Str()
		if !ok {
			return value.Value{}, refuse("key %.60q is no string", unparseBounded(n.kids[i]))
		}
		v, err := resolve(n.kids[i+1])
		if err != nil {
			return value.Value{}, err
		}
		members = append(members, value.Member{Key: key, Value: v})
	}
	return value.OfObject(members...), nil
}
