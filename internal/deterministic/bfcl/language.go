package bfcl

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/value"
)

// language says how to read the type names of a tool, and how to convert a model's text to a value.
type language struct {
	kinds map[string]value.Kind
	// If arguments are values and not source text, all other fields are zero. argument returns what
	// the leaderboard keeps of an argument's source, textError is the error type for an argument
	// that is not a text.
	argument func(source string) (string, error)
	// script says that the source is JavaScript.
	script    bool
	textError string
	// numbers holds the patterns of the number types, with the digits as the group. Like Python's
	// "$", they allow a line feed at the end. suffixed lists those that show their type.
	numbers  map[string]*regexp.Regexp
	suffixed []string
	// quotes lists the quotes of texts; a value of the type unquoted loses its quotes.
	quotes, unquoted string
	list             func(l *language, text, typeName, inner string) value.Value
	object           func(l *language, text string) value.Value
}

var languages = map[string]*language{
	"python": {kinds: map[string]value.Kind{
		"string": value.String, "any": value.String, "integer": value.Int, "float": value.Float,
		"boolean": value.Bool, "array": value.List, "tuple": value.List, "dict": value.Object,
	}},
	"java": {
		kinds: map[string]value.Kind{
			"byte": value.Int, "short": value.Int, "integer": value.Int, "long": value.Int,
			"float": value.Float, "double": value.Float, "boolean": value.Bool, "char": value.String,
			"Array": value.List, "ArrayList": value.List, "HashMap": value.Object,
			"String": value.String, "any": value.String,
		},
		argument: javaArgument, textError: "type_error:java",
		numbers: javaNumbers, suffixed: []string{"long", "float"}, quotes: `"`, list: javaList, object: javaMap,
	},
	"javascript": {
		kinds: map[string]value.Kind{
			"String": value.String, "any": value.String, "integer": value.Int, "Bigint": value.Int,
			"float": value.Float, "Boolean": value.Bool, "array": value.List, "dict": value.Object,
		},
		argument: scriptArgument, script: true, textError: "type_error:js",
		numbers: scriptNumbers, quotes: scriptQuotes, unquoted: "String", list: scriptArrayValue, object: scriptObjectValue,
	},
}

var (
	whole       = regexp.MustCompile(`^(-?[0-9]+)\n?$`)
	javaNumbers = map[string]*regexp.Regexp{
		"byte": whole, "short": whole, "integer": whole,
		"long":   regexp.MustCompile(`^(-?[0-9]+)[lL]\n?$`),
		"float":  regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)[fF]\n?$`),
		"double": regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)\n?$`),
	}
	scriptNumbers = map[string]*regexp.Regexp{
		"integer": whole,
		"Bigint":  regexp.MustCompile(`^(-?[0-9]+)n\n?$`),
		"float":   regexp.MustCompile(`^(-?[0-9]+(?:\.[0-9]+)?)\n?$`),
	}
	// The texts that Python's int and float accept.
	pythonInt   = regexp.MustCompile(`^[+-]?[0-9]+(_[0-9]+)*$`)
	pythonFloat = regexp.MustCompile(`^[+-]?([0-9]+(_[0-9]+)*\.?|([0-9]+(_[0-9]+)*)?\.[0-9]+(_[0-9]+)*)` +
		`([eE][+-]?[0-9]+(_[0-9]+)*)?$`)
)

var (
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

// number parses a number of a type; false if the text is not a number or the type is not numeric.
func (l *language) number(typeName, text string) (value.Value, bool) {
	pattern := l.numbers[typeName]
	if pattern == nil {
		return value.Value{}, false
	}
	m := pattern.FindStringSubmatch(text)
	switch {
	case m == nil:
		return value.Value{}, false
	case typeName == "float" || typeName == "double":
		return floatOf(m[1]), true
	}
	return integerOf(m[1]), true
}

// integerOf and floatOf parse digits that a pattern has matched.
func integerOf(digits string) value.Value {
	i, _ := new(big.Int).SetString(strings.ReplaceAll(digits, "_", ""), 10)
	return value.OfBigInt(i)
}

func floatOf(digits string) value.Value {
	f, err := strconv.ParseFloat(strings.ReplaceAll(digits, "_", ""), 64)
	if err != nil {
		return value.OfString(digits)
	}
	return value.OfFloat(f)
}

// value parses a literal of the named type, "" for any type. Other text is a variable, and stays a
// text.
func (l *language) value(text, typeName, inner string) value.Value {
	if v, ok := l.number(typeName, text); ok {
		return v
	}
	switch kind := l.kinds[typeName]; {
	case typeName == "":
		return l.guess(text)
	case typeName == l.unquoted && isQuoted(text, l.quotes):
		return value.OfString(unquoted(text))
	case kind == value.Bool:
		return boolOf(text)
	case kind == value.List:
		return l.list(l, text, typeName, inner)
	case kind == value.Object:
		return l.object(l, text)
	}
	return value.OfString(text)
}

// guess parses a literal of unknown type: a number that shows its type, true and false, a text in
// quotes, or what Python's int or float accepts; other text stays a text.
func (l *language) guess(text string) value.Value {
	text = strings.TrimSpace(text)
	for _, typeName := range l.suffixed {
		if v, ok := l.number(typeName, text); ok {
			return v
		}
	}
	switch {
	case isQuoted(text, l.quotes):
		return value.OfString(unquoted(text))
	case pythonInt.MatchString(text):
		return integerOf(text)
	case pythonFloat.MatchString(text):
		return floatOf(text)
	}
	return boolOf(text)
}

func isQuoted(text, quotes string) bool {
	return text != "" && strings.Contains(quotes, text[:1]) && text[len(text)-1] == text[0]
}

// boolOf parses true and false; other text stays a text.
func boolOf(text string) value.Value {
	if text == "true" || text == "false" {
		return value.OfBool(text == "true")
	}
	return value.OfString(text)
}

func javaList(l *language, text, typeName, inner string) value.Value {
	var parts []string
	isArray := typeName == "Array"
	if m := javaArray.FindStringSubmatch(text); isArray && m != nil {
		parts = strings.Split(m[1], ",")
	} else if m := javaAsList.FindStringSubmatch(text); !isArray && m != nil {
		parts = strings.Split(m[1], ",")
	} else if isArray || !javaNewList.MatchString(text) {
		return value.OfString(text)
	} else if m := javaAdds.FindStringSubmatch(text); m != nil {
		for _, add := range javaAdd.FindAllStringSubmatch(m[1], -1) {
			parts = append(parts, add[1])
		}
	}
	var elems []value.Value
	for _, part := range parts {
		switch part = strings.TrimSpace(part); {
		case !isArray && (inner == "char" || inner == "String"):
			elems = append(elems, value.OfString(unquoted(part)))
		case !isArray || part != "":
			elems = append(elems, l.value(part, inner, ""))
		}
	}
	return value.OfList(elems...)
}

// unquoted removes the first and the last character, whatever they are.
func unquoted(s string) string {
	_, first := utf8.DecodeRuneInString(s)
	s = s[first:]
	_, last := utf8.DecodeLastRuneInString(s)
	return s[:len(s)-last]
}

func javaMap(l *language, text string) value.Value {
	m := javaPuts.FindStringSubmatch(text)
	if m == nil {
		if javaNewMap.MatchString(text) {
			return value.OfObject()
		}
		return value.OfString(text)
	}
	var members []value.Member
	for _, put := range javaPut.FindAllStringSubmatch(m[1], -1) {
		members = append(members, value.Member{Key: put[1], Value: l.guess(put[2])})
	}
	return value.OfObject(members...)
}

const scriptQuotes = `'"`

func scriptArrayValue(l *language, text, _, inner string) value.Value {
	text = strings.TrimSpace(text)
	if matrix := scriptMatrix.FindString(text); matrix != "" {
		var rows []value.Value
		for i, row := range scriptInner.FindAllStringSubmatch(matrix, -1) {
			line := strings.TrimSpace(row[1])
			if i == 0 {
				line = strings.TrimPrefix(line, "[")
			}
			rows = append(rows, scriptElements(l, line, ""))
		}
		return value.OfList(rows...)
	}
	m := scriptArray.FindStringSubmatch(text)
	if m == nil {
		return value.OfString(text)
	}
	if body := strings.TrimSpace(m[1] + m[2]); body != "" {
		return scriptElements(l, body, inner)
	}
	return value.OfList()
}

func scriptElements(l *language, text, inner string) value.Value {
	var elems []value.Value
	for part := range strings.SplitSeq(text, ",") {
		elems = append(elems, l.value(strings.TrimSpace(part), inner, ""))
	}
	return value.OfList(elems...)
}

// scriptObjectValue parses the text between the first brace and the first closing one: key: value,
// ... A value ends before the last comma before another key.
func scriptObjectValue(l *language, text string) value.Value {
	text = strings.TrimSpace(text)
	m := scriptObject.FindStringSubmatch(text)
	if m == nil {
		return value.OfString(text)
	}
	var members []value.Member
	for rest := m[1]; ; {
		key, after, ok := strings.Cut(strings.TrimLeft(rest, ":"), ":")
		if !ok {
			return value.OfObject(members...)
		}
		var text string
		text, rest = cutPair(after)
		text = strings.TrimSpace(text)
		v := l.guess(strings.Trim(text, scriptQuotes))
		if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			v = l.list(l, text, "", "")
		}
		members = append(members, value.Member{Key: strings.Trim(strings.TrimSpace(key), scriptQuotes), Value: v})
	}
}

const blanks = " \t\n\v\f\r"

// cutPair cuts before the first comma that is followed by at least one character and a colon,
// before the next comma.
func cutPair(text string) (value, rest string) {
	for i := range len(text) {
		if text[i] != ',' {
			continue
		}
		part, _, _ := strings.Cut(text[i+1:], ",")
		if strings.LastIndex(part, ":") <= 0 {
			continue
		}
		// Blanks are removed with the comma, unless only they come before the colon.
		rest = text[i+1:]
		if strings.LastIndex(strings.TrimLeft(part, blanks), ":") > 0 {
			rest = strings.TrimLeft(rest, blanks)
		}
		return text[:i], rest
	}
	return text, ""
}
