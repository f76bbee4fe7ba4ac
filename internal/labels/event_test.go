package labels

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/sealed"
)

func turnOf(turn int) func(e *Event) {
	return func(e *Event) { e.Scope, e.Turn, e.CallIndex = Turn, turn, nil }
}

func TestAppendAccepts(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), FileName))
	for name, change := range map[string]func(*Event){
		"last call":   func(e *Event) { e.CallIndex = new(math.MaxInt32) },
		"first turn":  turnOf(1),
		"last turn":   turnOf(math.MaxInt32),
		"not drawn":   func(e *Event) { e.Probability = 0 },
		"surely":      func(e *Event) { e.Probability = 1 },
		"longest":     func(e *Event) { e.Text = strings.Repeat("ä", maxNote) },
		"some of all": func(e *Event) { e.PerConversation = 2 },
	} {
		e := event("ann", "c", 0, Pass)
		change(&e)
		if _, err := f.Append(e, noon); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	f := open(t, filepath.Join(t.TempDir(), FileName))
	for want, change := range map[string]func(*Event){
		"who": func(e *Event) { e.Who = "" },
		`write label: label: "maybe": want one of ["pass" "fail"`: func(e *Event) { e.Label = "maybe" },
		"rubric":                            func(e *Event) { e.Label = NotApplicable },
		"category":                          func(e *Event) { e.Label, e.Rubric = Named, "tone" },
		"category: must be empty for defer": func(e *Event) { e.Label, e.Rubric, e.Category = Defer, "tone", "kind" },
		"category: must be empty for not_applicable": func(e *Event) { e.Label, e.Rubric, e.Category = NotApplicable, "tone", "kind" },
		"scope":                          func(e *Event) { e.Scope = "message" },
		"turn":                           func(e *Event) { e.Turn = 2 },
		"frame":                          func(e *Event) { e.Frame = "x" },
		"seen":                           func(e *Event) { e.Seen = "" },
		"action":                         func(e *Event) { e.Action = "x" },
		"probability":                    func(e *Event) { e.Probability = 2 },
		"conversation_id":                func(e *Event) { e.ConversationID = "" },
		"undoes":                         func(e *Event) { e.Action = Undo },
		"call_index":                     func(e *Event) { e.CallIndex = new(-1) },
		"call_index: must be 0 or more":  func(e *Event) { e.CallIndex = new(math.MaxInt32 + 1) },
		"call_index: must name the call": func(e *Event) { e.Scope, e.CallIndex = Result, nil },
		"call_index: must name the call of scope": func(e *Event) { e.Scope, e.Turn = Turn, 1 },
		"turn: must be 1 or more":                 func(e *Event) { e.Turn = -1 },
		"turn: must be 1 or more for scope turn":  func(e *Event) { e.Scope, e.CallIndex = Turn, nil },
		"turn: must be 1":                         turnOf(math.MaxInt32 + 1),
		"calls_per_conversation":                  func(e *Event) { e.PerConversation = -1 },
		"probability: must be from":               func(e *Event) { e.Probability = -0.1 },
		"probability: must be from 0":             func(e *Event) { e.Probability = math.NaN() },
		"rubric: must be named for a category":    func(e *Event) { e.Category = "kind" },
		"note":                                    func(e *Event) { e.Text = strings.Repeat("ä", maxNote+1) },
	} {
		e := event("ann", "c", 0, Pass)
		change(&e)
		if _, err := f.Append(e, noon); err == nil || !strings.Contains(err.Error()+":", want) || !strings.Contains(err.Error(), strings.SplitN(want, ":", 2)[0]+":") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := f.View(func(s *Set) {
		if len(states(s)) > 0 {
			t.Error("a refused label was kept")
		}
	}); err != nil {
		t.Error(err)
	}
}

func TestOddEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	f := open(t, path)
	note, undo := event("ann", "c1", 0, ""), event("ann", "c1", 0, "")
	note.Action, note.Text = Note, "why?"
	undo.Action, undo.Undoes = Undo, "nobody-1"
	appendAll(t, f, note, event("ann", "c1", 0, Fail), undo)
	s := read(t, path)
	if diff := cmp.Diff([]string{`ann c1:0 fail blind "why?" fail`}, states(s)); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(s.Problems(), "\n"); got != "labels.jsonl:3: undoes an event that is not there" {
		t.Errorf("%q", got)
	}
}

func TestUnnumbered(t *testing.T) {
	for _, change := range []func(*Event){func(e *Event) { e.Writer = "" }, func(e *Event) { e.N = 0 }, func(e *Event) { e.N = -1 }} {
		e := event("ann", "c1", 0, Pass)
		e.Schema, e.RunID, e.Writer, e.N, e.When = schema, "r1", "w", 1, noon
		change(&e)
		line, err := sealed.Line(&e)
		if err != nil {
			t.Fatal(err)
		}
		s := Read(line, "labels.jsonl", "r1")
		if got := strings.Join(s.Problems(), "\n"); len(s.States("ann")) > 0 || !strings.Contains(got, "labels.jsonl:1: writer, n: must not be empty") {
			t.Errorf("%d labels, %q", len(s.States("ann")), got)
		}
	}
}

func TestVerdictsAndNames(t *testing.T) {
	for label, want := range map[string]string{Pass: "true", Fail: "false", Defer: "-", NotApplicable: "-", Named: "-", "": "-"} {
		got := "-"
		if v := (Answer{Label: label}).Verdict(); v != nil {
			got = fmt.Sprint(*v)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", label, got, want)
		}
	}
	if VerdictAnswer(true) != (Answer{Label: Pass}) || VerdictAnswer(false) != (Answer{Label: Fail}) {
		t.Errorf("%v and %v", VerdictAnswer(true), VerdictAnswer(false))
	}
	for label, want := range map[string]bool{Pass: true, Fail: true, Named: true, NotApplicable: true, Defer: false, "": false} {
		if (Answer{Label: label}).Given() != want {
			t.Errorf("%q says %v", label, !want)
		}
	}
	for want, item := range map[string]Item{
		"c": {Conversation: "c", Call: -1}, "c:0": {Conversation: "c"}, "c:3:result": {Conversation: "c", Call: 3, Scope: Result},
		"c:turn2": {Conversation: "c", Call: -1, Turn: 2, Scope: Turn},
	} {
		if got := item.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
