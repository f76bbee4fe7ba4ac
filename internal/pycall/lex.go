package pycall

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokName
	tokKeyword
	tokNumber
	tokString
	tokOp
)

// token is one token of the text. For tokString, text is the whole literal with
// its prefix and quotes.
type token struct {
	kind tokenKind
	text string
	pos  int
}

// lexer cuts Python source into tokens, one ahead. depth counts open brackets:
// inside them a line end is a blank, outside it ends the expression.
type lexer struct {
	src   string
	pos   int
	depth int
	tok   token
	begun bool // a token was read
	ended bool // a line end was passed behind it, outside brackets
	err   error
}

var keywords = map[string]bool{
	"False": true, "None": true, "True": true, "and": true, "as": true, "assert": true,
	"async": true, "await": true, "break": true, "class": true, "continue": true,
	"def": true, "del": true, "elif": true, "else": true, "except": true,
	"finally": true, "for": true, "from": true, "global": true, "if": true,
	"import": true, "in": true, "is": true, "lambda": true, "nonlocal": true,
	"not": true, "or": true, "pass": true, "raise": true, "return": true,
	"try": true, "while": true, "with": true, "yield": true,
}

// operators, longest first within each first byte.
var operators = [...]string{
	"...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=", ":=", "->",
	"(", ")", "[", "]", "{", "}", ",", ":", ".", "=", "+", "-", "*", "/", "%",
	"@", "&", "|", "^", "~", "<", ">",
}

// newLexer reads every line end as a line feed, as Python does before it looks at
// the text, and bytes that are no UTF-8 as U+FFFD.
func newLexer(src string) *lexer {
	if strings.IndexByte(src, '\r') >= 0 {
		src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	}
	l := &lexer{src: strings.ToValidUTF8(src, "\uFFFD")}
	l.next()
	return l
}

func (l *lexer) fail(format string, args ...any) {
	if l.err == nil {
		l.err = &SyntaxError{Offset: l.pos, Message: fmt.Sprintf(format, args...)}
	}
	l.tok = token{kind: tokEnd, pos: l.pos}
}

// next moves to the next token.
func (l *lexer) next() {
	if l.err != nil {
		return
	}
	l.skipBlanks()
	if l.pos >= len(l.src) {
		l.tok = token{kind: tokEnd, pos: l.pos}
		return
	}
	c := l.src[l.pos]
	switch {
	case l.ended:
		l.fail("text after the end of the expression")
	case !l.begun && l.pos > 0 && (l.src[l.pos-1] == ' ' || l.src[l.pos-1] == '\t'):
		l.fail("unexpected indent")
	case c == '\'' || c == '"':
		l.stringToken(l.pos)
	case isDigit(c), c == '.' && l.pos+1 < len(l.src) && isDigit(l.src[l.pos+1]):
		l.numberToken()
	case isNameStart(l.runeAt(l.pos)):
		l.nameToken()
	default:
		l.opToken()
	}
	l.begun = true
}

func (l *lexer) skipBlanks() {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\f':
			l.pos++
		case c == '\n':
			l.ended = l.begun && l.depth <= 0
			l.pos++
		case c == '#':
			line, _, _ := strings.Cut(rest, "\n")
			l.pos += len(line)
		case strings.HasPrefix(rest, "\\\n") && len(rest) > 2 && l.begun && !l.ended:
			l.pos += 2
		default:
			return
		}
	}
}

func (l *lexer) runeAt(pos int) rune {
	r, _ := utf8.DecodeRuneInString(l.src[pos:])
	return r
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start))
}

func isNamePart(r rune) bool {
	return isNameStart(r) || unicode.In(r, unicode.Nd, unicode.Mn, unicode.Mc, unicode.Pc, unicode.Other_ID_Continue)
}

func (l *lexer) nameToken() {
	start := l.pos
	for l.pos < len(l.src) {
		r, n := utf8.DecodeRuneInString(l.src[l.pos:])
		if !isNamePart(r) {
			break
		}
		l.pos += n
	}
	name := l.src[start:l.pos]
	if l.pos < len(l.src) && (l.src[l.pos] == '\'' || l.src[l.pos] == '"') && isStringPrefix(name) {
		l.stringToken(start)
		return
	}
	kind := tokName
	if keywords[name] {
		kind = tokKeyword
	}
	l.tok = token{kind, name, start}
}

func isStringPrefix(s string) bool {
	switch strings.ToLower(s) {
	case "u", "r", "b", "f", "br", "rb", "fr", "rf":
		return true
	}
	return false
}

// stringToken reads a string literal whose prefix starts at start and whose
// opening quote is at the position.
func (l *lexer) stringToken(start int) {
	quote := l.src[l.pos : l.pos+1]
	triple := strings.HasPrefix(l.src[l.pos:], quote+quote+quote)
	if triple {
		quote = l.src[l.pos : l.pos+3]
	}
	for i := l.pos + len(quote); i < len(l.src); i++ {
		switch {
		case l.src[i] == '\\':
			i++
		case l.src[i] == '\n' && !triple:
			l.fail("string is not closed before the end of the line")
			return
		case strings.HasPrefix(l.src[i:], quote):
			l.pos = i + len(quote)
			l.tok = token{tokString, l.src[start:l.pos], start}
			return
		}
	}
	l.fail("string is not closed")
}

// numberToken reads everything that can belong to a number; parseNumber judges it.
func (l *lexer) numberToken() {
	start := l.pos
	hex := strings.HasPrefix(l.src[start:], "0x") || strings.HasPrefix(l.src[start:], "0X")
	for previous := byte(0); l.pos < len(l.src); l.pos++ {
		c := l.src[l.pos]
		sign := (c == '+' || c == '-') && previous == 'e' && !hex
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if !sign && !letter && !isDigit(c) && c != '_' && c != '.' {
			break
		}
		previous = c | 0x20
	}
	if l.pos < len(l.src) && l.src[l.pos] >= utf8.RuneSelf && isNamePart(l.runeAt(l.pos)) {
		l.fail("a name follows a number directly")
		return
	}
	l.tok = token{tokNumber, l.src[start:l.pos], start}
}

func (l *lexer) opToken() {
	rest := l.src[l.pos:]
	for _, op := range operators {
		if !strings.HasPrefix(rest, op) {
			continue
		}
		switch op {
		case "(", "[", "{":
			l.depth++
		case ")", "]", "}":
			l.depth--
		}
		l.tok = token{tokOp, op, l.pos}
		l.pos += len(op)
		return
	}
	l.fail("unexpected character %q", l.runeAt(l.pos))
}
