package run

import (
	"context"
	"fmt"

	"github.com/judgekit/judge/internal/llm"
	"github.com/judgekit/judge/internal/llm/journal"
)

// replay answers the requests of one judge from a journal, failures too, and sends nothing.
type replay struct {
	journal  *journal.Journal
	failures map[[16]byte]*llm.Error
	kind     llm.Kind
	version  string // of the prompts, in fingerprints
	base     string
}

// failures are the failures of a journal by the first half of their fingerprints.
func failures(j *journal.Journal) (map[[16]byte]*llm.Error, error) {
	out := map[[16]byte]*llm.Error{}
	for e, err := range j.Entries() {
		if err != nil && e == nil {
			continue // a damaged line, which was named when the journal was opened
		}
		if e.Good || e.Error == nil {
			continue
		}
		out[[16]byte(e.Fingerprint[:16])] = e.Error
	}
	return out, nil
}

// Do implements judges.Completer.
func (r *replay) Do(_ context.Context, req llm.Request) (*llm.Response, error) {
	p, err := req.Prepare(r.kind, r.version)
	if err != nil {
		return nil, err
	}
	if res, ok := r.journal.Answer(p.Fingerprint); ok {
		return res, nil
	}
	if e := r.failures[[16]byte(p.Fingerprint[:16])]; e != nil {
		own := *e
		own.Endpoint = r.base
		return nil, &own
	}
	return nil, &llm.Error{
		Kind: llm.KindDeferred, Fatal: true,
		Message: fmt.Sprintf("no shard has an answer for %s; resume the shards, or merge those of one run", req.Key),
	}
}
