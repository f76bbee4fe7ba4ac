package run

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/environment"
)

// maxNamedChanges bounds how many differences a reason names; the details hold all.
const maxNamedChanges = 3

// reason says in words why an execution check came out as it did.
func reason(o *environment.Outcome) string {
	var parts []string
	if *o.Reward == 1 {
		parts = append(parts, "the final state is the expected one")
	}
	for i, c := range o.Diff {
		if i == maxNamedChanges {
			parts = append(parts, fmt.Sprintf("%d more differences", len(o.Diff)-i))
			break
		}
		text := fmt.Sprintf("%s %s", c.Kind, c.Path)
		if c.Call >= 0 {
			text += fmt.Sprintf(" (call %d)", c.Call)
		}
		parts = append(parts, text)
	}
	for _, a := range o.Assertions {
		if !a.OK {
			parts = append(parts, fmt.Sprintf("assertion on %s does not hold", a.Path))
		}
	}
	for _, out := range o.Outputs {
		if !out.Found {
			parts = append(parts, fmt.Sprintf("the user was not told %q", out.Text))
		}
	}
	if o.Unfinished {
		parts = append(parts, "the run did not end by itself")
	}
	if n := len(o.Drift); n > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d results differ from the log: the sandbox is not what the log was made in", n, o.Compared))
	}
	return strings.Join(parts, "; ")
}
