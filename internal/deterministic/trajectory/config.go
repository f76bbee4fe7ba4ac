// Package trajectory owns the scorers that look at a whole trajectory:
//
//   - tool_calls (NewToolCalls): required, disallowed and sequenced calls, matched
//     with JavaScript regular expressions;
//   - trajectory_match (NewMatch): presets that reproduce agentevals, Google ADK,
//     ragas, DeepEval and Azure AI evaluation, quirks included;
//   - rubric_verdict (NewRubricVerdict): the deterministic reading of a judge's reply.
//
// It promises that a wrong configuration is an error before anything is scored,
// that no pattern and no log can stall it, and that each preset gives the named
// program's answer.
package trajectory

import (
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// settings reads a configuration, its patterns too.
type settings struct{ *scorer.Settings }

func readSettings(config value.Value) settings { return settings{scorer.ReadSettings(config)} }

// scored builds a result with the fields of one preset.
func scored(score float64, passed *bool, reason string, fields ...value.Member) scorer.Result {
	return scorer.Result{Score: &score, Passed: passed, Fields: fields, Reason: reason}
}

func passFail(ok bool, reason string, fields ...value.Member) scorer.Result {
	score := 0.0
	if ok {
		score = 1
	}
	return scored(score, &ok, reason, fields...)
}

// pythonKey returns a text that two values share exactly when Python calls them
// equal: numbers by value, True as 1.
func pythonKey(v value.Value) string { return pythonNumbers(v).Canonical() }

func pythonNumbers(v value.Value) value.Value {
	switch v.Kind() {
	case value.Bool:
		if b, _ := v.BoolVal(); b {
			return value.OfInt(1)
		}
		return value.OfInt(0)
	case value.List, value.Tuple:
		elems := make([]value.Value, 0, v.Len())
		for _, e := range v.Elements() {
			elems = append(elems, pythonNumbers(e))
		}
		return value.OfList(elems...)
	case value.Object:
		members := make([]value.Member, 0, v.Len())
		for key, m := range v.Members() {
			members = append(members, value.Member{Key: key, Value: pythonNumbers(m)})
		}
		return value.OfObject(members...)
	}
	return v
}

var python = value.Equality{BoolIsNumber: true}
