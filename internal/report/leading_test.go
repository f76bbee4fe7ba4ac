package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
)

// ofScorer returns the facts of a scorer that measures something with some evidence.
func ofScorer(name string, measures score.Construct, pass, fail score.Strength) report.Scorer {
	return report.Scorer{Name: name, Facts: score.Facts{Meaning: score.Meaning{Measures: measures,
		Evidence: score.Evidence{Pass: pass, Fail: fail}}}}
}

// TestEvidenceOfReferences: how strong a reference's passes and fails are, in which direction it decides, and its rank.
func TestEvidenceOfReferences(t *testing.T) {
	r := &report.Report{Run: report.Run{Scorers: []report.Scorer{
		ofScorer("state", score.EndState, score.Strong, score.Strong),
		ofScorer("ast", score.EquivalentCalls, score.Strong, score.Weak),
		ofScorer("exact", score.ExpectedCalls, score.Strong, score.Weak),
		ofScorer("share", score.ExpectedShare, score.Weak, score.Weak),
		ofScorer("recovery", score.Recovery, score.Weak, score.Strong),
		ofScorer("schema", score.Form, score.Weak, score.Strong),
		ofScorer("required", score.RequiredCalls, score.Weak, score.Strong),
		ofScorer("tool", score.ToolName, score.Weak, score.Strong),
		ofScorer("style", "", score.Strong, score.Strong),
	}}}
	for name, want := range map[string]string{
		"label your labels": "rank 0, both, pass 1, fail 1", "label your labels of x": "rank 0, both, pass 1, fail 1",
		"label human": "rank 1, both, pass 1, fail 1", "label db_match": "rank 2, both, pass 1, fail 1",
		"label state_match": "rank 2, both, pass 1, fail 1", "deterministic state": "rank 2, both, pass 1, fail 1",
		"deterministic ast": "rank 3, pass, pass 1, fail 0.6", "deterministic exact": "rank 4, pass, pass 1, fail 0.6",
		"deterministic share": "rank 5, both, pass 0.8, fail 0.8", "deterministic recovery": "rank 6, fail, pass 0, fail 1",
		"deterministic schema": "rank 7, fail, pass 0, fail 1", "deterministic required": "rank 7, fail, pass 0, fail 1",
		"deterministic tool": "rank 7, fail, pass 0, fail 1", "deterministic style": "rank 6, both, pass 0.8, fail 0.8",
		"deterministic db_match":    "rank 6, both, pass 0.8, fail 0.8",
		"deterministic your labels": "rank 6, both, pass 0.8, fail 0.8",
	} {
		source, title, _ := strings.Cut(name, " ")
		ref := report.Instrument{Source: source, Name: title}
		e := r.Evidence(ref)
		got := fmt.Sprintf("rank %d, %s, pass %g, fail %g", r.Rank(ref), r.Direction(ref), e.Weight(true), e.Weight(false))
		if got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	r.GoldName = "schema"
	ref := report.Instrument{Source: "deterministic", Name: "schema"}
	if r.Rank(ref) != -1 || r.Direction(ref) != report.BothDirection {
		t.Errorf("the named gold has rank %d, direction %s", r.Rank(ref), r.Direction(ref))
	}
	for name, want := range map[string]string{"": "your labels", "tone": "your labels of tone"} {
		got := report.PeopleLabelOf(name)
		if rubric, ok := report.PeopleRubric(got); got != want || rubric != name || !ok {
			t.Errorf("%q: %q, read as %q, %v", name, got, rubric, ok)
		}
	}
}

// agreed returns a row of judge j against a reference, with half of 40 verdicts of each kind.
func agreed(ref string, change func(*report.AgreementRow)) report.AgreementRow {
	a := report.AgreementRow{Judge: "j", Rubric: "overall", Level: report.CallLevel, Verdicts: 40, Kappa: at(0.5),
		Reference: report.Instrument{Source: "label", Name: ref, Level: report.CallLevel},
		Confusion: report.Confusion{BothPass: 20, BothFail: 20}}
	if change != nil {
		change(&a)
	}
	return a
}

// TestBestComparison: which comparison of a judge is relied on.
func TestBestComparison(t *testing.T) {
	type row = report.AgreementRow
	people := func(f func(*row)) row { return agreed(report.PeopleLabel, f) }
	type counts = report.Confusion
	const mine = report.PeopleLabel
	plain := agreed("plain", nil)
	for name, c := range map[string]struct {
		other report.AgreementRow
		gold  string
		want  string
	}{
		"people's labels":          {agreed(report.PeopleLabel, nil), "", mine},
		"a part of a reward":       {agreed("db_match", nil), "", "plain"},
		"more verdicts":            {agreed("more", func(a *row) { a.Verdicts = 41 }), "", "more"},
		"fewer verdicts":           {agreed("fewer", func(a *row) { a.Verdicts = 39 }), "", "plain"},
		"a named gold":             {agreed("fewer", func(a *row) { a.Verdicts = 3 }), "fewer", "fewer"},
		"another judge":            {people(func(a *row) { a.Judge = "k" }), "", "plain"},
		"refused":                  {people(func(a *row) { a.Refused = "circular" }), "", "plain"},
		"no verdicts":              {people(func(a *row) { a.Verdicts = 0 }), "", "plain"},
		"another construct":        {people(func(a *row) { a.Unprinted = report.AnotherConstruct }), "", "plain"},
		"one side is constant":     {people(func(a *row) { a.Unprinted = report.Constant }), "", mine},
		"reduced to the mean":      {people(func(a *row) { a.Reduction = report.ReduceMean }), "", "plain"},
		"reduced to the lowest":    {people(func(a *row) { a.Reduction = report.ReduceMin }), "", mine},
		"no kappa":                 {people(func(a *row) { a.Kappa = report.Estimate{} }), "", "plain"},
		"an aspect":                {people(func(a *row) { a.Rubric = "tone" }), "", "plain"},
		"shared rules":             {people(func(a *row) { a.SharedRules = true }), "", "plain"},
		"nine verdicts":            {people(func(a *row) { a.Verdicts = 9 }), "", "plain"},
		"ten verdicts":             {people(func(a *row) { a.Verdicts = 10 }), "", mine},
		"all right":                {people(func(a *row) { a.Confusion.BothFail = 0 }), "", "plain"},
		"all wrong":                {people(func(a *row) { a.Confusion.BothPass = 0 }), "", "plain"},
		"wrong ones pass":          {people(func(a *row) { a.Confusion = counts{BothPass: 1, JudgeOnlyPass: 9} }), "", mine},
		"right ones fail":          {people(func(a *row) { a.Confusion = counts{BothFail: 1, JudgeOnlyFail: 9} }), "", mine},
		"the same of conversation": {agreed("plain2", func(a *row) { a.Level = report.ConversationLevel }), "", "plain"},
	} {
		for _, rows := range [][]report.AgreementRow{{plain, c.other}, {c.other, plain}} {
			r := &report.Report{GoldName: c.gold, Agreement: rows}
			if row, ok := r.Best("j", ""); !ok || row.Reference.Name != c.want {
				t.Errorf("%s: %q, want %q", name, row.Reference.Name, c.want)
			}
		}
	}
	for name, c := range map[string]struct {
		row  report.AgreementRow
		want bool
	}{
		"one verdict": {people(func(a *row) { a.Verdicts = 1 }), true},
		"no verdict":  {people(func(a *row) { a.Verdicts = 0 }), false},
		"an aspect by shared rules": {people(func(a *row) {
			a.Rubric, a.SharedRules, a.Kappa = "tone", true, report.Estimate{}
		}), true},
	} {
		r := &report.Report{Agreement: []report.AgreementRow{c.row}}
		if _, ok := r.Best("j", ""); ok != c.want {
			t.Errorf("%s alone: %v", name, ok)
		}
	}
	equal := []report.AgreementRow{agreed("first", nil), agreed("second", nil)}
	if row, _ := (&report.Report{Agreement: equal}).Best("j", ""); row.Reference.Name != "first" {
		t.Errorf("of equals %s is best", row.Reference.Name)
	}
	r := &report.Report{Agreement: []report.AgreementRow{plain}}
	if _, ok := r.Best("j", report.ConversationLevel); ok {
		t.Error("a row of calls is the best of conversations")
	}
	if _, ok := r.Best("j", report.CallLevel); !ok {
		t.Error("a row of calls is not the best of calls")
	}
}

// TestLeadingRows: what decides whether a call or a conversation fails, and the gold of each level.
func TestLeadingRows(t *testing.T) {
	row := func(source, name, judge, level string, rate report.Estimate) report.ScoreRow {
		in := report.Instrument{Source: source, Name: name, Judge: judge, Level: level}
		return report.ScoreRow{Instrument: in, PassRate: rate}
	}
	aspect, overall := row("judge", "tone", "j", "call", at(0.5)), row("judge", "overall", "j", "call", at(0.5))
	jury, whole := row("judge", "tone", "jury", "call", at(0.5)), row("label", "human", "", "conversation", at(0.5))
	call, part := row("label", "human", "", "call", at(0.5)), row("label", "db_match", "", "call", at(0.5))
	open := row("judge", "overall", "j", "call", report.Estimate{})
	metric, qa := overall, overall
	metric.Metric, qa.Purpose = "m", "qa"
	people := row("label", report.PeopleLabel, "", "call", at(0.5))
	labelMetric, labelQA, labelOpen := call, call, row("label", "human", "", "call", report.Estimate{})
	labelMetric.Metric, labelQA.Purpose = "m", "qa"
	for name, c := range map[string]struct {
		rows []report.ScoreRow
		want string
	}{
		"the overall rubric":  {[]report.ScoreRow{aspect, overall}, "overall by j, call"},
		"the first rubric":    {[]report.ScoreRow{aspect, row("judge", "use", "j", "call", at(0.5))}, "tone by j, call"},
		"a panel":             {[]report.ScoreRow{overall, jury}, "tone by jury, call"},
		"without verdicts":    {[]report.ScoreRow{open, aspect}, "tone by j, call"},
		"no metric":           {[]report.ScoreRow{metric, aspect}, "tone by j, call"},
		"no qa":               {[]report.ScoreRow{qa, aspect}, "tone by j, call"},
		"a label of calls":    {[]report.ScoreRow{whole, part, call}, "human, call"},
		"the first of equals": {[]report.ScoreRow{part, row("label", "state_match", "", "call", at(0.5))}, "db_match, call"},
		"a label of the rest": {[]report.ScoreRow{whole}, "human, conversation"},
		"people measure":      {[]report.ScoreRow{people, part}, "db_match, call"},
		"calls before the rest": {[]report.ScoreRow{row("judge", "overall", "j", "conversation", at(0.5)), aspect},
			"tone by j, call"},
		"a reference's main score": {[]report.ScoreRow{labelMetric, labelQA, labelOpen, part}, "db_match, call"},
		"no judge of the name": {[]report.ScoreRow{row("deterministic", "f", "j", "call", at(0.5)), whole},
			"f by j, call"},
		"nothing": {nil, ""},
	} {
		judges := []report.Judge{{Name: "j"}, {Name: "jury", Members: []string{"j"}}}
		r := &report.Report{Scores: c.rows, Run: report.Run{Judges: judges}}
		got := ""
		if d := r.Decider(); d != nil {
			got = d.Words() + ", " + d.Level
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	r := &report.Report{
		Scores: []report.ScoreRow{overall, whole, part}, Agreement: []report.AgreementRow{agreed("human", nil)},
	}
	var gold []string
	for _, g := range r.Gold() {
		gold = append(gold, g.Name+" "+g.Level)
	}
	if diff := cmp.Diff([]string{"human call", "human conversation"}, gold); diff != "" {
		t.Errorf("gold (-want +got):\n%s", diff)
	}
	// The judge was compared with a label of calls, reduced to conversations: the gold of conversations is another.
	reduced := agreed("human", func(a *report.AgreementRow) { a.Level, a.Reduction = report.ConversationLevel, "min" })
	r = &report.Report{Scores: []report.ScoreRow{overall, row("deterministic", "state", "", "call", at(0.5)),
		row("label", "reward", "", "conversation", at(0.5))}, Agreement: []report.AgreementRow{reduced}}
	gold = nil
	for _, g := range r.Gold() {
		gold = append(gold, g.Name+" "+g.Level)
	}
	if diff := cmp.Diff([]string{"reward conversation", "state call"}, gold); diff != "" {
		t.Errorf("gold of a judge that was reduced, strongest first (-want +got):\n%s", diff)
	}
	none := &report.Report{Scores: []report.ScoreRow{overall, qa}}
	if none.Strongest("call") != nil || none.Gold() != nil {
		t.Error("a judge is a reference")
	}
	named := report.Instrument{Source: "deterministic", Name: report.PeopleLabel}
	matched := report.Instrument{Source: "deterministic", Name: "db_match"}
	if report.IsPeople(named) || report.IsPart(matched) {
		t.Error("a scorer is a label because of its name")
	}
	r.Scores = append(r.Scores, aspect, jury)
	if diff := cmp.Diff([]string{"j", "jury"}, r.Judges()); diff != "" {
		t.Errorf("judges (-want +got):\n%s", diff)
	}
	if m := (&report.Manifest{}); m.LeadingJudge() != "" || m.ScoredBy() != score.Deterministic {
		t.Errorf("without judges: %q, %s", m.LeadingJudge(), m.ScoredBy())
	}
}

// TestTrustInAJudge: what is said of a judge by direction, whether a constant verdict would agree more often, and the
// tools on which it agrees less than elsewhere.
func TestTrustInAJudge(t *testing.T) {
	a := agreed("human", func(a *report.AgreementRow) {
		a.Confusion = report.Confusion{BothPass: 10, JudgeOnlyPass: 3, JudgeOnlyFail: 5, BothFail: 2}
		a.RecallWrong, a.Specificity = at(0.4), at(0.66)
	})
	found, kept := &report.Counted{Count: 2, Of: 5, Rate: at(0.4)}, &report.Counted{Count: 10, Of: 15, Rate: at(0.66)}
	for direction, want := range map[string]report.HeadlineTrust{
		report.BothDirection: {Found: found, Kept: kept, BelowConstant: true}, report.PassDirection: {Kept: kept},
		report.FailDirection: {Found: found},
	} {
		a.Direction = direction
		got := a.Trust()
		got = report.HeadlineTrust{Found: got.Found, Kept: got.Kept, BelowConstant: got.BelowConstant}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", direction, diff)
		}
	}
	if found.Rest() != 3 {
		t.Errorf("%d are left", found.Rest())
	}
	for name, c := range map[string]struct {
		counts report.Confusion
		want   bool
	}{
		"as often":   {report.Confusion{BothPass: 10, JudgeOnlyPass: 5, JudgeOnlyFail: 5, BothFail: 5}, false}, // 15 of 25
		"less often": {report.Confusion{BothPass: 10, JudgeOnlyPass: 5, JudgeOnlyFail: 6, BothFail: 5}, true},
		"most fail":  {report.Confusion{BothPass: 1, JudgeOnlyPass: 5, JudgeOnlyFail: 1, BothFail: 3}, true},
		"one class":  {report.Confusion{BothPass: 1, JudgeOnlyFail: 9}, false},
		"one fails":  {report.Confusion{BothPass: 5, JudgeOnlyFail: 4, BothFail: 1}, true},
	} {
		if got := agreed("human", func(a *report.AgreementRow) { a.Confusion = c.counts }); got.BelowConstant() != c.want {
			t.Errorf("%s: %v", name, got.BelowConstant())
		}
	}
	tool := func(name string, agreement, p float64) report.ToolPair {
		return report.ToolPair{Tool: name, Agreement: at(agreement), P: &p}
	}
	a.Accuracy = at(0.6)
	a.ByTool = []report.ToolPair{tool("at", 0.6, 0.001), tool("low", 0.5, 0.05), tool("chance", 0.1, 0.06),
		tool("lowest", 0.2, 0.01),
		tool("high", 0.9, 0.01), {Tool: "untested", Agreement: at(0.1)}, {Tool: "unknown", P: new(0.001)}}
	var got []string
	for _, tool := range a.StandOut(0.05) {
		got = append(got, tool.Tool)
	}
	if diff := cmp.Diff([]string{"lowest", "low"}, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if a.Accuracy = (report.Estimate{}); a.StandOut(0.05) != nil {
		t.Error("a tool stands out from an unknown agreement")
	}
	a.Direction, a.Reduction = report.BothDirection, report.ReduceMin
	a.Confusion = report.Confusion{BothPass: 9, BothFail: 1}
	reduced := report.HeadlineTrust{Judge: "j", Rubric: "overall", Reference: a.Reference, Level: "call", Reduced: true,
		Direction: "both", Found: &report.Counted{Count: 1, Of: 1, Rate: at(0.4)},
		Kept: &report.Counted{Count: 9, Of: 9, Rate: at(0.66)}}
	if diff := cmp.Diff(reduced, a.Trust()); diff != "" {
		t.Errorf("reduced (-want +got):\n%s", diff)
	}
}

// TestQualityOfRankedJudges: kappa ranks a judge with categories, J one with verdicts, and no number comes last.
func TestQualityOfRankedJudges(t *testing.T) {
	for want, j := range map[float64]report.RankedJudge{
		0.3: {Youden: at(0.3)}, 0.7: {Youden: at(0.3), Kappa: new(at(0.7))}, math.Inf(-1): {Kappa: &report.Estimate{}},
	} {
		if got := j.Quality(); got != want {
			t.Errorf("%+v: %v, want %v", j, got, want)
		}
	}
	rates := &report.AlignmentRates{Youden: at(0.3), Kappa: at(0.7)}
	if j, k := rates.Target("J"), rates.Target("kappa"); *j.Value != 0.3 || *k.Value != 0.7 {
		t.Errorf("J %v, kappa %v", *j.Value, *k.Value)
	}
}

// TestDisagreements: who contradicts the judge, and how much of a call a rubric judges.
func TestDisagreements(t *testing.T) {
	d := &report.Disagreement{References: []report.Side{{Name: "first"}, {Name: "second", Conflicts: true}}}
	if got := d.By(); got != "second" {
		t.Errorf("by %s", got)
	}
	if d.References = d.References[:1]; d.By() != "the reference" {
		t.Errorf("by %s", d.By())
	}
	for _, c := range []struct {
		rubric       string
		only, passed bool
		want         float64
	}{
		{"overall", false, true, 1}, {"overall", false, false, 1}, {"tone", true, true, 1}, {"tone", true, false, 1},
		{"tone", false, true, 0.3}, {"tone", false, false, 0.8},
	} {
		if got := report.Scope(c.rubric, c.only, c.passed); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	r := &report.Report{Run: report.Run{Rubrics: make([]report.Rubric, 2)}}
	if !r.IsWhole("overall_use") || r.IsWhole("tone") {
		t.Error("of two rubrics the overall one is about the whole call")
	}
	if r.Run.Rubrics = r.Run.Rubrics[:1]; !r.IsWhole("tone") {
		t.Error("the only rubric is about the whole call")
	}
	r.FailureGroups = []report.FailureGroup{{ID: "a"}, {ID: "b", Merged: []string{"b", "c"}}}
	if r.GroupOf("a") != &r.FailureGroups[0] || r.GroupOf("c") != &r.FailureGroups[1] || r.GroupOf("d") != nil {
		t.Error("a group is found by its id and by those of its reasons")
	}
}

// TestCanLead: what a row needs to lead the headline.
func TestCanLead(t *testing.T) {
	shared := agreed("human", func(a *report.AgreementRow) { a.SharedRules = true })
	few := agreed("named", func(a *report.AgreementRow) { a.Verdicts, a.SharedRules = 1, true })
	r := &report.Report{GoldName: "named"}
	if plain := agreed("human", nil); !r.CanLead(&plain) || r.CanLead(&shared) || !r.CanLead(&few) {
		t.Errorf("leads: %v, with shared rules %v, named %v", r.CanLead(&plain), r.CanLead(&shared), r.CanLead(&few))
	}
}

// TestComparedRows: which way a row changed, on which scale, and which row leads.
func TestComparedRows(t *testing.T) {
	change := func(n int, delta float64, noise bool) report.Change {
		return report.Change{N: n, Delta: between(delta-0.1, delta, delta+0.1), Noise: noise}
	}
	for want, ch := range map[string]report.Change{
		report.Worse: change(9, -0.2, false), report.Better: change(9, 0.2, false), report.Unclear: change(9, 0.2, true),
		report.NotCompared: change(0, 0.2, false),
	} {
		if got := ch.Outcome(); got != want {
			t.Errorf("%+v is %s, want %s", ch, got, want)
		}
	}
	same, none := change(9, 0, false), report.Change{N: 9}
	if same.Outcome() != report.Unclear || none.Outcome() != report.NotCompared {
		t.Errorf("no change is %s, an unknown one %s", same.Outcome(), none.Outcome())
	}
	rate := report.ChangeRow{PassRate: change(9, -0.95, false), Mean: change(9, 3, false)}
	mean := report.ChangeRow{Mean: change(9, -3, false)}
	diff := cmp.Diff(between(-1, -0.95, -0.85), rate.Difference())
	if diff != "" || rate.Size() != 0.95 || mean.Size() != 3 {
		t.Errorf("sizes %v, %v (-want +got):\n%s", rate.Size(), mean.Size(), diff)
	}
	if got := (&report.ChangeRow{}).Size(); got != 0 || *mean.Difference().Value != -3 {
		t.Errorf("nothing has size %v, a mean's difference is %v", got, *mean.Difference().Value)
	}
	one := report.ChangeRow{PassRate: change(1, 0.95, false), Mean: change(9, 3, false)}
	diff = cmp.Diff(between(0.85, 0.95, 1), one.Difference())
	if diff != "" || one.Size() != 0.95 {
		t.Errorf("a single verdict changes by %v (-want +got):\n%s", one.Size(), diff)
	}
	if one.ByYouden = new(between(1, 1.9, 3)); one.TrueDetectable().Defined() {
		t.Error("what nobody knows is divided by J")
	}
	rate.PassRate.Detectable, rate.Youden = at(0.2), new(between(0.25, 0.5, 0.8))
	if got := rate.TrueDetectable(); *got.Value != 0.2 {
		t.Errorf("not divided: %v", *got.Value)
	}
	rate.ByYouden = new(between(-3, -1.9, -1))
	diff = cmp.Diff(between(0.25, 0.4, 0.8), rate.TrueDetectable())
	if diff != "" || *rate.TrueDifference().Value != -1.9 {
		t.Errorf("divided by J (-want +got):\n%s", diff)
	}
	rate.ByYouden = &report.Estimate{Reason: "small_j"}
	if got := rate.TrueDifference(); *got.Value != -0.95 {
		t.Errorf("a small J divides: %v", *got.Value)
	}
	row := func(name string, ch report.Change, broken, fixed int) report.ChangeRow {
		return report.ChangeRow{Instrument: report.Instrument{Name: name}, Decides: true, PassRate: ch, Broken: broken,
			Fixed: fixed}
	}
	worse, better := row("worse", change(9, -0.2, false), 3, 1), row("better", change(9, 0.2, false), 0, 9)
	unclear, more := row("unclear", change(9, 0.2, true), 9, 9), row("more", change(9, -0.2, false), 4, 1)
	fixed := row("fixed", change(9, -0.2, false), 3, 2)
	aside, tool, every, noRate := more, more, more, more
	aside.Decides, tool.Tool, every.Reduced, noRate.PassRate.N = false, "t", report.ReduceMin, 0
	few := row("few", change(9, -0.2, false), 0, 0)
	first, second := row("first", change(9, -0.2, false), 3, 1), row("second", change(9, -0.2, false), 3, 1)
	undecided := every
	undecided.Decides = false
	primary := unclear
	primary.IsPrimary = true
	for want, rows := range map[string][]report.ChangeRow{
		"worse": {unclear, better, worse, aside, tool, every, noRate}, "better": {unclear, better}, "more": {worse, more},
		"fixed": {worse, fixed}, "unclear": {primary, worse}, "": {aside}, "few": {better, few}, "first": {first, second},
	} {
		got := ""
		if l := (&report.Comparison{Rows: rows}).Leading(); l != nil {
			got = l.Name
		}
		if got != want {
			t.Errorf("%q leads, want %q", got, want)
		}
	}
	if l := (&report.Comparison{Rows: []report.ChangeRow{worse, primary}}).Leading(); !l.IsPrimary {
		t.Errorf("%s leads instead of the primary endpoint", l.Name)
	}
	for want, rows := range map[bool][]report.ChangeRow{true: {worse, every}, false: {worse, undecided}} {
		if got := (&report.Comparison{Rows: rows}).ByConversation(); got != want {
			t.Errorf("by conversation: %v", got)
		}
	}
}

// TestWeightsOfMembers: the members of a panel weigh what their balanced accuracy is, by the overall rubric if it has
// all of them; a member without one, or of another instrument, is told.
func TestWeightsOfMembers(t *testing.T) {
	m := report.Manifest{Judges: []report.Judge{{Name: "a"}, {Name: "b"}},
		Rubrics: []report.Rubric{{Name: "tone"}, {Name: "overall"}}}
	row := func(judge, rubric string, accuracy float64) report.CalibrationRow {
		return report.CalibrationRow{Judge: judge, Rubric: rubric, BalancedAccuracy: at(accuracy),
			Instrument: report.InstrumentHash(m, judge, rubric)}
	}
	tone, overall := []report.CalibrationRow{row("a", "tone", 0.6), row("b", "tone", 0.7)},
		[]report.CalibrationRow{row("a", "overall", 0.8), row("b", "overall", 0.9)}
	stale := row("b", "tone", 0.7)
	stale.Instrument = "other"
	const missing = "it has no balanced accuracy of b on %s; label its calls and calibrate again, or take it out of the " +
		"panel"
	type weights = map[string]float64
	ofTone, ofAll := weights{"a": 0.6, "b": 0.7}, weights{"a": 0.8, "b": 0.9}
	type perRubric = map[string]map[string]float64
	another, elsewhere, unknown := row("c", "tone", 0.1), row("a", "use", 0.1), row("b", "overall", 0)
	another.Instrument, elsewhere.Instrument, unknown.BalancedAccuracy = "other", "other", report.Estimate{}
	for name, c := range map[string]struct {
		rows     []report.CalibrationRow
		want     weights
		byRubric perRubric
		err      string
	}{
		"both":          {append(tone, overall...), ofAll, perRubric{"tone": ofTone, "overall": ofAll}, ""},
		"overall alone": {overall, ofAll, perRubric{"overall": ofAll}, ""},
		"tone alone": {tone, ofTone, perRubric{"tone": ofTone}, "it has no balanced accuracy of a on overall; label " +
			"its calls and calibrate again, or take it out of the panel"},
		"one of tone": {tone[:1], nil, perRubric{}, fmt.Sprintf(strings.Replace(missing, "of b", "of a", 1),
			"overall")},
		"one of overall":    {overall[:1], nil, perRubric{}, fmt.Sprintf(missing, "overall")},
		"no number for one": {append(overall[:1:1], unknown), nil, perRubric{}, fmt.Sprintf(missing, "overall")},
		"another judge, another rubric": {append(overall[:2:2], another, elsewhere, tone[0], tone[1]), ofAll,
			perRubric{"tone": ofTone, "overall": ofAll}, ""},
		"another instrument": {[]report.CalibrationRow{tone[0], stale}, nil, nil, "made with another instrument for " +
			"tone by b (judge, model, prompt, rubric or thresholds differ): label again"},
	} {
		got, byRubric, err := (&report.Calibration{Rows: c.rows}).Weights(m, []string{"a", "b"})
		text := ""
		if err != nil {
			text = err.Error()
		}
		if diff := cmp.Diff(c.want, got); diff != "" || text != c.err {
			t.Errorf("%s: error %q, want %q (-want +got):\n%s", name, text, c.err, diff)
		}
		if diff := cmp.Diff(c.byRubric, byRubric); diff != "" {
			t.Errorf("%s, by rubric (-want +got):\n%s", name, diff)
		}
	}
	use := []report.CalibrationRow{row("a", "use", 0.5)}
	for name, c := range map[string]struct {
		rubrics []string
		err     string
	}{
		"tone overall use": {[]string{"tone", "overall", "use"}, ""},
		"overall tone use": {[]string{"overall", "tone", "use"}, ""},
		"without overall":  {[]string{"tone", "use", "other"}, fmt.Sprintf(missing, "use")},
	} {
		var rubrics []report.Rubric
		for _, r := range c.rubrics {
			rubrics = append(rubrics, report.Rubric{Name: r})
		}
		rows := append(append(tone[:2:2], overall...), use...)
		_, _, err := (&report.Calibration{Rows: rows}).Accuracies(rubrics, []string{"a", "b"})
		if text := fmt.Sprint(err); err == nil && c.err != "" || err != nil && text != c.err {
			t.Errorf("%s: %s, want %q", name, text, c.err)
		}
	}
}

// TestInstruments: an instrument is its judge with model and prompt, and its rubric with text and pass band. The hash
// is the beginning of the SHA-256 of these as a JSON list.
func TestInstruments(t *testing.T) {
	m := report.Manifest{
		Judges:  []report.Judge{{Name: "k", Model: "other"}, {Name: "j", Model: "m", Prompt: "p1"}},
		Rubrics: []report.Rubric{{Name: "use", SHA: "def"}, {Name: "tone", SHA: "abc", Low: new(2.)}},
	}
	for name, want := range map[string]string{
		"j tone": "448783f7dec55f05", // ["j","tone","m","p1","abc",2,null]
		"j none": "565b44cf036424df", // ["j","none","m","p1"]
		"x none": "c194a443c35054b2", // ["x","none"]
	} {
		judge, rubric, _ := strings.Cut(name, " ")
		if got := report.InstrumentHash(m, judge, rubric); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	known := report.CalibrationRow{Judge: "j", Rubric: "tone", Instrument: "448783f7dec55f05"}
	other, elsewhere := known, report.CalibrationRow{Judge: "x", Rubric: "tone", Instrument: "old"}
	other.Instrument = "448783f7dec55f06"
	for want, rows := range map[string][]report.CalibrationRow{
		"": {elsewhere, known},
		"calibration r1: made with another instrument for tone by j (judge, model, prompt, rubric or thresholds differ): " +
			"label again": {elsewhere, other},
	} {
		got := ""
		if err := (&report.Calibration{RunID: "r1", Rows: rows}).Check(m); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}
