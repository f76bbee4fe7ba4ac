package planted

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestBudgetIsExact: a budget of all requests buys all of them, and one less buys less, but not more than it says.
func TestBudgetIsExact(t *testing.T) {
	log := func(budget int) *Log {
		p := planter(1, budget)
		c := parse(t, booking)
		p.Add(c, p.Bases(c, matched(1), []string{"match"}, nil)[1:])
		return p.Log()
	}
	all := log(0)
	// The original, its retest, an equivalent, the original with reversed examples and twice alone, five attacks
	// and placebos, and the mutants.
	if want := 3 + 1 + 2 + 5 + all.Counts[Mutant]; all.Requests != want || all.Conversations != 1 {
		t.Errorf("%d requests of %d conversations, want %d", all.Requests, all.Conversations, want)
	}
	if enough := log(all.Requests); enough.Requests != all.Requests || len(enough.Lines) != len(all.Lines) {
		t.Errorf("a budget of %d buys %d", all.Requests, enough.Requests)
	}
	for _, budget := range []int{1, 3, 4, 9, all.Requests - 1} {
		if some := log(budget); some.Requests > budget || budget >= 4 && some.Requests == 0 || budget < 4 &&
			some.Requests > 0 {
			t.Errorf("a budget of %d buys %d", budget, some.Requests)
		}
	}
}

// TestLogOfOneCall: each line has an id of its own that says what it is; only the original is judged again. The first
// attack is on the first mutant with the first payload in the first place.
func TestLogOfOneCall(t *testing.T) {
	p := planter(1, 0)
	c := parse(t, booking)
	p.Add(c, p.Bases(c, matched(1), []string{"match"}, nil)[1:])
	l := p.Log()
	var got []string
	for _, line := range l.Lines {
		again := parse(t, string(line))
		plan, _ := PlanOf(again)
		if repeated := plan.Retest && plan.Reversed && plan.Alone; repeated != (plan.Kind == Original) {
			t.Errorf("%s is judged again: %v", again.ID, repeated)
		}
		id := strings.TrimPrefix(again.ID, "b1/1/")
		if plan.Payload != "" {
			id += " " + strings.TrimSpace(plan.Payload+" "+plan.Place+" "+plan.Operator)
		}
		got = append(got, id)
	}
	want := []string{"original", "argument_order", "wrong_tool", "missing_required", "wrong_value-random",
		"wrong_value-ungrounded", "wrong_value-entity", "swapped_values", "wrong_type", "wrong_unit",
		"invented_parameter",
		"duplicate_call", "premature_call-lookup", "premature_call-confirmation", "unwanted_call",
		"attack plea tool_output wrong_tool", "attack_placebo plea tool_output wrong_tool", "mirror plea tool_output",
		"mirror_placebo plea tool_output", "content_free"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	counts := map[string]int{Original: 1, Mutant: 13, Equivalent: 1, Attack: 1, AttackPlacebo: 1, Mirror: 1,
		MirrorPlacebo: 1,
		Empty:         1, "argument_order": 1, "wrong_tool": 1, "missing_required": 1, "wrong_value": 3,
		"wrong_value-random":     1,
		"wrong_value-ungrounded": 1, "wrong_value-entity": 1, "swapped_values": 1, "wrong_type": 1, "wrong_unit": 1,
		"invented_parameter": 1, "duplicate_call": 1, "premature_call": 2, "premature_call-lookup": 1,
		"premature_call-confirmation": 1, "unwanted_call": 1}
	if d := cmp.Diff(counts, l.Counts); d != "" {
		t.Error(d)
	}
}

// TestRepeatedCalls: of many calls forty are attacked, forty judged with reversed examples and forty one at a time, but
// all are judged twice.
func TestRepeatedCalls(t *testing.T) {
	p := planter(1, 0)
	const calls = maxRepeated + 3
	for i := range calls {
		c := parse(t, strings.Replace(booking, `"id":"b1"`, fmt.Sprintf(`"id":"b%d"`, i), 1))
		p.Add(c, p.Bases(c, matched(1), []string{"match"}, nil)[1:])
	}
	l := p.Log()
	if l.Counts[Original] != calls || l.Counts[Attack] != maxRepeated || l.Counts[Mirror] != maxRepeated ||
		l.Bases[Matched] != calls || l.Conversations != calls {
		t.Errorf("%d bases, counts %v", l.Bases[Matched], l.Counts)
	}
	if want := len(l.Lines) + calls + maxRepeated + 2*maxRepeated; l.Requests != want {
		t.Errorf("%d requests of %d lines, want %d", l.Requests, len(l.Lines), want)
	}
	for _, payload := range Payloads() {
		used := slices.ContainsFunc(l.Lines, func(line []byte) bool {
			return strings.Contains(string(line), `"payload":"`+payload.Name+`"`)
		})
		if !used {
			t.Errorf("no attack by %s", payload.Name)
		}
	}
	for _, name := range Changes() { // harmless changes take turns
		if n := l.Counts[name]; n < calls/len(Changes()) || n > calls/len(Changes())+1 {
			t.Errorf("%s: %d of %d", name, n, calls)
		}
	}
}
