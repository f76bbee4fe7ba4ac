package call

import (
	"strings"

	"github.com/judgekit/judge/internal/pycall"
)

// readPython reads a string as Python calls; false when it is none.
func readPython(s string) ([]Call, bool) {
	if !strings.Contains(s, "(") {
		return nil, false
	}
	found, err := pycall.Parse(s)
	if err != nil {
		return nil, false
	}
	calls := make([]Call, len(found))
	for i, c := range found {
		calls[i] = Call{Name: c.Name, Arguments: c.Arguments}
	}
	return calls, true
}
