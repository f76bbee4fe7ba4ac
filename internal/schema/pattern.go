package schema

import (
	"regexp"
	"strings"

	"github.com/judgekit/judge/internal/jsregex"
)

// pattern reports whether a text holds a match. The error says that matching took
// too long.
type pattern func(text string) (bool, error)

// goOnly are constructs that Go reads in its own way.
var goOnly = [...]string{`\s`, `\S`, `\A`, `\z`, `\Q`, `\C`, `\a`, `[[:`, `(?`}

// compilePattern compiles a "pattern" keyword. The dialect is that of ECMAScript on
// code points. Go's linear-time engine serves where it means the same; what it does
// not have (look-around, back-references, \u escapes) or reads differently goes to
// the JavaScript engine, which is bounded in steps.
func compilePattern(text string) (pattern, error) {
	own := false
	for _, construct := range goOnly {
		own = own || strings.Contains(text, construct)
	}
	if !own {
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
