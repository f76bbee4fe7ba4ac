package run

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/report/measure"
	"github.com/judgekit/judge/internal/report/page"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
)

// callWith returns a call of a tool with names and values of arguments.
func callWith(tool string, arguments ...string) page.Call {
	c := page.Call{}
	c.Tool = tool
	for i := 0; i < len(arguments); i += 2 {
		c.Arguments = append(c.Arguments, page.Argument{Name: arguments[i], Text: arguments[i+1]})
	}
	return c
}

// sideOf returns a conversation of a run; verdicts has a letter for each call, p or f, or - for none.
func sideOf(id, verdicts string, calls ...page.Call) *side {
	s := &side{id: id, calls: calls, verdicts: map[int]bool{}, fails: map[int][]string{}, why: map[int]groups.Failure{}}
	for i, v := range verdicts {
		if v != '-' {
			s.verdicts[i] = v == 'p'
		}
		if v == 'f' {
			s.fails[i] = []string{"overall"}
			s.why[i] = groups.Failure{Signature: groups.Signature{Kind: "overall", Parameter: "amount"}}
		}
	}
	return s
}

// TestExplainAChange: of a conversation that got worse the first call that fails only in run B is shown, of one that
// got better the first that failed only in run A, with what differs from the call of the other run.
func TestExplainAChange(t *testing.T) {
	find, pay5 := callWith("find", "q", `"x"`), callWith("pay", "to", `"a"`, "amount", "5")
	pay6 := callWith("pay", "to", `"a"`, "amount", "6")
	more := callWith("pay", "to", `"a"`, "amount", "5", "note", `"n"`)
	call := func(id string, at int, text string) *report.ChangedCall {
		return &report.ChangedCall{ConversationID: id, CallIndex: at, Text: text}
	}
	const why = "amount: fails overall"
	also := sideOf("b", "pf", find, pay6)
	also.fails[1] = []string{"overall", "schema", "overall"}
	had := sideOf("a", "pp", find, pay5)
	had.fails[1] = []string{"schema"} // it failed before
	for name, tt := range map[string]struct {
		worse bool
		a, b  *side
		want  report.ConversationChange
	}{
		"another argument": {true, sideOf("a", "pp", find, pay5), sideOf("b", "pf", find, pay6), report.ConversationChange{
			Old: call("a", 1, "pay(amount: 5)"), New: call("b", 1, "pay(amount: 6)"), Why: why, Scores: []string{"overall"}}},
		"better": {false, sideOf("a", "pf", find, pay5), sideOf("b", "pp", find, pay6), report.ConversationChange{
			Old: call("a", 1, "pay(amount: 5)"), New: call("b", 1, "pay(amount: 6)"), Why: why, Scores: []string{"overall"}}},
		"the same call": {true, sideOf("a", "pp", find, pay5), sideOf("b", "pf", find, pay5), report.ConversationChange{
			Old: call("a", 1, `pay(to: "a", amount: 5)`), New: call("b", 1, `pay(to: "a", amount: 5)`), Why: why,
			Scores: []string{"overall"}}},
		"one argument more": {true, sideOf("a", "p", pay5), sideOf("b", "f", more), report.ConversationChange{
			Old: call("a", 0, "pay()"), New: call("b", 0, `pay(note: "n")`), Why: why, Scores: []string{"overall"}}},
		"a new call": {true, sideOf("a", "p", find), sideOf("b", "pf", find, pay6), report.ConversationChange{
			New: call("b", 1, `pay(to: "a", amount: 6)`), Why: why, Scores: []string{"overall"}}},
		"a call that is gone": {false, sideOf("a", "pf", find, pay5), sideOf("b", "p", find), report.ConversationChange{
			Old: call("a", 1, `pay(to: "a", amount: 5)`), Why: why, Scores: []string{"overall"}}},
		"the first that changed": {true, sideOf("a", "fp", find, pay5), sideOf("b", "ff", find, pay6),
			report.ConversationChange{Old: call("a", 1, "pay(amount: 5)"), New: call("b", 1, "pay(amount: 6)"),
				Why: why, Scores: []string{"overall"}}},
		"without a verdict": {true, sideOf("a", "p-", find, pay5), sideOf("b", "p-", find, pay6),
			report.ConversationChange{}},
		"other scores": {true, had, also, report.ConversationChange{
			Old: call("a", 1, "pay(amount: 5)"), New: call("b", 1, "pay(amount: 6)"), Why: why, Scores: []string{"overall"}}},
	} {
		got := report.ConversationChange{Worse: tt.worse}
		explain(&got, tt.a, tt.b)
		tt.want.Worse = tt.worse
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestSideOfAChange: which scores of a conversation count in a run.
func TestSideOfAChange(t *testing.T) {
	by := report.Instrument{Source: "judge", Name: "overall", Judge: "j"}
	one := func(change func(*score.Score)) *score.Score {
		s := &score.Score{Source: score.Judge, Name: "overall", Judge: "j", CallIndex: new(1), Tool: "pay",
			Status: score.Scored, Value: new(0.), Passed: new(false), Explanation: "It is wrong."}
		change(s)
		return s
	}
	for name, tt := range map[string]struct {
		score    *score.Score
		bare     bool
		verdicts map[int]bool
		fails    []string
		tools    []string
	}{
		"the deciding verdict": {one(func(*score.Score) {}), false, map[int]bool{1: false}, []string{"overall"}, nil},
		"a pass":               {one(func(s *score.Score) { s.Passed = new(true) }), false, map[int]bool{1: true}, nil, nil},
		"another judge": {one(func(s *score.Score) { s.Judge = "k" }), false,
			map[int]bool{}, []string{"overall"}, nil},
		"another rubric": {one(func(s *score.Score) { s.Name = "tone" }), false, map[int]bool{}, []string{"tone"}, nil},
		"a metric": {one(func(s *score.Score) { s.Metric = "ok" }), false,
			map[int]bool{}, []string{"overall.ok"}, nil},
		"a scorer": {one(func(s *score.Score) { s.Source, s.Judge = score.Deterministic, "" }), false, map[int]bool{},
			[]string{"overall"}, nil},
		"qa": {one(func(s *score.Score) { s.Name, s.Purpose = "style", "qa" }), false, map[int]bool{}, nil, nil},
		"no verdict": {one(func(s *score.Score) { s.Passed, s.Value, s.Status = nil, nil, score.Unscored }), false,
			map[int]bool{}, nil, nil},
		"a turn":   {one(func(s *score.Score) { s.Scope = score.ScopeTurn }), false, map[int]bool{}, nil, nil},
		"a result": {one(func(s *score.Score) { s.Scope = score.ScopeResult }), true, map[int]bool{}, nil, nil},
		"without the log": {one(func(*score.Score) {}), true,
			map[int]bool{1: false}, []string{"overall"}, []string{"", "pay"}},
		"without the log and a tool": {one(func(s *score.Score) { s.Tool = "" }), true, map[int]bool{1: false},
			[]string{"overall"}, []string{"", ""}},
	} {
		s := sideOf("c", "")
		s.add(tt.score, by, tt.bare)
		var tools []string
		for i := range s.calls {
			tools = append(tools, s.calls[i].Tool)
		}
		if diff := cmp.Diff([]any{tt.verdicts, tt.fails, tt.tools}, []any{s.verdicts, s.fails[1], tools}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if _, known := s.why[1]; known != (tt.fails != nil) {
			t.Errorf("%s: a reason is known: %v", name, known)
		}
	}
}

// TestExplainChanges: the changed conversations of a comparison get the calls of both runs with the reason; without the
// logs only the tools are known. A run that cannot be read is an error.
func TestExplainChanges(t *testing.T) {
	earlier, later, logs := twoRuns(t)
	changes := func(a, b *input.Source) []report.ConversationChange {
		c, partners, err := Compare(earlier, later, measure.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if err := ExplainChanges(t.Context(), Recorded{earlier, a}, Recorded{later, b}, c, partners); err != nil {
			t.Fatal(err)
		}
		return c.Changes.Items
	}
	text := func(list []report.ConversationChange) (out []string) {
		call := func(c *report.ChangedCall) string {
			if c == nil {
				return "none"
			}
			return fmt.Sprintf("%s:%d %s", c.ConversationID, c.CallIndex, c.Text)
		}
		for _, x := range list {
			out = append(out, fmt.Sprintf("%s: %s, then %s, %s, %v", x.ConversationID, call(x.Old), call(x.New), x.Why, x.Scores))
		}
		return out
	}
	with := []string{"c2: c2:1 cancel(id: 2), then c2:1 cancel(id: 2), fails right_tool, [right_tool]",
		"c0: c0:0 find(id: 0), then c0:0 find(id: 0), fails right_tool, [right_tool]"}
	if diff := cmp.Diff(with, text(changes(logs, logs))); diff != "" {
		t.Error(diff)
	}
	without := []string{"c2: c2:1 cancel(), then c2:1 cancel(), fails right_tool, [right_tool]",
		"c0: c0:0 find(), then c0:0 find(), fails right_tool, [right_tool]"}
	if diff := cmp.Diff(without, text(changes(&input.Source{}, &input.Source{}))); diff != "" {
		t.Error(diff)
	}
	c, partners, err := Compare(earlier, later, measure.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, dirs := range [][2]string{{earlier, t.TempDir()}, {t.TempDir(), later}} {
		if err := ExplainChanges(t.Context(), Recorded{dirs[0], logs}, Recorded{dirs[1], logs}, c, partners); err == nil {
			t.Errorf("changes between %v are explained", dirs)
		}
	}
	s, err := readSide(t.Context(), Recorded{earlier, logs}, "none", c.Changes.By, nil)
	if err != nil || !cmp.Equal(&side{id: "none"}, s, cmp.AllowUnexported(side{})) {
		t.Errorf("a conversation that a run does not have: %+v, %v", s, err)
	}
}

// TestSideWithoutALog: calls are known from their scores up to a limit; a score of the conversation is about no call.
func TestSideWithoutALog(t *testing.T) {
	by := report.Instrument{Source: "judge", Name: "overall", Judge: "j"}
	for _, tt := range []struct {
		call  *int
		calls int
	}{{nil, 0}, {new(0), 1}, {new(999), 1000}, {new(1000), 0}} {
		s := sideOf("c", "")
		s.add(&score.Score{Source: score.Judge, Name: "overall", Judge: "j", CallIndex: tt.call, Tool: "pay",
			Status: score.Scored, Value: new(0.), Passed: new(false)}, by, true)
		at := report.CaseRef{CallIndex: tt.call}.Call()
		if len(s.calls) != tt.calls || tt.calls > 0 && s.calls[at].Tool != "pay" || !s.failing(at) {
			t.Errorf("call %d: %d calls, %v", at, len(s.calls), s.verdicts)
		}
	}
	s := sideOf("c", "")
	s.calls = make([]page.Call, 1000)
	s.add(&score.Score{Name: "overall", CallIndex: new(1000), Tool: "pay"}, by, true)
	if len(s.calls) != 1000 {
		t.Errorf("%d calls", len(s.calls))
	}
}
