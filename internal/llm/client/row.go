package client

import (
	"sync"

	"github.com/judgekit/judge/internal/llm"
)

// mostInARow is how many different items may meet the same refusal, with no answer
// between them, before it is taken to be meant for all.
const (
	mostInARow = 20
	rowWords   = "20 items in a row"
)

// row counts the items in a row that ended with the same failure.
type row struct {
	mu     sync.Mutex
	kind   llm.ErrorKind
	status int
	items  map[llm.Fingerprint]bool
}

// add notes a failure and reports whether there were too many.
func (r *row) add(e *llm.Error, item llm.Fingerprint) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.items == nil || r.kind != e.Kind || r.status != e.Status {
		r.kind, r.status, r.items = e.Kind, e.Status, map[llm.Fingerprint]bool{}
	}
	r.items[item] = true
	return len(r.items) >= mostInARow
}

// reset notes an answer.
func (r *row) reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.items = nil
}
