package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/words"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// at names call 0 of a conversation.
func at(id string) report.CaseRef { return report.CaseRef{ConversationID: id, CallIndex: new(0)} }

// foundAt is an item in the log.
func foundAt(id string, order int) found {
	return found{itemKey{id, itemPlace{1, 0, 0}}, order}
}

// TestWhatIsReadFirst: fails, disagreements, items on which judges differ and examples of groups in turn, then other
// fails in log order, then the first items; each once, and at most 300.
func TestWhatIsReadFirst(t *testing.T) {
	call := report.Instrument{Source: "judge", Name: "overall", Judge: "j", Level: report.CallLevel}
	whole := report.Instrument{Source: "judge", Name: "overall", Judge: "j", Level: report.ConversationLevel}
	row := func(of report.Instrument) report.ScoreRow {
		return report.ScoreRow{Instrument: of, N: 9, Judged: 9, PassRate: report.Estimate{Value: new(0.5)}}
	}
	r := &report.Report{Scores: []report.ScoreRow{row(call), row(whole)}}
	for _, id := range []string{"f1", "f2", "f3"} {
		r.Failing.Items = append(r.Failing.Items, report.FailingItem{CaseRef: at(id)})
	}
	for _, id := range []string{"d1", "f2"} {
		r.Disagreements.All = append(r.Disagreements.All, report.Opposed{CaseRef: at(id)})
	}
	for _, id := range []string{"g1", "g2", "g3", "g4"} {
		r.FailureGroups = append(r.FailureGroups, report.FailureGroup{Example: report.FailingItem{CaseRef: at(id)}})
	}
	c := &Collector{differ: []found{foundAt("x1", 0)}, first: []found{foundAt("a", 0), foundAt("f1", 1), foundAt("b", 2)},
		fails: map[report.Instrument]*fails{call: {n: 7, first: []found{foundAt("r4", 4), foundAt("r9", 9)}},
			whole: {n: 2, first: []found{foundAt("r5", 5)}}}}
	ids := func(keys []itemKey) (out []string) {
		for _, k := range keys {
			out = append(out, k.conversation)
		}
		return out
	}
	want := strings.Fields("f1 d1 x1 g1 f2 g2 f3 g3 r4 r5 r9 a b")
	if diff := cmp.Diff(want, ids(c.choose(r))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for level, n := range map[string]int{report.CallLevel: 7, report.ConversationLevel: 2, report.TurnLevel: 0} {
		if got := c.failsOf(r, level).n; got != n {
			t.Errorf("%d items of level %s fail, want %d", got, level, n)
		}
	}
	c.first = nil
	for i := range 400 {
		c.first = append(c.first, foundAt(fmt.Sprint("n", i), i))
	}
	if got := ids(c.choose(r)); len(got) != 300 || got[299] != "n288" {
		t.Errorf("%d items, the last is %s", len(got), got[len(got)-1])
	}
	for i := range 400 {
		r.Failing.Items = append(r.Failing.Items, report.FailingItem{CaseRef: at(fmt.Sprint("m", i))})
	}
	if got := ids(c.choose(r)); len(got) != 300 || got[299] != "m290" {
		t.Errorf("of many fails: %d items, the last is %s", len(got), got[len(got)-1])
	}
}

// TestItemsThatFit: an item brings its conversation along, once; items that the page does not have are passed over, and
// what does not fit is left out, with all after it.
func TestItemsThatFit(t *testing.T) {
	whole := &Item{Conversation: "a", Verdict: fail}
	text := func(n int) []Score { return []Score{{Source: "label", Name: "n", Explanation: strings.Repeat("x", n)}} }
	items := map[itemKey]*Item{
		foundAt("a", 0).itemKey: {Conversation: "a", Call: new(0), Tool: "pay", whole: whole},
		foundAt("b", 0).itemKey: {Conversation: "b", Call: new(0), Tool: "pay"},
		foundAt("c", 0).itemKey: {Conversation: "c", Call: new(0), Scores: text(itemBytes)},
		foundAt("d", 0).itemKey: {Conversation: "d", Call: new(0)},
	}
	var order []itemKey
	for _, id := range []string{"a", "none", "b", "c", "d"} {
		order = append(order, foundAt(id, 0).itemKey)
	}
	for _, tt := range []struct {
		order []itemKey
		want  string
	}{{order, "a a b"}, {slices.Concat(order[:3], order[4:]), "a a b d"}} {
		c, d := &Collector{Summary: NewSummary(nil)}, &Data{}
		c.number("an earlier term")
		if err := c.fill(d, tt.order, items); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, i := range d.Items {
			got = append(got, i.Conversation)
			for _, n := range i.Terms {
				if !slices.Contains([]string{"verdict=none", "tool=pay", "verdict=fail", "show=failing_conversations"}, d.Terms[n]) {
					t.Errorf("%s has the term %s", i.Conversation, d.Terms[n])
				}
			}
		}
		if strings.Join(got, " ") != tt.want || len(d.Terms) != 4 || !slices.Contains(d.Terms, "tool=pay") {
			t.Errorf("%v, terms %q, want %s", got, d.Terms, tt.want)
		}
	}
}

// TestItemThatIsNoJSON: a number that JSON does not have is an error with the item.
func TestItemThatIsNoJSON(t *testing.T) {
	key := foundAt("a", 0).itemKey
	items := map[itemKey]*Item{key: {Conversation: "a", Call: new(0), Scores: []Score{{Value: new(math.NaN())}}}}
	err := (&Collector{Summary: NewSummary(nil)}).fill(&Data{}, []itemKey{key}, items)
	if err == nil || err.Error() != "write item a: json: unsupported value: NaN" {
		t.Error(err)
	}
}

// TestQuotesOfARun: what judges quote is kept in a text that is cut, and items have their place in the log.
func TestQuotesOfARun(t *testing.T) {
	filler := strings.Repeat("-", 5000)
	list := []score.Score{judgement("overall", "j", 0, 'p'), judgement("overall", "j", 1, 'f'), judgement("overall", "k", 0, 'p')}
	list[0].Evidence, list[1].Evidence = `"words to find"`, `"other words"`
	list[2].ConversationID = "d"
	r := reportOf()
	run := Run{Report: r, Scores: func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) {
			for _, s := range list {
				if !yield(s, nil) {
					return
				}
			}
		}
	}, Conversations: func(yield func(*transcript.Conversation, error) bool) {
		c := &transcript.Conversation{ID: "c"}
		for _, text := range []string{"words to find", "other words"} {
			c.Messages = append(c.Messages, transcript.Message{Role: transcript.User, Content: filler + text + filler, Result: -1})
		}
		yield(c, nil)
	}}
	d, err := Collect(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range d.Items {
		got = append(got, fmt.Sprint(i.Conversation, " ", *i.Call, " ", i.Order))
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"c 0 0", "c 1 1", "d 0 2"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	text := string(d.Conversations[0])
	if len(d.Conversations) != 1 || !strings.Contains(text, "words to find") || !strings.Contains(text, "other words") {
		t.Errorf("%d conversations; the quotes are not in %.100s", len(d.Conversations), text)
	}
}

// TestConversationsThatFit: conversations come in the order of the items, each once, until the page is full.
func TestConversationsThatFit(t *testing.T) {
	large := json.RawMessage(strings.Repeat("x", conversationBytes-3))
	for name, tt := range map[string]struct {
		found map[string]json.RawMessage
		want  string
	}{
		"all":      {map[string]json.RawMessage{"b": []byte("bbb"), "a": large, "other": []byte("o")}, "bbb x"},
		"too much": {map[string]json.RawMessage{"b": []byte("bbbb"), "a": large, "c": []byte("c")}, "bbb"},
	} {
		d := &Data{Items: []*Item{{Conversation: "b"}, {Conversation: "b"}, {Conversation: "none"}, {Conversation: "a"}, {Conversation: "c"}}}
		d.converse(tt.found)
		var got []string
		for _, text := range d.Conversations {
			got = append(got, string(text[:min(len(text), 3)]))
		}
		if text := strings.Replace(strings.Join(got, " "), "xxx", "x", 1); text != tt.want {
			t.Errorf("%s: %s, want %s", name, text, tt.want)
		}
	}
}

// TestLogsAreReadOnce: the logs are read until all wanted conversations are found; an error of the logs is told apart
// from others.
func TestLogsAreReadOnce(t *testing.T) {
	read := 0
	run := Run{Conversations: func(yield func(*transcript.Conversation, error) bool) {
		for _, id := range []string{"a", "b", "c"} {
			if read++; !yield(&transcript.Conversation{ID: id}, nil) {
				return
			}
		}
		yield(nil, errors.New("disk gone"))
	}}
	found, err := run.conversations(t.Context(), map[string][]string{"b": nil, "a": nil})
	if err != nil || len(found) != 2 || read != 2 {
		t.Errorf("%d conversations of %d that were read, %v", len(found), read, err)
	}
	_, err = run.conversations(t.Context(), map[string][]string{"x": nil})
	if _, ok := errors.AsType[*logError](err); !ok || err.Error() != "disk gone" {
		t.Errorf("damaged logs: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err = run.conversations(ctx, map[string][]string{"a": nil}); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped run: %v", err)
	}
}

// TestConversationIsCut: texts are cut to a quarter, and to a quarter of that, until a conversation fits; if it still
// does not, the page has none of it.
func TestConversationIsCut(t *testing.T) {
	for messages, want := range map[int]int{10: 3000, 40: 750, 150: 187, 400: 0} {
		long := strings.Repeat("x", 9000)
		c := &transcript.Conversation{ID: "c", Tools: []transcript.Tool{{Name: "pay", Description: long}},
			Calls: []transcript.Call{{Name: "pay", Arguments: value.Pairs("note", long), Result: -1}}}
		for range messages {
			c.Messages = append(c.Messages, transcript.Message{Role: transcript.User, Content: strings.Repeat("x", 9000), Result: -1})
		}
		text, err := fitted(c, []string{"b", "a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		if text != nil {
			var page Conversation
			if err := json.Unmarshal(text, &page); err != nil {
				t.Fatal(err)
			}
			got = len([]rune(page.Messages[0].Text)) - 1 // without the ellipsis
			sizes := [2]int{len([]rune(page.Calls[0].Arguments[0].Text)), len([]rune(page.Tools[0].Description))}
			if sizes != map[int][2]int{10: {1500, 1200}, 40: {375, 300}, 150: {93, 75}}[messages] {
				t.Errorf("%d messages: an argument and a definition have %v characters", messages, sizes)
			}
		}
		if got != want {
			t.Errorf("%d messages: %d characters of each, want %d", messages, got, want)
		}
	}
}

// TestNumbersOfThePage: the totals, and the choices of the filters with their names.
func TestNumbersOfThePage(t *testing.T) {
	s := NewSummary([]report.Rubric{{Name: "overall", Max: 1}, {Name: "tone", Min: 1, Max: 5}, {Name: "flat", Min: 1, Max: 1}})
	judged := func(name, judge, verdict string) Score {
		return Score{Source: "judge", Name: name, Judge: judge, Status: "scored", Verdict: verdict}
	}
	s.Add(&Item{Call: new(0), Tool: "pay", Verdict: fail, Disagreement: 1, Scores: []Score{judged("overall", "j", pass),
		judged("overall", "k", fail), {Source: "deterministic", Name: "exact", Status: "scored", Verdict: fail}}})
	s.Add(&Item{Call: new(1), Tool: "find", Verdict: pass, Scores: []Score{judged("overall", "j", pass),
		{Source: "deterministic", Name: "exact", Status: "scored", Verdict: pass, Flags: []Flag{{Code: "odd"}}},
		{Source: "label", Name: "human", Status: "unscored"}}})
	graded := judged("tone", "j", "")
	graded.Value = new(4.)
	if n := s.Add(&Item{Tool: "", Verdict: fail, Scores: []Score{graded}}); len(n) < 3 {
		t.Errorf("a conversation has the terms %v", n)
	}
	group := report.FailureGroup{ID: "g", Count: 7, Tool: "pay", Kind: "exact"}
	r := &report.Report{FailureGroups: []report.FailureGroup{group}, Run: report.Run{ID: "r", Judges: []report.Judge{{Name: "j"}},
		Rubrics: []report.Rubric{{Name: "overall", Max: 1}, {Name: "tone", Min: 1, Max: 5}, {Name: "flat", Min: 1, Max: 1}}}}
	row := report.ScoreRow{N: 1}
	row.Source, row.Name, row.Judge = "judge", "tone", "j"
	r.Scores = []report.ScoreRow{row}
	d := s.Data(r)
	if len(d.Distributions) != 1 || d.Distributions[0].Name != "tone by j" || d.Distributions[0].N != 1 {
		t.Errorf("distributions %+v", d.Distributions)
	}
	if want := (Totals{Items: 3, Failing: 1, FailingConversations: 1, Disagreements: 1, Flagged: 1, Missing: 1,
		JudgesDiffer: 1}); d.Totals != want {
		t.Errorf("%+v, want %+v", d.Totals, want)
	}
	want := Choices{
		Tools:   []Choice{{"find", "find", 1}, {"pay", "pay", 1}},
		Rubrics: []Choice{{"overall", "overall", 2}, {"tone", "tone", 1}}, Judges: []Choice{{"j", "j", 3}, {"k", "k", 1}},
		Scorers: []Choice{{"fail exact", "exact fails", 1}, {"none human", "human has no verdict", 1},
			{"pass exact", "exact passes", 1}},
		Flags: []Choice{{"odd", "odd", 1}}, Groups: []Choice{{"g", words.GroupTitle(&group), 7}},
	}
	if diff := cmp.Diff(want, d.Choices); diff != "" {
		t.Errorf("choices (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string][2]float64{"overall": {0, 1}, "tone": {1, 5}}, d.Scales); diff != "" {
		t.Errorf("scales (-want +got):\n%s", diff)
	}
	if d.Run != "r" || d.Schema != "judge.page/v1" || d.Items == nil || d.Terms == nil || d.Conversations == nil {
		t.Errorf("%+v", d)
	}
	one := NewSummary(nil)
	one.Add(&Item{Scores: []Score{judged("overall", "j", pass)}})
	if d := one.Data(&report.Report{}); len(d.Choices.Judges) != 0 || d.Judged || d.Totals.Failing != 0 {
		t.Errorf("one judge is no choice: %+v", d.Choices)
	}
}

// TestChoicesOfAFilter: the 300 most frequent values, sorted by name; combinations are none.
func TestChoicesOfAFilter(t *testing.T) {
	all := terms{numbers: map[string]uint32{}}
	for i := range 301 {
		n := all.number("tool=", fmt.Sprintf("t%03d", i))
		all.counts[n] = 2
	}
	all.counts[all.number("tool=t000")], all.counts[all.number("tool=t250")] = 1, 9
	all.number("tool=x\nverdict=pass")
	all.number("flag=x")
	got := all.choices("tool=")
	if len(got) != 300 || got[0] != (Choice{"t001", "t001", 2}) || got[299] != (Choice{"t300", "t300", 2}) {
		t.Errorf("%d choices, %+v to %+v", len(got), got[0], got[len(got)-1])
	}
	if none := all.choices("group="); none == nil || len(none) != 0 {
		t.Errorf("no choices: %#v", none)
	}
}

// TestDamagedScoresOfAPage: an error of the scores ends the page.
func TestDamagedScoresOfAPage(t *testing.T) {
	passes := 0
	run := Run{Report: &report.Report{}, Scores: func() iter.Seq2[score.Score, error] {
		passes++
		return func(yield func(score.Score, error) bool) { yield(score.Score{}, errors.New("disk gone")) }
	}}
	if d, err := Collect(t.Context(), run); d != nil || err == nil || err.Error() != "collect the page: disk gone" {
		t.Errorf("%v, %v", d, err)
	}
	good := score.Score{ConversationID: "a", Name: "n", Source: score.Label, Status: score.Scored, Value: new(1.)}
	run.Scores = func() iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) { yield(good, nil) }
	}
	run.ScoresOf = func(ids ...string) iter.Seq2[score.Score, error] {
		return func(yield func(score.Score, error) bool) { yield(score.Score{}, fmt.Errorf("%s is gone", ids)) }
	}
	if d, err := Collect(t.Context(), run); d != nil || err == nil || err.Error() != "collect the page: read scores: [a] is gone" {
		t.Errorf("%v, %v", d, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if d, err := Collect(ctx, run); d != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", d, err)
	}
}
