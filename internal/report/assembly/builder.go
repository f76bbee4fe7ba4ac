package assembly

import (
	"errors"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/scoreset"
	"github.com/judgekit/judge/internal/report/series"
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
	chunk *series.Table
	// places are those of the chunk's conversations.
	places map[string]string
	last   string
}

// NewBuilder starts a report. The manifest's scorers must be known from the start;
// everything else of it is read by Finish.
func NewBuilder(m *report.Manifest, cfg Config) *Builder {
	return newBuilder(m, cfg, chunkScores)
}

func newBuilder(m *report.Manifest, cfg Config, limit int) *Builder {
	return &Builder{
		b:     &builder{Config: cfg.withDefaults(), Run: &series.Run{Manifest: m, Table: series.New(scoreset.New()), Bands: cfg.Thresholds}, tallies: newTallies()},
		limit: limit, chunk: series.New(scoreset.New()), places: map[string]string{},
	}
}

// Add takes a score. The scores of one conversation must follow one another. A
// judge's score is refused: comparing it needs all scores at hand, see Build.
func (b *Builder) Add(s *score.Score) error {
	if s.Source == score.Judge {
		return fmt.Errorf("add score %s of %s: a report on judges is built from the whole run", s.Name, s.Judge)
	}
	if s.ConversationID != b.last {
		if b.chunk.Counts.Scores >= b.limit {
			b.drain()
		}
		b.last = strings.Clone(s.ConversationID)
	}
	if s.Check() != nil {
		b.chunk.Counts.BadLines++
		return nil
	}
	if p, ok := b.places[s.ConversationID]; s.Place != "" && (!ok || s.Place < p) {
		b.places[b.last] = strings.Clone(s.Place)
	}
	decided := series.Redecided(s, b.b.Thresholds)
	return b.chunk.Add(decided, b.b.Manifest)
}

func (b *Builder) place(conversation string) string { return report.Clip(b.places[conversation], 500) }

// drain adds up the chunk.
func (b *Builder) drain() {
	b.chunk.Set.Settle()
	b.b.tallies.feed(b.chunk, b.b.Manifest, b.place)
	b.chunk = series.New(scoreset.New())
	clear(b.places)
}

// Finish builds the report; nothing may be added after it.
func (b *Builder) Finish() (*report.Report, error) {
	if b.b.tallies.tables == 0 {
		b.chunk.Set.Settle()
		b.b.tallies.fold = foldOf(b.chunk, b.b.MaxTools)
		b.b.tallies.feed(b.chunk, b.b.Manifest, b.place)
	} else if b.chunk.Counts.Scores+b.chunk.Counts.BadLines > 0 {
		b.drain()
	}
	m := *b.b.Manifest
	b.b.Manifest = &m
	r, err := b.b.report()
	if err != nil {
		return nil, fmt.Errorf("build report: %w", err)
	}
	return r, nil
}

// errNeedsTable says that the scores cannot be summed up one by one.
var errNeedsTable = errors.New("the scores must be held")

// summedUp is Build for scores without a judge that stand in the order of a run, a
// conversation's together: nothing is held but a hash of each conversation. Where that
// is not so, two ids have one hash, or the sums do not say everything, the error is
// errNeedsTable.
func summedUp(in report.Inputs, cfg Config, applied *report.Applied) (*report.Report, error) {
	m := in.Manifest
	b := NewBuilder(&m, cfg)
	b.b.In.Place, b.b.applied = in.Place, applied
	seed, seen, last := maphash.MakeSeed(), map[uint64]struct{}{}, ""
	for s, err := range in.Scores() {
		var bad *score.LineError
		switch {
		case errors.As(err, &bad):
			b.chunk.Counts.BadLines++
			continue
		case err != nil:
			return nil, fmt.Errorf("build report: read scores: %w", err)
		}
		if s.ConversationID != last || len(seen) == 0 {
			last = strings.Clone(s.ConversationID)
			h := maphash.String(seed, last)
			if _, again := seen[h]; again {
				return nil, errNeedsTable
			}
			seen[h] = struct{}{}
		}
		if b.Add(&s) != nil {
			return nil, errNeedsTable
		}
	}
	r, err := b.Finish()
	if err == nil && b.b.tallies.tables > 1 && slices.ContainsFunc(r.ByTool, func(t report.ToolRow) bool { return t.Folded > 0 }) {
		return nil, errNeedsTable // for the interval of the folded tools
	}
	return r, err
}
