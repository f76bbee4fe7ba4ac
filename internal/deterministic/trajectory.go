package deterministic

import (
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// TrajectoryMatch compares trajectories like other programs.
var TrajectoryMatch = Scorer{
	Name: "trajectory_match",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.ExpectedCalls,
			Evidence: score.Evidence{Pass: score.Strong, Fail: score.Weak},
		},
		Needs: score.NeedsExpectedCalls,
	},
	rule: func() Rule { return new(trajectory) },
}

// trajectory implements trajectory_match: presets that reproduce other programs, including their
// quirks.
type trajectory struct {
	preset string
	agentevals
	adk
	ragas
	deepEval
	azure
	threshold *float64
	// ofRequestors makes it apply only if the reference names who should call.
	ofRequestors bool
}

func (t *trajectory) settings() []Setting {
	preset := optional("preset", &t.preset, "required: the program", "agentevals", "adk", "ragas_tool_call_accuracy",
		"ragas_tool_call_f1", "deepeval", "azure", "tau2_actions")
	return slices.Concat(
		[]Setting{preset},
		t.agentevals.settings(),
		t.adk.settings(),
		[]Setting{
			{Name: "threshold", Type: "number", read: into(&t.threshold, given(readNumber)),
				Summary: "least score that passes; adk 1, deepeval 0.5 by default"},
			toggle("strict_order", &t.strictOrder, true, "ragas_tool_call_accuracy"),
		},
		t.deepEval.settings(),
		[]Setting{choice("matching_mode", &t.matchingMode, "azure",
			"exact_match", "in_order_match", "any_order_match")},
	)
}

func (t *trajectory) validate() error {
	if t.preset == "" {
		return configError("preset", "is missing: name the program, such as adk or tau2_actions")
	}
	return nil
}

// least returns the smallest score that passes.
func (t *trajectory) least(fallback float64) float64 {
	if t.threshold == nil {
		return fallback
	}
	return *t.threshold
}

// Score implements Rule.
func (t *trajectory) Score(in Input) (Result, error) {
	switch t.preset {
	case "agentevals":
		return t.agentevals.score(in)
	case "adk":
		return t.adk.score(in, t.least(1))
	case "deepeval":
		return t.deepEval.score(in, t.least(0.5))
	case "azure":
		return t.azure.score(in)
	case "tau2_actions":
		return tau2Case(in)
	}
	expected, err := readReference("expected", in.Expected)
	if err != nil {
		return Result{}, err
	}
	actual, err := madeCalls(in)
	if err != nil {
		return Result{}, err
	}
	return t.calls(actual, expected), nil
}

// calls scores the presets that use only calls.
func (t *trajectory) calls(actual, expected []*transcript.Call) Result {
	if t.preset == "ragas_tool_call_accuracy" {
		return t.ragas.accuracy(actual, expected)
	}
	return ragasF1(actual, expected)
}

func (t *trajectory) log(v *view) []outcome {
	if t.preset == "tau2_actions" || t.ofRequestors {
		return tau2Log(v, t.ofRequestors)
	}
	switch {
	case !v.known:
		return notApplicable(noReference)
	case v.listed != "":
		return notApplicable(v.listed)
	case t.preset == "azure" && len(v.wanted) == 0:
		return notApplicable("no step is expected, and the preset needs one")
	case t.preset == "agentevals":
		return t.agentevals.log(v)
	}
	if err := v.completeReference(); err != nil {
		return whole(Result{}, err)
	}
	var result Result
	switch t.preset {
	case "adk":
		result = t.adk.of([][]*transcript.Call{v.made}, [][]*transcript.Call{v.wanted}, t.least(1))
	case "deepeval":
		result = t.deepEval.of(toolUsesOf(v.made), toolUsesOf(v.wanted), t.least(0.5))
	case "azure":
		result = t.azure.of(v.made, v.wanted, false)
	default:
		result = t.calls(v.made, v.wanted)
	}
	return whole(result, nil)
}

// python is Python's equality for decoded values: True equals 1.
var python = value.Equality{BoolIsNumber: true}

// pythonKey returns a text that is equal for two values exactly if Python calls them equal: numbers
// by value, True as 1.
func pythonKey(v value.Value) string {
	return leaves(v, func(leaf value.Value) value.Value {
		if b, ok := leaf.BoolVal(); ok {
			return value.OfInt(int64(boolScore(b)))
		}
		return leaf
	}).Canonical()
}

// callKey returns a text that is equal for two calls exactly if Python calls them equal.
func callKey(name string, arguments value.Value) string {
	return value.OfString(name).JSON() + pythonKey(arguments)
}
