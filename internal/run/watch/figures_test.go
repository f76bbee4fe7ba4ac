package watch

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/judgekit/judge/internal/agreement/interval"
	"github.com/judgekit/judge/internal/agreement/stat"
	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// TestLooks: the looks of a day are due at 10 conversations and at each doubling, at most twelve times.
func TestLooks(t *testing.T) {
	for n, want := range map[int]int{0: 0, 9: 0, 10: 1, 19: 1, 20: 2, 39: 2, 40: 3, 20_479: 11, 20_480: 12, 1_000_000: 12} {
		if got := looksAt(n); got != want {
			t.Errorf("%d conversations: %d looks, want %d", n, got, want)
		}
	}
}

// TestLookOnce: a day is looked at once for each number of conversations and once at its end, and each subject alarms
// once a day, with what was counted.
func TestLookOnce(t *testing.T) {
	day := func(n, failed int) Day {
		return Day{Conversations: n, Calls: n, Failed: failed, Drawn: map[string]Count{"f": {n, failed}},
			Users: map[string]int{"f": n}, Groups: map[string]Group{"g": {"f", "wrong", failed}}}
	}
	if got := Look([]Day{day(100, 100)}, true); got != nil {
		t.Errorf("a first day: %+v", got)
	}
	days := []Day{day(100, 0), day(9, 9)}
	if got := Look(days, false); got != nil || days[1].Looks != 0 {
		t.Errorf("before the first look: %+v", got)
	}
	days[1] = day(10, 10)
	got := Look(days, false)
	var subjects []string
	for _, a := range got {
		subjects = append(subjects, a.Group)
		if a.Days != 1 || a.Now != (Count{10, 10}) || a.Before != (Count{100, 0}) || a.Limit != falseAlarms/2/maxLooks/2 {
			t.Errorf("%+v", a)
		}
	}
	if d := cmp.Diff([]string{"", "g"}, subjects); d != "" || days[1].Looks != 1 || days[1].Closed {
		t.Errorf("%s, %+v", d, days[1])
	}
	if got := Look(days, false); len(got) != 0 {
		t.Errorf("looked again: %+v", got)
	}
	if got := Look(days, true); len(got) != 0 || !days[1].Closed {
		t.Errorf("at the end: %+v", got)
	}
	three := []Day{day(100, 0), day(9, 5), day(9, 5)}
	if got := Look(three, true); len(got) != 2 || got[0].Days != 2 || got[0].Now != (Count{18, 10}) || got[0].Before != (Count{100, 0}) ||
		got[0].Limit != falseAlarms/2/2 || got[1].Group != "g" || got[1].Tool != "f" || got[1].Name != "wrong" {
		t.Errorf("two days at the end of the second: %+v", got)
	}
	if got := Look(three, true); len(got) != 0 {
		t.Errorf("the end, again: %+v", got)
	}
	old := make([]Day, memory+2)
	for i := range old {
		old[i] = day(10, 0)
	}
	old[0], old[memory+1] = day(1000, 1000), day(10, 10) // the first is too old to be compared with
	if got := Look(old, false); len(got) != 2 || got[0].Before != (Count{140, 0}) {
		t.Errorf("after %d days: %+v", memory, got)
	}
}

// TestCompareGroups: each group is compared with its conversations on all days before, and the more groups there are
// now or were before, the less chance each has of a false alarm.
func TestCompareGroups(t *testing.T) {
	before := func(failed int) Day {
		return Day{Drawn: map[string]Count{"f": {100, 0}}, Users: map[string]int{"f": 100},
			Groups: map[string]Group{"g": {"f", "wrong", failed}, "h": {"f", "late", 1}}}
	}
	today := Day{Drawn: map[string]Count{"f": {10, 0}}, Users: map[string]int{"f": 10},
		Groups: map[string]Group{"g": {"f", "wrong", 9}}}
	got := compare([]Day{today}, []Day{before(1), before(2)}, 0.01)
	for i := range got {
		got[i].P = 0
	}
	want := []Alarm{{Group: "g", Tool: "f", Name: "wrong", Days: 1, Now: Count{10, 9}, Before: Count{200, 3},
		Limit: 0.0025}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestCompareAtTheLimit: a probability that is exactly the limit alarms, for the rate and for a group.
func TestCompareAtTheLimit(t *testing.T) {
	day := func(n, failed int) []Day {
		return []Day{{Drawn: map[string]Count{"f": {n, failed}}, Users: map[string]int{"f": n},
			Groups: map[string]Group{"g": {"f", "wrong", failed}}}}
	}
	now, before := day(4, 4), day(4, 1)
	p := tail(Count{4, 4}, Count{4, 1}) // a power of two times p is exact
	for limit, want := range map[float64]int{2 * p: 2, math.Nextafter(2*p, 0): 0, math.Nextafter(2*p, 1): 2} {
		if got := compare(now, before, limit); len(got) != want {
			t.Errorf("%v of %v: %+v", limit, 2*p, got)
		}
	}
	none := compare(day(4, 0), day(4, 0), 4)
	if len(none) != 2 || none[0].P != 1 || none[0].Limit != 2 {
		t.Errorf("%+v", none)
	}
}

// TestNewGroups: failures that did not occur before are named with their counts, the most frequent first.
func TestNewGroups(t *testing.T) {
	today := &Day{Groups: map[string]Group{"a": {"f", "one", 1}, "b": {"f", "known", 9}, "c": {"f", "three", 3}, "d": {"f", "also one", 1}}}
	before := []Day{{Groups: map[string]Group{"b": {"f", "known", 1}}}, {}}
	if d := cmp.Diff([]string{"three (3)", "one (1)", "also one (1)"}, New(today, before)); d != "" {
		t.Error(d)
	}
	if got := New(today, nil); got != nil {
		t.Errorf("without a day before: %q", got)
	}
}

// TestCounter: calls and failures are counted by conversation; of each conversation one call of each tool counts, and the
// same one whatever the order.
func TestCounter(t *testing.T) {
	c := NewCounter("2026-11-02")
	for _, v := range []Verdict{
		{"c1", 0, "f", true, "", ""}, {"c1", 1, "f", false, "g", "wrong"}, {"c1", 2, "h", false, "k", "late"},
		{"c2", 0, "f", false, "g", "wrong"}, {"c3", -1, "", true, "", ""},
	} {
		c.Add(v)
	}
	twice := NewCounter("") // of two verdicts on one call the first is drawn
	for _, passed := range []bool{true, false} {
		twice.Add(Verdict{"c1", 0, "f", passed, "g", "wrong"})
	}
	if day := twice.Day(); day.Drawn["f"] != (Count{1, 0}) || len(day.Groups) != 0 || day.Calls != 2 || day.Failed != 1 {
		t.Errorf("two verdicts on one call: %+v", day)
	}
	day := c.Day()
	if day.Date != "2026-11-02" || day.Conversations != 3 || day.Calls != 5 || day.Failed != 3 ||
		day.CallSquares != 9+1+1 || day.FailedSquares != 4+1 || day.Products != 6+1 {
		t.Errorf("%+v", day)
	}
	if d := cmp.Diff(map[string]int{"f": 2, "h": 1, "": 1}, day.Users); d != "" {
		t.Error(d)
	}
	// Of the calls of c1, the numbers drawn by sha256 are 0.065, 0.156 and 0.609.
	if d := cmp.Diff(map[string]Count{"f": {2, 1}, "": {1, 0}}, day.Drawn); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]Group{"k": {"h", "late", 1}, "g": {"f", "wrong", 1}}, day.Groups); d != "" {
		t.Error(d)
	}
	again := NewCounter("2026-11-02")
	for _, v := range []Verdict{
		{"c3", -1, "", true, "", ""}, {"c2", 0, "f", false, "g", "wrong"},
		{"c1", 2, "h", false, "k", "late"}, {"c1", 1, "f", false, "g", "wrong"}, {"c1", 0, "f", true, "", ""},
	} {
		again.Add(v)
	}
	if d := cmp.Diff(day, again.Day()); d != "" {
		t.Errorf("in another order: %s", d)
	}
	many := NewCounter("")
	for i := range 1001 {
		many.Add(Verdict{fmt.Sprint(i), 0, "f", false, fmt.Sprint("g", i), "x"})
	}
	many.Add(Verdict{"more", 0, "f", false, "g0", "x"})
	if day := many.Day(); len(day.Groups) != 1000 || day.Groups["g0"].N != 2 || day.Users["f"] != 1002 {
		t.Errorf("%d groups, %+v, %d users", len(day.Groups), day.Groups["g0"], day.Users["f"])
	}
}

// TestPassRate: the share of calls that pass, with an interval by conversation; of calls that are all alike, by Wilson.
func TestPassRate(t *testing.T) {
	one := Day{Conversations: 1, Calls: 1, Failed: 1, CallSquares: 1, FailedSquares: 1, Products: 1}
	three := Day{Conversations: 3, Calls: 3, CallSquares: 3}
	none := Day{Conversations: 3, Calls: 3, Failed: 3, CallSquares: 3, FailedSquares: 3, Products: 3}
	// Three conversations of 3, 2 and 1 calls, of which 2, 0 and 0 fail.
	uneven := Day{Conversations: 3, Calls: 6, Failed: 2, CallSquares: 14, FailedSquares: 4, Products: 6}
	wilson, _ := interval.Wilson(3, 3, 0.05)
	failing, _ := interval.Wilson(0, 3, 0.05)
	for name, tt := range map[string]struct {
		days []Day
		want report.Estimate
	}{
		"none":          {nil, report.Point(stat.None(stat.NoItems))},
		"a day without": {[]Day{{}}, report.Point(stat.None(stat.NoItems))},
		"all pass":      {[]Day{three}, report.Interval(wilson.Value, wilson.CI)},
		"none passes":   {[]Day{none}, report.Interval(failing.Value, failing.CI)},
		// The sum of squares is 4 - 2·6/3 + 14/9 = 14/9, so the standard error is √(14/9 · 3/2) / 6.
		"uneven conversations": {[]Day{uneven}, report.Interval(stat.Some(2.0/3),
			interval.ScoreAround(2.0/3, math.Sqrt(7.0/3)/6, 36.0/14, 0.05))},
		// The sum of squares is 1 - 2/4 + 4/16 = 3/4, so the standard error is √(3/4 · 4/3) / 4.
		"one of four fails": {[]Day{one, three}, report.Interval(stat.Some(0.75), interval.ScoreAround(0.75, 0.25, 4, 0.05))},
	} {
		if d := cmp.Diff(tt.want, PassRate(tt.days...), cmpopts.EquateApprox(1e-12, 0)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestScoresThatDecide: only scores of the report's instrument and level decide.
func TestScoresThatDecide(t *testing.T) {
	zero := 0
	ofCall := report.Instrument{Name: "n", Metric: "m", Judge: "j", Source: "judge", Level: report.CallLevel}
	of := func(change func(*score.Score)) *score.Score {
		s := &score.Score{Name: "n", Metric: "m", Judge: "j", Source: "judge", CallIndex: &zero}
		change(s)
		return s
	}
	for name, tt := range map[string]struct {
		change             func(*score.Score)
		call, conversation bool
	}{
		"a call's":           {func(*score.Score) {}, true, false},
		"a conversation's":   {func(s *score.Score) { s.CallIndex = nil }, false, true},
		"a whole one's":      {func(s *score.Score) { s.CallIndex, s.Scope = nil, score.ScopeConversation }, false, true},
		"a turn's":           {func(s *score.Score) { s.CallIndex, s.Scope = nil, "turn" }, false, false},
		"another scope":      {func(s *score.Score) { s.Scope = score.ScopeConversation }, false, false},
		"of another name":    {func(s *score.Score) { s.Name = "x" }, false, false},
		"of another metric":  {func(s *score.Score) { s.Metric = "x" }, false, false},
		"of another judge":   {func(s *score.Score) { s.Judge = "x" }, false, false},
		"from somebody else": {func(s *score.Score) { s.Source = "label" }, false, false},
	} {
		ofWhole := ofCall
		ofWhole.Level = report.ConversationLevel
		if call, whole := isOf(of(tt.change), &ofCall), isOf(of(tt.change), &ofWhole); call != tt.call || whole != tt.conversation {
			t.Errorf("%s: decides calls %v, conversations %v", name, call, whole)
		}
	}
}

// TestKeys: what was taken is kept as a list of keys; those that a file lost are found.
func TestKeys(t *testing.T) {
	a, b, c := keyOf("a"), keyOf("b"), keyOf("c")
	if len(a) != 16 || a == b || keyOf("a", "b") == keyOf("ab") {
		t.Errorf("%s, %s", a, b)
	}
	var list keys
	for _, k := range []key{a, b, c} {
		list.add(k)
	}
	var got []key
	list.without(map[key]bool{b: true}).each(func(k key) { got = append(got, k) })
	if d := cmp.Diff([]key{a, c}, got); d != "" {
		t.Error(d)
	}
	r := &fileScan{scanner: &scanner{}, seen: map[string]bool{}, times: map[key]int{}, held: map[key]bool{}}
	for _, tt := range []struct {
		c    transcript.Conversation
		want string
	}{
		{transcript.Conversation{ID: "x#2"}, "x#2"}, {transcript.Conversation{ID: "x"}, "x"},
		{transcript.Conversation{ID: "x#2"}, "x"}, {transcript.Conversation{ID: "#1"}, "#1"},
		{transcript.Conversation{ID: "line 3", Unnamed: true}, ""},
	} {
		if got := r.id(&tt.c); got != tt.want {
			t.Errorf("%q is %q, want %q", tt.c.ID, got, tt.want)
		}
	}
	for id, one := range map[string]bool{"x": true, "": false} {
		first, second := r.call(id, "h"), r.call(id, "h")
		if (first == second) != one {
			t.Errorf("equal calls of the conversation %q are one call: %v, want %v", id, !one, one)
		}
	}
	for id, want := range map[string]string{"": "hash", "call_12": "hash", "call_123": "named\x00call_123\x00f\x00{}"} {
		if got := identity(&transcript.Call{ID: id, Name: "f", RawArguments: "{}"}, "hash"); got != want {
			t.Errorf("a call with the id %q is known by %q, want %q", id, got, want)
		}
	}
	r.hold(a)
	r.hold(a)
	if len(r.list) != keySize {
		t.Errorf("%d bytes for one key", len(r.list))
	}
}

// TestQuiet: a conversation is quiet if neither its file nor what we saw of it changed for as long as it needs.
func TestQuiet(t *testing.T) {
	now := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	s := &scanner{state: newState(), settle: 5 * time.Minute, now: now}
	for _, tt := range []struct {
		changed, since time.Duration // before now
		want           bool
	}{{5, 0, true}, {0, 5, true}, {4, 4, false}, {-60, 5, true}, {60, 60, true}, {4, 0, false}} {
		if got := s.quiet(now.Add(-tt.changed*time.Minute), now.Add(-tt.since*time.Minute)); got != tt.want {
			t.Errorf("changed %d minutes ago, seen %d: %v", tt.changed, tt.since, got)
		}
	}
	r := &fileScan{scanner: s, modified: now}
	s.since = map[key]waiting{}
	s.Waiting = map[key]waiting{"old": {"a", now.Add(-5 * time.Minute)}, "changed": {"b", now.Add(-time.Hour)}, "ahead": {"a", now.Add(time.Hour)}}
	for name, want := range map[key]bool{"old": true, "changed": false, "ahead": false, "new": false} {
		if got := r.isQuiet(name, "a"); got != want || (s.since[name].Since == now) == want {
			t.Errorf("%s: %v since %v", name, got, s.since[name].Since)
		}
	}
}

// TestState: what was saved is read again, with the last 16 days; a state that cannot be read, or is of another version,
// is refused.
func TestState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	s, err := loadState(path)
	if err != nil || len(s.Days) != 0 || s.today() != nil {
		t.Fatalf("%+v, %v", s, err)
	}
	for i := range 20 {
		s.Days = append(s.Days, runDay{Dir: fmt.Sprint("d", i), Day: Day{Date: fmt.Sprint(i)}})
	}
	s.Files["a"] = &file{Size: 3, Busy: true}
	if err := s.save(path); err != nil {
		t.Fatal(err)
	}
	again, err := loadState(path)
	if err != nil || len(again.Days) != 16 || again.Days[0].Dir != "d4" || again.today().Date != "19" || again.Files["a"].Size != 3 {
		t.Errorf("%+v, %v", again, err)
	}
	for text, want := range map[string]string{"{": "unexpected end of JSON input", "": "unexpected end of JSON input",
		"{}": `schema ""; this version`, `{"schema":"judge.watch/v9"}`: `schema "judge.watch/v9"; this version reads judge.watch/v1`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := loadState(path); err == nil || !strings.HasPrefix(err.Error(), path+": "+want) ||
			!strings.Contains(err.Error(), "restore it, or move it away") {
			t.Errorf("%q: %v", text, err)
		}
	}
	if err := s.save(filepath.Join(path, "below")); err == nil {
		t.Error("saved below a file")
	}
}

// TestDays: a new day gets a directory of its own; a day that is there already becomes the current one again.
func TestDays(t *testing.T) {
	folder, s := t.TempDir(), newState()
	if err := os.Mkdir(filepath.Join(folder, "watch-2026-11-03"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, date := range []string{"2026-11-02", "2026-11-02", "2026-11-03", "2026-11-02"} {
		if err := s.enter(date, folder); err != nil || s.today().Date != date {
			t.Errorf("%s: %+v, %v", date, s.today(), err)
		}
	}
	var dirs []string
	for i := range s.Days {
		dirs = append(dirs, filepath.Base(s.Days[i].Dir))
	}
	if d := cmp.Diff([]string{"watch-2026-11-03-2", "watch-2026-11-02"}, dirs); d != "" {
		t.Error(d)
	}
	if err := newState().enter("2026-11-02", filepath.Join(folder, "none")); err == nil {
		t.Error("a day in a folder that is not there")
	}
	today := s.today()
	write := func(text string) {
		if err := os.WriteFile(today.log(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("committed, and not")
	today.Bytes, today.Judged = 9, 3
	if err := s.repair(func(line string) { t.Error(line) }); err != nil {
		t.Error(err)
	}
	if text, _ := os.ReadFile(today.log()); string(text) != "committed" {
		t.Errorf("the log of the day holds %q", text)
	}
	unjudged, err := s.restart()
	if err != nil || string(unjudged) != "mitted" || s.today() != nil {
		t.Errorf("%q, %v", unjudged, err)
	}
	s.Days = []runDay{{Dir: today.Dir, Bytes: 10}}
	var cut *cutError
	if _, err := s.restart(); !errors.As(err, &cut) {
		t.Errorf("a log that was cut: %v", err)
	}
	if err := s.repair(nil); !errors.As(err, &cut) {
		t.Errorf("a log that was cut: %v", err)
	}
	s.Days[0].Dir = filepath.Join(folder, "gone")
	if _, err := s.restart(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a log that is gone: %v", err)
	}
	said := ""
	if err := s.repair(func(line string) { said = line }); err != nil || !strings.Contains(said, "gone is gone") || s.Days[0].Bytes != 0 {
		t.Errorf("%v, %q, %+v", err, said, s.Days[0])
	}
	if err := s.repair(func(line string) { t.Error(line) }); err != nil {
		t.Errorf("a day without a log: %v", err)
	}
	// A directory that cannot be made again is an error, whether its log had bytes or not.
	dangling := filepath.Join(folder, "dangling")
	if err := os.Symlink("none", dangling); err != nil {
		t.Skip(err)
	}
	for _, bytes := range []int64{0, 1} {
		s.Days = []runDay{{Dir: dangling, Bytes: bytes}}
		if err := s.repair(func(string) {}); err == nil {
			t.Errorf("a day of %d bytes in a directory that cannot be made", bytes)
		}
	}
}
