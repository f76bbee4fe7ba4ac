package schema

import (
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

// quick is the part of a schema that can be checked on a value as it is, without
// the library. It exists for schemas of the plain kind that nearly all tools have,
// and it only ever says "certainly valid": everything else goes to the library,
// which also finds the words.
type quick struct {
	// types is a set of bits by value.Kind; 0 allows all.
	types      uint
	enum       []value.Value
	names      []string
	properties []*quick
	required   []string
	closed     bool
	items      *quick
	minLength  int64
	maxLength  int64
	lengths    bool
}

// quickPlan returns the plan of a schema, nil where it says anything that the plan
// cannot.
func quickPlan(v value.Value, config Config, depth int) *quick {
	if v.Kind() != value.Object || depth > maxDepth || config.EveryKeyword {
		return nil
	}
	q := &quick{maxLength: 1 << 62}
	for key, rule := range v.Members() {
		if !q.keyword(key, rule, config, depth) {
			return nil
		}
	}
	return q
}

// keyword takes one keyword into the plan; false where it cannot.
func (q *quick) keyword(key string, rule value.Value, config Config, depth int) bool {
	ok := true
	switch key {
	case "description", "title", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly":
		// Annotations.
	case "type":
		q.types, ok = typeBits(rule)
	case "enum":
		ok = rule.IsList() && rule.Len() > 0 && rule.Len() <= 64
		for _, e := range rule.Elements() {
			ok = ok && e.Kind() == value.String
			q.enum = append(q.enum, e)
		}
	case "required":
		ok = rule.IsList()
		for _, e := range rule.Elements() {
			ok = ok && e.Kind() == value.String
			q.required = append(q.required, e.Text())
		}
	case "additionalProperties":
		open, isBool := rule.BoolVal()
		q.closed, ok = !open, isBool
	case "properties":
		ok = rule.Kind() == value.Object && rule.Len() <= 64
		for name, inner := range rule.Members() {
			plan := quickPlan(inner, config, depth+1)
			ok = ok && plan != nil
			q.names, q.properties = append(q.names, name), append(q.properties, plan)
		}
	case "items":
		q.items = quickPlan(rule, config, depth+1)
		ok = q.items != nil
	case "minLength":
		q.minLength, ok = rule.Int64()
		q.lengths = true
	case "maxLength":
		q.maxLength, ok = rule.Int64()
		q.lengths = true
	case "format":
		ok = config.IgnoreFormat
	default:
		ok = false
	}
	return ok
}

// typeBits turns "type" into bits.
func typeBits(rule value.Value) (bits uint, ok bool) {
	if rule.IsList() {
		for _, e := range rule.Elements() {
			b, fine := typeBits(e)
			if !fine || e.Kind() != value.String {
				return 0, false
			}
			bits |= b
		}
		return bits, bits != 0
	}
	switch rule.Text() {
	case "null":
		bits = 1 << value.Null
	case "boolean":
		bits = 1 << value.Bool
	case "integer":
		// A float that is whole is left to the library.
		bits = 1 << value.Int
	case "number":
		bits = 1<<value.Int | 1<<value.Float
	case "string":
		bits = 1 << value.String
	case "array":
		bits = 1<<value.List | 1<<value.Tuple
	case "object":
		bits = 1 << value.Object
	default:
		return 0, false
	}
	return bits, true
}

// valid reports whether v is certainly valid.
func (q *quick) valid(v value.Value) bool {
	if q.types != 0 && q.types&(1<<v.Kind()) == 0 {
		return false
	}
	if len(q.enum) > 0 && !q.among(v) {
		return false
	}
	switch v.Kind() {
	case value.String:
		if q.lengths {
			n := int64(utf8.RuneCountInString(v.Text()))
			return n >= q.minLength && n <= q.maxLength
		}
	case value.Object:
		return q.object(v)
	case value.List, value.Tuple:
		if q.items == nil {
			return true
		}
		for i := range v.Len() {
			if !q.items.valid(v.At(i)) {
				return false
			}
		}
	}
	return true
}

func (q *quick) among(v value.Value) bool {
	for i := range q.enum {
		if v.Kind() == value.String && q.enum[i].Text() == v.Text() {
			return true
		}
	}
	return false
}

func (q *quick) object(v value.Value) bool {
	if v.Len() > 64 {
		return false
	}
	for _, name := range q.required {
		if !v.Has(name) {
			return false
		}
	}
next:
	for i := range v.Len() {
		key := v.KeyAt(i)
		for j, name := range q.names {
			if name == key {
				if !q.properties[j].valid(v.At(i)) {
					return false
				}
				continue next
			}
		}
		if q.closed {
			return false
		}
	}
	return true
}
