package deterministic

import (
	"github.com/judgekit/judge/internal/deterministic/metric"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// Pairs pairs the calls of a conversation with its expected ones as
// expected_call_match does, for the table of tools and parameters. Nothing comes of
// a conversation without a reference, or of one that lists allowed values. The error says that there are too many calls
// to pair.
func Pairs(c *transcript.Conversation) ([]metric.Pair, error) {
	v := newView(c)
	if !v.known || v.listed {
		return nil, nil
	}
	s, err := newExpectedMatch(value.Value{})
	if err != nil {
		return nil, err
	}
	m, ok := v.freed(s).(*expectedMatch)
	if !ok {
		return nil, nil
	}
	expected, err := m.readExpected(v.reference())
	if err != nil {
		return nil, err
	}
	actual := m.readActual(v.actual())
	matches, err := m.matches(actual, expected)
	if err != nil {
		return nil, err
	}
	partner := make([]int, len(expected.calls))
	for i := range partner {
		partner[i] = -1
	}
	var pairs, unexpected []metric.Pair
	for j, found := range matches {
		if found.expected >= 0 {
			partner[found.expected] = j
			continue
		}
		unexpected = append(unexpected, metric.Pair{Tool: actual.calls[j].Name, Actual: actual.calls[j].Arguments})
	}
	for i := range expected.calls {
		e := &expected.calls[i]
		p := metric.Pair{Tool: e.Name, Expected: e.Arguments}
		if j := partner[i]; j >= 0 {
			p.Actual = actual.calls[j].Arguments
			p.SameName = actual.calls[j].Name == e.Name
			if !p.SameName {
				unexpected = append(unexpected, metric.Pair{Tool: actual.calls[j].Name, Actual: p.Actual})
			}
		}
		pairs = append(pairs, p)
	}
	return append(pairs, unexpected...), nil
}
