package format

import (
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// The bounds of what flattened keys unfold to.
const (
	maxFlatKeys  = 200_000
	maxFlatDepth = 24
)

// flat is a value with the keys that lead to it.
type flat struct {
	path []string
	leaf value.Value
}

// unflatten puts together the attributes whose keys begin with the prefix: "a.0.b" under
// "a" is a list of objects with b. Indexes are sorted as numbers. Null where there are none.
func unflatten(attrs value.Value, prefix string) value.Value {
	var all []flat
	for key, v := range attrs.Members() {
		if rest, ok := strings.CutPrefix(key, prefix+"."); ok && len(all) < maxFlatKeys {
			all = append(all, flat{strings.SplitN(rest, ".", maxFlatDepth), v})
		}
	}
	if len(all) == 0 {
		return attrs.Field(prefix) // or it was not flattened
	}
	return nest(all)
}

func nest(all []flat) (v value.Value) {
	var keys []string
	below := map[string][]flat{}
	for _, f := range all {
		if len(f.path) == 0 {
			v = f.leaf
			continue
		}
		key := f.path[0]
		if below[key] == nil {
			keys = append(keys, key)
		}
		below[key] = append(below[key], flat{f.path[1:], f.leaf})
	}
	if len(keys) == 0 {
		return v
	}
	out := make([]value.Value, len(keys))
	areIndexes := !slices.ContainsFunc(keys, func(key string) bool {
		n, err := strconv.Atoi(key)
		return err != nil || strconv.Itoa(n) != key || n < 0
	})
	if areIndexes {
		slices.SortFunc(keys, compareTimes)
	}
	members := make([]value.Member, len(keys))
	for i, key := range keys {
		out[i] = nest(below[key])
		members[i] = value.Member{Key: key, Value: out[i]}
	}
	if areIndexes {
		return value.OfList(out...)
	}
	return value.OfObject(members...)
}

// phoenixSpan reports whether v is a span as Phoenix exports it: a row of its data frame, with
// attributes in columns, or a span of its API, with attributes as an object.
func phoenixSpan(v value.Value) bool {
	for key := range v.Members() {
		if strings.HasPrefix(key, "attributes.llm.") || key == "attributes.openinference.span.kind" ||
			key == "context.trace_id" {
			return true
		}
	}
	return v.Has("span_kind") && v.HasAny("context", "attributes")
}

// phoenixParts cuts an export of Arize Phoenix into spans with flattened attributes: rows of
// get_spans_dataframe as records (JSON lines, CSV or Parquet), and the {data: [span]} of its
// API and command (arize-phoenix 12, 2026). Lost: data frames written by column, whose rows are
// spread over the file: write them with orient="records".
func phoenixParts(v value.Value, add func(part)) {
	spans := v.Field("data")
	if !spans.IsList() {
		spans = value.OfList(v)
	}
	for _, s := range spans.Elements() {
		flatParts(phoenixFlat(s), add)
	}
}

// phoenixFlat is a span with plain keys and one object of flattened attributes.
func phoenixFlat(s value.Value) value.Value {
	var attributes value.Fields
	var out value.Fields
	for key, val := range s.Members() {
		switch name, isAttribute := strings.CutPrefix(key, "attributes."); {
		case isAttribute:
			flatten(&attributes, name, val, 0)
		case key == "attributes":
			for name, val := range val.Decoded().Members() {
				flatten(&attributes, name, val, 0)
			}
		case strings.HasPrefix(key, "context."):
			out.Set(strings.TrimPrefix(key, "context."), val)
		default:
			out.Set(key, val)
		}
	}
	kind := s.Field("span_kind")
	if flat := value.OfObject(attributes...); !flat.Has("openinference.span.kind") {
		attributes.Set("openinference.span.kind", kind)
	}
	out.Set("attributes", value.OfObject(attributes...))
	return value.OfObject(out...)
}

// flatten adds a value under a key, each element of a list and member of an object under its own.
func flatten(to *value.Fields, key string, v value.Value, depth int) {
	switch {
	case depth > maxFlatDepth || len(*to) > maxFlatKeys:
	case v.IsList():
		for i, e := range v.Elements() {
			flatten(to, key+"."+strconv.Itoa(i), e, depth+1)
		}
	case v.Kind() == value.Object:
		for name, e := range v.Members() {
			flatten(to, key+"."+name, e, depth+1)
		}
	default:
		to.Set(key, v)
	}
}
