package deterministic

import (
	"fmt"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/deterministic/scorer"
	"github.com/judgekit/judge/internal/value"
)

// accuracy is function_call_accuracy: how much of each expected call was made,
// by name, parameters and values. Score in [0, 1] with the default weights.
type accuracy struct {
	family
	nameWeight, presenceWeight, valueWeight float64
	reuse, precision                        bool
}

func newAccuracy(config value.Value) (scorer.Scorer, error) {
	o := scorer.ReadSettings(config)
	a := readAccuracy(o)
	return &a, o.Err
}

// readAccuracy reads the family's configuration, the three weights, matching
// (assignment, reuse) and extra_call_penalty (none, precision).
func readAccuracy(o *scorer.Settings) accuracy {
	a := accuracy{
		family:         readFamily(o),
		nameWeight:     o.Number("name_weight", 0.4),
		presenceWeight: o.Number("presence_weight", 0.3),
		valueWeight:    o.Number("value_weight", 0.3),
	}
	a.reuse = o.Word("matching", "assignment", "reuse") == "reuse" || a.compat
	a.precision = o.Word("extra_call_penalty", "none", "precision") == "precision"
	return a
}

// weigh turns the shares of a pair into its score, rounded to 4 decimals.
func (a *accuracy) weigh(s shares) float64 {
	return value.Round4(s.name*a.nameWeight + s.params*a.presenceWeight + s.values*a.valueWeight)
}

// Score implements scorer.Scorer.
func (a *accuracy) Score(in scorer.Input) (scorer.Result, error) {
	return a.pairForms(in, a.pair)
}

func (a *accuracy) pair(actual, expected side) (scorer.Result, error) {
	if a.compat && (len(actual.calls) == 0 || len(expected.calls) == 0) {
		return a.verdict(0, "a side is empty or cannot be read", actual, expected, nil), nil
	}
	switch {
	case len(actual.calls) == 0 && len(expected.calls) == 0:
		return a.verdict(1, "no call expected, none made", actual, expected, nil), nil
	case len(expected.calls) == 0:
		return a.verdict(0, fmt.Sprintf("no call expected, %d made", len(actual.calls)), actual, expected, nil), nil
	case len(actual.calls) == 0:
		return a.verdict(0, fmt.Sprintf("no call made, %d expected", len(expected.calls)), actual, expected, nil), nil
	case len(actual.calls) == 1 && len(expected.calls) == 1:
		return a.single(&actual.calls[0], &expected.calls[0]), nil
	case a.inOrder:
		return a.sequence(actual, expected), nil
	}
	return a.set(actual, expected)
}

// single scores one call against one.
func (a *accuracy) single(actual, expected *scorer.Call) scorer.Result {
	s := a.compare(actual, expected)
	score := a.weigh(s)
	return scorer.Result{
		Score: &score,
		Reason: fmt.Sprintf("name: %s, params: %s, values: %s",
			value.Percent(s.name), value.Percent(s.params), value.Percent(s.values)),
		Fields: []value.Member{
			{Key: "name_score", Value: value.OfFloat(s.name)},
			{Key: "params_score", Value: value.OfFloat(s.params)},
			{Key: "values_score", Value: value.OfFloat(s.values)},
			notCalled([]string{expected.Name}, []string{actual.Name}),
		},
	}
}

// notCalled is the output field not_called: the expected tools that no call has, sorted.
// A call may stand for an expected one of another tool; the conversation has to do with
// that tool all the same. It sorts both lists.
func notCalled(expected, actual []string) value.Member {
	slices.Sort(actual)
	slices.Sort(expected)
	list := []value.Value{}
	for i, name := range expected {
		if _, called := slices.BinarySearch(actual, name); !called && (i == 0 || name != expected[i-1]) {
			list = append(list, value.OfString(name))
		}
	}
	return value.Member{Key: "not_called", Value: value.OfList(list...)}
}

func namesOf(calls []scorer.Call) []string {
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = calls[i].Name
	}
	return names
}

// sequence pairs by position.
func (a *accuracy) sequence(actual, expected side) scorer.Result {
	if len(actual.calls) != len(expected.calls) {
		reason := fmt.Sprintf("%d calls made, %d expected", len(actual.calls), len(expected.calls))
		return a.verdict(0, reason, actual, expected, nil)
	}
	pairs := make([]pairing, 0, len(actual.calls))
	sum := 0.0
	for i := range actual.calls {
		score := a.weigh(a.compare(&actual.calls[i], &expected.calls[i]))
		sum += score
		if score > 0 {
			pairs = append(pairs, pairing{i, i, score})
		}
	}
	mean := value.Round4(sum / float64(len(actual.calls)))
	return a.verdict(mean, fmt.Sprintf("mean of %d calls in order", len(actual.calls)), actual, expected, pairs)
}

// pairing says that an expected call was met by an actual one.
type pairing struct {
	expected, actual int
	score            float64
}

// set pairs in the best way, whatever the order.
func (a *accuracy) set(actual, expected side) (scorer.Result, error) {
	pairs, err := a.pairs(actual, expected)
	if err != nil {
		return scorer.Result{}, err
	}
	if len(pairs) == 0 {
		return a.verdict(0, "no expected call was met", actual, expected, nil), nil
	}
	n, sum := float64(len(expected.calls)), 0.0
	for _, p := range pairs {
		sum += p.score
	}
	matched := float64(len(pairs))
	coverage, mean := matched/n, sum/matched
	score := coverage * mean
	if a.precision {
		score *= n / math.Max(n, float64(len(actual.calls)))
	}
	reason := fmt.Sprintf("%d of %d expected calls met, mean of these %s", len(pairs), len(expected.calls), value.Percent(mean))
	return a.verdict(value.Round4(score), reason, actual, expected, pairs), nil
}

// maxPairs bounds the work of matching two lists of calls: the smaller length
// squared times the larger.
const maxPairs = 2e9

// pairs returns the matched pairs in the order of the expected calls.
func (a *accuracy) pairs(actual, expected side) ([]pairing, error) {
	rows, cols := len(expected.calls), len(actual.calls)
	small := float64(min(rows, cols))
	if small*small*float64(max(rows, cols)) > maxPairs {
		return nil, scorer.Config("actual", "%d calls against %d expected are too many to pair", cols, rows)
	}
	scores := make([]float64, rows*cols)
	for i := range expected.calls {
		for j := range actual.calls {
			scores[i*cols+j] = a.weigh(a.compare(&actual.calls[j], &expected.calls[i]))
		}
	}
	if !a.reuse {
		return assign(scores, rows, cols), nil
	}
	var pairs []pairing
	for i := range rows {
		best := pairing{expected: i, actual: -1}
		for j := range cols {
			if s := scores[i*cols+j]; s > best.score {
				best.actual, best.score = j, s
			}
		}
		if best.actual >= 0 {
			pairs = append(pairs, best)
		}
	}
	return pairs, nil
}

// verdict builds the result of several calls (or of none).
func (a *accuracy) verdict(score float64, reason string, actual, expected side, pairs []pairing) scorer.Result {
	met, used := make([]bool, len(expected.calls)), make([]bool, len(actual.calls))
	for _, p := range pairs {
		met[p.expected], used[p.actual] = true, true
	}
	missing := callNames(expected.calls, func(i int) bool { return !met[i] })
	if missing.Len() > 0 && len(actual.calls) > 0 && len(expected.calls) > 0 {
		reason += "; missing: " + missing.Python()
	}
	return scorer.Result{Score: &score, Reason: reason, Fields: []value.Member{
		{Key: "matched", Value: value.OfInt(int64(len(pairs)))},
		{Key: "expected_count", Value: value.OfInt(int64(len(expected.calls)))},
		{Key: "actual_count", Value: value.OfInt(int64(len(actual.calls)))},
		{Key: "missing", Value: missing},
		{Key: "extra", Value: callNames(actual.calls, func(i int) bool { return !used[i] })},
		notCalled(namesOf(expected.calls), namesOf(actual.calls)),
	}}
}
