package constraint

import (
	"regexp"
	"strings"

	"github.com/judgekit/judge/internal/jsregex"
)

// pattern reports whether a text holds a match; the error says that it cannot be told
// in a bounded number of steps.
type pattern func(text string) (bool, error)

// ownToGo are constructs whose meaning in Go is not that of ECMAScript, or that only
// Go has.
var ownToGo = [...]string{`\s`, `\S`, `\A`, `\z`, `\Q`, `\C`, `\a`, `[[:`, `(?`}

// compile reads a pattern of JSON Schema: ECMAScript's on code points. What Go's engine
// reads alike runs there, in time linear in the text; all else on the JavaScript engine,
// which is bounded in steps.
func compile(text string) (pattern, error) {
	alike := true
	for _, construct := range ownToGo {
		alike = alike && !strings.Contains(text, construct)
	}
	if alike {
		if re, err := regexp.Compile(text); err == nil {
			return func(text string) (bool, error) { return re.MatchString(text), nil }, nil
		}
	}
	re, err := jsregex.Compile(text)
	if err != nil {
		return nil, err
	}
	return re.MatchString, nil
}
