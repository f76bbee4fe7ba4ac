package deterministic

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/judgekit/judge/internal/bounded"
	"github.com/judgekit/judge/internal/score"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/transcript/format"
	"github.com/judgekit/judge/internal/value"
)

func mustParse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.ParseString(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// support returns a conversation with two calls, the first of which fails its schema and
// its execution.
func support(t testing.TB) *transcript.Conversation {
	call := func(index int, name, args string, message, result int) transcript.Call {
		return transcript.Call{Index: index, ID: "t", Name: name, Arguments: mustParse(t, args), Message: message, Step: message / 2, Result: result, Executor: "client"}
	}
	return &transcript.Conversation{
		ID: "c1", Source: transcript.Source{File: "a.jsonl", Line: 3},
		Tools: []transcript.Tool{
			{Name: "cancel", Parameters: mustParse(t, `{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}`)},
			{Name: "vague"},
		},
		Messages: []transcript.Message{
			{Role: transcript.User, Content: "Cancel order 7", HasContent: true, Result: -1},
			{Role: transcript.Assistant, Calls: []int{0}, Result: -1},
			{Role: transcript.ToolRole, Content: "Error: id must be a number", Result: 0},
			{Role: transcript.Assistant, Calls: []int{1}, Result: -1},
			{Role: transcript.ToolRole, Content: `{"ok":true}`, Result: 1},
			{Role: transcript.Assistant, Content: "Done.", HasContent: true, Result: -1},
		},
		Calls: []transcript.Call{call(0, "cancel", `{"id":"7"}`, 1, 2), call(1, "cancel", `{"id":7}`, 3, 4)},
		Expected: &transcript.Expected{Calls: []transcript.ExpectedCall{
			{Name: "cancel", Arguments: mustParse(t, `{"id":7}`)},
		}},
	}
}

// lines writes scores on one line each.
func lines(scores []score.Score) []string {
	var out []string
	for _, s := range scores {
		at := "-"
		if s.CallIndex != nil {
			at = fmt.Sprint(*s.CallIndex)
		}
		v := string(s.Status)
		if s.Value != nil {
			v = fmt.Sprintf("%.4g %s", *s.Value, s.Label)
		}
		name := s.Name
		if s.Metric != "" {
			name += "/" + s.Metric
		}
		out = append(out, name+" "+at+" "+v)
	}
	return out
}

func TestLogDefaults(t *testing.T) {
	l, err := ForLog(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"function_call_coverage - 1 pass",
		"function_call_accuracy - 1 pass",
		"function_call_exact_match - 0 fail",
		"ast_equivalence - 0 fail",
		"call_relevance - 1 pass",
		"error_recovery - 1 pass",
		"expected_call_match 0 not_applicable",
		"expected_call_match 1 1 pass",
		"parameter_validation 0 0 fail",
		"parameter_validation 1 1 pass",
		"schema_check 0 0 fail",
		"schema_check 1 1 pass",
	}
	scores := l.Score(support(t))
	if diff := cmp.Diff(want, lines(scores)); diff != "" {
		t.Error(diff)
	}
	for _, s := range scores {
		if s.ConversationID != "c1" || s.Place != "a.jsonl:3" || s.Source != score.Deterministic {
			t.Errorf("%+v", s)
		}
		if s.Status == score.Scored && (s.Passed == nil || *s.Passed != (s.Label == "pass")) {
			t.Errorf("the verdict of %s is %v, its label %s", s.Name, s.Passed, s.Label)
		}
		if s.CallIndex != nil && (s.CallID != "t" || s.Tool != "cancel") {
			t.Errorf("%+v", s)
		}
	}
	if got := scores[0].Details.Field("num_unrequired_calls").Text(); got != "1" {
		t.Errorf("unrequired calls: %s", got)
	}
	// Without a reference and an inventory only recovery is left.
	bare := support(t)
	bare.Expected, bare.Tools = nil, nil
	if diff := cmp.Diff([]string{"error_recovery - 1 pass"}, lines(l.Score(bare))); diff != "" {
		t.Error(diff)
	}
}

// TestLogEquivalentCalls pairs the calls of a conversation one to one, in any order.
func TestLogEquivalentCalls(t *testing.T) {
	call := func(index int, name, args string) transcript.Call {
		v, err := value.ParseString(args)
		if err != nil {
			t.Fatal(err)
		}
		return transcript.Call{Index: index, Name: name, Arguments: v, RawArguments: args, Result: -1, Executor: "client"}
	}
	expected := func(calls ...transcript.Call) *transcript.Expected {
		e := &transcript.Expected{Calls: []transcript.ExpectedCall{}}
		for _, c := range calls {
			e.Calls = append(e.Calls, transcript.ExpectedCall{Name: c.Name, Arguments: c.Arguments})
		}
		return e
	}
	a, b, c := call(0, "f", `{"x":1}`), call(1, "g", `{"y":[1,2]}`), call(1, "g", `{"y":[2,1]}`)
	for name, tt := range map[string]struct {
		made     []transcript.Call
		expected *transcript.Expected
		want     string
	}{
		"other order":    {[]transcript.Call{a, b}, expected(b, a), "ast_equivalence - 1 pass"},
		"number form":    {[]transcript.Call{a, b}, expected(call(0, "f", `{"x":1.0}`), b), "ast_equivalence - 1 pass"},
		"one differs":    {[]transcript.Call{a, c}, expected(a, b), "ast_equivalence - 0 fail"},
		"one too many":   {[]transcript.Call{a, b}, expected(a), "ast_equivalence - 0 fail"},
		"same one twice": {[]transcript.Call{a, a}, expected(a, b), "ast_equivalence - 0 fail"},
	} {
		l, err := ForLog([]Config{{Type: "ast_equivalence"}})
		if err != nil {
			t.Fatal(err)
		}
		conv := &transcript.Conversation{ID: "c", Calls: tt.made, Expected: tt.expected}
		if got := lines(l.Score(conv)); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: %v, want %s", name, got, tt.want)
		}
	}
}

func TestLogNegative(t *testing.T) {
	l, err := ForLog(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	c.Expected = &transcript.Expected{Calls: []transcript.ExpectedCall{}}
	c.Tools = nil
	want := []string{
		"function_call_coverage - 1 pass", "function_call_accuracy - 0 fail", "function_call_exact_match - 0 fail",
		"ast_equivalence - 0 fail",
		"call_relevance - 0 fail", "error_recovery - 1 pass", "expected_call_match 0 0 fail", "expected_call_match 1 0 fail",
	}
	if diff := cmp.Diff(want, lines(l.Score(c))); diff != "" {
		t.Error(diff)
	}
	c.Calls, c.Messages = nil, c.Messages[:1]
	want = []string{
		"function_call_coverage - 1 pass", "function_call_accuracy - 1 pass", "function_call_exact_match - 1 pass",
		"ast_equivalence - 1 pass",
		"call_relevance - 1 pass", "error_recovery - not_applicable",
	}
	if diff := cmp.Diff(want, lines(l.Score(c))); diff != "" {
		t.Error(diff)
	}
}

// TestLogCoverageCountsCalls: a call that the reference expects twice must be made twice.
func TestLogCoverageCountsCalls(t *testing.T) {
	l, err := ForLog(nil)
	if err != nil {
		t.Fatal(err)
	}
	f := transcript.Call{Name: "f", Arguments: mustParse(t, `{}`), Executor: "client"}
	twice := &transcript.Expected{Calls: []transcript.ExpectedCall{{Name: "f"}, {Name: "f"}}}
	for want, made := range map[string][]transcript.Call{
		"function_call_coverage - 0 fail": {f}, "function_call_coverage - 1 pass": {f, f},
	} {
		if got := lines(l.Score(&transcript.Conversation{Calls: made, Expected: twice})); got[0] != want {
			t.Errorf("%d calls: %s, want %s", len(made), got[0], want)
		}
	}
}

// TestLogCallInText: whether an agent called that wrote what looks like a call is open, and so is
// all that depends on it: neither a pass nor a 0. A call that it made decides.
func TestLogCallInText(t *testing.T) {
	configs := []Config{
		{Type: "call-relevance"}, {Type: "function_call_accuracy"}, {Type: "function_call_exact_match"}, {Type: "ast_equivalence"},
		{Type: "three_layer"}, {Type: "tool_calls", Config: mustParse(t, `{"disallowed":[{"name":"cancel"}]}`)}, {Type: "trajectory_match", Config: mustParse(t, `{"preset":"deepeval"}`)},
		{Type: "execution_check"},
	}
	open := []string{
		"call_relevance - unscored", "function_call_accuracy - unscored", "function_call_exact_match - unscored", "ast_equivalence - unscored",
		"three_layer - unscored", "tool_calls - unscored", "trajectory_match - unscored", "execution_check - 1 pass",
	}
	for _, tt := range []struct {
		name     string
		note     string
		expected []transcript.ExpectedCall
		calls    int
		want     []string
	}{
		{"no call is right", transcript.CallInText, []transcript.ExpectedCall{}, 0, open},
		{"a call is right", transcript.CallInText, []transcript.ExpectedCall{{Name: "cancel"}}, 0, open},
		{"it cannot be read", transcript.UnreadableInText, []transcript.ExpectedCall{}, 0, open},
		{"a call was made", transcript.CallInText, []transcript.ExpectedCall{}, 1, []string{
			"call_relevance - 0 fail", "function_call_accuracy - 0 fail", "function_call_exact_match - 0 fail", "ast_equivalence - 0 fail",
			"three_layer/schema_ok - 0 fail", "three_layer/ast_ok - 0 fail", "three_layer/exec_ok - 1 pass", "tool_calls - 0 fail", "trajectory_match - 0 fail", "execution_check - 1 pass",
		}},
		{"nothing looks like a call", "odd", []transcript.ExpectedCall{}, 0, []string{
			"call_relevance - 1 pass", "function_call_accuracy - 1 pass", "function_call_exact_match - 1 pass", "ast_equivalence - 1 pass",
			"three_layer/schema_ok - not_applicable", "three_layer/ast_ok - 1 pass", "three_layer/exec_ok - 1 pass", "tool_calls - 1 pass", "trajectory_match - 1 pass", "execution_check - 1 pass",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, err := ForLog(slices.Clone(configs))
			if err != nil {
				t.Fatal(err)
			}
			c := support(t)
			c.Calls, c.Expected = c.Calls[:tt.calls], &transcript.Expected{Calls: tt.expected}
			for i := range c.Messages {
				c.Messages[i].Calls, c.Messages[i].Result = nil, -1
			}
			c.Notes = []transcript.Note{{Kind: tt.note}}
			c.Extra = mustParse(t, `{"final_state":1,"expected_state":1}`)
			scores := l.Score(c)
			if diff := cmp.Diff(tt.want, lines(scores)); diff != "" {
				t.Error(diff)
			}
			for _, s := range scores {
				kind := transcript.CallInText
				if tt.note == transcript.UnreadableInText {
					kind = unreadableKind
				}
				if err := s.Check(); err != nil || s.Status == score.Unscored && (s.Error == nil || s.Error.Kind != kind) {
					t.Errorf("%s: %v %+v", s.Name, err, s.Error)
				}
			}
		})
	}
}

// TestLogUnreadableCallInText: a call of a text that cannot be read is neither a wrong call nor
// the one that is right, whether the conversation or the call is scored.
func TestLogUnreadableCallInText(t *testing.T) {
	l, err := ForLog([]Config{{Type: "call_relevance"}, {Type: "function_call_accuracy"}, {Type: "schema_check"}})
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	c.Expected = &transcript.Expected{Calls: []transcript.ExpectedCall{}}
	c.Calls = []transcript.Call{{Name: "cancel", Malformed: true, Proposed: true, Result: -1}}
	want := []string{"call_relevance - unscored", "function_call_accuracy - unscored", "schema_check 0 unscored"}
	if diff := cmp.Diff(want, lines(l.Score(c))); diff != "" {
		t.Error(diff)
	}
	c.Calls[0].Proposed = false // one that the interface of the model took for a call
	want = []string{"call_relevance - 0 fail", "function_call_accuracy - 0 fail", "schema_check 0 0 fail"}
	if diff := cmp.Diff(want, lines(l.Score(c))); diff != "" {
		t.Error(diff)
	}
}

func TestLogConfigured(t *testing.T) {
	half := 0.5
	configs := []Config{
		{Type: "function-call-coverage", Key: "cov", Config: mustParse(t, `{"function_calls":"{{ sample.calls }}"}`), Purpose: "qa"},
		{Type: "function_call_accuracy", Threshold: &half},
		{Type: "tool-calls", Config: mustParse(t, `{"required":[{"name":"cancel","result":"ok","at_step":1}]}`)},
		{Type: "function_name_match"},
		{Type: "execution_check"},
		{Type: "three_layer"},
		{Type: "rubric_verdict", Config: mustParse(t, `{"metric":"overall_call_correctness"}`)},
		{Type: "trajectory_match", Key: "superset", Config: mustParse(t, `{"preset":"agentevals","trajectory_match_mode":"superset"}`)},
		{Type: "trajectory_match", Key: "strict", Config: mustParse(t, `{"preset":"agentevals"}`)},
		{Type: "trajectory_match", Key: "adk", Config: mustParse(t, `{"preset":"adk","match_type":"IN_ORDER","threshold":1.0}`)},
		{Type: "trajectory_match", Key: "azure", Config: mustParse(t, `{"preset":"azure","matching_mode":"any_order_match"}`)},
		{Type: "trajectory_match", Key: "ragas", Config: mustParse(t, `{"preset":"ragas_tool_call_f1"}`)},
		{Type: "trajectory_match", Key: "deepeval", Config: mustParse(t, `{"preset":"deepeval","evaluation_params":["input_parameters"]}`)},
		{Type: "trajectory_match", Key: "tau2", Config: mustParse(t, `{"preset":"tau2_actions"}`)},
		{Type: "schema_check"},
	}
	l, err := ForLog(configs)
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	c.Sample = mustParse(t, `{"calls":["cancel","refund"]}`)
	c.Calls = append(c.Calls, transcript.Call{Index: 2, Name: "vague", Arguments: value.OfObject(), Message: 5, Result: -1})
	c.Messages[5].Calls = []int{2}
	want := []string{
		"cov - 0 fail",
		"function_call_accuracy - 1 pass",
		"tool_calls - 1 pass",
		"function_name_match - 0 fail",
		"execution_check - not_applicable",
		"three_layer - not_applicable",
		"rubric_verdict - not_applicable",
		"superset - 1 pass",
		"strict - not_applicable",
		"adk - 1 pass",
		"azure - 1 pass",
		"ragas - 0.5 fail",
		"deepeval - 1 pass",
		"tau2 - 1 pass",
		"schema_check 0 0 fail",
		"schema_check 1 1 pass",
		"schema_check 2 not_applicable",
	}
	scores := l.Score(c)
	if diff := cmp.Diff(want, lines(scores)); diff != "" {
		t.Error(diff)
	}
	if scores[0].Purpose != "qa" || scores[1].Purpose != "" {
		t.Error("purpose is lost")
	}
	for _, s := range scores {
		if s.Status == score.NotApplicable && s.Explanation == "" {
			t.Errorf("%s does not say why it does not apply", s.Name)
		}
	}
}

func TestLogStates(t *testing.T) {
	l, err := ForLog([]Config{{Type: "execution_check"}, {Type: "three_layer"}})
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	c.Calls = c.Calls[1:]
	c.Messages[1].Calls, c.Messages[3].Calls = nil, []int{0}
	c.Extra = mustParse(t, `{"final_state":{"7":"gone","8":"gone"},"expected_state":{"7":"gone","8":"open"}}`)
	want := []string{"execution_check - 0 fail", "three_layer/schema_ok - 1 pass", "three_layer/ast_ok - 1 pass", "three_layer/exec_ok - 0 fail"}
	scores := l.Score(c)
	if diff := cmp.Diff(want, lines(scores)); diff != "" {
		t.Error(diff)
	}
	if got := scores[0].Details.Field("diff").JSON(); got != `[{"path":"/8","op":"changed"}]` {
		t.Error(got)
	}
}

// TestLogEnvironment: the third verdict is that of the environment, and the only one of
// a conversation with several calls.
func TestLogEnvironment(t *testing.T) {
	l, err := ForLog([]Config{{Type: "three_layer"}})
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	details := mustParse(t, `{"exec_ok":false,"diff":[{"path":"/8"}]}`)
	layers := func(schema, ast string) []string {
		return []string{"three_layer/schema_ok - " + schema, "three_layer/ast_ok - " + ast, "three_layer/exec_ok - 0 fail"}
	}
	scores, _ := l.Grade(c, details)
	if diff := cmp.Diff(layers("not_applicable", "not_applicable"), lines(scores)); diff != "" {
		t.Error(diff)
	}
	c.Calls = c.Calls[1:]
	c.Messages[1].Calls, c.Messages[3].Calls = nil, []int{0}
	c.Extra = mustParse(t, `{"final_state":{},"expected_state":{}}`)
	scores, _ = l.Grade(c, details)
	if diff := cmp.Diff(layers("1 pass", "1 pass"), lines(scores)); diff != "" {
		t.Error(diff)
	}
	if got := scores[2].Details.Field("diff").JSON(); got != `[{"path":"/8"}]` {
		t.Error(got)
	}
}

// TestLogAllowedValues: references of the Berkeley leaderboard are for its checker; what
// compares values with one value does not apply.
func TestLogAllowedValues(t *testing.T) {
	read := func(expected, calls string) *transcript.Conversation {
		line := `{"id":"a","messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":` + calls + `}],` +
			`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"dict","properties":{"n":{"type":"integer"},"m":{"type":"string"}},"required":["n"]}}}],` +
			`"expected_calls":` + expected + `}`
		for c, err := range format.Open(t.Context(), "x", strings.NewReader(line), format.Options{}).All() {
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		return nil
	}
	call := func(args string) string {
		return `[{"id":"1","function":{"name":"f","arguments":` + value.OfString(args).JSON() + `}}]`
	}
	l, err := ForLog([]Config{
		{Type: "ast_equivalence", Config: mustParse(t, `{"mode":"bfcl"}`)}, {Type: "function_call_accuracy"}, {Type: "call_relevance"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ expected, calls, ast string }{
		{`[{"f":{"n":[5,6],"m":["","x"]}}]`, call(`{"n":6}`), "1 pass"},
		{`{"f":{"n":[5],"m":[""]}}`, call(`{"n":5}`), "1 pass"},
		{`[{"f":{"n":[5],"m":["x"]}}]`, call(`{"n":5}`), "0 fail"},
		{`[{"f":{"n":[5]}},{"f":{"n":[6]}}]`, call(`{"n":5}`), "0 fail"},
	} {
		want := []string{"ast_equivalence - " + tc.ast, "function_call_accuracy - not_applicable", "call_relevance - 1 pass"}
		if diff := cmp.Diff(want, lines(l.Score(read(tc.expected, tc.calls)))); diff != "" {
			t.Errorf("%s: %s", tc.expected, diff)
		}
	}
	c := read(`[{"f":{"n":[{"a":[1,2],"b":[""]}],"m":["","x"]}}]`, call(`{}`))
	if got := c.Expected.Calls[0].Arguments.JSON(); got != `{"n":{"a":1}}` {
		t.Errorf("the first allowed values are %s", got)
	}
	if _, pairs := l.Grade(c, value.Value{}); pairs != nil {
		t.Errorf("pairs %v", pairs)
	}
	if got := lines(l.Score(read(`[]`, call(`{"n":5}`))))[0]; got != "ast_equivalence - 0 fail" {
		t.Errorf("no call is right: %s", got)
	}
}

func TestLogPartialReference(t *testing.T) {
	l, err := ForLog([]Config{{Type: "function_call_exact_match"}, {Type: ExpectedCallMatch.Name}})
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	c.Calls = c.Calls[1:]
	c.Calls[0].Arguments = mustParse(t, `{"id":7,"note":"bye"}`)
	c.Expected.Calls[0].Compare = []string{"id"}
	if diff := cmp.Diff([]string{"function_call_exact_match - 1 pass", "expected_call_match 1 1 pass"}, lines(l.Score(c))); diff != "" {
		t.Error(diff)
	}
}

func TestLogLeaderboard(t *testing.T) {
	l, err := ForLog(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	c.Calls, c.Messages = c.Calls[1:], nil
	c.Tools = []transcript.Tool{{Name: "cancel", Raw: mustParse(t, `{"name":"cancel","parameters":{"type":"dict","properties":{"id":{"type":"integer"}},"required":["id"]}}`)}}
	c.Expected.Raw = mustParse(t, `[{"cancel":{"id":[7,8]}}]`)
	for _, s := range l.Score(c) {
		if s.Name == "ast_equivalence" && (s.Value == nil || *s.Value != 1) {
			t.Errorf("%+v", s)
		}
	}
}

func TestLogErrors(t *testing.T) {
	for want, configs := range map[string][]Config{
		"scorers[0].type: scorer: \"tool_cals\" is unknown; did you mean tool_calls?":                      {{Type: "tool_cals"}},
		"scorers[1].mode: is \"x\", must be any_order or in_order":                                         {{Type: "schema_check"}, {Type: "function_call_coverage", Config: mustParse(t, `{"function_calls":[],"mode":"x"}`)}},
		"scorers[1].key: \"schema_check\" is there already; give each scorer of one type a key of its own": {{Type: "schema_check"}, {Type: "schema_check"}},
		"scorers[0].purpose: is \"both\", must be score or qa":                                             {{Type: "schema_check", Purpose: "both"}},
	} {
		if _, err := ForLog(configs); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	// An error while scoring is an error record, not a zero.
	l, err := ForLog([]Config{{Type: "schema_check"}})
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	c.Tools[0].Parameters = mustParse(t, `{"type":"dict"}`)
	for _, s := range l.Score(c) {
		if s.Status != score.Error || s.Value != nil || s.Error == nil || s.Error.Kind != "config" || !strings.Contains(s.Error.Message, "cancel") {
			t.Errorf("%+v", s)
		}
	}
}

// TestLogUnknownRole: readers keep a message of an unknown role as the user's; its calls are
// the agent's all the same.
func TestLogUnknownRole(t *testing.T) {
	c := support(t)
	c.Messages[1].Role = transcript.User
	l, err := ForLog([]Config{{Type: "tool_efficiency"}, {Type: "error_recovery"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"tool_efficiency - 1 pass", "error_recovery - 1 pass"}
	if diff := cmp.Diff(want, lines(l.Score(c))); diff != "" {
		t.Error(diff)
	}
}

func TestLogSkipsOthersCalls(t *testing.T) {
	l, err := ForLog([]Config{{Type: ExpectedCallMatch.Name}})
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	c.Calls[0].Executor = "user"
	c.Expected.Calls = append(c.Expected.Calls, transcript.ExpectedCall{Name: "reboot", Requestor: "user"})
	if diff := cmp.Diff([]string{"expected_call_match 1 1 pass"}, lines(l.Score(c))); diff != "" {
		t.Error(diff)
	}
	c.Calls[1].Context = true
	if got := l.Score(c); len(got) > 0 {
		t.Error(lines(got))
	}
}

// TestLogThreshold: a grader's own threshold decides what passes, in place of the scorer's rule.
func TestLogThreshold(t *testing.T) {
	half, more := 0.5, 0.6
	for _, tt := range []struct {
		threshold *float64
		want      string
	}{{nil, "trajectory_match - 0.5 fail"}, {&half, "trajectory_match - 0.5 pass"}, {&more, "trajectory_match - 0.5 fail"}} {
		l, err := ForLog([]Config{{Type: "trajectory_match", Config: mustParse(t, `{"preset":"tau2_actions"}`), Threshold: tt.threshold}})
		if err != nil {
			t.Fatal(err)
		}
		c := &transcript.Conversation{ID: "c", Messages: []transcript.Message{{Role: transcript.Assistant}},
			Calls:    []transcript.Call{{Name: "a", Arguments: value.OfObject(), Executor: "client", Result: -1}},
			Expected: &transcript.Expected{Calls: []transcript.ExpectedCall{{Name: "a", Arguments: value.OfObject()}, {Name: "b", Arguments: value.OfObject()}}}}
		if got := strings.Join(lines(l.Score(c)), "; "); got != tt.want {
			t.Errorf("%s, want %s", got, tt.want)
		}
	}
}

// TestLogTau2Requestor: τ² matches an expected action whoever made the call. Without a user the
// agent makes the user's calls, and every scorer expects them of it.
func TestLogTau2Requestor(t *testing.T) {
	l, err := ForLog([]Config{
		{Type: "trajectory_match", Config: mustParse(t, `{"preset":"tau2_actions"}`)},
		{Type: "function_call_exact_match"}, {Type: ExpectedCallMatch.Name},
	})
	if err != nil {
		t.Fatal(err)
	}
	call := func(i int, name, by string) transcript.Call {
		return transcript.Call{Index: i, Name: name, Arguments: value.OfObject(), Executor: by, Result: -1}
	}
	agent := transcript.Message{Role: transcript.Assistant}
	user := transcript.Message{Role: transcript.User, Content: "hi"}
	for _, tt := range []struct {
		name     string
		messages []transcript.Message
		calls    []transcript.Call
		want     []string
	}{
		{"solo", []transcript.Message{agent}, []transcript.Call{call(0, "toggle_data", "client"), call(1, "refuel", "client")},
			[]string{"trajectory_match - 1 pass", "function_call_exact_match - 1 pass", "expected_call_match 0 1 pass", "expected_call_match 1 1 pass"}},
		{"solo, one is missing", []transcript.Message{agent}, []transcript.Call{call(0, "refuel", "client")},
			[]string{"trajectory_match - 0.5 fail", "function_call_exact_match - 0 fail", "expected_call_match 0 1 pass"}},
		{"the agent makes the user's", []transcript.Message{user, agent}, []transcript.Call{call(0, "toggle_data", "client"), call(1, "refuel", "client")},
			[]string{"trajectory_match - 1 pass", "function_call_exact_match - 0 fail", "expected_call_match 0 not_applicable", "expected_call_match 1 1 pass"}},
		{"the user makes its own", []transcript.Message{user, agent}, []transcript.Call{call(0, "toggle_data", "user"), call(1, "refuel", "client")},
			[]string{"trajectory_match - 1 pass", "function_call_exact_match - 1 pass", "expected_call_match 1 1 pass"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &transcript.Conversation{ID: "c", Messages: tt.messages, Calls: tt.calls, Expected: &transcript.Expected{Calls: []transcript.ExpectedCall{
				{Name: "toggle_data", Arguments: value.OfObject(), Requestor: "user"}, {Name: "refuel", Arguments: value.OfObject(), Requestor: "assistant"},
			}}}
			if diff := cmp.Diff(tt.want, lines(l.Score(c))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func BenchmarkLog(b *testing.B) {
	l, err := ForLog(nil)
	if err != nil {
		b.Fatal(err)
	}
	c := support(b)
	b.ReportAllocs()
	for b.Loop() {
		l.Score(c)
	}
	b.ReportMetric(float64(2*b.N)/b.Elapsed().Seconds(), "calls/s")
}

// TestLogCompatMalformed: the program that compat names refuses all calls when the
// arguments of one cannot be read.
func TestLogCompatMalformed(t *testing.T) {
	l, err := ForLog([]Config{{Type: ExpectedCallMatch.Name, Config: mustParse(t, `{"compat":"futureagi"}`)}})
	if err != nil {
		t.Fatal(err)
	}
	c := support(t)
	c.Calls[0].Malformed = true
	want := []string{"expected_call_match 0 0 fail", "expected_call_match 1 0 fail"}
	if diff := cmp.Diff(want, lines(l.Score(c))); diff != "" {
		t.Error(diff)
	}
}

// TestLogPatternsShareTheirTime: a pattern that backtracks costs one call its time, and not each
// call; what needs no backtracking is checked still.
func TestLogPatternsShareTheirTime(t *testing.T) {
	tool := func(name, pattern string) transcript.Tool {
		return transcript.Tool{Name: name, Parameters: mustParse(t, `{"properties":{"a":{"type":"string","pattern":`+value.OfString(pattern).JSON()+`}}}`)}
	}
	c := &transcript.Conversation{Tools: []transcript.Tool{tool("plain", "^a+$")}}
	for i := range 40 {
		name := fmt.Sprintf("slow%d", i)
		c.Tools = append(c.Tools, tool(name, fmt.Sprintf(`(?=(a+)+$)a|%d`, i)))
		for range 5 {
			c.Calls = append(c.Calls, transcript.Call{Name: name, Arguments: mustParse(t, `{"a":"`+strings.Repeat("a", 60)+`!"}`), Executor: "client"})
		}
	}
	c.Calls = append(c.Calls, transcript.Call{Name: "plain", Arguments: mustParse(t, `{"a":"b"}`), Executor: "client"})
	var scores []score.Score
	bounded.Within(t, 20*time.Second, "the log", func() { // 200 calls, half a second each, would take 100
		l, err := ForLog([]Config{{Type: "schema_check"}})
		if err != nil {
			t.Fatal(err)
		}
		scores = l.Score(c)
	})
	for _, s := range scores[:len(scores)-1] {
		if s.Status != score.Error || !strings.Contains(s.Error.Message, "pattern") {
			t.Fatalf("%s: %+v", s.Tool, s)
		}
	}
	if last := scores[len(scores)-1]; last.Value == nil || *last.Value != 0 {
		t.Errorf("a plain pattern after that: %+v", last)
	}
}

// TestLogUndeclaredParameters: on logs, too, only a tool that lists its parameters, or closes its
// schema, excludes others.
func TestLogUndeclaredParameters(t *testing.T) {
	l, err := ForLog([]Config{{Type: "parameter_validation"}})
	if err != nil {
		t.Fatal(err)
	}
	for definition, want := range map[string]string{
		`{"name":"f","parameters":{"type":"object","properties":{"a":{}}}}`:                              "1 pass",
		`{"name":"f","parameters":{"type":"object","properties":{"a":{}},"additionalProperties":false}}`: "0.5 fail",
		`{"name":"f","parameters":[{"name":"a","type":"any"}]}`:                                          "0.5 fail",
		`{"name":"f","parameters":{"a":"any"}}`:                                                          "0.5 fail",
		`{"name":"f","parameters":{}}`:                                                                   "1 pass",
	} {
		tools, _, err := format.ParseToolFile(mustParse(t, "["+definition+"]"))
		if err != nil {
			t.Fatal(err)
		}
		c := &transcript.Conversation{Tools: tools, Calls: []transcript.Call{{Name: "f", Arguments: mustParse(t, `{"a":1,"b":2}`), Executor: "client"}}}
		if diff := cmp.Diff([]string{"parameter_validation 0 " + want}, lines(l.Score(c))); diff != "" {
			t.Errorf("%s: %s", definition, diff)
		}
	}
}
