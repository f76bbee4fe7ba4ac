package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/call"
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/value"
)

// threeLayer is three_layer: schema, equivalence and execution side by side, each
// true, false or unknown, never one number.
type threeLayer struct {
	schema   *schemaCheck
	jsonText bool
	strip    bool
}

// newThreeLayer reads ast_mode (normalized, json), and assert_format and
// strip_whitespace as the layers do.
func newThreeLayer(config value.Value) (scorer.Scorer, error) {
	o := readOptions(config)
	s := &threeLayer{
		jsonText: o.choice("ast_mode", "normalized", "json") == "json",
		strip:    o.flag("strip_whitespace", false),
		schema:   &schemaCheck{config: schema.Config{IgnoreFormat: !o.flag("assert_format", true)}},
	}
	return s, o.err
}

// Score implements scorer.Scorer.
func (s *threeLayer) Score(in scorer.Input) (scorer.Result, error) {
	if in.Expected.Kind() != value.Object {
		return scorer.Result{}, scorer.Config("expected", "is a %s, must be an object with call and state", in.Expected.Kind())
	}
	expected, negative, err := s.expectedCall(in.Expected.Field("call"))
	if err != nil {
		return scorer.Result{}, err
	}
	var schemaOK, astOK *bool
	var violations []schema.Violation
	candidate := in.Actual.Field("call")
	none := candidate.IsNull() || len(call.Read(candidate).Calls) == 0
	if !none {
		c, readable := call.ReadOne(candidate)
		if violations, err = s.schema.violations(c, readable, in.Tools); err != nil {
			return scorer.Result{}, err
		}
		schemaOK = boolPtr(len(violations) == 0)
		astOK = boolPtr(!negative && *schemaOK && s.equivalent(c, expected))
	} else {
		astOK = boolPtr(negative)
		if !negative {
			schemaOK = boolPtr(false)
		}
	}
	execOK, diff := executed(in)
	return layersResult(schemaOK, astOK, execOK, violations, diff), nil
}

// expectedCall reads the reference call; null says that no call is right.
func (s *threeLayer) expectedCall(v value.Value) (c call.Call, negative bool, err error) {
	if v.IsNull() {
		return c, true, nil
	}
	r := call.Read(v)
	if !r.Complete() || len(r.Calls) > 1 {
		return c, false, scorer.Config("expected.call", "cannot be read as one call: %.80s", v.JSON())
	}
	if len(r.Calls) == 0 {
		return c, true, nil
	}
	return r.Calls[0], false, nil
}

// executed is the third layer: nil without a harness result or an expected state.
func executed(in scorer.Input) (*bool, []Difference) {
	state := in.Expected.Field("state")
	failed, _ := in.Actual.Field("exec_error").BoolVal()
	final := in.Actual.Field("final_state")
	switch {
	case state.IsNull() || final.IsNull() && !failed:
		return nil, nil
	case failed:
		return boolPtr(false), nil
	}
	diff := Diff(final, state)
	return boolPtr(len(diff) == 0), diff
}

// equivalent is the second layer.
func (s *threeLayer) equivalent(actual, expected call.Call) bool {
	if actual.Name != expected.Name {
		return false
	}
	if s.jsonText {
		return value.SamePythonJSON(actual.Arguments, expected.Arguments)
	}
	a, b := actual.Arguments, expected.Arguments
	if s.strip {
		a, b = stripped(a), stripped(b)
	}
	return value.Equal(a, b)
}

func boolPtr(b bool) *bool { return &b }

// layersResult writes the three verdicts; there is no score.
func layersResult(schemaOK, astOK, execOK *bool, violations []schema.Violation, diff []Difference) scorer.Result {
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
		{Key: "diff", Value: diffList(diff)},
	}}
}

func verdictOf(ok *bool) value.Value {
	if ok == nil {
		return value.Value{}
	}
	return value.OfBool(*ok)
}

// stripped trims every string value, at any depth; keys stay.
func stripped(v value.Value) value.Value {
	switch v.Kind() {
	case value.String:
		return value.OfString(trimPython(v.Text()))
	case value.List, value.Tuple:
		elems := make([]value.Value, 0, v.Len())
		for _, e := range v.Elements() {
			elems = append(elems, stripped(e))
		}
		return value.OfList(elems...)
	case value.Object:
		members := make([]value.Member, 0, v.Len())
		for key, inner := range v.Members() {
			members = append(members, value.Member{Key: key, Value: stripped(inner)})
		}
		return value.OfObject(members...)
	}
	return v
}
