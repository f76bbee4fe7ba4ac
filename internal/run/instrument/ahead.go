package instrument

import (
	"context"

	"github.com/judgekit/judge/rubrics"
)

// Ahead is a Discover that goes on while something else is done, such as reading the logs. It works
// on a copy of the judges.
type Ahead struct {
	judges []Judge
	end    context.CancelFunc
	notes  chan string
	err    error // once notes is closed
}

// maxNotes is more than a probe has to say.
const maxNotes = 64

// DiscoverAhead begins a Discover. The caller must call End.
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

// Discover waits for the end and has the judges of the list ask as was found out. Notes and error
// are those of the function of that name.
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

// End stops it and waits until nothing more is sent. It does nothing if a is nil.
func (a *Ahead) End() {
	if a == nil {
		return
	}
	a.end()
	for range a.notes {
	}
}
