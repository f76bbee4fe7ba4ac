package rubrics

import (
	"fmt"
	"slices"
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
	p := &whenParser{text: text}
	p.next()
	holds := p.or()
	if p.err == nil && p.token.text != "" {
		p.fail("expected and, or, or the end, found %s", p.token)
	}
	if p.err != nil {
		return nil, p.err
	}
	return &When{text, holds}, nil
}

// whenToken is a word, a quoted text or a sign; its text is "" at the end.
type whenToken struct {
	text   string
	at     int
	quoted bool
}

func (t whenToken) String() string {
	if t.text == "" && !t.quoted {
		return "the end"
	}
	return fmt.Sprintf("%q", value.Excerpt(t.text, 40))
}

// is reports whether the token is an unquoted word or sign.
func (t whenToken) is(words ...string) bool {
	return !t.quoted && slices.Contains(words, strings.ToLower(t.text))
}

type whenParser struct {
	text  string
	at    int // of what follows the token
	token whenToken
	err   error
}

func (p *whenParser) fail(format string, args ...any) condition {
	if p.err == nil {
		place := utf8.RuneCountInString(p.text[:p.token.at]) + 1
		p.err = fmt.Errorf("character %d: "+format, append([]any{place}, args...)...)
	}
	return nil
}

const whenSigns = "()[],=!"

// next reads the next token.
func (p *whenParser) next() {
	p.at += len(p.text[p.at:]) - len(strings.TrimLeft(p.text[p.at:], " \t\r\n"))
	rest := p.text[p.at:]
	p.token = whenToken{at: p.at}
	n := strings.IndexAny(rest, whenSigns+"\"' \t\r\n")
	switch {
	case rest == "":
		return
	case rest[0] == '"' || rest[0] == '\'':
		end := strings.IndexByte(rest[1:], rest[0])
		if end < 0 {
			p.fail("the quotation mark is not closed")
			return
		}
		p.token.text, p.token.quoted, n = rest[1:end+1], true, end+2
	case strings.HasPrefix(rest, "!=") || strings.HasPrefix(rest, "=="):
		n = 2
	case n == 0:
		n = 1
	case n < 0:
		n = len(rest)
	}
	if !p.token.quoted {
		p.token.text = rest[:n]
	}
	p.at += n
}

// take goes on if the token is one of the words, and reports whether it was.
func (p *whenParser) take(words ...string) bool {
	is := p.err == nil && p.token.is(words...)
	if is {
		p.next()
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
			p.fail("expected ), found %s", p.token)
		}
		return inside
	}
	return p.comparison()
}

func (p *whenParser) comparison() condition {
	of := p.field()
	switch {
	case of == nil:
		return nil
	case p.take("=", "=="):
		wanted := p.value()
		return func(c *transcript.Call) bool { return wanted(of(c)) }
	case p.take("!="):
		wanted := p.value()
		return func(c *transcript.Call) bool { return !wanted(of(c)) }
	case p.take("not"):
		if !p.token.is("in") {
			return p.fail("expected in, found %s", p.token)
		}
		among := p.list()
		return func(c *transcript.Call) bool { return !among(of(c)) }
	case p.token.is("in"):
		among := p.list()
		return func(c *transcript.Call) bool { return among(of(c)) }
	}
	return p.fail("expected =, != or in, found %s", p.token)
}

// field reads what is compared.
func (p *whenParser) field() func(*transcript.Call) value.Value {
	t := p.token
	root, path, dotted := strings.Cut(t.text, ".")
	switch {
	case p.err != nil:
	case t.is("tool"):
		p.next()
		return func(c *transcript.Call) value.Value { return value.OfString(c.Name) }
	case !t.quoted && root == "args" && dotted && path != "":
		p.next()
		steps := strings.Split(path, ".")
		for i := range steps {
			steps[i] = value.EscapePointer(steps[i])
		}
		pointer := "/" + strings.Join(steps, "/")
		return func(c *transcript.Call) value.Value {
			v, _ := c.Arguments.Pointer(pointer)
			return v
		}
	case spelling.Nearest(root, []string{"tool", "args", "not"}) != "" && root != "args":
		p.fail("unknown word %s; did you mean %s?", t, spelling.Nearest(root, []string{"tool", "args", "not"}))
	default:
		p.fail("expected tool or args.NAME, found %s", t)
	}
	return nil
}

// value reads one value and returns what a field that equals it passes.
func (p *whenParser) value() func(value.Value) bool {
	t := p.token
	if t.text == "" && !t.quoted || t.is(strings.Split(whenSigns, "")...) {
		p.fail("expected a value, found %s", t)
	}
	if p.err == nil {
		p.next()
	}
	text := value.OfString(t.text)
	if t.quoted {
		return func(v value.Value) bool { return value.Equal(v, text) }
	}
	same, err := value.ParseString(t.text)
	if err != nil {
		same = text
	}
	return func(v value.Value) bool { return value.Equal(v, text) || value.Equal(v, same) }
}

// list reads in [a, b].
func (p *whenParser) list() func(value.Value) bool {
	p.take("in")
	if !p.take("[") {
		p.fail("expected a list such as [a, b], found %s", p.token)
	}
	var wanted []func(value.Value) bool
	for p.err == nil {
		wanted = append(wanted, p.value())
		if !p.take(",") {
			break
		}
	}
	if !p.take("]") {
		p.fail("expected , or ], found %s", p.token)
	}
	return func(v value.Value) bool {
		return slices.ContainsFunc(wanted, func(is func(value.Value) bool) bool { return is(v) })
	}
}
