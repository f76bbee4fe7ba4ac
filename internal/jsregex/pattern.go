package jsregex

import (
	"regexp"
	"strings"
)

// Pattern reports whether a text holds a match; the error says that it cannot be told
// in a bounded number of steps.
type Pattern func(text string) (bool, error)

// ownToGo are constructs whose meaning in Go is not that of ECMAScript, or that only
// Go has.
var ownToGo = [...]string{`\s`, `\S`, `\A`, `\z`, `\Q`, `\C`, `\a`, `[[:`, `(?`}

// CompilePattern reads a pattern of JSON Schema: ECMAScript's on code points. What Go's
// engine reads alike runs there, in time linear in the text; all else on this engine,
// which is bounded in steps.
func CompilePattern(text string) (Pattern, error) {
	alike := true
	for _, construct := range ownToGo {
		alike = alike && !strings.Contains(text, construct)
	}
	if alike {
		if re, err := regexp.Compile(text); err == nil {
			return func(text string) (bool, error) { return re.MatchString(text), nil }, nil
		}
	}
	re, err := Compile(text)
	if err != nil {
		return nil, err
	}
	return re.MatchString, nil
}
