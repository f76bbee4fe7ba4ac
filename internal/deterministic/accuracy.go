package deterministic

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Accuracy measures how much of each expected call was made.
var Accuracy = Scorer{
	Name: "function_call_accuracy",
	Facts: score.Facts{
		Meaning: score.Meaning{
			Measures: score.ExpectedShare,
			Evidence: score.Evidence{Pass: score.Strong, Fail: score.Weak},
		},
		Needs:   score.NeedsExpectedCalls,
		ToolsIn: "not_called",
	},
	rule: func() Rule { return new(accuracy).scorer() },
}

// accuracy implements function_call_accuracy: how much of each expected call was made, by name,
// parameters and values. With the default weights the score is in [0, 1].
type accuracy struct {
	weights
	matching, penalty string
}

func (a *accuracy) scorer() Rule {
	return &pairwise{pair: a.pair, own: a.settings, check: a.validate, unfit: valuesListed}
}

func (a *accuracy) settings() []Setting {
	return append(a.weights.settings(),
		choice("matching", &a.matching, "`reuse` lets one call serve several expected ones", "assignment", "reuse"),
		choice("extra_call_penalty", &a.penalty,
			"`precision` lowers the score by the share of calls that are too many", "none", "precision"))
}

// weights holds the weights of the parts of a pair's score.
type weights struct{ name, presence, value float64 }

func (w *weights) settings() []Setting {
	const tail = " in the score of a pair"
	return []Setting{
		number("name_weight", &w.name, 0.4, "weight of the name"+tail),
		number("presence_weight", &w.presence, 0.3, "weight of the parameters that are there"+tail),
		number("value_weight", &w.value, 0.3, "weight of the values that are equal"+tail),
	}
}

// validate returns an error unless the weights sum to 1, counting defaults for those that are not
// set. Only then is a score in 0..1.
func (w *weights) validate() error {
	if sum := w.name + w.presence + w.value; math.Abs(sum-1) > 1e-9 {
		return configError("name_weight", "is %g, presence_weight %g and value_weight %g: together %g, must be 1",
			w.name, w.presence, w.value, sum)
	}
	return nil
}

// weigh combines the shares of a pair to its score, rounded to 4 decimals.
func (w *weights) weigh(s shares) float64 {
	return value.Round4(s.name*w.name + s.params*w.presence + s.values*w.value)
}

func (a *accuracy) pair(p *pairing) (Result, error) {
	made, expected := len(p.actual.calls), len(p.expected.calls)
	switch {
	case p.compat != "" && made*expected == 0:
		return p.verdict(0, "a side is empty or cannot be read", nil), nil
	case made == 0 && expected == 0:
		return p.verdict(1, "no call expected, none made", nil), nil
	case expected == 0:
		return p.verdict(0, fmt.Sprintf("no call expected, %d made", made), nil), nil
	case made == 0:
		return p.verdict(0, fmt.Sprintf("no call made, %d expected", expected), nil), nil
	case made == 1 && expected == 1:
		return a.single(p), nil
	case p.inOrder:
		return a.sequence(p), nil
	}
	return a.set(p)
}

// single compares one call with one expected call.
func (a *accuracy) single(p *pairing) Result {
	made, expected := p.actual.calls[0], p.expected.calls[0]
	s := p.compare(made, expected)
	reason := "name: " + value.Percent(s.name) + ", params: " + value.Percent(s.params) +
		", values: " + value.Percent(s.values)
	return scored(a.weigh(s), reason,
		floatField("name_score", s.name),
		floatField("params_score", s.params),
		floatField("values_score", s.values),
		notCalled(namesOf(p.expected.calls), p.actual.calls))
}

// notCalled returns the output field not_called: the expected tools to which no call was made,
// sorted. An expected call may be matched by a call to another tool; the conversation still
// involves the expected tool.
func notCalled(expected []string, actual []*transcript.Call) value.Member {
	missing := make(map[string]bool, min(len(expected), maxNames))
	for _, name := range expected {
		missing[name] = true
	}
	for _, c := range actual {
		delete(missing, c.Name)
	}
	return field("not_called", slices.Sorted(maps.Keys(missing)))
}

func namesOf(calls []*transcript.Call) []string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.Name
	}
	return names
}

// sequence pairs by position.
func (a *accuracy) sequence(p *pairing) Result {
	n := len(p.actual.calls)
	if n != len(p.expected.calls) {
		return p.verdict(0, fmt.Sprintf("%d calls made, %d expected", n, len(p.expected.calls)), nil)
	}
	pairs := make([]match, 0, n)
	sum := 0.0
	for i, c := range p.actual.calls {
		score := a.weigh(p.compare(c, p.expected.calls[i]))
		sum += score
		if score > 0 {
			pairs = append(pairs, match{i, i, score})
		}
	}
	return p.verdict(value.Round4(sum/float64(n)), fmt.Sprintf("mean of %d calls in order", n), pairs)
}

// set pairs optimally, whatever the order.
func (a *accuracy) set(p *pairing) (Result, error) {
	pairs, err := a.matches(p)
	if err != nil {
		return Result{}, err
	}
	if len(pairs) == 0 {
		return p.verdict(0, "no expected call was matched", nil), nil
	}
	n, sum := float64(len(p.expected.calls)), 0.0
	for _, m := range pairs {
		sum += m.score
	}
	matched := float64(len(pairs))
	coverage, mean := matched/n, sum/matched
	score := coverage * mean
	if a.penalty == "precision" {
		score *= n / max(n, float64(len(p.actual.calls)))
	}
	reason := fmt.Sprintf("%d of %d expected calls matched, mean of these %s",
		len(pairs), len(p.expected.calls), value.Percent(mean))
	return p.verdict(value.Round4(score), reason, pairs), nil
}

// matches returns the matched pairs in the order of the expected calls.
func (a *accuracy) matches(p *pairing) ([]match, error) {
	rows, cols := len(p.expected.calls), len(p.actual.calls)
	all, err := p.all()
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(all))
	for at, s := range all {
		scores[at] = a.weigh(s)
	}
	if a.matching != "reuse" && p.compat == "" {
		return assign(scores, rows, cols), nil
	}
	var pairs []match
	for i := range rows {
		best := match{expected: i}
		for j := range cols {
			if s := scores[i*cols+j]; s > best.score {
				best.actual, best.score = j, s
			}
		}
		if best.score > 0 {
			pairs = append(pairs, best)
		}
	}
	return pairs, nil
}

// verdict returns the result for several calls, or for none.
func (p *pairing) verdict(score float64, reason string, pairs []match) Result {
	made, expected := p.actual.calls, p.expected.calls
	met, used := make([]bool, len(expected)), make([]bool, len(made))
	for _, m := range pairs {
		met[m.expected], used[m.actual] = true, true
	}
	missing, more := p.callNames(expected, func(i int) bool { return !met[i] })
	if len(missing) > 0 && len(made) > 0 {
		reason += "; missing: " + value.OfList(missing...).Python()
		if more > 0 {
			reason += fmt.Sprintf(" and %d more", more)
		}
	}
	extra, moreExtra := p.callNames(made, func(i int) bool { return !used[i] })
	fields := []value.Member{field("matched", len(pairs)), field("expected_count", len(expected)),
		field("actual_count", len(made))}
	fields = append(fields, namesField("missing", missing, more)...)
	fields = append(fields, namesField("extra", extra, moreExtra)...)
	return scored(score, reason, append(fields, notCalled(namesOf(expected), made))...)
}
