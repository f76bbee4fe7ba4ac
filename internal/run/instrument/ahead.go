package instrument

import (
	"context"

	"github.com/judgekit/judge/rubrics"
)

// Ahead runs Discover in the background, for instance while the logs are read. It works on a copy
// of the judges.
type Ahead struct {
	judges []Judge
	end    context.CancelFunc
	notes  chan string
	err    error // valid after notes is closed
}

// maxNotes is more than the number of lines that a probe writes.
const maxNotes = 64

// DiscoverAhead starts a Discover in the background. The caller must call End.
func DiscoverAhead(ctx context.Context, t *Team, store *Store) *Ahead {
	own := t.Clone()
	a := &Ahead{judges: own.Judges, notes: make(chan string, maxNotes)}
	ctx, a.end = context.WithCancel(ctx)
	go func() {
		defer close(a.notes)
		a.err = Discover(ctx, a.judges, own.Rubrics, nil, store, func(line string) { a.notes <- line })
	}()
	return a
}

// Discover waits for the background Discover and applies its findings to the judges in the list.
// Notes and errors are those of the function Discover.
func (a *Ahead) Discover(list []Judge, by []*rubrics.Rubric, note func(string)) error {
	for line := range a.notes {
		note(line)
	}
	if a.err != nil {
		return a.err
	}
	found := Team{Judges: a.judges}
	return Recall(list, by, found.Profiles(), nil)
}

// End stops the background Discover and waits until it sends nothing more. It does nothing if a is nil.
func (a *Ahead) End() {
	if a == nil {
		return
	}
	a.end()
	for range a.notes {
	}
}
