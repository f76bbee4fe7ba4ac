package state

import (
	"fmt"
	"path"
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// Options says what counts as a difference. The zero Options compares everything exactly: numbers
// by value (1 = 1.0), lists element by element in order.
type Options struct {
	// Ignore holds patterns of paths that do not count, with everything below them.
	Ignore []Pattern
	// Keyed says which arrays are sets, and which field of an element is its key.
	Keyed []Keyed
	// Tolerance says how much two numbers may differ; 0 means not at all.
	Tolerance []Tolerance
	// ByIndex compares lists of different lengths by index too: what only the longer one has was
	// added or removed.
	ByIndex bool
	// Equality says when two scalars are equal; the zero Equality is the project's.
	Equality value.Equality
}

// Keyed makes the arrays at Path sets.
type Keyed struct {
	Path Pattern
	// Key is the field that identifies an element; "" makes the array a set of
	// values in which order does not count.
	Key string
}

// Tolerance lets numbers at Path differ by at most By.
type Tolerance struct {
	Path Pattern
	By   value.Value
}

// Pattern is a glob over JSON Pointers: "/orders/*/updated_at". Within a token *,
// ? and [...] match as in path.Match; a token ** matches any number of tokens. The
// zero Pattern matches nothing.
type Pattern struct {
	text   string
	tokens []string
}

// ParsePattern reads a pattern. "" and "/**" match everything. It fails on text
// that does not start with a slash and on a malformed glob.
func ParsePattern(text string) (Pattern, error) {
	if text == "" {
		text = "/**"
	}
	if text[0] != '/' {
		return Pattern{}, fmt.Errorf("pattern %q: must start with a slash, as in /orders/*/updated_at", text)
	}
	tokens := strings.Split(text[1:], "/")
	for _, t := range tokens {
		if _, err := path.Match(t, ""); err != nil {
			return Pattern{}, fmt.Errorf("pattern %q: %q is not a valid glob", text, t)
		}
	}
	return Pattern{text, tokens}, nil
}

// String returns the pattern's text.
func (p Pattern) String() string { return p.text }

// match reports whether the pattern matches the whole pointer.
func (p Pattern) match(pointer string) bool {
	if p.tokens == nil {
		return false
	}
	if pointer == "" {
		return matchTokens(p.tokens, nil)
	}
	return matchTokens(p.tokens, strings.Split(pointer[1:], "/"))
}

// matchTokens matches with two pointers: after a mismatch it returns to the last **, so that
// hostile patterns cost quadratic, not exponential, time.
func matchTokens(pattern, tokens []string) bool {
	p, t, star, mark := 0, 0, -1, 0
	for t < len(tokens) {
		switch {
		case p < len(pattern) && pattern[p] == "**":
			star, mark = p, t
			p++
		case p < len(pattern) && matchToken(pattern[p], tokens[t]):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

func matchToken(pattern, token string) bool {
	if pattern == "*" || pattern == token {
		return true
	}
	ok, _ := path.Match(pattern, token)
	return ok
}

func (o Options) ignored(pointer string) bool {
	for _, p := range o.Ignore {
		if p.match(pointer) {
			return true
		}
	}
	return false
}

func (o Options) keyed(pointer string) (key string, ok bool) {
	for _, k := range o.Keyed {
		if k.Path.match(pointer) {
			return k.Key, true
		}
	}
	return "", false
}

// scalars reports whether two values that are not both lists or both objects are
// equal at the pointer.
func (o Options) scalars(pointer string, a, b value.Value) bool {
	if o.Equality.Equal(a, b) {
		return true
	}
	for _, t := range o.Tolerance {
		if t.Path.match(pointer) && within(a, b, t.By) {
			return true
		}
	}
	return false
}

// within reports whether |a − b| <= by, in exact decimal arithmetic, so that 0.30 and 0.31 differ
// by exactly 0.01. A number without an exact value is within a tolerance only of an equal one.
func within(a, b, by value.Value) bool {
	x, known := a.Exact()
	y, known2 := b.Exact()
	most, known3 := by.Exact()
	if !known || !known2 || !known3 {
		return value.Equal(a, b)
	}
	d := x.Sub(x, y)
	return d.Abs(d).Cmp(most) <= 0
}
