package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/run/instrument"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// A reply that shows that its prompt was cut is an error at once: a cascade that passes
// errors on asks its next judge, another one rests on it and stays without a score.
func TestCutPromptsAreErrors(t *testing.T) {
	base, counts := scriptedServer(t, func(a ask) says {
		switch {
		case a.Model == "large":
			return says{output: "3", tokens: 5000} // borderline
		case cancels(a):
			return says{output: "5", tokens: 1024}
		}
		return says{output: "5", tokens: 5000}
	})
	for _, tt := range []struct {
		name    string
		reasons []judges.Reason
		passes  bool
	}{
		{"errors too", []judges.Reason{judges.OnError, judges.OnBorderline}, true},
		{"borderline only", []judges.Reason{judges.OnBorderline}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := counts("large")
			p := teamPlan(t, base, "small", "large")
			p.Cascades = []instrument.Cascade{{
				Cascade: judges.Cascade{Name: "ladder", Tiers: []string{"small", "large"}, EscalateOn: tt.reasons},
				Queue:   "q.jsonl",
			}}
			dir := filepath.Join(t.TempDir(), "run")
			out, err := execute(t, p, dir, false)
			if err != nil {
				t.Fatal(err)
			}
			passed, void := 0, 0
			for _, s := range readScores(t, dir) {
				cut := s.Tool == "cancel_order" && (s.Judge == "small" || s.Judge == "ladder" && !tt.passes)
				if cut && s.Judge == "small" {
					void++
				}
				if cut && (s.Status != score.Unscored || s.Value != nil || s.Error.Kind != judges.KindContextCut) ||
					!cut && s.Status != score.Scored {
					t.Fatalf("%s %s: %s %+v", s.ConversationID, s.Judge, s.Status, s.Error)
				}
			}
			if tt.passes {
				passed = void
			}
			lines := strings.Split(strings.TrimSpace(string(read(t, dir, "q.jsonl"))), "\n")
			if n := counts("large") - before; n != passed || len(lines)-1 != passed {
				t.Errorf("large was asked %d times, and %d are left to people; want %d", n, len(lines)-1, passed)
			}
			for _, line := range lines[1:] {
				if !strings.Contains(line, `"output":null,"verdict":"error"`) {
					t.Fatalf("the line says %s", line)
				}
			}
			if out.Scored != 64-void+passed || out.Wanted != 64+passed || void < 3 {
				t.Errorf("scored %d of %d", out.Scored, out.Wanted)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*.partial*")); len(left) > 0 {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

// A run that was stopped keeps what it has for people, under a name that says it is a part.
func TestStoppedQueueIsAPart(t *testing.T) {
	dir := t.TempDir()
	cascade := instrument.Cascade{Cascade: judges.Cascade{Name: "climb"}, Queue: "queue.jsonl"}
	list, err := createQueues(dir, "r", []instrument.Cascade{cascade})
	if err != nil {
		t.Fatal(err)
	}
	c := &transcript.Conversation{ID: "c", Calls: []transcript.Call{
		{Name: "f", Arguments: value.Pairs("x", "1"), RawArguments: `{"x":"1"}`}, {Name: "g", Malformed: true, RawArguments: `{"x":`},
	}}
	for i := range c.Calls {
		r := judges.Result{ConversationID: "c", CallIndex: i, Rubric: "r", Judge: "climb", Climb: &judges.ClimbDetail{Unresolved: true}}
		if err := addUnresolved(list, c, &r); err != nil {
			t.Fatal(err)
		}
	}
	if err := closeQueues(list, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "queue.jsonl")); err == nil {
		t.Error("the part is taken for the whole")
	}
	data := string(read(t, dir, "queue.jsonl.partial"))
	if !strings.Contains(data, `"call":{"name":"f","arguments":{"x":"1"}}`) || !strings.Contains(data, `"call":{"name":"g","arguments":"{\"x\":"}`) {
		t.Errorf("the calls are not shown as they were made: %s", data)
	}
	if strings.Count(data, "\n") != 3 || !strings.Contains(data, `"cascade":"climb"`) ||
		!strings.HasPrefix(data, `{"cascade":"climb","run_id":"r","schema":"`+queueSchema) {
		t.Error(data)
	}
}

// TestQueueOfACascade: a queue has what its own cascade leaves open, each item with its place and the answers so far, and
// gets its real name at the end.
func TestQueueOfACascade(t *testing.T) {
	dir := t.TempDir()
	var cascades []instrument.Cascade
	for _, name := range []string{"climb", "other"} {
		cascades = append(cascades, instrument.Cascade{Cascade: judges.Cascade{Name: name}, Queue: name + ".jsonl"})
	}
	list, err := createQueues(dir, "r1", cascades)
	if err != nil {
		t.Fatal(err)
	}
	c := &transcript.Conversation{ID: "c", Source: transcript.Source{File: "l.jsonl", Line: 3},
		Calls: []transcript.Call{{Name: "f", Arguments: value.Pairs("x", 1)}, {Name: "g", Arguments: value.Pairs("y", 2)}}}
	detail := &judges.ClimbDetail{Unresolved: true, Tiers: []judges.ClimbTier{{Judge: "small", Output: new(0.5), Verdict: "fail",
		Reasons: []judges.Reason{judges.OnError}}}}
	for _, r := range []judges.Result{
		{ConversationID: "c", Scope: rubrics.ScopeCall, CallIndex: 1, CallID: "t", Rubric: "r", Judge: "climb", Climb: detail},
		{ConversationID: "c", Scope: rubrics.ScopeTurn, CallIndex: -1, Turn: 2, Rubric: "r", Judge: "climb", Climb: detail},
		{ConversationID: "c", CallIndex: 0, Rubric: "r", Judge: "climb", Climb: &judges.ClimbDetail{}},
		{ConversationID: "c", CallIndex: 0, Rubric: "r", Judge: "climb"},
		{ConversationID: "c", CallIndex: 0, Rubric: "r", Judge: "none", Climb: detail},
	} {
		if err := addUnresolved(list, c, &r); err != nil {
			t.Fatal(err)
		}
	}
	if err := closeQueues(list, true); err != nil {
		t.Fatal(err)
	}
	const tiers = `"tiers":[{"judge":"small","output":0.5,"verdict":"fail","confidence":null,"escalated":["error"]}]}` + "\n"
	want := `{"cascade":"climb","run_id":"r1","schema":"judge.queue/v1"}` + "\n" +
		`{"conversation_id":"c","place":"l.jsonl:3","call_index":1,"call_id":"t","call":{"name":"g","arguments":` +
		`{"y":2}},"rubric":"r","cascade":"climb",` + tiers +
		`{"conversation_id":"c","place":"l.jsonl:3","call_index":null,"turn":2,"scope":"turn","call":null,"rubric":"r",` +
		`"cascade":"climb",` + tiers
	if diff := cmp.Diff(want, string(read(t, dir, "climb.jsonl"))); diff != "" {
		t.Error(diff)
	}
	if got := string(read(t, dir, "other.jsonl")); got != `{"cascade":"other","run_id":"r1","schema":"judge.queue/v1"}`+"\n" {
		t.Error(got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); left != nil {
		t.Errorf("left over: %v", left)
	}
	cascades[1].Queue = filepath.Join("none", "other.jsonl")
	if list, err := createQueues(dir, "r1", cascades); list != nil || err == nil {
		t.Errorf("a queue in a folder that is not there: %v, %v", list, err)
	}
	if err := closeQueues(list, true); err == nil {
		t.Error("queues are closed twice")
	}
}
