package schema

import "github.com/judgekit/judge/internal/value"

// maxNamed bounds the properties, required names and enums that satisfied looks through for
// each part of a value: it stays within the steps that the library may take.
const maxNamed = stepsPerPart - 10

// satisfied reports whether v certainly keeps a schema of the usual form: single types,
// properties, required, items, lower bounds, and enums of strings. It answers for most
// calls, in a small part of the time that the library takes. False says nothing: any other
// keyword, and any member that the schema does not name, is left to the library.
func satisfied(schema, v value.Value) bool {
	if schema.Kind() != value.Object {
		return false
	}
	for key, rule := range schema.Members() {
		ok := false
		switch key {
		case "properties", "items", "additionalProperties":
			ok = true // partsSatisfied reads them
		case "title", "description", "default", "examples":
			ok = true
		case "type":
			ok = rule.Kind() == value.String && isType(v, rule.Text())
		case "required":
			ok = rule.Len() <= maxNamed && hasRequired(v, rule)
		case "enum":
			ok = rule.Len() <= maxNamed && hasText(rule, v)
		case "minimum":
			n, whole := v.Int64()
			least, known := rule.Int64()
			ok = whole && known && n >= least
		case "minItems":
			least, known := rule.Int64()
			ok = known && v.Kind() == value.List && int64(v.Len()) >= least
		}
		if !ok {
			return false
		}
	}
	return partsSatisfied(schema, v)
}

func partsSatisfied(schema, v value.Value) bool {
	switch v.Kind() {
	case value.Object:
		properties := schema.Field("properties")
		if properties.Len() > maxNamed {
			return false
		}
		for key, m := range v.Members() {
			if rule, named := properties.Get(key); !named || !satisfied(rule, m) {
				return false
			}
		}
	case value.List:
		items := schema.Field("items")
		for _, e := range v.Elements() {
			if !satisfied(items, e) {
				return false
			}
		}
	}
	return v.Kind() != value.Tuple
}

func isType(v value.Value, name string) bool {
	switch v.Kind() {
	case value.Null:
		return name == "null"
	case value.Bool:
		return name == "boolean"
	case value.Int:
		return name == "integer" || name == "number"
	case value.Float:
		return name == "number"
	case value.String:
		return name == "string"
	case value.List:
		return name == "array"
	case value.Object:
		return name == "object"
	}
	return false
}

func hasRequired(v, names value.Value) bool {
	for _, name := range names.Elements() {
		if !v.Has(name.Text()) {
			return false
		}
	}
	return true
}

// hasText reports whether v is one of the strings of a list.
func hasText(list, v value.Value) bool {
	if v.Kind() != value.String {
		return false
	}
	for _, e := range list.Elements() {
		if value.Equal(e, v) {
			return true
		}
	}
	return false
}
