package run

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/run/input"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
)

// queued is a line of a queue file as far as these tests look.
type queued struct {
	ConversationID string        `json:"conversation_id"`
	CallIndex      int           `json:"call_index"`
	Call           value.Value   `json:"call"`
	Tiers          []value.Value `json:"tiers"`
}

func readQueue(t *testing.T, dir, name string) []queued {
	t.Helper()
	var out []queued
	for i, line := range strings.Split(strings.TrimSpace(string(read(t, dir, name))), "\n") {
		if i == 0 {
			continue // the header
		}
		var q queued
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatalf("%s:%d: %v", name, i+1, err)
		}
		out = append(out, q)
	}
	return out
}

// Answers that are void at the end of the run are errors to all that look at them:
// they escalate, a cascade that rests on them is unresolved, and people get them in
// the order of the log. A cascade that went on to another judge is left alone.
func TestVoidAnswersGoToPeople(t *testing.T) {
	// small cuts its prompts. It is sure of itself but for cancel_order, which goes
	// on to large.
	base, _ := scriptedServer(t, func(a ask) says {
		if a.Model != "small" {
			return says{output: "5", tokens: 5000}
		}
		_, call, _ := strings.Cut(a.prompt, " call>>>\n")
		if strings.HasPrefix(call, `{"name":"cancel_order"`) {
			return says{output: "3", tokens: 2044}
		}
		return says{output: "5", tokens: 2044}
	})
	for _, tt := range []struct {
		name    string
		reasons []judges.Reason
		open    bool
	}{
		{"all reasons", nil, true},
		{"a cascade that rests with errors", []judges.Reason{judges.OnBorderline}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := teamPlan(t, base, "small", "large")
			p.Cascades = []Cascade{{Cascade: judges.Cascade{Name: "ladder", Tiers: []string{"small", "large"}, EscalateOn: tt.reasons}, Queue: "q.jsonl"}}
			dir := filepath.Join(t.TempDir(), "run")
			if _, said := executeNoting(t, p, dir, false); !strings.Contains(said, "answers are void (context_cut)") {
				t.Errorf("said %s", said)
			}
			type item struct {
				id   string
				call int
			}
			var want []item
			stood := 0
			for _, s := range readScores(t, dir) {
				climb := s.Details.Field("cascade")
				escalated := s.Details.Field("escalate").JSON() == "true"
				switch {
				case s.Judge == "small":
					if s.Status != score.Unscored || !escalated {
						t.Fatalf("%s: %s, escalated %v", s.ConversationID, s.Status, escalated)
					}
				case s.Judge == "ladder" && climb.Field("stands").Text() == "small":
					want = append(want, item{s.ConversationID, *s.CallIndex})
					unresolved := climb.Field("unresolved").JSON() == "true"
					if s.Status != score.Unscored || escalated != tt.open || unresolved != tt.open || s.Error.Kind != judges.KindContextCut {
						t.Fatalf("%s: %s, escalated %v, unresolved %v", s.ConversationID, s.Status, escalated, unresolved)
					}
					tier := climb.Field("tiers").JSON()
					if !strings.Contains(tier, `"output":null,"verdict":"error"`) || !strings.Contains(tier, `"escalated":["error"]`) {
						t.Fatalf("the tier says %s", tier)
					}
				case s.Judge == "ladder":
					stood++
					if s.Status != score.Scored {
						t.Fatalf("%s: %s", s.ConversationID, s.Status)
					}
					if escalated { // for a reason of large's own
						want = append(want, item{s.ConversationID, *s.CallIndex})
					}
				}
			}
			if len(want) < 20 || stood < 3 {
				t.Fatalf("%d void, %d went on", len(want), stood)
			}
			if !tt.open {
				want = nil // nothing is borderline to large
			}
			var got []item
			for _, q := range readQueue(t, dir, "q.jsonl") {
				got = append(got, item{q.ConversationID, q.CallIndex})
				if !strings.Contains(q.Tiers[0].JSON(), `"output":null,"verdict":"error"`) || q.Call.Field("name").Text() == "" {
					t.Fatalf("the line says %s", q.Tiers[0].JSON())
				}
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(item{})); diff != "" {
				t.Error(diff)
			}
			lines := read(t, dir, "q.jsonl")
			if _, _ = executeNoting(t, p, dir, true); string(lines) != string(read(t, dir, "q.jsonl")) {
				t.Error("a resumed run writes another queue")
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "*.partial*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// Where the doubt proves wrong, nothing is left of it in the queue, and what is there
// for another reason stays as it is.
func TestDoubtsThatProveWrong(t *testing.T) {
	// Prompts of one and the same length come to a window's size: that may be chance.
	base, _ := scriptedServer(t, func(a ask) says {
		switch n := strings.Count(a.prompt, "lorem "); {
		case n == 16:
			return says{output: "5", tokens: 2044}
		case n == 33:
			return says{output: "3", tokens: 2046}
		}
		return says{output: "3", tokens: 5000}
	})
	p := windowed(t, base, 0)
	p.Logs = []input.Log{lengthLog(100, 200, 100, 600)}
	p.Cascades = []Cascade{{Cascade: judges.Cascade{Name: "alone", Tiers: []string{"m"}}, Queue: "q.jsonl"}}
	dir := filepath.Join(t.TempDir(), "run")
	_, said := executeNoting(t, p, dir, false)
	got := map[string]string{}
	for _, q := range readQueue(t, dir, "q.jsonl") {
		got[q.ConversationID] = q.Tiers[0].Field("output").JSON()
	}
	if diff := cmp.Diff(map[string]string{"c1": "3.0", "c3": "3.0"}, got); diff != "" || strings.Contains(said, "void") {
		t.Errorf("%s\n%s", diff, said)
	}
}
