package deterministic

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// adk reproduces the tool trajectory metric of Google's Agent Development Kit. Both sides are
// {invocations: [[call]]}. Invocations are paired by position, and a surplus on either side is
// ignored. Results have passed and per_invocation; score and passed are null if there are no pairs.
type adk struct {
	matchType  string
	ignoreArgs bool
}

func (a *adk) settings() []Setting {
	return []Setting{
		choice("match_type", &a.matchType, "adk", "EXACT", "IN_ORDER", "ANY_ORDER"),
		toggle("ignore_args", &a.ignoreArgs, false, "adk: names only"),
	}
}

func (a *adk) score(in Input, threshold float64) (Result, error) {
	wanted := in.Expected.Field("invocations")
	if !wanted.IsList() {
		return Result{}, configError("expected.invocations", "must be a list of lists of calls")
	}
	var actual, expected [][]*transcript.Call
	for i, v := range wanted.Elements() {
		calls, err := readReference(fmt.Sprintf("expected.invocations[%d]", i), v)
		if err != nil {
			return Result{}, err
		}
		expected = append(expected, calls)
	}
	made := in.Actual.Field("invocations")
	if !made.IsList() {
		return Result{}, configError("actual.invocations", "must be a list of lists of calls")
	}
	for i, v := range made.Elements() {
		calls, err := madeIn(fmt.Sprintf("actual.invocations[%d]", i), v, in.Tools)
		if err != nil {
			return Result{}, err
		}
		actual = append(actual, calls)
	}
	return a.of(actual, expected, threshold), nil
}

func (a *adk) of(actual, expected [][]*transcript.Call, threshold float64) Result {
	pairs := min(len(actual), len(expected))
	per := make([]value.Value, pairs)
	sum := 0.0
	for i := range per {
		score := boolScore(a.match(actual[i], expected[i]))
		per[i] = value.OfFloat(score)
		sum += score
	}
	if pairs == 0 {
		return Result{
			Fields: []value.Member{field("passed", value.Value{}), field("per_invocation", value.OfList())},
			Reason: "no invocation is on both sides, so there is nothing to score",
		}
	}
	score := sum / float64(pairs)
	reason := fmt.Sprintf("%.0f of %d invocations match (%s)", sum, pairs, a.matchType)
	return passes(scored(score, reason, field("per_invocation", per)), threshold)
}

// passes sets Passed: the result passes if its score is at least the threshold.
func passes(r Result, threshold float64) Result {
	passed := *r.Score >= threshold
	r.Passed = &passed
	return r
}

func (a *adk) match(actual, expected []*transcript.Call) bool {
	equal := func(i, j int) bool {
		x, y := actual[j], expected[i]
		return x.Name == y.Name && (a.ignoreArgs || !x.Malformed && python.Equal(x.Arguments, y.Arguments))
	}
	return matchesBy(a.matchType, len(expected), len(actual), equal)
}

// ragas reproduces ToolCallAccuracy and ToolCallF1 of ragas 0.4. Both sides are lists of calls.
type ragas struct{ strictOrder bool }

func (r *ragas) accuracy(actual, expected []*transcript.Call) Result {
	switch {
	case len(actual) == 0 && len(expected) == 0:
		return scored(1, "no call was made and none expected")
	case len(actual) == 0 || len(expected) == 0:
		return scored(0, fmt.Sprintf("%d calls, expected %d", len(actual), len(expected)))
	}
	if !r.strictOrder {
		actual, expected = sortedCalls(actual), sortedCalls(expected)
	}
	sameName := func(x, y *transcript.Call) bool { return x.Name == y.Name }
	if !slices.EqualFunc(actual, expected, sameName) {
		return scored(0, "the sequences of names differ")
	}
	sum := 0.0
	for i := range expected {
		sum += argumentShare(actual[i], expected[i].Arguments)
	}
	score := sum / float64(len(expected))
	return scored(score, "same names, arguments right to "+value.Percent(score))
}

// sortedCalls sorts calls by name, then by each argument's name and Python text, with arguments
// sorted by name.
func sortedCalls(calls []*transcript.Call) []*transcript.Call {
	keys := make(map[*transcript.Call][]string, len(calls))
	for _, c := range calls {
		key := []string{c.Name}
		for _, name := range sortedKeys(c.Arguments) {
			key = append(key, name, c.Arguments.Field(name).Python())
		}
		keys[c] = key
	}
	byKey := func(a, b *transcript.Call) int { return slices.Compare(keys[a], keys[b]) }
	return slices.SortedStableFunc(slices.Values(calls), byKey)
}

// argumentShare returns the share of expected arguments that exist with the same Python text.
func argumentShare(actual *transcript.Call, want value.Value) float64 {
	switch {
	case !readable(actual):
		return 0
	case want.Len() == 0:
		return boolScore(actual.Arguments.Len() == 0)
	}
	same := 0
	for name, v := range want.Members() {
		if got, ok := actual.Arguments.Get(name); ok && got.Python() == v.Python() {
			same++
		}
	}
	return float64(same) / float64(want.Len())
}

// ragasF1 compares both sides as sets of (name, arguments).
func ragasF1(actual, expected []*transcript.Call) Result {
	made, wanted := callSet(actual), callSet(expected)
	tp := 0
	for key := range made {
		if wanted[key] {
			tp++
		}
	}
	_, _, f1 := precisionRecall(tp, len(made), len(wanted))
	const reason = "%d of %d different calls are expected, %d of %d expected ones are made"
	return scored(value.Round4(f1), fmt.Sprintf(reason, tp, len(made), tp, len(wanted)))
}

// precisionRecall returns precision, recall and F1 for tp true positives; all are 0 if nothing was
// made or right.
func precisionRecall(tp, made, expected int) (precision, recall, f1 float64) {
	if made > 0 {
		precision, recall = float64(tp)/float64(made), float64(tp)/float64(max(expected, 1))
	}
	if tp > 0 {
		f1 = 2 * precision * recall / (precision + recall)
	}
	return precision, recall, f1
}

// callSet returns a key for each different call. An unreadable call differs from every other.
func callSet(calls []*transcript.Call) map[string]bool {
	set := make(map[string]bool, len(calls))
	for i, c := range calls {
		if readable(c) {
			set[callKey(c.Name, c.Arguments)] = true
		} else {
			set[fmt.Sprint("unreadable ", i)] = true
		}
	}
	return set
}

// azure reproduces the task navigation efficiency of Azure AI evaluation. Actual is a list of
// calls; Expected is {names: [name], parameters: {name: {argument: value}}}, where parameters is
// optional and has one set of arguments per name. Results have passed, precision, recall and f1.
type azure struct{ matchingMode string }

func (a *azure) score(in Input) (Result, error) {
	expected, withArguments, err := azureSteps(in.Expected)
	if err != nil {
		return Result{}, err
	}
	calls, err := madeCalls(in)
	if err != nil {
		return Result{}, err
	}
	return a.of(calls, expected, withArguments), nil
}

// steps returns keys of calls: equal calls are the same step.
func steps(calls []*transcript.Call, withArguments bool) []string {
	keys := make([]string, len(calls))
	for i, c := range calls {
		switch {
		case !withArguments:
			keys[i] = value.OfString(c.Name).JSON()
		case c.Malformed:
			keys[i] = "unreadable" // no other step's key: those are quoted
		default:
			keys[i] = callKey(c.Name, c.Arguments)
		}
	}
	return keys
}

func (a *azure) of(made, wanted []*transcript.Call, withArguments bool) Result {
	actual, expected := steps(made, withArguments), steps(wanted, withArguments)
	left := map[string]int{}
	for _, step := range actual {
		left[step]++
	}
	tp := 0
	for _, step := range expected {
		if left[step] > 0 {
			left[step]--
			tp++
		}
	}
	equal := func(i, j int) bool { return expected[i] == actual[j] }
	passed := matchesBy(a.matchingMode, len(expected), len(actual), equal)
	precision, recall, f1 := precisionRecall(tp, len(actual), len(expected))
	return passFail(passed, fmt.Sprintf("%d steps, %d expected (%s)", len(actual), len(expected), a.matchingMode),
		floatField("precision", precision), floatField("recall", recall), floatField("f1", f1))
}

// azureSteps returns the expected steps.
func azureSteps(expected value.Value) (calls []*transcript.Call, withArguments bool, err error) {
	names := expected.Field("names")
	if !names.IsList() || names.Len() == 0 {
		return nil, false, configError("expected.names", "must be a list of at least one name")
	}
	parameters := expected.Field("parameters")
	if withArguments = !parameters.IsNull(); withArguments && parameters.Kind() != value.Object {
		return nil, false, configError("expected.parameters", "must be an object of {name: arguments}")
	}
	for name, args := range parameters.Members() {
		if args.Kind() != value.Object {
			return nil, false, configError("expected.parameters."+name, "must be an object of arguments")
		}
	}
	for i, n := range names.Elements() {
		name, ok := n.Str()
		if !ok {
			return nil, false, configError(fmt.Sprintf("expected.names[%d]", i), "must be a string")
		}
		c := namedCall(strings.TrimFunc(name, unicode.IsSpace))
		if arguments, given := parameters.Get(c.Name); given {
			c.Arguments = arguments
		}
		calls = append(calls, c)
	}
	return calls, withArguments, nil
}

// tau2Case reads a case of the action check: Actual is a list of calls, or an object {assistant,
// user} with a list of calls for each; Expected is a list of {name, arguments, compare_args,
// requestor}.
func tau2Case(in Input) (Result, error) {
	if !in.Expected.IsList() {
		return Result{}, configError("expected", "must be a list of {name, arguments, compare_args}")
	}
	actions := make([]transcript.ExpectedCall, in.Expected.Len())
	for i, v := range in.Expected.Elements() {
		c, compare := readOne(v), v.Field("compare_args")
		if !readable(c) || !compare.IsNull() && !compare.IsList() {
			return Result{}, configError(fmt.Sprintf("expected[%d]", i), "must be {name, arguments, compare_args}")
		}
		actions[i] = transcript.ExpectedCall{Name: c.Name, Arguments: c.Arguments, Requestor: v.Field("requestor").Text()}
		if compare.IsList() {
			actions[i].Compare = []string{}
		}
		for _, key := range compare.Elements() {
			actions[i].Compare = append(actions[i].Compare, key.Text())
		}
	}
	if !in.Actual.Has("assistant") && !in.Actual.Has("user") {
		made, err := madeCalls(in)
		if err != nil {
			return Result{}, err
		}
		return tau2Actions(made, actions), nil
	}
	var made []*transcript.Call
	for _, side := range [...]string{"assistant", "user"} {
		v := in.Actual.Field(side)
		if side == "user" && v.IsNull() {
			continue // the run has no user
		}
		calls, err := madeIn("actual."+side, v, in.Tools)
		if err != nil {
			return Result{}, err
		}
		made = append(made, calls...)
	}
	return tau2Actions(made, actions), nil
}

// tau2Log returns the action check of a conversation.
func tau2Log(v *view, ofRequestors bool) []outcome {
	if v.c.Expected == nil || v.c.Expected.Calls == nil {
		return notApplicable(noReference)
	}
	expected := v.c.Expected.Calls
	requested := func(e transcript.ExpectedCall) bool { return e.Requestor != "" }
	if ofRequestors && !slices.ContainsFunc(expected, requested) {
		return notApplicable("the reference does not name who should call")
	}
	nameless := func(e transcript.ExpectedCall) bool { return e.Name == "" }
	if i := slices.IndexFunc(expected, nameless); i >= 0 {
		return whole(Result{}, configError(fmt.Sprintf("expected[%d]", i), "has no name"))
	}
	return whole(tau2Actions(slices.Concat(v.made, v.byUser), expected), nil)
}

// tau2Actions checks actions like τ²-bench. Each expected action must equal some call, whoever made
// it: in runs without a user the agent makes the user's calls. One call may serve several actions.
// Results have passed (all match), action_matches and missing (the names of what was not made, with
// the user's marked); the score is the share that matches, 1 if nothing is expected.
func tau2Actions(made []*transcript.Call, actions []transcript.ExpectedCall) Result {
	matches := make([]value.Value, len(actions))
	var missing []string
	for i := range actions {
		name := actions[i].Name
		if actions[i].Requestor == "user" {
			name += " (user)"
		}
		found := slices.ContainsFunc(made, func(c *transcript.Call) bool { return tau2Equal(c, &actions[i]) })
		matches[i] = value.OfBool(found)
		if !found {
			missing = append(missing, name)
		}
	}
	score := 1.0
	found := len(actions) - len(missing)
	if len(actions) > 0 {
		score = float64(found) / float64(len(actions))
	}
	reason := fmt.Sprintf("%d of %d expected actions were made", found, len(actions))
	return passes(scored(score, reason, field("action_matches", matches), field("missing", missing)), 1)
}

// tau2Equal compares the arguments that the reference names, or else those of the call, so that an
// argument that the call leaves out costs nothing.
func tau2Equal(made *transcript.Call, wanted *transcript.ExpectedCall) bool {
	if !readable(made) || made.Name != wanted.Name {
		return false
	}
	if wanted.Compare == nil {
		return within(python, made.Arguments, wanted.Arguments)
	}
	for _, key := range wanted.Compare {
		v, ok1 := made.Arguments.Get(key)
		w, ok2 := wanted.Arguments.Get(key)
		if ok1 != ok2 || ok1 && !python.Equal(v, w) {
			return false
		}
	}
	return true
}
