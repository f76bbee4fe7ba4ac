package sandbox

import "go.starlark.net/syntax"

// Names that no program can write itself.
const (
	equalName  = "$eq"
	memberName = "$in"
	trueName   = "$true"
)

// rewrite makes x == y, x != y, x in y and x not in y calls that compare by content:
// the interpreter itself holds an object of the state and an equal dict to be
// unequal. x != y becomes $eq(x, y) != $true, the others likewise.
func rewrite(f *syntax.File) {
	syntax.Walk(f, func(n syntax.Node) bool {
		e, ok := n.(*syntax.BinaryExpr)
		if !ok {
			return true
		}
		name := equalName
		switch e.Op {
		case syntax.EQL, syntax.NEQ:
		case syntax.IN:
			name, e.Op = memberName, syntax.EQL
		case syntax.NOT_IN:
			name, e.Op = memberName, syntax.NEQ
		default:
			return true
		}
		ident := func(name string) syntax.Expr { return &syntax.Ident{NamePos: e.OpPos, Name: name} }
		e.X = &syntax.CallExpr{
			Fn: ident(name), Lparen: e.OpPos, Rparen: e.OpPos,
			Args: []syntax.Expr{e.X, e.Y},
		}
		e.Y = ident(trueName)
		return true
	})
}
