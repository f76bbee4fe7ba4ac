package schema

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/judgekit/judge/internal/sorting"
	"github.com/judgekit/judge/internal/value"
)

// violations flattens the library's tree of errors and describes each error in our words.
func (s *Schema) violations(root *jsonschema.ValidationError, v value.Value) []Violation {
	var found []Violation
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		keyword := lastKeyword(e.KeywordLocation)
		group := e.Message == "" || e.Message == groupMessage
		if len(e.Causes) > 0 && (group || !oneVerdict(keyword)) {
			for _, cause := range e.Causes {
				walk(cause)
			}
			return
		}
		if x := s.describe(e, keyword, v); !s.absent(e, v, x.Path) {
			found = append(found, x)
		}
	}
	for _, cause := range root.Causes {
		walk(cause)
	}
	if s.config.Answer { // a number beyond all doubles gets only this error
		all := slices.Clone(found)
		more := func(x Violation) bool { return x.Keyword != "type" && wrongType(all, x.Path) }
		found = slices.DeleteFunc(found, more)
	}
	sorting.Stable(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Keyword, b.Keyword), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(found, func(a, b Violation) bool {
		return a.Path == b.Path && a.Keyword == b.Keyword && a.Message == b.Message
	})
}

func wrongType(found []Violation, path string) bool {
	return slices.ContainsFunc(found, func(x Violation) bool { return x.Keyword == "type" && x.Path == path })
}

// absent reports whether a violation is about the null for a key that is not required.
func (s *Schema) absent(e *jsonschema.ValidationError, v value.Value, path string) bool {
	at, there := v.Pointer(path)
	name := e.InstanceLocation[strings.LastIndexByte(e.InstanceLocation, '/')+1:]
	_, pointer, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	end := strings.LastIndex(pointer+"/", "/properties/"+name+"/")
	if !s.config.Answer || !there || !at.IsNull() || end < 0 {
		return false
	}
	parent, _ := s.source.Pointer(decodePath(pointer[:end]))
	key := value.UnescapePointer(decodePath(name))
	for _, required := range parent.Field("required").Elements() {
		if required.Text() == key {
			return false
		}
	}
	return true
}

// oneVerdict reports whether a keyword counts as one violation, whatever failed inside: an
// alternative's rules are not rules for the value.
func oneVerdict(keyword string) bool {
	switch keyword {
	case "anyOf", "oneOf", "not", "contains":
		return true
	}
	return false
}

// lastKeyword returns the last keyword in a keyword location, which may be followed by an index or
// a name.
func lastKeyword(location string) string {
	parts := strings.Split(location, "/")
	last := parts[len(parts)-1]
	if n := len(parts); n >= 3 && (parts[n-3] == "dependentRequired" || parts[n-3] == "dependencies") {
		return parts[n-3]
	}
	if n := len(parts); n >= 3 && parts[n-2] == "propertyNames" && parts[n-3] != "properties" {
		return "propertyNames"
	}
	if last == "minContains" || last == "maxContains" {
		return "contains"
	}
	return strings.TrimPrefix(last, replaced)
}

// describe describes a violation from the schema and the value, not from the library's message.
func (s *Schema) describe(e *jsonschema.ValidationError, keyword string, v value.Value) Violation {
	path := decodePath(e.InstanceLocation)
	parent, rule := s.rule(e.AbsoluteKeywordLocation)
	at, _ := v.Pointer(path)
	if e.Message == falseMessage {
		keyword = "false"
	}
	out := Violation{Path: path, Keyword: keyword, Rule: rule}
	switch {
	case keyword == "required":
		for _, name := range rule.Elements() {
			if !at.Has(name.Text()) {
				out.Keys = append(out.Keys, name.Text())
			}
		}
	case keyword == "dependentRequired":
		out.Keys = []string{rule.Text()}
	case keyword == "additionalProperties" && parent.Field("patternProperties").Len() == 0:
		for name := range at.Members() {
			if !parent.Field("properties").Has(name) {
				out.Keys = append(out.Keys, name)
			}
		}
	}
	out.Message = message(out, at, e.Message)
	return out
}

// decodePath decodes the library's percent-encoding, which is not part of a JSON Pointer.
func decodePath(location string) string {
	parts := strings.Split(location, "/")
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err == nil {
			parts[i] = plain
		}
	}
	return strings.Join(parts, "/")
}

// falseMessage is the library's message for a value whose schema is false.
const falseMessage = "not allowed"

// rule returns the value of the keyword at an absolute location, null if it is not in this schema,
// and the schema around it.
func (s *Schema) rule(absolute string) (parent, rule value.Value) {
	_, pointer, _ := strings.Cut(absolute, "#")
	slash := max(strings.LastIndexByte(pointer, '/'), 0)
	parent, _ = s.source.Pointer(decodePath(pointer[:slash]))
	if slash < len(pointer) {
		rule, _ = s.source.Pointer(decodePath(pointer[:slash+1] + strings.TrimPrefix(pointer[slash+1:], replaced)))
	}
	return parent, rule
}

// fixedWords holds the messages of keywords that do not depend on the value.
var fixedWords = map[string]string{
	"uniqueItems":           "holds an element twice",
	"propertyNames":         "has a name that is not allowed",
	"additionalItems":       "has an element that is not allowed",
	"unevaluatedItems":      "has an element that is not allowed",
	"additionalProperties":  "has a key that is not allowed",
	"unevaluatedProperties": "has a key that is not allowed",
	"not":                   "is what the schema excludes",
	"contains":              "does not hold the elements that it must",
	"dependentRequired":     "lacks a key that another key asks for",
	"dependencies":          "lacks a key that another key asks for",
	"false":                 "may not be there",
}

func message(x Violation, v value.Value, library string) string {
	rule := x.Rule
	is := "is " + clip(v.JSON())
	switch x.Keyword {
	case "type":
		return "is " + v.Kind().WithArticle() + ", must be " + TypeNames(rule)
	case "required":
		return "lacks " + quoteAll(x.Keys)
	case "enum":
		return is + ", must be one of " + clip(rule.JSON())
	case "const":
		return is + ", must be " + clip(rule.JSON())
	case "format":
		return is + ", which is no " + rule.Text()
	case "pattern":
		return is + ", which does not match " + clip(rule.Text())
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return is + ", breaks " + x.Keyword + " " + rule.JSON()
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return fmt.Sprintf("has length %d, breaks %s %s", v.Length(), x.Keyword, rule.JSON())
	case "anyOf", "oneOf":
		if strings.HasPrefix(library, "valid against") {
			return fmt.Sprintf("fits more than one of the %d alternatives", rule.Len())
		}
		return fmt.Sprintf("fits none of the %d alternatives", rule.Len())
	}
	if x.Keyword == "additionalProperties" && len(x.Keys) > 0 {
		return "may not have " + quoteAll(x.Keys)
	}
	return cmp.Or(fixedWords[x.Keyword], "breaks "+x.Keyword)
}

// TypeNames joins the names under the keyword "type" by "or".
func TypeNames(rule value.Value) string {
	if name, ok := rule.Str(); ok {
		return name
	}
	var names []string
	for _, e := range rule.Elements() {
		names = append(names, e.Text())
	}
	return strings.Join(names, " or ")
}

// quoteAll quotes names and joins them.
func quoteAll(names []string) string {
	var b []byte
	for i, name := range names {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = value.AppendQuoted(b, name)
	}
	return clip(string(b))
}

// clip shortens a text of a log that goes into a message.
func clip(s string) string { return value.Excerpt(s, 120) }
