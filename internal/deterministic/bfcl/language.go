package bfcl

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/transcript"
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
	// readCall reads a model's text with arguments as source text; nil means Python.
	readCall func(text string) (*transcript.Call, error)
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
		readCall:  javaCall,
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
		readCall:  scriptCall,
		textError: "type_error:js",
	},
}

// A line feed at the end passes, as under Python's "$".
var (
	wholeText   = regexp.MustCompile(`^-?[0-9]+\n?$`)
	decimalText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?\n?$`)
	doubleText  = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?\n?$`)
	// What Python's int and float read.
	pythonInt   = regexp.MustCompile(`^[+-]?[0-9]+(_[0-9]+)*$`)
	pythonFloat = regexp.MustCompile(`^[+-]?([0-9]+(_[0-9]+)*\.?|([0-9]+(_[0-9]+)*)?\.[0-9]+(_[0-9]+)*)` +
		`([eE][+-]?[0-9]+(_[0-9]+)*)?$`)

	javaAsList  = regexp.MustCompile(`new\s+ArrayList<\w*>\(Arrays\.asList\((.+?)\)\)`)
	javaAdds    = regexp.MustCompile(`(?s)new\s+ArrayList<\w*>\(\)\s*\{\{\s*(.+?)\s*\}\}`)
	javaAdd     = regexp.MustCompile(`add\((.+?)\)`)
	javaNewList = regexp.MustCompile(`new\s+ArrayList<\w*>\(\)`)
	javaArray   = regexp.MustCompile(`new\s+\w+\[\]\s*\{(.*?)\}`)
	javaPuts    = regexp.MustCompile(`(?s)new\s+HashMap<.*?>\s*\(\)\s*\{\s*\{?\s*(.*?)\s*\}?\s*\}`)
	javaPut     = regexp.MustCompile(`put\("(.*?)",\s*(.*?)\)`)
	javaNewMap  = regexp.MustCompile(`new\s+HashMap<.*?>\s*\(\)`)

	scriptMatrix = regexp.MustCompile(`^(?:\[\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\]` +
		`|new\s+Array\(\s*\[.*?\]\s*(,\s*\[.*?\]\s*)*\))`)
	scriptInner  = regexp.MustCompile(`\[(.*?)\]`)
	scriptArray  = regexp.MustCompile(`^(?:\[(.*?)\]|new\s+Array\((.*?)\))`)
	scriptObject = regexp.MustCompile(`^\{(.*?)\}`)
)

// literal is how a number of one type is written: digits and, for some, a letter behind
// them, of the given ones.
type literal struct {
	digits  *regexp.Regexp
	letters string
	read    func(digits string) value.Value
}

// value reads a text; false for a literal of no type.
func (l literal) value(text string) (value.Value, bool) {
	if l.digits == nil {
		return value.Value{}, false
	}
	if l.letters != "" {
		text = strings.TrimSuffix(text, "\n")
		if text == "" || !strings.Contains(l.letters, text[len(text)-1:]) {
			return value.Value{}, false
		}
		text = text[:len(text)-1]
	}
	if !l.digits.MatchString(text) {
		return value.Value{}, false
	}
	return l.read(text), true
}

var (
	javaLiterals = map[string]literal{
		"byte": {wholeText, "", integerOf}, "short": {wholeText, "", integerOf}, "integer": {wholeText, "", integerOf},
		"long": {wholeText, "lL", integerOf}, "float": {doubleText, "fF", floatOf}, "double": {doubleText, "", floatOf},
	}
	scriptLiterals = map[string]literal{
		"integer": {wholeText, "", integerOf}, "float": {decimalText, "", floatOf},
		"Bigint": {wholeText, "n", integerOf},
	}
)

// integerOf and floatOf read digits that a pattern has accepted.
func integerOf(digits string) value.Value {
	i, ok := new(big.Int).SetString(strings.ReplaceAll(strings.TrimSpace(digits), "_", ""), 10)
	if !ok {
		return value.OfString(digits)
	}
	return value.OfBigInt(i)
}

func floatOf(digits string) value.Value {
	f, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(digits), "_", ""), 64)
	if err != nil {
		return value.OfString(digits)
	}
	return value.OfFloat(f)
}

// guess reads a literal whose type is not known: true and false, a quoted text, or what
// Python's int, else its float, reads; anything else stays text.
func guess(text string, isQuoted func(string) bool) value.Value {
	switch {
	case text == "true" || text == "false":
		return boolOf(text)
	case isQuoted(text):
		return value.OfString(unquoted(text))
	case pythonInt.MatchString(text):
		return integerOf(text)
	case pythonFloat.MatchString(text):
		return floatOf(text)
	}
	return value.OfString(text)
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
	if v, ok := javaLiterals[typeName].value(text); ok {
		return v
	}
	switch typeName {
	case "boolean":
		return boolOf(text)
	case "":
		return javaGuess(text)
	case "Array":
		return javaArrayValue(text, inner)
	case "ArrayList":
		return javaListValue(text, inner)
	case "HashMap":
		return javaMapValue(text)
	}
	return value.OfString(text)
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

// unquoted drops the first and the last character, whatever they are.
func unquoted(s string) string {
	_, first := utf8.DecodeRuneInString(s)
	s = s[first:]
	_, last := utf8.DecodeLastRuneInString(s)
	return s[:len(s)-last]
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
	for _, typeName := range []string{"long", "float"} {
		if v, ok := javaLiterals[typeName].value(text); ok {
			return v
		}
	}
	return guess(text, func(s string) bool { return strings.HasPrefix(s, `"`) && strings.HasSuffix(s, `"`) })
}

// scriptValue reads a JavaScript literal of the named type; a variable stays text.
func scriptValue(text, typeName, inner string) value.Value {
	if v, ok := scriptLiterals[typeName].value(text); ok {
		return v
	}
	switch typeName {
	case "String":
		if quoted(text) {
			return value.OfString(unquoted(text))
		}
	case "Boolean":
		return boolOf(text)
	case "":
		return scriptGuess(text)
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

// scriptObjectValue reads the text between the first brace and the first closing one:
// key: value, ... where a value ends before the last comma before
// another key.
func scriptObjectValue(text string) value.Value {
	if text == "{}" {
		return value.OfObject()
	}
	m := scriptObject.FindStringSubmatch(text)
	if m == nil {
		return value.OfString(text)
	}
	const quotes = `'"`
	var members []value.Member
	for rest := m[1]; ; {
		key, after, ok := strings.Cut(strings.TrimLeft(rest, ":"), ":")
		if !ok {
			return value.OfObject(members...)
		}
		var text string
		text, rest = cutPair(after)
		text = strings.TrimSpace(text)
		v := scriptGuess(strings.Trim(text, quotes))
		if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			v = scriptArrayValue(text, "")
		}
		members = append(members, value.Member{Key: strings.Trim(strings.TrimSpace(key), quotes), Value: v})
	}
}

const blanks = " \t\n\v\f\r"

// cutPair cuts before the first comma whose next part holds a colon behind at least one
// other character.
func cutPair(text string) (value, rest string) {
	for i := range len(text) {
		if text[i] != ',' {
			continue
		}
		part, _, _ := strings.Cut(text[i+1:], ",")
		if strings.LastIndex(part, ":") <= 0 {
			continue
		}
		// Blanks go with the comma, unless only they are before the colon.
		rest = text[i+1:]
		if strings.LastIndex(strings.TrimLeft(part, blanks), ":") > 0 {
			rest = strings.TrimLeft(rest, blanks)
		}
		return text[:i], rest
	}
	return text, ""
}

func scriptGuess(text string) value.Value { return guess(strings.TrimSpace(text), quoted) }
