package pycall

import "strings"

// normalised writes the source of an expression as Python's ast.unparse does, but for
// redundant brackets: strings in single quotes where possible, one blank after commas
// and around operators. f-strings and byte strings keep their source.
func normalised(source string) string {
	var b strings.Builder
	p := &parser{lexer: newLexer("(" + source + ")")} // in brackets a line end is a blank
	var open []string
	operand := false // what precedes is an operand, so that the next sign is an operator
	for p.next(); p.tok.kind != tokEnd && p.pos < len(p.src); {
		tok := p.tok
		if tok.kind == tokString || tok.kind == tokNumber {
			n := p.atom()
			b.WriteString(constantSource(n))
			operand = true
			continue
		}
		p.next()
		text := tok.text
		inSquare := len(open) > 0 && open[len(open)-1] == "["
		wasOperand := operand
		operand = false
		switch {
		case text == "(" || text == "[" || text == "{":
			open = append(open, text)
		case len(open) > 0 && (text == ")" || text == "]" || text == "}"):
			open = open[:len(open)-1]
			operand = true
		case text == "," && strings.Contains(")]}", p.tok.text):
			continue // a trailing comma
		case text == ",", text == ":" && !inSquare: // of a dictionary or a lambda, not of a slice
			text += " "
		case tok.kind == tokName, text == "None", text == "True", text == "False", text == "...":
			operand = true
		case wasOperand && precedence[text] > 0:
			text = " " + text + " "
		case tok.kind == tokKeyword && wasOperand:
			text = " " + text + " "
		case tok.kind == tokKeyword:
			text += " "
		}
		b.WriteString(text)
	}
	return b.String()
}

func constantSource(n *node) string {
	if n.kind == nodeOther {
		return n.source
	}
	return n.val.Repr()
}
