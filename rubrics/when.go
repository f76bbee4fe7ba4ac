package rubrics

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/judgekit/judge/internal/spelling"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// When is a condition on a call, such as
//
//	tool in [cancel_order, refund_payment] and not args.amount = 0
//
// It knows tool and args.PATH (PATH has dots, and numbers for the elements of lists), the
// operators =, != and in [..], and, or, not and parentheses. A word without quotes also equals a
// number or a truth value that is written the same; an absent argument equals null.
type When struct {
	text  string
	holds condition
}

type condition func(*transcript.Call) bool

// Holds reports whether the condition is true of a call. A nil condition always is.
func (w *When) Holds(c *transcript.Call) bool { return w == nil || w.holds(c) }

// String returns the condition as it was written.
func (w *When) String() string {
	if w == nil {
		return ""
	}
	return w.text
}

// maxWhen bounds the bytes of a condition, and so its depth.
const maxWhen = 4000

// parseWhen reads a condition. The error says at which character it is wrong.
func parseWhen(text string) (*When, error) {
	if len(text) > maxWhen {
		return nil, fmt.Errorf("the condition has more than %d bytes", maxWhen)
	}
	p := &whenParser{text: text, tokens: whenTokens.FindAllStringIndex(text, -1)}
	holds := p.or()
	if p.err == nil && p.token() != "" {
		p.unexpected("and, or, or the end", "and", "or")
	}
	if p.err != nil {
		return nil, p.err
	}
	return &When{text, holds}, nil
}

// whenTokens matches quoted texts, signs, words, and, if nothing else fits, a quotation mark that
// is not closed.
var whenTokens = regexp.MustCompile(`"[^"]*"|'[^']*'|!=|==|[][(),=!]|[^][(),=!"'\s]+|["']`)

type whenParser struct {
	text string
	// tokens holds where each unread token begins and ends.
	tokens [][]int
	err    error
}

// token returns the next token, "" at the end.
func (p *whenParser) token() string {
	if len(p.tokens) == 0 {
		return ""
	}
	return p.text[p.tokens[0][0]:p.tokens[0][1]]
}

// shownToken returns the next token as a message shows it.
func (p *whenParser) shownToken() string {
	if p.token() == "" {
		return "the end"
	}
	return strconv.Quote(value.Excerpt(p.token(), 40))
}

func (p *whenParser) fail(format string, args ...any) condition {
	at := len(p.text)
	if len(p.tokens) > 0 {
		at = p.tokens[0][0]
	}
	if p.err == nil {
		place := utf8.RuneCountInString(p.text[:at]) + 1
		p.err = fmt.Errorf("character %d: "+format, append([]any{place}, args...)...)
	}
	return nil
}

// unexpected complains about the next token, and suggests the known word nearest to it.
func (p *whenParser) unexpected(expected string, known ...string) condition {
	hint := ""
	if near := spelling.Nearest(p.token(), known); near != "" {
		hint = "; did you mean " + near + "?"
	}
	return p.fail("expected %s, found %s%s", expected, p.shownToken(), hint)
}

// take skips the next token if it is one of the words, and reports whether it was.
func (p *whenParser) take(words ...string) bool {
	is := p.err == nil && len(p.tokens) > 0 && slices.Contains(words, strings.ToLower(p.token()))
	if is {
		p.tokens = p.tokens[1:]
	}
	return is
}

func (p *whenParser) or() condition {
	left := p.and()
	for p.take("or") {
		a, b := left, p.and()
		left = func(c *transcript.Call) bool { return a(c) || b(c) }
	}
	return left
}

func (p *whenParser) and() condition {
	left := p.not()
	for p.take("and") {
		a, b := left, p.not()
		left = func(c *transcript.Call) bool { return a(c) && b(c) }
	}
	return left
}

func (p *whenParser) not() condition {
	switch {
	case p.take("not"):
		of := p.not()
		return func(c *transcript.Call) bool { return !of(c) }
	case p.take("("):
		inside := p.or()
		if !p.take(")") {
			p.fail("expected ), found %s", p.shownToken())
		}
		return inside
	}
	return p.comparison()
}

func (p *whenParser) comparison() condition {
	of, not := p.field(), false
	var equals func(value.Value) bool
	switch {
	case p.err != nil:
		return nil
	case p.take("=", "=="):
		equals = p.value()
	case p.take("!="):
		equals, not = p.value(), true
	default:
		if not = p.take("not"); !p.take("in") {
			return p.unexpected("=, != or in", "in", "not")
		}
		equals = p.list()
	}
	return func(c *transcript.Call) bool { return equals(of(c)) != not }
}

// field reads the left side of a comparison, and returns a function that finds its value in a call.
func (p *whenParser) field() func(*transcript.Call) value.Value {
	root, path, dotted := strings.Cut(p.token(), ".")
	known := []string{"tool", "args", "not"}
	switch near := spelling.Nearest(root, known); {
	case p.take("tool"):
		return func(c *transcript.Call) value.Value { return value.OfString(c.Name) }
	case root == "args" && dotted && path != "":
		p.tokens = p.tokens[1:]
		pointer := pointerOf(strings.Split(path, ".")...)
		return func(c *transcript.Call) value.Value {
			v, _ := c.Arguments.Pointer(pointer)
			return v
		}
	case near != "" && near != root:
		p.fail("unknown word %s; did you mean %s?", p.shownToken(), near)
	default:
		p.fail("expected tool or args.NAME, found %s", p.shownToken())
	}
	return nil
}

// value reads one value, and returns a function that reports whether another value equals it.
func (p *whenParser) value() func(value.Value) bool {
	t := p.token()
	if t == "" || strings.ContainsAny(t[:1], "][(),=!") {
		p.fail("expected a value, found %s", p.shownToken())
		return nil
	}
	if strings.ContainsAny(t[:1], `"'`) {
		if len(t) == 1 {
			p.fail("the quotation mark is not closed")
			return nil
		}
		p.tokens = p.tokens[1:]
		text := value.OfString(t[1 : len(t)-1])
		return func(v value.Value) bool { return value.Equal(v, text) }
	}
	p.tokens = p.tokens[1:]
	text := value.OfString(t)
	same, err := value.ParseString(t)
	if err != nil {
		same = text
	}
	return func(v value.Value) bool { return value.Equal(v, text) || value.Equal(v, same) }
}

// list reads a list of values such as [a, b].
func (p *whenParser) list() func(value.Value) bool {
	if !p.take("[") {
		p.fail("expected a list such as [a, b], found %s", p.shownToken())
	}
	var wanted []func(value.Value) bool
	for more := p.err == nil; more; more = p.take(",") {
		wanted = append(wanted, p.value())
	}
	if !p.take("]") {
		p.fail("expected , or ], found %s", p.shownToken())
	}
	return func(v value.Value) bool {
		return slices.ContainsFunc(wanted, func(is func(value.Value) bool) bool { return is(v) })
	}
}
