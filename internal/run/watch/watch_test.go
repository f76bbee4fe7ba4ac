package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/transcript"
)

// quiet makes conversations with one call each in a file, an hour ago.
func (w *week) quiet(name string, ids ...string) {
	w.now = w.now.Add(time.Hour)
	for _, id := range ids {
		w.append(name, fmt.Sprintf(`{"id":%q,"messages":[{"role":"user","content":"%s asks 0"},{"role":"assistant",`+
			`"tool_calls":[{"id":"k0","type":"function","function":{"name":"pay","arguments":"{\"token\":\"%s/0\"}"}}]}]}`+"\n", id, id, id))
	}
	w.now = w.now.Add(time.Hour)
}

func (w *week) once(change func(*Config)) Result {
	w.t.Helper()
	cfg := w.config()
	if change != nil {
		change(&cfg)
	}
	out, err := Once(w.t.Context(), cfg)
	w.must(err)
	return out
}

func (w *week) expect(what string, got Result, taken, waiting, late int) {
	w.t.Helper()
	if got.New != taken || got.Waiting != waiting || got.Late != late {
		w.t.Errorf("%s: %d new, %d waiting, %d late; want %d, %d, %d", what, got.New, got.Waiting, got.Late, taken, waiting, late)
	}
}

func TestSettle(t *testing.T) {
	w := newWeek(t, 1)
	w.quiet("a.jsonl", "a", "b")
	w.expect("quiet", w.once(nil), 2, 0, 0)
	w.expect("again", w.once(nil), 0, 0, 0)
	w.append("a.jsonl", `{"id":"c","messages":[{"role":"user","content":"hi"}]}`+"\n")
	w.expect("just written", w.once(nil), 0, 1, 0)
	w.now = w.now.Add(4 * time.Minute)
	w.expect("not yet quiet", w.once(nil), 0, 1, 0)
	w.now = w.now.Add(-48 * time.Hour)
	w.expect("the clock was set back", w.once(nil), 0, 1, 0)
	w.now = w.now.Add(6 * time.Minute)
	w.expect("quiet by the new clock", w.once(nil), 1, 0, 0)
}

func TestFromNow(t *testing.T) {
	w := newWeek(t, 1)
	w.quiet("a.jsonl", "a", "b")
	w.expect("first start", w.once(func(c *Config) { c.FromNow = true }), 0, 0, 0)
	w.quiet("a.jsonl", "c")
	w.expect("later", w.once(func(c *Config) { c.FromNow = true }), 1, 0, 0)
}

func TestLimits(t *testing.T) {
	w := newWeek(t, 1)
	ids := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	w.quiet("a.jsonl", ids...)
	limit := func(c *Config) {
		c.MaxRequests = 10
		c.Requests = func(*transcript.Conversation) int { return 3 }
	}
	w.expect("the first day", w.once(limit), 8, 0, 18) // each takes one request and not three
	w.expect("no room", w.once(limit), 0, 0, 18)
	w.now = w.now.Add(24 * time.Hour)
	w.expect("the second day", w.once(limit), 8, 0, 10)
	w.now = w.now.Add(24 * time.Hour)
	w.expect("no limit", w.once(nil), 10, 0, 0)

	w = newWeek(t, 1)
	w.quiet("a.jsonl", ids...)
	cost := func(c *Config) {
		c.MaxCost = 1.5
		judge := c.Judge
		c.Judge = func(ctx context.Context, d Order) (Judged, error) {
			j, err := judge(ctx, d)
			j.Cost = float64(j.Requests) / 10
			return j, err
		}
	}
	w.expect("a cost that is not known first", w.once(cost), 15, 0, 11)
}

func TestSeries(t *testing.T) {
	w := newWeek(t, 1)
	w.quiet("a.jsonl", "a", "b")
	failed := fmt.Errorf("the endpoint is away")
	cfg := w.config()
	cfg.Judge = func(context.Context, Order) (Judged, error) { return Judged{}, failed }
	if _, err := Once(t.Context(), cfg); err != failed {
		t.Fatal(err)
	}
	other := func(c *Config) { c.Series = map[string]string{"judges": "b"} }
	out := w.once(other)
	if !slices.ContainsFunc(w.notes, func(s string) bool {
		return strings.Contains(s, "judges changed since 2026-11-02: a new series begins")
	}) {
		t.Errorf("%q", w.notes)
	}
	if got := w.tokens(filepath.Join(out.Dir, LogFile)); len(got) != 2 || !strings.HasSuffix(out.Dir, "watch-2026-11-02-2") {
		t.Errorf("%s has %q", out.Dir, got)
	}
	w.quiet("a.jsonl", "c")
	if next := w.once(other); next.New != 1 || next.Dir != out.Dir || len(w.paid) != 3 {
		t.Errorf("%+v", next)
	}
}

// TestLost: what somebody deletes or cuts is said, and judged again only if the state says so.
func TestLost(t *testing.T) {
	w := newWeek(t, 1)
	w.quiet("a.jsonl", "a", "b")
	dir := w.once(nil).Dir
	w.must(os.RemoveAll(dir))
	w.quiet("a.jsonl", "c")
	w.expect("the directory is gone", w.once(nil), 1, 0, 0)
	if !strings.Contains(strings.Join(w.notes, "\n"), "is gone") {
		t.Errorf("%q", w.notes)
	}
	w.must(os.Truncate(filepath.Join(dir, LogFile), 3))
	if _, err := Once(t.Context(), w.config()); err == nil || !strings.Contains(err.Error(), "is shorter than") {
		t.Error(err)
	}
	w.must(os.WriteFile(filepath.Join(w.out, ".watch-test.json"), []byte("{}"), 0o600))
	if _, err := Once(t.Context(), w.config()); err == nil || !strings.Contains(err.Error(), "restore it") {
		t.Error(err)
	}
}

// TestLocked: two watches of the same logs do not get in each other's way.
func TestLocked(t *testing.T) {
	w := newWeek(t, 1)
	w.quiet("a.jsonl", "a")
	cfg := w.config()
	cfg.Judge = func(context.Context, Order) (Judged, error) {
		if _, err := Once(t.Context(), w.config()); err == nil || !strings.Contains(err.Error(), "another judge watch") {
			t.Error(err)
		}
		return Judged{}, nil
	}
	if _, err := Once(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
}

// TestUnnamed: conversations without an id are told apart by their content, whatever file they move to.
func TestUnnamed(t *testing.T) {
	w := newWeek(t, 1)
	line := `{"messages":[{"role":"user","content":"hi"},{"role":"assistant","tool_calls":[{"id":"k0","type":"function",` +
		`"function":{"name":"pay","arguments":"{}"}}]}]}` + "\n"
	w.append("a.jsonl", line+line)
	w.now = w.now.Add(time.Hour)
	w.expect("two equal lines", w.once(nil), 2, 0, 0)
	w.must(os.Rename(filepath.Join(w.logs, "a.jsonl"), filepath.Join(w.logs, "b.jsonl")))
	w.append("b.jsonl", line)
	w.now = w.now.Add(time.Hour)
	w.expect("one more, in a file that moved", w.once(nil), 1, 0, 0)
}

// TestRecord: a record that cannot be read is said once, when its file is quiet.
func TestRecord(t *testing.T) {
	w := newWeek(t, 1)
	w.quiet("a.jsonl", "a")
	w.append("a.jsonl", `{"id":"b","messages":[`)
	for range 3 {
		w.once(nil)
	}
	if len(w.notes) > 0 {
		t.Errorf("before it is quiet: %q", w.notes)
	}
	w.now = w.now.Add(time.Hour)
	for range 3 {
		w.once(nil)
	}
	if len(w.notes) != 1 || !strings.Contains(w.notes[0], "a.jsonl:2") {
		t.Errorf("%q", w.notes)
	}
}
