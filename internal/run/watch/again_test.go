package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report/groups"
	"github.com/judgekit/judge/internal/score"
)

// TestOnlyOnce: no call is judged twice because its file is read in another way, goes and comes back, is there twice, or
// because tools or history of its conversation change.
func TestOnlyOnce(t *testing.T) {
	const question, call = `{"role":"user","content":"hi"},`, `{"role":"assistant","tool_calls":[{"id":"%s","type":"function",` +
		`"function":{"name":"pay","arguments":"{\"token\":\"%s/0\"}"}}]}`
	line := func(id, before, callID, after string) string {
		return fmt.Sprintf(`{"id":%q,"messages":[`+before+call+`]%s}`+"\n", id, callID, id, after)
	}
	w := newWeek(t, 1)
	put := func(name, text string) {
		w.must(os.WriteFile(filepath.Join(w.logs, name), nil, 0o600))
		w.append(name, text)
		w.now = w.now.Add(time.Hour)
	}
	small := func(c *Config) { c.Sample = 1e-9 }
	put("a.jsonl", line("a", question, "k0", "")+line("b", question, "call_12345", ""))
	w.expect("a tiny sample", w.once(small), 0, 0, 0)
	w.expect("all of the same file", w.once(nil), 2, 0, 0)
	w.expect("again", w.once(nil), 0, 0, 0)

	w.must(os.Rename(filepath.Join(w.logs, "a.jsonl"), filepath.Join(w.logs, "away")))
	w.expect("the file is gone", w.once(nil), 0, 0, 0)
	w.must(os.Rename(filepath.Join(w.logs, "away"), filepath.Join(w.logs, "b.jsonl")))
	w.expect("it is back under another name", w.once(nil), 0, 0, 0)

	put("b.jsonl", line("a", question, "k0", `,"tools":[{"type":"function","function":{"name":"pay"}}]`)+line("b", "", "call_12345", ""))
	w.expect("tools that came late, and a shorter history", w.once(nil), 0, 0, 0)
	put("b.jsonl", line("a", "", "k0", ""))
	w.expect("a call that only its history tells apart", w.once(nil), 1, 0, 0)

	put("c.jsonl", line("c", question, "k0", ""))
	put("d.jsonl", line("c", question, "k0", ""))
	w.expect("one conversation in two files", w.once(nil), 1, 0, 0)

	w.must(os.Remove(filepath.Join(w.logs, "c.jsonl")))
	w.must(os.Remove(filepath.Join(w.logs, "d.jsonl")))
	w.once(nil)
	w.now = w.now.Add(keepMoved + 48*time.Hour)
	w.once(nil)
	put("c.jsonl", line("c", question, "k0", ""))
	w.expect("after a month it is as if it were new", w.once(nil), 1, 0, 0)
}

// TestVerdictsOfADay: a day counts the verdicts that decide; a failure gets its group from the most exact score of its
// item, but from none of another purpose.
func TestVerdictsOfADay(t *testing.T) {
	of := func(conversation string, call int, passed *bool, change func(*score.Score)) *score.Score {
		s := &score.Score{ConversationID: conversation, Tool: "f", Name: "overall", Judge: "j", Source: score.Judge,
			Status: score.Scored, Passed: passed}
		if call >= 0 {
			s.CallIndex = &call
		}
		if change != nil {
			change(s)
		}
		return s
	}
	items := &itemsOf{counter: NewCounter(""), leading: "j", reasons: map[int]groups.Failure{}}
	yes, no := new(true), new(false)
	exact := func(s *score.Score) { s.Name, s.Category = "kind", "late" }
	for _, tt := range []struct {
		s       *score.Score
		decides bool
	}{
		{of("c1", 0, no, nil), true}, {of("c1", 0, no, exact), false}, {of("c1", 1, yes, nil), true},
		{of("c1", 2, nil, nil), true}, // not scored
		{of("c2", 0, no, nil), true}, {of("c2", 0, no, func(s *score.Score) { exact(s); s.Purpose = "probe" }), false},
		{of("c2", 0, yes, exact), false}, // what passes gives no reason
		{of("c3", 0, yes, nil), false},   // of another score
		{of("c4", -1, no, nil), true},
	} {
		items.add(tt.s, tt.decides)
	}
	items.end()
	day := items.counter.Day()
	if day.Conversations != 3 || day.Calls != 4 || day.Failed != 3 {
		t.Errorf("%+v", day)
	}
	if d := cmp.Diff(map[string]int{"f": 3}, day.Users); d != "" {
		t.Error(d)
	}
	total := 0
	for id, g := range day.Groups {
		if id == "" || g.Name == "" || g.Tool != "f" {
			t.Errorf("group %q: %+v", id, g)
		}
		total += g.N
	}
	plain, exactly := groups.Of(of("c2", 0, no, nil), "j"), groups.Of(of("c1", 0, no, exact), "j")
	p, e := plain.Group(), exactly.Group()
	drawnOf := func(id string) bool { _, ok := day.Groups[id]; return ok }
	if !drawnOf(p.ID) || total < 2 || total > 3 || total == 3 && day.Groups[e.ID].N != 1 {
		t.Errorf("%+v; want %s and perhaps %s", day.Groups, p.ID, e.ID)
	}
}

// TestDaysOfAResult: a result shows today and up to 14 days before it, and each day is judged beside the one before.
func TestDaysOfAResult(t *testing.T) {
	w := newWeek(t, 1)
	var dates []string
	previous := ""
	for i := range 18 {
		w.quiet("a.jsonl", fmt.Sprint("c", i))
		var order Order
		out := w.once(func(c *Config) {
			judge := c.Judge
			c.Judge = func(ctx context.Context, o Order) (Judged, error) { order = o; return judge(ctx, o) }
		})
		date := w.now.Format(time.DateOnly)
		if order.Dir != out.Dir || order.Date != date || order.Before != previous || out.Today.Date != date || out.Today.Conversations != 1 {
			t.Errorf("%s: %+v, %+v", date, order, out.Today)
		}
		var before []string
		for _, d := range out.Before {
			before = append(before, d.Date)
		}
		if d := cmp.Diff(dates[max(0, len(dates)-14):], before); d != "" && len(dates)+len(before) > 0 {
			t.Errorf("%s: %s", date, d)
		}
		dates, previous = append(dates, date), out.Dir
		w.now = w.now.Add(22 * time.Hour)
	}
}
