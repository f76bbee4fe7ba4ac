package scorers_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	want := []string{"function_call_coverage", "tool_calls", "rubric_verdict", "function_call_accuracy",
		"function_call_exact_match", "function_name_match", "expected_call_match", "parameter_validation", "schema_check",
		"ast_equivalence", "execution_check", "trajectory_match", "tool_efficiency", "ast_equivalence", "three_layer",
		"call_relevance", "error_recovery"}
	if diff := cmp.Diff(want, named); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
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
	nan := math.NaN()
	for part, in := range map[string]struct {
		actual, expected, tools any
		config                  scorers.Config
	}{
		"actual": {nan, "f()", nil, nil}, "expected": {"f()", nan, nil, nil}, "tools": {"f()", "f()", nan, nil},
		"config": {"f()", "f()", nil, scorers.Config{"mode": nan}},
	} {
		_, err := scorers.Score("ast_equivalence", in.actual, in.expected, in.tools, in.config)
		if want := "ast_equivalence: " + part + ": json: unsupported value: NaN"; err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	const mode = `ast_equivalence: mode: is "exact", must be normalized or json or bfcl`
	if _, err := scorers.BFCL("f()", []any{}, []any{}, scorers.Config{"mode": "exact"}); err == nil || err.Error() != mode {
		t.Errorf("%v, want %s", err, mode)
	}
	// A scorer's own verdict counts: half of the expected tools are enough for this one.
	half, err := scorers.Trajectory([]any{map[string]any{"name": "f"}}, []any{map[string]any{"name": "f"},
		map[string]any{"name": "g"}}, scorers.Config{"preset": "deepeval"})
	if err != nil || *half.Score != 0.5 || !*half.Passed {
		t.Errorf("half of the tools: %+v, %v", half, err)
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
