package bfcl

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Text of a Java or JavaScript call, such as
//
//	[Tool.method(name="x", list=new int[]{1, 2}, flag=true)]
//
// is read as one call whose arguments are source text, without the quotes of an
// argument that is one literal. Unlike the leaderboard's grammars, this looks at quotes
// and brackets only: source that is balanced but no program passes.

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
	case source[0] == '{' || source[0] == '[':
		return "", fmt.Errorf("%.60q is no Java value", source)
	case javaBody.MatchString(source):
		return strings.TrimSpace(source[:strings.Index(source, "{")]), nil
	case isLiteral(source):
		return source[1 : len(source)-1], nil
	}
	return source, nil
}

func scriptArgument(source string) (string, error) {
	if len(source) > 1 && isQuoted(source, scriptQuotes) {
		return source[1 : len(source)-1], nil
	}
	return source, nil
}

// isLiteral reports whether source is one literal in quotes.
func isLiteral(source string) bool {
	n, err := skipQuoted(source)
	return err == nil && n == len(source) && (source[0] == '"' || source[0] == '\'')
}

func readCall(text string, argumentText func(string) (string, error)) (*transcript.Call, error) {
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "["); ok {
		text = strings.TrimSuffix(inner, "]")
	}
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	head := callHead.FindStringSubmatch(text)
	if head == nil {
		return nil, errors.New("the text is no call")
	}
	parts, rest, err := splitArguments(text[len(head[0]):])
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
			continue // the leaderboard drops what has no name, but for a bare identifier
		}
		if source == "" || seen[key] {
			return nil, fmt.Errorf("argument %q is empty or repeated", key)
		}
		if source, err = argumentText(source); err != nil {
			return nil, err
		}
		seen[key] = true
		args = append(args, value.Member{Key: key, Value: value.OfString(source)})
	}
	return &transcript.Call{Name: head[1], Arguments: value.OfObject(args...)}, nil
}

// splitArguments cuts at the commas outside of quotes and brackets, up to the
// bracket that closes the call.
func splitArguments(text string) (parts []string, rest string, err error) {
	var open []byte
	start := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'', '`':
			n, err := skipQuoted(text[i:])
			if err != nil {
				return nil, "", err
			}
			i += n - 1
		case '(', '[', '{':
			open = append(open, c)
		case '<':
			const longest = 512 // bytes of type arguments; more would cost time on "<<<<…"
			i += max(len(typeArguments.FindString(text[i:min(i+longest, len(text))]))-1, 0)
		case ')', ']', '}':
			if len(open) == 0 && c == ')' {
				if last := text[start:i]; strings.TrimFunc(last, unicode.IsSpace) != "" || len(parts) > 0 {
					parts = append(parts, last)
				}
				return parts, text[i+1:], emptyPart(parts)
			}
			if len(open) == 0 || strings.IndexByte("([{", open[len(open)-1]) != strings.IndexByte(")]}", c) {
				return nil, "", fmt.Errorf("%q closes nothing", c)
			}
			open = open[:len(open)-1]
		case ',':
			if len(open) == 0 {
				parts = append(parts, text[start:i])
				start = i + 1
			}
		}
	}
	return nil, "", errors.New("the call is not closed")
}

func emptyPart(parts []string) error {
	for _, part := range parts {
		if strings.TrimSpace(part) == "" {
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
