package run

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/deterministic"
	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
	"github.com/judgekit/judge/judges"
	"github.com/judgekit/judge/rubrics"
)

// step is a call of a written conversation, with its result.
type step struct{ tool, args, result string }

func logOf(steps ...step) Log {
	var b strings.Builder
	b.WriteString(`{"id":"c","messages":[{"role":"user","content":"please"}`)
	for i, s := range steps {
		fmt.Fprintf(&b, `,{"role":"assistant","content":"","tool_calls":[{"id":"%d","type":"function","function":{"name":%q,"arguments":%q}}]}`, i, s.tool, s.args)
		if s.result != "" {
			fmt.Fprintf(&b, `,{"role":"tool","tool_call_id":"%d","content":%q}`, i, s.result)
		}
	}
	b.WriteString("]}\n")
	text := b.String()
	return Log{Name: "steps.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
}

func onlyConversation(t *testing.T, log Log) *transcript.Conversation {
	t.Helper()
	s := &source{logs: []Log{log}}
	for c, err := range s.conversations(t.Context(), &Reading{}) {
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	t.Fatal("no conversation")
	return nil
}

// The rule for a failed prerequisite, case by case: what it says of the last call.
func TestFailedPrerequisite(t *testing.T) {
	const notFound = `{"error":"order 4711 not found"}`
	judged := step{"cancel_order", `{"order_id":"4711"}`, `{"ok":true}`}
	for _, tt := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"a call that failed and shares an id", []step{{"get_order", `{"order_id":4711}`, notFound}, judged}, `get_order (call 0), which shares "4711" with this call`},
		{"the id stands in the result alone", []step{{"get_last_order", `{}`, "Error: order 4711 is locked."}, judged}, `get_last_order (call 0), which shares "4711" with this call`},
		{"a call that succeeded", []step{{"get_order", `{"order_id":4711}`, `{"status":"open"}`}, judged}, ""},
		{"nothing in common", []step{{"get_user", `{"user_id":"u-12"}`, `{"error":"no such user"}`}, judged}, ""},
		{"only short values in common", []step{{"get_order", `{"n":1,"flag":true}`, `{"error":"x"}`}, {"cancel_order", `{"n":1,"flag":true}`, `{}`}}, ""},
		{"the same tool tried again", []step{{"cancel_order", `{"order_id":"4711"}`, notFound}, judged}, ""},
		{"repeated with success", []step{{"get_order", `{"order_id":4711}`, notFound}, {"get_order", `{"order_id":4711}`, `{"status":"open"}`}, judged}, ""},
		{"repeated for another order", []step{{"get_order", `{"order_id":4711}`, notFound}, {"get_order", `{"order_id":4812}`, `{"status":"open"}`}, judged}, `get_order (call 0), which shares "4711" with this call`},
		{"repeated without success: the last failure counts", []step{{"get_order", `{"order_id":4711}`, notFound}, {"get_order", `{"order_id":4711}`, notFound}, judged}, `get_order (call 1), which shares "4711" with this call`},
		{"success before the failure", []step{{"get_order", `{"order_id":4711}`, `{"status":"open"}`}, {"get_order", `{"order_id":4711}`, notFound}, judged}, `get_order (call 1), which shares "4711" with this call`},
		{"another tool found it", []step{{"get_order", `{"order_id":4711}`, notFound}, {"search_orders", `{"name":"Ann"}`, `[{"order_id":4711}]`}, judged}, ""},
		{"another tool was only given it", []step{{"get_order", `{"order_id":4711}`, notFound}, {"log_event", `{"order_id":4711}`, `{"done":true}`}, judged}, `get_order (call 0), which shares "4711" with this call`},
		{"a failure without an answer yet", []step{{"get_order", `{"order_id":4711}`, ""}, judged}, ""},
		{"a failure that comes later", []step{judged, {"get_order", `{"order_id":4711}`, notFound}}, ""},
	} {
		c := onlyConversation(t, logOf(tt.steps...))
		call := len(c.Calls) - 1
		if tt.name == "a failure that comes later" {
			call = 0
		}
		if got := newReplay().factsOf(c)(call).FailedPrerequisite; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A judge that finds the prerequisites of such a call satisfied is flagged.
func TestMissedFailedPrerequisite(t *testing.T) {
	base, _ := scriptedServer(t, func(a ask) says { return says{output: "1"} })
	p := plan(t, base, logOf(step{"get_order", `{"order_id":4711}`, `{"error":"order 4711 not found"}`}, step{"cancel_order", `{"order_id":4711}`, `{"ok":true}`}))
	p.Rubrics = rubricsNamed(p.Rubrics, rubrics.Prerequisite)
	dir := filepath.Join(t.TempDir(), "run")
	if _, err := execute(t, p, dir, false); err != nil {
		t.Fatal(err)
	}
	flagged := map[int]bool{}
	for _, s := range readScores(t, dir) {
		for _, f := range s.Flags {
			if f.Code == judges.FlagMissedFailedCall {
				flagged[*s.CallIndex] = f.Severity == 2 && strings.Contains(f.Detail, "get_order (call 0)")
			}
		}
	}
	if len(flagged) != 1 || !flagged[1] {
		t.Errorf("flagged: %v", flagged)
	}
}

func rubricsNamed(list []*rubrics.Rubric, name string) []*rubrics.Rubric {
	for _, r := range list {
		if r.Name == name {
			return []*rubrics.Rubric{r}
		}
	}
	return nil
}

// The facts do not depend on the scorers that the run reports, nor on their names.
func TestFactsWithoutTheirScorers(t *testing.T) {
	const log = `{"id":"c","tools":[{"name":"get","description":"d","parameters":{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}}],` +
		`"messages":[{"role":"user","content":"get 7"},{"role":"assistant","content":"","tool_calls":[{"id":"1","type":"function","function":{"name":"get","arguments":"{\"id\":\"x\"}"}}]}],` +
		`"expected_calls":[{"name":"get","arguments":{"id":7}}]}` + "\n"
	base, _ := scriptedServer(t, func(a ask) says { return says{output: "5", correction: `{"id":9}`} })
	for name, scorers := range map[string][]deterministic.Config{
		"the default ones": nil,
		"others":           {{Type: "error_recovery"}},
		"renamed ones":     {{Type: "schema_check", Key: "shape"}, {Type: "expected_call_match", Key: "right"}},
		"names taken":      {{Type: "error_recovery", Key: "schema_check", Config: value.OfObject()}},
	} {
		p := teamPlan(t, base, "m")
		p.Scorers = scorers
		p.Logs = []Log{{Name: "l.jsonl", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}}
		dir := filepath.Join(t.TempDir(), "run")
		if _, err := execute(t, p, dir, false); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s := readScores(t, dir)[0]
		codes := ""
		for _, f := range s.Flags {
			codes += f.Code + " "
		}
		if !strings.Contains(codes, judges.FlagIgnoresSchema) || !strings.Contains(s.Details.JSON(), `"correction_matches_expected":false`) {
			t.Errorf("%s: flags %s, details %s", name, codes, s.Details.JSON())
		}
	}
}

// A log made to cost much time costs a bounded number of comparisons.
func TestPrerequisitesAreBounded(t *testing.T) {
	many := make([]string, 400)
	for i := range many {
		many[i] = fmt.Sprintf("value-%d", i)
	}
	args := `{"a":["` + strings.Join(many, `","`) + `"]}`
	others := strings.ReplaceAll(args, "value", "other")
	var steps []step
	for i := range 300 {
		steps = append(steps, step{fmt.Sprintf("get_%d", i%2), args, `{"error":"x"}`}, step{"note", others, `{"done":true}`})
	}
	p := newPrerequisites(onlyConversation(t, logOf(steps...)))
	for i := range p.c.Calls {
		_ = p.of(i)
	}
	if p.left > 0 || p.of(len(p.c.Calls)-1) != "" {
		t.Errorf("%d comparisons are left: the bound was not met", p.left)
	}
}
