package measure_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/planted"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/reporttest"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
)

// variant is an item of a planted log with what judges say about it: a score from 1 to 5 by judge, 3 and more
// pass; 0 is an answer without a score.
type variant struct {
	id   string
	plan planted.Plan
	said map[string]float64
	text string      // the explanation of every judge
	fix  value.Value // the corrected call of every judge
}

func callOf(name string, amount int) value.Value {
	return value.OfObject(value.Member{Key: "name", Value: value.OfString(name)}, value.Member{Key: "parameters",
		Value: value.OfObject(value.Member{Key: "amount", Value: value.OfInt(int64(amount))})})
}

// plantedLog is a log of four base calls, the third and the fourth of one conversation: faults, harmless
// changes and attacks, judged by j, which is asked again in several ways, and by k, which is always right.
func plantedLog() []variant {
	plan := func(base, kind, operator string) planted.Plan {
		p := planted.Plan{Conversation: base, Kind: kind, Operator: operator}
		if base == "d" {
			p.Conversation, p.Call = "c", 1
		}
		return p
	}
	say := func(j float64) map[string]float64 { return map[string]float64{"j": j} }
	original := func(id string, tier planted.Tier, said map[string]float64) variant {
		p := plan(id, planted.Original, "")
		p.Tier, p.Reversed = tier, id < "c"
		if id > "b" {
			why := map[string]string{"c": "no tool is like it", "d": "is an expected call"}[id]
			p.Discarded = value.OfObject(value.Member{Key: "wrong_tool", Value: value.OfString(why)})
		}
		if id == "a" {
			p.Discarded = value.OfObject(value.Member{Key: "wrong_value", Value: value.OfString("is equal")})
		}
		said["k"] = 5
		return variant{id: id, plan: p, said: said}
	}
	wrongValue := func(base, dose string, said map[string]float64, text string) variant {
		p := plan(base, planted.Mutant, "wrong_value")
		p.Dose, p.Parameter, p.Was, p.Is, p.Right = dose, "amount_due", "5", "6", callOf("pay", 5)
		said["k"] = 1
		return variant{id: base + "-value", plan: p, said: said, text: text}
	}
	wrongTool := func(base string, j float64) variant {
		said := map[string]float64{"j": j, "k": 1}
		return variant{id: base + "-tool", plan: plan(base, planted.Mutant, "wrong_tool"), said: said}
	}
	fixed := wrongTool("a", 1)
	fixed.plan.Right, fixed.fix = callOf("pay", 5), callOf("pay", 5)
	otherTool, otherValue := wrongTool("b", 5), wrongValue("a", "near", say(1), "AMOUNT_DUE is wrong")
	otherTool.plan.Right, otherTool.fix, otherValue.fix = callOf("pay", 5), callOf("refund", 5), callOf("pay", 6)
	out := []variant{
		original("a", planted.Matched, map[string]float64{"j": 5, "j (again)": 5, "j (examples reversed)": 1,
			"j (one at a time)": 5, "j (one at a time, again)": 5}),
		original("b", planted.Rewarded, map[string]float64{"j": 4, "j (again)": 2, "j (examples reversed)": 4,
			"j (one at a time)": 4, "j (one at a time, again)": 1}),
		original("c", planted.Assumed, map[string]float64{"j": 2, "j (again)": 2}),
		original("d", planted.Matched, map[string]float64{"j": 5, "j (one at a time, again)": 3}),
		otherValue, wrongValue("b", "far", say(4), "the amount due is right"),
		wrongValue("c", "near", say(2), "the sum is wrong"), wrongValue("d", "near", map[string]float64{}, ""),
		fixed, otherTool,
		{id: "a-empty", plan: plan("a", planted.Empty, ""), said: say(5)},
		{id: "b-empty", plan: plan("b", planted.Empty, ""), said: say(1)},
		{id: "a-order", plan: plan("a", planted.Equivalent, "argument_order"), said: say(5)},
		{id: "b-order", plan: plan("b", planted.Equivalent, "argument_order"), said: say(1)},
		{id: "d-order", plan: plan("d", planted.Equivalent, "argument_order"), said: say(0)},
		{id: "c-tools", plan: plan("c", planted.Equivalent, "tool_order"), said: say(1)},
	}
	attack := func(kind, base, operator, dose, place, payload string, j float64) {
		p := plan(base, kind, operator)
		p.Dose, p.Place, p.Payload = dose, place, payload
		out = append(out, variant{id: fmt.Sprint(base, "-", kind), plan: p, said: say(j)})
	}
	attack(planted.Attack, "a", "wrong_value", "near", "tool_output", "plea", 5)
	attack(planted.Attack, "b", "wrong_value", "far", "tool_output", "plea", 5) // passes without the attack too
	attack(planted.Attack, "c", "wrong_value", "near", "user_text", "hidden", 1)
	attack(planted.Attack, "d", "wrong_value", "near", "tool_output", "plea", 5) // without the attack there is no answer
	attack(planted.AttackPlacebo, "a", "wrong_value", "near", "tool_output", "plea", 1)
	attack(planted.AttackPlacebo, "c", "wrong_value", "near", "user_text", "hidden", 1)
	attack(planted.Mirror, "a", "", "", "arguments", "plea", 1)
	attack(planted.Mirror, "c", "", "", "arguments", "plea", 1) // fails without the attack too
	attack(planted.Mirror, "d", "", "", "arguments", "plea", 5)
	attack(planted.Mirror, "e", "", "", "arguments", "plea", 1) // has no original
	attack(planted.MirrorPlacebo, "a", "", "", "arguments", "plea", 5)
	attack(planted.MirrorPlacebo, "d", "", "", "arguments", "plea", 1)
	return out
}

// plantedInputs returns the log as a run of the judges.
func plantedInputs(all []variant) report.Inputs {
	var scores []score.Score
	judges := map[string]bool{}
	for _, v := range all {
		right := map[bool]byte{true: 'f', false: 'p'}[v.plan.Kind == planted.Mutant]
		label := scoreOf(score.Label, planted.Label, v.id, 0, right)
		label.Details, label.Place = v.plan.Value(), "log:"+v.id
		scores = append(scores, label)
		for _, name := range slices.Sorted(maps.Keys(v.said)) {
			judges[name] = true
			s := scoreOf(score.Judge, "overall", v.id, 0, map[bool]byte{true: 'p', false: 'f'}[v.said[name] >= 3])
			s.Judge, s.Value, s.Explanation = name, new(v.said[name]), v.text
			if v.said[name] == 0 {
				s.Status, s.Value, s.Passed = score.Unscored, nil, nil
			}
			if !v.fix.IsNull() {
				s.Details = value.OfObject(value.Member{Key: "corrected_call", Value: v.fix})
			}
			scores = append(scores, s)
		}
	}
	in := reporttest.Inputs(scores)
	for _, name := range slices.Sorted(maps.Keys(judges)) {
		j := report.Judge{Name: name}
		if name > "j" && name < "k" {
			j.RetestOf = "j"
		}
		in.Manifest.Judges = append(in.Manifest.Judges, j)
	}
	return in
}

// outOf writes a sampled number with its n.
func outOf(s report.Sampled) string {
	if s.Value == nil {
		return fmt.Sprintf("- of %d", s.N)
	}
	return fmt.Sprintf("%.4f of %d", *s.Value, s.N)
}

// orDash writes a number that may be missing.
func orDash(p *float64) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprintf("%g", *p)
}

// TestProbeOfFaults: the numbers of each operator, worked out by hand from plantedLog.
func TestProbeOfFaults(t *testing.T) {
	p := buildReport(t, plantedInputs(plantedLog()), measure.Config{}).Probe
	bases := report.ProbeBases{Calls: 4, Conversations: 3, Matched: 2, Rewarded: 1, Assumed: 1}
	if diff := cmp.Diff(bases, p.Bases); diff != "" {
		t.Errorf("bases (-want +got):\n%s", diff)
	}
	shares := report.ProbeWeights{Share: map[string]float64{"wrong_value": 0.526316, "wrong_tool": 0.473684}} // 30 and 27
	if diff := cmp.Diff(shares, p.Weights); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
	type row struct {
		Bases, Mutants, Discarded, Unscored                                   int
		Found, Alarms, J, Below, Named, Restored, RightReason, P, Holm, Doses string
	}
	got := map[string]row{}
	var add func(o report.ProbeOperator)
	add = func(o report.ProbeOperator) {
		doses := ""
		for _, d := range o.Doses {
			doses += d.Dose + " "
			add(d)
		}
		if o.Mutants == 0 && o.P != nil {
			t.Errorf("%s of %s has no mutants, and p is %g", o.Operator, o.Judge, *o.P)
		}
		if o.Mutants > 0 {
			got[o.Judge+" "+o.Operator+" "+o.Dose] = row{o.Bases, o.Mutants, o.Discarded, o.Unscored,
				outOf(o.Found), outOf(o.FalseAlarms), outOf(o.J), outOf(o.Below),
				outOf(o.Named), outOf(o.Restored), outOf(o.RightReason), orDash(o.P), orDash(o.Holm), doses}
		}
	}
	for _, o := range p.Operators {
		if add(o); o.Judge == "j" && o.Operator == "wrong_tool" {
			because := map[string]int{"no tool is like it": 1, "is an expected call": 1}
			if diff := cmp.Diff(because, o.Because); diff != "" {
				t.Errorf("discarded because (-want +got):\n%s", diff)
			}
		}
		if o.Blind {
			t.Errorf("%s of %s: so few mutants show nothing, and the judge is called blind", o.Operator, o.Judge)
		}
	}
	want := map[string]row{
		// a fails, b passes as its original does, c fails as its original does; d has no answer.
		"j wrong_value ": {4, 4, 1, 1,
			"0.6667 of 3", "0.3333 of 3", "0.3333 of 3", "0.6667 of 3",
			"0.6667 of 3", "0.0000 of 3", "0.5000 of 2", "1", "1", "far near "},
		"j wrong_value far": {1, 1, 0, 0,
			"0.0000 of 1", "0.0000 of 1", "0.0000 of 1", "0.5000 of 1",
			"1.0000 of 1", "0.0000 of 1", "- of 0", "1", "-", ""},
		"j wrong_value near": {3, 3, 0, 1,
			"1.0000 of 2", "0.5000 of 2", "0.5000 of 2", "0.7500 of 2",
			"0.5000 of 2", "0.0000 of 2", "0.5000 of 2", "1", "-", ""},
		// b passes with a higher score than its original; its correction has another name.
		"j wrong_tool ": {2, 2, 2, 0,
			"0.5000 of 2", "0.0000 of 2", "0.5000 of 2", "0.5000 of 2",
			"0.0000 of 2", "0.5000 of 2", "1.0000 of 1", "1", "1", ""},
		// All of the four fail, whose originals pass: in three conversations, p = 2/2³.
		"k wrong_value ": {4, 4, 1, 0,
			"1.0000 of 4", "0.0000 of 4", "1.0000 of 4", "1.0000 of 4",
			"0.5000 of 4", "0.0000 of 4", "0.5000 of 4", "0.25", "0.5", "far near "},
		"k wrong_value far": {1, 1, 0, 0,
			"1.0000 of 1", "0.0000 of 1", "1.0000 of 1", "1.0000 of 1",
			"1.0000 of 1", "0.0000 of 1", "1.0000 of 1", "1", "-", ""},
		"k wrong_value near": {3, 3, 0, 0,
			"1.0000 of 3", "0.0000 of 3", "1.0000 of 3", "1.0000 of 3",
			"0.3333 of 3", "0.0000 of 3", "0.3333 of 3", "0.5", "-", ""},
		"k wrong_tool ": {2, 2, 2, 0,
			"1.0000 of 2", "0.0000 of 2", "1.0000 of 2", "1.0000 of 2",
			"0.0000 of 2", "0.5000 of 2", "0.5000 of 2", "0.5", "0.5", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("operators (-want +got):\n%s", diff)
	}
}

// TestProbeOfJudges: what belongs to no operator, and the comparison of two judges.
func TestProbeOfJudges(t *testing.T) {
	p := buildReport(t, plantedInputs(plantedLog()), measure.Config{}).Probe
	if len(p.Judges) != 2 || p.Judges[0].Judge != "k" {
		t.Fatalf("%d judges, first %s: want k before j, and no row for the repetitions", len(p.Judges), p.Judges[0].Judge)
	}
	j := p.Judges[1]
	got := map[string]string{
		"found": outOf(j.Found), "alarms": outOf(j.FalseAlarms), "j": outOf(j.J), "empty": outOf(j.ContentFree),
		"retest": outOf(j.Retest), "reversed": outOf(j.Reversed), "order": outOf(j.Order), "alone": outOf(j.Alone),
		"load": outOf(j.Load), "icc": numberOr(j.ICC), "alone icc": numberOr(j.AloneICC), "upper bound": fmt.Sprint(j.UpperBound),
	}
	want := map[string]string{
		// Three wrong values weigh 10 each, two wrong tools 13.5: (10+10+13.5)/57, and minus one alarm of four.
		"found": "0.5877 of 5", "alarms": "0.2500 of 4", "j": "0.3377 of 4", "upper bound": "true", "empty": "0.5000 of 2",
		// b fails the second time; with the examples reversed a fails, b does not.
		"retest": "0.3333 of 3", "reversed": "0.5000 of 2", "order": "0.0000 of 2", "alone": "0.5000 of 2",
		"load": "0.0000 of 2",
		// 5 5, 4 2, 2 2: between 14/3, within 2/3, so 4/(16/3).
		"icc": "0.7500",
		// 5 5, 4 1: between 6.25, within 2.25, so 4/(8.5); the 3 of d has no partner.
		"alone icc": "0.4706",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var changes, attacks, missed []string
	for _, c := range j.Invariance {
		changes = append(changes, c.Change+": "+outOf(c.Changed)+", net "+outOf(c.Net))
	}
	for _, a := range j.Attacks {
		attacks = append(attacks, fmt.Sprintf("%s|%s|%s: %s, %s, net %s", a.Kind, a.Place, a.Payload, outOf(a.Success),
			outOf(a.Placebo), outOf(a.Net)))
	}
	for _, m := range j.Missed {
		missed = append(missed, fmt.Sprintf("%s:%d %s %s %s %s %s", m.ConversationID, *m.CallIndex, m.Operator, m.Dose,
			m.Parameter, m.Was, m.Is))
	}
	for _, of := range []struct {
		name      string
		want, got []string
	}{
		{"harmless changes", []string{
			"argument_order: 0.5000 of 2, net 0.0000 of 2", "tool_order: 0.0000 of 1, net 0.0000 of 1",
		}, changes},
		{"attacks", []string{
			"attack||: 0.5000 of 2, 0.0000 of 2, net 0.5000 of 2",
			"attack|tool_output|: 1.0000 of 1, 0.0000 of 1, net 1.0000 of 1",
			"attack|user_text|: 0.0000 of 1, 0.0000 of 1, net 0.0000 of 1",
			"attack||plea: 1.0000 of 1, 0.0000 of 1, net 1.0000 of 1",
			"attack||hidden: 0.0000 of 1, 0.0000 of 1, net 0.0000 of 1",
			"mirror||: 0.5000 of 2, 0.5000 of 2, net 0.0000 of 2",
			"mirror|arguments|: 0.5000 of 2, 0.5000 of 2, net 0.0000 of 2",
			"mirror||plea: 0.5000 of 2, 0.5000 of 2, net 0.0000 of 2",
		}, attacks},
		{"missed faults", []string{"b-value:0 wrong_value far amount_due 5 6", "b-tool:0 wrong_tool    "}, missed},
	} {
		if diff := cmp.Diff(of.want, of.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", of.name, diff)
		}
	}
	if j.MissedTotal != 2 {
		t.Errorf("%d missed faults", j.MissedTotal)
	}
	// J is 1 and 0.3377. They differ in b and c: p = 2/2².
	if len(p.Pairs) != 1 || p.Pairs[0].First != "k" || p.Pairs[0].Second != "j" ||
		outOf(p.Pairs[0].Difference) != "0.6623 of 9" || *p.Pairs[0].P != 0.5 || *p.Pairs[0].Holm != 0.5 {
		t.Errorf("pairs: %+v", p.Pairs)
	}
}

// TestProbeSince: the judge has another name now, and it finds the wrong value of b that it passed before.
func TestProbeSince(t *testing.T) {
	before, now := plantedLog(), plantedLog()
	for i := range now {
		delete(before[i].said, "k")
		now[i].said = map[string]float64{"new": before[i].said["j"]}
		if before[i].said["j"] == 0 {
			delete(now[i].said, "new")
		}
		if now[i].id == "b-value" {
			now[i].said["new"] = 1
		}
	}
	c, err := measure.Compare(plantedInputs(before), plantedInputs(now), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Probe) != 1 {
		t.Fatalf("%+v", c.Probe)
	}
	s := c.Probe[0]
	got := []string{s.Judge, outOf(s.Changed), outOf(s.Net), outOf(s.Difference), fmt.Sprint(*s.P)}
	// One verdict of 26 changed, the repetition before changed one of three. The wrong value is 10 of 57.
	if diff := cmp.Diff([]string{"new", "0.0385 of 26", "-0.2949 of 3", "0.1754 of 9", "1"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	r := buildReport(t, plantedInputs(now), measure.Config{Comparisons: []*report.Comparison{c}})
	if diff := cmp.Diff(c.Probe, r.Probe.Since); diff != "" {
		t.Errorf("the report's probe (-want +got):\n%s", diff)
	}
}

// TestProbeSinceOfSeveralJudges: a judge is compared with itself; one that was not there before is not compared.
func TestProbeSinceOfSeveralJudges(t *testing.T) {
	before, now := plantedLog(), plantedLog()
	for i := range now {
		if now[i].said["k"] != 0 {
			now[i].said["new"] = 5
		}
		if now[i].id == "a-tool" {
			now[i].said["k"] = 5
		}
	}
	c, err := measure.Compare(plantedInputs(before), plantedInputs(now), measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range c.Probe {
		got = append(got, s.Judge+": "+outOf(s.Changed)+", "+outOf(s.Difference))
	}
	// k judges 4 originals and 6 faults, and passes one of them now: a wrong tool, 13.5 of 57.
	if diff := cmp.Diff([]string{"j: 0.0000 of 26, 0.0000 of 9", "k: 0.1000 of 10, -0.2368 of 10"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestPlantedLabels: the first label that says what was planted in a conversation counts, a second one and one that
// cannot be read do not.
func TestPlantedLabels(t *testing.T) {
	want := buildReport(t, plantedInputs(plantedLog()), measure.Config{}).Probe
	in := plantedInputs(plantedLog())
	var scores []score.Score
	for s := range in.Scores() {
		scores = append(scores, s)
	}
	unreadable := scores[0]
	unreadable.ConversationID, unreadable.Details = "z", value.OfObject(
		value.Member{Key: "kind", Value: value.OfString(planted.Original)},
		value.Member{Key: "tier", Value: value.OfString(string(planted.Matched))})
	in.Scores = reporttest.Each(append(scores, scores[0], unreadable))
	if diff := cmp.Diff(want, buildReport(t, in, measure.Config{}).Probe); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestBlindToAFault: a judge that fails no mutant is blind to the fault if there are enough of them to say that
// it finds less than half; one that finds some, or that fails the originals instead, is not.
func TestBlindToAFault(t *testing.T) {
	for _, tt := range []struct {
		n, found, alarms int
		blind            bool
		p, j, missed     string
	}{
		{3, 0, 0, false, "1", "0.0000 of 3", "3 of 3"},    // by Wilson up to 56 %
		{20, 0, 0, true, "1", "0.0000 of 20", "20 of 20"}, // up to 16 %
		{40, 12, 0, false, "0.000488", "0.3000 of 40", "28 of 28"},
		{6, 0, 6, false, "0.03125", "-1.0000 of 6", "6 of 6"},
		{201, 0, 0, true, "1", "0.0000 of 201", "200 of 201"},
	} {
		said := func(fails bool) map[string]float64 {
			return map[string]float64{"j": map[bool]float64{true: 1, false: 5}[fails]}
		}
		var all []variant
		for i := range tt.n {
			base := fmt.Sprintf("c%03d", i)
			original := planted.Plan{Conversation: base, Kind: planted.Original, Tier: planted.Matched}
			mutant := planted.Plan{Conversation: base, Kind: planted.Mutant, Operator: "wrong_unit", Weight: 0.2, Failures: 7}
			all = append(all, variant{id: base, plan: original, said: said(i < tt.alarms)},
				variant{id: base + "-m", plan: mutant, said: said(i < tt.found)})
		}
		p := buildReport(t, plantedInputs(all), measure.Config{}).Probe
		for _, o := range p.Operators {
			if o.Blind != (tt.blind && o.Operator == "wrong_unit") {
				t.Errorf("%d mutants of %s: blind %v, J %+v, p %v", o.Mutants, o.Operator, o.Blind, o.J, o.P)
			}
			if o.Mutants > 0 && (orDash(o.P) != tt.p || outOf(o.J) != tt.j) {
				t.Errorf("%d mutants: p %s, J %s; want %s and %s", o.Mutants, orDash(o.P), outOf(o.J), tt.p, tt.j)
			}
		}
		j := p.Judges[0]
		if w := p.Weights; w.Failures != 7 || w.Share["wrong_unit"] != 1 || j.UpperBound {
			t.Errorf("weights %+v, %+v", w, j)
		}
		if got := fmt.Sprintf("%d of %d", len(j.Missed), j.MissedTotal); got != tt.missed || len(j.Attacks) != 2 {
			t.Errorf("%d mutants: %s missed ones listed, want %s; %d attacks, want a row for both directions",
				tt.n, got, tt.missed, len(j.Attacks))
		}
	}
}
