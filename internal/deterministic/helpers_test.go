package deterministic

import "github.com/judgekit/judge/internal/value"

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
