package deterministic

import (
	"github.com/judgekit/judge/internal/deterministic/metric"
)

// pairs pairs the calls of a conversation with its expected ones as expected_call_match
// does. Nothing comes of a conversation without a reference, of one that lists allowed
// values, or of more calls than can be paired.
func (l *Log) pairs(v *view) []metric.Pair {
	if !v.known || v.listed {
		return nil
	}
	m := l.pairing
	m.ignoreExtra = v.partial
	matches, err := v.matches(&m)
	if err != nil {
		return nil
	}
	partner := make([]int, len(v.wanted))
	for i := range partner {
		partner[i] = -1
	}
	var unexpected []metric.Pair
	for j, found := range matches {
		c := &v.made[j]
		if found.expected >= 0 {
			partner[found.expected] = j
		} else {
			unexpected = append(unexpected, metric.Pair{Tool: c.Name, Actual: c.Arguments})
		}
	}
	pairs := make([]metric.Pair, 0, len(v.wanted)+len(unexpected))
	for i := range v.wanted {
		e := &v.wanted[i]
		p := metric.Pair{Tool: e.Name, Expected: e.Arguments}
		if j := partner[i]; j >= 0 {
			p.Actual = v.made[j].Arguments
			p.SameName = v.made[j].Name == e.Name
			if !p.SameName {
				unexpected = append(unexpected, metric.Pair{Tool: v.made[j].Name, Actual: p.Actual})
			}
		}
		pairs = append(pairs, p)
	}
	return append(pairs, unexpected...)
}
