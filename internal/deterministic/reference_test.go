package deterministic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
)

// allowing sets the allowed values of the expected calls of a conversation.
func allowing(t *testing.T, c *transcript.Conversation, allowed ...string) *transcript.Conversation {
	t.Helper()
	for i, text := range allowed {
		c.Expected.Calls[i].Allowed = mustParse(t, text)
	}
	return c
}

// TestLogReferences: what a reference holds decides whether a scorer applies, and says why not.
func TestLogReferences(t *testing.T) {
	const listed = "the reference lists allowed values; ast_equivalence with mode: bfcl reads them"
	const none = "the log holds no expected calls"
	noCalls := conversation(t, "f(x=1)", "")
	values := allowing(t, conversation(t, "f(x=1)", "f(x=1)"), `{"x":[1,2]}`)
	empty := conversation(t, "f(x=1)", "[]")
	some := conversation(t, "f(x=1)", "f(x=1, y=2)")
	some.Expected.Calls[0].Compare = []string{"x"}
	nameless := conversation(t, "f(x=1)", "f(x=1)")
	nameless.Expected.Calls[0].Name = ""
	for _, tt := range []struct {
		scorer, config string
		c              *transcript.Conversation
		want, why      string
	}{
		{"ast_equivalence", `{"mode":"bfcl"}`, conversation(t, "f(x=1)", "f(x=1)"), "not_applicable",
			"the reference does not list allowed values"},
		{"ast_equivalence", `{"mode":"bfcl"}`, noCalls, "not_applicable", none},
		{"ast_equivalence", `{}`, values, "not_applicable", listed},
		{"ast_equivalence", `{}`, some, "not_applicable", "the reference names only some arguments of a call"},
		{"function_call_accuracy", `{}`, noCalls, "not_applicable", none},
		{"function_call_accuracy", `{}`, some, "1 pass", "name: 100%, params: 100%, values: 100%"},
		{"function_call_accuracy", `{}`, nameless, "error", ""},
		{"function_call_exact_match", `{}`, values, "not_applicable", listed},
		{"function_name_match", `{}`, values, "1 pass", ""},
		{"call_relevance", `{}`, noCalls, "not_applicable", none},
		{"three_layer", `{}`, noCalls, "not_applicable", none},
		{"three_layer", `{}`, some, "not_applicable", "the reference names only some arguments of a call"},
		{"three_layer", `{}`, values, "not_applicable", listed},
		{"three_layer", `{}`, conversation(t, "f(), g()", "f()"), "not_applicable",
			"it compares one whole call with one; 2 were made, 1 are expected"},
		{"three_layer", `{}`, conversation(t, "f()", "f(), g()"), "not_applicable",
			"it compares one whole call with one; 1 were made, 2 are expected"},
		{"three_layer", `{}`, conversation(t, "f()", "f()"), "not_applicable", "the log holds no tool inventory"},
		{"execution_check", `{}`, noCalls, "not_applicable", "the log holds no final and expected state"},
		{"trajectory_match", `{"preset":"adk"}`, noCalls, "not_applicable", none},
		{"trajectory_match", `{"preset":"adk"}`, values, "not_applicable", listed},
		{"trajectory_match", `{"preset":"adk"}`, nameless, "error", ""},
		{"trajectory_match", `{"preset":"azure"}`, empty, "not_applicable",
			"no step is expected, and the preset needs one"},
		{"trajectory_match", `{"preset":"tau2_actions"}`, noCalls, "not_applicable", none},
		{"trajectory_match", `{"preset":"agentevals"}`, some, "not_applicable",
			"strict compares whole trajectories, and the reference holds calls only"},
		{"trajectory_match", `{"preset":"agentevals","trajectory_match_mode":"unordered"}`,
			conversation(t, "f(x=1)", "f(x=1), g()"), "0 fail", "no unordered match: expected call of g is not made"},
		{"trajectory_match", `{"preset":"ragas_tool_call_accuracy"}`, some, "1 pass", ""},
	} {
		l, err := ForLog([]Config{{Type: tt.scorer, Config: mustParse(t, tt.config)}})
		if err != nil {
			t.Fatal(err)
		}
		got := l.Score(tt.c)
		if len(got) == 0 || lines(got)[0] != tt.scorer+" - "+tt.want || tt.why != "" && got[0].Explanation != tt.why {
			t.Errorf("%s %s: %v %q, want %s %q", tt.scorer, tt.config, lines(got), got[0].Explanation, tt.want, tt.why)
		}
		if tt.want == "error" && got[0].Error.Kind != configKind {
			t.Errorf("%s %s: %+v", tt.scorer, tt.config, got[0].Error)
		}
	}
}

// TestLogCategories: of a conversation, the reference and the tools say which category of the
// leaderboard it belongs to.
func TestLogCategories(t *testing.T) {
	const f = `{"name":"f","parameters":{"type":"dict","properties":{"n":{"type":"integer"}},"required":["n"]}}`
	const g = `{"name":"g","parameters":{"type":"dict","properties":{}}}`
	const bfcl = `{"mode":"bfcl"}`
	for _, tt := range []struct {
		name, config string
		c            *transcript.Conversation
		want, kind   string
	}{
		{"the second tool", bfcl, allowing(t, conversation(t, "f(n=5)", "f(n=5)", g, f), `{"n":[5]}`), "1 pass", ""},
		{"one tool", bfcl, allowing(t, conversation(t, "f(n=6)", "f(n=5)", f), `{"n":[5]}`), "0 fail", "value_error:others"},
		{"two calls", bfcl, allowing(t, conversation(t, "f(n=6), f(n=5)", "f(n=5), f(n=6)", f), `{"n":[5]}`, `{"n":[6]}`),
			"1 pass", ""},
		{"none is right, none made", bfcl, conversation(t, "[]", "[]", f), "1 pass", ""},
		{"none is right, one made", bfcl, conversation(t, "f(n=5)", "[]", f), "0 fail", "irrelevance_error:decoder_success"},
		{"a category of its own", `{"mode":"bfcl","category":"relevance"}`,
			allowing(t, conversation(t, "f(n=9)", "f(n=5)", f), `{"n":[5]}`), "1 pass", ""},
		{"no tools", bfcl, allowing(t, conversation(t, "f(n=5)", "f(n=5)"), `{"n":[5]}`), "error", ""},
	} {
		l, err := ForLog([]Config{{Type: "ast_equivalence", Config: mustParse(t, tt.config)}})
		if err != nil {
			t.Fatal(err)
		}
		got := l.Score(tt.c)
		if diff := cmp.Diff([]string{"ast_equivalence - " + tt.want}, lines(got)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if kind := got[0].Details.Field("error_type").Text(); kind != tt.kind {
			t.Errorf("%s: %s, want %s", tt.name, kind, tt.kind)
		}
	}
	// Without a configuration the checker of the leaderboard runs where values are listed.
	l, err := ForLog(nil)
	if err != nil {
		t.Fatal(err)
	}
	scores := l.Score(allowing(t, conversation(t, "f(n=5)", "f(n=6)", f), `{"n":[6,5]}`))
	if got := strings.Join(lines(scores), "; "); !strings.Contains(got, "ast_equivalence - 1 pass") {
		t.Error(got)
	}
}

// TestLogTrajectories: agentevals compares the messages of a conversation with those of its
// reference, if it has any.
func TestLogTrajectories(t *testing.T) {
	const user, call = `{"role":"user","content":"q"}`, `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}`
	for _, tt := range []struct{ name, raw, want string }{
		{"the same", `[` + user + `,` + call + `]`, "1 pass"},
		{"another role", `[{"role":"system"},` + call + `]`, "0 fail"},
		{"a call more", `[` + user + `,` + call + `,` + call + `]`, "0 fail"},
		{"no call there", `[` + user + `,{"role":"assistant"}]`, "0 fail"},
		{"calls only", `[{"name":"f"}]`, "not_applicable"},
		{"an empty list", `[]`, "not_applicable"},
		{"an object", `{"role":"user"}`, "not_applicable"},
	} {
		l, err := ForLog([]Config{{Type: "trajectory_match", Config: mustParse(t, `{"preset":"agentevals"}`)}})
		if err != nil {
			t.Fatal(err)
		}
		c := conversation(t, "f()", "f()")
		c.Messages = append([]transcript.Message{{Role: transcript.User, Content: "q", HasContent: true, Result: -1}}, c.Messages...)
		c.Expected.Raw = mustParse(t, tt.raw)
		if diff := cmp.Diff([]string{"trajectory_match - " + tt.want}, lines(l.Score(c))); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

// TestLogSettings: purposes and thresholds out of range are refused, those at its ends are not.
func TestLogSettings(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	for _, tt := range []struct {
		config Config
		want   string
	}{
		{Config{Type: "call_relevance", Purpose: "score", Threshold: at(0)}, ""},
		{Config{Type: "call_relevance", Purpose: "qa", Threshold: at(1)}, ""},
		{Config{Type: "call_relevance", Threshold: at(-0.1)}, "scorers[0].threshold: is -0.1, must be a number from 0 to 1"},
		{Config{Type: "call_relevance", Threshold: at(1.1)}, "scorers[0].threshold: is 1.1, must be a number from 0 to 1"},
		{Config{Type: "call_relevance", Purpose: "Score"}, `scorers[0].purpose: is "Score", must be score or qa`},
	} {
		l, err := ForLog([]Config{tt.config})
		if tt.want != "" {
			if err == nil || err.Error() != tt.want {
				t.Errorf("%v, want %s", err, tt.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		got := l.Score(conversation(t, "f()", "f()"))
		if len(got) != 1 || got[0].Status != score.Scored || (got[0].Purpose == "qa") != (tt.config.Purpose == "qa") {
			t.Errorf("%+v", got)
		}
		if again := l.Scorers(); len(again) != 1 || again[0].Key != "call_relevance" || l.Names()[0] != "call_relevance" {
			t.Errorf("%+v", again)
		}
	}
}
