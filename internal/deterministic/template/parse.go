package template

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// beyond says that a template uses something that is not known here.
func beyond(part string) error {
	return fmt.Errorf("template: %.80s: only {{ sample.a['b'] }} with the filters "+
		"map(attribute='name'), list, tojson, unique, sort, first, last, length, lower, upper, trim, string, "+
		"join and default is known; give the names as a list", part)
}

// expression is "sample" with steps and filters.
type expression struct {
	path    []string
	filters []filter
}

type filter struct {
	name string
	// attribute is the argument of map(attribute=…), argument that of the others.
	attribute string
	argument  string
	given     bool
}

// parse splits a template into text and expressions.
func parse(source string) ([]part, error) {
	source = strings.TrimSuffix(source, "\n")
	var parts []part
	for source != "" {
		at := strings.IndexByte(source, '{')
		for at >= 0 && at+1 < len(source) && !strings.ContainsRune("{%#", rune(source[at+1])) {
			next := strings.IndexByte(source[at+1:], '{')
			if next < 0 {
				at = -1
			} else {
				at += 1 + next
			}
		}
		if at < 0 || at+1 >= len(source) {
			return append(parts, part{text: source}), nil
		}
		text, rest := source[:at], source[at+2:]
		switch source[at+1] {
		case '%':
			return nil, beyond(source[at:])
		case '#':
			end := strings.Index(rest, "#}")
			if end < 0 {
				return nil, errors.New("template: a comment is not closed")
			}
			parts, source = append(parts, part{text: text}), rest[end+2:]
			continue
		}
		inner, after, err := cutExpression(rest)
		if err != nil {
			return nil, err
		}
		if trimmed, ok := strings.CutPrefix(inner, "-"); ok {
			inner, text = trimmed, strings.TrimRight(text, " \t\r\n")
		}
		if trimmed, ok := strings.CutSuffix(inner, "-"); ok {
			inner, after = trimmed, strings.TrimLeft(after, " \t\r\n")
		}
		expr, err := parseExpression(inner)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part{text: text}, part{expr: expr})
		source = after
	}
	return parts, nil
}

// cutExpression splits at the }} that closes an expression, which is not one
// inside a string.
func cutExpression(s string) (inner, after string, err error) {
	quote := byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '}' && strings.HasPrefix(s[i:], "}}"):
			return s[:i], s[i+2:], nil
		}
	}
	return "", "", errors.New("template: {{ is not closed")
}

// scanner reads the inside of an expression.
type scanner struct{ s string }

func (c *scanner) blanks() { c.s = strings.TrimLeft(c.s, " \t\r\n") }

func (c *scanner) take(token string) bool {
	c.blanks()
	rest, ok := strings.CutPrefix(c.s, token)
	if ok {
		c.s = rest
	}
	return ok
}

func (c *scanner) word() string {
	c.blanks()
	n := 0
	for n < len(c.s) && (c.s[n] == '_' || c.s[n] >= '0' && c.s[n] <= '9' || c.s[n] >= 'a' && c.s[n] <= 'z' || c.s[n] >= 'A' && c.s[n] <= 'Z') {
		n++
	}
	word := c.s[:n]
	c.s = c.s[n:]
	return word
}

// quoted reads a string in either quotes; none with escapes.
func (c *scanner) quoted() (string, bool) {
	c.blanks()
	if c.s == "" || c.s[0] != '\'' && c.s[0] != '"' {
		return "", false
	}
	end := strings.IndexByte(c.s[1:], c.s[0])
	if end < 0 || strings.Contains(c.s[1:1+end], `\`) {
		return "", false
	}
	text := c.s[1 : 1+end]
	c.s = c.s[end+2:]
	return text, true
}

func parseExpression(inner string) (*expression, error) {
	c := &scanner{inner}
	e := &expression{}
	if name := c.word(); name != "sample" {
		return nil, beyond("{{" + inner + "}}")
	}
	for {
		switch {
		case c.take("."):
			name := c.word()
			if name == "" {
				return nil, fmt.Errorf("template: a name must follow the point in {{%s}}", inner)
			}
			e.path = append(e.path, name)
		case c.take("["):
			key, ok := c.quoted()
			if !ok {
				sign := ""
				if c.take("-") {
					sign = "-"
				}
				key = sign + c.word()
				if _, err := strconv.Atoi(key); err != nil {
					return nil, beyond("{{" + inner + "}}")
				}
			}
			if !c.take("]") {
				return nil, beyond("{{" + inner + "}}")
			}
			e.path = append(e.path, key)
		case c.take("|"):
			f, err := c.filter(inner)
			if err != nil {
				return nil, err
			}
			e.filters = append(e.filters, f)
		default:
			c.blanks()
			if c.s != "" {
				return nil, beyond("{{" + inner + "}}")
			}
			return e, nil
		}
		if len(e.filters) > 0 && c.s != "" && (strings.HasPrefix(strings.TrimSpace(c.s), ".") || strings.HasPrefix(strings.TrimSpace(c.s), "[")) {
			return nil, beyond("{{" + inner + "}}")
		}
	}
}

// filter reads one filter with its argument.
func (c *scanner) filter(inner string) (filter, error) {
	f := filter{name: c.word()}
	switch f.name {
	case "":
		return f, fmt.Errorf("template: a filter must follow | in {{%s}}", inner)
	case "map":
		if !c.take("(") || c.word() != "attribute" || !c.take("=") {
			return f, beyond("{{" + inner + "}}")
		}
		var ok bool
		if f.attribute, ok = c.quoted(); !ok || !c.take(")") {
			return f, beyond("{{" + inner + "}}")
		}
		return f, nil
	case "list", "tojson", "unique", "first", "last", "length", "lower", "upper", "trim", "string", "join", "default", "sort":
	default:
		return f, beyond("{{" + inner + "}}")
	}
	if !c.take("(") {
		return f, nil
	}
	if c.take(")") {
		return f, nil
	}
	if f.name != "join" && f.name != "default" {
		return f, beyond("{{" + inner + "}}")
	}
	if f.argument, f.given = c.quoted(); !f.given || !c.take(")") {
		return f, beyond("{{" + inner + "}}")
	}
	return f, nil
}
