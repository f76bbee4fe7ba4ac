package planted

import (
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// said is a label, or a deterministic score, of the conversation or of its call 1.
func said(source score.Source, name string, ofCall bool, passed bool) score.Score {
	s := score.Score{Source: source, Name: name, Passed: &passed}
	if ofCall {
		s.CallIndex = new(1)
	}
	return s
}

// TestTiers: at least two signals agree, and none speaks against the call.
func TestTiers(t *testing.T) {
	reward := func(passed bool) score.Score { return said(score.Label, "reward", false, passed) }
	state := func(passed bool) score.Score { return said(score.Deterministic, "state", false, passed) }
	match := func(passed bool) score.Score { return said(score.Deterministic, "match", true, passed) }
	human := func(passed bool) score.Score { return said(score.Label, "human", true, passed) }
	undecided, metric := reward(false), reward(false)
	undecided.Passed, metric.Metric = nil, "steps"
	type scores = []score.Score
	for _, tt := range []struct {
		name     string
		from, to string
		scores   scores
		want     Tier
	}{
		{"match", "", "", matched(1), Matched},
		{"no match", "", "", scores{match(false), reward(true)}, ""},
		{"match in a failed conversation", "", "", scores{match(true), reward(false)}, Matched},
		{"reward", "", "", scores{reward(true)}, Rewarded},
		{"failed conversation", "", "", scores{reward(false)}, ""},
		{"one label fails", "", "", scores{reward(true), reward(false)}, ""},
		{"the other label fails", "", "", scores{reward(false), reward(true)}, ""},
		{"a label of the call passes", "", "", scores{human(true)}, Matched},
		{"a label of the call fails", "", "", scores{human(false), reward(true)}, ""},
		{"a label without a verdict", "", "", scores{undecided}, Assumed},
		{"a number of the log", "", "", scores{metric}, Assumed},
		{"execution passes", "", "", scores{state(true)}, Matched},
		{"execution fails", "", "", scores{state(false)}, ""},
		{"execution passes, the label fails", "", "", scores{state(true), reward(false)}, ""},
		{"the label passes, execution fails", "", "", scores{reward(true), state(false)}, ""},
		{"execution and label pass", "", "", scores{reward(true), state(true)}, Matched},
		{"execution of the call", "", "", scores{said(score.Deterministic, "state", true, false)}, Assumed},
		{"a scorer that proves nothing", "", "", scores{said(score.Deterministic, "style", true, false)}, Assumed},
		{"nor of the conversation", "", "", scores{said(score.Deterministic, "style", false, false)}, Assumed},
		{"nothing known", "", "", nil, Assumed},
		{"an error", `{\"ok\":true}`, `{\"error\":\"no\"}`, matched(1), ""},
		{"breaks its schema", `\"length\":9`, `\"length\":\"nine\"`, scores{reward(true)}, ""},
		{"an unknown tool", `"name":"book_berth","description"`, `"name":"other","description"`, scores{reward(true)},
			Rewarded},
		{"nothing known of an unknown tool", `"name":"book_berth","description"`, `"name":"other","description"`, nil,
			""},
		{"without a result", resultOfBooking, ``, matched(1), Matched},
		{"nothing known, without a result", resultOfBooking, ``, nil, ""},
		{"the same call again", `"name":"find_berth","arguments":"{\"harbour\":\"Visby\"}"`, bookingCall, matched(1),
			""},
		{"the tool again", `"name":"find_berth","arguments":"{\"harbour\":\"Visby\"}"`,
			strings.Replace(bookingCall, "VB-104", "VB-119", 1), matched(1), Matched},
		{"the arguments again", `"name":"find_berth","arguments":"{\"harbour\":\"Visby\"}"`,
			strings.Replace(bookingCall, "book_berth", "hold_berth", 1), matched(1), Matched},
	} {
		if !strings.Contains(booking, tt.from) {
			t.Fatal(tt.name)
		}
		c := parse(t, strings.Replace(booking, tt.from, tt.to, 1))
		if got := tierOf(c, tt.scores); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

const (
	resultOfBooking = `,
{"role":"tool","tool_call_id":"2","content":"{\"ok\":true}"}`
	bookingCall = `"name":"book_berth","arguments":"{\"berth_id\":\"VB-104\",\"boat\":\"Alma 22\",` +
		`\"from\":\"2026-05-01\",\"length\":9,\"unit\":\"m\"}"`
)

// tierOf returns the tier of call 1.
func tierOf(c *transcript.Conversation, scores []score.Score) Tier {
	for _, b := range planter(1, 0).Bases(c, scores, []string{"match"}, []string{"state"}) {
		if b.Call == 1 {
			return b.Tier
		}
	}
	return ""
}

// TestNoBases: a call that no judge could repair, or that is not the agent's own, is no base; of calls that are only
// written in texts, or are the history of another one, the whole conversation has none.
func TestNoBases(t *testing.T) {
	for name, change := range map[string]func(c *transcript.Conversation){
		"malformed":         func(c *transcript.Conversation) { c.Calls[1].Malformed = true },
		"free text":         func(c *transcript.Conversation) { c.Calls[1].Custom = true },
		"the user's":        func(c *transcript.Conversation) { c.Calls[1].Executor = "user" },
		"refused":           func(c *transcript.Conversation) { c.Calls[1].Refused = true },
		"one only proposed": func(c *transcript.Conversation) { c.Calls[0].Proposed = true },
		"one of history":    func(c *transcript.Conversation) { c.Calls[0].Context = true },
		"no schema, no result": func(c *transcript.Conversation) {
			c.Tools[1].Parameters, c.Calls[1].Result = value.Value{}, -1
		},
	} {
		c := parse(t, booking)
		if tierOf(c, matched(1)) != Matched {
			t.Fatal("the booking is no base")
		}
		if change(c); tierOf(c, matched(1)) != "" {
			t.Errorf("%s: it is a base", name)
		}
	}
}
