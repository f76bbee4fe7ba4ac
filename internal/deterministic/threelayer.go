package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/bfcl"
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// threeLayer is three_layer: schema, equivalence and execution side by side, each
// true, false or unknown, never one number.
type threeLayer struct {
	schema   *schemaCheck
	equality bfcl.Equality
}

// newThreeLayer reads ast_mode (normalized, json), and assert_format, strip_whitespace
// and stringify as the layers do.
func newThreeLayer(config value.Value) (scorer.Scorer, error) {
	o := scorer.ReadSettings(config)
	s := &threeLayer{schema: &schemaCheck{config: schema.Config{IgnoreFormat: !o.Flag("assert_format", true)}}}
	s.equality.JSON = o.Word("ast_mode", "normalized", "json") == "json"
	s.equality.Strip = o.Flag("strip_whitespace", false)
	if s.equality.Stringify = o.Flag("stringify", false); s.equality.JSON && s.equality.Stringify {
		o.Fail("stringify", "belongs to ast_mode normalized, and ast_mode is json")
	}
	return s, o.Err
}

// Score implements scorer.Scorer.
func (s *threeLayer) Score(in scorer.Input) (scorer.Result, error) {
	candidate, err := layerSide("actual", in.Actual)
	if err != nil {
		return scorer.Result{}, err
	}
	reference, err := layerSide("expected", in.Expected)
	if err != nil {
		return scorer.Result{}, err
	}
	wanted, err := expectedCall(reference)
	if err != nil {
		return scorer.Result{}, err
	}
	var made *scorer.Call
	if !candidate.IsNull() && len(scorer.Read(candidate).Calls) > 0 {
		c, _ := scorer.ReadOne(candidate)
		made = &c
	}
	execOK, diff := executed(in.Actual, in.Expected)
	return s.judge(made, wanted, readTools(in.Tools), execOK, diffList(diff))
}

// judge holds the call that was made, nil for none, against the expected one, nil where
// no call is right. The third verdict is given.
func (s *threeLayer) judge(made, wanted *scorer.Call, tools inventory, execOK *bool, diff value.Value) (scorer.Result, error) {
	var schemaOK, astOK *bool
	var violations []schema.Violation
	if made == nil {
		astOK = boolPtr(wanted == nil)
		if wanted != nil {
			schemaOK = boolPtr(false)
		}
		return layersResult(schemaOK, astOK, execOK, nil, diff), nil
	}
	violations, err := s.schema.violations(made, tools)
	if err != nil {
		return scorer.Result{}, err
	}
	schemaOK = boolPtr(len(violations) == 0)
	astOK = boolPtr(wanted != nil && *schemaOK && made.Name == wanted.Name && s.equality.Equal(made.Arguments, wanted.Arguments))
	return layersResult(schemaOK, astOK, execOK, violations, diff), nil
}

// layerSide returns the call of a side, null where none was made or none is right. A
// call that stands alone is the call of its side. A key that is not there never means
// that no call is right.
func layerSide(field string, v value.Value) (value.Value, error) {
	if v.Kind() != value.Object {
		return v, scorer.Config(field, "is a %s, must be an object with call, or a call", v.Kind())
	}
	if c, ok := v.Get("call"); ok {
		return c, nil
	}
	if v.Has("name") || v.Field("function").Kind() == value.Object {
		return v, nil
	}
	return v, scorer.Config(field+".call", "is missing; write null where no call was made or none is right")
}

// expectedCall reads the reference call; nil says that no call is right.
func expectedCall(v value.Value) (*scorer.Call, error) {
	r := scorer.Read(v)
	switch {
	case v.IsNull():
		return nil, nil
	case !r.Complete() || len(r.Calls) > 1:
		return nil, scorer.Config("expected.call", "cannot be read as one call: %.80s", v.JSON())
	case len(r.Calls) == 0:
		return nil, nil
	}
	return &r.Calls[0], nil
}

// executed is the third layer: nil without a harness result or an expected state.
func executed(actual, expected value.Value) (*bool, []Difference) {
	state := expected.Field("state")
	failed, _ := actual.Field("exec_error").BoolVal()
	final := actual.Field("final_state")
	switch {
	case state.IsNull() || final.IsNull() && !failed:
		return nil, nil
	case failed:
		return boolPtr(false), nil
	}
	diff := Diff(final, state)
	return boolPtr(len(diff) == 0), diff
}

func boolPtr(b bool) *bool { return &b }

// layersResult writes the three verdicts; there is no score.
func layersResult(schemaOK, astOK, execOK *bool, violations []schema.Violation, diff value.Value) scorer.Result {
	word := func(ok *bool) string {
		switch {
		case ok == nil:
			return "unknown"
		case *ok:
			return "passed"
		}
		return "failed"
	}
	reason := fmt.Sprintf("schema %s, ast %s, execution %s", word(schemaOK), word(astOK), word(execOK))
	if len(violations) > 0 {
		reason += ": " + sayViolation(violations[0])
	}
	return scorer.Result{Reason: reason, Fields: []value.Member{
		{Key: "schema_ok", Value: verdictOf(schemaOK)},
		{Key: "ast_ok", Value: verdictOf(astOK)},
		{Key: "exec_ok", Value: verdictOf(execOK)},
		{Key: "errors", Value: violationList(violations)},
		{Key: "diff", Value: diff},
	}}
}

func verdictOf(ok *bool) value.Value {
	if ok == nil {
		return value.Value{}
	}
	return value.OfBool(*ok)
}
