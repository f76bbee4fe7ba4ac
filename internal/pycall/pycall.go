// Package pycall owns the reading of Python call strings such as
//
//	[get_weather(city='Rome', days=3), maps.route(points=[(1, 2), (3, 4)])]
//
// in the three dialects that scorers need, and of Python literals.
//
// It promises that nothing is executed, that every number keeps its digits, and
// that any text at all ends in calls or in an error: nesting is bounded, arithmetic
// is bounded, and time grows with the length of the text.
package pycall

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/value"
)

// maxLength bounds the text in bytes: a longer one is not a call that an agent wrote.
const maxLength = 8 << 20

// maxShown bounds the source text of an argument that could not be read, in bytes.
const maxShown = 200

// Dialect says which texts are calls, and what may stand for an argument beside literals.
type Dialect uint8

const (
	// Plain reads one call, or a list, a tuple or a bare comma list of calls. Values
	// are literals; a bare identifier is the string of its name.
	Plain Dialect = iota
	// BFCL holds what the Berkeley Function-Calling Leaderboard reads. Single quotes at both ends
	// are dropped first. Beyond Plain it reads a number after any unary operator as its negative,
	// arithmetic on numbers, `...` as the string "...", a nested call without keyword arguments and
	// a subscript as their source text, and a nested call with keyword arguments as {name: {args}}.
	// Positional arguments are dropped unread.
	BFCL
	// FutureAGI reads one call: the name is the last attribute only ("" when the
	// function is no name), **x is ignored, and signed numbers, calls, arithmetic and
	// every other expression other than a plain literal become a value that equals
	// nothing, named in Opaque. An argument that holds such a value anywhere is opaque
	// as a whole.
	FutureAGI
	literals // Plain without bare identifiers
)

// Call is one call of a call string.
type Call struct {
	// Name keeps all parts of a dotted name; under FutureAGI only the last.
	Name string
	// Arguments is an object in the order written: argument number i (from 0) without
	// a name has the key "__positional_<i>", and of a repeated name the last counts.
	Arguments value.Value
	// Opaque names the arguments whose value equals nothing, not even itself. Only
	// FutureAGI sets it; in Arguments such a value holds its source text where it
	// could not be read.
	Opaque []string
}

// Parse reads the calls of a text. The error says near which byte reading stopped.
func Parse(s string, dialect Dialect) ([]Call, error) {
	s = trim(s)
	if dialect == BFCL {
		s = strings.Trim(s, "'")
	}
	root, err := parseBounded(s)
	if err != nil {
		return nil, err
	}
	nodes := []*node{root}
	if dialect != FutureAGI && (root.kind == nodeList || root.kind == nodeTuple) {
		nodes = root.kids
	}
	calls := make([]Call, len(nodes))
	r := resolver{dialect: dialect}
	for i, n := range nodes {
		if n.kind != nodeCall {
			return nil, syntaxError(n.pos, "this is not a call")
		}
		if calls[i], err = r.call(n); err != nil {
			return nil, err
		}
	}
	return calls, nil
}

// ParseLiteral reads one Python literal: None, True, False, numbers with at most
// one sign, strings, lists, tuples and dictionaries with string keys. Unlike in a
// call, a bare identifier is an error.
func ParseLiteral(s string) (value.Value, error) {
	root, err := parseBounded(trim(s))
	if err != nil {
		return value.Value{}, err
	}
	r := resolver{dialect: literals}
	return r.value(root)
}

func parseBounded(s string) (*node, error) {
	if len(s) > maxLength {
		return nil, syntaxError(0, "text is longer than %d bytes", maxLength)
	}
	return parseExpression(s)
}

// trim removes the characters that Python's str.strip removes.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f
	})
}

// functionName returns the name of a call's function, a or a.b.c.
func functionName(n *node, dialect Dialect) (string, error) {
	if dialect == FutureAGI {
		if n.kind == nodeName || n.kind == nodeAttribute {
			return n.text, nil
		}
		return "", nil
	}
	name := ""
	for ; n.kind == nodeAttribute; n = n.kids[0] {
		name = "." + n.text + name
	}
	if n.kind != nodeName {
		return "", syntaxError(n.pos, "this is not a function name")
	}
	return n.text + name, nil
}

// resolver turns the tree of an argument into its value.
type resolver struct {
	dialect Dialect
	// opaque says that a part of the value equals nothing; computed counts the digits computed so
	// far.
	opaque   bool
	computed int
}

func (r *resolver) call(n *node) (call Call, err error) {
	if call.Name, err = functionName(n.kids[0], r.dialect); err != nil {
		return call, err
	}
	members := make([]value.Member, 0, len(n.kids))
	for i, arg := range n.kids[1:] {
		key, expression := "__positional_"+strconv.Itoa(i), arg
		switch {
		case arg.kind == nodeSpread && r.dialect == FutureAGI:
			continue
		case arg.kind == nodeSpread:
			return call, syntaxError(arg.pos, "** cannot be read")
		case arg.kind == nodeKeyword:
			key, expression = arg.text, arg.kids[0]
		case r.dialect == BFCL:
			continue
		}
		r.opaque = false
		v, err := r.value(expression)
		if err != nil {
			return call, err
		}
		members = append(members, value.Member{Key: key, Value: v})
		call.Opaque = slices.DeleteFunc(call.Opaque, func(earlier string) bool { return earlier == key })
		if r.opaque {
			call.Opaque = append(call.Opaque, key)
		}
	}
	call.Arguments = value.OfObject(members...)
	return call, nil
}

func (r *resolver) value(n *node) (value.Value, error) {
	switch n.kind {
	case nodeConst:
		return n.val, nil
	case nodeName:
		if r.dialect != literals {
			return value.OfString(n.text), nil
		}
	case nodeList, nodeTuple:
		return r.sequence(n)
	case nodeDict:
		v, err := r.dict(n)
		if err == nil || r.dialect != FutureAGI {
			return v, err
		}
	}
	switch r.dialect {
	case BFCL:
		return r.expression(n)
	case FutureAGI:
		r.opaque = true
		return value.OfString(value.Excerpt(n.source, maxShown)), nil
	}
	if n.kind == nodeUnary && n.kids[0].val.IsNumber() {
		switch n.text {
		case "+":
			return n.kids[0].val, nil
		case "-":
			return negate(n.kids[0].val), nil
		}
	}
	return value.Value{}, syntaxError(n.pos, "this is not a literal")
}

// expression evaluates what the leaderboard accepts beside literals.
func (r *resolver) expression(n *node) (value.Value, error) {
	switch {
	case n.kind == nodeEllipsis:
		return value.OfString("..."), nil
	case n.kind == nodeUnary:
		// Whatever the operator is, a number is negated.
		if v := boolAsInt(n.kids[0].val); v.IsNumber() {
			return negate(v), nil
		}
	case n.kind == nodeBinary:
		return r.compute(n)
	case n.kind == nodeCall && slices.ContainsFunc(n.kids[1:], isNamed):
		call, err := r.call(n)
		return value.OfObject(value.Member{Key: call.Name, Value: call.Arguments}), err
	case n.kind == nodeCall || n.kind == nodeSubscript:
		return value.OfString(normalised(n.source)), nil
	}
	return value.Value{}, syntaxError(n.pos, "this cannot be read")
}

func isNamed(arg *node) bool { return arg.kind == nodeKeyword || arg.kind == nodeSpread }

// negate flips the sign of a number, keeping its digits. Integers have no negative
// zero.
func negate(v value.Value) value.Value {
	if positive, negative := strings.CutPrefix(v.Text(), "-"); negative {
		return value.OfNumber(positive)
	}
	if v.Text() == "0" {
		return v
	}
	return value.OfNumber("-" + v.Text())
}

func (r *resolver) sequence(n *node) (value.Value, error) {
	elems := make([]value.Value, len(n.kids))
	for i, k := range n.kids {
		var err error
		if elems[i], err = r.value(k); err != nil {
			return value.Value{}, err
		}
	}
	if n.kind == nodeTuple {
		return value.OfTuple(elems...), nil
	}
	return value.OfList(elems...), nil
}

// dict builds an object; keys must resolve to strings.
func (r *resolver) dict(n *node) (value.Value, error) {
	members := make([]value.Member, 0, len(n.kids))
	for _, pair := range n.kids {
		if pair.kind != nodePair {
			if r.dialect == FutureAGI {
				continue
			}
			return value.Value{}, syntaxError(pair.pos, "** cannot be read in a dictionary")
		}
		k, err := r.value(pair.kids[0])
		if err != nil {
			return value.Value{}, err
		}
		key, ok := k.Str()
		if !ok {
			return value.Value{}, syntaxError(pair.pos, "the key is not a string")
		}
		v, err := r.value(pair.kids[1])
		if err != nil {
			return value.Value{}, err
		}
		members = append(members, value.Member{Key: key, Value: v})
	}
	return value.OfObject(members...), nil
}
