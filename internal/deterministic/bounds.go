package deterministic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// The limits of a result, however many calls there were: lists that name calls, tools or
// parameters, other lists, the text of one value, and the reason in bytes.
const (
	maxNames   = 50
	maxEntries = 1000
	maxValue   = 2000
	maxReason  = 8000
)

// bounded cuts the lists of a result, and says how many entries each has lost, as "extra_more".
func (r Result) bounded() Result {
	r.Fields = boundedFields(r.Fields)
	if n := len(r.Reason); n > maxReason {
		r.Reason = fmt.Sprintf("%s (%d bytes in all)", value.Excerpt(r.Reason, maxReason), n)
	}
	return r
}

func boundedFields(fields []value.Member) []value.Member {
	if !slices.ContainsFunc(fields, func(m value.Member) bool { return m.Value.Len() > mostOf(m.Value) }) {
		return fields
	}
	out := make([]value.Member, 0, len(fields)+1)
	for _, m := range fields {
		most := mostOf(m.Value)
		if m.Value.Len() <= most {
			out = append(out, m)
			continue
		}
		more := m.Value.Len() - most
		m.Value = firstOf(m.Value, most)
		out = append(out, m, field(m.Key+"_more", more))
	}
	return out
}

// mostOf returns how many entries of a list or object are printed.
func mostOf(v value.Value) int {
	if v.Len() <= maxNames {
		return maxNames
	}
	first := v.At(0)
	if v.Kind() == value.Object || first.Kind() == value.String || first.IsNull() || first.Has("tool") || first.Has("path") {
		return maxNames
	}
	return maxEntries
}

func firstOf(v value.Value, most int) value.Value {
	members := make([]value.Member, 0, most)
	for key, e := range v.Members() {
		if members = append(members, value.Member{Key: key, Value: e}); len(members) == most {
			return value.ObjectOf(members)
		}
	}
	elems := make([]value.Value, most)
	for i := range elems {
		elems[i] = v.At(i)
	}
	return value.OfList(elems...)
}

// namesField returns a field of names, and how many more there are.
func namesField(key string, names []value.Value, more int) []value.Member {
	out := []value.Member{field(key, names)}
	if more > 0 {
		out = append(out, field(key+"_more", more))
	}
	return out
}

// joined joins the first texts of a list, and says how many are missing.
func joined(list []string, separator string) string {
	if more := len(list) - maxNames; more > 0 {
		return strings.Join(list[:maxNames], separator) + fmt.Sprintf("%sand %d more", separator, more)
	}
	return strings.Join(list, separator)
}
