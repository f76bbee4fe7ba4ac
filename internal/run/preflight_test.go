package run

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/run/directory"
	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/judges"
)

// lengthLog has conversations whose only user message has so many bytes.
func lengthLog(sizes ...int) input.Log {
	var b strings.Builder
	for i, n := range sizes {
		fmt.Fprintf(&b, `{"id":"c%d","tools":[{"name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}],`+
			`"messages":[{"role":"user","content":%q},{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"a\":%d}"}}]}]}`+"\n", i, strings.Repeat("lorem ", n/6), i)
	}
	text := b.String()
	return input.Log{Name: "lengths.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

// windowed returns a plan over conversations of the given lengths with one judge that
// knows its window.
func windowed(t *testing.T, base string, tokens int, sizes ...int) setup {
	t.Helper()
	p := teamPlan(t, base, "m")
	p.Logs = []input.Log{lengthLog(sizes...)}
	p.Judges[0].ContextTokens = tokens
	return p
}

// noted collects what a person is told.
func noted() (Observer, func() string) {
	var mu sync.Mutex
	var lines []string
	return Observer{Note: func(line string) { mu.Lock(); defer mu.Unlock(); lines = append(lines, line) }}, func() string {
		mu.Lock()
		defer mu.Unlock()
		return strings.Join(lines, "\n")
	}
}

// executeNoting is execute with an observer.
func executeNoting(t *testing.T, p setup, dir string, resume bool) (*Outcome, string) {
	t.Helper()
	obs, said := noted()
	for i := range p.Judges {
		p.Judges[i].Config.Transport = "json_schema"
	}
	out, err := executeSetup(t.Context(), p, dir, resume, obs)
	if err != nil {
		t.Fatal(err)
	}
	return out, said()
}

// statusOf gives for each conversation the status, and the kind of a failure.
func statusOf(list []score.Score) map[string]string {
	out := map[string]string{}
	for i := range list {
		out[list[i].ConversationID] = string(list[i].Status)
		if list[i].Error != nil {
			out[list[i].ConversationID] += " " + list[i].Error.Kind
		}
	}
	return out
}

// counts by so many bytes a token, as a server does that tells the truth.
func counting(ratio float64) func(ask) says {
	return func(a ask) says { return says{output: "5", tokens: int(float64(a.text) / ratio)} }
}

// What does not fit is shortened, flagged and counted before anything is sent; only what
// has no room whatever is left out is not sent. No prompt comes to more than the window.
func TestPreflightShortens(t *testing.T) {
	longest := 0
	var mu sync.Mutex
	base, asked := scriptedServer(t, func(a ask) says {
		mu.Lock()
		defer mu.Unlock()
		tokens := a.text * 10 / 36
		longest = max(longest, tokens)
		return says{output: "5", tokens: tokens}
	})
	// The only message of each user stays whatever is left out.
	p := windowed(t, base, 4096, 100, 40_000, 6_000, 200)
	dir := filepath.Join(t.TempDir(), "run")
	out, said := executeNoting(t, p, dir, false)
	want := map[string]string{"c0": "scored", "c1": "unscored " + judges.KindContext, "c2": "scored", "c3": "scored"}
	scores := readScores(t, dir)
	if diff := cmp.Diff(want, statusOf(scores)); diff != "" {
		t.Error(diff)
	}
	if asked("m") != 3 || longest > 4096-1024 {
		t.Errorf("%d requests, the longest of %d tokens", asked("m"), longest)
	}
	flags := map[string]string{}
	for _, s := range scores {
		for _, f := range s.Flags {
			flags[s.ConversationID] += f.Code + " "
		}
		if s.Error != nil && !strings.Contains(s.Error.Message, "raise the server's context to 16384 tokens") {
			t.Errorf("the failure does not say what to set: %s", s.Error.Message)
		}
	}
	if !strings.Contains(flags["c2"], "examples_left_out") || strings.Contains(flags["c0"], "examples_left_out") {
		t.Errorf("flags %v", flags)
	}
	for _, text := range []string{
		"1 of 4 judgements are shortened to fit a context of 4096 tokens with 1024 for the answer", "examples left out in 1",
		"1 of 4 judgements do not fit", "too long: lengths.jsonl:2, conversation c1, call 0, function_intent_alignment: about 12",
		"raise the server's context to 16384 tokens",
	} {
		if strings.Count(said, text) != 1 {
			t.Errorf("%q is not said once:\n%s", text, said)
		}
	}
	c := out.Manifest.Counts
	if c.Requests != 3 || c.Cached != 0 || out.Manifest.Work.Sent != 3 || out.Manifest.Work.FromJournal != 0 {
		t.Errorf("%d requests, %d from cache, work %+v", c.Requests, c.Cached, out.Manifest.Work)
	}
	if w := out.Manifest.Windows; len(w) != 1 || w[0].Shortened != 1 || w[0].NotSent != 1 || w[0].Rubrics[0].Examples != 1 || w[0].First[0].Place != "lengths.jsonl:2" {
		t.Errorf("run.json says %+v", w)
	}
}

// The same scores at any concurrency, and after an interruption; a resumed run with a
// larger window sends what had no room, and only that.
func TestPreflightAfterTheWindowWasRaised(t *testing.T) {
	var streams []string
	base, asked := scriptedServer(t, counting(3.6))
	for _, concurrency := range []int{1, 8} {
		dir := filepath.Join(t.TempDir(), "run")
		plan := func(tokens int) setup {
			p := windowed(t, base, tokens, 100, 40_000, 200, 6_000, 300, 400, 500)
			p.Judges[0].Endpoint.Concurrency = concurrency
			return p
		}
		executeNoting(t, plan(4096), dir, false)
		stream := string(read(t, dir, directory.ScoresFile))
		again, _ := executeNoting(t, plan(4096), dir, true)
		if again.Manifest.Work.Sent != 0 || string(read(t, dir, directory.ScoresFile)) != stream {
			t.Errorf("the resumed run sent %d, or comes to other bytes", again.Manifest.Work.Sent)
		}
		streams = append(streams, stream)
		before := asked("m")
		out, said := executeNoting(t, plan(64_000), dir, true)
		if asked("m") != before+2 || out.Scored != 7 || strings.Contains(said, "shortened") {
			t.Errorf("%d requests more, scored %d, said %q", asked("m")-before, out.Scored, said)
		}
	}
	if streams[0] != streams[1] {
		t.Error("the bytes depend on the concurrency")
	}
}
