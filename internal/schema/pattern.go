package schema

import "regexp"

// pattern reports whether a text holds a match. The error says that matching took
// too long.
type pattern func(text string) (bool, error)

// compilePattern compiles a "pattern" keyword.
func compilePattern(text string) (pattern, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return func(text string) (bool, error) { return re.MatchString(text), nil }, nil
}
