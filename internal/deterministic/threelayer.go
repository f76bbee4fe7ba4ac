package deterministic

import (
	"fmt"

	"github.com/judgekit/judge/internal/jsregex"
	"github.com/judgekit/judge/internal/schema"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// ThreeLayer gives the verdicts of schema, equivalence and execution side by side.
var ThreeLayer = Scorer{
	Name: "three_layer",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.EquivalentCalls,
			Evidence: score.Evidence{Pass: score.Strong, Fail: score.Weak},
		},
		Needs: score.NeedsExpectedCalls,
		Metrics: []score.MetricFacts{
			{Name: "schema_ok", Meaning: SchemaCheck.Meaning},
			{Name: "ast_ok", Meaning: ASTEquivalence.Meaning},
			{Name: "exec_ok", Meaning: ExecutionCheck.Meaning},
		},
	},
	rule: func() Rule { return new(threeLayer) },
}

// threeLayer implements three_layer: schema, equivalence and execution side by side, each true,
// false or unknown, and never one number.
type threeLayer struct {
	schema       schemaCheck
	equality     argumentEquality
	assertFormat bool
}

func (s *threeLayer) settings() []Setting {
	s.schema.assertFormat = &s.assertFormat
	return []Setting{
		choice("ast_mode", &s.equality.mode, "how calls are compared", "normalized", "json"),
		toggle("assert_format", &s.assertFormat, true, "check `format` of the schema"),
		toggle("strip_whitespace", &s.equality.strip, false,
			"normalized: blanks at both ends of string values do not count"),
		toggle("stringify", &s.equality.stringify, false, "normalized: as in ast_equivalence"),
	}
}

func (s *threeLayer) validate() error { return s.equality.check("ast_mode") }

func (s *threeLayer) share(patterns *jsregex.Budget) { s.schema.share(patterns) }

// Score implements Rule.
func (s *threeLayer) Score(in Input) (Result, error) {
	candidate, err := layerSide("actual", in.Actual)
	if err != nil {
		return Result{}, err
	}
	reference, err := layerSide("expected", in.Expected)
	if err != nil {
		return Result{}, err
	}
	var made, wanted *transcript.Call
	if !reference.IsNull() {
		calls, err := readReference("expected.call", reference)
		switch {
		case err != nil:
			return Result{}, err
		case len(calls) > 1:
			return Result{}, configError("expected.call", "cannot be read as one call: %.80s", reference.JSON())
		case len(calls) == 1:
			wanted = calls[0]
		}
	}
	if !candidate.IsNull() {
		calls, err := madeIn("actual.call", candidate, in.Tools)
		switch {
		case err != nil:
			return Result{}, err
		case len(calls) == 1:
			made = calls[0]
		case len(calls) > 1:
			made = unreadableCall()
		}
	}
	if made != nil {
		if err := checkTools(in.Tools); err != nil {
			return Result{}, err
		}
	}
	execOK, diff := executionVerdict(endingOf(in.Actual, in.Expected))
	return s.judge(made, wanted, readTools(in.Tools), execOK, diff)
}

// log applies to at most one call and at most one expected call. The third verdict is the
// environment's, if there is one; in conversations with more calls it is the only verdict.
func (s *threeLayer) log(v *view) []outcome {
	ran, known := v.execution.Field("exec_ok").BoolVal()
	several := len(v.made) > 1 || len(v.wanted) > 1 || v.partial || v.listed != "" || known && v.c.OnlyInText() != ""
	switch {
	case several && known:
		result := layersResult(nil, nil, &ran, nil, diffOf(v.execution))
		result.Reason += ": schema and equivalence are of one whole call against one"
		return whole(result, nil)
	case !v.known:
		return notApplicable(noReference)
	case v.listed != "":
		return notApplicable(v.listed)
	case v.partial:
		return notApplicable(partialReference)
	case several:
		return notApplicable(fmt.Sprintf("it compares one whole call with one; %d were made, %d are expected",
			len(v.made), len(v.wanted)))
	}
	var made, wanted *transcript.Call
	if len(v.made) == 1 {
		made = v.made[0]
		if why := v.toolKnown(made); why != "" {
			return notApplicable(why)
		}
	}
	if len(v.wanted) == 1 {
		wanted = v.wanted[0]
	}
	if err := v.completeReference(); err != nil {
		return whole(Result{}, err)
	}
	if known {
		return whole(s.judge(made, wanted, v.c.Tools, &ran, diffOf(v.execution)))
	}
	end, _ := v.ending()
	execOK, diff := executionVerdict(end)
	return whole(s.judge(made, wanted, v.c.Tools, execOK, diff))
}

// judge compares the made call, nil for none, with the expected one, nil if no call is right. The
// third verdict is given.
func (s *threeLayer) judge(
	made, wanted *transcript.Call, tools []transcript.Tool, execOK *bool, diff []value.Member,
) (Result, error) {
	if made == nil {
		astOK, schemaOK := wanted == nil, (*bool)(nil)
		if wanted != nil {
			schemaOK = new(bool)
		}
		return layersResult(schemaOK, &astOK, execOK, nil, diff), nil
	}
	violations, err := s.schema.violations(made, tools)
	if err != nil {
		return Result{}, err
	}
	schemaOK := len(violations) == 0
	astOK := wanted != nil && schemaOK && s.equality.same(made, wanted)
	return layersResult(&schemaOK, &astOK, execOK, violations, diff), nil
}

// layerSide returns the call of a side; null if none was made or none is right. A single call is
// the side's call. A missing key never means that no call is right.
func layerSide(field string, v value.Value) (value.Value, error) {
	if v.Kind() != value.Object {
		return v, configError(field, "is %s, must be an object with call, or a call", v.Kind().WithArticle())
	}
	if c, ok := v.Get("call"); ok {
		return c, nil
	}
	if v.Has("name") || v.Field("function").Kind() == value.Object {
		return v, nil
	}
	return v, configError(field+".call", "is missing; write null where no call was made or none is right")
}

// executionVerdict returns the third layer; nil without a harness result or an expected state.
func executionVerdict(e ending) (ok *bool, diff []value.Member) {
	none := diffOf(value.Value{})
	switch {
	case e.expected.IsNull() || e.final.IsNull() && !e.failed:
		return nil, none
	case e.failed:
		return new(bool), none
	}
	diff, places := stateDiff(e.final, e.expected)
	return new(places == 0), diff
}

// diffOf returns the field of the differences that an environment found.
func diffOf(execution value.Value) []value.Member {
	diff := execution.Field("diff")
	if diff.IsNull() {
		diff = value.OfList()
	}
	return []value.Member{field("diff", diff)}
}

// layersResult returns the three verdicts, without a score.
func layersResult(schemaOK, astOK, execOK *bool, violations []schema.Violation, diff []value.Member) Result {
	word := func(ok *bool) string {
		switch {
		case ok == nil:
			return "unknown"
		case *ok:
			return "passed"
		}
		return "failed"
	}
	reason := "schema " + word(schemaOK) + ", ast " + word(astOK) + ", execution " + word(execOK)
	if len(violations) > 0 {
		reason += ": " + violationText(violations[0])
	}
	verdicts := []value.Member{
		verdictField("schema_ok", schemaOK), verdictField("ast_ok", astOK), verdictField("exec_ok", execOK),
	}
	fields := append(append(verdicts[:3:3], field("errors", violationList(violations))), diff...)
	return Result{Reason: reason, Fields: fields, layers: verdicts}
}

func verdictField(key string, ok *bool) value.Member {
	if ok == nil {
		return field(key, value.Value{})
	}
	return field(key, *ok)
}
