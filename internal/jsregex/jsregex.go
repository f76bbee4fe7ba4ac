// Package jsregex owns regular expressions with the meaning they have in
// JavaScript (ECMAScript 2023 with Annex B, no u flag, unanchored search), because
// that is the language in which tool-call matchers and JSON Schemas are written.
//
// It promises the answer of a JavaScript engine on every pattern it compiles, or an
// error. Patterns and texts on which Go's own engine agrees run there, in time linear
// in the text; all else is matched by backtracking, and ends in an error after a
// second, or when the Budget of a log is spent.
package jsregex

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// errTimeout means that a match took too long.
var errTimeout = errors.New("regular expression: match takes too long")

const (
	maxPattern   = 1 << 16 // bytes
	maxDepth     = 500     // open groups
	matchTimeout = time.Second
)

// Regexp is a compiled pattern. It is immutable and safe for concurrent use.
type Regexp struct {
	source string
	linear *regexp.Regexp // nil where Go's syntax means something else
	full   *regexp2.Regexp
	units  func(text string) []rune // what . matches one of
}

// Compile reads a pattern. A group of the letters i, s and m at its very start, such as
// (?i) or (?sm), sets those flags. Refused are patterns that JavaScript refuses, and
// three kinds that it takes: counts of more than nine digits, escapes in the name of a
// group, and a range right after a range that a class such as \d cannot begin, as in
// [\d-a-z].
func Compile(pattern string) (*Regexp, error) {
	return compile(&Regexp{source: pattern, units: units}, len(flags.FindString(pattern)), regexp2.ECMAScript)
}

// CompileSchema reads a pattern of a JSON Schema: it has no flags, and its text is seen
// as code points, as with JavaScript's u flag. A match ends after half a second.
func CompileSchema(pattern string) (*Regexp, error) {
	points := func(text string) []rune { return []rune(text) }
	re, err := compile(&Regexp{source: pattern, units: points}, 0, regexp2.ECMAScript|regexp2.Unicode)
	if err == nil {
		re.full.MatchTimeout = budgetTime
	}
	return re, err
}

// flags is the prefix of a pattern that sets flags: the letters i, s and m, each once.
var flags = regexp.MustCompile(`^\(\?(?:i(?:sm?|ms?)?|s(?:im?|mi?)?|m(?:is?|si?)?)\)`)

// compile reads the pattern of re, whose flags end at start.
func compile(re *Regexp, start int, options regexp2.RegexOptions) (*Regexp, error) {
	rest := re.source[start:]
	if err := checkSyntax(rest); err != nil {
		return nil, fmt.Errorf("pattern %.200q: %w", re.source, err)
	}
	var err error
	if re.full, err = regexp2.Compile(string(re.units(surrogates(re.source))), options); err != nil {
		return nil, fmt.Errorf("pattern %.200q: %w", re.source, err)
	}
	re.full.MatchTimeout = matchTimeout
	if !otherInGo.MatchString(rest) {
		re.linear, _ = regexp.Compile(re.source) // nil where Go cannot read it
	}
	return re, nil
}

// groupStarts holds what may follow "(?" in JavaScript, except the name of a group.
var groupStarts = []string{":", "=", "!", "<=", "<!"}

var (
	groupName = regexp.MustCompile(`^<([\pL$_][\pL\pN$_]*)>`)
	hugeCount = regexp.MustCompile(`^\{\d*,?\d{10,}`)
	oddRange  = regexp.MustCompile(`^\\[dDsSwW]-[^\]\\]-[^\]]`)
)

// checkSyntax refuses what JavaScript refuses and the engine below reads.
func checkSyntax(pattern string) error {
	if len(pattern) > maxPattern {
		return fmt.Errorf("it is longer than %d bytes", maxPattern)
	}
	names := map[string]bool{}
	inClass, depth := false, 0
	for i := 0; i < len(pattern); i++ {
		rest := pattern[i:]
		switch {
		case inClass && oddRange.MatchString(rest):
			return fmt.Errorf("at byte %d: a range of two classes", i)
		case rest[0] == '\\':
			i++
		case inClass:
			inClass = rest[0] != ']'
		case rest[0] == '[':
			inClass = true
		case hugeCount.MatchString(rest):
			return fmt.Errorf("at byte %d: a count of more than nine digits", i)
		case rest[0] == ')':
			depth--
		case rest[0] == '(':
			if depth++; depth > maxDepth {
				return fmt.Errorf("more than %d groups are open", maxDepth)
			}
			if err := checkGroup(rest[1:], names); err != nil {
				return fmt.Errorf("at byte %d: %w", i, err)
			}
		}
	}
	return nil
}

// checkGroup reads what follows the parenthesis of a group.
func checkGroup(rest string, names map[string]bool) error {
	after, ok := strings.CutPrefix(rest, "?")
	if !ok {
		return nil
	}
	for _, start := range groupStarts {
		if strings.HasPrefix(after, start) {
			return nil
		}
	}
	name := groupName.FindStringSubmatch(after)
	switch {
	case name == nil:
		return errors.New("JavaScript has no such group")
	case names[name[1]]:
		return fmt.Errorf("two groups are named %q", name[1])
	}
	names[name[1]] = true
	return nil
}

// surrogatePlane is where the runes begin that stand for surrogates, in patterns and in texts:
// JavaScript sees UTF-16 units, and a surrogate is not a rune.
const surrogatePlane = 0x100000

// surrogateEscape matches an escape, of a surrogate or of another character, so that an escaped
// backslash does not begin an escape.
var surrogateEscape = regexp.MustCompile(`\\(?:u[dD][89a-fA-F][0-9a-fA-F]{2}|(?s:.))`)

// surrogates writes every escaped surrogate of a pattern as its rune.
func surrogates(pattern string) string {
	return surrogateEscape.ReplaceAllStringFunc(pattern, func(escape string) string {
		unit, err := strconv.ParseUint(escape[2:], 16, 16)
		if err != nil {
			return escape // of another character
		}
		return string(rune(surrogatePlane + unit))
	})
}

// units returns the UTF-16 units of a text as runes. The runes that represent surrogates
// stay as they are.
func units(text string) []rune {
	out := make([]rune, 0, len(text))
	for _, r := range text {
		high, low := utf16.EncodeRune(r)
		if high == utf8.RuneError || r >= surrogatePlane+0xd800 && r <= surrogatePlane+0xdfff {
			out = append(out, r)
			continue
		}
		out = append(out, surrogatePlane+high, surrogatePlane+low)
	}
	return out
}

// otherInGo are pieces of a pattern that Go reads in another way. Without them the engines
// agree on plain text, see isPlain.
var otherInGo = regexp.MustCompile(`\\[AzQCapPx0-9]|\[\[:|\[\^?\]|\(\?[^:]|[^\x00-\x7f]`)

// isPlain reports whether . and \s mean the same in both engines for a text.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= utf8.RuneSelf || c == '\r' || c == '\v' {
			return false
		}
	}
	return true
}

// String returns the pattern as it was given.
func (re *Regexp) String() string { return re.source }

// MatchString reports whether the pattern matches anywhere in s. The only error is
// that of a match that takes too long.
func (re *Regexp) MatchString(s string) (bool, error) {
	if re.linear != nil && isPlain(s) {
		return re.linear.MatchString(s), nil
	}
	ok, err := re.full.MatchRunes(re.units(s))
	if err != nil {
		return false, errTimeout
	}
	return ok, nil
}
