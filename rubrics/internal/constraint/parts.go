package constraint

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

func (c *checker) number(at string, v, schema value.Value) {
	limits := [...]struct {
		key, words string
		bad        func(cmp int) bool
	}{
		{"minimum", "less than the minimum", func(x int) bool { return x < 0 }},
		{"maximum", "greater than the maximum", func(x int) bool { return x > 0 }},
		{"exclusiveMinimum", "not greater than", func(x int) bool { return x <= 0 }},
		{"exclusiveMaximum", "not less than", func(x int) bool { return x >= 0 }},
	}
	x, exact := Exact(v)
	for _, l := range limits {
		bound := schema.Field(l.key)
		order, ok := value.Compare(v, bound)
		if edge, known := Exact(bound); exact && known {
			order = x.Cmp(edge)
		}
		if ok && l.bad(order) {
			c.add(at, "%s is %s %s", clip(v.Text(), 40), l.words, bound.Text())
		}
	}
	if step, ok := Exact(schema.Field("multipleOf")); ok && step.Sign() > 0 {
		if !exact || !new(big.Rat).Quo(x, step).IsInt() {
			c.add(at, "%s is not a multiple of %s", clip(v.Text(), 40), schema.Field("multipleOf").Text())
		}
	}
}

// maxDigits bounds the text of a number that is taken to a fraction.
const maxDigits = 400

// Exact is the exact value of a number as it is written, so that 0.3 is a multiple
// of 0.1. ok is false for what is no finite number, is written at too great length, or
// is too near to 0 for a double.
func Exact(v value.Value) (x *big.Rat, ok bool) {
	f, finite := v.Float64()
	text := v.Text()
	if !v.IsNumber() || !finite || len(text) > maxDigits {
		return nil, false
	}
	if f == 0 { // written out, 1e-999999 would fill the memory
		mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
		return new(big.Rat), !strings.ContainsAny(mantissa, "123456789")
	}
	return new(big.Rat).SetString(text)
}

func (c *checker) object(at string, v, schema value.Value, depth int) {
	required := c.names(at, v, schema)
	c.count(at, "keys", int64(v.Len()), schema.Field("minProperties"), schema.Field("maxProperties"))
	props, byPattern, extra := schema.Field("properties"), schema.Field("patternProperties"), schema.Field("additionalProperties")
	for key, m := range v.Members() {
		here := at + "/" + value.EscapePointer(clip(key, 60))
		if names, ok := schema.Get("propertyNames"); ok && !c.fits(here, value.OfString(key), names, depth) {
			c.add(here, "the key's name is not one that the schema allows")
		}
		sub, known := props.Get(key)
		if known && !(c.nulls && m.IsNull() && !required[key]) {
			c.check(here, m, sub, depth)
		}
		for text, sub := range byPattern.Members() {
			matched, err := c.match(key, text)
			if err != nil || matched {
				known = true
				c.check(here, m, sub, depth)
			}
		}
		allowed, isBool := extra.BoolVal()
		switch {
		case known:
		case isBool && !allowed:
			c.add(here, "the key is not allowed")
		default:
			c.check(here, m, extra, depth)
		}
	}
	for key, sub := range schema.Field("dependentSchemas").Members() {
		if v.Has(key) {
			c.check(at, v, sub, depth)
		}
	}
}

// names applies the keywords that say which keys must be there, and returns those that
// are required whatever else is there.
func (c *checker) names(at string, v, schema value.Value) map[string]bool {
	required := map[string]bool{}
	for _, name := range schema.Field("required").Elements() {
		required[name.Text()] = true
		if !v.Has(name.Text()) {
			c.add(at+"/"+value.EscapePointer(name.Text()), "the required key is missing")
		}
	}
	for key, names := range schema.Field("dependentRequired").Members() {
		if !v.Has(key) {
			continue
		}
		for _, name := range names.Elements() {
			if !v.Has(name.Text()) {
				c.add(at+"/"+value.EscapePointer(name.Text()), "the key is missing, which %q requires", clip(key, 60))
			}
		}
	}
	return required
}

func (c *checker) count(at, what string, n int64, least, most value.Value) {
	if limit, ok := most.Int64(); ok && n > limit {
		c.add(at, "there are %d %s, more than %d", n, what, limit)
	}
	if limit, ok := least.Int64(); ok && n < limit {
		c.add(at, "there are %d %s, fewer than %d", n, what, limit)
	}
}

func (c *checker) elements(at string, v, schema value.Value, depth int) {
	if limit, ok := schema.Field("maxItems").Int64(); ok && int64(v.Len()) > limit {
		c.add(at, "the list has %d elements, more than %d", v.Len(), limit)
	}
	if limit, ok := schema.Field("minItems").Int64(); ok && int64(v.Len()) < limit {
		c.add(at, "the list has %d elements, fewer than %d", v.Len(), limit)
	}
	prefix, items := schema.Field("prefixItems"), schema.Field("items")
	seen := map[string]int{}
	unique, _ := schema.Field("uniqueItems").BoolVal()
	for i, e := range v.Elements() {
		here := fmt.Sprintf("%s/%d", at, i)
		if i < prefix.Len() {
			c.check(here, e, prefix.At(i), depth)
		} else {
			c.check(here, e, items, depth)
		}
		if !unique {
			continue
		}
		text := e.Canonical()
		if first, again := seen[text]; again {
			c.add(here, "the element is the same as element %d, where each may stand once", first)
			continue
		}
		seen[text] = i
	}
	c.contains(at, v, schema, depth)
}

func (c *checker) contains(at string, v, schema value.Value, depth int) {
	wanted, ok := schema.Get("contains")
	if !ok {
		return
	}
	n := int64(0)
	for _, e := range v.Elements() {
		if c.fits(at, e, wanted, depth) {
			n++
		}
	}
	least := schema.Field("minContains")
	if least.IsNull() {
		least = value.OfInt(1)
	}
	c.count(at, "elements that fit \"contains\"", n, least, schema.Field("maxContains"))
}
