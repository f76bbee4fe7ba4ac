package bfcl

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// tokens parses the arguments of a call in Java or JavaScript source, token by token, and refuses
// what cannot be a program: unclosed brackets and quotes, two values with nothing between them,
// operators without a value. In the bodies of functions and classes, which contain statements, it
// checks only brackets and quotes.
type tokens struct {
	text   string
	pos    int
	script bool
	open   []bracket
	// value says that a value has just ended: an operator or a comma may follow, but not a value.
	value bool
	// last is the previous token, which tells what a bracket begins.
	last string
	// body says that a function or class was named, and its body follows, outside brackets.
	body bool
	// tested says that the type after Java's instanceof is read, which a name may follow.
	tested bool
	// conditions counts the "?" of conditional expressions that have no ":" yet, outside brackets.
	conditions int
	parts      []string
	start      int
}

// bracket is an open bracket.
type bracket struct {
	close byte
	// statements says that it begins the body of a function or class.
	statements bool
	// typed is the position of two names in a row, as in the parameters "(String a, int b) -> …";
	// -1 until there are any.
	typed int
	// conditions and body are those inside this bracket.
	conditions int
	body       bool
}

var (
	word   = regexp.MustCompile(`^[\pL_$][\pL\pN_$]*`)
	number = regexp.MustCompile(`^(?:0[xXbBoO][0-9a-fA-F_]+|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)` +
		`(?:[eE][+-]?[0-9]+)?)[lLfFdDn]?`)
	// A line feed without a backslash before it.
	brokenLine = regexp.MustCompile(`[^\\]\n`)
	// Operators between two values, longer ones first.
	binary = regexp.MustCompile(`^(?:>>>=|\*\*=|===|!==|>>>|>>=|<<=|&&=|\|\|=|\?\?=|->|=>|::|\*\*|==|!=|<=|>=|&&|\|\|` +
		`|\?\?|<<|\+=|-=|\*=|/=|%=|&=|\|=|\^=|\?\.|[-+*/%&|^<>=.])`)
	// Operators before a value.
	prefix  = regexp.MustCompile(`^(?:\.\.\.|\+\+|--|[-+!~])`)
	pattern = regexp.MustCompile(`^/(?:[^\\/\[\n*]|\\.|\[(?:[^\]\\\n]|\\.)*\])` +
		`(?:[^\\/\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*/[a-z]*`)
)

var (
	// Words before a value; in Java all but new are names.
	prefixWords = []string{"new", "typeof", "void", "delete", "await", "throw", "yield", "return"}
	// Words before the name of a method.
	methodWords = []string{"get", "set", "static"}
	// Words between two values; in Java, "in" is a name.
	binaryWords = []string{"instanceof", "in"}
)

// arguments splits at the commas outside quotes and brackets, up to the bracket that closes the
// call. rest is the text after it.
func (t *tokens) arguments() (parts []string, rest string, err error) {
	for t.pos < len(t.text) {
		closed, err := t.next()
		if err != nil {
			return nil, "", err
		}
		if closed {
			return t.parts, t.text[t.pos:], t.emptyPart()
		}
	}
	return nil, "", errors.New("the call is not closed")
}

// inBody reports whether the tokens are statements.
func (t *tokens) inBody() bool { return len(t.open) > 0 && t.open[len(t.open)-1].statements }

func (t *tokens) errorf(format string, args ...any) error {
	return fmt.Errorf("byte %d of the arguments: %s", t.pos, fmt.Sprintf(format, args...))
}

// next reads one token. closed says that it closed the call.
func (t *tokens) next() (closed bool, err error) {
	rest := t.text[t.pos:]
	if n := blank(rest); n > 0 {
		t.pos += n
		return false, nil
	}
	switch c := rest[0]; c {
	case '"', '\'', '`':
		if c == '`' && !t.script {
			return false, t.errorf("Java has no such quote")
		}
		n, err := t.quoted(rest)
		if err != nil {
			return false, err
		}
		// The leaderboard's grammar of Java takes a text of several lines.
		if c != '`' && (t.script || c == '\'') && brokenLine.MatchString(rest[:n]) {
			return false, t.errorf("a quote is not closed on its line")
		}
		return false, t.operand(rest[:n])
	case '(', '[', '{':
		return false, t.opens(c)
	case ')', ']', '}':
		return t.closes(c)
	case ',':
		return false, t.comma()
	}
	if t.inBody() {
		return false, t.statement(rest)
	}
	return false, t.expression(rest)
}

// textBlock is around Java's texts of several lines.
const textBlock = `"""`

// quoted returns the length of the text in quotes at the start of rest: a text block of Java, a
// template of JavaScript with the expressions in it, or any other.
func (t *tokens) quoted(rest string) (int, error) {
	switch {
	case !t.script && strings.HasPrefix(rest, textBlock):
		for i := len(textBlock); i < len(rest); i++ {
			if strings.HasPrefix(rest[i:], textBlock) {
				return i + len(textBlock), nil
			}
			if rest[i] == '\\' {
				i++
			}
		}
		return 0, errors.New("a text block is not closed")
	case rest[0] == '`':
		return skipTemplate(rest)
	}
	return skipQuoted(rest)
}

// blank returns the length of the blanks and comments at the beginning of a text.
func blank(text string) int {
	if rest := strings.TrimLeftFunc(text, unicode.IsSpace); len(rest) < len(text) {
		return len(text) - len(rest)
	}
	if strings.HasPrefix(text, "//") {
		return strings.IndexByte(text+"\n", '\n')
	}
	if strings.HasPrefix(text, "/*") {
		if end := strings.Index(text[2:], "*/"); end >= 0 {
			return end + 4
		}
	}
	return 0
}

// statement reads any token of a body.
func (t *tokens) statement(rest string) error {
	n := max(len(word.FindString(rest)), 1)
	if t.script && rest[0] == '/' && !t.value {
		n = max(len(pattern.FindString(rest)), n)
	}
	t.value = word.MatchString(rest) && !slices.Contains(prefixWords, rest[:n]) || rest[0] >= '0' && rest[0] <= '9'
	t.take(rest[:n])
	return nil
}

func (t *tokens) take(token string) {
	t.last = token
	t.pos += len(token)
}

// within reports whether c closes the innermost open bracket.
func (t *tokens) within(c byte) bool {
	return len(t.open) > 0 && t.open[len(t.open)-1].close == c
}

// operand reads a value.
func (t *tokens) operand(token string) error {
	switch {
	case t.inBody():
	case t.script && t.value && (token[0] == '`' || t.last == "async" ||
		t.within('}') && slices.Contains(methodWords, t.last)):
	case t.value && !t.between(token), t.last == ".", t.last == "?.", t.last == "::":
		return t.errorf("%.40q follows %.40q with nothing between them", token, t.last)
	}
	t.value = true
	t.take(token)
	return nil
}

// between reports whether a value may follow a value here: in Java after a cast, and a parameter's
// name after its type.
func (t *tokens) between(token string) bool {
	if t.script {
		return false
	}
	if t.last == ")" || t.tested && word.MatchString(token) {
		t.tested = false
		return true
	}
	if !t.within(')') || !word.MatchString(token) {
		return false
	}
	if b := &t.open[len(t.open)-1]; b.typed < 0 {
		b.typed = t.pos
	}
	return true
}

// expression reads a token other than a quote, bracket or comma.
func (t *tokens) expression(rest string) error {
	name := word.FindString(rest)
	switch {
	case name != "" && (t.last == "." || t.last == "?." || t.last == "::"):
		t.value = name != "new" || t.script || t.last == "::"
		t.take(name)
		return nil
	case slices.Contains(binaryWords, name) && t.value && (t.script || name == "instanceof"):
		t.value, t.tested = false, !t.script
		t.take(name)
		return nil
	case *t.naming() && name == "extends":
		t.value = false
		t.take(name)
		return nil
	case slices.Contains(prefixWords, name) && !t.value && (t.script || name == "new"):
		t.take(name)
		return nil
	case t.script && (name == "function" || name == "class") && (!t.value || t.last == "async"):
		*t.naming(), t.value = true, false
		t.take(name)
		return nil
	case name != "":
		return t.operand(name)
	}
	if n := len(number.FindString(rest)); n > 0 && (rest[0] != '.' || !t.value) {
		return t.operand(rest[:n])
	}
	return t.operator(rest)
}

// operator reads an operator.
func (t *tokens) operator(rest string) error {
	if n := t.typeArguments(rest); n > 0 {
		t.pos += n
		return nil
	}
	switch {
	case rest[0] == ':' && t.script && t.within('}') && slices.Contains(prefixWords, t.last):
		t.take(":")
		return nil
	case !t.value && t.script && rest[0] == '/':
		if found := pattern.FindString(rest); found != "" {
			return t.operand(found)
		}
	case rest[0] == '*' && t.script && (t.last == "function" || t.within('}') && (t.last == "{" || t.last == ",")):
		t.take("*") // it is a generator
		return nil
	case !t.value:
		if found := prefix.FindString(rest); found != "" {
			t.take(found)
			return nil
		}
	case strings.HasPrefix(rest, "++") || strings.HasPrefix(rest, "--"):
		t.take(rest[:2])
		return nil
	case rest[0] == '?' && !strings.HasPrefix(rest, "??") && !strings.HasPrefix(rest, "?."):
		*t.waiting()++
		t.value = false
		t.take("?")
		return nil
	case rest[0] == ':' && !strings.HasPrefix(rest, "::") && t.colon():
		t.value = false
		t.take(":")
		return nil
	}
	found := binary.FindString(rest)
	assigned := strings.HasSuffix(found, "=") && !slices.Contains([]string{"==", "===", "!=", "!==", "<=", ">="}, found)
	literal := t.last != "" && strings.Contains("\"'`0123456789", t.last[:1])
	if !t.value || found == "" || assigned && literal ||
		found == "=>" && !t.script || (found == "->" || found == "::") && t.script {
		return t.errorf("%.1q has no place here", rest)
	}
	t.value = false
	t.tested = t.tested && found == "."
	t.take(found)
	return nil
}

// typeArguments returns the length of Java's type arguments at the beginning of a text; 0 if none.
func (t *tokens) typeArguments(rest string) int {
	const longest = 512 // bytes; a longer limit would take time on "<<<<…"
	near := rest[:min(longest, len(rest))]
	if t.script || rest[0] != '<' || !t.value && t.last != "." || !strings.Contains(near, ">") {
		return 0
	}
	return len(typeArguments.FindString(near))
}

// waiting returns the counter of conditions that wait for their colon here.
func (t *tokens) waiting() *int {
	if n := len(t.open); n > 0 {
		return &t.open[n-1].conditions
	}
	return &t.conditions
}

// colon reports whether a colon may stand here: after an object's key, or in a condition.
func (t *tokens) colon() bool {
	if waiting := t.waiting(); *waiting > 0 {
		*waiting--
		return true
	}
	return t.script && t.within('}')
}

// naming says whether a function or class was named here, whose body is still to come.
func (t *tokens) naming() *bool {
	if n := len(t.open); n > 0 {
		return &t.open[n-1].body
	}
	return &t.body
}

var closing = map[byte]byte{'(': ')', '[': ']', '{': '}'}

// opens reads an opening bracket.
func (t *tokens) opens(c byte) error {
	b := bracket{close: closing[c], typed: -1, statements: t.inBody()}
	if c == '{' {
		// After an arrow: the parameters of a function, or the arguments of an anonymous class.
		method := t.last == ")" && (!t.script || t.within('}'))
		b.statements = b.statements || *t.naming() || t.last == "=>" || t.last == "->" || method
		if t.value && !b.statements && t.last != "]" {
			return t.errorf("a brace follows a value")
		}
		*t.naming() = false
	} else if !b.statements && c == '[' && !t.value && !t.script {
		return t.errorf("Java has no such list")
	}
	t.open = append(t.open, b)
	t.value = false
	t.take(string(c))
	return nil
}

// closes reads a closing bracket.
func (t *tokens) closes(c byte) (closed bool, err error) {
	dangling := !t.value && !strings.Contains("([{,", t.last) || t.last == "," && c == ')' && !t.script && len(t.open) > 0
	if *t.waiting() > 0 {
		return false, t.errorf("%q ends a condition without its second value", c)
	}
	if len(t.open) == 0 && c == ')' {
		if dangling {
			return false, t.errorf("%q follows an operator", c)
		}
		if last := t.text[t.start:t.pos]; strings.TrimFunc(last, unicode.IsSpace) != "" || len(t.parts) > 0 {
			t.parts = append(t.parts, last)
		}
		t.pos++
		return true, nil
	}
	if len(t.open) == 0 || t.open[len(t.open)-1].close != c {
		return false, t.errorf("%q closes nothing", c)
	}
	b := t.open[len(t.open)-1]
	if dangling && !b.statements {
		return false, t.errorf("%q follows an operator", c)
	}
	t.open = t.open[:len(t.open)-1]
	if b.typed >= 0 && !strings.HasPrefix(strings.TrimLeftFunc(t.text[t.pos+1:], unicode.IsSpace), "->") {
		t.pos = b.typed
		return false, t.errorf("a value follows a value with nothing between them")
	}
	t.value = true
	t.take(string(c))
	return false, nil
}

// comma ends an argument, or an element within brackets.
func (t *tokens) comma() error {
	hole := t.within(']') && strings.Contains("[,", t.last) || len(t.open) == 0 && strings.Contains(",", t.last)
	if !t.inBody() && (!t.value && !hole || t.within(']') && !t.script || *t.waiting() > 0) {
		return t.errorf("the comma has no place here")
	}
	if len(t.open) == 0 {
		t.parts = append(t.parts, t.text[t.start:t.pos])
		t.start = t.pos + 1
	}
	t.value = false
	t.take(",")
	return nil
}
