package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/run/input"
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

// TestSettle: a conversation is taken when it is quiet. The logs are looked at once if nothing had to wait for room.
func TestSettle(t *testing.T) {
	w := newWeek(t, 1)
	w.quiet("a.jsonl", "a", "b")
	listed := 0
	w.expect("quiet", w.once(func(c *Config) {
		list := c.List
		c.List = func() ([]input.Log, error) { listed++; return list() }
	}), 2, 0, 0)
	if listed != 1 {
		t.Errorf("the logs were listed %d times", listed)
	}
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
	w.quiet("a.jsonl", "d")
	w.expect("later still", w.once(func(c *Config) { c.FromNow = true }), 1, 0, 0)
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
	second := w.once(limit)
	w.expect("the second day", second, 8, 0, 10)
	if len(second.Before) != 1 || second.Before[0].Date != "2026-11-02" {
		t.Errorf("compared with %+v", second.Before)
	}
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
	w.notes = nil
	both := func(c *Config) { c.Series = map[string]string{"judges": "c", "rubrics": "a"} }
	if empty := w.once(both); empty.Dir != "" {
		t.Errorf("nothing was new, and there is %s", empty.Dir)
	}
	want := "judges, rubrics changed since 2026-11-02: a new series begins; its pass rates are not compared with the earlier ones"
	if d := cmp.Diff([]string{want}, w.notes); d != "" {
		t.Error(d)
	}
}

// obstacle keeps the state from being saved, or no longer.
func (w *week) obstacle(there bool) {
	dir := filepath.Join(w.out, ".watch-test.json.tmp")
	if there {
		w.must(os.MkdirAll(filepath.Join(dir, "full"), 0o700))
	} else {
		w.must(os.RemoveAll(dir))
	}
}

// TestFailures: whatever fails is told at once, and nothing is judged before it is recorded; the next look goes on,
// and each call is paid for once.
func TestFailures(t *testing.T) {
	refused := errors.New("the endpoint is away")
	replace := func(w *week, by func(path string)) {
		path := filepath.Join(w.out, "watch-2026-11-02", LogFile)
		w.must(os.Rename(path, path+".kept"))
		by(path)
	}
	restore := func(w *week) {
		path := filepath.Join(w.out, "watch-2026-11-02", LogFile)
		w.must(errors.Join(os.Remove(path), os.Rename(path+".kept", path)))
	}
	asked := func(c *Config, first, second func()) {
		n := 0
		c.Requests = func(*transcript.Conversation) int {
			if n++; n == 1 {
				first()
			} else if second != nil {
				second()
			}
			return 1
		}
	}
	none := func(*week) {}
	for name, tt := range map[string]struct {
		breaks func(w *week, c *Config)
		mend   func(w *week)
		want   string
		paid   int // before it is mended; a day with one call was judged before
	}{
		"no folder": {func(w *week, c *Config) {
			c.Folder = filepath.Join(w.logs, "a.jsonl", "runs")
		}, none, "not a directory", 1},
		"no list": {func(w *week, c *Config) {
			c.List = func() ([]input.Log, error) { return nil, errors.New("no such bucket") }
		}, none, "no such bucket", 1},
		"no judge": {func(w *week, c *Config) {
			c.Judge = func(context.Context, Order) (Judged, error) { return Judged{}, refused }
		}, none, "the endpoint is away", 1},
		"what was taken is not saved": {func(w *week, c *Config) { w.obstacle(true) },
			func(w *week) { w.obstacle(false) }, "", 1},
		"a new day is not saved": {func(w *week, c *Config) {
			w.now = w.now.Add(24 * time.Hour)
			asked(c, func() { w.obstacle(true) }, func() { w.obstacle(false) })
		}, func(w *week) { w.obstacle(false) }, "", 1},
		"a series is not saved": {func(w *week, c *Config) {
			w.obstacle(true)
			c.Series = map[string]string{"judges": "b"}
			c.List = func() ([]input.Log, error) { w.obstacle(false); return nil, nil }
		}, func(w *week) { w.obstacle(false) }, "", 1},
		"the log cannot be written": {func(w *week, c *Config) {
			asked(c, func() { replace(w, func(path string) { w.must(os.Mkdir(path, 0o700)) }) }, nil)
		}, restore, "is a directory", 1},
		"the disk is full": {func(w *week, c *Config) {
			asked(c, func() { replace(w, func(path string) { w.must(os.Symlink("/dev/full", path)) }) }, nil)
		}, restore, "no space left on device", 1},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := os.Stat("/dev/full"); err != nil && strings.Contains(name, "full") {
				t.Skip("no device that is full")
			}
			w := newWeek(t, 1)
			w.quiet("a.jsonl", "a")
			w.expect("the first", w.once(nil), 1, 0, 0)
			w.quiet("a.jsonl", "b", "c")
			cfg := w.config()
			tt.breaks(w, &cfg)
			if _, err := Once(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %s", err, tt.want)
			}
			if len(w.paid) != tt.paid {
				t.Errorf("paid for %v", w.paid)
			}
			tt.mend(w)
			w.once(nil)
			if d := cmp.Diff(map[string]int{"a/0": 1, "b/0": 1, "c/0": 1}, w.paid); d != "" {
				t.Error(d)
			}
		})
	}
	w := newWeek(t, 1)
	w.quiet("a.jsonl", "a")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if out, err := Once(ctx, w.config()); !errors.Is(err, context.Canceled) || out.New != 0 || len(w.paid) != 0 {
		t.Errorf("%+v, %v", out, err)
	}
	w.expect("after a look that was canceled", w.once(nil), 1, 0, 0)
	if _, err := Once(ctx, w.config()); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled, with nothing to read: %v", err)
	}
	log := filepath.Join(w.out, "watch-2026-11-02", LogFile)
	for path, want := range map[string]os.FileMode{w.out: 0o700, filepath.Dir(log): 0o700, log: 0o600} {
		info, err := os.Stat(path)
		if w.must(err); info.Mode().Perm() != want {
			t.Errorf("%s has the mode %o", path, info.Mode().Perm())
		}
	}
}

// TestLostDay: a new series judges again what an earlier day did not get judged, and says if that is gone.
func TestLostDay(t *testing.T) {
	w := newWeek(t, 1)
	failing := w.config()
	failing.Judge = func(context.Context, Order) (Judged, error) { return Judged{}, errors.New("away") }
	for _, id := range []string{"a", "b"} {
		w.quiet("a.jsonl", id)
		if _, err := Once(t.Context(), failing); err == nil {
			t.Fatal("judged")
		}
		w.now = w.now.Add(24 * time.Hour)
	}
	w.must(os.Remove(filepath.Join(w.out, "watch-2026-11-02", LogFile)))
	cfg := w.config()
	cfg.Series = map[string]string{"judges": "b"}
	if _, err := Once(t.Context(), cfg); !errors.Is(err, os.ErrNotExist) || len(w.paid) > 0 {
		t.Errorf("%v, paid for %v", err, w.paid)
	}
}

// TestPlannedRequests: what was taken and not judged yet counts for the limit of the day.
func TestPlannedRequests(t *testing.T) {
	w := newWeek(t, 1)
	w.quiet("a.jsonl", "a", "b", "c", "d")
	cfg := w.config()
	cfg.MaxRequests, cfg.Requests = 10, func(*transcript.Conversation) int { return 3 }
	cfg.Judge = func(context.Context, Order) (Judged, error) { return Judged{}, errors.New("away") }
	for range 2 {
		if _, err := Once(t.Context(), cfg); err == nil {
			t.Fatal("judged")
		}
		if got := w.tokens(filepath.Join(w.out, "watch-2026-11-02", LogFile)); len(got) != 3 {
			t.Errorf("%q were taken", got)
		}
	}
}

// TestRoom: a day takes what its limits of requests and cost allow, and ten conversations while the cost is unknown.
func TestRoom(t *testing.T) {
	today := Day{Date: "2026-11-02"}
	known := runDay{Day: Day{Date: "2026-11-01"}, Requests: 1, Cost: 0.125}
	for name, tt := range map[string]struct {
		requests int
		cost     float64
		days     []runDay
		want     int
	}{
		"no limit":                       {0, 0, nil, 100},
		"no limit, of a known cost":      {0, 0, []runDay{known}, 100},
		"one request":                    {1, 0, nil, 1},
		"what is left":                   {10, 0, []runDay{known, {Day: today, Requests: 4, Planned: 3}}, 3},
		"an unknown cost":                {0, 0.5, nil, 10},
		"a known cost":                   {0, 0.5, []runDay{known}, 4},
		"a known cost, and more of them": {0, 5, []runDay{known}, 40},
		"what is left of the cost":       {0, 0.5, []runDay{known, {Day: today, Requests: 2, Cost: 0.25}}, 2},
	} {
		w := &watcher{state: newState(), date: today.Date, Config: Config{MaxRequests: tt.requests, MaxCost: tt.cost,
			Requests: func(*transcript.Conversation) int { return 1 }}}
		w.Days = tt.days
		r, got := w.room(), 0
		for range 100 {
			if r.takes(nil) {
				got++
			}
		}
		if got != tt.want || r.taken != got || r.planned != got {
			t.Errorf("%s: %d were taken, want %d; %+v", name, got, tt.want, r)
		}
	}
}

// TestAlarmsOfDays: alarms are told before they are recorded, and again if that failed; each subject once a day. At
// the end of a day it is compared once more, together with the day before it.
func TestAlarmsOfDays(t *testing.T) {
	w := newWeek(t, 1)
	counts := map[string]Count{}
	var told []Result
	var judged []string
	var refuse error
	obstacle := false
	cfg := w.config()
	cfg.Judge = func(_ context.Context, o Order) (Judged, error) {
		judged = append(judged, o.Date)
		n := counts[o.Date]
		return Judged{Day: Day{Conversations: n.N, Calls: n.N, Failed: n.Failed, Drawn: map[string]Count{"f": n}}}, nil
	}
	cfg.Alarm = func(r Result) error {
		told = append(told, r)
		w.obstacle(obstacle)
		return refuse
	}
	look := func(what, id string, fails bool, wantJudged []string, want ...Alarm) Result {
		t.Helper()
		told, judged = nil, nil
		if id != "" {
			w.quiet("a.jsonl", id)
		}
		out, err := Once(t.Context(), cfg)
		if (err != nil) != fails || refuse != nil && err != refuse {
			t.Errorf("%s: %v", what, err)
		}
		if len(told) != min(1, len(want)) {
			t.Fatalf("%s: told %d times", what, len(told))
		}
		if len(want) > 0 {
			for i := range told[0].Alarms {
				told[0].Alarms[i].P = 0 // as the tests of Look expect it
			}
			if d := cmp.Diff(want, told[0].Alarms); d != "" {
				t.Errorf("%s: %s", what, d)
			}
		}
		if d := cmp.Diff(wantJudged, judged); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		return out
	}
	rate := Alarm{Days: 1, Now: Count{10, 10}, Before: Count{100, 0}, Limit: 0.01 / 2 / 12 / 2}
	counts["2026-11-02"] = Count{100, 0}
	look("a good day", "a", false, []string{"2026-11-02"})
	w.now = w.now.Add(22 * time.Hour)
	counts["2026-11-03"] = Count{10, 10}
	refuse = errors.New("nobody listens")
	look("nobody was told", "b", true, []string{"2026-11-03"}, rate)
	refuse, obstacle = nil, true
	look("told, and not recorded", "", true, nil, rate)
	w.obstacle(false)
	obstacle = false
	out := look("told", "", false, nil, rate)
	if out.Today.Date != "2026-11-03" || out.Today.Failed != 10 || len(out.Before) != 1 || len(out.Alarms) != 1 {
		t.Errorf("%+v", out)
	}
	look("nothing new", "", false, nil)
	counts["2026-11-03"] = Count{20, 20}
	look("more of the same", "c", false, []string{"2026-11-03"})
	w.now = w.now.Add(20 * time.Hour)
	counts["2026-11-04"] = Count{5, 0}
	look("too few to look at", "d", false, []string{"2026-11-04"})
	w.now = w.now.Add(20 * time.Hour)
	counts["2026-11-05"] = Count{5, 0}
	look("the end of a day", "e", false, []string{"2026-11-05"},
		Alarm{Days: 2, Now: Count{25, 20}, Before: Count{100, 0}, Limit: 0.01 / 2 / 2})
	look("nothing new after it", "", false, nil)
}

// TestReadAgain: a log is read again if its size or its time changed; what it lost and another one got is not judged
// again, and of a conversation that goes on only what is new. A log that went away meanwhile, or cannot be read, keeps
// nobody from the others.
func TestReadAgain(t *testing.T) {
	w := newWeek(t, 1)
	read := map[string]int{}
	var extra []input.Log
	list := func(c *Config) {
		known := c.List
		c.List = func() ([]input.Log, error) {
			logs, err := known()
			for i := range logs {
				inner := logs[i].Open
				logs[i].Open = func() (io.ReadCloser, error) { read[filepath.Base(logs[i].Path)]++; return inner() }
			}
			return append(extra, logs...), err
		}
	}
	path := filepath.Join(w.logs, "a.jsonl")
	w.quiet("a.jsonl", "a")
	w.expect("new", w.once(list), 1, 0, 0)
	w.expect("unchanged", w.once(list), 0, 0, 0)
	if read["a.jsonl"] != 1 {
		t.Errorf("an unchanged log was read %d times", read["a.jsonl"])
	}
	info, err := os.Stat(path)
	w.must(err)
	w.quiet("a.jsonl", "b")
	w.must(os.Chtimes(path, info.ModTime(), info.ModTime()))
	w.expect("longer, of the same time", w.once(list), 1, 0, 0)
	w.must(os.Truncate(path, 0))
	w.quiet("a.jsonl", "c", "d")
	w.expect("as long, of another time", w.once(list), 2, 0, 0)
	w.quiet("b.jsonl", "a", "b")
	w.expect("what another log lost", w.once(list), 0, 0, 0)

	w.append("c.jsonl", `{"id":"x","messages":[{"role":"user","content":"hi"}]}`+"\n")
	one := func(k int) string {
		return fmt.Sprintf(`{"role":"user","content":"%d"},{"role":"assistant","tool_calls":[{"id":"k%d","type":"function",`+
			`"function":{"name":"pay","arguments":"{\"token\":\"y/%d\"}"}}]}`, k, k, k)
	}
	w.append("c.jsonl", `{"id":"y","messages":[`+one(0)+"]}\n")
	w.now = w.now.Add(time.Hour)
	w.expect("one without calls", w.once(list), 2, 0, 0)
	w.append("c.jsonl", `{"id":"y","messages":[`+one(0)+","+one(1)+"]}\n")
	w.now = w.now.Add(time.Hour)
	out := w.once(list)
	w.expect("one goes on", out, 1, 0, 0)
	judged := strings.Join(w.tokens(filepath.Join(out.Dir, LogFile)), " ")
	if judged != "a/0 b/0 c/0 d/0 y/0 y/1" {
		t.Error(judged)
	}

	extra = []input.Log{open(filepath.Join(w.logs, "gone"))}
	w.quiet("d.jsonl", "e")
	w.expect("beside one that went away", w.once(list), 1, 0, 0)
	broken := open(filepath.Join(w.logs, "b.jsonl"))
	broken.Name = "broken"
	broken.Open = func() (io.ReadCloser, error) { return nil, errors.New("no permission") }
	extra = []input.Log{broken}
	w.quiet("d.jsonl", "f")
	w.expect("beside one that cannot be read", w.once(list), 1, 0, 0)
	w.once(list)
	if len(w.notes) != 1 || !strings.Contains(w.notes[0], "no permission") {
		t.Errorf("%q", w.notes)
	}
	// Of a log that breaks off after a record that cannot be read, the break is said.
	known, err := os.ReadFile(filepath.Join(w.logs, "d.jsonl"))
	w.must(err)
	extra[0].Name, extra[0].Open = "breaks off", func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(string(known)+"{\"id\":\n"),
			iotest.ErrReader(errors.New("the disk is gone")))), nil
	}
	w.notes = nil
	w.expect("beside one that breaks off", w.once(list), 0, 0, 0)
	if len(w.notes) != 1 || !strings.Contains(w.notes[0], "the disk is gone") {
		t.Errorf("%q", w.notes)
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
	if _, err := Once(t.Context(), w.config()); err == nil ||
		!strings.Contains(err.Error(), "it says what was judged already: restore it") {
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
	w.append("a.jsonl", "\n")
	w.quiet("a.jsonl", "c")
	w.expect("one more", w.once(nil), 1, 0, 0)
	if len(w.notes) != 1 || !strings.HasPrefix(w.notes[0], "1 record could not be read, the first: ") ||
		!strings.Contains(w.notes[0], "a.jsonl:2") {
		t.Errorf("%q", w.notes)
	}
}
