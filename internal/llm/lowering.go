package llm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// maxDepth bounds how deep a schema is followed; what lies below passes as it is.
const maxDepth = 64

// lowering is one walk through a schema.
type lowering struct {
	*rules
	dropped, ignored []string
	changed          bool
}

// note records what the copy no longer says.
func (l *lowering) note(at, key, what string) {
	l.changed = true
	l.dropped = append(l.dropped, at+"/"+value.EscapePointer(key)+": "+what)
}

// schema returns the copy of a schema; at is its pointer.
func (l *lowering) schema(at string, v value.Value, depth int) value.Value {
	if v.Kind() != value.Object || depth > maxDepth {
		return v
	}
	out := v
	if l.known != nil && v.Has("oneOf") && !v.Has("anyOf") {
		out = l.renamed(at, out, "oneOf", "anyOf")
	}
	var members []value.Member
	for key, operand := range out.Members() {
		if keep := l.keyword(at, key, &operand, out, depth); keep {
			members = append(members, value.Member{Key: key, Value: operand})
		}
	}
	out = value.OfObject(members...)
	if l.closed {
		out = l.close(at, v, out)
	}
	return out
}

// renamed puts a weaker keyword in the place of one.
func (l *lowering) renamed(at string, v value.Value, from, to string) value.Value {
	var members []value.Member
	for key, operand := range v.Members() {
		if key == from {
			l.note(at, key, "sent as "+to)
			key = to
		}
		members = append(members, value.Member{Key: key, Value: operand})
	}
	return value.OfObject(members...)
}

// keyword lowers one keyword of the schema around it, and reports whether it stays.
func (l *lowering) keyword(at, key string, operand *value.Value, around value.Value, depth int) bool {
	if slices.Contains(l.refused, key) || l.known != nil && !slices.Contains(l.known, key) {
		if annotation(key) {
			l.changed = true
		} else {
			l.note(at, key, "not sent")
		}
		return false
	}
	if slices.Contains(l.idle, key) || l.ranges && isBound(key) && !isInteger(around) {
		l.unheeded(at, key)
	}
	here := at + "/" + value.EscapePointer(key)
	switch key {
	case "items", "contains", "not", "if", "then", "else", "propertyNames", "additionalProperties":
		*operand = l.schema(here, *operand, depth+1)
	case "properties", "patternProperties", "dependentSchemas", "$defs", "definitions":
		var members []value.Member
		for name, sub := range operand.Members() {
			members = append(members, value.Member{Key: name, Value: l.schema(here+"/"+value.EscapePointer(name), sub, depth+1)})
		}
		if operand.Kind() == value.Object {
			*operand = value.OfObject(members...)
		}
	case "allOf", "anyOf", "oneOf", "prefixItems":
		var elems []value.Value
		for i, sub := range operand.Elements() {
			elems = append(elems, l.schema(here+"/"+strconv.Itoa(i), sub, depth+1))
		}
		if operand.IsList() {
			*operand = value.OfList(elems...)
		}
	default:
		return l.scalar(at, key, operand, around)
	}
	return true
}

func (l *lowering) unheeded(at, key string) {
	l.ignored = append(l.ignored, at+"/"+value.EscapePointer(key))
}

// scalar lowers a keyword that holds no schema.
func (l *lowering) scalar(at, key string, operand *value.Value, around value.Value) bool {
	switch key {
	case "maxLength", "maxItems", "minLength", "minItems":
		if l.anchored && strings.HasSuffix(key, "Length") && usable(around, l.repeat) {
			l.unheeded(at, key) // the pattern takes its place
		}
		if n, ok := operand.Float64(); ok && l.repeat > 0 && n > float64(l.repeat) {
			l.note(at, key, "sent as "+strconv.FormatInt(l.repeat, 10))
			*operand = value.OfInt(l.repeat)
		}
	case "pattern":
		text, _ := operand.Str()
		if l.anchored && !usable(around, l.repeat) || l.closed && strings.Contains(text, "(?") {
			l.note(at, key, "not sent")
			return false
		}
	case "format":
		if name, ok := operand.Str(); ok && l.formats != nil && !slices.Contains(l.formats, name) {
			l.note(at, key, "not sent")
			return false
		}
	}
	if l.single && isText(key) && key != kept(around, l.formats) {
		if group(key) != group(kept(around, l.formats)) {
			l.note(at, key, "not sent")
			return false
		}
	}
	if l.whole && isBound(key) && isInteger(around) {
		*operand = l.wholeBound(key, *operand)
	}
	return true
}

// wholeBound is the same bound on integers, as a whole number.
func (l *lowering) wholeBound(key string, bound value.Value) value.Value {
	f, ok := bound.Float64()
	if !ok || f > 1<<52 || f < -1<<52 {
		return bound
	}
	n := int64(f) // towards 0
	up := key == "minimum" || key == "exclusiveMaximum"
	switch {
	case up && float64(n) < f:
		n++
	case !up && float64(n) > f:
		n--
	}
	if bound.Text() != strconv.FormatInt(n, 10) {
		l.changed = true
	}
	return value.OfInt(n)
}

// kept is the keyword that a text keeps where only one of pattern, format and length
// may stand: a pattern that bounds the text itself, else the greatest length, because a
// text without a bound is what runs into the token limit.
func kept(around value.Value, formats []string) string {
	pattern, _ := around.Field("pattern").Str()
	format, _ := around.Field("format").Str()
	knows := around.Has("format") && (formats == nil || slices.Contains(formats, format))
	switch {
	case around.Has("pattern") && (bounded(pattern) || !around.Has("maxLength") && !knows):
		return "pattern"
	case around.Has("maxLength"):
		return "maxLength"
	case knows:
		return "format"
	}
	return "minLength"
}

func isText(key string) bool {
	return key == "pattern" || key == "format" || key == "minLength" || key == "maxLength"
}

// group takes the two lengths for one.
func group(key string) string {
	if strings.HasSuffix(key, "Length") {
		return "length"
	}
	return key
}

var repetition = regexp.MustCompile(`\{(\d+)(,(\d*))?\}`)

// usable reports whether llama.cpp can make a grammar of the pattern of a schema.
func usable(around value.Value, repeat int64) bool {
	text, ok := around.Field("pattern").Str()
	if !ok || !strings.HasPrefix(text, "^") || !strings.HasSuffix(text, "$") || strings.HasSuffix(text, `\$`) {
		return false
	}
	for _, beyond := range [...]string{"(?=", "(?!", "(?<", `\b`, `\B`, `\1`, `\2`, `\3`, `\p`, `\u`} {
		if strings.Contains(text, beyond) {
			return false
		}
	}
	for _, m := range repetition.FindAllStringSubmatch(text, -1) {
		for _, digits := range [...]string{m[1], m[3]} {
			if n, err := strconv.ParseInt(digits, 10, 64); digits != "" && (err != nil || n > repeat) {
				return false
			}
		}
	}
	return true
}

// bounded reports whether texts that match a pattern have a greatest length.
func bounded(pattern string) bool {
	if !strings.HasPrefix(pattern, "^") || !strings.HasSuffix(pattern, "$") || strings.ContainsAny(pattern, "*+|") {
		return false
	}
	for _, m := range repetition.FindAllStringSubmatch(pattern, -1) {
		if m[2] == "," {
			return false
		}
	}
	return true
}

func isBound(key string) bool {
	switch key {
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum":
		return true
	}
	return false
}

func isInteger(schema value.Value) bool { return schema.Field("type").Text() == "integer" }

// annotation reports whether a keyword demands nothing.
func annotation(key string) bool {
	switch key {
	case "default", "examples", "$schema", "$comment", "$id", "$anchor", "deprecated", "readOnly", "writeOnly", "threshold_low", "threshold_high",
		"contentEncoding", "contentMediaType", "contentSchema", "title", "description":
		return true
	}
	return false
}
