package sandbox

import "go.starlark.net/syntax"

// The names of the functions that take the place of operators. No program can
// write them itself.
const (
	equalName  = "$eq"
	notEqual   = "$ne"
	memberName = "$in"
	notMember  = "$notin"
	extendName = "$iadd"
)

// rewrite replaces ==, !=, in, not in and += by calls, so that a list or object of
// the state is compared with a plain one by content and += changes the state: the
// interpreter itself would hold two values of different types to be unequal, and
// would put a copy in place of the list.
type rewriter struct{}

func rewrite(f *syntax.File) { rewriter{}.block(f.Stmts) }

func (r rewriter) block(stmts []syntax.Stmt) {
	for _, s := range stmts {
		r.stmt(s)
	}
}

func (r rewriter) stmt(s syntax.Stmt) {
	switch s := s.(type) {
	case *syntax.AssignStmt:
		s.LHS, s.RHS = r.expr(s.LHS), r.expr(s.RHS)
		if s.Op == syntax.PLUS_EQ && repeatable(s.LHS) {
			s.Op = syntax.EQ
			s.RHS = call(extendName, s.OpPos, copyOf(s.LHS), s.RHS)
		}
	case *syntax.DefStmt:
		r.exprs(s.Params)
		r.block(s.Body)
	case *syntax.ExprStmt:
		s.X = r.expr(s.X)
	case *syntax.IfStmt:
		s.Cond = r.expr(s.Cond)
		r.block(s.True)
		r.block(s.False)
	case *syntax.ForStmt:
		s.X = r.expr(s.X)
		r.block(s.Body)
	case *syntax.WhileStmt:
		s.Cond = r.expr(s.Cond)
		r.block(s.Body)
	case *syntax.ReturnStmt:
		s.Result = r.expr(s.Result)
	}
}

func (r rewriter) exprs(list []syntax.Expr) {
	for i := range list {
		list[i] = r.expr(list[i])
	}
}

func (r rewriter) expr(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.BinaryExpr:
		return r.binary(e)
	case *syntax.ParenExpr:
		e.X = r.expr(e.X)
	case *syntax.CallExpr:
		e.Fn = r.expr(e.Fn)
		r.exprs(e.Args)
	case *syntax.DotExpr:
		e.X = r.expr(e.X)
	case *syntax.Comprehension:
		r.comprehension(e)
	case *syntax.DictExpr:
		r.exprs(e.List)
	case *syntax.DictEntry:
		e.Key, e.Value = r.expr(e.Key), r.expr(e.Value)
	case *syntax.LambdaExpr:
		r.exprs(e.Params)
		e.Body = r.expr(e.Body)
	case *syntax.ListExpr:
		r.exprs(e.List)
	case *syntax.CondExpr:
		e.Cond, e.True, e.False = r.expr(e.Cond), r.expr(e.True), r.expr(e.False)
	case *syntax.TupleExpr:
		r.exprs(e.List)
	case *syntax.UnaryExpr:
		e.X = r.expr(e.X)
	case *syntax.SliceExpr:
		e.X, e.Lo, e.Hi, e.Step = r.expr(e.X), r.expr(e.Lo), r.expr(e.Hi), r.expr(e.Step)
	case *syntax.IndexExpr:
		e.X, e.Y = r.expr(e.X), r.expr(e.Y)
	}
	return e
}

// binary rewrites a comparison. An = in a call (name=value) or a parameter list is
// a binary expression too; its left side is a name and stays as it is.
func (r rewriter) binary(e *syntax.BinaryExpr) syntax.Expr {
	if e.Op == syntax.EQ {
		e.Y = r.expr(e.Y)
		return e
	}
	e.X, e.Y = r.expr(e.X), r.expr(e.Y)
	switch e.Op {
	case syntax.EQL:
		return call(equalName, e.OpPos, e.X, e.Y)
	case syntax.NEQ:
		return call(notEqual, e.OpPos, e.X, e.Y)
	case syntax.IN:
		return call(memberName, e.OpPos, e.X, e.Y)
	case syntax.NOT_IN:
		return call(notMember, e.OpPos, e.X, e.Y)
	}
	return e
}

func (r rewriter) comprehension(e *syntax.Comprehension) {
	e.Body = r.expr(e.Body)
	for _, c := range e.Clauses {
		switch c := c.(type) {
		case *syntax.ForClause:
			c.X = r.expr(c.X)
		case *syntax.IfClause:
			c.Cond = r.expr(c.Cond)
		}
	}
}

func call(name string, pos syntax.Position, args ...syntax.Expr) syntax.Expr {
	return &syntax.CallExpr{
		Fn:     &syntax.Ident{NamePos: pos, Name: name},
		Lparen: pos, Rparen: pos,
		Args: args,
	}
}

// repeatable reports whether reading the expression twice does what reading it
// once does: names, fields and elements without a call in them.
func repeatable(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Ident, *syntax.Literal:
		return true
	case *syntax.ParenExpr:
		return repeatable(e.X)
	case *syntax.IndexExpr:
		return repeatable(e.X) && repeatable(e.Y)
	}
	return false
}

// copyOf copies a repeatable expression: the resolver writes into names, so that
// one name may not stand in two places.
func copyOf(e syntax.Expr) syntax.Expr {
	switch e := e.(type) {
	case *syntax.Ident:
		return &syntax.Ident{NamePos: e.NamePos, Name: e.Name}
	case *syntax.Literal:
		return &syntax.Literal{Token: e.Token, TokenPos: e.TokenPos, Raw: e.Raw, Value: e.Value}
	case *syntax.ParenExpr:
		return &syntax.ParenExpr{Lparen: e.Lparen, X: copyOf(e.X), Rparen: e.Rparen}
	case *syntax.IndexExpr:
		return &syntax.IndexExpr{X: copyOf(e.X), Lbrack: e.Lbrack, Y: copyOf(e.Y), Rbrack: e.Rbrack}
	}
	return e
}
