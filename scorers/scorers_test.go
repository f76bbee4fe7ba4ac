package scorers_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/scorers"
)

// TestEveryScorer: each function is that of a scorer, no two of the same, and Score reaches all.
func TestEveryScorer(t *testing.T) {
	var named []string
	keep := func(r scorers.Result, err error) {
		if err == nil {
			t.Errorf("a setting that no scorer has passes: %+v", r)
			return
		}
		name, _, _ := strings.Cut(err.Error(), ":")
		named = append(named, name)
	}
	none := scorers.Config{"no such setting": 1}
	for _, one := range []func(any, scorers.Config) (scorers.Result, error){scorers.Coverage, scorers.ToolCalls, scorers.Verdict} {
		keep(one(nil, none))
	}
	for _, two := range []func(any, any, scorers.Config) (scorers.Result, error){
		scorers.Accuracy, scorers.ExactMatch, scorers.NameMatch, scorers.ExpectedCalls, scorers.Parameters,
		scorers.Schema, scorers.AST, scorers.State, scorers.Trajectory, scorers.Efficiency,
	} {
		keep(two(nil, nil, none))
	}
	keep(scorers.BFCL(nil, nil, nil, none))
	keep(scorers.Layers(nil, nil, nil, none))
	keep(scorers.Relevance(nil, nil))
	if r, err := scorers.Recovery([]any{}); err != nil || r.Score != nil {
		t.Errorf("%+v %v", r, err)
	}
	named = append(named, "error_recovery")
	slices.Sort(named)
	if len(slices.Compact(named)) != 16 {
		t.Errorf("functions of %q", named)
	}
	for _, name := range deterministic.Names() {
		_, err := scorers.Score(name, nil, nil, nil, none)
		if err == nil || !strings.HasPrefix(err.Error(), name+": ") {
			t.Errorf("Score with %s: %v", name, err)
		}
	}
}

// TestNoCall: an agent without a call is not a side that is missing, nor one that cannot be read.
func TestNoCall(t *testing.T) {
	if r, err := scorers.ExactMatch([]scorers.Call(nil), []scorers.Call{}, nil); err != nil || !*r.Passed {
		t.Errorf("no call: %+v %v", r, err)
	}
	for _, actual := range []any{nil, 5, `{"name":"f","argu`} {
		if r, err := scorers.ExactMatch(actual, []scorers.Call{}, nil); err == nil {
			t.Errorf("%v: %+v", actual, r)
		}
	}
}

func TestInputs(t *testing.T) {
	if _, err := scorers.AST(math.NaN(), "f()", nil); err == nil || !strings.Contains(err.Error(), "actual") {
		t.Errorf("NaN: %v", err)
	}
	r, err := scorers.BFCL("f(a=5)", []any{map[string]any{"f": map[string]any{"a": []any{"", 5}}}},
		[]scorers.Tool{{Name: "f", Parameters: map[string]any{"properties": map[string]any{"a": map[string]any{"type": "integer"}}}}}, nil)
	if err != nil || r.Passed == nil || !*r.Passed || r.Fields["error_type"] != nil {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := scorers.State(map[string]any{"a": 1}, map[string]any{"a": 2}, nil); err != nil || *r.Passed || len(r.Fields["diff"].([]any)) != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

// TestNoInternalNames: nothing that a caller writes or gets has a name of an internal
// package.
func TestNoInternalNames(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "scorers.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || !f.Name.IsExported() {
			continue
		}
		ast.Inspect(f.Type, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				t.Errorf("%s has %v in its signature", f.Name, s.X)
			}
			return true
		})
	}
}
