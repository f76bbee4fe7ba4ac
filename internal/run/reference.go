package run

import "strings"

// No judge of a run is shown expected calls, scores or labels (the prompt leaves them
// out, and a test of package judges plants them to see), so no judge of a run saw the
// reference. What remains are judges that apply a scorer's rules themselves.

// usesReference says which kinds of scorers look at the expected calls of the log or
// at what follows from them; the others look at the calls alone.
func usesReference(kind string) bool {
	switch strings.ReplaceAll(kind, "-", "_") {
	case "parameter_validation", "schema_check", "error_recovery", "tool_efficiency", "tool_calls", "rubric_verdict":
		return false
	}
	return true
}
