package bfcl

import (
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// language is how the type names of a tool are to be understood, and how the text
// that a model writes for a value becomes one.
type language struct {
	name  string
	kinds map[string]value.Kind
	// nested are the types that need items.type.
	nested map[string]bool
	// fromText turns the text of an argument into its value; nil where arguments are
	// values already.
	fromText func(text, typeName, inner string) value.Value
	// textError is the error type of an argument that is no text.
	textError string
}

var languages = map[string]*language{
	"python": {
		name: "python",
		kinds: map[string]value.Kind{
			"string": value.String, "any": value.String, "integer": value.Int, "float": value.Float,
			"boolean": value.Bool, "array": value.List, "tuple": value.List, "dict": value.Object,
		},
		nested: map[string]bool{"array": true, "tuple": true},
	},
	"java": {
		name: "java",
		kinds: map[string]value.Kind{
			"byte": value.Int, "short": value.Int, "integer": value.Int, "long": value.Int,
			"float": value.Float, "double": value.Float, "boolean": value.Bool, "char": value.String,
			"Array": value.List, "ArrayList": value.List, "HashMap": value.Object,
			"String": value.String, "any": value.String,
		},
		nested:    map[string]bool{"Array": true, "ArrayList": true},
		fromText:  javaValue,
		textError: "type_error:java",
	},
	"javascript": {
		name: "javascript",
		kinds: map[string]value.Kind{
			"String": value.String, "any": value.String, "integer": value.Int, "Bigint": value.Int,
			"float": value.Float, "Boolean": value.Bool, "array": value.List, "dict": value.Object,
		},
		nested:    map[string]bool{"array": true},
		fromText:  scriptValue,
		textError: "type_error:js",
	},
}

var (
	wholeText   = regexp.MustCompile(`^-?[0-9]+$`)
	decimalText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)
	doubleText  = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

	javaAsList  = regexp.MustCompile(`new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)`)
	javaAdds    = regexp.MustCompile(`(?s)new\s+ArrayList<\w*>\(\)\s*\{\{\s*(.+?)\s*\}\}`)
	javaAdd     = regexp.MustCompile(`add\((.+?)\)`)
	javaNewList = regexp.MustCompile(`new\s+ArrayList<\w*>\(\)`)
	javaArray   = regexp.MustCompile(`new\s+\w+\[\]\s*\{(.*?)\}`)
	javaPuts    = regexp.MustCompile(`(?s)new\s+HashMap<.*?>\s*\(\)\s*\{\s*\{?\s*(.*?)\s*\}?\s*\}`)
	javaPut     = regexp.MustCompile(`put\("(.*?)",\s*(.*?)\)`)
	javaNewMap  = regexp.MustCompile(`new\s+HashMap<.*?>\s*\(\)`)

	scriptMatrix = regexp.MustCompile(`^(?:\[\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\]|new\s+Array\(\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\))`)
	scriptInner  = regexp.MustCompile(`\[(.*?)\]`)
	scriptArray  = regexp.MustCompile(`^(?:\[(.*?)\]|new\s+Array\((.*?)\))`)
	scriptObject = regexp.MustCompile(`^\{(.*?)\}`)
)

// integerOf and floatOf read digits that a pattern has accepted.
func integerOf(digits string) value.Value {
	i, ok := new(big.Int).SetString(digits, 10)
	if !ok {
		return value.OfString(digits)
	}
	return value.OfBigInt(i)
}

func floatOf(digits string) value.Value {
	f, err := strconv.ParseFloat(digits, 64)
	if strings.ContainsAny(digits, "xXpP_") || err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return value.OfString(digits)
	}
	return value.OfFloat(f)
}

func boolOf(text string) value.Value {
	if text == "true" || text == "false" {
		return value.OfBool(text == "true")
	}
	return value.OfString(text)
}

// javaValue reads a Java literal of the named type. What is no such literal is a
// variable, and stays the text it is.
func javaValue(text, typeName, inner string) value.Value {
	switch typeName {
	case "byte", "short", "integer":
		if wholeText.MatchString(text) {
			return integerOf(text)
		}
	case "long":
		if digits, ok := cutSuffix(text, "lL"); ok && wholeText.MatchString(digits) {
			return integerOf(digits)
		}
	case "float":
		if digits, ok := cutSuffix(text, "fF"); ok && doubleText.MatchString(digits) {
			return floatOf(digits)
		}
	case "double":
		if doubleText.MatchString(text) {
			return floatOf(text)
		}
	case "boolean":
		return boolOf(text)
	case "Array":
		return javaArrayValue(text, inner)
	case "ArrayList":
		return javaListValue(text, inner)
	case "HashMap":
		return javaMapValue(text)
	}
	return value.OfString(text)
}

func cutSuffix(text, letters string) (string, bool) {
	if text == "" || !strings.Contains(letters, text[len(text)-1:]) {
		return text, false
	}
	return text[:len(text)-1], true
}

func javaListValue(text, inner string) value.Value {
	var parts []string
	if m := javaAsList.FindStringSubmatch(text); m != nil {
		parts = strings.Split(m[1], ",")
	} else if m := javaAdds.FindStringSubmatch(text); m != nil {
		for _, add := range javaAdd.FindAllStringSubmatch(m[1], -1) {
			parts = append(parts, add[1])
		}
	} else if !javaNewList.MatchString(text) {
		return value.OfString(text)
	}
	elems := make([]value.Value, len(parts))
	for i, part := range parts {
		part = strings.TrimSpace(part)
		if inner == "char" || inner == "String" {
			elems[i] = value.OfString(unquoted(part))
		} else {
			elems[i] = javaValue(part, inner, "")
		}
	}
	return value.OfList(elems...)
}

// unquoted drops the first and the last byte, whatever they are.
func unquoted(s string) string {
	if len(s) < 2 {
		return ""
	}
	return s[1 : len(s)-1]
}

func javaArrayValue(text, inner string) value.Value {
	m := javaArray.FindStringSubmatch(text)
	if m == nil {
		return value.OfString(text)
	}
	var elems []value.Value
	for part := range strings.SplitSeq(m[1], ",") {
		if part = strings.TrimSpace(part); part != "" {
			elems = append(elems, javaValue(part, inner, ""))
		}
	}
	return value.OfList(elems...)
}

func javaMapValue(text string) value.Value {
	m := javaPuts.FindStringSubmatch(text)
	if m == nil {
		if javaNewMap.MatchString(text) {
			return value.OfObject()
		}
		return value.OfString(text)
	}
	var members []value.Member
	for _, put := range javaPut.FindAllStringSubmatch(m[1], -1) {
		members = append(members, value.Member{Key: put[1], Value: javaGuess(strings.TrimSpace(put[2]))})
	}
	return value.OfObject(members...)
}

// javaGuess reads a Java literal whose type is not known.
func javaGuess(text string) value.Value {
	switch {
	case len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"':
		return value.OfString(unquoted(text))
	case text == "true" || text == "false":
		return boolOf(text)
	}
	for _, typeName := range []string{"long", "float", "integer", "double"} {
		if v := javaValue(text, typeName, ""); v.Kind() != value.String {
			return v
		}
	}
	return value.OfString(text)
}

// scriptValue reads a JavaScript literal of the named type; a variable stays text.
func scriptValue(text, typeName, inner string) value.Value {
	switch typeName {
	case "String":
		if quoted(text) {
			return value.OfString(unquoted(text))
		}
	case "integer":
		if wholeText.MatchString(text) {
			return integerOf(text)
		}
	case "float":
		if decimalText.MatchString(text) {
			return floatOf(text)
		}
	case "Bigint":
		if digits, ok := cutSuffix(text, "n"); ok && wholeText.MatchString(digits) {
			return integerOf(digits)
		}
	case "Boolean":
		return boolOf(text)
	case "array":
		return scriptArrayValue(strings.TrimSpace(text), inner)
	case "dict":
		return scriptObjectValue(strings.TrimSpace(text))
	}
	return value.OfString(text)
}

func quoted(s string) bool {
	return s != "" && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0]
}

func scriptArrayValue(text, inner string) value.Value {
	if m := scriptMatrix.FindString(text); m != "" {
		var rows []value.Value
		for i, row := range scriptInner.FindAllStringSubmatch(m, -1) {
			line := strings.TrimSpace(row[1])
			if i == 0 {
				line = strings.TrimPrefix(line, "[")
			}
			rows = append(rows, value.OfList(scriptGuesses(line)...))
		}
		return value.OfList(rows...)
	}
	m := scriptArray.FindStringSubmatch(text)
	if m == nil {
		return value.OfString(text)
	}
	body := strings.TrimSpace(m[1] + m[2])
	if body == "" {
		return value.OfList()
	}
	var elems []value.Value
	for part := range strings.SplitSeq(body, ",") {
		elems = append(elems, scriptValue(strings.TrimSpace(part), inner, ""))
	}
	return value.OfList(elems...)
}

func scriptGuesses(line string) []value.Value {
	var elems []value.Value
	for part := range strings.SplitSeq(line, ",") {
		elems = append(elems, scriptGuess(part))
	}
	return elems
}

// scriptObjectValue reads {key: value, ...} without nesting; anything deeper stays
// text.
func scriptObjectValue(text string) value.Value {
	if text == "{}" {
		return value.OfObject()
	}
	m := scriptObject.FindStringSubmatch(text)
	if m == nil {
		return value.OfString(text)
	}
	var members []value.Member
	for pair := range strings.SplitSeq(m[1], ",") {
		key, val, ok := strings.Cut(pair, ":")
		if !ok || strings.Contains(val, ":") {
			return value.OfString(text)
		}
		k := scriptGuess(strings.Trim(strings.TrimSpace(key), "'"))
		members = append(members, value.Member{Key: k.Text(), Value: scriptGuess(strings.Trim(strings.TrimSpace(val), "'"))})
	}
	return value.OfObject(members...)
}

// scriptGuess reads a JavaScript literal whose type is not known.
func scriptGuess(text string) value.Value {
	text = strings.TrimSpace(text)
	switch {
	case text == "true" || text == "false":
		return boolOf(text)
	case quoted(text):
		return value.OfString(unquoted(text))
	case wholeText.MatchString(text):
		return integerOf(text)
	}
	return floatOf(text)
}
