package rubrics

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// worded says a broken rule of the value v as a judge is told it: where, and which
// rule, never a value that would be right. Missing and superfluous keys are named one
// by one, by their own pointers.
func worded(b schema.Violation, v value.Value) []Violation {
	if len(b.Keys) == 0 {
		return []Violation{{b.Path, ruleWords(b, v)}}
	}
	words := map[string]string{
		"required":          "the required key is missing",
		"dependentRequired": "the key is missing, which another key requires",
	}[b.Keyword]
	if words == "" {
		words = "the key is not allowed"
	}
	var found []Violation
	for _, key := range b.Keys {
		found = append(found, Violation{b.Path + "/" + value.EscapePointer(clipText(key, 60)), words})
	}
	return found
}

func ruleWords(b schema.Violation, v value.Value) string {
	rule := b.Rule.Text()
	switch b.Keyword {
	case "type":
		return typeWords(b.Rule, v)
	case "minimum":
		return brief(v) + " is less than the minimum " + rule
	case "maximum":
		return brief(v) + " is greater than the maximum " + rule
	case "exclusiveMinimum":
		return brief(v) + " is not greater than " + rule
	case "exclusiveMaximum":
		return brief(v) + " is not less than " + rule
	case "multipleOf":
		return brief(v) + " is not a multiple of " + rule
	case "minLength", "maxLength":
		return fmt.Sprintf("the text has %d characters, %s %s", utf8.RuneCountInString(v.Text()), beyond(b.Keyword), rule)
	case "minItems", "maxItems":
		return fmt.Sprintf("the list has %d elements, %s %s", v.Len(), beyond(b.Keyword), rule)
	case "minProperties", "maxProperties":
		return fmt.Sprintf("there are %d keys, %s %s", v.Len(), beyond(b.Keyword), rule)
	case "pattern":
		return "the text does not match the pattern " + clipText(rule, 80)
	case "enum":
		return "the value is none of the allowed ones"
	case "const":
		return "the value is not the constant of the schema"
	case "uniqueItems":
		return "an element stands twice, where each may stand once"
	case "anyOf", "oneOf":
		return "the value " + b.Message
	case "not":
		return "the value is one that the schema's \"not\" excludes"
	case "contains":
		return "too few or too many elements fit \"contains\""
	case "propertyNames":
		return "the key's name is not one that the schema allows"
	case "false":
		return "no value is allowed here"
	}
	return "the value " + b.Message
}

func beyond(keyword string) string {
	if strings.HasPrefix(keyword, "max") {
		return "more than"
	}
	return "fewer than"
}

func typeWords(rule, v value.Value) string {
	names := rule.Text()
	for i, name := range rule.Elements() {
		if i > 0 {
			names += " or "
		}
		names += name.Text()
	}
	if v.Kind() == value.String {
		return brief(v) + " is a string, not of type " + names
	}
	return brief(v) + " is not of type " + names
}
