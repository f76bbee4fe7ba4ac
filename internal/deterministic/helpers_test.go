package deterministic

import (
	"strings"

	"github.com/judgekit/judge/internal/value"
)

// maker makes scorers of one name.
func maker(name string) func(value.Value) (Rule, error) {
	return func(config value.Value) (Rule, error) { return New(name, config) }
}

var (
	newToolCalls     = maker("tool_calls")
	newTrajectory    = maker("trajectory_match")
	newRubricVerdict = maker("rubric_verdict")
	newAST           = maker("ast_equivalence")
)

// talk writes a list of messages, agentCalls, toolSays and agentSays one message each; args is JSON
// text without its quotes.
func talk(messages ...string) string { return "[" + strings.Join(messages, ",") + "]" }

func agentCalls(id, name, args string) string {
	return `{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","function":{"name":"` + name +
		`","arguments":"` + args + `"}}]}`
}

func toolSays(id, text string) string {
	return `{"role":"tool","tool_call_id":"` + id + `","content":"` + text + `"}`
}

func agentSays(text string) string { return `{"role":"assistant","content":"` + text + `"}` }
