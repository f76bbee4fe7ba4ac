package trajectory

import (
	"fmt"

	"github.com/judgekit/judge/internal/deterministic/call"
	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// tau2 is the action check of τ²-bench. Actual is a list of calls, Expected a list
// of {name, arguments, compare_args}: each expected action must equal some call,
// one call may serve several. compare_args names the arguments that are compared
// ([]: none); without it those that the call was made with are, so an argument that
// the call leaves out costs nothing. Results have passed (all match) and
// action_matches; the score is the share that matches, 1 where nothing is expected.
type tau2 struct{}

func newTau2(*settings) scorer.Scorer { return tau2{} }

// Score implements scorer.Scorer.
func (tau2) Score(in scorer.Input) (scorer.Result, error) {
	if !in.Expected.IsList() {
		return scorer.Result{}, scorer.Config("expected", "must be a list of {name, arguments, compare_args}")
	}
	calls := call.Read(in.Actual).Calls
	found := 0
	matches := make([]value.Value, 0, in.Expected.Len())
	for i, action := range in.Expected.Elements() {
		want, ok := call.ReadOne(action)
		compare := action.Field("compare_args")
		if !ok || want.Malformed || !compare.IsNull() && !compare.IsList() {
			return scorer.Result{}, scorer.Config(fmt.Sprintf("expected[%d]", i), "must be {name, arguments, compare_args}")
		}
		made := false
		for j := range calls {
			if made = actionMatches(&want, compare, &calls[j]); made {
				found++
				break
			}
		}
		matches = append(matches, value.OfBool(made))
	}
	score := 1.0
	if len(matches) > 0 {
		score = float64(found) / float64(len(matches))
	}
	passed := found == len(matches)
	return scored(score, &passed, fmt.Sprintf("%d of %d expected actions were made", found, len(matches)),
		value.Member{Key: "action_matches", Value: value.OfList(matches...)}), nil
}

func actionMatches(want *call.Call, compare value.Value, made *call.Call) bool {
	if !readable(made) || made.Name != want.Name {
		return false
	}
	if compare.IsNull() {
		for key, v := range made.Arguments.Members() {
			if w, ok := want.Arguments.Get(key); !ok || !python.Equal(v, w) {
				return false
			}
		}
		return true
	}
	for _, c := range compare.Elements() {
		key := c.Text()
		v, ok1 := made.Arguments.Get(key)
		w, ok2 := want.Arguments.Get(key)
		if ok1 != ok2 || ok1 && !python.Equal(v, w) {
			return false
		}
	}
	return true
}
