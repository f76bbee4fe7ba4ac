package directory

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
)

// attempt returns a line of a log whose ids and words only one run has.
func attempt(id, task, trial, reference string) itemLine {
	return itemLine{ConversationID: id, Content: "content of " + id, taskKey: taskKey{Task: task, Trial: trial, Reference: reference}}
}

func TestPairByTask(t *testing.T) {
	tests := []struct {
		name string
		a, b []itemLine
		want map[string]string
		// told are byTask, ambiguous, otherReference.
		told [3]int
	}{
		{
			name: "task and trial, whatever the ids",
			a:    []itemLine{attempt("a1", "id:7", "0", "r"), attempt("a2", "id:7", "1", "r"), attempt("a3", "id:8", "0", "s")},
			b:    []itemLine{attempt("b1", "id:8", "0", "s"), attempt("b2", "id:7", "1", "r"), attempt("b3", "id:7", "0", "r")},
			want: map[string]string{"b1": "a3", "b2": "a2", "b3": "a1"}, told: [3]int{3, 0, 0},
		},
		{
			name: "one attempt each, another trial",
			a:    []itemLine{attempt("a1", "id:7", "0", "r")},
			b:    []itemLine{attempt("b1", "id:7", "3", "r")},
			want: map[string]string{"b1": "a1"}, told: [3]int{1, 0, 0},
		},
		{
			name: "two attempts that nothing tells apart",
			a:    []itemLine{attempt("a1", "id:7", "", "r"), attempt("a2", "id:8", "", "")},
			b:    []itemLine{attempt("b1", "id:7", "", "r"), attempt("b2", "id:7", "", "r"), attempt("b3", "id:8", "", "")},
			want: map[string]string{"b3": "a2"}, told: [3]int{1, 2, 0},
		},
		{
			name: "two attempts here, one there",
			a:    []itemLine{attempt("a1", "id:7", "", "r"), attempt("a2", "id:7", "", "r")},
			b:    []itemLine{attempt("b1", "id:7", "", "r")},
			want: map[string]string{}, told: [3]int{0, 1, 0},
		},
		{
			name: "a task that only one run attempts",
			a:    []itemLine{attempt("a1", "id:7", "", "r")},
			b:    []itemLine{attempt("b1", "id:9", "", "r"), attempt("b2", "id:9", "", "r"), attempt("b3", "id:8", "", "r")},
			want: map[string]string{},
		},
		{
			name: "two attempts of one content each",
			a:    []itemLine{attempt("c1", "id:7", "", "r"), attempt("c2", "id:7", "", "r")},
			b:    []itemLine{attempt("c1", "id:7", "", "r"), attempt("c2", "id:7", "", "r")},
			want: map[string]string{"c1": "c1", "c2": "c2"},
		},
		{
			name: "two attempts, by their ids",
			a:    []itemLine{attempt2("x", "id:7"), attempt2("y", "id:7")},
			b:    []itemLine{attempt("x", "id:7", "0", ""), attempt("y", "id:7", "0", "")},
			want: map[string]string{"x": "x", "y": "y"},
		},
		{
			name: "the id, if only one log names the task",
			a:    []itemLine{attempt2("x", "id:7"), attempt2("y", "")},
			b:    []itemLine{attempt("x", "", "", ""), attempt("y", "id:7", "0", "")},
			want: map[string]string{"x": "x", "y": "y"},
		},
		{
			name: "the trial before the id",
			a:    []itemLine{attempt("x", "id:7", "0", ""), attempt("y", "id:7", "1", "")},
			b: []itemLine{attempt2("y", "id:7"), {ConversationID: "x", Content: "2",
				taskKey: taskKey{Task: "id:7", Trial: "1"}}},
			want: map[string]string{"y": "x", "x": "y"}, told: [3]int{2, 0, 0},
		},
		{
			name: "expected calls that only one log has",
			a:    []itemLine{attempt("a1", "id:7", "0", "r"), attempt("a2", "id:8", "0", "")},
			b:    []itemLine{attempt("b1", "id:7", "0", ""), attempt("b2", "id:8", "0", "r")},
			want: map[string]string{"b1": "a1", "b2": "a2"}, told: [3]int{2, 0, 0},
		},
		{
			name: "one number, two benchmarks",
			a:    []itemLine{attempt("a1", "id:7", "0", "retail")},
			b:    []itemLine{attempt("b1", "id:7", "0", "airline")},
			want: map[string]string{}, told: [3]int{0, 0, 1},
		},
		{
			name: "an id that is a place in a file does not part two tasks",
			a:    []itemLine{attempt("log:1", "id:7", "0", ""), attempt("log:2", "id:8", "0", "")},
			b:    []itemLine{attempt2("log:1", "id:8"), attempt2("log:2", "id:7")},
			want: map[string]string{"log:1": "log:2", "log:2": "log:1"}, told: [3]int{2, 0, 0},
		},
		{
			name: "without a task there is nothing to go by",
			a:    []itemLine{attempt("a1", "", "", "")}, b: []itemLine{attempt("b1", "", "", "")},
			want: map[string]string{},
		},
		{
			name: "an older version's task, which no log names",
			a:    []itemLine{attempt("a1", "first words", "0", "")}, b: []itemLine{attempt("b1", "first words", "0", "")},
			want: map[string]string{},
		},
	}
	for _, tt := range tests {
		p := pairRuns(tt.a, tt.b)
		if diff := cmp.Diff(tt.want, p.partner); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if got := [3]int{p.byTask, p.ambiguous, p.otherReference}; got != tt.told {
			t.Errorf("%s: by task, ambiguous, other reference = %v, want %v", tt.name, got, tt.told)
		}
		codes := ""
		for _, n := range p.Notes() {
			codes += n.Code + " "
		}
		for i, code := range []string{"paired_by_task", "ambiguous_tasks", "other_reference"} {
			if strings.Contains(codes, code) != (tt.told[i] > 0) {
				t.Errorf("%s: told %s", tt.name, codes)
			}
		}
	}
}

func attempt2(id, task string) itemLine {
	l := attempt(id, task, "0", "")
	l.Content += " again"
	return l
}

func TestAligned(t *testing.T) {
	call := func(calls, bare string) *itemLine {
		return &itemLine{Calls: strings.Fields(calls), Bare: strings.Fields(bare)}
	}
	tests := []struct {
		name string
		a, b *itemLine
		want []int
		sums report.CallPairs
	}{
		{"the same", call("1 2", "x y"), call("1 2", "x y"), []int{0, 1}, report.CallPairs{Same: 2}},
		{"one more in between", call("1 2", "x y"), call("1 3 4", "x z y"), []int{0, 3, 1}, report.CallPairs{Same: 1, Moved: 1, OnlyB: 1}},
		{"another at the same place", call("1 2", "x y"), call("1 3", "x z"), []int{0, 3}, report.CallPairs{Same: 1, OnlyA: 1, OnlyB: 1}},
		{"the first with the first", call("1 2 3", "x x y"), call("7 8", "x x"), []int{0, 1}, report.CallPairs{Moved: 2, OnlyA: 1}},
		{"the context before the call", call("1 2", "x x"), call("9 2", "x x"), []int{0, 1}, report.CallPairs{Same: 1, Moved: 1}},
		{"a partner stays", call("1 2", "x x"), call("2", "x"), []int{1}, report.CallPairs{Same: 1, OnlyA: 1}},
		{"of a version without bare calls", call("1 2", ""), call("1 3", "x y"), []int{0, 3}, report.CallPairs{Same: 1, OnlyA: 1, OnlyB: 1}},
		{"no call in the other", call("", ""), call("1", "x"), []int{0}, report.CallPairs{OnlyB: 1}},
	}
	for _, tt := range tests {
		var sums report.CallPairs
		got := aligned(tt.a, tt.b, &sums)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if diff := cmp.Diff(tt.sums, sums); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		seen := map[int]bool{}
		for _, i := range got {
			if seen[i] {
				t.Errorf("%s: two calls are number %d", tt.name, i)
			}
			seen[i] = true
		}
	}
}

// TestNotes: what a report says about the pairing, each with its code.
func TestNotes(t *testing.T) {
	const same = "conversations of both runs: "
	for _, tt := range []struct {
		of   Partners
		want []report.Warning
	}{
		{Partners{Calls: report.CallPairs{Same: 3}}, nil},
		{Partners{without: "run B has", renamed: 1}, []report.Warning{{Code: "paired_by_id", Text: "run B has no items.jsonl: " +
			"conversations are paired by their ids, and nothing shows that those with one id are the same"}}},
		{Partners{renamed: 1, byTask: 2, ambiguous: 3, otherReference: 1, changed: 2,
			Calls: report.CallPairs{Same: 4, Moved: 3, OnlyA: 2, OnlyB: 1}}, []report.Warning{
			{Code: "paired_by_content", Text: "paired by content, since run B has another id, and named as in run A: 1 conversation"},
			{Code: "paired_by_task", Text: "paired as attempts at the same task, and named as in run A: 2 conversations"},
			{Code: "ambiguous_tasks", Text: "3 conversations of run B not paired: several of a run are attempts at the same " +
				"task, and nothing says which belongs to which"},
			{Code: "other_reference", Text: "1 conversation of run B not paired: a task of run A has the same id and other " +
				"expected calls"},
			{Code: "calls_differ", Text: same + "4 identical calls, 3 identical calls after different messages, 2 only in " +
				"run A and 1 only in run B (2 conversations changed)"},
		}},
		{Partners{Calls: report.CallPairs{OnlyA: 1}}, []report.Warning{{Code: "calls_differ", Text: same + "0 identical calls, " +
			"0 identical calls after different messages, 1 only in run A and 0 only in run B (0 conversations changed)"}}},
		{Partners{Calls: report.CallPairs{OnlyB: 1}}, []report.Warning{{Code: "calls_differ", Text: same + "0 identical calls, " +
			"0 identical calls after different messages, 0 only in run A and 1 only in run B (0 conversations changed)"}}},
		{Partners{Calls: report.CallPairs{Moved: 1}}, []report.Warning{{Code: "calls_differ", Text: same + "0 identical calls, " +
			"1 identical calls after different messages, 0 only in run A and 0 only in run B (0 conversations changed)"}}},
	} {
		if diff := cmp.Diff(tt.want, tt.of.Notes()); diff != "" {
			t.Error(diff)
		}
	}
}

// TestShareOfUnpairedCalls: of the six calls of both runs two have no partner.
func TestShareOfUnpairedCalls(t *testing.T) {
	a, b := attempt("c", "", "", ""), attempt("c", "", "", "")
	a.Calls, a.Bare = strings.Fields("1 2 3"), strings.Fields("x y z")
	b.Calls, b.Bare = strings.Fields("1 4 5"), strings.Fields("x z w")
	p := pairRuns([]itemLine{a}, []itemLine{b})
	want := report.CallPairs{Known: true, Same: 1, Moved: 1, OnlyA: 1, OnlyB: 1, Unpaired: 2.0 / 6}
	if diff := cmp.Diff(want, p.Calls); diff != "" {
		t.Error(diff)
	}
}

// TestEarlier: an item of the later run is named as in the earlier one, also where calls moved; one that only the later
// run has gets a name that the earlier run cannot have.
func TestEarlier(t *testing.T) {
	a, b, only := attempt("a", "id:7", "0", ""), attempt("b", "id:7", "0", ""), attempt("only", "", "", "")
	a.Calls, a.Bare = strings.Fields("1 2"), strings.Fields("x y")
	b.Calls, b.Bare = strings.Fields("2 3"), strings.Fields("y z")
	p := pairRuns([]itemLine{a}, []itemLine{b, only})
	for _, tt := range []struct {
		id   string
		call int
		want string
	}{{"b", 0, "a 1"}, {"b", 1, "a 3"}, {"b", -1, "a -1"}, {"b", 2, "a 2"}, {"only", 2, "\x00only 2"}, {"only", -1, "\x00only -1"}} {
		if id, call := p.Earlier(tt.id, tt.call); fmt.Sprint(id, " ", call) != tt.want {
			t.Errorf("%s:%d is %q %d, want %q", tt.id, tt.call, id, call, tt.want)
		}
	}
	for _, tt := range []struct {
		call int
		want string
	}{{1, "b 0 true"}, {0, "b -1 false"}, {-1, "b -1 true"}} {
		if id, call, ok := p.Of("a", tt.call); fmt.Sprint(id, " ", call, " ", ok) != tt.want {
			t.Errorf("a:%d is %s %d %v, want %s", tt.call, id, call, ok, tt.want)
		}
	}
	if p.Shared() != 1 {
		t.Errorf("%d conversations are in both runs", p.Shared())
	}
	if _, _, ok := p.Of("nobody", 0); ok {
		t.Error("a conversation that no run has was paired")
	}
}

// TestPairDamagedItems: a run whose items.jsonl cannot be read is not paired as if it had none.
func TestPairDamagedItems(t *testing.T) {
	a, _ := manyIn(t, 2)
	b, _ := manyIn(t, 2)
	if p, err := Pair(a, b); err != nil || p.Shared() != 2 {
		t.Fatal(err)
	}
	const head, hash = `{"schema":"judge.items/v1","run_id":"r"}` + "\n", `"content":"0123456789abcdef"}`
	const another = ": damaged, or of another version"
	for content, want := range map[string]string{
		"{no JSON\n": another, `{"schema":"judge.items/v9","run_id":"r"}` + "\n": another, "": another,
		head + `{"conversation_id":"",` + hash:                                    ":2: damaged: an id or a hash is missing",
		head + `{"conversation_id":"c",` + hash + "\n{\"conversation_id\":\"d\"}": ":3: damaged: an id or a hash is missing",
		head + "{no JSON": ":2: damaged: ",
	} {
		if err := os.WriteFile(filepath.Join(b, ItemsFile), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, dirs := range [][2]string{{a, b}, {b, a}} {
			if _, err := Pair(dirs[0], dirs[1]); err == nil ||
				!strings.Contains(err.Error(), filepath.Join(b, ItemsFile)+want) {
				t.Errorf("%q: %v", content, err)
			}
		}
	}
}

func TestTaskOf(t *testing.T) {
	const call = `{"role":"assistant","content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{\"b\":1,\"a\":2}"}}]}`
	user := func(text string) string {
		return fmt.Sprintf(`"messages":[{"role":"user","content":%q},%s]`, text, call)
	}
	same := func(a, b string) bool { return readOne(t, a) == readOne(t, b) }
	tests := []struct {
		name, a, b string
		want       bool
	}{
		{"native task_id, other words", `{"task_id":"t1","trial":0,` + user("hi") + `}`, `{"task_id":"t1","trial":0,` + user("hello") + `}`, true},
		{"in the sample, a number and its text", `{"sample":{"task_id":1},` + user("hi") + `}`, `{"sample":{"task_id":"1"},` + user("ho") + `}`, true},
		{"another task", `{"task_id":"t1",` + user("hi") + `}`, `{"task_id":"t2",` + user("hi") + `}`, false},
		{"an empty id", `{"task_id":"",` + user("hi") + `}`, `{` + user("hi") + `}`, true},
		{"an id that is neither text nor number", `{"task_id":true,` + user("hi") + `}`, `{` + user("hi") + `}`, true},
		{"a trial named by a word", `{"task_id":"x","trial":"a",` + user("hi") + `}`,
			`{"task_id":"x","trial":"b",` + user("hi") + `}`, false},
		{"a trial that is neither", `{"task_id":"x","trial":true,` + user("hi") + `}`,
			`{"task_id":"x",` + user("hi") + `}`, true},
		{"in the metadata", `{"metadata":{"task_id":"x"},` + user("hi") + `}`, `{"task_id":"x",` + user("ho") + `}`, true},
		{"another trial", `{"task_id":"t1","trial":0,` + user("hi") + `}`, `{"task_id":"t1","trial":1,` + user("hi") + `}`, false},
		{"other expected calls", `{"task_id":"x","expected_calls":[{"name":"f","arguments":{}}],` + user("hi") + `}`, `{"task_id":"x","expected_calls":[{"name":"g","arguments":{}}],` + user("hi") + `}`, false},
		{"expected calls, and none known", `{"task_id":"x","expected_calls":[],` + user("hi") + `}`, `{"task_id":"x",` + user("hi") + `}`, false},
		{"an id that is no id", `{"task_id":{"a":1},` + user("hi") + `}`, `{` + user("hi") + `}`, true},
	}
	for _, tt := range tests {
		if got := same(tt.a, tt.b); got != tt.want {
			t.Errorf("%s: one task %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := referenceHash(&transcript.Conversation{Expected: &transcript.Expected{Only: true}}); got != "" {
		t.Errorf("unknown expected calls have the hash %s", got)
	}
	for trial, want := range map[string]int{strings.Repeat("a", 15): 15, strings.Repeat("a", 16): 16, strings.Repeat("a", 40): 16} {
		got := readOne(t, `{"task_id":"x","trial":"`+trial+`",`+user("hi")+`}`).Trial
		if len(got) != want || (got == trial) != (len(trial) <= 16) || strings.HasPrefix(trial, got) != (len(trial) <= 16) {
			t.Errorf("the trial %s is %s", trial, got)
		}
	}
}

// readOne returns the task of the one conversation of a native log.
func readOne(t *testing.T, line string) taskKey {
	t.Helper()
	src := format.Open(t.Context(), "log.jsonl", strings.NewReader(line), format.Options{})
	for c, err := range src.All() {
		if err != nil {
			t.Fatal(err)
		}
		if h := bareHash(&c.Calls[0]); len(h) != hashDigits {
			t.Fatalf("bare hash %s", h)
		}
		return taskOf(c)
	}
	t.Fatal("no conversation")
	return taskKey{}
}

// TestBareHashes: a call is the same whatever stands before it and in whatever order its
// arguments are written.
func TestBareHashes(t *testing.T) {
	of := func(call string) string {
		c := &transcript.Conversation{}
		line := `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"` + call[:1] + `","type":"function","function":` + call[1:] + `}]}]}`
		src := format.Open(t.Context(), "log.jsonl", strings.NewReader(line), format.Options{})
		for one, err := range src.All() {
			if err != nil {
				t.Fatal(err)
			}
			c = one
		}
		return bareHash(&c.Calls[0])
	}
	base := of(`a{"name":"f","arguments":"{\"b\":1,\"a\":2}"}`)
	if of(`b{"name":"f","arguments":"{\"a\": 2, \"b\": 1}"}`) != base {
		t.Error("another id and order of keys make another call")
	}
	for _, other := range []string{`a{"name":"g","arguments":"{\"b\":1,\"a\":2}"}`, `a{"name":"f","arguments":"{\"b\":1,\"a\":3}"}`, `a{"name":"f","arguments":"{\"b\":1,\"a\":2"}`} {
		if of(other) == base {
			t.Errorf("%s is the same call", other)
		}
	}
}
