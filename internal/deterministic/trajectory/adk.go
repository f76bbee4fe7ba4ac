package trajectory

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// adk is the tool trajectory metric of Google's Agent Development Kit. Settings:
// match_type (EXACT, IN_ORDER, ANY_ORDER), ignore_args, threshold (1). Both sides
// are {invocations: [[call]]}; invocations pair by position, and a surplus on
// either side is dropped. Results have passed and per_invocation; score and passed
// are null where there is no pair.
type adk struct {
	matchType  string
	ignoreArgs bool
	threshold  float64
}

func newADK(s settings) scorer.Scorer {
	return &adk{
		matchType:  s.Word("match_type", "EXACT", "IN_ORDER", "ANY_ORDER"),
		ignoreArgs: s.Flag("ignore_args", false),
		threshold:  s.Number("threshold", 1),
	}
}

// Score implements scorer.Scorer.
func (a *adk) Score(in scorer.Input) (scorer.Result, error) {
	wanted, ok := in.Expected.Get("invocations")
	if !ok || !wanted.IsList() {
		return scorer.Result{}, scorer.Config("expected.invocations", "must be a list of lists of calls")
	}
	expected := make([][]scorer.Call, wanted.Len())
	for i, v := range wanted.Elements() {
		var err error
		if expected[i], err = readExpected(fmt.Sprintf("expected.invocations[%d]", i), v); err != nil {
			return scorer.Result{}, err
		}
	}
	made := in.Actual.Field("invocations")
	pairs := min(made.Len(), len(expected))
	per := make([]value.Value, pairs)
	sum := 0.0
	for i := range pairs {
		score := 0.0
		if a.match(scorer.Read(made.At(i)).Calls, expected[i]) {
			score = 1
		}
		per[i] = value.OfFloat(score)
		sum += score
	}
	field := value.Member{Key: "per_invocation", Value: value.OfList(per...)}
	if pairs == 0 {
		return scorer.Result{
			Fields: []value.Member{{Key: "passed"}, field},
			Reason: "no invocation stands on both sides, so there is nothing to score",
		}, nil
	}
	score := sum / float64(pairs)
	passed := score >= a.threshold
	return scored(score, &passed, fmt.Sprintf("%.0f of %d invocations match (%s)", sum, pairs, a.matchType), field), nil
}

func (a *adk) equal(x, y *scorer.Call) bool {
	if x.Unreadable || x.Name != y.Name {
		return false
	}
	return a.ignoreArgs || !x.Malformed && python.Equal(x.Arguments, y.Arguments)
}

func (a *adk) match(actual, expected []scorer.Call) bool {
	switch a.matchType {
	case "IN_ORDER":
		next := 0
		for i := range actual {
			if next < len(expected) && a.equal(&actual[i], &expected[next]) {
				next++
			}
		}
		return next == len(expected)
	case "ANY_ORDER":
		used := make([]bool, len(actual))
		for i := range expected {
			if !a.takeEqual(used, actual, &expected[i]) {
				return false
			}
		}
		return true
	}
	if len(actual) != len(expected) {
		return false
	}
	for i := range actual {
		if !a.equal(&actual[i], &expected[i]) {
			return false
		}
	}
	return true
}

func (a *adk) takeEqual(used []bool, actual []scorer.Call, want *scorer.Call) bool {
	for i := range actual {
		if !used[i] && a.equal(&actual[i], want) {
			used[i] = true
			return true
		}
	}
	return false
}
