package trajectory

import (
	"fmt"
	"slices"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// tau2 is the action check of τ²-bench. Actual is a list of calls, or an object
// {assistant, user} with a list of calls for each of them; Expected a list of {name,
// arguments, compare_args, requestor}. Each expected action must equal some call, of its
// requestor where the calls are given apart; one call may serve several. compare_args
// names the arguments that are compared ([]: none); without it those that the call was
// made with are, so an argument that the call leaves out costs nothing. Results have
// passed (all match), action_matches and missing (the names of what was not made, those of
// the user marked); the score is the share that matches, 1 where nothing is expected.
type tau2 struct{}

func newTau2(settings) scorer.Scorer { return tau2{} }

// Score implements scorer.Scorer.
func (tau2) Score(in scorer.Input) (scorer.Result, error) {
	if !in.Expected.IsList() {
		return scorer.Result{}, scorer.Config("expected", "must be a list of {name, arguments, compare_args}")
	}
	made := madeBy(in.Actual)
	matches := make([]value.Value, 0, in.Expected.Len())
	missing := []value.Value{}
	for i, action := range in.Expected.Elements() {
		want, ok := scorer.ReadOne(action)
		compare := action.Field("compare_args")
		if !ok || want.Malformed || !compare.IsNull() && !compare.IsList() {
			return scorer.Result{}, scorer.Config(fmt.Sprintf("expected[%d]", i), "must be {name, arguments, compare_args}")
		}
		byUser := action.Field("requestor").Text() == "user"
		found := slices.ContainsFunc(made(byUser), func(c scorer.Call) bool { return actionMatches(&want, compare, &c) })
		matches = append(matches, value.OfBool(found))
		if !found {
			name := want.Name
			if byUser {
				name += " (user)"
			}
			missing = append(missing, value.OfString(name))
		}
	}
	score := 1.0
	found := len(matches) - len(missing)
	if len(matches) > 0 {
		score = float64(found) / float64(len(matches))
	}
	passed := len(missing) == 0
	return scored(score, &passed, fmt.Sprintf("%d of %d expected actions were made", found, len(matches)),
		value.Member{Key: "action_matches", Value: value.OfList(matches...)},
		value.Member{Key: "missing", Value: value.OfList(missing...)}), nil
}

// madeBy returns the calls that count for the user and for the agent.
func madeBy(actual value.Value) func(user bool) []scorer.Call {
	if !actual.Has("assistant") && !actual.Has("user") {
		all := scorer.Read(actual).Calls
		return func(bool) []scorer.Call { return all }
	}
	assistant, user := scorer.Read(actual.Field("assistant")).Calls, scorer.Read(actual.Field("user")).Calls
	return func(byUser bool) []scorer.Call {
		if byUser {
			return user
		}
		return assistant
	}
}

func actionMatches(want *scorer.Call, compare value.Value, made *scorer.Call) bool {
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
