package run

import (
	"fmt"
	"github.com/judgekit/judge/internal/transcript/format"
	"strings"
	"testing"

	"github.com/judgekit/judge/internal/transcript"
	"github.com/judgekit/judge/internal/value"
)

// conversation reads such calls as a log.
func conversation(t *testing.T, steps ...step) *transcript.Conversation {
	t.Helper()
	log, err := logOf(steps...).Open()
	if err != nil {
		t.Fatal(err)
	}
	for c, err := range format.Open(t.Context(), "steps.jsonl", log, format.Options{}).All() {
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
		c := conversation(t, tt.steps...)
		call := len(c.Calls) - 1
		if tt.name == "a failure that comes later" {
			call = 0
		}
		if got := newFacts().of(c)(call).FailedPrerequisite; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
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
	p := newPrerequisites(conversation(t, steps...))
	for i := range p.c.Calls {
		_ = p.of(i)
	}
	if p.left > 0 || p.of(len(p.c.Calls)-1) != "" {
		t.Errorf("%d comparisons are left: the bound was not met", p.left)
	}
}

// The expected calls of a simulated user come first here; the fact about the agent's
// call is the agent's expected call.
func TestExpectedCallOfTheAgent(t *testing.T) {
	c := conversation(t, step{"get_order", `{"order_id":"1"}`, `{}`})
	c.Expected = &transcript.Expected{Calls: []transcript.ExpectedCall{
		{Name: "restart_phone", Arguments: value.OfObject(), Requestor: "user"},
		{Name: "get_order", Arguments: value.OfObject(value.Member{Key: "order_id", Value: value.OfString("1")})},
	}}
	if got := newFacts().of(c)(0).Expected; got == nil || got.Name != "get_order" {
		t.Errorf("the expected call is %+v", got)
	}
}
