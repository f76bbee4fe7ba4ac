package pycall

import (
	"fmt"
	"slices"
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
	end   int // where the token before tok ends
	begun bool
	err   error
}

// keywords lists the words that cannot be names.
var keywords = strings.Fields(`False None True and as assert async await break class continue def del elif else except
	finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// operators lists Python's operators; a longer one stands before its own beginning (** before *).
var operators = [...]string{
	"...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=",
	"(", ")", "[", "]", "{", "}", ",", ":", ".", "=", "+", "-", "*", "/", "%",
	"@", "&", "|", "^", "~", "<", ">",
}

// newLexer returns a lexer of src. As Python does, it first turns every line end into a line feed;
// bytes that are not UTF-8 become U+FFFD.
func newLexer(src string) *lexer {
	src = strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\r", "\n")
	l := &lexer{src: strings.ToValidUTF8(src, "\uFFFD")}
	l.next()
	return l
}

func (l *lexer) fail(format string, args ...any) {
	if l.err == nil {
		l.err = syntaxError(l.pos, format, args...)
	}
	l.tok = token{kind: tokEnd, pos: l.pos}
}

func syntaxError(pos int, format string, args ...any) error {
	return fmt.Errorf("python call, byte %d: %s", pos, fmt.Sprintf(format, args...))
}

// next moves to the next token.
func (l *lexer) next() {
	if l.err != nil {
		return
	}
	l.end = l.pos
	lineEnded := l.skipBlanks()
	if l.pos >= len(l.src) {
		l.tok = token{kind: tokEnd, pos: l.pos}
		return
	}
	c := l.src[l.pos]
	switch {
	case lineEnded:
		l.fail("text after the end of the expression")
	case !l.begun && l.pos > 0 && l.src[l.pos-1] == ' ':
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

// skipBlanks skips blanks and comments, and reports whether a line ended outside brackets.
func (l *lexer) skipBlanks() (lineEnded bool) {
	for l.pos < len(l.src) {
		rest := l.src[l.pos:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\f':
			l.pos++
		case c == '\n':
			lineEnded = l.begun && l.depth <= 0
			l.pos++
		case c == '#':
			line, _, _ := strings.Cut(rest, "\n")
			l.pos += len(line)
		case strings.HasPrefix(rest, "\\\n") && len(rest) > 2:
			l.pos += 2
		default:
			return lineEnded
		}
	}
	return lineEnded
}

func (l *lexer) runeAt(pos int) rune {
	r, _ := utf8.DecodeRuneInString(l.src[pos:])
	return r
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.Nl, unicode.Other_ID_Start)
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
	if slices.Contains(keywords, name) {
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

// stringToken reads a string literal: its prefix begins at start, its opening quote is the next
// byte.
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
