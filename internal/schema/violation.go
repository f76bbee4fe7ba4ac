package schema

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/judgekit/judge/internal/value"
)

// violations flattens the library's tree of errors and says each in our words.
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
		if x := s.say(e, keyword, v); !s.absent(e, v, x.Path) {
			found = append(found, x)
		}
	}
	for _, cause := range root.Causes {
		walk(cause)
	}
	if s.config.Answer { // nothing more is said of a number beyond all doubles
		all := slices.Clone(found)
		found = slices.DeleteFunc(found, func(x Violation) bool { return x.Keyword != "type" && wrongType(all, x.Path) })
	}
	slices.SortFunc(found, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Keyword, b.Keyword), cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(found, func(a, b Violation) bool {
		return a.Path == b.Path && a.Keyword == b.Keyword && a.Message == b.Message
	})
}

func wrongType(found []Violation, path string) bool {
	return slices.ContainsFunc(found, func(x Violation) bool { return x.Keyword == "type" && x.Path == path })
}

// absent reports whether a violation is one of the null that stands in an answer for a
// key that is not required.
func (s *Schema) absent(e *jsonschema.ValidationError, v value.Value, path string) bool {
	at, there := v.Pointer(path)
	name := e.InstanceLocation[strings.LastIndexByte(e.InstanceLocation, '/')+1:]
	_, pointer, _ := strings.Cut(e.AbsoluteKeywordLocation, "#")
	end := strings.LastIndex(pointer+"/", "/properties/"+name+"/")
	if !s.config.Answer || !there || !at.IsNull() || end < 0 {
		return false
	}
	parent, _ := s.source.Pointer(decodePath(pointer[:end]))
	key := strings.NewReplacer("~1", "/", "~0", "~").Replace(decodePath(name))
	for _, required := range parent.Field("required").Elements() {
		if required.Text() == key {
			return false
		}
	}
	return true
}

// oneVerdict tells the keywords that are one violation whatever failed inside:
// what an alternative misses is no rule of the value.
func oneVerdict(keyword string) bool {
	switch keyword {
	case "anyOf", "oneOf", "not", "contains":
		return true
	}
	return false
}

// lastKeyword returns the keyword that a keyword location ends with. Locations end
// in an index or a name behind some keywords.
func lastKeyword(location string) string {
	parts := strings.Split(location, "/")
	last := parts[len(parts)-1]
	if n := len(parts); n >= 3 && (parts[n-3] == "dependentRequired" || parts[n-3] == "dependencies") {
		return parts[n-3]
	}
	if n := len(parts); n >= 3 && parts[n-2] == "propertyNames" && parts[n-3] != "properties" {
		return "propertyNames"
	}
	switch last {
	case keyPattern:
		return "pattern"
	case keyType:
		return "type"
	case keyEnum:
		return "enum"
	case "minContains", "maxContains":
		return "contains"
	}
	return last
}

// say words one violation from the schema and the value, not from the library's
// message.
func (s *Schema) say(e *jsonschema.ValidationError, keyword string, v value.Value) Violation {
	path := decodePath(e.InstanceLocation)
	rule := s.rule(e.AbsoluteKeywordLocation)
	at, _ := v.Pointer(path)
	if e.Message == falseMessage {
		keyword = "false"
	}
	out := Violation{Path: path, Keyword: keyword, Rule: rule}
	parent := s.parent(e.AbsoluteKeywordLocation)
	switch {
	case keyword == "required":
		out.Keys = missing(rule, at)
	case keyword == "dependentRequired":
		out.Keys = []string{rule.Text()}
	case keyword == "additionalProperties" && parent.Field("patternProperties").Len() == 0:
		out.Keys = undeclared(parent.Field("properties"), at)
	}
	out.Message = message(out, at, e.Message)
	return out
}

// decodePath undoes the library's percent-encoding, which is no part of a JSON
// Pointer.
func decodePath(location string) string {
	parts := strings.Split(location, "/")
	for i, part := range parts {
		if plain, err := url.PathUnescape(part); err == nil {
			parts[i] = plain
		}
	}
	return strings.Join(parts, "/")
}

// falseMessage is what the library says of a value whose schema is false.
const falseMessage = "not allowed"

// rule returns the value of the keyword at an absolute location, null where it is
// not in this schema.
func (s *Schema) rule(absolute string) value.Value {
	_, pointer, _ := strings.Cut(absolute, "#")
	parts := strings.Split(pointer, "/")
	switch parts[len(parts)-1] {
	case keyPattern:
		parts[len(parts)-1] = "pattern"
	case keyType:
		parts[len(parts)-1] = "type"
	}
	found, _ := s.source.Pointer(decodePath(strings.Join(parts, "/")))
	return found
}

// parent returns the schema that the keyword at an absolute location stands in.
func (s *Schema) parent(absolute string) value.Value {
	_, pointer, _ := strings.Cut(absolute, "#")
	if at := strings.LastIndexByte(pointer, '/'); at >= 0 {
		found, _ := s.source.Pointer(decodePath(pointer[:at]))
		return found
	}
	return value.Value{}
}

func message(x Violation, v value.Value, library string) string {
	keyword, rule := x.Keyword, x.Rule
	switch keyword {
	case "type":
		return fmt.Sprintf("is %s, must be %s", article(v), typeNames(rule))
	case "required":
		return "lacks " + quoteAll(x.Keys)
	case "enum":
		return fmt.Sprintf("is %s, must be one of %s", clip(v.JSON()), clip(rule.JSON()))
	case "const":
		return fmt.Sprintf("is %s, must be %s", clip(v.JSON()), clip(rule.JSON()))
	case "format":
		return fmt.Sprintf("is %s, which is no %s", clip(v.JSON()), rule.Text())
	case "pattern":
		return fmt.Sprintf("is %s, which does not match %s", clip(v.JSON()), clip(rule.Text()))
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return fmt.Sprintf("is %s, breaks %s %s", clip(v.JSON()), keyword, rule.JSON())
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
		return fmt.Sprintf("has length %d, breaks %s %s", length(v), keyword, rule.JSON())
	case "uniqueItems":
		return "holds an element twice"
	case "additionalProperties", "unevaluatedProperties":
		if len(x.Keys) > 0 {
			return "may not have " + quoteAll(x.Keys)
		}
		return "has a key that is not allowed"
	case "propertyNames":
		return "has a name that is not allowed"
	case "additionalItems", "unevaluatedItems":
		return "has an element that is not allowed"
	case "anyOf":
		return fmt.Sprintf("fits none of the %d alternatives", rule.Len())
	case "oneOf":
		if strings.HasPrefix(library, "valid against") {
			return fmt.Sprintf("fits more than one of the %d alternatives", rule.Len())
		}
		return fmt.Sprintf("fits none of the %d alternatives", rule.Len())
	case "not":
		return "is what the schema excludes"
	case "contains":
		return "does not hold the elements that it must"
	case "dependentRequired", "dependencies":
		return "lacks a key that another key asks for"
	case "false":
		return "may not be there"
	}
	return "breaks " + keyword
}
