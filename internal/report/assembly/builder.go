package assembly

import (
	"fmt"
	"strings"

	"github.com/judgekit/judge/internal/report"
	"github.com/judgekit/judge/internal/report/series"
	"github.com/judgekit/judge/internal/score"
)

// Builder takes the scores of a run one by one and then builds its report. Build does
// the same for a stream, of which it reads a second time what the Builder cannot show:
// explanations.
type Builder struct {
	builder
	// places has the first place of each conversation that a score names.
	places map[string]string
}

// NewBuilder starts a report. The manifest's scorers must be known from the start;
// everything else of it is read by Finish.
func NewBuilder(m *report.Manifest, cfg Config) *Builder {
	b := &Builder{builder: newBuilder(m, cfg), places: map[string]string{}}
	b.In.Place = func(conversation string, _ int) string { return report.Clip(b.places[conversation], 500) }
	return b
}

func newBuilder(m *report.Manifest, cfg Config) builder {
	run := &series.Run{Manifest: m, Table: series.New(series.NewItems()), Bands: cfg.Thresholds}
	return builder{Config: cfg.withDefaults(), Run: run}
}

// Add takes a score; one that cannot be used is counted.
func (b *Builder) Add(s *score.Score) error {
	b.Table.Add(s, b.Manifest, b.Thresholds)
	if p, ok := b.places[s.ConversationID]; s.Place != "" && (!ok || s.Place < p) {
		b.places[strings.Clone(s.ConversationID)] = strings.Clone(s.Place)
	}
	return nil
}

// Finish builds the report; nothing may be added after it.
func (b *Builder) Finish() (*report.Report, error) {
	m := *b.Manifest
	b.Manifest = &m
	r, err := b.report()
	if err != nil {
		return nil, fmt.Errorf("build report: %w", err)
	}
	return r, nil
}
