package watch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
)

// week is a folder of logs that grow, and somebody who watches them. Every call has a token of its own.
type week struct {
	t    *testing.T
	rng  *rand.Rand
	logs string
	out  string
	now  time.Time
	// made counts the calls of each conversation, open has the conversations that may go on.
	made map[string]int
	open []string
	// half is the end of a line that is not written yet, by file.
	half map[string]string
	// journal has the calls that were paid for in each run directory, paid how often each was.
	journal map[string]map[string]bool
	paid    map[string]int
	fails   float64
	pace    int      // the minutes between two looks at most
	alarms  []string // the dates
	notes   []string
	kills   int
	// killed says when the process dies: after so many further steps; -1 for never.
	killed int
}

var errKilled = errors.New("killed")

func newWeek(t *testing.T, seed uint64) *week {
	w := &week{t: t, rng: rand.New(rand.NewPCG(seed, 7)), logs: t.TempDir(), out: filepath.Join(t.TempDir(), "runs"),
		now: time.Date(2026, 11, 2, 0, 0, 0, 0, time.UTC), made: map[string]int{}, half: map[string]string{},
		journal: map[string]map[string]bool{}, paid: map[string]int{}, fails: 0.1, pace: 240, killed: -1}
	return w
}

// config is a watch of the folder with a judge that pays for each call that its journal lacks.
func (w *week) config() Config {
	return Config{
		Folder: w.out, Name: "test", Sample: 1, Settle: 5 * time.Minute, Series: map[string]string{"judges": "a"},
		Requests: func(*transcript.Conversation) int { w.step(); return 1 },
		List: func() (list []input.Log, err error) {
			paths, err := filepath.Glob(filepath.Join(w.logs, "*.jsonl"))
			for _, p := range paths {
				list = append(list, open(p))
			}
			return list, err
		},
		Judge: w.judge, Now: func() time.Time { return w.now },
		Alarm: func(r Result) error { w.alarms = append(w.alarms, w.now.Format(time.DateOnly)); return nil },
		Note:  func(line string) { w.notes = append(w.notes, line) },
	}
}

func open(path string) input.Log {
	return input.Log{Name: path, Path: path, Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// step dies if it is time.
func (w *week) step() {
	if w.killed--; w.killed == -1 {
		w.kills++
		panic(errKilled)
	}
}

// judge pays for the calls of a run directory and counts them.
func (w *week) judge(ctx context.Context, d Order) (Judged, error) {
	w.step()
	known := w.journal[d.Dir]
	if known == nil {
		known = map[string]bool{}
		w.journal[d.Dir] = known
	}
	c := NewCounter(d.Date)
	for _, token := range w.tokens(filepath.Join(d.Dir, LogFile)) {
		if !known[token] {
			w.step()
			known[token] = true
			w.paid[token]++
		}
		id, _, _ := strings.Cut(token, "/")
		c.Add(Verdict{Conversation: id, Tool: "pay", Passed: fraction(id) >= w.fails, Group: "g", Name: "wrong"})
	}
	return Judged{Day: c.Day(), Requests: len(known)}, nil
}

// tokens returns the tokens of the calls in a log that are to be judged.
func (w *week) tokens(path string) (out []string) {
	source := &input.Source{Logs: []input.Log{open(path)}, Options: format.Options{Format: "native"}}
	for c, err := range source.Conversations(w.t.Context(), &input.Reading{}) {
		if err != nil {
			w.t.Fatal(err)
		}
		for i := range c.Calls {
			if !c.Calls[i].Context {
				out = append(out, c.Calls[i].Arguments.Field("token").Text())
			}
		}
	}
	return out
}

// write appends to a log, sometimes half a line.
func (w *week) write(name, text string) {
	text = w.half[name] + text + "\n"
	w.half[name] = ""
	if w.rng.IntN(4) == 0 {
		at := len(text) - 1 - w.rng.IntN(len(text)/2)
		text, w.half[name] = text[:at], text[at:]
	}
	w.append(name, text)
}

func (w *week) append(name, text string) {
	path := filepath.Join(w.logs, name)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text)
		err = errors.Join(err, f.Close(), os.Chtimes(path, w.now, w.now))
	}
	w.must(err)
}

// complete writes the rest of all lines.
func (w *week) complete() {
	for name, rest := range w.half {
		w.append(name, rest)
	}
	clear(w.half)
}

// grow has a conversation make a call more, in the log of its kind.
func (w *week) grow(id string) {
	n := w.made[id]
	w.made[id]++
	ask := func(k int) string { return fmt.Sprintf(`{"role":"user","content":"%s asks %d"}`, id, k) }
	call := func(k int) string {
		return fmt.Sprintf(`{"role":"assistant","tool_calls":[{"id":"k%d","type":"function","function":{"name":"pay",`+
			`"arguments":"{\"token\":\"%s/%d\"}"}}]},{"role":"tool","tool_call_id":"k%d","content":"paid %d"}`, k, id, k, k, k)
	}
	switch id[0] {
	case 'a': // the whole conversation again, a line each time
		var messages []string
		for k := range n + 1 {
			messages = append(messages, ask(k), call(k))
		}
		w.write("app.jsonl", fmt.Sprintf(`{"id":"%s","messages":[%s]}`, id, strings.Join(messages, ",")))
	case 's': // a file of its own, a message a line
		w.write("session-"+id+".jsonl", ask(n)+"\n"+strings.ReplaceAll(call(n), "},{\"role", "}\n{\"role"))
	case 'o': // a collector's file of spans
		out := fmt.Sprintf(`[{"role":"assistant","parts":[{"type":"tool_call","id":"call_%x%d","name":"pay","arguments":{"token":"%s/%d"}}]}]`, id, n, id, n)
		in := fmt.Sprintf(`[{"role":"user","parts":[{"type":"text","content":"%s asks %d"}]}]`, id, n)
		trace := fmt.Sprintf("%032x", []byte(id))
		w.write("spans.jsonl", fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","spanId":"%016x","name":"chat",`+
			`"startTimeUnixNano":"%d","attributes":[%s,%s,%s,%s]}]}]}]}`, trace[:32], n+1, w.now.UnixNano(),
			attribute("gen_ai.operation.name", "chat"), attribute("gen_ai.conversation.id", id),
			attribute("gen_ai.input.messages", in), attribute("gen_ai.output.messages", out)))
	}
}

func attribute(key, text string) string {
	return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, text)
}

// rotate moves a log to another name, or copies it and cuts it.
func (w *week) rotate(name string, cut bool) {
	from := filepath.Join(w.logs, name)
	data, err := os.ReadFile(from)
	if err != nil || w.half[name] != "" {
		return
	}
	to := filepath.Join(w.logs, fmt.Sprintf("old-%d-%s", w.now.Unix(), name))
	if !cut {
		err = os.Rename(from, to)
	} else if err = os.WriteFile(to, data, 0o600); err == nil {
		err = errors.Join(os.Truncate(from, 0), os.Chtimes(to, w.now, w.now), os.Chtimes(from, w.now, w.now))
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// look watches once, perhaps with a failure.
func (w *week) look(failure int) {
	statePath := filepath.Join(w.out, ".watch-test.json")
	before, _ := os.ReadFile(statePath)
	w.killed = -1
	switch failure {
	case 0, 1: // dies after some steps
		w.killed = w.rng.IntN(12)
	case 2: // the disk has no room for the state
		w.must(os.MkdirAll(filepath.Join(statePath+".tmp", "full"), 0o700))
		defer func() { w.must(os.RemoveAll(statePath + ".tmp")) }()
	case 3: // dies between the log and the state: the state is the old one
		days, _ := filepath.Glob(filepath.Join(w.out, "*"))
		w.killed = 1 << 30
		cfg := w.config()
		cfg.Judge = func(context.Context, Order) (Judged, error) { return Judged{}, errKilled }
		_, err := Once(w.t.Context(), cfg)
		now, _ := filepath.Glob(filepath.Join(w.out, "*"))
		if errors.Is(err, errKilled) && len(days) == len(now) { // a new day is saved before anything is taken
			w.kills++
			w.must(os.WriteFile(statePath, before, 0o600))
		}
		return
	}
	defer func() {
		if r := recover(); r != nil && r != errKilled {
			panic(r)
		}
	}()
	if _, err := Once(w.t.Context(), w.config()); err != nil && failure != 2 {
		w.t.Errorf("%s: %v", w.now, err)
	}
}

func (w *week) must(err error) {
	if err != nil {
		w.t.Fatal(err)
	}
}

// work is a while of agents at work, and a look at its end.
func (w *week) work(failures bool) {
	for range 2 {
		id := fmt.Sprintf("%c%d", "aso"[w.rng.IntN(3)], len(w.made))
		w.made[id] = 0
		w.open = append(w.open, id)
		w.grow(id)
	}
	for range 3 {
		w.grow(w.open[max(0, len(w.open)-1-w.rng.IntN(40))])
	}
	if w.rng.IntN(20) == 0 {
		w.rotate([]string{"app.jsonl", "spans.jsonl"}[w.rng.IntN(2)], w.rng.IntN(2) == 0)
	}
	w.now = w.now.Add(time.Duration(w.rng.IntN(w.pace)) * time.Minute)
	if failures && w.rng.IntN(60) == 0 { // somebody sets the clock
		w.now = w.now.Add(time.Duration(w.rng.IntN(48)-24) * time.Hour)
	}
	failure := -1
	if failures && w.rng.IntN(4) == 0 {
		failure = w.rng.IntN(4)
	}
	w.look(failure)
}

// check compares what was judged with what the agents did.
func (w *week) check() {
	w.t.Helper()
	judged := map[string]int{}
	paths, _ := filepath.Glob(filepath.Join(w.out, "*", LogFile))
	for _, path := range paths {
		for _, token := range w.tokens(path) {
			judged[token]++
		}
	}
	calls := 0
	for id, n := range w.made {
		for k := range n {
			calls++
			token := fmt.Sprintf("%s/%d", id, k)
			if judged[token] != 1 || w.paid[token] != 1 {
				w.t.Errorf("%s was judged %d times and paid for %d times", token, judged[token], w.paid[token])
			}
		}
	}
	if len(judged) != calls {
		w.t.Errorf("%d calls were judged, and %d made", len(judged), calls)
	}
	w.t.Logf("%d conversations, %d calls, %d days, %d kills, alarms %v", len(w.made), calls, len(paths), w.kills, w.alarms)
}

// end lets everything become quiet, and looks without a failure.
func (w *week) end() {
	w.complete()
	for range 3 {
		w.now = w.now.Add(time.Hour)
		w.look(-1)
	}
}

// TestWeek: over weeks in which files grow, appear, are rotated and cut, the clock is set, the process is
// killed and the disk is full, no call is judged twice or paid for twice, and none is lost.
func TestWeek(t *testing.T) {
	for seed := range uint64(3) {
		w := newWeek(t, seed)
		for range 7 * 12 {
			w.work(true)
		}
		w.end()
		w.check()
		if w.kills == 0 {
			t.Error("nobody was killed")
		}
	}
}

// TestWeekAlarms: quiet days have no alarm, a day on which the failures become five times as many has one.
func TestWeekAlarms(t *testing.T) {
	w := newWeek(t, 9)
	w.pace = 60
	for range 48 * 3 {
		w.work(false)
	}
	if len(w.alarms) > 0 {
		t.Fatalf("alarms on %v", w.alarms)
	}
	w.fails = 0.5
	bad := w.now.Format(time.DateOnly)
	for range 48 {
		w.work(false)
	}
	w.end()
	w.check()
	if len(w.alarms) == 0 || w.alarms[0] > w.now.Add(-24*time.Hour).Format(time.DateOnly) {
		t.Errorf("worse since %s, alarms on %v", bad, w.alarms)
	}
	if n := len(slices.Compact(w.alarms)); n > 4 {
		t.Errorf("%d alarms", n)
	}
}
