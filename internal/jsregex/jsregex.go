// Package jsregex owns regular expressions with the meaning they have in
// JavaScript (ECMAScript 2023 with Annex B, no flags, unanchored search), because
// that is the language in which tool-call matchers are written.
//
// It promises the same answer as a JavaScript engine on every pattern it compiles
// and every text it decides, and that no pattern and no text can stall it. A
// pattern without look-around, back-references and multi-line anchors is matched
// in time linear in the text. Every other pattern is matched by backtracking under
// a budget of steps, and ends in ErrTimeout where the budget is used up. The
// budget counts steps, not seconds, so that the same input always has the same
// outcome.
//
// Text is seen as UTF-16 code units, as JavaScript does without the u flag: a
// character outside the BMP is two units for "." and for classes.
package jsregex

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode/utf16"
)

// ErrTimeout says that a match used up its budget of steps without an answer.
var ErrTimeout = errors.New("regular expression: match takes too many steps")

// maxPattern bounds a pattern, in UTF-16 units.
const maxPattern = 1 << 16

// PatternError says why a pattern is no regular expression.
type PatternError struct {
	Pattern string
	// Offset is the position in the pattern, in UTF-16 units.
	Offset  int
	Message string
}

// Error implements error.
func (e *PatternError) Error() string {
	return fmt.Sprintf("pattern %q, position %d: %s", e.Pattern, e.Offset, e.Message)
}

// Regexp is a compiled pattern. It is immutable and safe for concurrent use.
type Regexp struct {
	source string
	// One of the three decides: a literal, a linear-time program, or the
	// backtracking program.
	literal *literal
	linear  *linear
	program *program
}

// flags are those that a prefix such as (?is) sets.
type flags struct {
	ignoreCase, dotAll, multiline bool
}

// Compile reads a pattern. A prefix of one group of the letters i, s and m, such
// as (?i) or (?sm), sets those flags. The error is a *PatternError.
func Compile(pattern string) (*Regexp, error) {
	f, rest := cutFlags(pattern)
	units := utf16.Encode([]rune(pattern[rest:]))
	p := &parser{pattern: pattern, src: units, offset: rest, flags: f}
	if len(units) > maxPattern {
		return nil, p.errorAt(0, "pattern is longer than %d characters", maxPattern)
	}
	tree, err := p.parse()
	if err != nil {
		return nil, err
	}
	re := &Regexp{source: pattern}
	if re.literal = literalOf(tree, f); re.literal != nil {
		return re, nil
	}
	if re.linear = linearOf(tree, f); re.linear != nil {
		return re, nil
	}
	re.program = compileProgram(tree, p.groups, f)
	return re, nil
}

// cutFlags reads the flag prefix and returns where the rest starts. A letter that
// is given twice is no prefix, and then the pattern fails as JavaScript's would.
func cutFlags(pattern string) (f flags, rest int) {
	after, found := strings.CutPrefix(pattern, "(?")
	if !found {
		return f, 0
	}
	for i, c := range []byte(after) {
		var flag *bool
		switch c {
		case 'i':
			flag = &f.ignoreCase
		case 's':
			flag = &f.dotAll
		case 'm':
			flag = &f.multiline
		case ')':
			if i > 0 {
				return f, i + 3
			}
		}
		if flag == nil || *flag {
			return flags{}, 0
		}
		*flag = true
	}
	return flags{}, 0
}

// String returns the pattern as it was given.
func (re *Regexp) String() string { return re.source }

// MatchString reports whether the pattern matches anywhere in s. The only error is
// ErrTimeout.
func (re *Regexp) MatchString(s string) (bool, error) {
	switch {
	case re.literal != nil:
		return re.literal.match(s), nil
	case re.linear != nil:
		return re.linear.match(s), nil
	}
	return re.program.match(s)
}

// Cache keeps compiled patterns, for callers that meet the same few patterns again
// and again. The zero Cache is ready and safe for concurrent use. It keeps at most
// maxCached patterns and starts over when it is full.
type Cache struct {
	mu       sync.Mutex
	compiled map[string]compiled
}

const maxCached = 1024

type compiled struct {
	re  *Regexp
	err error
}

// Compile is the package's Compile, remembered.
func (c *Cache) Compile(pattern string) (*Regexp, error) {
	c.mu.Lock()
	got, ok := c.compiled[pattern]
	c.mu.Unlock()
	if ok {
		return got.re, got.err
	}
	got.re, got.err = Compile(pattern)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.compiled == nil || len(c.compiled) >= maxCached {
		c.compiled = make(map[string]compiled)
	}
	c.compiled[pattern] = got
	return got.re, got.err
}
