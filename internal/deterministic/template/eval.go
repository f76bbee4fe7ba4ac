package template

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

// result is what an expression evaluates to: a value, nothing (a missing field), or
// the lazy sequence that map returns, whose text is not its elements.
type result struct {
	v       value.Value
	missing bool
	lazy    bool
	// gaps are the elements of a list that are missing.
	gaps map[int]bool
}

// text returns what stands in the rendered text.
func (r result) text() string {
	switch {
	case r.missing:
		return ""
	case r.lazy:
		return "<generator>"
	case len(r.gaps) > 0:
		// A list with a missing element has no text that reads as a list.
		return "[Undefined]"
	}
	return r.v.Python()
}

func (e *expression) eval(sample value.Value) (result, error) {
	r := result{v: sample, missing: sample.IsNull()}
	for _, step := range e.path {
		r = r.step(step)
	}
	for _, f := range e.filters {
		var err error
		if r, err = f.apply(r); err != nil {
			return result{}, err
		}
	}
	return r, nil
}

// step goes into an object by key or into a list by index; what is not there is
// missing, and so is everything below it.
func (r result) step(key string) result {
	if r.missing {
		return r
	}
	if v, ok := r.v.Get(key); ok {
		return result{v: v}
	}
	if i, err := strconv.Atoi(key); err == nil && r.v.IsList() {
		if i < 0 {
			i += r.v.Len()
		}
		if i >= 0 && i < r.v.Len() {
			return result{v: r.v.At(i)}
		}
	}
	return result{missing: true}
}

// elements returns what iterating over r gives: the elements of a list, the keys
// of an object, the characters of a string, nothing for what is missing.
func (r result) elements(filter string) ([]value.Value, error) {
	var out []value.Value
	switch {
	case r.missing:
	case r.v.IsList():
		for _, v := range r.v.Elements() {
			out = append(out, v)
		}
	case r.v.Kind() == value.Object:
		for key := range r.v.Members() {
			out = append(out, value.OfString(key))
		}
	case r.v.Kind() == value.String:
		for _, c := range r.v.Text() {
			out = append(out, value.OfString(string(c)))
		}
	default:
		return nil, fmt.Errorf("template: %s cannot go over a %s", filter, r.v.Kind())
	}
	return out, nil
}

func (f filter) apply(r result) (result, error) {
	switch f.name {
	case "tojson":
		if r.missing || r.lazy || len(r.gaps) > 0 {
			return r, fmt.Errorf("template: tojson cannot write a missing field or a sequence that is no list")
		}
		return result{v: value.OfString(string(value.AppendJSON(nil, r.v, value.Format{SortKeys: true})))}, nil
	case "default":
		if r.missing {
			return result{v: value.OfString(f.argument)}, nil
		}
		return r, nil
	case "lower", "upper", "trim", "string":
		return result{v: value.OfString(f.letters(r.text()))}, nil
	case "length":
		return r.length()
	}
	if f.name == "map" && r.nothing() {
		return f.mapped(nil), nil
	}
	elems, err := r.elements(f.name)
	if err != nil {
		return r, err
	}
	return f.sequence(r, elems)
}

// nothing tells the scalars that map takes for an empty sequence: null, false and
// zero.
func (r result) nothing() bool {
	b, isBool := r.v.BoolVal()
	f, isNumber := r.v.Float64()
	return r.v.IsNull() || isBool && !b || isNumber && f == 0
}

func (f filter) letters(s string) string {
	switch f.name {
	case "lower":
		return strings.ToLower(s)
	case "upper":
		return strings.ToUpper(s)
	case "trim":
		return strings.TrimSpace(s)
	}
	return s
}

func (r result) length() (result, error) {
	if s, ok := r.v.Str(); ok {
		return result{v: value.OfInt(int64(utf8.RuneCountInString(s)))}, nil
	}
	if r.lazy || !r.missing && !r.v.IsList() && r.v.Kind() != value.Object {
		return r, fmt.Errorf("template: length of a %s", r.v.Kind())
	}
	return result{v: value.OfInt(int64(r.v.Len()))}, nil
}

// sequence applies the filters that go over elements.
func (f filter) sequence(r result, elems []value.Value) (result, error) {
	switch f.name {
	case "map":
		return f.mapped(elems), nil
	case "list":
		return result{v: value.OfList(elems...), gaps: r.gaps}, nil
	case "unique":
		var kept []value.Value
		seen := map[string]bool{}
		for _, e := range elems {
			// Letter case does not count, as in the origin.
			key := strings.ToLower(e.Canonical())
			if !seen[key] {
				seen[key] = true
				kept = append(kept, e)
			}
		}
		return result{v: value.OfList(kept...), lazy: true}, nil
	case "sort":
		for _, e := range elems {
			if e.Kind() != value.String {
				return r, fmt.Errorf("template: sort of a %s", e.Kind())
			}
		}
		slices.SortStableFunc(elems, func(a, b value.Value) int {
			return strings.Compare(strings.ToLower(a.Text()), strings.ToLower(b.Text()))
		})
		return result{v: value.OfList(elems...)}, nil
	case "join":
		texts := make([]string, len(elems))
		for i, e := range elems {
			if !r.gaps[i] {
				texts[i] = e.Python()
			}
		}
		return result{v: value.OfString(strings.Join(texts, f.argument))}, nil
	case "first", "last":
		at := 0
		if f.name == "last" {
			at = len(elems) - 1
		}
		if len(elems) == 0 || r.gaps[at] {
			return result{missing: true}, nil
		}
		return result{v: elems[at]}, nil
	}
	return r, fmt.Errorf("template: unknown filter %s", f.name)
}

// mapped takes one attribute (with points for deeper ones) of each element.
func (f filter) mapped(elems []value.Value) result {
	out := result{lazy: true}
	got := make([]value.Value, len(elems))
	for i, e := range elems {
		at := result{v: e}
		for step := range strings.SplitSeq(f.attribute, ".") {
			at = at.step(step)
		}
		if at.missing {
			if out.gaps == nil {
				out.gaps = map[int]bool{}
			}
			out.gaps[i] = true
		}
		got[i] = at.v
	}
	out.v = value.OfList(got...)
	return out
}
