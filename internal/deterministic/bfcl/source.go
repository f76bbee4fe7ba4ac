package bfcl

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Text of a Java or JavaScript call, such as
//
//	[Tool.method(name="x", list=new int[]{1, 2}, flag=true)]
//
// is read as one call whose arguments are source text, without the quotes of an
// argument that is one literal. Unlike the leaderboard's grammars, this looks at tokens
// only: it knows no statements, so that a function's body that is not a program passes.

var (
	callHead = regexp.MustCompile(`^([\pL_$][\pL\pN_$]*(?:\.[\pL_$][\pL\pN_$]*)*)\s*\(`)
	argument = regexp.MustCompile(`^\s*([\pL_$][\pL\pN_$]*)\s*=([^=](?s:.*))$`)
	bareName = regexp.MustCompile(`^\s*[\pL_$][\pL\pN_$]*\s*$`)
	// Type arguments, whose commas separate no arguments.
	typeArguments = regexp.MustCompile(`^<[\w\s,.?<>\[\]]*>`)
	// The body of an anonymous class is not part of what the leaderboard keeps.
	javaBody = regexp.MustCompile(`^new\s+[\w.]+\s*(?:<[^()]*>)?\s*\([^{}]*\)\s*\{`)
)

func javaArgument(source string) (string, error) {
	switch {
	case source[0] == '{':
		return "", fmt.Errorf("%.60q is no Java value", source)
	case javaBody.MatchString(source):
		return strings.TrimSpace(source[:strings.Index(source, "{")]), nil
	case isLiteral(source):
		return source[1 : len(source)-1], nil
	}
	return source, nil
}

func scriptArgument(source string) (string, error) {
	if isQuoted(source, scriptQuotes) {
		return source[1 : len(source)-1], nil
	}
	return source, nil
}

// isLiteral reports whether source is one quoted literal.
func isLiteral(source string) bool {
	n, _ := skipQuoted(source)
	return n == len(source) && (source[0] == '"' || source[0] == '\'')
}

func (l *language) readCall(text string) (*transcript.Call, error) {
	text = strings.TrimSpace(text)
	if inner, listed := strings.CutPrefix(text, "["); listed {
		var closed bool
		if text, closed = strings.CutSuffix(inner, "]"); !closed {
			return nil, errors.New("the list of calls is not closed")
		}
	}
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	head := callHead.FindStringSubmatch(text)
	if head == nil {
		return nil, errors.New("the text is not a call")
	}
	source := tokens{text: text[len(head[0]):], script: l.script}
	parts, rest, err := source.arguments()
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(rest) != "" {
		return nil, fmt.Errorf("text after the call: %.60q", rest)
	}
	args, seen := make([]value.Member, 0, len(parts)), map[string]bool{}
	for _, part := range parts {
		key, source := "", strings.TrimSpace(part)
		if m := argument.FindStringSubmatch(part); m != nil {
			key, source = m[1], strings.TrimSpace(m[2])
		} else if !bareName.MatchString(part) {
			continue // the leaderboard ignores unnamed arguments, except a bare identifier
		}
		if seen[key] {
			return nil, fmt.Errorf("argument %q is repeated", key)
		}
		if source, err = l.argument(source); err != nil {
			return nil, err
		}
		seen[key] = true
		args = append(args, value.Member{Key: key, Value: value.OfString(source)})
	}
	return &transcript.Call{Name: head[1], Arguments: value.OfObject(args...)}, nil
}

// emptyPart refuses an argument without text, which JavaScript allows.
func (t *tokens) emptyPart() error {
	for _, part := range t.parts {
		if !t.script && strings.TrimSpace(part) == "" {
			return errors.New("an argument is empty")
		}
	}
	return nil
}

// skipQuoted returns the length of the quoted text at the start of text.
func skipQuoted(text string) (int, error) {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case text[0]:
			return i + 1, nil
		}
	}
	return 0, errors.New("a quote is not closed")
}

// skipTemplate returns the length of the template of JavaScript at the start of text, in whose
// "${…}" other templates may be.
func skipTemplate(text string) (int, error) {
	// Each is the bracket or the quote that is open: '`' a template, '{' an expression in one.
	open := []byte{'`'}
	for i := 1; i < len(text); i++ {
		inside := open[len(open)-1]
		switch c := text[i]; {
		case c == '\\':
			i++
		case strings.HasPrefix(text[i:], "${"):
			open = append(open, '{')
			i++
		case c == '`' && inside == '`', c == '}' && inside == '{':
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1, nil
			}
		case inside == '{' && (c == '{' || c == '`'):
			open = append(open, c)
		case inside == '{' && (c == '"' || c == '\''):
			n, err := skipQuoted(text[i:])
			if err != nil {
				return 0, err
			}
			i += n - 1
		}
	}
	return 0, errors.New("a quote is not closed")
}
