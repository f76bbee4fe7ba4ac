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

// windowed is a plan over conversations of the given lengths with one judge that
// knows its window.
func windowed(t *testing.T, base string, tokens int, sizes ...int) Plan {
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
func executeNoting(t *testing.T, p Plan, dir string, resume bool) (*Outcome, string) {
	t.Helper()
	obs, said := noted()
	for i := range p.Judges {
		p.Judges[i].Config.Transport = "json_schema"
	}
	out, err := Execute(t.Context(), p, dir, resume, obs)
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

// What is far too long is named before anything is sent, with its place and what to
// do, and is not sent; what may fit is.
func TestPreflightKeepsBackWhatCannotFit(t *testing.T) {
	base, asked := scriptedServer(t, counting(3.6))
	// The fixed part of the rubric's prompt takes about 4,000 tokens.
	p := windowed(t, base, 6600, 100, 40_000, 6_000, 30_000, 200)
	dir := filepath.Join(t.TempDir(), "run")
	out, said := executeNoting(t, p, dir, false)
	if asked("m") != 3 {
		t.Errorf("%d requests, want those of three conversations", asked("m"))
	}
	want := map[string]string{
		"c0": "scored", "c1": "unscored " + judges.KindContextOverflow, "c2": "scored", "c3": "unscored " + judges.KindContextOverflow, "c4": "scored",
	}
	if diff := cmp.Diff(want, statusOf(readScores(t, dir))); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{
		"3 of 5 judgements will not fit a context of 6600 tokens with 1024 for the answer", "2 of them are more than a tenth too long",
		"too long: lengths.jsonl:2, conversation c1, call 0, function_intent_alignment: about 15", "too long: lengths.jsonl:3",
		"raise the server's context to 16384 tokens", "max_record_chars: ",
	} {
		if !strings.Contains(said, text) {
			t.Errorf("nothing says %q:\n%s", text, said)
		}
	}
	if strings.Contains(said, "bytes a token instead") {
		t.Errorf("a ratio that was right was corrected:\n%s", said)
	}
	c := out.Manifest.Counts
	if c.Requests != 3 || c.Cached != 0 || out.Manifest.Work.Sent != 3 || out.Manifest.Work.FromJournal != 0 {
		t.Errorf("%d requests, %d from cache, work %+v", c.Requests, c.Cached, out.Manifest.Work)
	}
	if w := out.Manifest.Windows; len(w) != 1 || w[0].Over != 3 || w[0].Held != 2 || len(w[0].First) != 3 || w[0].First[0].Place != "lengths.jsonl:2" {
		t.Errorf("run.json says %+v", w)
	}
}

// The first usage figures correct the estimate, in both directions; one line says so,
// and the bytes of the scores do not depend on the concurrency or an interruption.
func TestPreflightIsCorrectedByTheFirstReplies(t *testing.T) {
	sizes := []int{100, 200, 300, 400, 12_000, 8_000}
	for range 16 {
		sizes = append(sizes, 100)
	}
	for _, tt := range []struct {
		name  string
		ratio float64
		// kept are the conversations that are not sent.
		kept []string
		said string
	}{
		{"more tokens than thought", 2.9, []string{"c4", "c5"}, "m: the first replies count 2.9"},
		{"fewer tokens than thought", 4.8, nil, "m: the first replies count 4.8"},
		{"as many as thought", 3.6, []string{"c4"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base, _ := scriptedServer(t, counting(tt.ratio))
			var streams [2]string
			for i, concurrency := range []int{1, 16} {
				p := windowed(t, base, 6000, sizes...)
				p.Judges[0].Endpoint.Concurrency = concurrency
				dir := filepath.Join(t.TempDir(), "run")
				out, said := executeNoting(t, p, dir, false)
				var kept []string
				for _, s := range readScores(t, dir) {
					if s.Status != score.Scored {
						kept = append(kept, s.ConversationID)
					}
				}
				if diff := cmp.Diff(tt.kept, kept); diff != "" {
					t.Errorf("kept back: %s\n%s", diff, said)
				}
				if (tt.said == "") == strings.Contains(said, "the first replies count") || !strings.Contains(said, tt.said) {
					t.Errorf("said:\n%s", said)
				}
				if out.Manifest.Work.Sent != len(sizes)-len(tt.kept) || out.Manifest.Work.FromJournal != 0 {
					t.Errorf("work %+v", out.Manifest.Work)
				}
				streams[i] = string(read(t, dir, directory.ScoresFile)) + string(read(t, dir, directory.ReportFile))

				again := windowed(t, base, 6000, sizes...)
				if tt.said != "" { // as Prepare does it
					again.Judges[0].Profile = &out.Manifest.Profiles[0]
				}
				if resumed, _ := executeNoting(t, again, dir, true); resumed.Manifest.Work.Sent != 0 {
					t.Errorf("the resumed run sent %d", resumed.Manifest.Work.Sent)
				}
				if streams[i] != string(read(t, dir, directory.ScoresFile))+string(read(t, dir, directory.ReportFile)) {
					t.Error("the resumed run comes to other bytes")
				}
			}
			if streams[0] != streams[1] {
				t.Error("the bytes depend on the concurrency")
			}
		})
	}
}

// A server that cuts prompts counts what it kept; that must not make the estimate.
func TestPreflightIsNotCorrectedByCutPrompts(t *testing.T) {
	base, _ := scriptedServer(t, func(a ask) says { return says{output: "5", tokens: min(a.text*10/36, 3000)} })
	p := windowed(t, base, 6000, 6_000, 7_000, 8_000)
	_, said := executeNoting(t, p, filepath.Join(t.TempDir(), "run"), false)
	if strings.Contains(said, "the first replies count") {
		t.Errorf("corrected:\n%s", said)
	}
}

// With room for everything nothing is said and nothing is asked beforehand; a resumed
// run with a larger window sends what was kept back, and only that.
func TestPreflightAfterTheWindowWasRaised(t *testing.T) {
	base, asked := scriptedServer(t, counting(3.6))
	dir := filepath.Join(t.TempDir(), "run")
	executeNoting(t, windowed(t, base, 6000, 100, 40_000, 200), dir, false)
	if asked("m") != 2 {
		t.Fatalf("%d requests", asked("m"))
	}
	out, said := executeNoting(t, windowed(t, base, 64_000, 100, 40_000, 200), dir, true)
	if asked("m") != 3 || out.Scored != 3 || strings.Contains(said, "will not fit") {
		t.Errorf("%d requests, scored %d, said %q", asked("m"), out.Scored, said)
	}
}
