package run

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/rubrics"
)

// TestNamesThatAModelGives: names of two to five words for known groups are taken, the first of two for one group.
func TestNamesThatAModelGives(t *testing.T) {
	list := []report.FailureGroup{{ID: "g1"}, {ID: "g2"}, {ID: "g3"}}
	long := strings.Repeat("w", 40)
	named := func(number int64, name, sentence string) value.Value {
		return value.Pairs("number", number, "name", name, "sentence", sentence)
	}
	answer := func(names ...value.Value) *value.Value {
		v := value.OfObject(value.Member{Key: "names", Value: value.OfList(names...)})
		return &v
	}
	for name, tt := range map[string]struct {
		answer *value.Value
		want   map[string]report.GivenName
	}{
		"nothing": {nil, map[string]report.GivenName{}},
		"two": {answer(named(1, "wrong  amount", "It pays  too much."), named(3, "a b c d e", "")),
			map[string]report.GivenName{"g1": {Name: "wrong amount", Sentence: "It pays too much.", Model: "m"},
				"g3": {Name: "a b c d e", Model: "m"}}},
		"too short or too long": {answer(named(1, "amount", ""), named(2, "a b c d e f", "")), map[string]report.GivenName{}},
		"no such group": {answer(named(0, "wrong amount", ""), named(4, "wrong amount", "")),
			map[string]report.GivenName{}},
		"one group twice": {answer(named(2, "wrong amount", ""), named(2, "other name", "")),
			map[string]report.GivenName{"g2": {Name: "wrong amount", Model: "m"}}},
		"cut": {answer(named(1, long+" "+long, strings.Repeat("s", 300))), map[string]report.GivenName{
			"g1": {Name: (long + " " + long)[:59] + "…", Sentence: strings.Repeat("s", 199) + "…", Model: "m"}}},
	} {
		if diff := cmp.Diff(tt.want, namesOf(tt.answer, list, "m")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestScaleOfAProbe: a probe needs rubrics of calls on one scale with a pass band.
func TestScaleOfAProbe(t *testing.T) {
	rubric := func(name string, low, high float64) *rubrics.Rubric {
		return &rubrics.Rubric{Name: name, Output: rubrics.Output{Min: low, Max: high}}
	}
	words, open, turn := rubric("words", 0, 1), rubric("open", 0, 1), rubric("turn", 0, 1)
	words.Output.Categories, open.Output.NoPass, turn.Scope = []string{"a", "b"}, true, "turn"
	call := rubric("call", 0, 1)
	call.Scope = "call"
	const numbers = ": only a scale of numbers with a pass band can be probed"
	for _, tt := range []struct {
		rubrics []*rubrics.Rubric
		want    string
	}{
		{[]*rubrics.Rubric{rubric("a", 1, 5), rubric("b", 1, 5)}, ""},
		{[]*rubrics.Rubric{call}, ""},
		{[]*rubrics.Rubric{words}, "probe: rubric words" + numbers},
		{[]*rubrics.Rubric{open}, "probe: rubric open" + numbers},
		{[]*rubrics.Rubric{turn}, "probe: rubric turn: only rubrics of calls can be probed, its scope is turn"},
		{[]*rubrics.Rubric{rubric("a", 1, 5), rubric("b", 1, 4)},
			"probe: rubrics a and b have different scales: probe them one at a time"},
		{[]*rubrics.Rubric{rubric("a", 1, 5), rubric("b", 0, 5)},
			"probe: rubrics a and b have different scales: probe them one at a time"},
	} {
		task, cfg, got := &Task{}, planted.Config{}, ""
		task.Rubrics = tt.rubrics
		if err := scaleOf(task, &cfg); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
		if last := tt.rubrics[len(tt.rubrics)-1].Output; got == "" && (cfg.Worst != last.Min || cfg.Best != last.Max) {
			t.Errorf("attacks ask for %v and %v, the scale is %v", cfg.Worst, cfg.Best, last)
		}
	}
}
