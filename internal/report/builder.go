package report

import (
	"fmt"

	"github.com/judgekit/judge/internal/score"
)

// chunkScores is how many scores a Builder collects before it adds them up.
const chunkScores = 1 << 16

// Builder builds the report of a run without judges from scores that come one by
// one and are not kept: its memory grows with the tools and scorers, not with the
// scores. Build gives the same report, but for two things: where there are more
// tools than Config.MaxTools and more than 65,536 scores, the row of folded tools
// has no interval; and what is summed up in another order may differ in the last
// digit.
type Builder struct {
	b     *builder
	limit int
	chunk *table
	// places are those of the chunk's conversations.
	places map[string]string
	last   string
}

// NewBuilder starts a report. The manifest's scorers must be known from the start;
// everything else of it is read by Finish.
func NewBuilder(m *Manifest, cfg Config) *Builder {
	return newBuilder(m, cfg, chunkScores)
}

func newBuilder(m *Manifest, cfg Config, limit int) *Builder {
	return &Builder{
		b:     &builder{Config: cfg.withDefaults(), manifest: m, table: newTable(), tallies: newTallies()},
		limit: limit, chunk: newTable(), places: map[string]string{},
	}
}

// Add takes a score. The scores of one conversation must follow one another. A
// judge's score is refused: comparing it needs all scores at hand, see Build.
func (b *Builder) Add(s *score.Score) error {
	if s.Source == score.Judge {
		return fmt.Errorf("add score %s of %s: a report on judges is built from the whole run", s.Name, s.Judge)
	}
	if s.ConversationID != b.last {
		if b.chunk.counts.Scores >= b.limit {
			b.drain()
		}
		b.last = s.ConversationID
	}
	if s.Check() != nil {
		b.chunk.counts.BadLines++
		return nil
	}
	if p, ok := b.places[s.ConversationID]; s.Place != "" && (!ok || s.Place < p) {
		b.places[s.ConversationID] = s.Place
	}
	decided := redecided(s, b.b.Thresholds)
	b.chunk.add(decided, b.b.manifest)
	return nil
}

func (b *Builder) place(conversation string) string { return clip(b.places[conversation], 500) }

// drain adds up the chunk.
func (b *Builder) drain() {
	b.chunk.finish()
	b.b.tallies.feed(b.chunk, b.b.manifest, b.place)
	b.chunk = newTable()
	clear(b.places)
}

// Finish builds the report; nothing may be added after it.
func (b *Builder) Finish() (*Report, error) {
	if b.b.tallies.tables == 0 {
		b.chunk.finish()
		b.b.tallies.fold = foldOf(b.chunk, b.b.MaxTools)
		b.b.tallies.feed(b.chunk, b.b.manifest, b.place)
	} else if b.chunk.counts.Scores+b.chunk.counts.BadLines > 0 {
		b.drain()
	}
	m := *b.b.manifest
	b.b.manifest = &m
	r, err := b.b.report()
	if err != nil {
		return nil, fmt.Errorf("build report: %w", err)
	}
	return r, nil
}
